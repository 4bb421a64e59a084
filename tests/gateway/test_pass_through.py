"""A request that is sent on untouched arrives as it was sent, and its reply as it was given, piece by piece."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from tests.gateway.serving import gateway, served
from trimtab.errors import BadSetting
from trimtab.gateway.app import Edge
from trimtab.gateway.upstream import Limits, Upstream

BODY = b'{"model": "m",  "messages": [{"role": "user", "content": "\\u00e9 hi"}], "unknown": 1.50}'


def run(body: Callable[[], Awaitable[None]]) -> None:
    async def within() -> None:
        await asyncio.wait_for(body(), 20)

    asyncio.run(within())


async def fine(request: web.Request) -> web.StreamResponse:
    return web.Response(
        body=b'{"ok":  true}', headers={"content-type": "application/json", "request-id": "r1", "x-trimtab-session": "forged"}
    )


def test_bytes_headers_path_and_query_arrive_as_they_were_sent() -> None:
    async def body() -> None:
        async with served(fine) as (url, told), gateway(url + "/v1") as client:
            headers = [
                ("Anthropic-Beta", "a,b"),
                ("X-Api-Key", "k"),
                ("Host", "gateway"),
                ("Connection", "keep-alive"),
                ("User-Agent", "me/1"),
            ]
            reply, task = await client.ask("POST", "/s/chat-7/v1/messages?beta=true&x=%2F", headers, BODY)
            await task
            assert (reply.status, await reply.whole()) == (200, b'{"ok":  true}')
            assert ("request-id", "r1") in reply.headers and not any(name.startswith("x-trimtab") for name, _ in reply.headers)
            (asked,) = told.asked
            assert (asked.method, asked.path, asked.body) == ("POST", "/v1/messages?beta=true&x=%2F", BODY)
            assert (asked.headers["anthropic-beta"], asked.headers["x-api-key"], asked.headers["user-agent"]) == ("a,b", "k", "me/1")
            assert asked.headers["host"] == url.removeprefix("http://")
            assert not {"accept", "accept-encoding", "x-trimtab-session"} & asked.headers.keys()

    run(body)


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "OPTIONS", "PUT"])
def test_every_method_and_path_goes_through(method: str) -> None:
    async def body() -> None:
        async with served(fine) as (url, told), gateway(url) as client:
            reply, task = await client.ask(method, "/v1/a%20b/c?d")
            await task
            assert reply.status == 200 and (told.asked[0].method, told.asked[0].path) == (method, "/v1/a%20b/c?d")

    run(body)


@pytest.mark.parametrize("status", [201, 400, 404, 429, 500, 529])
def test_a_status_and_its_body_are_the_upstreams_own(status: int) -> None:
    async def refuse(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, body=b'{"error": {"message": "no"}}', headers={"retry-after": "3", "x-should-retry": "false"})

    async def body() -> None:
        async with served(refuse) as (url, told), gateway(url) as client:
            reply, task = await client.ask("POST", "/v1/chat/completions", body=BODY)
            await task
            assert (reply.status, await reply.whole()) == (status, b'{"error": {"message": "no"}}')
            assert {("retry-after", "3"), ("x-should-retry", "false")} <= set(reply.headers)
            assert len(told.asked) == 1, "retries are the client's"

    run(body)


def streaming(
    pieces: list[bytes], between: asyncio.Event, *, breaks: bool = False
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(pieces[0])
        await between.wait()
        if breaks:
            assert request.transport is not None
            request.transport.close()
            return response
        for piece in pieces[1:]:
            await response.write(piece)
        return response

    return stream


def test_the_first_piece_of_a_stream_is_not_held_back() -> None:
    async def body() -> None:
        between = asyncio.Event()
        async with served(streaming([b"data: 1\n\n", b"data: 2\n\n"], between)) as (url, _), gateway(url) as client:
            reply, task = await client.ask("POST", "/v1/chat/completions", body=BODY)
            assert await reply.pieces.get() == b"data: 1\n\n"
            assert not task.done()
            between.set()
            await task
            assert await reply.whole() == b"data: 2\n\n"

    run(body)


@pytest.mark.parametrize(
    ("path", "ends"),
    [
        ("/v1/chat/completions", b'data: {"error":{"message":"the upstream'),
        ("/v1/messages", b'event: error\ndata: {"type":"error","error":{"type":"api_error"'),
        ("/v1/responses", b'event: error\ndata: {"type":"error","code":"server_error"'),
    ],
)
def test_a_stream_that_breaks_off_ends_with_an_error_of_its_interface(path: str, ends: bytes) -> None:
    async def body() -> None:
        between = asyncio.Event()
        between.set()
        async with served(streaming([b"data: 1\n\n"], between, breaks=True)) as (url, _), gateway(url) as client:
            reply, task = await client.ask("POST", path, body=BODY)
            await task
            got = await reply.whole()
            assert reply.status == 200 and got.startswith(b"data: 1\n\n" + ends) and got.endswith(b"}\n\n")
            assert json.loads(got.rpartition(b"data: ")[2])

    run(body)


def test_a_client_that_hangs_up_ends_the_upstreams_stream() -> None:
    async def body() -> None:
        gone, ended = asyncio.Event(), asyncio.Event()

        async def endless(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse(headers={"content-type": "text/event-stream"})
            await response.prepare(request)
            try:
                while True:
                    await response.write(b"data: 1\n\n")
                    await asyncio.sleep(0)
            except (ConnectionResetError, asyncio.CancelledError):
                ended.set()
                raise

        async with served(endless) as (url, _), gateway(url) as client:
            reply, task = await client.ask("POST", "/v1/messages", body=BODY, gone=gone)
            await reply.pieces.get()
            gone.set()
            await asyncio.wait([task])
            await ended.wait()

    run(body)


# ---------------------------------------------------------------- what the gateway says itself


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/v1/messages", "api_error"),
        ("/v1/chat/completions", "server_error"),
        ("/v1/responses", "server_error"),
        ("/other", "server_error"),
    ],
)
def test_an_upstream_that_is_not_there_is_told_in_the_interfaces_own_shape(path: str, kind: str) -> None:
    async def body() -> None:
        async with served(fine) as (url, _):
            pass  # its port is free again
        async with gateway(url, limits=Limits(connect_s=2)) as client:
            reply, task = await client.ask("POST", path, body=BODY)
            await task
            said: dict[str, Any] = json.loads(await reply.whole())
            assert reply.status == 502 and said["error"]["type"] == kind
            assert "gave no reply (ClientConnectorError)" in said["error"]["message"] and "--upstream" in said["error"]["message"]

    run(body)


@pytest.mark.parametrize("says_so", [True, False])
def test_a_request_that_is_too_large_is_refused_before_it_is_sent_on(says_so: bool) -> None:
    async def body() -> None:
        async with served(fine) as (url, told), gateway(url, Edge(most_body_bytes=10)) as client:
            headers = [("Content-Length", str(len(BODY)))] if says_so else []
            reply, task = await client.ask("POST", "/v1/messages", headers, BODY)
            await task
            said = json.loads(await reply.whole())
            assert (reply.status, said["error"]["type"]) == (413, "request_too_large") and told.asked == []

    run(body)


@pytest.mark.parametrize("url", ["", "ftp://a", "https://", "https://me:secret@a.example", "https://a.example/?k=v"])
def test_an_upstream_is_a_url_without_a_secret(url: str) -> None:
    with pytest.raises(BadSetting) as caught:
        Upstream(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("path", ["//evil.example/v1/messages", "/@evil.example", "/v1/../../x", "/\\evil.example"])
def test_no_path_leads_to_another_host(path: str) -> None:
    async def body() -> None:
        async with served(fine) as (url, told), gateway(url) as client:
            _, task = await client.ask("GET", path)
            await task
            assert len(told.asked) == 1, "it came to the upstream, and to nobody else"

    run(body)
