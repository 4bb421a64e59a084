"""One streamed reply of a model's endpoint, event by event, bounded in size and in the time between two pieces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec

from trimtab.errors import ModelError
from trimtab.llm.http import BUSY, MOST_PROBLEM_CHARS, MOST_REPLY_BYTES, Reply, problem_of

_DONE = b"[DONE]"
_MOST_EVENT_BYTES = 1_000_000


async def events(
    url: str, headers: Mapping[str, str], body: Mapping[str, Any], timeout_s: float, key: str
) -> AsyncIterator[dict[str, Any]]:
    """The JSON events of the reply. An endpoint that answers with one JSON object instead of a stream gives that.

    Args:
        timeout_s: between two pieces, and before the first.
    Raises:
        ModelError: with the endpoint and the status; what had come before it has been given already.
    """
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=timeout_s, sock_read=timeout_s)
    sent = {"content-type": "application/json", "accept": "text/event-stream", **headers}
    try:
        # redirects are not followed: a key must not travel to another host
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(url, data=msgspec.json.encode(body), headers=sent, allow_redirects=False) as response,
        ):
            if not 200 <= response.status < 300:
                got = await response.content.read(MOST_REPLY_BYTES)
                raise ModelError(url, problem_of(Reply(response.status, got), key), response.status, retryable=response.status in BUSY)
            if "event-stream" not in response.headers.get("content-type", ""):
                yield _decoded(url, await _whole(url, response.content), response.status)
                return
            async for payload in _payloads(url, response.content.iter_chunked(65_536)):
                yield _decoded(url, payload, response.status)
    except TimeoutError:
        raise ModelError(url, f"nothing came for {timeout_s:g} seconds", retryable=True) from None
    except aiohttp.ClientError as error:
        raise ModelError(url, f"the connection failed ({type(error).__name__})", retryable=True) from None


async def _whole(url: str, content: Any) -> bytes:
    got = bytearray()
    async for piece in content.iter_chunked(65_536):
        got += piece
        if len(got) > MOST_REPLY_BYTES:
            raise ModelError(url, f"its reply is longer than {MOST_REPLY_BYTES:,} bytes")
    return bytes(got)


async def _payloads(url: str, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The payload of each server-sent event: its `data` lines, joined. Comments and event names say nothing more."""
    rest, total, held = b"", 0, [b""]
    async for piece in pieces:
        total += len(piece)
        if total > MOST_REPLY_BYTES * 10 or len(rest) > _MOST_EVENT_BYTES:
            raise ModelError(url, "its stream is longer than what is taken")
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                held.append(line[5:].removeprefix(b" "))
            elif not line:
                payload, held = b"\n".join(held[1:]), [b""]
                if payload == _DONE:
                    return
                if payload:
                    yield payload
    payload = b"\n".join([*held[1:], *([rest[5:].strip()] if rest.startswith(b"data:") else [])])
    if payload and payload != _DONE:
        yield payload


def _decoded(url: str, payload: bytes, status: int) -> dict[str, Any]:
    try:
        event = msgspec.json.decode(payload, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ModelError(url, "what it sent is not a JSON object", status) from None
    error = event.get("error")
    if error:
        told = error.get("message", error) if isinstance(error, dict) else error
        raise ModelError(url, " ".join(str(told).split())[:MOST_PROBLEM_CHARS], status, retryable=True)
    return event
