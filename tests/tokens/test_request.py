"""The whole body's count, and that it never exceeds what its messages were counted as."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens.test_media import png
from trimtab.core.messages import WIRES, Media, Message, Opaque, Reasoning, Text, ToolCall, ToolResult, WireName
from trimtab.tokens import MESSAGE_OVERHEAD, count_request, counter_for
from trimtab.tokens.families import FAMILIES
from trimtab.tokens.framing import CALL_OVERHEAD, JOINT_TOKENS, RESULT_OVERHEAD
from trimtab.wire import wire_for

MODELS = ("gpt-4o", "qwen3-8b", "claude-opus-4-8", "who-knows")
TOOL = {"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}}


def message(*parts: Any, role: Any = "user") -> Message:
    return Message(role=role, parts=parts, wire_format="openai_chat", wire=b"{}")


def test_a_message_is_its_framing_and_its_parts() -> None:
    counter = counter_for("gpt-4o")
    count = counter.count_text
    assert counter.count_message(message()) == MESSAGE_OVERHEAD
    assert counter.count_message(message(Text("hello, world"))) == MESSAGE_OVERHEAD + 3
    assert counter.count_message(message(Text("one"), Text("two"))) == MESSAGE_OVERHEAD + 2 + JOINT_TOKENS
    call = ToolCall(call_id="c", name="search", arguments='{"q":"ports"}')
    assert counter.count_message(message(call, role="assistant")) == MESSAGE_OVERHEAD + CALL_OVERHEAD + count("search") + count(
        call.arguments
    )
    result, empty = ToolResult(call_id="c", parts=(Text("found three rows of the same day"),)), ToolResult(call_id="c")
    assert counter.count_message(message(result, role="tool")) == RESULT_OVERHEAD + count("found three rows of the same day")
    assert counter.count_message(message(empty, role="tool")) == RESULT_OVERHEAD + count("(no output)")
    assert counter.count_message(message(Opaque(kind="x", raw='{"x":1}'))) == MESSAGE_OVERHEAD + count('{"x":1}')


def test_call_ids_play_no_part() -> None:
    counter = counter_for("claude-opus-4-8")
    short, long = (message(ToolCall(call_id=key, name="f", arguments="{}")) for key in ("c", "call_" + "x" * 60))
    assert counter.count_message(short) == counter.count_message(long)


def test_reasoning_is_its_text_or_its_encrypted_content_whichever_is_longer() -> None:
    count = lambda part: counter_for("gpt-4o").count_message(message(part)) - MESSAGE_OVERHEAD  # noqa: E731
    text = "we must keep the third row " * 20
    assert count(Reasoning(text=text)) == count(Reasoning(text=text, signature="s" * 100)) == counter_for("gpt-4o").count_text(text)
    # 1,600 characters of base64 are 1,200 bytes, at 4 bytes a token
    assert count(Reasoning(signature="s" * 1_600)) == 300
    assert count(Reasoning(text="short summary", signature="s" * 1_600)) == 300


@pytest.mark.parametrize(
    "arguments", ['{"q": "a",   "n": 1}', '{"q":"\\u4f60\\u597d"}', "free text", "", "[1,2]", '{"n":1e999}', "[" * 5_000, '"\\ud800"']
)
def test_arguments_cost_at_least_what_they_cost_as_text_and_as_an_object(arguments: str) -> None:
    counter = counter_for("gpt-4o")
    cost = counter.count_message(message(ToolCall(call_id="c", name="f", arguments=arguments)))
    assert cost >= MESSAGE_OVERHEAD + CALL_OVERHEAD + 1 + counter.count_text(arguments)


def test_arguments_are_bounded_by_the_object_that_a_template_writes() -> None:
    counter, sent = counter_for("qwen3-8b"), json.dumps({f"k{n}": [n, n] for n in range(20)}, separators=(",", ":"))
    spaced = json.dumps(json.loads(sent))
    assert counter.count_text(sent) < counter.count_text(spaced)
    framing = counter.count_message(message()) + CALL_OVERHEAD + counter.count_text("f")
    assert counter.count_message(message(ToolCall(call_id="c", name="f", arguments=sent))) == framing + counter.count_text(spaced)


def test_a_result_is_framed_at_least_as_a_message_of_any_family_is() -> None:
    assert max(family.message_tokens for family in FAMILIES.values()) < RESULT_OVERHEAD
    assert min(family.message_tokens for family in FAMILIES.values()) == MESSAGE_OVERHEAD


def test_tools_cost_their_schema_and_nothing_costs_nothing() -> None:
    counter = counter_for("gpt-4o")
    assert counter.count_tools(None) == counter.count_tools([]) == 0
    one, two = counter.count_tools([TOOL]), counter.count_tools([TOOL, TOOL])
    schema = counter.count_text(json.dumps(TOOL, separators=(",", ":")))
    assert schema < two - one < schema + 20
    assert one >= two - one


@pytest.mark.parametrize(("model", "written"), [("qwen3-8b", {}), ("llama-3.1-8b", {"indent": 4})])
def test_tools_are_counted_as_chat_templates_write_them(model: str, written: dict[str, int]) -> None:
    counter = counter_for(model)
    schema = counter.count_text(json.dumps(TOOL, **written))  # type: ignore[arg-type]
    assert schema > 1.2 * counter.count_text(json.dumps(TOOL, separators=(",", ":")))
    assert counter.count_tools([TOOL, TOOL]) - counter.count_tools([TOOL]) >= schema


def test_the_three_forms_of_one_talk_count_nearly_alike() -> None:
    talk: dict[WireName, dict[str, Any]] = {
        "openai_chat": {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": png(640, 480)}}]},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q":"ship"}'}}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "three rows"},
            ]
        },
        "openai_responses": {
            "instructions": "Be brief.",
            "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "Look"}, {"type": "input_image", "image_url": png(640, 480)}]},
                {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"q":"ship"}'},
                {"type": "function_call_output", "call_id": "c1", "output": "three rows"},
            ],
        },
        "anthropic": {
            "system": "Be brief.",
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "Look"},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png(640, 480).split(",")[1]}},
                    ],
                },
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "search", "input": {"q": "ship"}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "three rows"}]},
            ],
        },
    }
    for model in MODELS:
        counts = {wire: count_request(talk[wire], wire, counter_for(model)) for wire in WIRES}
        assert len(set(counts.values())) == 1, (model, counts)
        assert counts["openai_chat"] > 3 * MESSAGE_OVERHEAD + 400
    with_tools = {**talk["openai_chat"], "tools": [TOOL]}
    counter = counter_for("gpt-4o")
    assert count_request(with_tools, "openai_chat", counter) - count_request(
        talk["openai_chat"], "openai_chat", counter
    ) == counter.count_tools([TOOL])


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "body", [{}, {"messages": "x", "input": 3, "system": [1]}, {"messages": [None, 4, [], {"content": [[], {"type": 4}]}], "tools": "x"}]
)
def test_bodies_of_a_wrong_shape_are_counted_as_well_as_can_be(wire: WireName, body: dict[str, Any]) -> None:
    assert count_request(body, wire, counter_for("gpt-4o")) >= 0


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40) | st.sampled_from(
    ["Please keep all prices in US dollars.", "不要改动原始表格", "=-=-=-=-", "x = {'a': 1}\n", "   \n\n", "🚀🚀", "392450197726529"]
)
arguments = st.dictionaries(words, words | st.integers() | st.none(), max_size=2).map(lambda value: json.dumps(value, ensure_ascii=True))
media = st.sampled_from([png(640, 480), png(3_000, 20), "https://example.org/a.png?x=1"]).map(
    lambda url: {"type": "image_url", "image_url": {"url": url}}
)
texts = words.map(lambda text: {"type": "text", "text": text})
users = (words | st.lists(texts | media, min_size=1, max_size=3)).map(lambda content: {"role": "user", "content": content})


@st.composite
def exchanges(draw: st.DrawFn) -> list[dict[str, Any]]:
    calls = [
        {
            "id": f"c{draw(st.integers(0, 10**9))}-{n}",
            "type": "function",
            "function": {"name": draw(st.sampled_from(["search", "f"])), "arguments": draw(arguments)},
        }
        for n in range(draw(st.integers(0, 3)))
    ]
    assistant: dict[str, Any] = {"role": "assistant", "content": draw(words)}
    if calls:
        assistant["tool_calls"] = calls
    return [assistant, *({"role": "tool", "tool_call_id": call["id"], "content": draw(words | st.just(""))} for call in calls)]


histories = st.lists(users.map(lambda one: [one]) | exchanges(), min_size=1, max_size=6).map(
    lambda blocks: [m for block in blocks for m in block]
)


def merged(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours of a role in one, as servers with strict roles want it: texts joined by a blank line."""
    result: list[dict[str, Any]] = []
    for value in messages:
        last = result[-1] if result else {}
        if value["role"] == last.get("role") == "user":
            sides = [m["content"] if isinstance(m["content"], list) else [{"type": "text", "text": m["content"]}] for m in (last, value)]
            plain = isinstance(last["content"], str) and isinstance(value["content"], str)
            result[-1] = {"role": "user", "content": f"{last['content']}\n\n{value['content']}" if plain else sides[0] + sides[1]}
        else:
            result.append(value)
    return result


@given(history=histories, model=st.sampled_from(MODELS), tools=st.sampled_from([None, [TOOL]]))
def test_a_rendered_body_never_counts_more_than_its_messages(history: list[dict[str, Any]], model: str, tools: list[Any] | None) -> None:
    counter, chat = counter_for(model), wire_for("openai_chat")
    parsed = chat.parse_request({"messages": history}).messages
    whole = sum(map(counter.count_message, parsed)) + counter.count_tools(tools)
    assert count_request({"messages": history, "tools": tools}, "openai_chat", counter) == whole
    assert count_request({"messages": merged(history), "tools": tools}, "openai_chat", counter) <= whole


@given(history=histories, model=st.sampled_from(MODELS))
def test_neither_does_it_in_another_form(history: list[dict[str, Any]], model: str) -> None:
    counter = counter_for(model)
    parsed = wire_for("openai_chat").parse_request({"messages": history}).messages
    # the arguments are written anew in the other form, where an estimate may round each call's up once more; the
    # session counts what it translates in the form it sends
    calls = sum(len(one.calls) for one in parsed)
    whole = sum(map(counter.count_message, parsed)) + (0 if counter.exact else calls)
    items = [json.loads(raw) for one in parsed for raw in wire_for("openai_responses").render_message(one)]
    assert count_request({"input": items}, "openai_responses", counter) <= whole
    blocks = [json.loads(raw) for one in parsed for raw in wire_for("anthropic").render_message(one)]
    assert count_request({"messages": blocks}, "anthropic", counter) <= whole


def test_a_stub_with_a_long_address_is_not_under() -> None:
    counter, address = counter_for("claude-opus-4-6"), "https://example.org/" + "a1B2" * 2_000
    assert counter.count_message(message(Media(kind="image", url=address))) > counter.count_text(address)


CAPTURES = {"openai_chat": "chat/completions", "openai_responses": "responses", "anthropic": "messages"}


@pytest.mark.data
@pytest.mark.parametrize("wire", WIRES)
def test_what_real_clients_send_counts_as_its_messages_do(data_dir: Path, wire: WireName) -> None:
    counter, seen = counter_for("gpt-4o"), 0
    for path in sorted((data_dir / "captures").glob("*.json")):
        loaded = json.loads(path.read_text("utf-8"))
        for request in loaded if isinstance(loaded, list) else []:
            body = request.get("body")
            if not isinstance(body, dict) or not str(request.get("path", "")).partition("?")[0].endswith(CAPTURES[wire]):
                continue
            parsed = wire_for(wire).parse_request(body)
            whole = sum(map(counter.count_message, (*parsed.system, *parsed.messages))) + counter.count_tools(parsed.tools)
            counted = count_request(body, wire, counter)
            assert 0.8 * whole <= counted <= whole, path.name
            seen += 1
    assert seen > 5
