"""Plans as callers and models write them, read into the values that the scheduler owns (REQUIREMENTS T2, T4)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.core.plan_check import MOST_COUNTED
from trimtab.core.task import Condition, PlanStep
from trimtab.errors import BadNeed, BadPlan
from trimtab.recall.needs import Need
from trimtab.session.fitting import schema_problem

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_LISTED = re.compile(r"\s*(?:\d{1,3}[.)、．:：]|[-*•]|第?[一二三四五六七八九十]{1,3}(?:步|、|\.|:|：)+)\s*(\S.*)")
_NOUNS = {"name", "inputs", "output", "done_when", "schema", "after", "about", "rounds", "optional", "batch", "milestone", "reads"}
# keys as Chinese models write them
_CHINESE = {
    "步骤": "steps",
    "计划": "steps",
    "名称": "name",
    "步骤名": "name",
    "输入": "inputs",
    "输出": "output",
    "完成条件": "done_when",
    "依赖": "after",
    "前置": "after",
    "说明": "about",
    "描述": "about",
    "可选": "optional",
    "轮数": "rounds",
}
_COUNTS = ("count", "at_least", "at_most")
_KINDS = ("text", *_COUNTS, "schema", "command", "verifier", "check")
_KINDS_WORDS = "it must be a callable, a question, or a dict with one of " + ", ".join(_KINDS)


class Step(Struct, frozen=True):
    """One step of a plan, as callers write it; see `Session.task`.

    Attributes:
        inputs: names of variables that must be there before it begins.
        output: name of the variable that its product is stored as.
        done_when: one condition or several: `{"text": "Total", "of": "report"}`, `{"count": 20, "of": "rows"}` (also
            `at_least`, `at_most`), `{"schema": {...}, "of": ...}`, `{"command": "pytest -q", "timeout_s": 60}`,
            `{"verifier": "a question"}`, a plain string (a question for the verifier too), or a callable that takes the
            product and returns True, False or a reason; `{"check": callable, "of": ..., "timeout_s": ...}` for more.
            `of` is the variable that is looked at, by default the step's output.
        schema: JSON schema of the product.
        reads: variables whose values stand in its prompts whole.
        needs: what recall brings for it, see `trimtab.Need`.
        after: steps before it; None for those whose outputs it takes as inputs, else the step before it in the list.
        about: what is to be done, in one line.
        rounds: how many rounds it should take; 0 for unknown.
        optional: may be skipped. batch: repeats itself by design. milestone: a checkpoint is made when it is done.
    """

    name: str
    inputs: str | tuple[str, ...] = ()
    output: str = ""
    done_when: Any = ()
    schema: Mapping[str, Any] | None = None
    reads: str | tuple[str, ...] = ()
    needs: Any = ()
    after: str | tuple[str, ...] | None = None
    about: str = ""
    rounds: int = 0
    optional: bool = False
    batch: bool = False
    milestone: bool = False


def planned(
    given: Iterable[Step | Mapping[str, Any] | str] | Mapping[str, Any], known_checks: Mapping[str, Callable[..., Any]] | None = None
) -> tuple[tuple[PlanStep, ...], dict[str, Callable[..., Any]]]:
    """The steps as values, and their callables by the names that conditions give them. A step may be a dict, as read from a file,
    or its name.

    Args:
        known_checks: the callables that conditions may name; None where it is not known which there are.
    Raises:
        BadPlan: what cannot be read, all of it.
    """
    problems: list[str] = []
    checks: dict[str, Callable[..., Any]] = {}
    steps = _steps(given, problems)
    if problems:
        raise BadPlan(problems)
    makers = {step.output: step.name for step in steps if step.output}
    made: list[PlanStep] = []
    for place, step in enumerate(steps):
        inputs, said = _names(step.inputs), problems.append
        before = steps[place - 1].name if place else ""
        after = _names(step.after) if step.after is not None else _before(step.name, inputs, makers, before)
        made.append(
            PlanStep(
                name=step.name,
                after=after,
                inputs=inputs,
                output=step.output,
                schema=_schema(step.name, step.schema, said) if step.schema is not None else "",
                done_when=_conditions(step, checks, said),
                reads=_names(step.reads),
                needs=_needs(step, said),
                about=step.about,
                rounds=step.rounds,
                optional=step.optional,
                batch=step.batch,
                milestone=step.milestone,
            )
        )
    problems += _unknown_checks(made, checks, known_checks)
    if problems:
        raise BadPlan(problems)
    return tuple(made), checks


def _unknown_checks(steps: Iterable[PlanStep], named: Mapping[str, Any], known: Mapping[str, Any] | None) -> list[str]:
    if known is None:
        return []
    rows = [(step, place, row.value) for step in steps for place, row in enumerate(step.done_when, 1) if row.kind == "callable"]
    return [
        f"step {step.name!r}: condition {place} names the check {name!r}, which is not there; pass checks={{{name!r}: a callable}}"
        for step, place, name in rows
        if name not in named and name not in known
    ]


def _steps(given: Any, problems: list[str]) -> list[Step]:
    if isinstance(given, Mapping) and isinstance(_plain(given).get("steps"), list | tuple):
        given = _plain(given)["steps"]
    if isinstance(given, str | bytes | Mapping | Step) or not isinstance(given, Iterable):
        problems.append(f"the steps are {type(given).__name__}; give a list of them: [Step(...), ...]")
        return []
    found = []
    for place, row in enumerate(given, 1):
        if isinstance(row, str):
            row = Step(row.strip())
        if isinstance(row, Mapping):
            row = _plain(row)
            known = {key: value for key, value in row.items() if key in Step.__struct_fields__ and value is not None}
            other = [str(key) for key in row if key not in Step.__struct_fields__]
            if other or "name" not in known:
                wrong = f"holds {', '.join(other)}" if other else "has no name"
                problems.append(f"step {place} {wrong}; the fields of a step are {', '.join(Step.__struct_fields__)}")
                continue
            row = Step(**known)
        if not isinstance(row, Step):
            problems.append(f"step {place} is {type(row).__name__}; give a Step or a dict with its fields")
            continue
        before = len(problems)
        row = _typed(place, row, problems)
        found += [row] if len(problems) == before else []
    return found


def _typed(place: int, step: Step, problems: list[str]) -> Step:
    """The step with None as what it means, and every field that is of another type told."""
    step = msgspec.structs.replace(step, **{key: "" for key in ("output", "about") if getattr(step, key) is None})
    step = msgspec.structs.replace(step, **{key: () for key in ("inputs", "reads", "needs", "done_when") if getattr(step, key) is None})
    wanted: list[tuple[str, bool, str]] = [(key, isinstance(getattr(step, key), str), "a text") for key in ("name", "output", "about")]
    wanted += [(key, isinstance(getattr(step, key), bool), "True or False") for key in ("optional", "batch", "milestone")]
    wanted += [(key, _are_names(getattr(step, key)), "a name or a list of names") for key in ("inputs", "reads")]
    wanted.append(("after", step.after is None or _are_names(step.after), "a name, a list of names or None"))
    wanted.append(("rounds", isinstance(step.rounds, int) and not isinstance(step.rounds, bool), "a whole number"))
    given = isinstance(step.needs, str | Mapping | Need | list | tuple)
    wanted.append(("needs", given, "words, a Need, a mapping, or a list of them"))
    name = f" {step.name!r}" if isinstance(step.name, str) else ""
    problems += [
        f"step {place}{name}: its {key} is {str(getattr(step, key))[:60]!r}; it must be {what}" for key, good, what in wanted if not good
    ]
    return step


def _are_names(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(name, str) for name in value))


def _names(value: str | Iterable[str]) -> tuple[str, ...]:
    return ((value,) if value else ()) if isinstance(value, str) else tuple(value)


def _before(name: str, inputs: tuple[str, ...], makers: Mapping[str, str], before: str) -> tuple[str, ...]:
    makes = tuple(dict.fromkeys(makers[wanted] for wanted in inputs if makers.get(wanted, name) != name))
    return makes or ((before,) if before else ())


def _schema(name: str, schema: Any, said: Callable[[str], None]) -> str:
    try:
        text = schema if isinstance(schema, str) else msgspec.json.encode(schema, order="sorted").decode()
    except (TypeError, ValueError, RecursionError) as error:
        said(f"step {name!r}: its schema is not JSON ({error})")
        return ""
    if problem := schema_problem(text):
        said(f"step {name!r}: its schema cannot be used: {problem}")
    return text


def _needs(step: Step, said: Callable[[str], None]) -> tuple[str, ...]:
    asked = (step.needs,) if isinstance(step.needs, str | Mapping | Need) else tuple(step.needs)
    made: list[str] = []
    for need in asked:
        try:
            made.append(msgspec.json.encode(msgspec.structs.replace(Need.of(need), step=step.name)).decode())
        except BadNeed as error:
            said(f"step {step.name!r}: {error}")
    return tuple(made)


# ------------------------------------------------------------ conditions


def _conditions(step: Step, checks: dict[str, Callable[..., Any]], said: Callable[[str], None]) -> tuple[Condition, ...]:
    rows = step.done_when
    rows = tuple(rows) if isinstance(rows, list | tuple) else (rows,)
    made: list[Condition] = []
    for place, row in enumerate(rows):
        where = f"step {step.name!r}: condition {place + 1}"
        if isinstance(row, Mapping) and set(row) & set(_KINDS):
            # null is what is left out, as models write it; where nothing else is there, it is what is wrong
            said_of = {key: value for key, value in row.items() if value is not None}
            row = said_of if set(said_of) & set(_KINDS) else row
        problem = _wrong(row)
        condition = None if problem else _condition(f"{step.name}.{place + 1}", step.name, row, checks, said)
        if condition is None:
            said(f"{where} {problem or f'is {str(row)[:80]!r}; {_KINDS_WORDS}'}")
        else:
            made.append(condition)
    return tuple(made)


def _wrong(row: Any) -> str:
    """What is wrong with a condition that is a dict or callable; "" for nothing that is seen here."""
    if not isinstance(row, Mapping) and callable(row):
        return _not_called(row)
    if not isinstance(row, Mapping):
        return ""
    kinds = [key for key in row if key in _KINDS]
    other = [str(key) for key in row if key not in (*_KINDS, "of", "timeout_s")]
    if other:
        return f"holds {', '.join(map(repr, other))}; beside its kind it may hold 'of' and 'timeout_s'"
    if not kinds:
        return f"is {str(dict(row))[:80]!r}; {_KINDS_WORDS}"
    if len(kinds) > 1 and not set(kinds) <= {"at_least", "at_most"}:
        return f"is of several kinds ({', '.join(kinds)}); write one dict for each"
    wanted: list[tuple[str, bool, str]] = [
        (key, isinstance(row[key], int) and not isinstance(row[key], bool) and 1 <= row[key] <= MOST_COUNTED, "a whole number of 1 or more")
        for key in _COUNTS
        if key in row
    ]
    wanted += [
        (key, isinstance(row[key], str) and bool(row[key].strip()), "a text that is not empty")
        for key in ("text", "command", "verifier")
        if key in row
    ]
    seconds = row.get("timeout_s", 60.0)
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    wanted.append(("timeout_s", is_number and 0 < seconds <= MOST_COUNTED, "seconds above 0"))
    wanted.append(("of", isinstance(row.get("of", ""), str), "the name of a variable"))
    if callable(check := row.get("check", "")):
        return _not_called(check)
    wanted.append(("check", isinstance(check, str) and ("check" not in row or bool(check)), "a callable, or the name of one"))
    return "; ".join(f"has {str(row.get(key))[:60]!r} for {key!r}; it must be {what}" for key, good, what in wanted if not good)


def _not_called(check: Callable[..., Any]) -> str:
    """Why a check could give no answer; "" where nothing is seen before it is called."""
    name = getattr(check, "__name__", type(check).__name__)
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction, inspect.isgeneratorfunction)
    called = (check, inspect.getattr_static(type(check), "__call__", None))
    if any(is_kind(found) for is_kind in kinds for found in called):
        return f"is {name}, an async function or a generator; give a plain function, which returns True, False or a reason"
    try:
        signature = inspect.signature(check)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(None)
    except TypeError as error:
        return f"is {name}, which cannot be called with the product alone ({error}); give a function of one argument"
    return ""


def _condition(key: str, step: str, row: Any, checks: dict[str, Callable[..., Any]], said: Callable[[str], None]) -> Condition | None:
    if isinstance(row, str):
        return Condition("verifier", row, value=row) if row.strip() else None
    if callable(row):
        row = {"check": row}
    if not isinstance(row, Mapping):
        return None
    of, seconds = row.get("of", ""), row.get("timeout_s", 60.0)
    if not isinstance(of, str) or isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        return None
    where = f" in {of}" if of else ""
    check = row.get("check")
    if callable(check) or (isinstance(check, str) and check):
        name = check if isinstance(check, str) else f"{key}:{getattr(check, '__name__', type(check).__name__)}"
        if callable(check):
            checks[name] = check
        return Condition("callable", f"check {name.rpartition(':')[2]}{where}", of, name, timeout_s=float(seconds))
    if "schema" in row:
        return Condition("schema", f"fits its schema{where}", of, _schema(step, row["schema"], said))
    for kind in ("text", "command", "verifier"):
        value = row.get(kind)
        if isinstance(value, str) and value.strip():
            words = {"text": f"holds {value!r}{where}", "command": f"command {value}", "verifier": value}[kind]
            return Condition(kind, words, of, value, timeout_s=float(seconds))
    return _count(row, of, where)


def _count(row: Mapping[str, Any], of: str, where: str) -> Condition | None:
    bounds = {key: row[key] for key in _COUNTS if key in row}
    if not bounds or any(isinstance(value, bool) or not isinstance(value, int) or value < 1 for value in bounds.values()):
        return None
    exact = bounds.get("count", 0)
    least, most = bounds.get("at_least", exact), bounds.get("at_most", exact)
    words = f"{exact} rows" if exact else " and ".join(f"{key.replace('_', ' ')} {value} rows" for key, value in bounds.items())
    return Condition("count", words + where, of, least=least, most=most)


# ------------------------------------------------------------ a model's plan


def read_plan(value: Any) -> tuple[Step, ...]:
    """The steps of a plan that a model wrote: JSON (also fenced, or with words around it), or a numbered list.

    Raises:
        BadPlan: what cannot be read, and what is asked for. A command is none that a model may name, nor a schema whose check
            may take for ever.
    """
    rows = _decoded(value) if isinstance(value, str) else value
    if isinstance(rows, Mapping):
        rows = _plain(rows).get("steps")
    if not isinstance(rows, list | tuple) or not rows:
        raise BadPlan(['it holds no list of steps; write [{"name": ..., "inputs": [...], "output": ..., "about": ...}, ...]'])
    problems: list[str] = []
    steps = [_step(place, row, problems) for place, row in enumerate(rows, 1)]
    if problems:
        raise BadPlan(problems)
    return tuple(step for step in steps if step is not None)


def _decoded(text: str) -> Any:
    fenced = _FENCE.search(text)
    text = (fenced[1] if fenced else text).strip()
    starts = [at for at in (text.find("["), text.find("{")) if at >= 0]
    listed = [found[1].strip() for found in map(_LISTED.fullmatch, text.splitlines()) if found]
    if listed and (not starts or not text.startswith(("[", "{"))):
        return listed
    if not starts:
        return None
    body = text[min(starts) : max(text.rfind("]"), text.rfind("}")) + 1]
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadPlan([f"it is not JSON ({error}); write it again as a JSON list of steps"]) from None


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {_CHINESE.get(str(key).strip(), str(key).strip()): value for key, value in row.items()}


def _step(place: int, row: Any, problems: list[str]) -> Step | None:
    if isinstance(row, str):
        row = {"name": row.strip()}
    if not isinstance(row, Mapping):
        problems.append(f"step {place} is {type(row).__name__}; it must be an object with a name")
        return None
    given = {key: value for key, value in _plain(row).items() if key in _NOUNS and value is not None}
    conditions = given.get("done_when", ())
    rows = [row for row in (conditions if isinstance(conditions, list | tuple) else [conditions]) if isinstance(row, Mapping)]
    if any({"command", "check"} & set(row) for row in rows):
        problems.append(f"step {place}: commands and checks are the caller's to name; use text, count, at_least, at_most or schema")
    try:
        return msgspec.convert(given, Step)
    except msgspec.ValidationError as error:
        problems.append(f"step {place}: {error}")
        return None
