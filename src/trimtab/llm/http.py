"""One JSON request to a model's endpoint, bounded in time and size."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.errors import BadSetting, ModelError

MOST_REPLY_BYTES = 2_000_000
MOST_PROBLEM_CHARS = 300
# statuses that say "later"; 529 is Anthropic's "overloaded"
BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
# with these endpoints refuse a parameter that they do not know
REFUSALS = frozenset({400, 422})
# of these the endpoint's own words may repeat parts of a key
_ABOUT_KEYS = frozenset({401, 403, 407})


class Reply(Struct, frozen=True):
    status: int
    body: bytes
    retry_after: str = ""


def api_key(variable: str) -> str:
    """The key that the named environment variable holds now; "" for no name.

    Raises:
        BadSetting: the variable is not set, or what it holds cannot be a header. Its value is not in the text.
    """
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key or not (key.isascii() and key.isprintable()):
        raise BadSetting("summarizer.api_key_env", variable, "the name of an environment variable that holds the key")
    return key


async def post(url: str, headers: Mapping[str, str], body: Mapping[str, Any], timeout_s: float, key: str) -> dict[str, Any]:
    """The endpoint's JSON object. Where it says when to come back, and that is soon enough, it is asked once more.

    Raises:
        ModelError: with the endpoint and the status, and the endpoint's own words without the key.
    """
    loop = asyncio.get_running_loop()
    ends = loop.time() + timeout_s
    payload = msgspec.json.encode(body)
    reply = await _send(url, headers, payload, timeout_s)
    if reply.status in BUSY and reply.retry_after:
        wait_s = _seconds(reply.retry_after)
        if loop.time() + wait_s < ends:
            await asyncio.sleep(wait_s)
            reply = await _send(url, headers, payload, ends - loop.time())
    if not 200 <= reply.status < 300:
        raise ModelError(url, problem_of(reply, key), reply.status, retryable=reply.status in BUSY)
    try:
        return msgspec.json.decode(reply.body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ModelError(url, "what it sent is not a JSON object", reply.status) from None


async def _send(url: str, headers: Mapping[str, str], payload: bytes, timeout_s: float) -> Reply:
    import aiohttp

    try:
        # redirects are not followed: a key must not travel to another host
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=max(timeout_s, 0.001))) as session,
            session.post(url, data=payload, headers={"content-type": "application/json", **headers}, allow_redirects=False) as response,
        ):
            got = bytearray()
            async for piece in response.content.iter_chunked(65_536):
                got += piece
                if len(got) > MOST_REPLY_BYTES:
                    raise ModelError(url, f"its reply is longer than {MOST_REPLY_BYTES:,} bytes", response.status)
            return Reply(response.status, bytes(got), response.headers.get("retry-after", ""))
    except TimeoutError:
        raise ModelError(url, f"no answer within {timeout_s:g} seconds", retryable=True) from None
    except aiohttp.ClientError as error:
        raise ModelError(url, f"the connection failed ({type(error).__name__})", retryable=True) from None


def _seconds(retry_after: str) -> float:
    """A date instead of a number of seconds is taken as "not soon"."""
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        return float("inf")


def count_in(usage: Any, key: str) -> int:
    """A count that a provider told; 0 for none, or for nonsense."""
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value > 0 else 0


def problem_of(reply: Reply, key: str) -> str:
    """The endpoint's own words, shortened, without the key."""
    if reply.status in _ABOUT_KEYS:
        return "the key was not accepted"
    if 300 <= reply.status < 400:
        return "it sends the request elsewhere, which is not followed; set base_url to the place itself"
    try:
        told = msgspec.json.decode(reply.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        told = reply.body.decode("utf-8", "replace")
    error = told.get("error", told.get("detail", told)) if isinstance(told, dict) else told
    text = error.get("message", "") if isinstance(error, dict) else error
    words = " ".join(str(text).split()) or "no reason was given"
    return (words.replace(key, "[key]") if key else words)[:MOST_PROBLEM_CHARS]
