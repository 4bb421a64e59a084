"""Calls of a reply, run: those that only read beside each other, the others one by one in their order."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
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
_MOST_ERROR_CHARS = 2_000


class Answered(Struct, frozen=True, kw_only=True):
    """A call and what came of it."""

    call: ToolCall
    text: str
    is_error: bool = False


class _Caught:
    """Keeps what a tool raises, which may be anything but the end of the program or of the task."""

    error: Exception | None = None

    def __enter__(self) -> _Caught:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if isinstance(error, Exception):
            self.error = error
            return True
        return False


async def run_call(tools: Mapping[str, RunTool], call: ToolCall) -> Answered:
    """Run one call. What it raises becomes its result's text; nothing but cancellation is raised."""
    tool = tools.get(call.name)
    if tool is None:
        return Answered(call=call, text=f"{NOT_RUN}there is no tool {call.name!r}; there is: {', '.join(tools)}", is_error=True)
    try:
        arguments = tool.arguments(call.arguments)
    except BadCall as error:
        return Answered(call=call, text=f"{NOT_RUN}{error}", is_error=True)
    caught, said = _Caught(), ""
    with caught:
        said = as_text(await _called(tool.run, arguments))
    if caught.error is not None:
        words = f"{type(caught.error).__name__}: {caught.error}"[:_MOST_ERROR_CHARS]
        return Answered(call=call, text=f"error: {words}", is_error=True)
    return Answered(call=call, text=said)


async def _called(run: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Off the event loop, unless it is a coroutine function."""
    if inspect.iscoroutinefunction(run) or inspect.iscoroutinefunction(type(run).__call__):
        return await run(**arguments)
    said = await asyncio.to_thread(run, **arguments)
    return await said if inspect.isawaitable(said) else said


def groups(tools: Mapping[str, RunTool], calls: Sequence[ToolCall]) -> Iterator[list[ToolCall]]:
    """The calls in their order: neighbors that may run beside each other together, every other one alone."""
    for beside, rows in groupby(calls, key=lambda call: call.name in tools and tools[call.name].idempotent):
        if beside:
            yield list(rows)
        else:
            for call in rows:
                yield [call]


def as_text(value: Any) -> str:
    """Text as it is, nothing as "done", bytes as what they say, anything else as JSON where it is some."""
    if isinstance(value, str):
        return value
    if value is None:
        return "done"
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return str(value)


def result_messages(wire: WireName, answered: Sequence[Answered]) -> list[dict[str, Any]]:
    """The results as messages of the form: one for each; in the Messages form one for all, with errors marked."""
    made = [dict(msgspec.json.decode(wire_for(wire).make_result(row.call.call_id, row.call.name, row.text).wire)) for row in answered]
    if wire != "anthropic" or not made:
        return made
    blocks = []
    for row, message in zip(answered, made, strict=True):
        blocks += [block | {"is_error": True} if row.is_error else block for block in message["content"]]
    return [made[0] | {"content": blocks}]
