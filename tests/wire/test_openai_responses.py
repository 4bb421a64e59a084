"""The Responses form: items in and out, edits, replies, and what the provider refuses."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.messages import Media, Message, Opaque, Reasoning, Text, ToolCall, ToolResult, encode_wire
from trimtab.core.plan import Place, RenderItem
from trimtab.core.target import Target
from trimtab.errors import InvalidPrompt, ParseError
from trimtab.wire import ParsedRequest, wire_for
from trimtab.wire.openai_responses import OpenAIResponses
from trimtab.wire.openai_responses.items import PAIRS

WIRE = OpenAIResponses()
TARGET = Target(model="gpt-5.4", wire="openai_responses")
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
CAPTURES = ("codex", "codex_compact", "openai-responses", "langchain-openai-resp", "openai-agents-resp")

USER: dict[str, Any] = {"role": "user", "content": "weather?"}
THOUGHT: dict[str, Any] = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "hm"}],
    "encrypted_content": "gAAA",
}
CALL: dict[str, Any] = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "look",
    "arguments": '{"q":1}',
    "status": "completed",
}
OUTPUT: dict[str, Any] = {"type": "function_call_output", "id": "fco_1", "call_id": "call_1", "output": "sunny"}
ANSWER: dict[str, Any] = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "phase": "final_answer",
    "content": [{"type": "output_text", "text": "It is sunny.", "annotations": []}],
}
HISTORY = [USER, THOUGHT, CALL, OUTPUT, ANSWER]


def body_of(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "gpt-5.4", "input": [dict(item) for item in items], **more}


def items_of(parsed: ParsedRequest) -> list[RenderItem]:
    placed: list[tuple[Place, Message]] = [("client", message) for message in parsed.system]
    placed += [("message", message) for message in parsed.messages]
    return [RenderItem(place, message.wire) for place, message in placed]


def again(body: dict[str, Any]) -> dict[str, Any]:
    parsed = WIRE.parse_request(body)
    return WIRE.render(TARGET, items_of(parsed), parsed.tools, parsed.params)


def item(message: Message) -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(message.wire)
    return decoded


def test_the_form_is_found_by_its_name() -> None:
    assert wire_for("openai_responses").name == "openai_responses"


@pytest.mark.data
@pytest.mark.parametrize("client", CAPTURES)
def test_requests_of_real_clients_come_back_as_they_were_and_are_valid(data_dir: Path, client: str) -> None:
    bodies = [request["body"] for request in json.loads((data_dir / "captures" / f"{client}.json").read_text("utf-8"))]
    assert bodies
    for body in bodies:
        assert again(body) == body
        WIRE.validate(body)


@pytest.mark.parametrize(
    "body",
    [
        body_of(*HISTORY, instructions="be brief", tools=[{"type": "function", "name": "look"}], store=False),
        {"model": "m", "input": "hi"},
        {"model": "m", "input": "more", "instructions": "s", "previous_response_id": "resp_1"},
        {"model": "m", "previous_response_id": "resp_1"},
        {"model": "m", "input": [USER], "tools": [], "instructions": None},
        {"model": "m", "input": [USER], "instructions": ""},
        body_of({"type": "message", "role": "developer", "content": "rules"}, USER, {"type": "compaction", "encrypted_content": "x"}),
        body_of(USER, {"type": "from_the_future", "id": "ff_1", "deep": {"é": [1, None]}}),
        body_of({"type": "item_reference", "id": "msg_9"}, {"id": "msg_8"}, USER),
    ],
)
def test_what_needs_no_change_is_sent_as_it_came(body: dict[str, Any]) -> None:
    before = copy.deepcopy(body)
    assert again(body) == before
    assert body == before


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
unknown_fields = st.dictionaries(st.text(min_size=1, max_size=8).map(lambda name: "x_" + name), json_values, max_size=3)


@given(st.lists(st.tuples(st.sampled_from([*HISTORY, {"type": "web_search_call", "id": "ws_1"}]), unknown_fields), min_size=1, max_size=8))
def test_unknown_fields_survive(drawn: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    body = {"model": "m", "input": [{**known, **unknown} for known, unknown in drawn]}
    assert again(body) == body


@pytest.mark.parametrize(
    ("value", "role", "part"),
    [
        (USER, "user", Text("weather?")),
        ({"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "d"}]}, "system", Text("d")),
        ({"role": "system", "content": "s"}, "system", Text("s")),
        (ANSWER, "assistant", Text("It is sunny.")),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, "assistant", Text("no")),
        (THOUGHT, "assistant", Reasoning(text="hm", signature="gAAA")),
        ({"type": "reasoning", "id": "rs_2", "summary": []}, "assistant", Reasoning(signature="rs_2")),
        (CALL, "assistant", ToolCall("call_1", "look", '{"q":1}')),
        (
            {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** Begin"},
            "assistant",
            ToolCall("c", "patch", "*** Begin"),
        ),
        (
            {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}},
            "assistant",
            ToolCall("c", "shell_call", '{"commands":["ls"]}'),
        ),
        (
            {"type": "computer_call", "call_id": "c", "actions": [{"type": "wait"}]},
            "assistant",
            ToolCall("c", "computer_call", '[{"type":"wait"}]'),
        ),
        ({"type": "mcp_approval_request", "id": "mcpr_1", "name": "rm", "arguments": "{}"}, "assistant", ToolCall("mcpr_1", "rm", "{}")),
        (OUTPUT, "tool", ToolResult("call_1", (Text("sunny"),))),
        ({**OUTPUT, "output": [{"type": "input_text", "text": "a"}]}, "tool", ToolResult("call_1", (Text("a"),))),
        (
            {
                "type": "shell_call_output",
                "call_id": "c",
                "output": [{"stdout": "", "stderr": "e", "outcome": {"type": "exit", "exit_code": 2}}],
            },
            "tool",
            ToolResult("c", (Text("e"),), is_error=True),
        ),
        ({"type": "apply_patch_call_output", "call_id": "c", "status": "failed"}, "tool", ToolResult("c", (), is_error=True)),
        ({"type": "local_shell_call_output", "id": "c", "output": "o"}, "tool", ToolResult("c", (Text("o"),))),
        (
            {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
            "tool",
            ToolResult("mcpr_1", (Text("approved"),)),
        ),
        ({"type": "web_search_call", "id": "ws_1"}, "assistant", Opaque("web_search_call", '{"type":"web_search_call","id":"ws_1"}')),
        ({"type": "new", "role": "user"}, "user", Opaque("new", '{"type":"new","role":"user"}')),
        (
            {"role": "user", "content": [{"type": "input_image", "image_url": "https://example.test/a.png", "detail": "low"}]},
            "user",
            Media("image", url="https://example.test/a.png", detail="low"),
        ),
        ({"role": "user", "content": [{"type": "input_file", "file_id": "file_1"}]}, "user", Media("file", url="file:file_1")),
    ],
)
def test_items_as_messages(value: dict[str, Any], role: str, part: Any) -> None:
    message = WIRE.parse_message(value)
    assert (message.role, message.parts) == (role, (part,))
    assert item(message) == value


def test_an_mcp_call_carries_its_own_answer() -> None:
    message = WIRE.parse_message(
        {"type": "mcp_call", "id": "mcp_1", "name": "find", "arguments": "{}", "output": "long", "server_label": "s"}
    )
    assert message.parts == (ToolCall("mcp_1", "find", "{}"), ToolResult("mcp_1", (Text("long"),)))
    short = WIRE.with_results(message, {"mcp_1": "stub"})
    assert item(short)["output"] == "stub"
    assert item(short)["id"] == "mcp_1"  # the schema requires it


def test_a_picture_is_known_by_its_bytes() -> None:
    blocks = [{"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}]
    (part,) = WIRE.parse_message({"role": "user", "content": blocks}).parts
    assert isinstance(part, Media)
    assert (part.media_type, part.width, part.height, part.url) == ("image/png", 1, 1, "")
    assert part.digest


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("text", "$"),
        ({}, "$"),
        ({"role": "wizard", "content": ""}, "$.role"),
        ({"role": "user", "content": 7}, "$.content"),
        ({"role": "user", "content": ["x"]}, "$.content[0]"),
        ({"type": "function_call", "call_id": "c", "name": "f"}, "$.arguments"),
        ({"role": "user", "content": "\ud800"}, "$"),
    ],
)
def test_what_is_no_item_is_named_with_its_path(value: Any, path: str) -> None:
    with pytest.raises(ParseError) as caught:
        WIRE.parse_message(value)
    assert caught.value.path == path


def test_paths_point_into_the_request() -> None:
    with pytest.raises(ParseError) as caught:
        WIRE.parse_request(body_of(USER, {"role": "user", "content": [1]}))
    assert caught.value.path == "$.input[1].content[0]"


def test_instructions_and_leading_developer_items_are_the_system_part() -> None:
    rules = {"type": "message", "role": "developer", "content": "rules"}
    parsed = WIRE.parse_request(body_of(rules, USER, rules, instructions="be brief"))
    assert [message.text for message in parsed.system] == ["be brief", "rules"]
    assert [message.role for message in parsed.messages] == ["user", "system"]
    assert WIRE.parse_system("be brief") == parsed.system[:1]
    assert WIRE.parse_system([rules]) == parsed.system[1:]
    assert WIRE.parse_system(None) == ()


def test_our_text_stands_in_developer_items_at_its_place() -> None:
    parsed = WIRE.parse_request({"model": "m", "input": "hi", "instructions": "i"})
    client, message = items_of(parsed)
    history = RenderItem("message", encode_wire([CALL, OUTPUT]))
    body = WIRE.render(TARGET, [client, RenderItem("front", b"state"), history, RenderItem("tail", b"now"), message], None, parsed.params)
    assert body["instructions"] == "i"
    assert body["input"] == [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "state"}]},
        CALL,
        OUTPUT,
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "now"}]},
        {"role": "user", "content": "hi"},
    ]
    assert "tools" not in body
    assert "tools" not in WIRE.render(TARGET, [message], [], {})
    WIRE.validate(body)


def test_an_edited_item_loses_its_id_and_keeps_the_rest() -> None:
    output = WIRE.with_results(WIRE.parse_message({**OUTPUT, "x": 1}), {"call_1": "stub"})
    assert item(output) == {"type": "function_call_output", "call_id": "call_1", "output": "stub", "x": 1}
    call = WIRE.with_arguments(WIRE.parse_message(CALL), {"call_1": '{"cut":true}'})
    assert item(call) == {key: value for key, value in CALL.items() if key != "id"} | {"arguments": '{"cut":true}'}
    answer = WIRE.with_text(WIRE.parse_message(ANSWER), "short")
    assert answer.text == "short"
    assert item(answer)["phase"] == "final_answer"
    assert "id" not in item(answer)
    assert "id" not in item(WIRE.unbind(WIRE.parse_message(CALL)))


@pytest.mark.parametrize("value", [USER, THOUGHT, CALL, OUTPUT, ANSWER, {"type": "new", "id": "n_1"}])
def test_an_edit_that_names_nothing_in_the_item_changes_nothing(value: dict[str, Any]) -> None:
    message = WIRE.parse_message(value)
    assert WIRE.with_results(message, {"other": "x"}) is message
    assert WIRE.with_arguments(message, {"other": "{}"}) is message
    assert WIRE.with_call_ids(message, {"other": "x"}) is message


def test_the_cache_mark_of_a_replaced_result_stays() -> None:
    mark = {"ttl": "30m"}
    output = {
        **OUTPUT,
        "output": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b", "prompt_cache_breakpoint": mark}],
    }
    short = WIRE.with_results(WIRE.parse_message(output), {"call_1": "stub"})
    assert item(short)["output"] == [{"type": "input_text", "text": "stub", "prompt_cache_breakpoint": mark}]


def test_call_ids_are_renamed_on_both_sides() -> None:
    ids = {"call_1": "call_2"}
    call, output = (WIRE.with_call_ids(WIRE.parse_message(value), ids) for value in (CALL, OUTPUT))
    assert (call.calls[0].call_id, output.results[0].call_id) == ("call_2", "call_2")


def test_reasoning_goes_whole_and_nothing_else_does() -> None:
    kept = [WIRE.without_reasoning(WIRE.parse_message(value)) for value in HISTORY]
    assert [message and item(message) for message in kept] == [USER, None, CALL, OUTPUT, ANSWER]


ASKED: dict[str, Any] = {
    "function_call": "{}",
    "custom_tool_call": "free text",
    "local_shell_call": {"type": "exec", "command": ["ls"], "env": {}},
    "shell_call": {"commands": ["ls"]},
    "apply_patch_call": {"type": "update_file", "path": "a.py", "diff": "@@"},
    "computer_call": {"type": "wait"},
    "tool_search_call": {"query": "x"},
    "program": "1 + 1",
    "mcp_approval_request": "{}",
}


def call_item(kind: str) -> dict[str, Any]:
    pair = next(pair for pair in PAIRS if pair.call == kind)
    made = {"type": kind, pair.asks: ASKED[kind], "call_id": "call_1"}
    if kind == "mcp_approval_request":
        made["id"] = made.pop("call_id")
    return made | ({"name": "f"} if kind in ("function_call", "custom_tool_call", "mcp_approval_request") else {})


@pytest.mark.parametrize("kind", [pair.call for pair in PAIRS])
def test_every_kind_of_call_is_answered_in_its_own_kind(kind: str) -> None:
    call = WIRE.parse_message(call_item(kind))
    answer = WIRE.make_result_for(call, "interrupted")
    assert answer.role == "tool"
    assert answer.results[0].call_id == call.calls[0].call_id
    WIRE.validate(body_of(USER, item(call), item(answer)))
    with pytest.raises(InvalidPrompt, match=r"No tool call found for .* output|No tool call found for mcp approval response"):
        WIRE.validate(body_of(USER, item(answer)))
    short = WIRE.with_arguments(call, {"call_1": '{"left_out":"9 kB"}'})
    assert short.calls[0].call_id == "call_1"
    WIRE.validate(body_of(USER, item(short), item(WIRE.with_results(answer, {"call_1": "stub"}))))


@pytest.mark.parametrize("kind", [pair.call for pair in PAIRS if pair.awaited])
def test_a_call_without_its_answer_is_refused(kind: str) -> None:
    with pytest.raises(InvalidPrompt, match=f"No tool output found for {kind.replace('_', ' ')} call_1") as caught:
        WIRE.validate(body_of(USER, call_item(kind)))
    assert (caught.value.rule, caught.value.path) == ("R1", "input[1]")


REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("R0", "One of 'input'", {"model": "m", "input": []}),
    ("R0", "One of 'input'", {"model": "m"}),
    ("R1", "No tool output found for function call call_1.", body_of(USER, CALL)),
    ("R1", "No tool call found for function call output with call_id call_1.", body_of(USER, OUTPUT)),
    ("R1", "No tool call found for function call output with call_id call_1.", body_of(USER, OUTPUT, CALL)),
    ("R1", "Duplicate function call output", body_of(USER, CALL, OUTPUT, {**OUTPUT, "id": None})),
    ("R1", "No tool call found for custom tool call output", body_of(USER, CALL, {**OUTPUT, "type": "custom_tool_call_output"})),
    ("R2", "Item 'rs_1' of type 'reasoning' was provided without its required following item.", body_of(USER, THOUGHT)),
    ("R2", "Item 'rs_1' of type 'reasoning' was provided without its required following item.", body_of(THOUGHT, USER)),
    ("R2", "required following item", body_of(USER, CALL, THOUGHT, OUTPUT)),
    ("R3", "Invalid 'input[1].id': 'item_1'. Expected an ID that begins with 'fc'.", body_of(USER, {**CALL, "id": "item_1"}, OUTPUT)),
    ("R3", "begins with 'msg'", body_of({**ANSWER, "id": "fc_9"})),
    ("R3", "begins with 'rs'", body_of({**THOUGHT, "id": "msg_9"}, ANSWER)),
    ("R3", "Duplicate item found with id msg_1", body_of(ANSWER, USER, ANSWER)),
    ("R5", "Mutually exclusive", body_of(USER, previous_response_id="resp_1", conversation="conv_1")),
    ("R6", "must be the final input item", body_of({"type": "compaction_trigger"}, USER)),
]


@pytest.mark.parametrize(("rule", "words", "body"), REFUSED)
def test_what_the_provider_refuses(rule: str, words: str, body: dict[str, Any]) -> None:
    with pytest.raises(InvalidPrompt) as caught:
        WIRE.validate(body)
    assert caught.value.rule == rule
    assert words in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        body_of(*HISTORY),
        body_of(USER, THOUGHT, CALL, {**CALL, "id": "fc_2", "call_id": "call_2"}, OUTPUT, {**OUTPUT, "call_id": "call_2"}),
        body_of(USER, CALL, OUTPUT, {**CALL, "id": "fc_2"}, OUTPUT),  # the id came again after its answer
        body_of(OUTPUT, previous_response_id="resp_1"),
        body_of(USER, {"type": "compaction_trigger"}),
        body_of(call_item("local_shell_call"), OUTPUT),
        body_of(USER, {"type": "tool_search_call", "call_id": None, "arguments": {}}),
        body_of(USER, call_item("program"), {**CALL, "call_id": "call_2"}, {**OUTPUT, "call_id": "call_2"}),
    ],
)
def test_what_the_provider_takes(body: dict[str, Any]) -> None:
    WIRE.validate(body)


REPLY: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "status": "completed",
    "output": [THOUGHT, CALL, ANSWER],
    "usage": {
        "input_tokens": 50,
        "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 3},
        "output_tokens": 9,
        "output_tokens_details": {"reasoning_tokens": 4},
        "total_tokens": 59,
    },
}


def stream_of(reply: dict[str, Any]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {**reply, "output": []}}]
    for index, made in enumerate(reply["output"]):
        announced = {**made, "encrypted_content": "not yet"} if made["type"] == "reasoning" else made
        events.append({"type": "response.output_item.added", "output_index": index, "item": announced})
        if made["type"] == "message":
            events += [{"type": "response.output_text.delta", "output_index": index, "delta": piece} for piece in ("It is ", "sunny.")]
        events.append({"type": "response.output_item.done", "output_index": index, "item": made})
    return [*events, {"type": f"response.{reply['status']}", "response": reply}]


def test_a_stream_amounts_to_the_same_as_the_whole_body() -> None:
    whole = WIRE.parse_reply(REPLY)
    assert [item(message) for message in whole.messages] == REPLY["output"]
    assert whole.usage is not None
    assert (whole.usage.input_tokens, whole.usage.cached_tokens, whole.usage.cache_write_tokens) == (50, 40, 3)
    assert (whole.usage.output_tokens, whole.usage.reasoning_tokens) == (9, 4)
    assert (whole.status, whole.stop_reason, whole.reply_id) == ("complete", "completed", "resp_1")
    assert WIRE.fold_stream(stream_of(REPLY)) == whole


@pytest.mark.parametrize("cut", range(len(stream_of(REPLY))))
def test_a_stream_cut_anywhere_leaves_what_can_be_sent_again(cut: int) -> None:
    reply = WIRE.fold_stream(stream_of(REPLY)[:cut])
    assert reply.status == "aborted"
    answers = [item(WIRE.make_result(call.call_id, call.name, "o")) for message in reply.messages for call in message.calls]
    WIRE.validate(body_of(USER, *(item(message) for message in reply.messages), *answers))
    kinds = [item(message)["type"] for message in reply.messages]
    done = [event["item"]["type"] for event in stream_of(REPLY)[:cut] if event["type"] == "response.output_item.done"]
    assert kinds[: len(done)] == (done if done != ["reasoning"] else kinds)
    assert [message.status for message in reply.messages[len(done) :]] in ([], ["aborted"])


def test_text_that_was_seen_before_the_cut_is_kept() -> None:
    (message,) = WIRE.fold_stream(stream_of({**REPLY, "output": [ANSWER]})[:3]).messages
    assert (message.text, message.status) == ("It is ", "aborted")
    assert "id" not in item(message)


def test_a_reply_cut_by_length_loses_the_call_that_is_not_whole() -> None:
    cut = {**REPLY, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    cut["output"] = [ANSWER, THOUGHT, {**CALL, "arguments": '{"q":'}]
    reply = WIRE.fold_stream(stream_of(cut))
    assert (reply.status, reply.stop_reason) == ("complete", "max_output_tokens")
    assert [item(message) for message in reply.messages] == [ANSWER]
    assert WIRE.parse_reply(cut) == reply


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ({"type": "response.failed", "response": {"id": "resp_1", "status": "failed", "error": {"code": "server_error"}}}, "server_error"),
        ({"type": "error", "code": "rate_limit_exceeded", "message": "slow down", "param": None}, "rate_limit_exceeded"),
    ],
)
def test_a_failed_stream_is_aborted_with_its_reason(last: dict[str, Any], reason: str) -> None:
    reply = WIRE.fold_stream([*stream_of({**REPLY, "output": [ANSWER]})[:-1], last])
    assert (reply.status, reply.stop_reason) == ("aborted", reason)
    assert [message.text for message in reply.messages] == ["It is sunny."]


def rendered(message: Message) -> list[dict[str, Any]]:
    return [msgspec.json.decode(wire) for wire in WIRE.render_message(message)]


def test_an_anthropic_turn_becomes_items() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"q": 1}},
    ]
    turn = wire_for("anthropic").parse_message({"role": "assistant", "content": blocks})
    results = wire_for("anthropic").parse_message(
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": [
                        {"type": "text", "text": "see"},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                    ],
                },
                {"type": "text", "text": "go on"},
            ],
        }
    )
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}
    items = rendered(turn) + rendered(results)
    assert items == [
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]},
        {"type": "function_call", "call_id": "toolu_1", "name": "look", "arguments": '{"q":1}'},
        {"type": "function_call_output", "call_id": "toolu_1", "output": [{"type": "input_text", "text": "see"}, picture]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]},
    ]
    WIRE.validate(body_of(USER, *items))


def test_its_own_items_are_rendered_byte_for_byte() -> None:
    assert [WIRE.render_message(WIRE.parse_message(value)) for value in HISTORY] == [(encode_wire(value),) for value in HISTORY]


@pytest.mark.parametrize(("role", "sent"), [("user", "user"), ("assistant", "assistant"), ("system", "developer")])
def test_messages_are_made_in_the_words_of_the_form(role: Any, sent: str) -> None:
    message = WIRE.make_message(role, "text")
    assert (message.role, message.text, item(message)["role"]) == (role, "text", sent)


def test_a_tool_message_without_a_call_is_not_made() -> None:
    with pytest.raises(ValueError, match="make_result"):
        WIRE.make_message("tool", "x")
