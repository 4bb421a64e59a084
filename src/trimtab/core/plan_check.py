"""What is wrong with a plan, before anything of it is carried out (REQUIREMENTS T4)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import get_args

import msgspec

from trimtab.core.task import Condition, ConditionKind, PlanStep

MOST_STEPS = 60
MOST_NAME_CHARS = 200
# bounds of what a plan counts: rounds, rows, seconds
MOST_COUNTED = 1_000_000_000
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_NEEDS_A_VALUE = frozenset({"schema", "callable", "command", "text", "verifier"})
# conditions that look at a value
_OF_A_VALUE = frozenset({"schema", "count", "text"})
_OF_A_VARIABLE = _OF_A_VALUE | {"callable"}


def problems_of(steps: Sequence[PlanStep], known_variables: Collection[str] | None) -> list[str]:
    """All that is wrong with a plan, each with the step and what to do; empty where it can be carried out.

    Args:
        known_variables: names of the variables that are there; None where it is not known which are, so that an input that
            no step makes is taken to be there.
    """
    if len(steps) > MOST_STEPS:
        return [f"it has {len(steps)} steps; put some together: at most {MOST_STEPS} are allowed"]
    by_name: dict[str, PlanStep] = {}
    problems = []
    for place, step in enumerate(steps, 1):
        if problem := name_problem(step.name):
            problems.append(f"the name of step {place} is {step.name[:40]!r}; {problem}")
        elif step.name in by_name:
            problems.append(f"step {step.name!r} is there twice; give each step a name of its own")
        by_name.setdefault(step.name, step)
    before = _all_before(steps, by_name)
    if not problems:
        problems += [
            f"step {name!r} waits for itself by way of its 'after'; break the circle" for name, found in before.items() if name in found
        ]
    problems += _outputs(steps)
    makers = {step.output: step.name for step in steps if step.output}
    for step in steps:
        problems += _own(step, by_name)
        if step.name not in before[step.name]:
            problems += _inputs(step, makers, before[step.name], known_variables)
            problems += _looked_at(step, makers, before, known_variables)
    return list(dict.fromkeys(problems))


def name_problem(name: str) -> str:
    """Why a name of a step or variable cannot be used; "" where it can."""
    if not name.strip():
        return "it must not be empty"
    if name != name.strip() or len(name.splitlines()) > 1 or not name.isprintable():
        return "it must be one printable line without white space around it"
    return "" if len(name) <= MOST_NAME_CHARS else f"it must have at most {MOST_NAME_CHARS} characters"


def _all_before(steps: Sequence[PlanStep], by_name: Mapping[str, PlanStep]) -> dict[str, frozenset[str]]:
    """By step, all that it stands on, near or far; itself among them where the plan has a circle."""
    found: dict[str, frozenset[str]] = {}
    for step in steps:
        seen: set[str] = set()
        stack = list(step.after)
        while stack:
            name = stack.pop()
            if name not in seen and name in by_name:
                seen.add(name)
                stack += by_name[name].after
        found[step.name] = frozenset(seen)
    return found


def _outputs(steps: Sequence[PlanStep]) -> Iterator[str]:
    made: dict[str, str] = {}
    for step in steps:
        if not step.output:
            continue
        if problem := name_problem(step.output):
            yield f"step {step.name!r}: its output is {step.output[:40]!r}; {problem}"
        if step.output in made:
            yield f"steps {made[step.output]!r} and {step.name!r} both make {step.output!r}; give each an output of its own"
        made.setdefault(step.output, step.name)


def _own(step: PlanStep, by_name: Mapping[str, PlanStep]) -> Iterator[str]:
    """What is wrong with a step, whatever the others make."""
    for name in step.after:
        if name not in by_name:
            yield f"step {step.name!r} comes after {name!r}, which is no step of the plan; add that or take it out of 'after'"
    for name in (*step.inputs, *step.reads):
        if problem := name_problem(name):
            yield f"step {step.name!r}: an input is {name[:40]!r}; {problem}"
    if not 0 <= step.rounds <= MOST_COUNTED:
        yield f"step {step.name!r}: rounds is {str(step.rounds)[:40]}; it must be from 0 to {MOST_COUNTED:,}"
    if step.schema:
        if not step.output:
            yield f"step {step.name!r} has a schema and no output; name the variable that its product is stored as"
        if problem := schema_problem(step.schema):
            yield f"step {step.name!r}: its schema {problem}"
    for place, condition in enumerate(step.done_when, 1):
        for problem in _condition(condition, step):
            yield f"step {step.name!r}, condition {place}: {problem}"


def _inputs(step: PlanStep, makers: Mapping[str, str], before: Collection[str], known: Collection[str] | None) -> Iterator[str]:
    for name in dict.fromkeys((*step.inputs, *step.reads)):
        maker = makers.get(name)
        if maker in before or (known is not None and name in known):
            continue
        if maker is None:
            if known is not None:
                yield f"step {step.name!r} takes {name!r}, which no step makes and which is not there; store it or add a step with that output"
        elif maker == step.name:
            yield f"step {step.name!r} takes {name!r}, which it makes itself; take it from an earlier step or store it before"
        else:
            yield f"step {step.name!r} takes {name!r} and does not come after step {maker!r}, which makes it; add that to its 'after'"


def _looked_at(
    step: PlanStep, makers: Mapping[str, str], before: Mapping[str, Collection[str]], known: Collection[str] | None
) -> Iterator[str]:
    """Conditions that can never hold: of what is made only once the step is done. What no step makes a tool may store."""
    if known is None:
        return
    for place, condition in enumerate(step.done_when, 1):
        name, where = condition.of, f"step {step.name!r}, condition {place} looks at {condition.of!r}"
        if condition.kind not in _OF_A_VARIABLE or not name or name in known:
            continue
        if name in makers and step.name in before[makers[name]]:
            yield f"{where}, which step {makers[name]!r} makes, and that comes after it; put the condition there"


def _condition(condition: Condition, step: PlanStep) -> Iterator[str]:
    if condition.kind not in get_args(ConditionKind):
        yield f"its kind is {condition.kind!r}; it must be one of {', '.join(get_args(ConditionKind))}"
        return
    if not condition.text.strip():
        yield "it has no words; say what must be shown"
    if condition.kind in _NEEDS_A_VALUE and not condition.value.strip():
        yield f"it is a {condition.kind} and does not say which"
    elif condition.kind == "schema" and (problem := schema_problem(condition.value)):
        yield f"its schema {problem}"
    if condition.of and (problem := name_problem(condition.of)):
        yield f"it looks at {condition.of[:40]!r}; {problem}"
    if condition.kind in _OF_A_VALUE and not (condition.of or step.output):
        yield "it looks at the step's output, and the step has none; name one, or a variable in 'of'"
    if condition.kind == "count" and not _bounds_hold(condition):
        yield f"it counts from {condition.least} to {condition.most}; give a number above 0, the first not above the second"
    if not 0 < condition.timeout_s <= MOST_COUNTED:
        yield f"its time limit is {condition.timeout_s}; it must be above 0, and at most {MOST_COUNTED:,} seconds"


def _bounds_hold(condition: Condition) -> bool:
    least, most = condition.least, condition.most
    return 0 <= least <= MOST_COUNTED and 0 <= most <= MOST_COUNTED and bool(least or most) and (not most or least <= most)


def schema_problem(schema: str) -> str:
    """Why a text can be no JSON schema, told without a library for them; "" where it can."""
    try:
        decoded = msgspec.json.decode(schema)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return f"is not JSON ({error}); write it as JSON"
    if isinstance(decoded, bool):
        return ""
    if not isinstance(decoded, dict):
        return f"is a {type(decoded).__name__}; it must be a JSON object"
    kinds = decoded.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not isinstance(kinds, list) or not all(isinstance(kind, str) and kind in _TYPES for kind in kinds):
        return f"has the type {str(decoded['type'])[:40]!r}; it must be one of {', '.join(sorted(_TYPES))}"
    return ""
