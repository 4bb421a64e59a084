"""What may become of a plan and of its steps: the only place that decides it (REQUIREMENTS T2-T5).

Whoever enters a `StepMoved` or a `PlanChanged` takes it from here, on the state that the entry is written upon. Reasons
are written for the agent that proposed: they say what is missing, and what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from trimtab.core.entries_task import PlanChanged, StepMoved
from trimtab.core.plan_check import problems_of
from trimtab.core.task import FINISHED, Author, Condition, PlanStep, Proof, StepStatus, TaskState
from trimtab.errors import BadPlan, IllegalMove

_MOST_NAMED = 8
# fields of a step that is not open any more: `after` follows the list
_SAID = tuple(key for key in PlanStep.__struct_fields__ if key not in ("name", "after"))
_PROVING = ("inputs", "output", "schema", "done_when")
_MOST_DETAIL_CHARS = 200


def validated(steps: Sequence[PlanStep], known_variables: Collection[str] | None = ()) -> None:
    """Whether the plan can be carried out.

    Args:
        known_variables: names of the variables that are there; None where it is not known which are.
    Raises:
        BadPlan: all that is wrong with it.
    """
    problems = problems_of(steps, known_variables)
    if problems:
        raise BadPlan(problems)


# ------------------------------------------------------------ moves


def moved(  # noqa: PLR0913 - a move, whole
    task: TaskState,
    name: str,
    to: StepStatus,
    *,
    author: Author = "caller",
    why: str = "",
    variables: Mapping[str, int],
    proofs: Sequence[Proof] = (),
    at_ms: int = 0,
) -> StepMoved:
    """The entry that moves a step, where it may move.

    Legal are: open to active (begun), active to done, active to open (put back), open to skipped, and done or skipped to
    open (reopened, with every step done since that stands on it).

    Args:
        variables: version of each variable that is there, by name.
        proofs: what the checks of the step found, for `done`: of its schema and of each of its conditions.
        at_ms: Unix milliseconds.
    Raises:
        IllegalMove: nothing else is legal.
    """
    step = task.step(name)
    why = " ".join(why.split())
    if task.ended:
        raise IllegalMove(name, to, _over(task))
    if not name:
        raise IllegalMove(name, to, _no_name(task, to))
    if step is None:
        raise IllegalMove(name, to, f"the plan has no such step; its steps are: {_named([row.name for row in task.steps])}")
    entry = StepMoved(name, to, author, why, at_ms=at_ms)
    match task.status(name), to:
        case "open", "active":
            reason = _not_ready(task, step, variables)
            entry = replace(entry, version=variables.get(step.output, 0))
        case "active", "done":
            reason = _not_done(task, step, variables, proofs)
            entry = replace(entry, proofs=tuple(proofs), version=variables.get(step.output, 0))
        case "active", "open":
            reason = ""
        case "open", "skipped":
            reason = "" if author == "caller" else _not_skipped(task, step, variables)
        case (("done" | "skipped"), "open"):
            reason = _not_reopened(task, step, why)
            entry = replace(entry, also=_standing_on(task, name))
        case status, _:
            reason = _never(status, to)
    if reason:
        raise IllegalMove(name, to, reason)
    return entry


def _over(task: TaskState) -> str:
    return f"the task has ended ({task.ended}); to carry it out once more, the program begins it with anew=True"


def _no_name(task: TaskState, to: StepStatus) -> str:
    active = task.active
    if active is not None:
        return f"step {active.name!r} is under way; finish it or put it back first"
    if not task.steps:
        return "the task has no plan yet; give it steps, or propose a plan"
    if to != "active" and task.next is not None:
        return f"no step is under way; begin one first, the next is {task.next.name!r}"
    waiting = next(((step, names) for step in task.steps if task.status(step.name) == "open" and (names := task.waits_for(step))), None)
    return f"no step may begin: {waiting[0].name!r} waits for {_named(waiting[1])}" if waiting else "every step is finished"


def _not_skipped(task: TaskState, step: PlanStep, variables: Mapping[str, int]) -> str:
    if not step.optional:
        return "it is not optional; carry it out, or ask the user to skip it"
    taken = [row.name for row in task.steps if step.output in row.inputs and task.status(row.name) not in FINISHED]
    if step.output and taken and not variables.get(step.output):
        return f"{_named(taken)} needs its product {step.output!r}; carry it out, or store that variable first"
    return ""


def next_step(task: TaskState) -> PlanStep | None:
    """The first open step that waits for nothing, or for nothing but the step under way."""
    active = task.active
    under_way = {active.name} if active else set()
    opened = (step for step in task.steps if task.status(step.name) == "open")
    return next((step for step in opened if under_way.issuperset(task.waits_for(step))), None)


def _not_ready(task: TaskState, step: PlanStep, variables: Mapping[str, int]) -> str:
    active = task.active
    if active is not None:
        return f"step {active.name!r} is under way; finish it or put it back first"
    if waiting := task.waits_for(step):
        return f"it waits for {_named(waiting)}; finish that first"
    missing = [name for name in dict.fromkeys((*step.inputs, *step.reads)) if not variables.get(name)]
    if not missing:
        return ""
    made = [f"{name!r} (made by step {row.name!r}: reopen that)" for name in missing for row in task.steps if row.output == name]
    other = [repr(name) for name in missing if all(row.output != name for row in task.steps)]
    return f"its input is not there yet: {', '.join([*made, *other][:_MOST_NAMED])}; store it as a variable of that name first"


def _not_done(task: TaskState, step: PlanStep, variables: Mapping[str, int], proofs: Sequence[Proof]) -> str:
    parts = []
    if step.output and not variables.get(step.output):
        parts.append(f"its product {step.output!r} is not there; hand it over, or store it as a variable of that name")
    elif step.output and variables[step.output] <= task.records[step.name].version:
        parts.append(f"its product {step.output!r} is still the one from before the step began; hand over what it is now")
    if gone := [name for name in step.inputs if not variables.get(name)]:
        parts.append(f"its input {_named(gone)} is not there any more; store it again")
    parts += [_unproven(proof) for proof in proofs if proof.ok is not True]
    wanted = Counter(condition.text for condition in step.done_when)
    unchecked = wanted - Counter(proof.text for proof in proofs)
    if unchecked:
        parts.append(f"nobody has checked: {'; '.join(list(unchecked)[:_MOST_NAMED])}")
    elif step.schema and len(proofs) <= len(step.done_when):
        parts.append(f"nobody has checked {step.output!r} against its schema")
    return "; ".join(parts)


def _unproven(proof: Proof) -> str:
    detail = " ".join(proof.detail.split())[:_MOST_DETAIL_CHARS]
    said = "does not hold" if proof.ok is False else "is not proven"
    return f"{proof.text!r} {said}{': ' + detail if detail else ''}"


def _not_reopened(task: TaskState, step: PlanStep, why: str) -> str:
    if not why:
        return "it is finished; say why it must be done again"
    active = task.active
    if active is not None and step.name in _before(task, active):
        return f"step {active.name!r}, which stands on it, is under way; put that back first"
    return ""


def _never(status: StepStatus, to: StepStatus) -> str:
    if status == to:
        return f"it is {to} already; go on with the next step"
    if status in FINISHED:
        return f"it is {status}; reopen it first, and say why"
    if status == "active":
        return "it is under way; finish it or put it back first"
    return f"it is open; begin it before it is {to}"


def _before(task: TaskState, step: PlanStep) -> frozenset[str]:
    """All steps that it stands on, near or far."""
    found: set[str] = set()
    stack = list(step.after)
    while stack:
        name = stack.pop()
        row = task.step(name)
        if name not in found and row is not None:
            found.add(name)
            stack += row.after
    return frozenset(found)


def _standing_on(task: TaskState, name: str) -> tuple[str, ...]:
    """Steps that are done and stand on it, near or far. What was skipped made nothing of it, and stays skipped."""
    return tuple(step.name for step in task.steps if task.status(step.name) == "done" and name in _before(task, step))


def _named(names: Collection[str]) -> str:
    shown = ", ".join(repr(name) for name in list(names)[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown or "none"


# ------------------------------------------------------------ another plan


def replanned(
    task: TaskState,
    steps: Sequence[PlanStep],
    author: Author = "caller",
    *,
    known_variables: Collection[str] | None = None,
    why: str = "",
) -> PlanChanged:
    """The entry that gives the task another plan.

    A step that is done, skipped or under way stays as it is: what is left out of its new wording is taken from the old,
    and its `after` always. A caller may drop it, and word it otherwise as long as what it takes, makes and must show is the same. An agent may not drop it; nor may it make a needed step optional, loosen
    what proves a step that stays, or drop a needed step of the caller's; of such a step it may say more, not less.

    Raises:
        BadPlan: all that is wrong with it.
        IllegalMove: the task has ended.
    """
    if task.ended:
        raise IllegalMove("", "replanned", _over(task))
    named = {step.name for step in steps}
    problems = [problem for step in task.steps if step.name not in named and (problem := _kept(task, step, author))]
    made = []
    for step in steps:
        old = task.step(step.name)
        if old is None:
            made.append(step)
        elif task.status(step.name) != "open":
            kept = replace(old, after=tuple(name for name in old.after if name in named))
            made.append(_reworded(kept, step) if author == "caller" else kept)
            problems += _changed(task, old, step, _PROVING if author == "caller" else _SAID)
        else:
            made.append(_tightened(old, step, old.name in task.callers, named) if author == "agent" else step)
            if author == "agent" and step.optional and not old.optional:
                problems.append(f"step {step.name!r} is needed; it cannot become optional")
    problems += problems_of(made, known_variables)
    if problems:
        raise BadPlan(problems)
    return PlanChanged(tuple(made), " ".join(why.split()), author)


def _kept(task: TaskState, step: PlanStep, author: Author) -> str:
    """Why an agent may not drop it; "" where it may go."""
    status = task.status(step.name)
    if author != "agent":
        return ""
    if status in ("done", "active"):
        return f"step {step.name!r} is {'under way' if status == 'active' else status}; keep it in the plan as it is"
    if status == "open" and not step.optional and step.name in task.callers:
        return f"step {step.name!r} is needed; keep it in the plan, under this name"
    return ""


def _changed(task: TaskState, old: PlanStep, new: PlanStep, fields: Sequence[str]) -> list[str]:
    """What a new wording of a step that is done, skipped or under way says otherwise of these fields."""
    blank = PlanStep(new.name)
    other = [key for key in fields if getattr(new, key) not in (getattr(blank, key), getattr(old, key))]
    is_active = task.status(old.name) == "active"
    status, remedy = ("under way", "put it back first") if is_active else (task.status(old.name), "reopen it first")
    return [f"step {old.name!r} is {status} and cannot have another {', '.join(other)}; {remedy}"] if other else []


def _reworded(old: PlanStep, new: PlanStep) -> PlanStep:
    blank = PlanStep(new.name)
    other = {key: getattr(new, key) for key in _SAID if key not in _PROVING and getattr(new, key) != getattr(blank, key)}
    return replace(old, **other)


def _tightened(old: PlanStep, new: PlanStep, is_callers: bool, named: Collection[str]) -> PlanStep:
    """An agent's wording of a step that stays: what must be shown before it is done only grows. Of a step of the caller's, so
    does what it stands on and takes, and it stays what it was for detectors and checkpoints."""
    conditions: dict[Condition, None] = dict.fromkeys((*old.done_when, *new.done_when))
    step = replace(new, done_when=tuple(conditions), output=new.output or old.output, schema=old.schema or new.schema)
    if not is_callers:
        return step
    return replace(
        step,
        output=old.output or new.output,
        after=_joined([name for name in old.after if name in named], new.after),
        inputs=_joined(old.inputs, new.inputs),
        reads=_joined(old.reads, new.reads),
        needs=_joined(old.needs, new.needs),
        rounds=old.rounds or new.rounds,
        batch=old.batch,
        milestone=old.milestone or new.milestone,
    )


def _joined(first: Sequence[str], then: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *then)))
