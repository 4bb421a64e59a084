"""Checks of the conditions of a step: each gives a `Proof`, and never raises for what it finds (REQUIREMENTS T2)."""

from __future__ import annotations

import copy
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

import msgspec

from trimtab.core.task import Condition, PlanStep, Proof
from trimtab.session import fitting
from trimtab.session.fitting import fits, may_take_long, schema_problem

# of a command's output, in a proof
MOST_DETAIL_LINES, MOST_DETAIL_CHARS = 5, 500
_SHELL_SYNTAX = frozenset("|&;<>()$`*?[]{}~\n#!")
_MOST_OUTPUT_BYTES = 8_192
_MOST_SCHEMA_S = 5.0


class Missing:
    """Stands for the value of a variable that is not there."""


MISSING = Missing()


def prove(step: PlanStep, values: Mapping[str, Any], checks: Mapping[str, Callable[..., Any]]) -> tuple[Proof, ...]:
    """What the checks of a step find: of its product's schema first, then of its conditions in their order.

    Args:
        values: of the variables that are there, by name; the product among them. Text, or JSON as Python values.
        checks: the callables that conditions name.
    Returns:
        one proof for each; of `verifier` conditions with no verdict, for a verifier to give.
    """
    proofs: list[Proof] = []
    if step.schema and step.output:
        value = values.get(step.output, MISSING)
        words = f"{step.output} fits its schema"
        proofs.append(_absent(words, step.output) if value is MISSING else prove_schema(words, step.schema, value))
    return (*proofs, *(_proved(condition, condition.of or step.output, values, checks) for condition in step.done_when))


def _absent(words: str, name: str) -> Proof:
    return Proof(words, False, f"there is no variable {name!r} yet; store it, or hand it over as the product")


def _proved(condition: Condition, name: str, values: Mapping[str, Any], checks: Mapping[str, Callable[..., Any]]) -> Proof:
    if condition.kind == "command":
        return run_command(condition)
    if condition.kind == "verifier":
        return Proof(condition.text, None, "no verifier has spoken")
    value = values.get(name, MISSING) if name else None
    if value is MISSING:
        return _absent(condition.text, name)
    if condition.kind == "schema":
        return prove_schema(condition.text, condition.value, value)
    if condition.kind == "count":
        return _counted(condition, value)
    if condition.kind == "text":
        found = condition.value in _as_text(value)
        return Proof(condition.text, found, "" if found else f"{name or 'the product'} does not hold {condition.value!r}")
    return _called(condition, value, checks)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


# ------------------------------------------------------------ schemas


def prove_schema(words: str, schema: str, value: Any) -> Proof:
    """Whether the value fits; a text is read as JSON where it is. Nothing that a schema refers to is ever fetched."""
    if problem := schema_problem(schema):
        return Proof(words, None, f"the schema cannot be used: {problem}")
    decoded, value = msgspec.json.decode(schema), as_json(value)
    ok, detail = _fits_apart(decoded, value) if may_take_long(decoded) else fits(decoded, value)
    return Proof(words, ok, detail)


def _fits_apart(schema: Any, value: Any) -> tuple[bool | None, str]:
    """In a program of its own: it may take for ever, and nothing can end it in this one."""
    if not sys.executable or getattr(sys, "frozen", False):
        return None, "in this kind of program a schema with patterns, references or uniqueItems cannot be checked; use a check by code"
    command = [sys.executable, "-P", fitting.__file__]
    try:
        asked = msgspec.json.encode((schema, value))
        ran = subprocess.run(command, input=asked, capture_output=True, timeout=_MOST_SCHEMA_S, check=True)
        ok, detail = msgspec.json.decode(ran.stdout, type=tuple[bool | None, str])
    except subprocess.TimeoutExpired:
        return None, f"the check took longer than {_MOST_SCHEMA_S:g} s and was ended; the schema is too slow for this value"
    except (OSError, subprocess.CalledProcessError, msgspec.MsgspecError, TypeError) as error:
        return None, f"the schema could not be checked: {error}"[:MOST_DETAIL_CHARS]
    return ok, detail


def as_json(value: Any) -> Any:
    """The value that a text says as JSON; any other value, or text, as it is."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return value


# ------------------------------------------------------------ counts


def rows_of(value: Any) -> int:
    """How many rows: of a JSON array, or of an object its entries; of other text the lines that are not blank."""
    decoded = as_json(value)
    if isinstance(decoded, list | dict):
        return len(decoded)
    return sum(1 for line in _as_text(value).splitlines() if line.strip())


def _counted(condition: Condition, value: Any) -> Proof:
    rows = rows_of(value)
    if rows < condition.least:
        return Proof(condition.text, False, f"it has {rows} rows, {condition.least - rows} too few")
    if condition.most and rows > condition.most:
        return Proof(condition.text, False, f"it has {rows} rows, {rows - condition.most} too many")
    return Proof(condition.text, True, f"{rows} rows")


# ------------------------------------------------------------ callables


class _Caught:
    """Keeps what a caller's own check raises, which may be anything."""

    error: BaseException | None = None

    def __enter__(self) -> _Caught:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        self.error = error
        return True


def _called(condition: Condition, value: Any, checks: Mapping[str, Callable[..., Any]]) -> Proof:
    check = checks.get(condition.value)
    if check is None:
        return Proof(condition.text, None, f"there is no check {condition.value!r} in this process; open the task with its checks again")
    caught, said = _Caught(), [MISSING]

    def run() -> None:
        with caught:
            # a check that changes what it is given changes nothing that is stored
            said[0] = check(copy.deepcopy(value))

    # a thread that hangs cannot be ended; as a daemon it does not keep the process
    thread = threading.Thread(target=run, name="trimtab-check", daemon=True)
    thread.start()
    thread.join(condition.timeout_s)
    if thread.is_alive():
        return Proof(condition.text, None, f"the check gave no answer within {condition.timeout_s:g} s")
    if caught.error is not None:
        return Proof(condition.text, None, f"the check raised {type(caught.error).__name__}: {caught.error}"[:MOST_DETAIL_CHARS])
    return _answered(condition.text, said[0])


def _answered(words: str, said: object) -> Proof:
    if isinstance(said, bool):
        return Proof(words, said, "" if said else "the check says no")
    if isinstance(said, str) and said.strip():
        return Proof(words, False, said[:MOST_DETAIL_CHARS])
    if isinstance(said, Coroutine):
        said.close()
    return Proof(words, None, f"the check returned {type(said).__name__}; it must return True, False, or a reason")


# ------------------------------------------------------------ commands


def run_command(condition: Condition) -> Proof:
    """Whether the command ends with 0 in time; else its whole process group is killed."""
    line = condition.value
    with tempfile.TemporaryFile() as output:
        try:
            command = ["sh", "-c", line] if _SHELL_SYNTAX & set(line) else shlex.split(line)
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        except (OSError, ValueError, IndexError) as error:
            return Proof(condition.text, None, f"{line!r} cannot be run: {error}")
        try:
            code = process.wait(condition.timeout_s)
        except subprocess.TimeoutExpired:
            _kill(process)
            return Proof(condition.text, None, f"{line!r} took longer than {condition.timeout_s:g} s and was killed")
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - _MOST_OUTPUT_BYTES))
        lines = output.read().decode(errors="replace").strip().splitlines()[-MOST_DETAIL_LINES:]
    return Proof(condition.text, code == 0, f"exit code {code}" + "".join(f"\n{row}" for row in lines)[-MOST_DETAIL_CHARS:])


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the command and all that it began."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
