"""The progress assertion (REQUIREMENTS T6): the model says which step it is on, code compares, and a mismatch is corrected
before anything runs.

Two forms: the first line of each reply, or an argument of each tool call. What is said is read tolerantly; what cannot be
read counts as not said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from trimtab.core import entries as e
from trimtab.core.messages import ToolCall
from trimtab.core.task import PlanStep, TaskState
from trimtab.settings import Assertion
from trimtab.steer.argument import said_in
from trimtab.steer.wording import is_chinese, json_in, named_in, nearest, number_of, quoted, unfenced

_MOST_LINE_CHARS = 300
_KEYS = ("step", "current_step", "currentstep", "step_name", "on_step", "步骤", "当前步骤", "当前步", "步骤名称")
_NUMBER = r"(?P<number>\d{1,3}|[一二两三四五六七八九十]{1,3})"
_OF = r"(?:[ \t]*(?:/|／|of|out of|之|共)[ \t]*(?P<of>\d{1,3}))?"
_LEAD = r"^[\s\W_]{0,12}"
_LINE = re.compile(
    _LEAD
    + r"(?:(?:progress|status|assertion)[\W_]{1,6})?(?:(?:i am|i'm|we are|we're|now|currently|still|working)[ \t]+){0,3}"
    + r"(?:(?:on|at|in|my|the|current|active|this)[ \t]+){0,3}step(?![a-z])(?:[ \t]+(?:is|name|now))?[\W_]{0,8}(?P<rest>.*)$",
    re.IGNORECASE,
)
_LINE_ZH = re.compile(
    _LEAD + r"(?:(?:我)?(?:现在|目前|当前|正在|仍在|处于|处在|进行|执行|所在|做|的|在|进度)[：:\s]{0,3}){0,5}"
    r"(?:第[ \t]*(?P<ordinal>\d{1,3}|[一二两三四五六七八九十]{1,3})[ \t]*(?:个)?(?:步骤|步)|步骤名?)(?:[ \t]*(?:是|为))?[\W_]{0,8}(?P<rest>.*)$"
)
_HEAD = re.compile(r"^(?:no\.?|number|nr\.?|#)?[ \t]*" + _NUMBER + _OF + r"(?!\w|\.\d)(?P<rest>.*)$", re.IGNORECASE)
_HEAD_ZH = re.compile(r"^" + _NUMBER + _OF + r"(?!\d|\.\d)(?P<rest>.*)$")
_WHY = re.compile(r"\s+(?:because|since|why|reason)\b|[，,；;。]?\s*(?:因为|由于|理由|原因)|\s+[-–—]+\s+|[;；(（]", re.IGNORECASE)


class Saying(Struct, frozen=True):
    """What a model said of where it is. `step` is "" where it named none of the plan's; `words` is what it said."""

    step: str = ""
    words: str = ""


def said_first(text: str, steps: Sequence[PlanStep]) -> Saying:
    """Which step the first line of a reply names: "Step 3/8: clean rows", "**当前步骤：清洗**", {"step": "clean rows"}."""
    bare = unfenced(text[:4_000])
    if bare.startswith(("{", "```")):
        found = next((saying for value in json_in(bare) if (saying := _of_object(value, steps)).words), None)
        if found is not None or bare.startswith("{"):
            return found or Saying()
    line = next((line for line in bare.splitlines() if line.strip(" \t`*#>_-=")), "")[:_MOST_LINE_CHARS]
    if "{" in line:
        found = next((saying for value in json_in(line) if (saying := _of_object(value, steps)).words), None)
        if found is not None:
            return found
    english, chinese = _LINE.match(line), _LINE_ZH.match(line)
    if chinese is not None and chinese["ordinal"]:
        return _resolved(f"{chinese['ordinal']} {chinese['rest']}", steps)
    matched = english or chinese
    return _resolved(matched["rest"], steps) if matched else Saying()


def _of_object(value: dict[str, Any], steps: Sequence[PlanStep]) -> Saying:
    for key, said in value.items():
        if str(key).casefold().replace(" ", "_") in _KEYS:
            return said_as(said, steps)
    return Saying()


def said_as(value: object, steps: Sequence[PlanStep]) -> Saying:
    """Which step a JSON value names: a name, a number, "3/8", or an object that holds one of them."""
    if isinstance(value, dict):
        inner = next((value[key] for key in ("name", "number", "id", "step", "名称") if key in value), None)
        return said_as(inner, steps) if not isinstance(inner, dict) else Saying()
    if isinstance(value, bool) or not isinstance(value, str | int):
        return Saying()
    words = str(value)
    led = _LINE.match(words[:_MOST_LINE_CHARS]) or _LINE_ZH.match(words[:_MOST_LINE_CHARS])
    whole = nearest(words, [step.name for step in steps])
    if whole or led is None:
        return Saying(whole, words) if whole else _resolved(words, steps)
    ordinal = led.groupdict().get("ordinal") or ""
    return _resolved(f"{ordinal} {led['rest']}", steps)


def _resolved(words: str, steps: Sequence[PlanStep]) -> Saying:
    """A name goes before a number: models miscount more often than they misname."""
    words = words.strip()[:_MOST_LINE_CHARS].strip(" \t*_`#>\"'“”「」【】[]")
    if not words:
        return Saying()
    names = [step.name for step in steps]
    head = _HEAD.match(words) or _HEAD_ZH.match(words)
    rest = head["rest"] if head else words
    claim = _WHY.split(rest.strip(" \t*_`:：.、，,-–—)）】]"), maxsplit=1)[0].strip(" \t*_`:：.、，,\"'“”「」【】[]")
    name = nearest(words, names) or nearest(claim, names) or named_in(claim, names)
    if not name and head is not None:
        name = _numbered(number_of(head["number"]), number_of(head["of"] or ""), names)
    return Saying(name, quoted(words))


def _numbered(number: int, of: int, names: Sequence[str]) -> str:
    """A number out of another total is of another plan: it names nothing."""
    return names[number - 1] if 0 < number <= len(names) and of in (0, len(names)) else ""


# ---------------------------------------------------------------- the check


def checked_reply(text: str, task: TaskState, seq: int = 0) -> e.Asserted | None:
    """Compare the first line of a reply with the step under way; None where none is."""
    active = task.active
    return None if active is None else _compared(said_first(text, task.steps), active, seq)


def checked_calls(calls: Sequence[ToolCall], arguments: dict[str, str], task: TaskState, seq: int = 0) -> e.Asserted | None:
    """Compare what each call says with the step under way; the first mismatch counts. None where there is nothing to compare.

    Args:
        arguments: by tool, the name of its argument that says so (see `argument.names_for`); other tools say nothing.
    """
    active = task.active
    asked = [call for call in calls if call.name in arguments]
    if active is None or not asked:
        return None
    results = [_compared(said_as(said_in(call.arguments, arguments[call.name]), task.steps), active, seq) for call in asked]
    return next((result for result in results if not result.ok), results[0])


def _compared(saying: Saying, active: PlanStep, seq: int) -> e.Asserted:
    if saying.step == active.name:
        return e.Asserted(ok=True, said=saying.step, expected=active.name, seq=seq)
    why = "names no step" if not saying.words else "names no step of the plan" if not saying.step else "names another step"
    return e.Asserted(ok=False, said=saying.step or saying.words, expected=active.name, why=why, seq=seq)


# ---------------------------------------------------------------- its texts


def instruction_text(task: TaskState, form: Assertion) -> str:
    """What the prompt says of it; "" where it is off or no step is under way. Names no step, so that it never changes."""
    if form == "off" or task.active is None:
        return ""
    if is_chinese(task.goal):
        if form == "argument":
            return "每次调用工具时，参数 step 写明正在进行的步骤名称，与任务状态中的当前步骤一致；不一致的调用不会执行。"
        return "每次回复的第一行写明：“步骤：<当前步骤名称>——<理由，一句话>”，名称与任务状态中的当前步骤一致；不一致的回复不会执行。"
    if form == "argument":
        return (
            "In each tool call, the argument `step` names the step under way, as the task state has it. A call for another step is not run."
        )
    return (
        "Begin each reply with the line `Step: <name of the current step> - <why, in a few words>`, with the name as the task state "
        "has it. Nothing of a reply for another step is run."
    )


def correction_text(asserted: e.Asserted, task: TaskState, form: Assertion) -> str:
    """The message that corrects the model; nothing of its reply has been run."""
    number = next((at for at, step in enumerate(task.steps, 1) if step.name == asserted.expected), 0)
    said = quoted(asserted.said)
    if is_chinese(task.goal):
        fact = f"你写的步骤是“{said}”" if said else "你没有写明正在进行哪一步"
        where = "参数 step" if form == "argument" else "回复的第一行"
        return f"{fact}，而当前步骤是第 {number}/{len(task.steps)} 步“{asserted.expected}”。刚才的内容没有执行。请在{where}写明“{asserted.expected}”，并只做这一步。"
    fact = f"You named {said!r}" if said else "You did not say which step you are on"
    where = "the argument `step`" if form == "argument" else "the first line of the reply"
    return (
        f"{fact}, but the step under way is {number} of {len(task.steps)}: {asserted.expected!r}. Nothing of it was run. "
        f"Answer again, name {asserted.expected!r} in {where}, and work on that step only. If it cannot go on, say why and propose what should change."
    )
