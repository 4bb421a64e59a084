"""The gateway as a web application. As it stands it sends every request on untouched; sessions come on top of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from trimtab.core.messages import WireName
from trimtab.gateway.claims import upstream_path
from trimtab.gateway.forwarding import sent_back, sent_on
from trimtab.gateway.passing import holds_thread, interface_of
from trimtab.gateway.shapes import error_body, error_event, thread_refused
from trimtab.gateway.upstream import Answer, Upstream, UpstreamFailed

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class TooLarge(Exception):
    """A request's body is over the limit."""


class Edge(Struct, frozen=True, kw_only=True):
    """Attributes: bytes that a request's body may have. Agents resend whole histories: the default holds a million tokens."""

    most_body_bytes: int = 64 * 1024 * 1024


def application(upstream: Upstream, edge: Edge = Edge()) -> Starlette:  # noqa: B008 - a frozen value
    """All paths, over one upstream that is opened and closed with the application."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with upstream:
            yield

    async def pass_on(request: Request) -> Response:
        path = upstream_path(request.scope["raw_path"].partition(b"?")[0].decode("latin-1"))
        wire = interface_of(path)
        try:
            body = await _read(request, edge.most_body_bytes)
            if wire == "anthropic" and b'"thread"' in body and holds_thread(path, _decoded(body)):
                return Response(thread_refused(), 400, media_type="application/json")
            answer = await upstream.send(
                request.method, path, request.scope["query_string"].decode("latin-1"), sent_on(_headers(request)), body
            )
        except ClientDisconnect:
            # nobody is there to read this; the upstream was not asked
            return Response(status_code=499)
        except TooLarge:
            most = f"{edge.most_body_bytes:,} bytes"
            return _refused(
                wire, 413, f"the request is larger than the {most} that this gateway takes; raise its limit, or send less history"
            )
        except UpstreamFailed as error:
            return _refused(wire, 502, str(error))
        return _given(wire, answer)

    return Starlette(routes=[Route("/{path:path}", pass_on, methods=_METHODS)], lifespan=lifespan)


def _headers(request: Request) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]


async def _read(request: Request, most: int) -> bytes:
    """Raises TooLarge, by its length where it says it, else as soon as it has come in."""
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > most:
        raise TooLarge
    pieces, size = list[bytes](), 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise TooLarge
        pieces.append(piece)
    return b"".join(pieces)


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}


def _refused(wire: WireName | None, status: int, message: str) -> Response:
    return Response(error_body(wire, status, message), status, media_type="application/json")


def _given(wire: WireName | None, answer: Answer) -> Response:
    response = StreamingResponse(_until_the_end(wire, answer), answer.status)
    response.raw_headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in sent_back(answer.headers)]
    return response


async def _until_the_end(wire: WireName | None, answer: Answer) -> AsyncIterator[bytes]:
    """A stream that breaks off ends with an error of its interface; a whole reply that does ends as a broken connection."""
    try:
        async for piece in answer.pieces():
            yield piece
    except UpstreamFailed as error:
        if not answer.is_stream:
            raise
        yield error_event(wire, str(error))
