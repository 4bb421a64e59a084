"""Chat Completions: what is parsed is rendered again unchanged, what is valid stays valid, and C1-C11 are noticed."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion

from tests.wire.histories import PIXEL, chat_blocks, chat_system, extra_fields, json_values, words
from trimtab.core.messages import Media, Message, Opaque, Reasoning, Text, ToolCall, ToolResult, encode_wire
from trimtab.core.plan import Place, RenderItem
from trimtab.core.target import Target
from trimtab.errors import InvalidPrompt, ParseError
from trimtab.wire import wire_for
from trimtab.wire.common import LEFT_OUT, to_mapping

chat = wire_for("openai_chat")
LENIENT = Target(model="gpt-5")
STRICT = Target(model="local", strict_roles=True)
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]


def item(place: Place, value: Any) -> RenderItem:
    return RenderItem(place, value.encode() if isinstance(value, str) else encode_wire(value))


def rendered(target: Target, *pieces: tuple[Place, Any], tools: list[Any] | None = None, **params: Any) -> dict[str, Any]:
    return chat.render(target, [item(*piece) for piece in pieces], tools, params)


def call(call_id: str, arguments: str = '{"a":1}', name: str = "f") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(*ids: str, content: str | None = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": [call(call_id) for call_id in ids]}


def result(call_id: str, content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def user(content: Any = "hi") -> dict[str, Any]:
    return {"role": "user", "content": content}


# --- DESIGN §9 (7): render(parse(x)) == x


@given(chat_blocks(), st.lists(chat_system, max_size=2), extra_fields)
def test_7_a_body_parsed_and_rendered_is_the_same_body(
    blocks: list[list[dict[str, Any]]], system: list[Any], params: dict[str, Any]
) -> None:
    body = {**params, "model": "m", "messages": [*system, *(message for block in blocks for message in block)], "tools": TOOLS}
    parsed = chat.parse_request(body)
    items = [RenderItem("client", message.wire) for message in parsed.system]
    items += [RenderItem("message", encode_wire([json.loads(message.wire)])) for message in parsed.messages]
    again = chat.render(LENIENT, items, parsed.tools, parsed.params)
    assert again == body
    assert [list(message) for message in again["messages"]] == [list(message) for message in body["messages"]]
    for message in parsed.messages:
        assert chat.render_message(message) == (message.wire,)


@given(st.sampled_from(["user", "assistant", "system"]), words, json_values, extra_fields)
def test_7_unknown_parts_travel_untouched(role: str, kind: str, value: Any, extra: dict[str, Any]) -> None:
    wire = {"role": role, "content": [{"type": "x-" + kind, "body": value}], **extra}
    message = chat.parse_message(wire)
    assert json.loads(message.wire) == wire
    assert isinstance(message.parts[0], Opaque) and json.loads(message.parts[0].raw) == wire["content"][0]


# --- DESIGN §9 (2): valid for the wire form


@given(chat_blocks(), st.lists(words, max_size=2), st.data())
def test_2_any_valid_list_stays_valid_through_render(blocks: list[list[dict[str, Any]]], front: list[str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(blocks) - 1))
    pieces: list[tuple[Place, Any]] = [("front", text) for text in front]
    for block in blocks[cut:]:
        pieces.append(("message", block))
        pieces += [("tail", text) for text in data.draw(st.just([]) | st.lists(words, max_size=2))]
    for target in (LENIENT, STRICT):
        body = rendered(target, ("client", {"role": "developer", "content": "be nice"}), *pieces, tools=TOOLS)
        chat.validate(body, target)
        text = json.dumps(body["messages"], ensure_ascii=False)
        for place, value in pieces:
            assert place == "message" or json.dumps(value, ensure_ascii=False)[1:-1] in text


# --- parsing


@pytest.mark.parametrize(
    ("wire", "role", "parts"),
    [
        ({"role": "developer", "content": "d"}, "system", (Text("d"),)),
        (user(""), "user", (Text(""),)),
        (result("c1", None), "tool", (ToolResult("c1"),)),
        (result("c1", [{"type": "text", "text": "x"}]), "tool", (ToolResult("c1", (Text("x"),)),)),
        ({"role": "function", "name": "f", "content": "r"}, "tool", (ToolResult("", (Text("r"),), name="f"),)),
        (
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            "assistant",
            (ToolCall("", "f", "{}"),),
        ),
        (calling("a", "b"), "assistant", (ToolCall("a", "f", '{"a":1}'), ToolCall("b", "f", '{"a":1}'))),
        ({"role": "assistant", "content": None, "refusal": "no"}, "assistant", (Text("no"),)),
        ({"role": "assistant", "audio": {"id": "au"}}, "assistant", (Opaque("audio", '{"id":"au"}'),)),
        ({"role": "assistant", "content": "x", "reasoning_content": "r"}, "assistant", (Reasoning("r"), Text("x"))),
        (
            {"role": "assistant", "content": "x", "reasoning_details": [{"b": 1, "a": 2}]},
            "assistant",
            (Reasoning(signature='[{"a":2,"b":1}]'), Text("x")),
        ),
        (
            {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "g", "input": "free"}}]},
            "assistant",
            (ToolCall("c", "g", "free"),),
        ),
        ({"role": "assistant", "tool_calls": [{"id": "c", "type": "new", "x": 1}]}, "assistant", (ToolCall("c", "new", '{"x":1}'),)),
        (user([{"type": "file", "file": {"file_id": "f1"}}]), "user", (Media("file", url="file-id:f1"),)),
        (user([{"type": "video_url", "video_url": {"url": "https://x.org/v"}}]), "user", (Media("video", url="https://x.org/v"),)),
    ],
)
def test_parts_of_each_kind(wire: dict[str, Any], role: str, parts: tuple[Any, ...]) -> None:
    message = chat.parse_message(wire)
    assert (message.role, message.parts) == (role, parts)
    assert json.loads(message.wire) == wire


def test_media_is_known_by_its_bytes() -> None:
    first, second = (
        chat.parse_message(user([{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", **more}}])).parts[0]
        for more in ({}, {"detail": "high"})
    )
    assert isinstance(first, Media) and isinstance(second, Media)
    assert (first.width, first.height, first.media_type, len(first.digest)) == (3, 2, "image/png", 32)
    assert first.digest == second.digest and second.detail == "high" and first.size_bytes > 60
    pdf = chat.parse_message(user([{"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0xLjQgL1R5cGUgL1BhZ2Ug"}}]))
    assert isinstance(pdf.parts[0], Media) and (pdf.parts[0].kind, pdf.parts[0].pages) == ("file", 1)


@pytest.mark.parametrize(
    ("wire", "path"),
    [
        ({"role": "robot", "content": "x"}, "$.role"),
        ({"content": "x"}, "$.role"),
        (user(5), "$.content"),
        (user(["x"]), "$.content[0]"),
        ({"role": "tool", "content": "x"}, "$.tool_call_id"),
        ({"role": "assistant", "tool_calls": {}}, "$.tool_calls"),
        ({"role": "assistant", "tool_calls": [{"id": "a", "function": {}}]}, "$.tool_calls[0].function.name"),
        (user("\ud83d"), "$"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_path(wire: dict[str, Any], path: str) -> None:
    with pytest.raises(ParseError) as caught:
        chat.parse_message(wire)
    assert caught.value.path == path


def test_system_argument_in_all_its_shapes() -> None:
    assert chat.parse_system(None) == ()
    assert [message.text for message in chat.parse_system("s")] == ["s"]
    assert [message.text for message in chat.parse_system([{"role": "developer", "content": "a"}, "b"])] == ["a", "b"]
    assert [message.text for message in chat.parse_system([{"type": "text", "text": "a"}])] == ["a"]
    with pytest.raises(ParseError):
        chat.parse_system([user()])


COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "logprobs": None,
            "message": {
                "role": "assistant",
                "content": "text",
                "refusal": None,
                "annotations": [],
                "audio": None,
                "function_call": None,
                "reasoning_content": "thought",
                "tool_calls": [call("c1"), call("c2", "{}")],
            },
        }
    ],
    "usage": {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 15,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    },
}
RESENT = {"role": "assistant", "content": "text", "reasoning_content": "thought", "tool_calls": [call("c1"), call("c2", "{}")]}


@pytest.mark.parametrize("body", [COMPLETION, ChatCompletion.model_validate(COMPLETION), MappingProxyType(COMPLETION)])
def test_a_reply_is_kept_as_it_must_be_sent_back(body: Any) -> None:
    reply = chat.parse_reply(body)
    assert json.loads(reply.messages[0].wire) == RESENT
    assert (reply.status, reply.stop_reason, reply.reply_id) == ("complete", "tool_calls", "chatcmpl-1")
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens, reply.usage.reasoning_tokens) == (10, 5, 4, 2)


def test_a_client_object_adds_nothing_to_its_message() -> None:
    message = ChatCompletion.model_validate(COMPLETION).choices[0].message
    assert json.loads(chat.parse_message(to_mapping(message)).wire) == RESENT
    with pytest.raises(ParseError):
        to_mapping(3)


def test_an_empty_reply_has_no_message_and_a_cut_call_is_left_out() -> None:
    empty = {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": None, "tool_calls": None}}]}
    assert chat.parse_reply(empty).messages == ()
    cut = {"choices": [{"finish_reason": "length", "message": {"content": None, "tool_calls": [call("c1"), call("c2", '{"a":')]}}]}
    assert [made.call_id for made in chat.parse_reply(cut).messages[0].calls] == ["c1"]
    with pytest.raises(ParseError):
        chat.parse_reply({"error": {"message": "overloaded"}})


# --- streams


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def pieces_of(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(place for place in cuts if place < len(text))})
    return [text[a:b] for a, b in pairwise(places)]


@st.composite
def chunks(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The chunks of COMPLETION, cut anywhere, its parallel calls interleaved."""
    cuts = st.lists(st.integers(1, 6), max_size=3)
    out = [chunk({"role": "assistant", "content": ""})]
    out += [chunk({"reasoning_content": piece}) for piece in pieces_of("thought", draw(cuts))]
    out += [chunk({"content": piece}) for piece in pieces_of("text", draw(cuts))]
    out += [chunk({"tool_calls": [{"index": n, **call(f"c{n + 1}", "")}]}) for n in range(2)]
    split = [pieces_of(text, draw(cuts)) for text in ('{"a":1}', "{}")]
    own = [iter(pieces) for pieces in split]  # the pieces of one call keep their order, the calls interleave
    order = draw(st.permutations([n for n, pieces in enumerate(split) for _ in pieces]))
    out += [chunk({"tool_calls": [{"index": n, "function": {"arguments": next(own[n])}}]}) for n in order]
    out.append(chunk({}, "tool_calls"))
    return [*out, {"id": "chatcmpl-1", "choices": [], "usage": COMPLETION["usage"]}]


@given(chunks())
def test_a_stream_is_the_reply_it_amounts_to(events: list[dict[str, Any]]) -> None:
    folded, whole = chat.fold_stream(events), chat.parse_reply(COMPLETION)
    assert json.loads(folded.messages[0].wire) == RESENT
    assert (folded.usage, folded.status, folded.stop_reason, folded.reply_id) == (whole.usage, "complete", "tool_calls", "chatcmpl-1")


@given(chunks(), st.data())
def test_a_stream_cut_anywhere_leaves_a_valid_message_or_none(events: list[dict[str, Any]], data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(events) - 3))
    error = data.draw(st.sampled_from([[], [{"error": {"message": "upstream went away"}}]]))
    reply = chat.fold_stream([*events[:end], *error])
    assert reply.status == "aborted"
    for message in reply.messages:
        assert message.status == "aborted"
        answers = [result(made.call_id) for made in message.calls]
        chat.validate({"messages": [user(), json.loads(message.wire), *answers, user()]})


def test_odd_streams() -> None:
    assert chat.fold_stream([]).messages == ()
    assert chat.fold_stream([chunk({"role": "assistant"})]).messages == ()
    same_index = [chunk({"tool_calls": [{"index": 0, **call(name, "{}")}]}) for name in ("a", "b")] + [chunk({}, "tool_calls")]
    assert [made.call_id for made in chat.fold_stream(same_index).messages[0].calls] == ["a", "b"]
    no_index = [chunk({"tool_calls": [call("a", '{"x"')]}), chunk({"tool_calls": [{"function": {"arguments": ":1}"}}]}), chunk({}, "stop")]
    assert chat.fold_stream(no_index).messages[0].calls[0].arguments == '{"x":1}'
    signed = [
        chunk({"tool_calls": [{"index": 0, **call("a", "{}"), "extra_content": {"google": {"thought_signature": "s"}}}]}),
        chunk({}, "stop"),
    ]
    assert json.loads(chat.fold_stream(signed).messages[0].wire)["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "s"}}
    refused = [chunk({"refusal": "I "}), chunk({"refusal": "won't"}), chunk({}, "stop")]
    assert chat.fold_stream(refused).messages[0].text == "I won't"
    details = [chunk({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": text}]}) for text in "ab"] + [chunk({}, "stop")]
    assert json.loads(chat.fold_stream(details).messages[0].wire)["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "ab"}
    ]


# --- rendering


def test_lenient_texts_stand_where_they_are() -> None:
    body = rendered(
        LENIENT, ("client", {"role": "developer", "content": "s"}), ("front", "f1"), ("front", "f2"), ("message", user()), ("tail", "t")
    )
    assert body["messages"] == [
        {"role": "developer", "content": "s"},
        {"role": "system", "content": "f1"},
        {"role": "system", "content": "f2"},
        user(),
        {"role": "system", "content": "t"},
    ]


@pytest.mark.parametrize(
    ("pieces", "messages"),
    [
        (
            [("client", {"role": "developer", "content": "s", "name": "n"}), ("front", "f1"), ("front", "f2"), ("message", user())],
            [{"role": "system", "content": "s\n\nf1\n\nf2", "name": "n"}, user()],
        ),
        (
            [("client", {"role": "system", "content": [{"type": "text", "text": "s"}]}), ("front", "f"), ("message", user())],
            [{"role": "system", "content": [{"type": "text", "text": "s"}, {"type": "text", "text": "f"}]}, user()],
        ),
        ([("message", user("a")), ("message", user("b"))], [user("a\n\nb")]),
        (
            [("message", user("a")), ("message", user([{"type": "x"}]))],
            [user([{"type": "text", "text": "a"}, {"type": "x"}])],
        ),
        (
            [
                ("message", user()),
                ("message", {"role": "assistant", "content": "thinking aloud"}),
                ("message", [calling("c"), result("c")]),
            ],
            [user(), calling("c", content="thinking aloud"), result("c")],
        ),
        # a tail: at the head of the user message it stands before, else at the end of the user or tool message it stands after
        ([("message", user("a")), ("message", {"role": "assistant", "content": "b"}), ("tail", "t"), ("message", user("c"))], "t\n\nc"),
        ([("message", user("a")), ("tail", "t")], "a\n\nt"),
        ([("message", [user("a"), calling("c"), result("c")]), ("tail", "t")], "ok\n\nt"),
        ([("message", user("a")), ("message", {"role": "assistant", "content": "b"}), ("tail", "t")], "t"),
        (
            [("message", {"role": "assistant", "content": "b"}), ("message", user())],
            [user(LEFT_OUT), {"role": "assistant", "content": "b"}, user()],
        ),
        (
            [
                ("message", user()),
                ("message", {"role": "assistant", "content": "b"}),
                ("message", {"role": "system", "content": "late"}),
                ("message", user()),
            ],
            [user(), {"role": "assistant", "content": "b"}, user("late\n\nhi")],
        ),
    ],
)
def test_strict_roles(pieces: list[tuple[Place, Any]], messages: Any) -> None:
    body = rendered(STRICT, *pieces)
    if isinstance(messages, str):
        assert body["messages"][-1]["content"] == messages
    else:
        assert body["messages"] == messages
    chat.validate(body, STRICT)


def test_c11_without_tools_nothing_speaks_of_them() -> None:
    body = rendered(LENIENT, ("message", user()), tools=[], parallel_tool_calls=True, tool_choice="auto", model="m")
    assert body == {"model": "m", "messages": [user()]}


def test_c4_c6_what_would_be_refused_is_mended() -> None:
    empty = {"role": "assistant", "content": None, "tool_calls": []}
    bare = {"role": "assistant", "content": None, "tool_calls": [call("c", "")]}
    body = rendered(LENIENT, ("message", user()), ("message", empty), ("message", [bare, result("c")]))
    assert body["messages"][1] == {"role": "assistant", "content": ""}
    assert body["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}"
    chat.validate(body)


def test_c3_a_call_id_used_twice_is_renamed_with_its_result() -> None:
    pieces: list[tuple[Place, Any]] = [("message", user()), *[("message", [calling("c", "d"), result("d"), result("c")]) for _ in range(3)]]
    body = rendered(LENIENT, *pieces)
    ids = [message.get("tool_call_id") for message in body["messages"] if message["role"] == "tool"]
    assert ids == ["d", "c", "d_2", "c_2", "d_3", "c_3"]
    chat.validate(body)
    shorter = rendered(LENIENT, *pieces[:-1])["messages"]
    assert body["messages"][: len(shorter)] == shorter


# --- small changes


def parsed(wire: dict[str, Any]) -> Message:
    return chat.parse_message(wire)


def test_edits_change_what_they_name_and_nothing_else() -> None:
    listed = result("c1", [{"type": "text", "text": "a", "x": 1}, {"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}}])
    changed = chat.with_results(parsed({**listed, "y": 2}), {"c1": "short"})
    assert json.loads(changed.wire) == {
        **result("c1", [{"type": "text", "text": "short", "x": 1, "cache_control": {"type": "ephemeral"}}]),
        "y": 2,
    }
    assert changed.results[0].text == "short"
    plain = parsed(result("c1"))
    assert chat.with_results(plain, {"other": "short"}) is plain

    spoken = {**calling("c1", "c2", content="long"), "reasoning_content": "r", "z": 0}
    assert json.loads(chat.with_text(parsed(spoken), "cut").wire) == {**spoken, "content": "cut"}
    mixed = user([{"type": "text", "text": "a"}, {"type": "x"}, {"type": "image_url", "image_url": {"url": "https://x.org/i"}}])
    assert json.loads(chat.with_text(parsed(mixed), "cut").wire) == user([{"type": "text", "text": "cut"}, {"type": "x"}])
    assert chat.with_text(plain, "cut") is plain

    renamed = chat.with_call_ids(chat.with_arguments(parsed(spoken), {"c2": "{}"}), {"c1": "n1"})
    assert [(made.call_id, made.arguments) for made in renamed.calls] == [("n1", '{"a":1}'), ("c2", "{}")]
    assert chat.with_call_ids(plain, {"c1": "n1"}).results[0].call_id == "n1"
    legacy = parsed({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}})
    assert chat.with_arguments(legacy, {"": '{"b":2}'}).calls[0].arguments == '{"b":2}'

    bare = chat.without_reasoning(parsed(spoken))
    assert bare is not None and json.loads(bare.wire) == {key: value for key, value in spoken.items() if key != "reasoning_content"}
    assert chat.without_reasoning(parsed({"role": "assistant", "content": "", "reasoning_content": "r"})) is None
    assert chat.without_reasoning(plain) is plain


def test_made_messages_are_valid() -> None:
    made = [chat.make_message("user", "hi"), parsed(calling("c")), chat.make_result("c", "f", "")]
    chat.validate({"messages": [json.loads(message.wire) for message in made]})
    assert chat.make_result("", "f", "r") == parsed({"role": "function", "name": "f", "content": "r"})


# --- C1-C11

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,@@@"}}
UNANSWERED = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."


@pytest.mark.parametrize(
    ("rule", "messages", "wording"),
    [
        (
            "C1",
            [user(), calling("c1", "c2"), result("c1"), user()],
            f"{UNANSWERED} The following tool_call_ids did not have response messages: c2",
        ),
        ("C1", [user(), calling("c1")], UNANSWERED),
        ("C1", [user(), calling("c1"), {"role": "system", "content": "s"}, result("c1")], UNANSWERED),
        ("C2", [user(), result("c1")], "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."),
        ("C2", [user(), calling("c1"), result("c1"), result("c1")], "must be a response"),
        ("C3", [user(), calling("c1", "c1"), result("c1"), result("c1")], UNANSWERED),
        ("C4", [user(), {"role": "assistant", "content": "x", "tool_calls": []}], "Invalid 'messages[1].tool_calls': empty array."),
        ("C4", [], "empty array"),
        ("C5", [user(), {"role": "assistant", "content": None}, user()], "expected a string, got null"),
        ("C5", [user(None)], "expected a string, got null"),
        ("C6", [user(), {**calling(), "tool_calls": [call("c", "{")]}, result("c")], "valid JSON"),
        ("C9", [{"role": "robot", "content": "x"}], "Invalid value: 'robot'"),
        ("C10", [user([IMAGE])], "Invalid base64 image_url"),
    ],
)
def test_broken_prompts_are_refused_in_the_providers_words(rule: str, messages: list[Any], wording: str) -> None:
    with pytest.raises(InvalidPrompt) as caught:
        chat.validate({"messages": messages})
    assert caught.value.rule == rule and wording in caught.value.message


@pytest.mark.parametrize(
    ("rule", "messages"),
    [
        ("C8", [user(), user()]),
        ("C8", [user(), {"role": "system", "content": "s"}, user()]),
        ("C8", [{"role": "system", "content": "s"}, {"role": "assistant", "content": "a"}, user()]),
        ("C8", [user(), {"role": "assistant", "content": "a"}]),
        ("C9", [{"role": "developer", "content": "s"}, user()]),
    ],
)
def test_c8_c9_strict_roles_only_where_the_target_has_them(rule: str, messages: list[Any]) -> None:
    chat.validate({"messages": messages}, LENIENT)
    with pytest.raises(InvalidPrompt) as caught:
        chat.validate({"messages": messages}, STRICT)
    assert caught.value.rule == rule


def test_c11_parallel_tool_calls_need_tools() -> None:
    with pytest.raises(InvalidPrompt) as caught:
        chat.validate({"messages": [user()], "parallel_tool_calls": False})
    assert caught.value.rule == "C11"


# --- what real clients send


@pytest.mark.data
def test_captured_requests_round_trip_and_are_valid(data_dir: Path) -> None:
    bodies = [
        request["body"]
        for path in sorted((data_dir / "captures").glob("*.json"))
        for request in json.loads(path.read_text("utf-8"))
        if request["path"].endswith("/chat/completions") and request["body"]
    ]
    assert len(bodies) >= 10
    for body in bodies:
        chat.validate(body)
        request = chat.parse_request(body)
        items = [RenderItem("client", message.wire) for message in request.system]
        items += [RenderItem("message", message.wire) for message in request.messages]
        assert chat.render(LENIENT, items, request.tools, request.params) == body
