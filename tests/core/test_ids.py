"""The canonical form: what real clients change from one resend to the next has no say in who a message is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.ids import LINEAGE_PREFIX, ROOT, Hasher, call_form, canonical_json
from trimtab.core.messages import Message, WireName
from trimtab.wire import wire_for

HASHER = Hasher(b"tenant")


def parsed(wire: WireName, *values: dict[str, Any]) -> list[Message]:
    return [wire_for(wire).parse_message(value) for value in values]


def lineage(messages: list[Message], hasher: Hasher = HASHER) -> str:
    node, forms = ROOT, dict[str, list[str]]()
    for message in messages:
        node = hasher.lineage_id(node, message, forms)
        forms.update({call.call_id: call_form(call) for call in message.calls})
    return node


def chat(*values: dict[str, Any]) -> str:
    return lineage(parsed("openai_chat", *values))


def claude(*values: dict[str, Any]) -> str:
    return lineage(parsed("anthropic", *values))


def items(*values: dict[str, Any]) -> str:
    return lineage(parsed("openai_responses", *values))


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def call(call_id: str, arguments: str, name: str = "find") -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}],
    }


def answer(call_id: str, content: Any = "found") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


# ---------------------------------------------------------------- what has no say


def test_a_string_equals_a_list_of_one_text_block() -> None:
    assert chat(user("hello")) == chat(user([{"type": "text", "text": "hello"}]))
    assert claude(user("hello")) == claude(user([{"type": "text", "text": "hello"}]))
    assert items(user("hello")) == items({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]})
    assert chat(user("q"), call("c", "{}"), answer("c", "x")) == chat(
        user("q"), call("c", "{}"), answer("c", [{"type": "text", "text": "x"}])
    )


def test_cache_marks_move() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    assert claude(user([{"type": "text", "text": "a", **mark}]), user("b")) == claude(
        user("a"), user([{"type": "text", "text": "b", **mark}])
    )
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    assert claude(user([image])) == claude(user([{**image, **mark}]))


def test_marks_inside_parts_of_unknown_type_move_too() -> None:
    part = {"type": "hologram", "beams": [{"n": 1}]}
    assert claude(user([part])) == claude(user([{**part, "cache_control": {"type": "ephemeral"}}]))
    assert claude(user([part])) != claude(user([{"type": "hologram", "beams": [{"n": 2}]}]))


def test_call_ids_are_renewed() -> None:
    assert chat(user("q"), call("a1", "{}"), answer("a1")) == chat(user("q"), call("zz", "{}"), answer("zz"))


def test_parallel_calls_with_renewed_ids_keep_their_answers_apart() -> None:
    def both(first: str, second: str, answers: list[dict[str, Any]]) -> str:
        made = call(first, '{"x":1}')
        made["tool_calls"].append({"id": second, "type": "function", "function": {"name": "find", "arguments": '{"x":2}'}})
        return chat(user("q"), made, *answers)

    one = both("a", "b", [answer("a", "one"), answer("b", "two")])
    assert one == both("p", "q", [answer("p", "one"), answer("q", "two")])
    assert one != both("p", "q", [answer("p", "two"), answer("q", "one")])
    assert one != both("p", "q", [answer("q", "one"), answer("p", "two")])


def test_argument_keys_have_no_order_and_no_spaces() -> None:
    assert chat(call("c", '{"a": 1, "b": [2, {"y": 1, "x": 2}]}')) == chat(call("c", '{"b":[2,{"x":2,"y":1}],"a":1}'))
    assert chat(call("c", '{"a": [1, 2]}')) != chat(call("c", '{"a": [2, 1]}'))
    assert chat(call("c", "not json {")) == chat(call("c", "not json {"))
    assert chat(call("c", "not json {")) != chat(call("c", "not json  {"))


def test_ids_and_statuses_of_items_have_no_say() -> None:
    plain = {"type": "function_call", "call_id": "c", "name": "find", "arguments": "{}"}
    assert items(plain) == items({**plain, "id": "fc_1", "status": "completed"})
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}
    assert items(message) == items({**message, "id": "msg_1", "status": "completed"})


def test_empty_texts_have_no_say() -> None:
    assert claude(user([{"type": "text", "text": ""}, {"type": "text", "text": "a"}])) == claude(user("a"))
    made = call("c", "{}")
    assert chat(made) == chat({**made, "content": ""})


def test_reasoning_has_no_say() -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}
    thought = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "hi"}]}
    assert claude(user("q"), said) == claude(user("q"), thought)
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    assert items(user("q"), reasoning) == items(user("q"))


def test_media_by_content_and_by_address_without_its_query() -> None:
    def image(url: str) -> dict[str, Any]:
        return user([{"type": "image_url", "image_url": {"url": url}}])

    assert chat(image("https://example.org/a.png?sig=1")) == chat(image("https://example.org/a.png?sig=2"))
    assert chat(image("https://example.org/a.png")) != chat(image("https://example.org/b.png"))
    assert chat(image("data:image/png;base64,AAAA")) != chat(image("data:image/png;base64,AAAB"))


# ---------------------------------------------------------------- what has


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([user("a")], [user("b")]),
        ([user("a")], [user("a ")]),
        ([user("a")], [{"role": "assistant", "content": "a"}]),
        ([user("a"), user("b")], [user("b"), user("a")]),
        ([user("a")], [user("a"), user("a")]),
        ([call("c", "{}")], [call("c", "{}", name="other")]),
        ([call("c", '{"x":1}')], [call("c", '{"x":2}')]),
        ([call("c", "{}"), answer("c", "x")], [call("c", "{}"), answer("c", "y")]),
        ([call("c", "{}"), answer("c", "x")], [call("c", "{}"), user("x")]),
    ],
)
def test_what_is_said_makes_the_difference(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    assert chat(*one) != chat(*other)


def test_a_lineage_names_its_version_and_is_keyed_by_the_tenant() -> None:
    messages = parsed("openai_chat", user("a"))
    assert lineage(messages).startswith(LINEAGE_PREFIX) and len(lineage(messages)) == len(LINEAGE_PREFIX) + 32
    assert lineage(messages) != lineage(messages, Hasher(b"another tenant"))
    assert HASHER.body_id("openai_chat", b"{}") != Hasher(b"another tenant").body_id("openai_chat", b"{}")


def test_lineages_of_the_first_database_never_change() -> None:
    """Frozen: a change here makes every stored conversation unknown to its client."""
    assert chat(user("hello"), call("c1", '{"b":1,"a":"ü"}'), answer("c1", "42"), {"role": "assistant", "content": "done"}) == CHAT_LINEAGE


CHAT_LINEAGE = "t1:e21e1565b1566a254367f7fdd35f7ee0"


# ---------------------------------------------------------------- across the wire forms


def three_forms() -> dict[WireName, list[dict[str, Any]]]:
    """One conversation, as each form cuts it into messages: two parallel calls and their answers among it."""
    return {
        "openai_chat": [
            user("compare"),
            {
                "role": "assistant",
                "content": "I read both.",
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "read", "arguments": '{"path":"x","n":1}'}},
                    {"id": "b", "type": "function", "function": {"name": "read", "arguments": '{"path":"y","n":2}'}},
                ],
            },
            answer("a", "text of x"),
            answer("b", "text of y"),
            {"role": "assistant", "content": "They differ."},
        ],
        "openai_responses": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "compare"}]},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "I read both."}]},
            {"type": "function_call", "id": "fc_1", "call_id": "k1", "name": "read", "arguments": '{"n": 1, "path": "x"}'},
            {"type": "function_call", "id": "fc_2", "call_id": "k2", "name": "read", "arguments": '{"n": 2, "path": "y"}'},
            {"type": "function_call_output", "call_id": "k1", "output": "text of x"},
            {"type": "function_call_output", "call_id": "k2", "output": "text of y"},
            {"type": "message", "id": "msg_2", "role": "assistant", "content": [{"type": "output_text", "text": "They differ."}]},
        ],
        "anthropic": [
            user("compare"),
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "text", "text": "I read both."},
                    {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "x", "n": 1}},
                    {"type": "tool_use", "id": "toolu_2", "name": "read", "input": {"path": "y", "n": 2}},
                ],
            },
            user(
                [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "text of x"},
                    {"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": "text of y"}]},
                ]
            ),
            {"role": "assistant", "content": "They differ."},
        ],
    }


def test_one_conversation_has_one_lineage_in_all_three_forms() -> None:
    found = {wire: lineage(parsed(wire, *values)) for wire, values in three_forms().items()}
    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize("wire", ["openai_chat", "openai_responses", "anthropic"])
def test_every_prefix_has_its_own_lineage_and_the_hash_is_a_chain(wire: WireName) -> None:
    messages = [
        message
        for message in parsed(wire, *three_forms()[wire])
        if not all(part.__class__.__name__ == "Reasoning" for part in message.parts)
    ]
    lineages = [lineage(messages[:length]) for length in range(len(messages) + 1)]
    assert lineages[0] == ROOT
    assert len(set(lineages)) == len(lineages)
    assert lineage([parsed(wire, user("else"))[0], *messages[1:]]) not in lineages


def test_content_is_who_a_message_is_wherever_it_stands() -> None:
    message = parsed("openai_chat", user("a"))[0]
    assert HASHER.content_id(message, {}) == HASHER.content_id(parsed("anthropic", user([{"type": "text", "text": "a"}]))[0], {})
    assert HASHER.content_id(message, {}) != HASHER.content_id(parsed("openai_chat", user("b"))[0], {})


# ---------------------------------------------------------------- canonical JSON

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values)
def test_canonical_json_is_the_same_for_every_spelling_of_a_value(value: Any) -> None:
    canonical = canonical_json(json.dumps(value))
    assert json.loads(canonical) == value
    assert canonical == canonical_json(json.dumps(value, indent=3, ensure_ascii=False))
    assert canonical == canonical_json(canonical)


@pytest.mark.parametrize("text", ["", "{", "plain words", "\ud800", "[" * 100_000])
def test_canonical_json_leaves_alone_what_is_none(text: str) -> None:
    assert canonical_json(text) == text
