"""Whether a task is likely to lose its course, before it runs (REQUIREMENTS V6): four traits, and what follows from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from trimtab.core.task import PlanStep, TaskState

Trait: TypeAlias = Literal["long and loose", "steady intake", "no criterion", "parallel and shared"]
# without strong dependencies, from so many steps on
LONG_STEPS, _LEAST_STEPS_FOR_TRAITS = 16, 5
_LEAST_DEPENDENT = 0.6
_RECOMMENDED_FROM = 2
# conditions that a machine decides
_OBJECTIVE = frozenset({"schema", "callable", "command", "count", "text"})
_INTAKE = re.compile(
    r"\b(?:fetch|download|crawl|scrap(?:e|ing)|search(?:ing)? (?:the )?(?:web|internet|news)|browse|web ?page|website|articles?|e-?mails?|inbox|feed|stream|"
    r"incoming|news|tickets?|leads?|api|monitor(?:ing)?|external|uploads?|research|read (?:the )?(?:papers?|documents?|files?|sources?))\b"
    r"|抓取|爬取|采集|下载|检索|搜索|网页|网站|文章|新闻|邮件|收件|接口|监控|外部数据|来稿|工单|线索|资料|文献|论文",
    re.IGNORECASE,
)


class Risk(Struct, frozen=True):
    """What was found.

    Attributes:
        traits: those that hold, each with what shows it.
        techniques: names of the fields of `settings.Steering` to switch on, in the order in which to try them; () for none.
        recommended: whether to switch them on.
        why: one line.
    """

    traits: tuple[tuple[Trait, str], ...]
    techniques: tuple[str, ...]
    recommended: bool
    why: str


def risk_of(task: TaskState) -> Risk:
    """The traits of the task as it is planned; nothing of how it has run so far."""
    steps = task.steps
    found = (_long(steps), _intake(task.goal, steps), _no_criterion(steps), _parallel(steps))
    names: tuple[Trait, ...] = ("long and loose", "steady intake", "no criterion", "parallel and shared")
    traits = tuple((name, shown) for name, shown in zip(names, found, strict=True) if shown)
    if len(traits) < _RECOMMENDED_FROM:
        short = len(steps) < LONG_STEPS and not found[2]
        why = "short, with a result that can be checked: nothing needed" if short else f"{len(traits)} of 4 traits: nothing needed"
        return Risk(traits, (), False, why)
    return Risk(
        traits, _techniques(dict(traits)), True, f"{len(traits)} of 4 traits: " + "; ".join(f"{name} ({shown})" for name, shown in traits)
    )


def _long(steps: Sequence[PlanStep]) -> str:
    if len(steps) < LONG_STEPS:
        return ""
    dependent = sum(_depends(step) for step in steps[1:])
    if dependent >= _LEAST_DEPENDENT * (len(steps) - 1):
        return ""
    return f"{len(steps)} steps, {dependent} of which take what another one made"


def _depends(step: PlanStep) -> bool:
    """On a product, which code hands over; that it comes later in a list is no strong dependency."""
    return bool(step.inputs)


def _intake(goal: str, steps: Sequence[PlanStep]) -> str:
    """Every few steps something comes in from outside."""
    named = [step for step in steps if _INTAKE.search(f"{step.name} {step.about}"[:2_000])]
    if named and any(step.batch for step in named):
        return f"step {next(step.name for step in named if step.batch)!r} takes in a batch"
    if len(named) >= 3 and len(named) * 4 >= len(steps):
        return f"{len(named)} of {len(steps)} steps take in data"
    if not steps and len(_INTAKE.findall(goal[:4_000])) >= 2:
        return "the goal is about data from outside"
    return ""


def _no_criterion(steps: Sequence[PlanStep]) -> str:
    """Nothing that a machine decides says when the last steps are done: those nothing else stands on."""
    used = {name for step in steps for name in step.after}
    last = [step for step in steps if step.name not in used and not step.optional]
    bare = [step.name for step in last if not step.schema and not any(row.kind in _OBJECTIVE for row in step.done_when)]
    if not steps:
        return "no plan, so nothing says when it is done"
    return f"nothing checks {bare[0]!r}" if bare else ""


def _parallel(steps: Sequence[PlanStep]) -> str:
    """Two steps or more wait for none of each other, and a third takes what both made."""
    if len(steps) < _LEAST_STEPS_FOR_TRAITS:
        return ""
    before = _before(steps)
    makers = {step.output: step.name for step in steps if step.output}
    for step in steps:
        sources = list(dict.fromkeys([*(makers[name] for name in step.inputs if name in makers), *step.after]))
        apart = [
            (one, two) for at, one in enumerate(sources) for two in sources[at + 1 :] if one not in before[two] and two not in before[one]
        ]
        if apart:
            return f"{apart[0][0]!r} and {apart[0][1]!r} run side by side for {step.name!r}"
    return ""


def _before(steps: Sequence[PlanStep]) -> dict[str, frozenset[str]]:
    """By step, all that stand before it. Plans are short (60 steps) and without cycles."""
    direct = {step.name: step.after for step in steps}
    known: dict[str, frozenset[str]] = {}
    waiting = list(direct)
    while waiting:
        ready = [name for name in waiting if all(other in known or other not in direct for other in direct[name])]
        for name in ready or waiting:
            known[name] = frozenset(direct[name]).union(*(known.get(other, frozenset()) for other in direct[name]))
        waiting = [name for name in waiting if name not in known]
    return known


def _techniques(traits: dict[Trait, str]) -> tuple[str, ...]:
    """State and plan for all; then what answers each trait."""
    names = ["state", "plan", "checkpoints"]
    if "long and loose" in traits:
        names += ["assertion", "milestones"]
    if "steady intake" in traits:
        names += ["detectors", "interruptions"]
    if "no criterion" in traits:
        names += ["verifier", "milestones"]
    if "parallel and shared" in traits:
        names += ["detectors", "verifier"]
    return tuple(dict.fromkeys(names))
