"""Calls of a reply, run: those that only read beside each other, the others one by one in their order."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from itertools import groupby
from types import TracebackType
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.core.messages import ToolCall, WireName
from trimtab.run.tools import BadCall, RunTool
from trimtab.wire import wire_for

# FROZEN words: what stands for the result of a call that a process which is gone had begun
INTERRUPTED = "interrupted: the program ended while this call ran; it may have taken effect. Look before you call it again."
NOT_RUN = "not run: "
NO_RESULT = "no result"
# of one reply. Nothing was measured: a bound, so that a reply cannot fill a prompt with results that nothing may cut any more
MOST_CALLS = 64
_MOST_ERROR_CHARS = 2_000
# how Python shows what has no text of its own
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+>")


class Answered(Struct, frozen=True, kw_only=True):
    """A call and what came of it."""

    call: ToolCall
    text: str
    is_error: bool = False


class BadResult(Exception):
    """What a tool returned is nothing that a model can read; its text says what to return."""


class _Caught:
    """Keeps what a tool raises, which may be anything but the end of the task or by the user's hand. A program that is called as a
    tool ends itself with `SystemExit`, which is not for the whole run."""

    error: Exception | SystemExit | None = None

    def __enter__(self) -> _Caught:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if isinstance(error, Exception | SystemExit):
            self.error = error
            return True
        return False


async def run_call(tools: Mapping[str, RunTool], call: ToolCall) -> Answered:
    """Run one call. What it raises becomes its result's text; only cancellation and KeyboardInterrupt are raised."""
    tool = tools.get(call.name)
    if tool is None:
        return Answered(call=call, text=f"{NOT_RUN}there is no tool {call.name!r}; there is: {', '.join(tools)}", is_error=True)
    try:
        arguments = tool.arguments(call.arguments)
    except BadCall as error:
        return Answered(call=call, text=f"{NOT_RUN}{error}", is_error=True)
    text, raised = await _called(tool.run, arguments)
    if raised is None:
        return Answered(call=call, text=text)
    kind = "" if isinstance(raised, BadResult) else f"{type(raised).__name__}: "
    return Answered(call=call, text=f"error: {kind}{raised}"[:_MOST_ERROR_CHARS], is_error=True)


async def _called(run: Callable[..., Any], arguments: dict[str, Any]) -> tuple[str, Exception | SystemExit | None]:
    """Its result as text, or what it raised. Off the event loop, unless it is a coroutine function."""
    caught, text = _Caught(), ""
    with caught:
        if inspect.iscoroutinefunction(run) or inspect.iscoroutinefunction(type(run).__call__):
            text = as_text(await run(**arguments))
        else:
            said, caught.error = await asyncio.to_thread(_kept, run, arguments)
            text = as_text(await said if inspect.isawaitable(said) else said)
    return text, caught.error


def _kept(run: Callable[..., Any], arguments: dict[str, Any]) -> tuple[Any, Exception | SystemExit | None]:
    """What it returns, or what it raised: a thread cannot hand over every exception (StopIteration) itself."""
    caught, said = _Caught(), None
    with caught:
        said = run(**arguments)
    return said, caught.error


def groups(tools: Mapping[str, RunTool], calls: Sequence[ToolCall]) -> Iterator[list[ToolCall]]:
    """The calls in their order: neighbors that may run beside each other together, every other one alone."""
    for beside, rows in groupby(calls, key=lambda call: call.name in tools and tools[call.name].idempotent):
        if beside:
            yield list(rows)
        else:
            for call in rows:
                yield [call]


def as_text(value: Any) -> str:
    """Text as it is, bytes as what they say, anything else as JSON where it is some, else as the text that it makes of itself.

    Raises:
        BadResult: what comes piece by piece, and what has no text of its own.
    """
    if isinstance(value, str):
        return value
    if value is None:
        # not "done", which would read like a verdict on the step
        return NO_RESULT
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        text = str(value)
    if isinstance(value, Iterator | AsyncIterator):
        raise BadResult(f"the tool returned {_a(value)}, which gives its items one by one; return list(...) of it")
    if _ADDRESS.search(text):
        raise BadResult(f"the tool returned {_a(value)}, which cannot be shown; return text, or what JSON can hold")
    return text


def _a(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def result_messages(wire: WireName, answered: Sequence[Answered]) -> list[dict[str, Any]]:
    """The results as messages of the form: one for each; in the Messages form one for all, with errors marked."""
    made = [dict(msgspec.json.decode(wire_for(wire).make_result(row.call.call_id, row.call.name, row.text).wire)) for row in answered]
    if wire != "anthropic" or not made:
        return made
    blocks = []
    for row, message in zip(answered, made, strict=True):
        blocks += [block | {"is_error": True} if row.is_error else block for block in message["content"]]
    return [made[0] | {"content": blocks}]
