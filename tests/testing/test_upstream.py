"""The strict mock upstream: what it refuses, how it binds reasoning, and that the real clients can read it."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Coroutine, Mapping
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.messages import WIRES, WireName
from trimtab.errors import InvalidPrompt
from trimtab.testing import ScriptedReply, StrictUpstream, UpstreamRefusal, check_prompt
from trimtab.testing.upstream import Binding
from trimtab.wire import wire_for

CHAT, RESPONSES, MESSAGES = WIRES
TOOLS: dict[WireName, list[dict[str, Any]]] = {
    CHAT: [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
    RESPONSES: [{"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}],
    MESSAGES: [{"name": "look", "input_schema": {"type": "object"}}],
}


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **more}


def anthropic_body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 100, "messages": list(messages), **more}


def said(role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


USER = {"role": "user", "content": "hi"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOOL = {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}
USE = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "sunny"}
TEXT = {"type": "text", "text": "words"}
MARK = {"cache_control": {"type": "ephemeral"}}
MANUAL = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
ITEM_CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "{}"}
ITEM_OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "sunny"}

REFUSED: list[tuple[str, WireName, str, dict[str, Any]]] = [
    ("C1", CHAT, "must be followed by tool messages responding to each 'tool_call_id'", chat(USER, CALLING, USER)),
    ("C2", CHAT, "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", chat(USER, TOOL)),
    ("C3", CHAT, "did not have response messages: call_1", chat(USER, CALLING, TOOL, CALLING, TOOL)),
    (
        "C4",
        CHAT,
        "empty array. Expected an array with minimum length 1",
        chat(USER, {"role": "assistant", "content": "x", "tool_calls": []}),
    ),
    ("C5", CHAT, "expected a string, got null", chat(USER, {"role": "assistant", "content": None})),
    (
        "C6",
        CHAT,
        "expected a string of valid JSON",
        chat(USER, {**CALLING, "tool_calls": [{**CALL, "function": {"name": "look", "arguments": "{"}}]}, TOOL),
    ),
    ("C8", CHAT, "Conversation roles must alternate", chat(USER, USER)),
    ("C9", CHAT, "Unexpected role developer", chat({"role": "developer", "content": "x"}, USER)),
    ("C10", CHAT, "Invalid base64 image_url", chat(said("user", {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAA"}}))),
    ("C11", CHAT, "only allowed when 'tools' are specified", chat(USER, parallel_tool_calls=True)),
    ("C12", CHAT, "maximum context length is 1000 tokens. However, you requested 1050 tokens (50 in", chat(USER, max_tokens=1000)),
    ("R1", RESPONSES, "No tool output found for function call call_1.", {"model": "m", "input": [USER, ITEM_CALL]}),
    ("R1", RESPONSES, "No tool call found for function call output with call_id call_1.", {"model": "m", "input": [USER, ITEM_OUTPUT]}),
    (
        "R2",
        RESPONSES,
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        {"model": "m", "input": [USER, {"type": "reasoning", "id": "rs_1", "summary": []}]},
    ),
    (
        "R3",
        RESPONSES,
        "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'",
        {"model": "m", "input": [USER, {**ITEM_CALL, "id": "call_1"}, ITEM_OUTPUT]},
    ),
    ("R6", RESPONSES, "'compaction_trigger' must be the final input item", {"model": "m", "input": [{"type": "compaction_trigger"}, USER]}),
    ("C12", RESPONSES, "Your input exceeds the context window", {"model": "m", "input": "hi", "max_output_tokens": 1000}),
    (
        "A1",
        MESSAGES,
        "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.",
        anthropic_body(USER, said("assistant", USE)),
    ),
    ("A2", MESSAGES, "unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.", anthropic_body(said("user", RESULT))),
    (
        "A3",
        MESSAGES,
        "without `tool_result` blocks immediately after",
        anthropic_body(USER, said("assistant", USE), said("user", TEXT, RESULT)),
    ),
    ("A4", MESSAGES, 'messages: first message must use the "user" role', anthropic_body(said("assistant", TEXT), USER)),
    ("A5", MESSAGES, "messages: text content blocks must be non-empty", anthropic_body(said("user", {"type": "text", "text": ""}))),
    (
        "A7",
        MESSAGES,
        "Invalid `signature` in `thinking` block",
        anthropic_body(USER, said("assistant", {"type": "thinking", "thinking": "x", "signature": "forged"}, TEXT), USER),
    ),
    (
        "A8",
        MESSAGES,
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
        anthropic_body(USER, said("assistant", USE), said("user", RESULT), **MANUAL),
    ),
    (
        "A11",
        MESSAGES,
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        anthropic_body(said("user", *[{**TEXT, **MARK}] * 5)),
    ),
    ("A12", MESSAGES, "compaction", anthropic_body(USER, said("assistant", TEXT, {"type": "compaction", "content": "sum"}), USER)),
    ("A14", MESSAGES, "prompt is too long: 2000 tokens > 1000 maximum", anthropic_body(USER, system="long")),
    ("A14", MESSAGES, "input length and `max_tokens` exceed context limit: 50 + 999 > 1000", {**anthropic_body(USER), "max_tokens": 999}),
]


def fixed_count(body: Mapping[str, Any]) -> int:
    return 2_000 if body.get("system") == "long" else 50


def strict(rule: str) -> StrictUpstream:
    return StrictUpstream(window_tokens=1_000, counter=fixed_count, strict_roles=rule in ("C8", "C9"))


@pytest.mark.parametrize(("rule", "wire", "words", "body"), REFUSED, ids=[f"{case[0]}-{case[1]}-{n}" for n, case in enumerate(REFUSED)])
def test_a_broken_rule_is_refused_in_the_provider_s_words(rule: str, wire: WireName, words: str, body: dict[str, Any]) -> None:
    with pytest.raises(UpstreamRefusal) as caught:
        strict(rule).check(wire, body)
    assert (caught.value.rule, caught.value.status) == (rule, 400)
    assert words in caught.value.message
    error = caught.value.body["error"]
    assert error["type"] == "invalid_request_error"
    assert caught.value.body.get("type") == ("error" if wire == MESSAGES else None)
    assert ("code" in error) is (wire != MESSAGES)


GOOD: list[tuple[WireName, dict[str, Any]]] = [
    (CHAT, chat({"role": "system", "content": "s"}, USER, CALLING, TOOL, {"role": "assistant", "content": "x"}, USER)),
    (RESPONSES, {"model": "m", "input": [USER, ITEM_CALL, ITEM_OUTPUT, USER]}),
    (RESPONSES, {"model": "m", "input": "hi"}),
    (MESSAGES, anthropic_body(USER, said("assistant", TEXT, USE), said("user", RESULT, {**TEXT, **MARK}), system="s")),
]


@pytest.mark.parametrize(("wire", "body"), GOOD)
def test_what_providers_take_is_taken_and_not_changed(wire: WireName, body: dict[str, Any]) -> None:
    before = copy.deepcopy(body)
    upstream = StrictUpstream()
    upstream.check(wire, body)
    assert upstream.requests == []
    upstream.reply(wire, body)
    assert upstream.requests == [before]
    assert body == before


def test_the_validator_alone_knows_no_window() -> None:
    check_prompt(chat(USER, max_tokens=10**9), CHAT)
    with pytest.raises(InvalidPrompt) as caught:
        check_prompt(chat(USER, TOOL), CHAT)
    assert caught.value.rule == "C2"


def test_a_prompt_is_counted_by_four_characters_without_a_counter() -> None:
    with pytest.raises(UpstreamRefusal) as caught:
        StrictUpstream(window_tokens=100).check(CHAT, chat({"role": "user", "content": "x" * 400}))
    assert caught.value.rule == "C12"


# --- the conversation of a client that thinks and calls, as each form resends it ---


def script(wire: WireName, body: Mapping[str, Any], number: int) -> ScriptedReply:
    return ScriptedReply(text=f"answer {number}", calls=[("look", {"n": number})], thinking=f"thought {number}")


def resent(wire: WireName, body: dict[str, Any], reply: Mapping[str, Any]) -> dict[str, Any]:
    """The next request: everything so far, the reply, the answers to its calls."""
    parsed = wire_for(wire).parse_reply(reply)
    calls = [call for message in parsed.messages for call in message.calls]
    if wire == RESPONSES:
        outputs = [{"type": "function_call_output", "call_id": call.call_id, "output": "sunny"} for call in calls]
        return {**body, "input": [*body["input"], *reply["output"], *outputs]}
    if wire == MESSAGES:
        results = [{"type": "tool_result", "tool_use_id": call.call_id, "content": "sunny"} for call in calls]
        return {**body, "messages": [*body["messages"], said("assistant", *reply["content"]), said("user", *results)]}
    answers = [{"role": "tool", "tool_call_id": call.call_id, "content": "sunny"} for call in calls]
    return {**body, "messages": [*body["messages"], reply["choices"][0]["message"], *answers]}


def opening(wire: WireName) -> dict[str, Any]:
    first: dict[WireName, dict[str, Any]] = {
        CHAT: chat({"role": "system", "content": "be brief"}, USER),
        RESPONSES: {"model": "m", "instructions": "be brief", "input": [dict(USER)]},
        MESSAGES: anthropic_body(USER, system="be brief"),
    }
    return {**first[wire], "tools": TOOLS[wire]}


def conversation(upstream: StrictUpstream, wire: WireName, rounds: int) -> dict[str, Any]:
    body = opening(wire)
    for _ in range(rounds):
        body = resent(wire, body, upstream.reply(wire, body))
    return body


@pytest.mark.parametrize("binding", ["none", "error", "drop"])
@pytest.mark.parametrize("wire", WIRES)
def test_an_untouched_conversation_goes_on(wire: WireName, binding: Binding) -> None:
    upstream = StrictUpstream(script, binding=binding)
    body = conversation(upstream, wire, rounds=3)
    assert "input_transformations" not in upstream.reply(wire, body)
    assert upstream.dropped == 0
    assert len(upstream.requests) == 4


def retold(body: dict[str, Any]) -> dict[str, Any]:
    """What clients change from one resend to the next without changing what the model reads."""
    other = copy.deepcopy(body)
    other["system"] = [{**TEXT, "text": "be brief", **MARK}]
    other["messages"][0]["content"] = [{"type": "text", "text": "hi", **MARK}]
    other["messages"][2]["content"][0]["content"] = [{"type": "text", "text": "sunny"}]
    return other


def test_moved_cache_marks_and_strings_for_blocks_do_not_break_the_binding() -> None:
    upstream = StrictUpstream(script, binding="error")
    upstream.check(MESSAGES, retold(conversation(upstream, MESSAGES, rounds=2)))


def edit_system(body: dict[str, Any]) -> None:
    body["system" if "system" in body else "instructions"] = "be verbose"


def edit_tools(body: dict[str, Any]) -> None:
    body["tools"].append({**body["tools"][0], "name": "more"})


def edit_first(body: dict[str, Any]) -> None:
    body["messages" if "messages" in body else "input"][0]["content"] = "bye"


EDITS = [edit_system, edit_tools, edit_first]


@pytest.mark.parametrize("edit", EDITS)
def test_a_changed_prefix_is_refused(edit: Any) -> None:
    upstream = StrictUpstream(script, binding="error")
    body = copy.deepcopy(conversation(upstream, MESSAGES, rounds=2))
    edit(body)
    with pytest.raises(UpstreamRefusal) as caught:
        upstream.check(MESSAGES, body)
    assert caught.value.rule == "A9"
    assert caught.value.message.startswith(
        "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different"
    )
    upstream.check(MESSAGES, {**body, "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}})
    assert upstream.dropped == 2


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(("wire", "binding"), [(MESSAGES, "drop"), (RESPONSES, "drop"), (RESPONSES, "error")])
def test_reasoning_after_a_changed_prefix_is_dropped_and_reported(wire: WireName, binding: Binding, edit: Any) -> None:
    upstream = StrictUpstream(script, binding=binding)
    body = copy.deepcopy(conversation(upstream, wire, rounds=2))
    edit(body)
    reply = upstream.reply(wire, body)
    assert upstream.dropped == 2
    first = reply["input_transformations"][0]
    if wire == MESSAGES:
        assert first == {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"}
    else:
        assert first == {"type": "reasoning", "id": body["input"][1]["id"], "action": "removed", "reason": "prefix_mismatch"}
    # what is thought from here on is bound to the new prefix
    again = resent(wire, body, reply)
    assert len(upstream.reply(wire, again)["input_transformations"]) == 2


@pytest.mark.parametrize("wire", [MESSAGES, RESPONSES])
def test_without_binding_a_changed_prefix_is_nothing(wire: WireName) -> None:
    upstream = StrictUpstream(script)
    body = copy.deepcopy(conversation(upstream, wire, rounds=2))
    edit_first(body)
    assert "input_transformations" not in upstream.reply(wire, body)


def without_thinking(body: dict[str, Any], *rounds: int) -> dict[str, Any]:
    """The request without the reasoning of the given rounds, from 0."""
    other = copy.deepcopy(body)
    for number in rounds:
        other["messages"][1 + 2 * number]["content"].pop(0)
    return other


def test_reasoning_may_leave_at_the_start_but_not_from_the_middle() -> None:
    upstream = StrictUpstream(script, binding="error")
    body = conversation(upstream, MESSAGES, rounds=4)
    for gone in ([0], [0, 1], [0, 1, 2, 3], [3]):
        upstream.check(MESSAGES, without_thinking(body, *gone))
    with pytest.raises(UpstreamRefusal, match=r"messages\.5\.content\.0: .*different conversation"):
        upstream.check(MESSAGES, without_thinking(body, 1))


def test_changed_thinking_is_refused_apart_in_the_latest_message() -> None:
    upstream = StrictUpstream(script)
    body = conversation(upstream, MESSAGES, rounds=2)
    for index, rule, words in ((1, "A7", "Invalid `signature`"), (3, "A6", "in the latest assistant message cannot be modified")):
        other = copy.deepcopy(body)
        other["messages"][index]["content"][0]["thinking"] += "."
        with pytest.raises(UpstreamRefusal) as caught:
            upstream.check(MESSAGES, other)
        assert caught.value.rule == rule
        assert caught.value.message.startswith(f"messages.{index}.content.0: ")
        assert words in caught.value.message
        with pytest.raises(UpstreamRefusal):
            upstream.count_tokens({"model": "m", "messages": other["messages"][index : index + 1]})


def test_a_signature_of_another_key_is_refused() -> None:
    body = conversation(StrictUpstream(script, key=b"other"), MESSAGES, rounds=1)
    with pytest.raises(UpstreamRefusal) as caught:
        StrictUpstream(script).check(MESSAGES, body)
    assert caught.value.rule == "A7"
    items = conversation(StrictUpstream(script, key=b"other"), RESPONSES, rounds=1)
    with pytest.raises(UpstreamRefusal, match="could not be verified"):
        StrictUpstream(script).check(RESPONSES, items)


def test_an_item_without_the_reasoning_it_came_after_is_refused() -> None:
    upstream = StrictUpstream(script)
    body = conversation(upstream, RESPONSES, rounds=1)
    thought, message, call = body["input"][1:4]
    alone = {**body, "input": [item for item in body["input"] if item is not thought]}
    with pytest.raises(UpstreamRefusal) as caught:
        upstream.check(RESPONSES, alone)
    assert caught.value.rule == "R2"
    words = f"Item '{message['id']}' of type 'message' was provided without its required 'reasoning' item: '{thought['id']}'."
    assert caught.value.message == words
    parted = {**body, "input": [item for item in body["input"] if item is not message]}
    with pytest.raises(UpstreamRefusal, match="without its required following item"):
        upstream.check(RESPONSES, parted)
    wire = wire_for(RESPONSES)
    unbound = [{key: value for key, value in item.items() if key != "id"} for item in (message, call)]
    upstream.check(RESPONSES, {**body, "input": [body["input"][0], *unbound, body["input"][4]]})
    assert wire.without_reasoning(wire.parse_message(thought)) is None


def test_reasoning_content_of_the_current_turn_must_come_back() -> None:
    upstream = StrictUpstream(script)
    body = conversation(upstream, CHAT, rounds=1)
    stripped = copy.deepcopy(body)
    del stripped["messages"][2]["reasoning_content"]
    with pytest.raises(UpstreamRefusal, match="must be passed back to the API") as caught:
        upstream.check(CHAT, stripped)
    assert caught.value.rule == "C7"
    upstream.check(CHAT, {**stripped, "messages": [*stripped["messages"], USER]})


@pytest.mark.parametrize("wire", [MESSAGES, RESPONSES])
def test_a_made_up_history_can_be_sealed(wire: WireName) -> None:
    foreign = conversation(StrictUpstream(script, key=b"other"), wire, rounds=3)
    upstream = StrictUpstream(script, binding="error")
    sealed = upstream.sealed(wire, foreign)
    assert "input_transformations" not in upstream.reply(wire, sealed)
    edit_first(sealed)
    assert upstream.dropped == 0
    if wire == MESSAGES:
        with pytest.raises(UpstreamRefusal, match="different conversation"):
            upstream.check(wire, sealed)
    else:
        upstream.check(wire, sealed)
        assert upstream.dropped == 3


def test_replies_come_from_a_list_and_then_echo() -> None:
    upstream = StrictUpstream([ScriptedReply(text="one", usage={"prompt_tokens": 7})])
    first, second = (upstream.reply(CHAT, chat(USER)) for _ in range(2))
    assert first["choices"][0]["message"]["content"] == "one"
    assert first["usage"]["prompt_tokens"] == 7
    assert second["choices"][0]["message"]["content"] == "reply 2: hi"
    assert first["id"] != second["id"]


scripted = st.builds(
    ScriptedReply,
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    calls=st.lists(
        st.tuples(
            st.just("look"),
            st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers() | st.text('é"\\\n中', max_size=30), max_size=3),
        ),
        max_size=3,
    ),
    thinking=st.none() | st.text("hm. ", min_size=1, max_size=60),
)


@given(wire=st.sampled_from(WIRES), reply=scripted)
def test_a_stream_folds_to_the_same_reply(wire: WireName, reply: ScriptedReply) -> None:
    body = {**opening(wire), "stream_options": {"include_usage": True}}
    whole = wire_for(wire).parse_reply(StrictUpstream([reply]).reply(wire, body))
    folded = wire_for(wire).fold_stream(StrictUpstream([reply]).stream(wire, body))
    assert [(message.role, message.parts) for message in folded.messages] == [(message.role, message.parts) for message in whole.messages]
    assert (folded.usage, folded.status, folded.stop_reason) == (whole.usage, whole.status, whole.stop_reason)


def test_the_events_of_a_response_come_in_the_order_of_the_provider() -> None:
    events = StrictUpstream([ScriptedReply(text="x", calls=[("look", {})], thinking="t")]).stream(RESPONSES, opening(RESPONSES))
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    kinds = [event["type"].removeprefix("response.") for event in events]
    assert kinds == [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]


def test_the_events_of_a_message_come_in_the_order_of_the_provider() -> None:
    events = StrictUpstream([ScriptedReply(text="x", thinking="t")]).stream(MESSAGES, opening(MESSAGES))
    assert [event["type"] for event in events] == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


# --- the real clients, in this process, without a socket ---

ONE = [
    ScriptedReply(text="Hello there, this is longer than one piece.", calls=[("look", {"city": "Köln"})], thinking="let me think about it")
]


def http(upstream: StrictUpstream) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=upstream), base_url="http://upstream.test")


def run(task: Coroutine[Any, Any, None]) -> None:
    asyncio.run(task)


def openai_client(web: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key="k", base_url="http://upstream.test/v1", http_client=web, max_retries=0)


def anthropic_client(web: httpx2.AsyncClient) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(api_key="k", base_url="http://upstream.test", http_client=web, max_retries=0)


@pytest.mark.parametrize("streaming", [False, True])
def test_the_openai_client_reads_chat(streaming: bool) -> None:
    upstream = StrictUpstream(ONE)

    async def talk() -> None:
        async with http(upstream) as web:
            client, asked = openai_client(web), chat(USER, tools=TOOLS[CHAT])
            if streaming:
                async with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
                    whole = await stream.get_final_completion()
            else:
                whole = await client.chat.completions.create(**asked)
        message = whole.choices[0].message
        assert message.content == ONE[0].text
        assert message.tool_calls is not None
        assert message.tool_calls[0].function.arguments == '{"city":"Köln"}'
        assert whole.choices[0].finish_reason == "tool_calls"
        assert whole.usage is not None
        assert whole.usage.prompt_tokens > 0

    run(talk())
    assert upstream.requests[0]["messages"] == [USER]


@pytest.mark.parametrize("streaming", [False, True])
def test_the_openai_client_reads_responses(streaming: bool) -> None:
    async def talk() -> None:
        async with http(StrictUpstream(ONE)) as web:
            client, asked = openai_client(web), {"model": "m", "input": "hi", "tools": TOOLS[RESPONSES]}
            if streaming:
                async with client.responses.stream(**asked) as stream:
                    whole: Any = await stream.get_final_response()
            else:
                whole = await client.responses.create(**asked)
        assert whole.output_text == ONE[0].text
        assert [item.type for item in whole.output] == ["reasoning", "message", "function_call"]
        assert whole.output[0].encrypted_content
        assert whole.output[2].arguments == '{"city":"Köln"}'
        assert whole.usage.total_tokens == whole.usage.input_tokens + whole.usage.output_tokens

    run(talk())


@pytest.mark.parametrize("beta", [False, True])
@pytest.mark.parametrize("streaming", [False, True])
def test_the_anthropic_client_reads_messages(streaming: bool, beta: bool) -> None:
    upstream = StrictUpstream(ONE, binding="error")

    async def talk() -> None:
        async with http(upstream) as web:
            client, asked = anthropic_client(web), anthropic_body(USER, tools=TOOLS[MESSAGES])
            messages: Any = client.beta.messages if beta else client.messages
            if streaming:
                async with messages.stream(**asked) as stream:
                    whole = await stream.get_final_message()
            else:
                whole = await messages.create(**asked)
            assert [block.type for block in whole.content] == ["thinking", "text", "tool_use"]
            assert (whole.content[1].text, whole.content[2].input) == (ONE[0].text, {"city": "Köln"})
            assert whole.stop_reason == "tool_use"
            result = {"type": "tool_result", "tool_use_id": whole.content[2].id, "content": "sunny"}
            history = [USER, {"role": "assistant", "content": whole.content}, said("user", result)]
            await messages.create(**{**asked, "messages": history})
            counted = await messages.count_tokens(model="m", messages=history)
            assert counted.input_tokens > 0

    run(talk())
    assert len(upstream.requests) == 2


def test_refusals_reach_the_clients_in_the_shape_they_know() -> None:
    async def talk() -> None:
        async with http(StrictUpstream(window_tokens=5)) as web:
            with pytest.raises(openai.BadRequestError) as chat_error:
                await openai_client(web).chat.completions.create(**chat(USER))
            assert chat_error.value.code == "context_length_exceeded"
            with pytest.raises(openai.BadRequestError) as response_error:
                await openai_client(web).responses.create(model="m", input="hi")
            assert response_error.value.code == "context_length_exceeded"
            with pytest.raises(anthropic.BadRequestError, match="prompt is too long") as message_error:
                await anthropic_client(web).messages.create(**anthropic_body(USER))
            assert message_error.value.request_id == "req_refused"
            answer = await web.post("/v1/chat/completions", content=b"{")
            assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")

    run(talk())


def test_the_small_routes_answer() -> None:
    async def talk() -> None:
        async with http(StrictUpstream()) as web:
            assert (await web.head("/")).status_code == 200
            assert [model.id async for model in openai_client(web).models.list()] == ["strict-1"]
            assert [model.id async for model in anthropic_client(web).models.list()] == ["strict-1"]

    run(talk())
