"""Proposals in a reply: "step 4 is done because ...", 步骤4已完成, or JSON. A proposal decides nothing; code checks it.

Read sentence by sentence. What is denied, asked, planned or conditional proposes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from trimtab.core.task import PlanStep, StepStatus
from trimtab.steer.assertion import said_as
from trimtab.steer.wording import MOST_CHARS, json_in, quoted

_MOST_SENTENCES, _MOST_SENTENCE_CHARS, _MOST_PROPOSALS = 200, 400, 8
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_END = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=[。！？；])")
_STEP = r"(?P<step>(?:the )?step[ \t]*[#:]?[ \t]*[^.:]{1,80}?|[\"'“`*「]{1,3}[^\"'”`*」\n]{2,80}[\"'”`*」]{1,3}(?: step)?)"
_DONE = r"(?:done|complete|completed|finished)"
_SAID = re.compile(
    rf"^[\W_]{{0,6}}(?:(?:so|now|thus|ok|okay|great|good)[,: ]+)?{_STEP}[*`\"'”)]{{0,3}}"
    rf"(?:[ \t]*(?:is|has been|was|are)(?: now| all| fully)?[ \t]+|[ \t]*[:：–—-]+[ \t]*){_DONE}\b(?P<why>.*)$",
    re.IGNORECASE,
)
_FINISHED = re.compile(
    rf"^[\W_]{{0,6}}(?:(?:so|now|thus)[,: ]+)?(?:i|we)(?:'ve| have)?(?: now| just)? (?:completed|finished) {_STEP}(?P<why>[\s,;:.–—-].*)?$",
    re.IGNORECASE,
)
_SAID_ZH = re.compile(
    r"^[\W_]{0,6}(?:(?:现在|目前|我|我们|已经|已|刚刚)[，,]?){0,4}(?:(?P<verb>完成了?|做完了?)[ \t]*)?"
    r"(?P<step>(?:步骤|第)[ \t]*[\d一二两三四五六七八九十]{1,3}[ \t]*步?(?:[（(：:“「\"][^）)”」\"\n]{1,40}[）)”」\"]?)?|[“「\"《][^”」\"》\n]{1,40}[”」\"》](?:这一步|步骤)?)"
    r"(?P<state>[ \t，：:]*(?:现在|目前|均|都|现)?(?:已经|已|业已)?(?:全部)?(?:完成|做完|结束)(?:了)?)?(?P<why>.*)$"
)
_NOT = re.compile(
    r"\b(?:not|n't|never|isn't|almost|nearly|partly|partially|half|if|once|when|whenever|until|unless|before|after|as soon as|will|would|should|"
    r"could|must|needs?|to be|going to|about to|assume|assuming|suppose|except)\b|n't\b|\?\s*$"
    r"|未|没有|没|尚|还差|如果|若|假如|一旦|之前|之后|以后|以前|等到|等|才能|需要|将|会|应|准备|即将|打算|快要|几乎|部分|吗|？\s*$",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:because|since|as|:)\s*|因为|由于|：|—+|-+", re.IGNORECASE)
_STATES: dict[str, StepStatus] = {
    "done": "done", "complete": "done", "completed": "done", "finished": "done", "完成": "done", "已完成": "done",
    "put_back": "open", "put back": "open", "放回": "open",
    "skip": "skipped", "skipped": "skipped", "跳过": "skipped", "begin": "active", "active": "active", "begun": "active", "start": "active",
    "进行中": "active", "开始": "active", "open": "open", "reopen": "open", "重新打开": "open",
}  # fmt: skip
_STATE_KEYS = ("to", "status", "state", "状态")
_WHY_KEYS = ("because", "why", "reason", "理由", "原因")
_STEP_KEYS = ("step", "step_name", "步骤")


class Proposed(Struct, frozen=True):
    """A step of the plan, the state that the model takes it to have reached, and why; "" where it gave no reason."""

    step: str
    to: StepStatus
    because: str = ""


def status_said(word: str) -> StepStatus | None:
    """The status that a word means; None for none."""
    return _STATES.get(word.strip().casefold())


def step_said(words: str, steps: Sequence[PlanStep]) -> str:
    """The name of the step that is meant, by name or number; the words themselves where that is none of the plan."""
    bare = words.strip()
    exact = next((step.name for step in steps if step.name == bare), "") or next(
        (step.name for step in steps if step.name.casefold() == bare.casefold()), ""
    )
    return exact or said_as(int(bare) if bare.isdecimal() and len(bare) < 4 else bare, steps).step or bare


def proposals_in(text: str, steps: Sequence[PlanStep]) -> tuple[Proposed, ...]:
    """The proposals of a reply, in order, each step once (its last one counts). Only steps of the plan are named."""
    if not steps:
        return ()
    head = text[:MOST_CHARS]
    found = [row for value in json_in(head) for row in _of_object(value, steps)]
    for sentence in _END.split(_CODE.sub("\n", head))[:_MOST_SENTENCES]:
        row = _of_sentence(sentence.strip()[:_MOST_SENTENCE_CHARS], steps)
        found += [row] if row is not None else []
    return tuple({row.step: row for row in found}.values())[:_MOST_PROPOSALS]


def _of_object(value: dict[str, Any], steps: Sequence[PlanStep]) -> list[Proposed]:
    inner = next((value[key] for key in ("proposals", "proposal", "steps", "提议") if key in value), None)
    rows = inner if isinstance(inner, list) else [inner] if isinstance(inner, dict) else [value]
    found: list[Proposed] = []
    for row in rows:
        if not isinstance(row, dict):
            continue
        to = next((_STATES.get(str(row[key]).strip().casefold()) for key in _STATE_KEYS if key in row), None)
        step = next((said_as(row[key], steps).step for key in _STEP_KEYS if key in row), "")
        why = next((row[key] for key in _WHY_KEYS if isinstance(row.get(key), str)), "")
        if to is not None and step:
            found.append(Proposed(step, to, quoted(why, 240)))
    return found


def _of_sentence(sentence: str, steps: Sequence[PlanStep]) -> Proposed | None:
    english = _SAID.match(sentence) or _FINISHED.match(sentence)
    if english is not None:
        why = english["why"] or ""
        return _checked(sentence[: len(sentence) - len(why)], english["step"], why, sentence, steps)
    chinese = _SAID_ZH.match(sentence)
    if chinese is None or bool(chinese["verb"]) == bool(chinese["state"]):
        return None
    why = chinese["why"]
    return _checked(sentence[: len(sentence) - len(why)], chinese["step"], why, sentence, steps)


def _checked(claim: str, words: str, why: str, sentence: str, steps: Sequence[PlanStep]) -> Proposed | None:
    if (
        sentence.rstrip("*_ ").endswith(("?", "？", "吗", "吗。"))
        or re.match(r"[的后时前之以才]", why)
        or re.match(r"\s*(?:if|when|once|unless|except|but|后)\b", why, re.I)
    ):
        return None
    step = said_as(words.strip("\"'“”`*「」《》 ").removeprefix("the "), steps).step
    # a word of denial inside of the step's own name denies nothing
    outside = claim.casefold().replace(step.casefold(), " ") if step else claim
    if not step or _NOT.search(outside):
        return None
    parts = _WHY.split(why, maxsplit=1)
    return Proposed(step, "done", quoted(parts[1] if len(parts) > 1 else why.strip(" ,.;:，。；："), 240))
