"""Runs against an endpoint on this machine: streams, refusals, connections that break."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.failures.shapes import words
from tests.run.models import Scripted, done, say
from trimtab import Budget, Session, Settings, Step, Target
from trimtab.core.messages import WireName
from trimtab.errors import BadSetting, ModelError
from trimtab.run import Endpoint, Event, Outcome, arun_task, asking
from trimtab.testing.refusals import UpstreamRefusal
from trimtab.testing.streams import events_of, framed

KEY = "sk-secret-0123456789"
PATHS = {"openai_chat": "/v1/chat/completions", "anthropic": "/v1/messages"}
Answer = Callable[[web.Request, dict[str, Any], int], Awaitable[web.StreamResponse | None]]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAITS_S", (0.0,))
    monkeypatch.setenv("TEST_KEY", KEY)


class Server:
    """Streams what a script says; `answer` may answer a request in its place."""

    def __init__(self, model: Scripted, answer: Answer | None = None) -> None:
        self.model, self.answer = model, answer
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        self.paths.append(request.path)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        answered = await self.answer(request, body, len(self.bodies)) if self.answer else None
        if answered is not None:
            return answered
        try:
            reply = self.model.upstream.reply(self.model.wire, body)
        except UpstreamRefusal as error:
            return web.json_response(error.body, status=error.status)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for piece in framed(self.model.wire, events_of(self.model.wire, reply, body)):
            await response.write(piece)
        return response

    def run(self, *, events: list[Event] | None = None, earlier: int = 0, **changes: Any) -> tuple[Outcome, Session]:
        """`earlier`: turns that were there before."""

        async def go() -> tuple[Outcome, Session]:
            app = web.Application()
            app.router.add_post("/{path:.*}", self.handle)
            async with TestServer(app) as server:
                given = {"interface": self.model.wire, "api_key_env": "TEST_KEY", "base_url": str(server.make_url("/v1")), **changes}
                endpoint = Endpoint(model="strict-1", **given)
                settings = Settings(budget=Budget(window_tokens=16_000), embedder="")
                session = Session.open(":memory:", "s", settings=settings, target=Target(model="gpt-5"))
                task = session.task("Write it", [Step("write", output="text")])
                for turn in range(earlier):
                    session.record({"role": "user", "content": words(200, turn)}, {"role": "assistant", "content": words(200, turn + 1)})
                outcome = await arun_task(endpoint, task, max_rounds=9, on_event=events.append if events is not None else None)
                return outcome, session

        return asyncio.run(go())


def script(wire: WireName = "openai_chat") -> Scripted:
    return Scripted([done("write", "words"), say("Here it is, and it is long enough for some pieces.")], wire)


@pytest.mark.parametrize("wire", ["openai_chat", "anthropic"])
def test_a_run_over_a_stream(wire: WireName) -> None:
    server, events = Server(script(wire)), list[Event]()
    outcome, session = server.run(events=events)
    assert outcome.ok and outcome.reply.startswith("Here it is")
    assert set(server.paths) == {PATHS[wire]}
    assert server.headers[0]["x-api-key" if wire == "anthropic" else "authorization"].endswith(KEY)
    assert all(body["stream"] is True and body["model"] == "strict-1" for body in server.bodies)
    pieces = [event.text for event in events if event.kind == "piece"]
    assert "".join(pieces) == outcome.reply and len(pieces) > 1
    assert session.request(1).target.wire == wire
    assert session.state.task is not None and session.state.task.ended == "done"
    session.close()


def test_a_busy_endpoint_is_asked_again_and_then_given_up() -> None:
    async def busy(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse | None:
        return web.json_response({"error": {"message": "busy"}}, status=429) if number in (1, 2) else None

    events: list[Event] = []
    server = Server(script(), busy)
    assert server.run(events=events)[0].ok
    assert len(server.bodies) == 4 and [event.kind for event in events].count("retry") == 2
    with pytest.raises(ModelError, match="429: busy"):
        Server(script(), busy).run(tries=2)


def test_a_wrong_key_is_not_tried_again_and_never_shown() -> None:
    async def refuse(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return web.json_response({"error": {"message": f"no such key {KEY}"}}, status=401)

    server = Server(script(), refuse)
    with pytest.raises(ModelError) as raised:
        server.run()
    assert len(server.bodies) == 1 and KEY not in str(raised.value)


@pytest.mark.parametrize("wire", ["openai_chat", "anthropic"])
def test_a_stream_that_breaks_is_kept_as_far_as_it_came(wire: WireName) -> None:
    model = Scripted([say("words " * 40), done("write", "words"), say("There.")], wire)

    async def cut(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse | None:
        if number > 1:
            return None
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for piece in list(framed(wire, events_of(wire, model.upstream.reply(wire, body), body)))[:6]:
            await response.write(piece)
        assert request.transport is not None
        request.transport.close()
        return response

    outcome, session = Server(model, cut).run()
    assert outcome.ok
    first = next(node for node in session.state.nodes.values() if node.role == "assistant")
    assert first.status == "aborted"
    session.close()


def test_an_endpoint_that_does_not_know_an_option_is_asked_without_it() -> None:
    async def refuse(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse | None:
        if "stream_options" in body:
            return web.json_response({"error": {"message": "unknown field stream_options"}}, status=400)
        return None

    assert Server(script(), refuse).run()[0].ok


def test_an_endpoint_that_does_not_stream_is_understood() -> None:
    model = script()

    async def whole(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return web.json_response(model.upstream.reply("openai_chat", body))

    assert Server(model, whole).run()[0].ok


def test_what_is_too_long_is_sent_shorter() -> None:
    async def refuse(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse | None:
        if number > 1:
            return None
        problem = "This model's maximum context length is 9000 tokens. However, you requested 12000 tokens."
        return web.json_response({"error": {"message": problem, "code": "context_length_exceeded"}}, status=400)

    outcome, session = Server(script(), refuse).run(earlier=20)
    assert outcome.ok and session.request(2).budget.window_tokens == 9_000
    session.close()


@pytest.mark.parametrize(
    "changes",
    [
        {"base_url": "localhost"},
        {"base_url": "http://me:secret@localhost"},
        {"model": ""},
        {"interface": "x"},
        {"timeout_s": 0},
        {"tries": 0},
    ],
)
def test_an_endpoint_that_cannot_be_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(BadSetting) as raised:
        Endpoint(**{"base_url": "http://localhost/v1", "model": "m", **changes})
    assert "secret" not in str(raised.value)


def test_the_way_to_each_interface() -> None:
    assert Endpoint(base_url="http://h/v1", model="m").url == "http://h/v1/chat/completions"
    assert Endpoint(base_url="http://h/v1/", model="m", interface="anthropic").url == "http://h/v1/messages"
    assert Endpoint(base_url="http://h", model="m", interface="anthropic").url == "http://h/v1/messages"
