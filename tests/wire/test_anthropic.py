"""Messages: what is parsed is rendered again unchanged, what is valid stays valid, and A1-A12 are noticed."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import Message as SdkMessage
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.histories import PIXEL, claude_blocks, extra_fields, json_values, marks, words
from trimtab.core.messages import Media, Message, Opaque, Reasoning, Text, ToolCall, ToolResult, encode_wire
from trimtab.core.plan import Place, RenderItem
from trimtab.core.target import Target
from trimtab.errors import InvalidPrompt, ParseError
from trimtab.wire import wire_for
from trimtab.wire.anthropic.marks import body_holders
from trimtab.wire.common import LEFT_OUT, NO_OUTPUT

claude = wire_for("anthropic")
TARGET = Target(model="claude-sonnet-4-5", wire="anthropic")
STRICT = Target(model="claude-sonnet-4-5", wire="anthropic", strict_roles=True)
TOOLS = [{"name": "f", "input_schema": {"type": "object"}}]
MARK = {"cache_control": {"type": "ephemeral"}}


def item(place: Place, value: Any) -> RenderItem:
    return RenderItem(place, value.encode() if isinstance(value, str) else encode_wire(value))


def rendered(*pieces: tuple[Place, Any], target: Target = TARGET, tools: list[Any] | None = None, **params: Any) -> dict[str, Any]:
    return claude.render(target, [item(*piece) for piece in pieces], tools, params)


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def use(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "f", "input": {"a": 1}, **more}


def answer(call_id: str, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content) if content else "hi"}


def says(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content) if content else "yes"}


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}
REDACTED = {"type": "redacted_thinking", "data": "xx"}


# --- DESIGN §9 (7): render(parse(x)) == x


@given(claude_blocks(), st.none() | words | st.builds(lambda word, mark: [text(word, **mark)], words, marks), extra_fields)
def test_7_a_body_parsed_and_rendered_is_the_same_body(blocks: list[list[Any]], system: Any, params: dict[str, Any]) -> None:
    body = {**params, "model": "m", "max_tokens": 5, "messages": [message for block in blocks for message in block], "tools": TOOLS}
    if system is not None:
        body["system"] = system
    parsed = claude.parse_request(body)
    items = [RenderItem("client", message.wire) for message in parsed.system]
    items += [RenderItem("message", message.wire) for message in parsed.messages]
    again = claude.render(TARGET, items, parsed.tools, parsed.params)
    if len(body_holders(body)) <= 4:
        assert again == body
        assert [list(message) for message in again["messages"]] == [list(message) for message in body["messages"]]
    for message in parsed.messages:
        assert claude.render_message(message) == (message.wire,)


@given(st.sampled_from(["user", "assistant"]), words, json_values, extra_fields)
def test_7_unknown_blocks_travel_untouched(role: str, kind: str, value: Any, extra: dict[str, Any]) -> None:
    wire = {"role": role, "content": [{"type": "x-" + kind, "body": value}], **extra}
    message = claude.parse_message(wire)
    assert json.loads(message.wire) == wire
    assert isinstance(message.parts[0], Opaque) and json.loads(message.parts[0].raw) == wire["content"][0]


# --- DESIGN §9 (2): valid for the wire form


@given(claude_blocks(), st.lists(words, max_size=2), st.sampled_from([TARGET, STRICT]), st.data())
def test_2_any_valid_list_stays_valid_through_render(
    blocks: list[list[Any]], front: list[str], target: Target, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(blocks)))
    pieces: list[tuple[Place, Any]] = [("front", piece) for piece in front]
    for block in blocks[cut:]:
        pieces.append(("message", block))
        pieces += [("tail", piece) for piece in data.draw(st.just([]) | st.lists(words, max_size=2))]
    body = rendered(("client", {"role": "system", "content": [text("s", **MARK)]}), *pieces, target=target, tools=TOOLS)
    claude.validate(body, target)
    sent = json.dumps([body["system"], body["messages"]], ensure_ascii=False)
    for place, value in pieces:
        assert place == "message" or json.dumps(value, ensure_ascii=False)[1:-1] in sent
    if front or target.strict_roles:
        roles = [message["role"] for message in body["messages"]]
        assert all(one != other for one, other in pairwise(roles))


# --- parsing


@pytest.mark.parametrize(
    ("wire", "role", "parts"),
    [
        (user(), "user", (Text("hi"),)),
        ({"role": "system", "content": "s"}, "system", (Text("s"),)),
        (user(answer("a"), answer("b", None, is_error=True)), "tool", (ToolResult("a", (Text("ok"),)), ToolResult("b", is_error=True))),
        (user(answer("a"), text("and")), "user", (ToolResult("a", (Text("ok"),)), Text("and"))),
        (user(answer("a", [text("x"), {"type": "new"}])), "tool", (ToolResult("a", (Text("x"), Opaque("new", '{"type":"new"}'))),)),
        (
            says(THOUGHT, REDACTED, text("x"), use("t")),
            "assistant",
            (Reasoning("hm", "sig"), Reasoning("", "xx"), Text("x"), ToolCall("t", "f", '{"a":1}')),
        ),
        (user({"type": "image", "source": {"type": "url", "url": "https://x.org/i"}}), "user", (Media("image", url="https://x.org/i"),)),
        (user({"type": "document", "source": {"type": "file", "file_id": "f1"}}), "user", (Media("file", url="file-id:f1"),)),
        ({"role": "user", "content": []}, "user", ()),
    ],
)
def test_parts_of_each_kind(wire: dict[str, Any], role: str, parts: tuple[Any, ...]) -> None:
    message = claude.parse_message(wire)
    assert (message.role, message.parts) == (role, parts)
    assert json.loads(message.wire) == wire


def test_media_is_known_by_its_bytes() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    image = claude.parse_message(user({"type": "image", "source": source, **MARK})).parts[0]
    assert isinstance(image, Media) and (image.width, image.height, image.kind) == (3, 2, "image")
    chat = wire_for("openai_chat").parse_message(
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}]}
    )
    assert image == chat.parts[0]
    document = claude.parse_message(
        user({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "法律"}})
    ).parts[0]
    assert isinstance(document, Media) and (document.kind, document.size_bytes) == ("file", 6)


@pytest.mark.parametrize(
    ("wire", "path"),
    [
        ({"role": "tool", "content": "x"}, "$.role"),
        ({"role": "user"}, "$.content"),
        (user("x"), "$.content[0]"),
        (says({"type": "tool_use", "name": "f", "input": {}}), "$.content[0].id"),
        (user({"type": "tool_result"}), "$.content[0].tool_use_id"),
        (user(text("\ud83d")), "$"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_path(wire: dict[str, Any], path: str) -> None:
    with pytest.raises(ParseError) as caught:
        claude.parse_message(wire)
    assert caught.value.path == path


REPLY = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [THOUGHT, text("Let me see."), use("toolu_1"), use("toolu_2", input={})],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 7},
}


@pytest.mark.parametrize("body", [REPLY, SdkMessage.model_validate(REPLY)])
def test_a_reply_is_kept_as_it_must_be_sent_back(body: Any) -> None:
    reply = claude.parse_reply(body)
    assert json.loads(reply.messages[0].wire) == {"role": "assistant", "content": REPLY["content"]}
    assert (reply.status, reply.stop_reason, reply.reply_id) == ("complete", "tool_use", "msg_1")
    assert reply.usage is not None
    usage = reply.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens, usage.output_tokens) == (10, 5, 2, 7)
    assert claude.parse_reply({**REPLY, "content": []}).messages == ()
    with pytest.raises(ParseError):
        claude.parse_reply({"type": "error", "error": {}})


def test_client_objects_inside_a_dict_are_read_too() -> None:
    message = claude.parse_message({"role": "assistant", "content": SdkMessage.model_validate(REPLY).content})
    assert json.loads(message.wire)["content"] == REPLY["content"]


# --- streams


def deltas(kind: str, field: str, value: str, cut: int) -> list[dict[str, Any]]:
    return [{"type": kind, field: piece} for piece in (value[:cut], value[cut:]) if piece]


@st.composite
def events(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The events of REPLY, its deltas cut anywhere."""
    cut = draw(st.integers(0, 7))
    start = {
        "type": "message_start",
        "message": {**REPLY, "content": [], "stop_reason": None, "usage": {**REPLY["usage"], "output_tokens": 1}},
    }  # type: ignore[dict-item]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        (
            {**THOUGHT, "thinking": "", "signature": ""},
            [*deltas("thinking_delta", "thinking", "hm", cut), {"type": "signature_delta", "signature": "sig"}],
        ),
        (text(""), deltas("text_delta", "text", "Let me see.", cut)),
        (use("toolu_1", input={}), deltas("input_json_delta", "partial_json", '{"a": 1}', cut)),
        (use("toolu_2", input={}), [{"type": "input_json_delta", "partial_json": ""}]),
    ]
    out: list[dict[str, Any]] = [start, {"type": "ping"}]
    for index, (block, pieces) in enumerate(blocks):
        out.append({"type": "content_block_start", "index": index, "content_block": block})
        out += [{"type": "content_block_delta", "index": index, "delta": piece} for piece in pieces]
        out.append({"type": "content_block_stop", "index": index})
    return [*out, {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}}, {"type": "message_stop"}]


@given(events())
def test_a_stream_is_the_reply_it_amounts_to(stream: list[dict[str, Any]]) -> None:
    assert claude.fold_stream(stream) == claude.parse_reply(REPLY)


@given(events(), st.data())
def test_a_stream_cut_anywhere_leaves_a_valid_message_or_none(stream: list[dict[str, Any]], data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(stream) - 3))
    error = data.draw(st.sampled_from([[], [{"type": "error", "error": {"type": "overloaded_error"}}]]))
    reply = claude.fold_stream([*stream[:end], *error])
    assert reply.status == "aborted"
    for message in reply.messages:
        assert message.status == "aborted"
        answers = [answer(call.call_id) for call in message.calls] or [text("go on")]
        claude.validate({"messages": [user(), json.loads(message.wire), user(*answers)]})


def test_odd_streams() -> None:
    assert claude.fold_stream([]).messages == ()
    block = {"type": "compaction", "content": None}
    stream = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": "so "}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": "far"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": text("")},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "x"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": {"n": 1}}},
        {"type": "text", "text": "x", "snapshot": "x"},  # an event that the client library adds
        {"type": "content_block_stop", "index": 1},
        {"type": "message_stop"},
    ]
    content = json.loads(claude.fold_stream(stream).messages[0].wire)["content"]
    assert content == [{"type": "compaction", "content": "so far"}, text("x", citations=[{"n": 1}])]


# --- rendering


def test_the_clients_system_value_stays_until_something_stands_behind_it() -> None:
    blocks = [text("a", **MARK), text("b")]
    assert rendered(("client", {"role": "system", "content": blocks}), ("message", user()))["system"] == blocks
    assert rendered(("client", {"role": "system", "content": "s"}), ("message", user()))["system"] == "s"
    both = rendered(("client", {"role": "system", "content": "s"}), ("front", "f1"), ("front", "f2"), ("message", user()))
    assert both["system"] == [text("s"), text("f1"), text("f2")]
    assert "system" not in rendered(("message", user()))
    assert rendered(("front", "f"), ("message", user()))["system"] == [text("f")]


@pytest.mark.parametrize(
    ("pieces", "messages"),
    [
        # neighbours of one role are one message where we add something in front
        ([("front", "f"), ("message", user()), ("message", user(text("b")))], [user(text("hi"), text("b"))]),
        ([("front", "f"), ("message", user()), ("message", says()), ("message", says(text("b")))], [user(), says(text("yes"), text("b"))]),
        # and stay as the client sent them where we do not, unless a pair would be torn
        ([("message", user()), ("message", user(text("b")))], [user(), user(text("b"))]),
        (
            [
                ("message", user()),
                ("message", says(use("a"), use("b"))),
                ("message", user(answer("a"))),
                ("message", user(text("x"), answer("b"))),
            ],
            [user(), says(use("a"), use("b")), user(answer("a"), answer("b"), text("x"))],
        ),
        (
            [("message", user()), ("message", says(use("a"))), ("message", says(use("b"))), ("message", user(answer("a"), answer("b")))],
            [user(), says(use("a"), use("b")), user(answer("a"), answer("b"))],
        ),
        # A4
        ([("message", says()), ("message", user())], [{"role": "user", "content": LEFT_OUT}, says(), user()]),
        ([], [{"role": "user", "content": LEFT_OUT}]),
        # a tail
        ([("message", user()), ("tail", "t")], [user(text("hi"), text("t"))]),
        ([("message", [user(), says(use("a")), user(answer("a"))]), ("tail", "t")], [user(), says(use("a")), user(answer("a"), text("t"))]),
        ([("tail", "t"), ("message", user())], [user(text("t"), text("hi"))]),
        ([("message", user()), ("message", says()), ("tail", "t")], [user(), says(), user(text("t"))]),
        (
            [("message", user()), ("message", says()), ("tail", "t"), ("message", user(text("b")))],
            [user(), says(), user(text("t"), text("b"))],
        ),
    ],
)
def test_the_history(pieces: list[tuple[Place, Any]], messages: list[Any]) -> None:
    body = rendered(*pieces)
    assert body["messages"] == messages
    claude.validate(body)


def test_tools_and_params_pass_through() -> None:
    assert rendered(("message", user()), tools=TOOLS, tool_choice={"type": "auto"}, max_tokens=5) == {
        "messages": [user()],
        "tools": TOOLS,
        "tool_choice": {"type": "auto"},
        "max_tokens": 5,
    }
    assert rendered(("message", user()), tools=[], tool_choice={"type": "auto"}) == {"messages": [user()]}


def test_a11_only_the_last_four_cache_marks_stay() -> None:
    tools = [{**TOOLS[0], **MARK}]
    pieces: list[tuple[Place, Any]] = [("client", {"role": "system", "content": [text("s", **MARK)]})]
    pieces += [("message", [user(text(str(n), **MARK)), says()]) for n in range(3)]
    pieces += [("message", [user(text("x")), says(use("c"))]), ("message", user(answer("c", [text("in", **MARK)])))]
    body = rendered(*pieces, tools=tools)
    assert [block["text"] for block in body_holders(body)] == ["0", "1", "2", "in"]
    assert "cache_control" in tools[0], "the caller's own list was changed"
    claude.validate(body)
    automatic = rendered(*pieces, tools=tools, **MARK)
    assert [block.get("text") for block in body_holders(automatic)] == ["1", "2", "in", None]


def test_a3_a_call_id_used_twice_is_renamed_with_its_result() -> None:
    body = rendered(("message", user()), *[("message", [says(use("c")), user(answer("c"))]) for _ in range(2)])
    assert body["messages"][1:] == [says(use("c")), user(answer("c")), says(use("c_2")), user(answer("c_2"))]
    claude.validate(body)


# --- small changes


def parsed(wire: dict[str, Any]) -> Message:
    return claude.parse_message(wire)


def wire_of(message: Message | None) -> Any:
    assert message is not None
    return json.loads(message.wire)


def test_edits_change_what_they_name_and_nothing_else() -> None:
    mixed = {**user(answer("a", [text("x"), {"type": "image"}, text("y", **MARK)], is_error=True, z=1), answer("b"), text("and")), "y": 2}
    cleared = claude.with_results(parsed(mixed), {"a": "short"})
    assert wire_of(cleared) == {**user(answer("a", [text("short", **MARK)], is_error=True, z=1), answer("b"), text("and")), "y": 2}
    assert wire_of(claude.with_results(parsed(user(answer("b", "long", **MARK))), {"b": ""})) == user(answer("b", NO_OUTPUT, **MARK))

    spoken = says(THOUGHT, text("long", citations=[1], **MARK), use("a"), text("more"))
    assert wire_of(claude.with_text(parsed(spoken), "cut")) == says(THOUGHT, text("cut", **MARK), use("a"))
    assert wire_of(claude.with_text(parsed(says(THOUGHT, use("a"))), "cut")) == says(THOUGHT, text("cut"), use("a"))
    assert wire_of(claude.with_text(parsed(user()), "cut")) == {"role": "user", "content": "cut"}
    results = parsed(user(answer("a")))
    assert claude.with_text(results, "cut") is results

    renamed = claude.with_call_ids(claude.with_arguments(parsed(says(use("a", k=1), use("b"))), {"a": '{"b":2}'}), {"b": "n"})
    assert wire_of(renamed) == says(use("a", k=1, input={"b": 2}), use("n"))
    assert wire_of(claude.with_call_ids(parsed(mixed), {"b": "n"}))["content"][1]["tool_use_id"] == "n"
    assert claude.with_call_ids(results, {"b": "n"}) is results

    assert wire_of(claude.without_reasoning(parsed(says(THOUGHT, text("x"), REDACTED, use("a"))))) == says(text("x"), use("a"))
    assert claude.without_reasoning(parsed(says(THOUGHT, REDACTED))) is None
    assert claude.without_reasoning(results) is results


def test_made_messages_are_valid() -> None:
    made = [claude.make_message("user", "hi"), parsed(says(use("c"))), claude.make_result("c", "f", "")]
    claude.validate({"messages": [wire_of(message) for message in made]})
    assert made[2].role == "tool" and made[2].results[0].text == NO_OUTPUT
    assert claude.make_message("system", "s") == claude.parse_system("s")[0]


# --- A1-A12

ORPHANED = "`tool_use` ids were found without `tool_result` blocks immediately after: "


@pytest.mark.parametrize(
    ("rule", "messages", "wording"),
    [
        ("A1", [user(), says(use("a"), use("b")), user(answer("a"))], f"messages.1: {ORPHANED}b. Each"),
        ("A1", [user(), says(use("a"))], f"messages.1: {ORPHANED}a. Each"),
        ("A1", [user(), says(use("a")), says(), user(answer("a"))], ORPHANED),
        ("A2", [user(answer("a"))], "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each"),
        ("A2", [user(), says(use("a")), user(answer("a"), answer("a"))], "unexpected `tool_use_id`"),
        ("A2", [user(), says({"type": "advisor_tool_result", "tool_use_id": "s"})], "`server_tool_use` block before it"),
        ("A3", [user(), says(use("a")), user(text("x"), answer("a"))], ORPHANED),
        ("A3", [user(), says(use("a"), use("a")), user(answer("a"))], "`tool_use` ids must be unique"),
        ("A4", [says(), user()], 'messages: first message must use the "user" role'),
        ("A4", [], "at least one message"),
        ("A4", [user(), {"role": "tool", "content": "x"}], "Unexpected role"),
        ("A5", [user(text(""))], "messages: text content blocks must be non-empty"),
        ("A5", [{"role": "user", "content": ""}], "non-empty"),
        ("A5", [user(), says(use("a")), user(answer("a", [text("")]))], "non-empty"),
        ("A7", [user(), says({**THOUGHT, "signature": ""}), user()], "messages.1.content.0: Invalid `signature` in `thinking` block"),
        ("A7", [user(), says({"type": "thinking", "signature": "s"}), user()], "each thinking block must contain thinking"),
        ("A11", [user(*(text(str(n), **MARK) for n in range(5)))], "A maximum of 4 blocks with cache_control may be provided. Found 5."),
        ("A12", [user(), says(text("x"), {"type": "compaction", "content": "c"}), user()], "first block"),
        ("A12", [user(), says({"type": "compaction", "content": ""}), user()], "not empty"),
    ],
)
def test_broken_prompts_are_refused_in_the_providers_words(rule: str, messages: list[Any], wording: str) -> None:
    with pytest.raises(InvalidPrompt) as caught:
        claude.validate({"messages": messages})
    assert caught.value.rule == rule and wording in caught.value.message


def test_a2_server_tools_pair_up_inside_assistant_messages() -> None:
    called = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    claude.validate({"messages": [user(), says(called, {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}), user()]})


def test_a8_the_turn_before_results_starts_with_reasoning() -> None:
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    bare = [user(), says(use("a")), user(answer("a"))]
    with pytest.raises(InvalidPrompt) as caught:
        claude.validate({"messages": bare, **thinking}, TARGET)
    assert caught.value.rule == "A8" and "found `tool_use`" in caught.value.message
    claude.validate({"messages": bare}, TARGET)
    claude.validate({"messages": bare, **thinking}, Target(model="claude-opus-5-5", wire="anthropic"))
    claude.validate({"messages": bare, **thinking}, Target(wire="anthropic", reasoning_first=False))
    claude.validate({"messages": [user(), says(THOUGHT, use("a")), user(answer("a"))], **thinking})
    claude.validate({"messages": [user(), says(THOUGHT, use("a")), user(answer("a")), says(use("b")), user(answer("b"))], **thinking})
    claude.validate({"messages": [*bare, says(text("done")), user()], **thinking})


# --- what real clients send


@pytest.mark.data
def test_captured_requests_round_trip_and_are_valid(data_dir: Path) -> None:
    bodies = [
        request["body"]
        for path in sorted((data_dir / "captures").glob("*.json"))
        for request in json.loads(path.read_text("utf-8"))
        if request["path"].startswith("/v1/messages") and request["body"]
    ]
    assert len(bodies) >= 20
    for body in bodies:
        request = claude.parse_request(body)
        items = [RenderItem("client", message.wire) for message in request.system]
        items += [RenderItem("message", message.wire) for message in request.messages]
        assert claude.render(TARGET, items, request.tools, request.params) == body
        if (body.get("thread") or {}).get("type") != "continue":  # its calls are on the server
            claude.validate(body)
