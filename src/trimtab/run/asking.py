"""One request to the model of a run: streamed or whole, tried again where that may help, read into messages."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trimtab.core.messages import WireName
from trimtab.errors import ModelError, ParseError
from trimtab.run.endpoint import Endpoint, Replies
from trimtab.session.incoming import read_messages, read_stream
from trimtab.wire import Reply, wire_for
from trimtab.wire.common import to_mapping
from trimtab.wire.detect import detect_reply

# before the second, third ... try, where the endpoint does not say
WAITS_S = (1.0, 3.0, 9.0)


async def ask(
    model: Endpoint | Replies, body: dict[str, Any], wire: WireName, piece: Callable[[str], None], retry: Callable[[str], None]
) -> Reply:
    """The reply to a request body.

    Args:
        piece: is told each piece of a streamed text. retry: is told why a request is made again.
    Returns:
        of a stream that broke off what had come, with the status `aborted`.
    Raises:
        ModelError: nothing came, also after `Endpoint.tries`. ParseError: what came is no reply. What a model of the
        caller's own raises is raised.
    """
    tries = model.tries if isinstance(model, Endpoint) else 1
    for number in range(1, tries + 1):
        held: list[Any] = []
        try:
            await _collect(model, body, held, piece)
        except ModelError as error:
            if held:
                return read_reply(held, wire)
            if not error.retryable or number == tries:
                raise
            retry(str(error))
            await asyncio.sleep(WAITS_S[min(number, len(WAITS_S)) - 1])
            continue
        return read_reply(held, wire)
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


def read_reply(held: Sequence[Any], wire: WireName) -> Reply:
    """A whole reply, a single message, or a stream's events, as messages. Raises ParseError."""
    if not held:
        return Reply(messages=())
    if len(held) == 1:
        value = held[0]
        if value is None or isinstance(value, str):
            raise ParseError(f"a model's reply must be a message, a reply body or events, not {type(value).__name__}")
        form = detect_reply(mapping) if isinstance(mapping := to_mapping(value), Mapping) else None
        if form is not None and not _is_chunk(mapping):
            return wire_for(form).parse_reply(mapping)
        if "role" in mapping:
            return Reply(messages=tuple(read_messages([value], wire)))
    return read_stream(held, wire)


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
