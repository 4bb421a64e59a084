"""The clients against an endpoint on this machine: what they send, what they make of refusals, and that no key leaks."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from trimtab.distill.digest import SCHEMA
from trimtab.errors import BadSetting, ConfigError, ModelError
from trimtab.llm import ChatMessage, Completion, model_for
from trimtab.llm import http as llm_http
from trimtab.settings import Interface, Summarizer

KEY = "sk-secret-0123456789"
ASK = [ChatMessage("system", "Distill."), ChatMessage("user", "#1 user: hello")]
CHAT_REPLY = {
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": '{"items": []}'}}],
    "usage": {"prompt_tokens": 40, "completion_tokens": 7},
}
MESSAGES_REPLY = {
    "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": '{"items": []}'}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 30, "cache_read_input_tokens": 10, "output_tokens": 7},
}
REPLIES: dict[Interface, dict[str, Any]] = {"openai_chat": CHAT_REPLY, "anthropic": MESSAGES_REPLY}
PATHS: dict[Interface, str] = {"openai_chat": "/v1/chat/completions", "anthropic": "/v1/messages"}
Answer = Callable[[dict[str, Any], int], web.Response]


class Endpoint:
    """Answers each request with `answer(body, number)`; keeps what it was sent."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.paths.append(request.path)
        return self.answer(self.bodies[-1], len(self.bodies))

    def complete(self, interface: Interface = "openai_chat", times: int = 1, schema: bool = True, **changes: Any) -> list[Completion]:
        """The answers to the same request, asked `times` times by one client."""

        async def run() -> list[Completion]:
            app = web.Application()
            app.router.add_post("/{path:.*}", self.handle)
            async with TestServer(app) as server:
                base_url = str(server.make_url("/v1"))
                settings = Summarizer(base_url=base_url, model="small-1", interface=interface, **{"api_key_env": "TEST_KEY", **changes})
                model = model_for(settings)
                return [await model.complete(ASK, max_output_tokens=500, schema=SCHEMA if schema else None) for _ in range(times)]

        return asyncio.run(run())


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)


def good(interface: Interface) -> Answer:
    return lambda body, number: web.json_response(REPLIES[interface])


def refusing(status: int, message: str, **headers: str) -> Answer:
    return lambda body, number: web.json_response({"error": {"message": message}}, status=status, headers=headers)


@pytest.mark.parametrize("interface", ["openai_chat", "anthropic"])
def test_an_answer_comes_with_its_counts(interface: Interface) -> None:
    endpoint = Endpoint(good(interface))
    assert endpoint.complete(interface) == [Completion(text='{"items": []}', input_tokens=40, output_tokens=7, finish="stop")]
    assert endpoint.paths == [PATHS[interface]]


def test_what_the_chat_interface_is_sent() -> None:
    endpoint = Endpoint(good("openai_chat"))
    endpoint.complete()
    body, headers = endpoint.bodies[0], endpoint.headers[0]
    assert headers["authorization"] == f"Bearer {KEY}" and headers["content-type"] == "application/json"
    assert body["model"] == "small-1" and body["max_tokens"] == 500 and "tools" not in body
    assert body["messages"] == [{"role": "system", "content": "Distill."}, {"role": "user", "content": "#1 user: hello"}]
    assert body["response_format"]["json_schema"] == {"name": "answer", "schema": SCHEMA, "strict": True}


def test_what_the_messages_interface_is_sent() -> None:
    endpoint = Endpoint(good("anthropic"))
    endpoint.complete("anthropic")
    body, headers = endpoint.bodies[0], endpoint.headers[0]
    assert headers["x-api-key"] == KEY and headers["anthropic-version"] == "2023-06-01" and "authorization" not in headers
    assert body["system"] == "Distill." and body["messages"] == [{"role": "user", "content": "#1 user: hello"}]
    assert body["output_config"]["format"] == {"type": "json_schema", "schema": SCHEMA} and body["max_tokens"] == 500


def test_an_endpoint_without_a_key_gets_none() -> None:
    endpoint = Endpoint(good("openai_chat"))
    endpoint.complete(api_key_env="")
    assert "authorization" not in endpoint.headers[0]


def test_a_refused_schema_falls_back_and_is_remembered() -> None:
    def answer(body: dict[str, Any], number: int) -> web.Response:
        if "response_format" in body:
            return web.json_response({"error": {"message": "unknown parameter: response_format"}}, status=400)
        return web.json_response(CHAT_REPLY)

    endpoint = Endpoint(answer)
    assert [each.text for each in endpoint.complete(times=2)] == ['{"items": []}'] * 2
    formats = [body.get("response_format", {}).get("type", "") for body in endpoint.bodies]
    assert formats == ["json_schema", "json_object", "", ""]


def test_a_newer_model_gets_its_own_name_of_the_limit() -> None:
    def answer(body: dict[str, Any], number: int) -> web.Response:
        if "max_tokens" in body:
            problem = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return web.json_response({"error": {"message": problem}}, status=400)
        return web.json_response(CHAT_REPLY)

    endpoint = Endpoint(answer)
    endpoint.complete(times=2)
    assert [body.get("max_completion_tokens") for body in endpoint.bodies] == [None, 500, 500]
    assert endpoint.bodies[-1]["response_format"]["type"] == "json_schema"


def test_the_messages_interface_falls_back_too() -> None:
    def answer(body: dict[str, Any], number: int) -> web.Response:
        if "output_config" in body:
            return web.json_response({"error": {"message": "output_config: extra inputs are not permitted"}}, status=400)
        return web.json_response(MESSAGES_REPLY)

    endpoint = Endpoint(answer)
    endpoint.complete("anthropic", times=2)
    assert ["output_config" in body for body in endpoint.bodies] == [True, False, False]


@pytest.mark.parametrize("interface", ["openai_chat", "anthropic"])
def test_a_prompt_that_is_too_long_is_not_sent_again(interface: Interface) -> None:
    endpoint = Endpoint(refusing(400, "prompt is too long: 40000 tokens > 32000 maximum context"))
    with pytest.raises(ModelError, match="too long"):
        endpoint.complete(interface)
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize("interface", ["openai_chat", "anthropic"])
@pytest.mark.parametrize(("status", "retryable"), [(429, True), (500, True), (529, True), (404, False), (401, False)])
def test_a_status_is_named_with_the_endpoint_and_without_the_key(interface: Interface, status: int, retryable: bool) -> None:
    endpoint = Endpoint(refusing(status, f"no luck with key {KEY} today"))
    with pytest.raises(ModelError) as caught:
        endpoint.complete(interface)
    error = caught.value
    assert (error.status, error.retryable) == (status, retryable)
    assert PATHS[interface] in str(error) and str(status) in str(error)
    assert KEY not in str(error) and KEY not in repr(error.__dict__)
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize("interface", ["openai_chat", "anthropic"])
def test_a_named_wait_is_kept_once(interface: Interface) -> None:
    def answer(body: dict[str, Any], number: int) -> web.Response:
        if number == 1:
            return web.json_response({"error": "slow down"}, status=429, headers={"retry-after": "0"})
        return web.json_response(REPLIES[interface])

    endpoint = Endpoint(answer)
    assert len(endpoint.complete(interface)) == 1 and len(endpoint.bodies) == 2
    always = Endpoint(refusing(429, "slow down", **{"retry-after": "0"}))
    with pytest.raises(ModelError):
        always.complete(interface)
    assert len(always.bodies) == 2


@pytest.mark.parametrize("wait", ["3600", "Wed, 21 Oct 2026 07:28:00 GMT", "nonsense"])
def test_a_wait_that_is_too_long_is_not_kept(wait: str) -> None:
    endpoint = Endpoint(refusing(503, "later", **{"retry-after": wait}))
    with pytest.raises(ModelError, match="503"):
        endpoint.complete()
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize(
    "body", [b"<html>gateway</html>", b"[1, 2]", b"", b"\xff\xfe", b'{"choices": []}', b'{"choices": [{"message": "x"}]}']
)
@pytest.mark.parametrize("interface", ["openai_chat", "anthropic"])
def test_a_malformed_reply_is_an_error_of_its_own_kind(interface: Interface, body: bytes) -> None:
    endpoint = Endpoint(lambda _, number: web.Response(body=body, content_type="application/json"))
    with pytest.raises(ModelError):
        endpoint.complete(interface)


def test_a_reply_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm_http, "MOST_REPLY_BYTES", 10_000)
    endpoint = Endpoint(lambda _, number: web.Response(body=b" " * 50_000))
    with pytest.raises(ModelError, match="longer than 10,000 bytes"):
        endpoint.complete()


def test_a_redirect_is_not_followed() -> None:
    endpoint = Endpoint(lambda _, number: web.Response(status=307, headers={"location": "/elsewhere"}))
    with pytest.raises(ModelError, match="base_url"):
        endpoint.complete()
    assert len(endpoint.bodies) == 1


def test_an_endpoint_that_does_not_answer_is_given_up() -> None:
    class Slow(Endpoint):
        async def handle(self, request: web.Request) -> web.StreamResponse:
            await asyncio.Event().wait()
            raise AssertionError

    with pytest.raises(ModelError, match=r"no answer within 0\.05 seconds") as caught:
        Slow(good("openai_chat")).complete(timeout_s=0.05)
    assert caught.value.retryable


def test_an_endpoint_that_is_not_there_is_a_failed_connection() -> None:
    model = model_for(Summarizer(base_url="http://127.0.0.1:9", model="small-1", api_key_env="TEST_KEY"))
    with pytest.raises(ModelError, match="connection failed") as caught:
        asyncio.run(model.complete(ASK, max_output_tokens=10, schema=None))
    assert caught.value.retryable and KEY not in str(caught.value)


@pytest.mark.parametrize("value", [None, "", "   ", "two\nlines", "ключ"])
def test_a_key_that_is_not_there_is_told_by_the_name_of_its_variable(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is None:
        monkeypatch.delenv("TEST_KEY")
    else:
        monkeypatch.setenv("TEST_KEY", value)
    endpoint = Endpoint(good("openai_chat"))
    with pytest.raises(BadSetting, match="TEST_KEY") as caught:
        endpoint.complete()
    assert endpoint.bodies == []
    assert value is None or not value.strip() or value not in str(caught.value)


def test_the_key_is_read_at_each_call_and_kept_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Summarizer(base_url="http://127.0.0.1:9/v1", model="small-1", api_key_env="TEST_KEY")
    for interface in ("openai_chat", "anthropic"):
        model = model_for(Summarizer(**{name: getattr(settings, name) for name in settings.__struct_fields__} | {"interface": interface}))
        assert KEY not in repr(vars(model))


@pytest.mark.parametrize(
    ("reason", "finish"), [("stop", "stop"), ("length", "length"), ("content_filter", "refused"), ("tool_calls", "other"), (None, "other")]
)
def test_why_a_chat_answer_ended(reason: str | None, finish: str) -> None:
    reply = {"choices": [{"finish_reason": reason, "message": {"content": "x"}}]}
    completion = Endpoint(lambda _, number: web.json_response(reply)).complete()[0]
    assert (completion.finish, completion.input_tokens, completion.output_tokens) == (finish, 0, 0)


@pytest.mark.parametrize(
    ("reason", "finish"), [("end_turn", "stop"), ("max_tokens", "length"), ("refusal", "refused"), ("pause_turn", "other")]
)
def test_why_a_messages_answer_ended(reason: str, finish: str) -> None:
    reply = MESSAGES_REPLY | {"stop_reason": reason, "usage": {"input_tokens": "many"}}
    completion = Endpoint(lambda _, number: web.json_response(reply)).complete("anthropic")[0]
    assert (completion.finish, completion.input_tokens) == (finish, 0)


@pytest.mark.parametrize(
    ("message", "text", "finish"),
    [
        ({"content": '<think>Let me see.\n{"items"</think>\n{"items": []}'}, '\n{"items": []}', "stop"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", "stop"),
        ({"content": None, "refusal": "I cannot."}, "", "refused"),
    ],
)
def test_forms_in_which_chat_answers_come(message: dict[str, Any], text: str, finish: str) -> None:
    reply = {"choices": [{"finish_reason": "stop", "message": message}]}
    completion = Endpoint(lambda _, number: web.json_response(reply)).complete()[0]
    assert (completion.text, completion.finish) == (text, finish)


def test_a_plain_error_text_is_told() -> None:
    endpoint = Endpoint(lambda _, number: web.Response(status=500, text=json.dumps("worker died")))
    with pytest.raises(ModelError, match="worker died"):
        endpoint.complete()


def test_what_is_missing_in_the_settings_is_named() -> None:
    with pytest.raises(BadSetting, match=r"summarizer\.base_url"):
        model_for(Summarizer(model="small-1"))
    with pytest.raises(BadSetting, match=r"summarizer\.model"):
        model_for(Summarizer(base_url="https://example.com/v1"))


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trimtab.llm.find_spec", lambda name: None if name == "aiohttp" else importlib.util.find_spec(name))
    with pytest.raises(ConfigError, match=r"trimtab\[llm\]"):
        model_for(Summarizer(base_url="https://example.com/v1", model="small-1"))
