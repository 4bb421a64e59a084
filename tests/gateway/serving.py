"""An upstream on loopback that tells what it was asked, and a client that speaks to the gateway without a server in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from msgspec import Struct
from starlette.applications import Starlette

from trimtab.gateway.app import Edge, application
from trimtab.gateway.upstream import Limits, Upstream

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Asked(Struct):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Told:
    """What an upstream was asked, in order; `handler` answers."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.asked: list[Asked] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.asked.append(Asked(request.method, request.raw_path, headers, await request.read()))
        return await self.handler(request)


@asynccontextmanager
async def served(handler: Handler) -> AsyncIterator[tuple[str, Told]]:
    told = Told(handler)
    app = web.Application(client_max_size=100_000_000)
    app.router.add_route("*", "/{path:.*}", told.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert site._server is not None
    try:
        yield f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}", told
    finally:
        await runner.cleanup()


class Reply:
    """What the gateway sends to its client, piece by piece as it sends it."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: list[tuple[str, str]] = []
        self.pieces: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def take(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [(name.decode(), value.decode()) for name, value in message["headers"]]
        elif message["type"] == "http.response.body":
            if message.get("body"):
                await self.pieces.put(message["body"])
            if not message.get("more_body"):
                await self.pieces.put(None)

    async def whole(self) -> bytes:
        got = b""
        while (piece := await self.pieces.get()) is not None:
            got += piece
        return got


class Client:
    """Asks an application as a server would: a scope, a body, and whether it hangs up."""

    def __init__(self, app: Starlette) -> None:
        self.app = app

    async def ask(
        self, method: str, target: str, headers: list[tuple[str, str]] | None = None, body: bytes = b"", gone: asyncio.Event | None = None
    ) -> tuple[Reply, asyncio.Task[None]]:
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers or []],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8100),
        }
        sent = False

        async def receive() -> dict[str, Any]:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": body, "more_body": False}
            await (gone or asyncio.Event()).wait()
            return {"type": "http.disconnect"}

        reply = Reply()
        task = asyncio.ensure_future(self.app(scope, receive, reply.take))
        return reply, task


@asynccontextmanager
async def gateway(base_url: str, edge: Edge | None = None, limits: Limits | None = None) -> AsyncIterator[Client]:
    app = application(Upstream(base_url, limits or Limits()), edge or Edge())
    async with app.router.lifespan_context(app):
        yield Client(app)
