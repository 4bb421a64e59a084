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
    too_many: str
    left_out: str
    resumed: str
    went_back: str
    of_step: str
    of_all: str
    objects: str
    again: str
    by_itself: str
    stopped: str
    held_up: str


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
    too_many="too many calls in one reply; make them in later replies",
    left_out=(
        "Your last reply and the results of its calls did not fit into the window, so you do not see them. What the calls did stays "
        "done. Go on in smaller pieces: fewer calls at once, shorter texts."
    ),
    resumed="Back to this task: {}. It stands as it was left; go on with it, and with nothing that was asked for in between.",
    went_back="Back to an earlier point of the task, since what came after it failed: {}. What tools did meanwhile stays done. Go another way.",
    of_step="step {!r}",
    of_all="the work so far",
    objects="A reviewer objects to {}: {}\n{}",
    again='The step is under way again. See to this, then call {} with status "done" once more.',
    by_itself=(
        'See to this before anything else. To change a finished step, call {} with its name and status "reopen", then "begin"; '
        'a step that is under way is put back first, with status "put_back".'
    ),
    stopped="a reviewer has stopped the work",
    held_up="Not handed over yet, since a reviewer objects: {}. See to it; if the objection is wrong, say why and hand over again.",
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
    too_many="一次回复中的调用过多;请在之后的回复中再调用",
    left_out="上一次回复及其调用结果放不进窗口,因此你看不到它们。调用已做的事仍然有效。请分小步继续:一次少调用几个,文字短一些。",
    resumed="回到此任务:{}。它停在原处;请接着做,不要再做其间提出的别的事。",
    went_back="已回到任务的较早位置,因为其后的做法失败了:{}。其间工具已做的事仍然有效。请换一种做法。",
    of_step="步骤“{}”",
    of_all="目前的工作",
    objects="审核者对{}有异议:{}\n{}",
    again="该步骤已重新开始。请先处理,再次调用 {},状态为 “done”。",
    by_itself="请先处理。若要改动已完成的步骤,调用 {},给出其名称和状态 “reopen”,再用 “begin”;正在进行的步骤须先用 “put_back” 放回。",
    stopped="审核者已中止此工作",
    held_up="尚未交付,因为审核者有异议:{}。请处理;若异议不成立,说明理由后再次交付。",
)


def go_on_text(words: Words, answers: Sequence[tuple[str, str, Answer]]) -> str:
    """What follows a reply that made no call: what became of its proposals, each as (step, to, answer)."""
    rows = [
        words.refused.format(step, to, answer.reason) if isinstance(answer, Refused) else words.accepted.format(step, to)
        for step, to, answer in answers
    ]
    return "\n".join([*rows, words.go_on])
