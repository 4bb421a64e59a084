"""`record`: what it takes, in which form it keeps it, and that it takes all or nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import anthropic.types as claude
import msgspec
import pytest
from anthropic.types import RawMessageStreamEvent
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from tests.session.cases import (
    CHAT,
    CLAUDE,
    KEY,
    RESPONSES,
    TARGETS,
    ask,
    bodies_of,
    call,
    opened,
    reply,
    result,
    round_of,
    system,
    text_of,
    user,
)
from trimtab.core.messages import WIRES, WireName
from trimtab.errors import ParseError, SessionClosed, TrimtabError
from trimtab.session import Session
from trimtab.settings import Budget, Settings

CHAT_REPLY: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-5",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "logprobs": None,
            "message": {
                "role": "assistant",
                "content": "Let me see.",
                "refusal": None,
                "annotations": [],
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Bern"}'}}],
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
}
RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5",
    "status": "completed",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "metadata": {},
    "output": [
        {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAAA"},
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}],
        },
        {
            "id": "fc_1",
            "type": "function_call",
            "call_id": "call_1",
            "name": "weather",
            "arguments": '{"city":"Bern"}',
            "status": "completed",
        },
    ],
}
MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [
        {"type": "thinking", "thinking": "Where is Bern?", "signature": "c2ln"},
        {"type": "text", "text": "Let me see.", "citations": None},
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Bern"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 10, "output_tokens": 5},
}
RESULTS: dict[WireName, dict[str, Any]] = {
    "openai_chat": result("call_1", "sunny"),
    "openai_responses": {"type": "function_call_output", "call_id": "call_1", "output": "sunny"},
    "anthropic": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "sunny"}]},
}


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5", "choices": [choice]}


CHUNKS = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "Let me "}),
    chunk({"content": "see."}),
    chunk({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ""}}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"city":'}}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"Bern"}'}}]}),
    chunk({}, "tool_calls"),
]
CLAUDE_EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "see."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"city":'}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '"Bern"}'}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 5}},
    {"type": "message_stop"},
]


def response_events() -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**RESPONSE, "status": "in_progress", "output": []}},
    ]
    for index, item in enumerate(RESPONSE["output"]):
        if item["type"] == "message":
            where = {"item_id": item["id"], "output_index": index, "content_index": 0, "logprobs": []}
            events += [
                {"type": "response.output_text.delta", "delta": "Let me ", **where},
                {"type": "response.output_text.delta", "delta": "see.", **where},
            ]
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": RESPONSE})
    return [{"sequence_number": number, **event} for number, event in enumerate(events)]


def objects(kind: Any, values: list[dict[str, Any]]) -> list[Any]:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    return [adapter.validate_python(value) for value in values]


def cut(events: list[Any]) -> list[Any]:
    """The stream without its last third: in the middle of a call's arguments."""
    return events[:-4]


# ---------------------------------------------------------------- dicts


@pytest.mark.parametrize("wire", WIRES)
def test_a_message_goes_out_byte_for_byte_as_it_came_in(wire: WireName) -> None:
    messages = [{**message, "x_unknown": {"b": 1, "a": [None, 1.5]}} for message in round_of(wire, 1)]
    with opened(target=TARGETS[wire]) as s:
        report = s.record(*messages)
        assert (report.first_seq > 0, report.count) == (True, 4)
        assert bodies_of(s.store) == [msgspec.json.encode(message) for message in messages]
        body = ask(s).render()
        assert body["input" if wire == "openai_responses" else "messages"] == messages


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("of", WIRES)
def test_any_form_is_taken_by_a_session_of_any_other(wire: WireName, of: WireName) -> None:
    with opened(target=TARGETS[wire]) as s:
        s.record(*round_of(of, 1), user("and now?"))
        text = text_of(ask(s))
    for word in ("question 1", "result 1", "answer 1", "and now?"):
        assert word in text


def test_equal_text_twice_is_two_messages() -> None:
    with opened() as s:
        s.record(user("go on"), reply("ok"))
        report = s.record(user("go on"), reply("ok"))
        assert report.count == 2
        assert len(bodies_of(s.store)) == 4
        assert len(ask(s).render()["messages"]) == 4


def test_a_key_is_taken_once_whoever_comes_again_with_it() -> None:
    with opened() as s:
        first = s.record(user("pay"), reply("paid"), key="k1")
        again = s.record(user("pay"), reply("paid"), key="k1")
        assert (first.count, again.count, again.first_seq) == (2, 0, first.first_seq)
        assert s.record(user("pay"), key="k2").count == 1
        assert len(bodies_of(s.store)) == 3


def test_a_key_holds_after_reopening(tmp_path: Any) -> None:
    with opened(tmp_path / "a.db") as s:
        s.record(user("pay"), key="k1")
    with opened(tmp_path / "a.db") as s:
        assert s.record(user("pay"), key="k1").count == 0
        assert len(bodies_of(s.store)) == 1


def test_leading_system_messages_are_instructions_however_they_are_handed_over() -> None:
    with opened() as once, opened() as in_pieces:
        once.record(system("first"), system("second"), user("hi"))
        in_pieces.record(system("first"))
        in_pieces.record(system("second"), user("hi"))
        assert ask(once).render() == ask(in_pieces).render()


def test_a_closed_session_says_so() -> None:
    s = opened()
    s.close()
    for act in (lambda: s.record(user("x")), lambda: s.sync([user("x")]), s.prompt, lambda: s.request(1), lambda: s.pin("x")):
        with pytest.raises(SessionClosed):
            act()
    s.close()


# ---------------------------------------------------------------- objects of client libraries


def test_a_chat_completion_is_its_first_choice() -> None:
    with opened() as s:
        s.record(user("weather?"), ChatCompletion.model_validate(CHAT_REPLY), RESULTS["openai_chat"])
        sent = ask(s).render()["messages"][1]
    assert sent["content"] == "Let me see."
    assert sent["tool_calls"] == CHAT_REPLY["choices"][0]["message"]["tool_calls"]
    assert "refusal" not in sent


def test_the_message_of_a_chat_completion_is_the_same_as_the_whole() -> None:
    message = ChatCompletionMessage.model_validate(CHAT_REPLY["choices"][0]["message"])
    with opened() as s, opened() as other:
        s.record(user("weather?"), message, RESULTS["openai_chat"])
        other.record(user("weather?"), ChatCompletion.model_validate(CHAT_REPLY), RESULTS["openai_chat"])
        assert s.state.lineage == other.state.lineage
        ask(s)


def test_a_response_is_all_its_items() -> None:
    with opened(target=RESPONSES) as s:
        report = s.record(user("weather?"), Response.model_validate(RESPONSE), RESULTS["openai_responses"])
        assert report.count == 5
        sent = ask(s).render()["input"]
    assert [item.get("type", "message") for item in sent] == ["message", "reasoning", "message", "function_call", "function_call_output"]
    assert sent[1]["encrypted_content"] == "gAAAA"


def test_the_items_of_a_response_may_be_spread() -> None:
    output = Response.model_validate(RESPONSE).output
    with opened(target=RESPONSES) as s:
        assert s.record(user("weather?"), *output, RESULTS["openai_responses"]).count == 5
        ask(s)


def test_a_list_of_items_is_never_dropped_without_a_word() -> None:
    for value in (
        Response.model_validate(RESPONSE).output,
        [{"type": "message", "role": "user", "content": "hi"}],
        [{"type": "function_call_output", "call_id": "c", "output": "x"}],
        [user("hi")],
    ):
        with opened(target=RESPONSES) as s:
            try:
                report = s.record(value)
            except ParseError:
                assert bodies_of(s.store) == []
            else:
                assert report.count == len(value)


def test_a_message_of_anthropic_keeps_its_thinking_and_signature() -> None:
    with opened(target=CLAUDE) as s:
        s.record(user("weather?"), claude.Message.model_validate(MESSAGE), RESULTS["anthropic"])
        sent = ask(s).render()["messages"][1]
    assert sent["content"][0] == MESSAGE["content"][0]
    assert sent["content"][2]["input"] == {"city": "Bern"}
    assert "stop_reason" not in sent
    assert "usage" not in sent


def test_content_blocks_of_anthropic_may_stand_in_a_dict() -> None:
    content = claude.Message.model_validate(MESSAGE).content
    with opened(target=CLAUDE) as s:
        s.record(user("weather?"), {"role": "assistant", "content": content}, RESULTS["anthropic"])
        assert ask(s).render()["messages"][1]["content"][0]["signature"] == "c2ln"


# ---------------------------------------------------------------- streams

STREAMS: list[tuple[WireName, list[Any]]] = [
    ("openai_chat", CHUNKS),
    ("openai_chat", objects(ChatCompletionChunk, CHUNKS)),
    ("openai_responses", response_events()),
    ("openai_responses", objects(ResponseStreamEvent, response_events())),
    ("anthropic", CLAUDE_EVENTS),
    ("anthropic", objects(RawMessageStreamEvent, CLAUDE_EVENTS)),
]
STREAM_NAMES = [f"{wire} {'dicts' if isinstance(events[0], dict) else 'objects'}" for wire, events in STREAMS]


@pytest.mark.parametrize(("wire", "events"), STREAMS, ids=STREAM_NAMES)
@pytest.mark.parametrize("as_iterator", [False, True])
def test_a_stream_is_the_reply_it_amounts_to(wire: WireName, events: list[Any], as_iterator: bool) -> None:
    with opened(target=TARGETS[wire]) as s:
        s.record(user("weather?"), iter(events) if as_iterator else events, RESULTS[wire])
        nodes = list(s.state.nodes.values())
        assert {node.status for node in nodes} == {"complete"}
        assert [call for node in nodes for call in node.calls] == [("toolu_1" if wire == "anthropic" else "call_1", "weather")]
        text = text_of(ask(s))
    assert "Let me see." in text
    assert "Bern" in text
    assert "interrupted" not in text


@pytest.mark.parametrize(("wire", "events"), STREAMS, ids=STREAM_NAMES)
def test_a_stream_that_was_cut_is_marked_and_its_half_call_is_not_kept(wire: WireName, events: list[Any]) -> None:
    short = events[:4] if wire == "openai_responses" else cut(events)
    with opened(target=TARGETS[wire]) as s:
        s.record(user("weather?"), short)
        statuses = [node.status for node in s.state.nodes.values() if node.role == "assistant" and not node.has_reasoning]
        assert statuses == ["aborted"]
        assert not any(node.calls for node in s.state.nodes.values())
        s.record(user("go on"))
        assert "Let me " in text_of(ask(s))


def test_a_caller_may_say_that_a_reply_is_not_whole() -> None:
    with opened() as s:
        s.record(user("x"))
        s.record(reply("half of it"), status="partial")
        assert [node.status for node in s.state.nodes.values()] == ["complete", "partial"]


def test_an_empty_stream_is_no_message() -> None:
    with opened() as s:
        s.record(user("x"))
        assert s.record(iter([])).count == 0
        assert len(bodies_of(s.store)) == 1


def test_a_stream_that_breaks_keeps_what_had_come_and_raises_what_broke_it() -> None:
    def breaking() -> Iterator[dict[str, Any]]:
        yield from CHUNKS[:2]
        raise ConnectionError("reset by peer")

    with opened() as s:
        s.record(user("x"))
        with pytest.raises(ConnectionError):
            s.record(breaking())
        newest = s.state.nodes[s.state.head]
        assert (newest.role, newest.status) == ("assistant", "aborted")
        s.record(user("z"))
        ask(s)


def test_a_slow_stream_does_not_hold_up_other_threads() -> None:
    """A stream comes in at the provider's pace; a session that is locked meanwhile answers nobody."""
    served: list[bool] = []

    def slow(s: Session) -> Iterator[dict[str, Any]]:
        yield from CHUNKS[:2]
        other = threading.Thread(target=lambda: served.append(bool(s.write_note("n", 1))))
        other.start()
        other.join(timeout=2)
        served.append(False)
        yield from CHUNKS[2:]

    with opened() as s:
        s.record(user("x"))
        s.record(slow(s))
        assert served[0] is True


def test_an_asynchronous_stream_is_refused_with_a_word() -> None:
    async def chunks() -> Any:
        yield CHUNKS[0]

    with opened() as s, pytest.raises(ParseError, match="asynchronous"):
        s.record(chunks())


# ---------------------------------------------------------------- what is refused

BAD: list[tuple[Any, str]] = [
    (5, "$[1]"),
    (None, "$[1]"),
    (object(), "$[1]"),
    ("just text", "$[1]"),
    (b"bytes", "$[1]"),
    ({"content": "no role"}, "$[1].role"),
    ({"role": "wizard", "content": "x"}, "$[1].role"),
    ({"role": 7, "content": "x"}, "$[1].role"),
    ({"role": "user", "content": 5}, "$[1].content"),
    ({"role": "user", "content": ["text"]}, "$[1].content[0]"),
    ({"role": "user", "content": [{"type": "text", "text": "ok"}, 3]}, "$[1].content[1]"),
    ({"role": "tool", "content": "no id"}, "$[1].tool_call_id"),
    ({"role": "assistant", "tool_calls": "f"}, "$[1].tool_calls"),
    ({"role": "assistant", "tool_calls": [5]}, "$[1].tool_calls[0]"),
    ({"role": "assistant", "tool_calls": [{"id": "a", "function": {}}]}, "$[1].tool_calls[0].function.name"),
    ({"role": "user", "content": "half a \ud800 pair"}, "$[1]"),
    ({"role": "user", "content": "x", "extra": {1, 2}.__class__}, "$[1]"),
    ({"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": {}}]}, "$[1].content[0].id"),
    ({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}, "$[1].content[0].tool_use_id"),
    ({"type": "function_call", "name": "f", "arguments": "{}"}, "$[1].call_id"),
]


@pytest.mark.parametrize(("value", "path"), BAD, ids=[str(index) for index in range(len(BAD))])
def test_bad_input_is_refused_with_its_place_and_nothing_is_appended(value: Any, path: str) -> None:
    with opened() as s:
        s.record(user("before"))
        before = s.state.seq
        with pytest.raises(ParseError) as caught:
            s.record(user("good"), value, user("after"))
        assert caught.value.path == path
        assert s.state.seq == before
        assert s.store.head(KEY).last_seq == before


def test_a_refused_write_does_not_take_the_system_text_either() -> None:
    with opened() as s:
        with pytest.raises(ParseError):
            s.record(system("new rules"), user("x"), 5)
        assert s.state.instructions == ()


@pytest.mark.parametrize("depth", [50, 100_000])
def test_json_nested_deeply_is_taken_or_refused_but_does_not_break(depth: int) -> None:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    with opened() as s:
        try:
            s.record({"role": "user", "content": "hi", "deep": value})
        except TrimtabError:
            assert depth > 50
            assert s.state.messages == 0
        else:
            ask(s)


def test_a_huge_message_is_kept_whole_and_sent_short() -> None:
    long = "needle " + "word " * 60_000
    with opened(settings=Settings(budget=Budget(window_tokens=8_000)), target=CHAT) as s:
        s.record(user(long))
        assert "needle" in text_of(ask(s))
        assert msgspec.json.decode(bodies_of(s.store)[0])["content"] == long


def test_answers_of_parallel_calls_come_in_any_order() -> None:
    both = {"role": "assistant", "content": None, "tool_calls": [*call("a")["tool_calls"], *call("b")["tool_calls"]]}
    with opened() as s:
        s.record(user("x"), both)
        s.record(result("b", "second"))
        s.record(result("a", "first"))
        text = text_of(ask(s))
        assert "interrupted" not in text
        assert "second" in text
