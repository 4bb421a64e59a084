"""Early finish (REQUIREMENTS T9): the model says that all is done while steps are open."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.core.drift import Act
from trimtab.core.task import FINISHED, TaskState
from trimtab.steer.seen import Found, Seen
from trimtab.steer.wording import folded

_MOST_CHARS, _MOST_NAMES = 8_000, 3
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=[。！？；])")
# how a reply ends that is over: it says nothing of the work
_CLOSING = re.compile(
    r"[,;:–—-]*\s*\b(?:please )?(?:let me know|feel free|tell me|just (?:ask|say|tell))\b[^.!?\n]*|[，,]?(?:如|若|如果|要是)?(?:有|还有|需要)[^。！？\n]{0,16}(?:请|随时|告诉我)[^。！？\n]*",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:the |this |your )?(?:whole |entire )?(?:task|job|project|assignment|work) (?:is|has been) (?:now )?(?:all |fully )?(?:done|complete|completed|finished)\b"
    r"|\ball (?:of the |the )?(?:steps|tasks|work) (?:are|is|have been|has been) (?:now )?(?:done|complete|completed|finished)\b"
    r"|\b(?:everything|all) is (?:now )?(?:done|complete|finished)\b|\bi(?:'ve| have) (?:now )?(?:completed|finished) (?:everything|the (?:whole |entire )?(?:task|job|project)|all (?:the )?steps)\b"
    r"|^\W*(?:task|all steps|mission) (?:complete|completed|done|accomplished)\b|^\W*(?:(?:it is |it's |i'm |we're )?all |and )?(?:done|finished)\W*$"
    r"|\bevery step is (?:now )?(?:done|complete|completed|finished)\b"
    r"|(?:任务|全部工作|所有步骤|全部步骤|所有任务|整个任务|各步骤)(?:现在|现|都|均|已经|已|全部|圆满|顺利){0,3}(?:完成|结束|做完)|(?:已经|已|都)(?:全部|圆满)完成(?:任务|所有步骤|全部步骤)|^\W*(?:已经|已)?(?:全部|都)(?:已经|已)?(?:完成|做完|结束)了?\W*$|(?:已经|已|都)全部[\u4e00-\u9fff]{0,8}(?:完毕|完成)了?\W*$",
    re.IGNORECASE,
)
# one of these stands wherever the pattern above finds something
_END_WORDS = ("done", "complete", "finished", "accomplished", "完成", "结束", "做完", "完毕")
_NOT = re.compile(
    r"\b(?:not|isn't|aren't|hasn't|haven't|never|once|when|if|until|unless|before|after|will|would|should|must|almost|nearly|to be|part of)\b|\?\s*$|未|没|尚|如果|若|一旦|之前|之后|完成后|结束后|后[，,]|等到|等|将|才|吗|？\s*$|的时候|时[，,]", re.I
)  # fmt: skip


def says_finished(text: str) -> str:
    """The sentence that says that the whole task is done; "" for none."""
    said = folded(text[:_MOST_CHARS])
    if not any(word in said for word in _END_WORDS):
        return ""
    for sentence in _SENTENCE.split(_CLOSING.sub("", text[:_MOST_CHARS])):
        if len(sentence) < 400 and _SAYS.search(sentence) and not _NOT.search(sentence):
            return " ".join(sentence.split())
    return ""


def left_open(task: TaskState) -> tuple[str, ...]:
    """Steps that are not finished and may not be skipped, in the plan's order."""
    return tuple(step.name for step in task.steps if not step.optional and task.status(step.name) not in FINISHED)


class EarlyFinish:
    """Detector: a final reply that says all is done, with steps open. Of a task without a plan nothing is known."""

    name, kind = "early_finish", "early_finish"

    def look(self, acts: Sequence[Act], view: Seen) -> list[Found]:
        task = view.state.task
        if task is None or task.ended or view.calls or not view.reply:
            return []
        rest = left_open(task)
        if not rest or not says_finished(view.reply):
            return []
        more = f" and {len(rest) - _MOST_NAMES} more" if len(rest) > _MOST_NAMES else ""
        names = ", ".join(repr(name) for name in rest[:_MOST_NAMES])
        return [
            Found(
                "early_finish",
                f"says that all is done, but {len(rest)} of {len(task.steps)} steps are open: {names}{more}",
                (view.reply_seq,),
                "act",
            )
        ]
