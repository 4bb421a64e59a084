"""What a run says to its model, in English and in Chinese. Recorded as words of a program: nothing in them is a rule."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from trimtab.session.task import Answer, Refused


class Words(Struct, frozen=True):
    """Fixed words of one language; `{}` are filled in by position."""

    rules: str
    go_on: str
    accepted: str
    refused: str
    empty: str
    broken: str


ENGLISH = Words(
    rules=(
        "You carry out one task, step by step. Work on the step that is under way. Once what it asks for is there, call {} with its "
        'name, status "done" and its product, if it has one; a refusal says what is lacking. When every step is finished, '
        "hand over the result in plain text."
    ),
    go_on="Go on. Call update_task once the step under way is done.",
    accepted="Accepted: step {!r} is {}.",
    refused="Not accepted: step {!r} is not {}: {}",
    empty="Your reply was empty. Go on.",
    broken="the reply broke off before its end; make the call again if it is still needed",
)
CHINESE = Words(
    rules=(
        "你按步骤完成一项任务。请只做正在进行的步骤。该步骤要求的内容齐备后,调用 {},给出步骤名称、状态 “done”,以及产出(若有);"
        "若未被接受,会说明缺什么。全部步骤结束后,用文字交付结果。"
    ),
    go_on="请继续。当前步骤完成后调用 update_task。",
    accepted="已接受:步骤“{}”现为 {}。",
    refused="未接受:步骤“{}”不能为 {}:{}",
    empty="你的回复是空的。请继续。",
    broken="回复中途断开;如仍需要,请重新调用",
)


def go_on_text(words: Words, answers: Sequence[tuple[str, str, Answer]]) -> str:
    """What follows a reply that made no call: what became of its proposals, each as (step, to, answer)."""
    rows = [
        words.refused.format(step, to, answer.reason) if isinstance(answer, Refused) else words.accepted.format(step, to)
        for step, to, answer in answers
    ]
    return "\n".join([*rows, words.go_on])
