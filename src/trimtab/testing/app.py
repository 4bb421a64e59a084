"""The mock upstream behind HTTP: routes, framing, error bodies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from trimtab.core.messages import WireName
from trimtab.testing.refusals import UpstreamRefusal, refusal
from trimtab.testing.replies import CREATED
from trimtab.testing.streams import events_of, framed

if TYPE_CHECKING:
    from trimtab.testing.upstream import StrictUpstream

MODEL = "strict-1"


def application(upstream: StrictUpstream) -> Starlette:
    """The routes of all three interfaces over one upstream."""
    return Starlette(
        routes=[
            Route("/v1/chat/completions", _answering(upstream, "openai_chat"), methods=["POST"]),
            Route("/v1/responses", _answering(upstream, "openai_responses"), methods=["POST"]),
            Route("/v1/messages", _answering(upstream, "anthropic"), methods=["POST"]),
            Route("/v1/messages/count_tokens", _counting(upstream), methods=["POST"]),
            Route("/v1/models", _models, methods=["GET"]),
            Route("/", _alive, methods=["GET"]),
        ]
    )


def _refused(wire: WireName, error: UpstreamRefusal) -> Response:
    headers = {"request-id": error.body["request_id"]} if wire == "anthropic" else {"x-request-id": "req_refused"}
    return JSONResponse(error.body, status_code=error.status, headers=headers)


async def _body(request: Request, wire: WireName) -> dict[str, Any]:
    try:
        return msgspec.json.decode(await request.body(), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise refusal(wire, "JSON", f"We could not parse the JSON body of your request: {error}") from error


def _answering(upstream: StrictUpstream, wire: WireName) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            body = await _body(request, wire)
            reply = upstream.reply(wire, body)
        except UpstreamRefusal as error:
            return _refused(wire, error)
        if body.get("stream"):
            return StreamingResponse(framed(wire, events_of(wire, reply, body)), media_type="text/event-stream")
        return JSONResponse(reply)

    return answer


def _counting(upstream: StrictUpstream) -> Callable[[Request], Awaitable[Response]]:
    async def count(request: Request) -> Response:
        try:
            return JSONResponse({"input_tokens": upstream.count_tokens(await _body(request, "anthropic"))})
        except UpstreamRefusal as error:
            return _refused("anthropic", error)

    return count


async def _models(request: Request) -> Response:
    """The list in the shape of whose client asks."""
    if "anthropic-version" in request.headers:
        model = {"type": "model", "id": MODEL, "display_name": MODEL, "created_at": "2026-01-01T00:00:00Z"}
        return JSONResponse({"data": [model], "has_more": False, "first_id": MODEL, "last_id": MODEL})
    return JSONResponse({"object": "list", "data": [{"id": MODEL, "object": "model", "created": CREATED, "owned_by": "trimtab"}]})


async def _alive(_: Request) -> Response:
    return Response(status_code=200)
