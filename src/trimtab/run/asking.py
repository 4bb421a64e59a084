"""One request to the model of a run: streamed or whole, tried again where that may help, read into messages."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trimtab.core.messages import WireName
from trimtab.errors import ModelError, ParseError
from trimtab.run.endpoint import Endpoint, Replies
from trimtab.run.mending import mended_body, mended_events, mended_message, named
from trimtab.session.incoming import read_stream
from trimtab.wire import Reply, wire_for
from trimtab.wire.common import seal, to_mapping
from trimtab.wire.detect import detect_message, detect_reply, is_event

# before the second, third ... try, where the endpoint does not say
WAITS_S = (1.0, 3.0, 9.0)
_WANTED = "a message with role and content, a whole reply body, or a stream's events"
_MOST_KEYS = 8


async def ask(
    model: Endpoint | Replies, body: dict[str, Any], wire: WireName, number: int, piece: Callable[[str], None], retry: Callable[[str], None]
) -> Reply:
    """The reply to a request body.

    Args:
        number: of the request, for calls that come without an id.
        piece: is told each piece of a streamed text. retry: is told why a request is made again.
    Returns:
        of a stream that broke off what had come, with the status `aborted`.
    Raises:
        ModelError: nothing came, also after `Endpoint.tries`. ParseError: what came is no reply. What a model of the
        caller's own raises is raised.
    """
    tries = model.tries if isinstance(model, Endpoint) else 1
    for attempt in range(1, tries + 1):
        held: list[Any] = []
        try:
            await _collect(model, body, held, piece)
        except ModelError as error:
            if held:
                return read_reply(held, wire, number)
            if not error.retryable or attempt == tries:
                raise
            retry(str(error))
            await asyncio.sleep(WAITS_S[min(attempt, len(WAITS_S)) - 1])
            continue
        return read_reply(held, wire, number)
    raise AssertionError("unreachable")


async def _collect(model: Endpoint | Replies, body: dict[str, Any], held: list[Any], piece: Callable[[str], None]) -> None:
    """What the model sends goes into `held` as it comes: events, or one whole reply."""
    answer = model.reply(body)
    if inspect.isawaitable(answer):
        answer = await answer
    if not hasattr(answer, "__aiter__"):
        held.append(answer)
        return
    try:
        async for event in answer:
            held.append(event)
            text = piece_of(event)
            if text:
                piece(text)
    finally:
        # a generator holds a connection: it ends with what asked it
        if hasattr(answer, "aclose"):
            await answer.aclose()


def read_reply(held: Sequence[Any], wire: WireName, number: int = 0) -> Reply:
    """A whole reply, a single message, or a stream's events, as messages of the assistant's. Raises ParseError."""
    if not held:
        return Reply(messages=())
    first = _mapping(held[0])
    if len(held) == 1 and not _is_chunk(first):
        form = detect_reply(first)
        if form is not None:
            return wire_for(form).parse_reply(mended_body(first, form, number))
        if "role" in first:
            form = detect_message(first, wire)
            return Reply(messages=(wire_for(form).parse_message(mended_message(first, form, number)),))
    if not is_event(first):
        keys = ", ".join(map(repr, list(first)[:_MOST_KEYS])) or "none"
        raise ParseError(f"a model's reply must be {_WANTED}; this is an object whose keys are: {keys}")
    return named(read_stream(mended_events(held, number), wire), number)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) and not hasattr(value, "model_dump"):
        raise ParseError(f"a model's reply must be {_WANTED}, not {type(value).__name__}")
    return seal(value)[0]


def _is_chunk(value: Mapping[str, Any]) -> bool:
    return any("delta" in choice for choice in value.get("choices") or () if isinstance(choice, Mapping))


def piece_of(event: Any) -> str:
    """The piece of visible text that an event brings; "" for none."""
    value = event if isinstance(event, Mapping) else to_mapping(event)
    if value.get("type") == "content_block_delta":
        return str((value.get("delta") or {}).get("text") or "")
    for choice in value.get("choices") or ():
        said = (choice.get("delta") or {}).get("content") if isinstance(choice, Mapping) else None
        return said if isinstance(said, str) else ""
    return str(value.get("delta") or "") if value.get("type") == "response.output_text.delta" else ""
