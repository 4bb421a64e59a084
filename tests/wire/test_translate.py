"""From one wire form into another: valid there, nothing said is lost, reasoning does not cross."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest
from hypothesis import given

from tests.wire.histories import PIXEL, chat_blocks, claude_blocks
from trimtab.core.messages import WIRES, Message, encode_wire
from trimtab.core.plan import RenderItem
from trimtab.core.target import Target
from trimtab.wire import wire_for
from trimtab.wire.common import NO_OUTPUT

chat, claude = wire_for("openai_chat"), wire_for("anthropic")
IMAGE_URI = f"data:image/png;base64,{PIXEL}"
IMAGE_SOURCE = {"type": "base64", "media_type": "image/png", "data": PIXEL}


def as_chat(value: dict[str, Any]) -> list[Any]:
    return [json.loads(wire) for wire in chat.render_message(claude.parse_message(value))]


def as_claude(value: dict[str, Any]) -> list[Any]:
    return [json.loads(wire) for wire in claude.render_message(chat.parse_message(value))]


def translated(wire: Any, messages: list[Message]) -> list[RenderItem]:
    payloads = [[json.loads(value) for value in wire.render_message(message)] for message in messages]
    return [RenderItem("message", encode_wire(payload)) for payload in payloads]


def said(messages: list[Message]) -> list[str]:
    """Texts in order, calls and results, as they must survive a translation."""
    calls = {call.call_id: call for message in messages for call in message.calls}
    found = []
    for message in messages:
        found += [f"result {calls[result.call_id].name} {result.text or NO_OUTPUT}" for result in message.results]
        found += [f"call {call.name} {json.dumps(json.loads(call.arguments), sort_keys=True)}" for call in message.calls]
    return found


@given(chat_blocks())
def test_2_any_chat_history_is_valid_as_messages(blocks: list[list[dict[str, Any]]]) -> None:
    messages = [chat.parse_message(wire) for block in blocks for wire in block]
    history = [message for message in messages if message.role != "system"]
    body = claude.render(Target(wire="anthropic", model="m"), translated(claude, history), None, {})
    claude.validate(body)
    again = [claude.parse_message(wire) for wire in body["messages"]]
    assert said(again) == said(messages)
    sent = json.dumps(body, ensure_ascii=False)
    for message in history:
        assert all(json.dumps(line, ensure_ascii=False)[1:-1] in sent for line in [message.text] if line and "\n" not in line)


@given(claude_blocks())
def test_2_any_messages_history_is_valid_as_chat(blocks: list[list[dict[str, Any]]]) -> None:
    messages = [claude.parse_message(wire) for block in blocks for wire in block]
    for strict in (False, True):
        body = chat.render(Target(model="m", strict_roles=strict), translated(chat, messages), None, {})
        chat.validate(body)
        again = [chat.parse_message(wire) for wire in body["messages"]]
        assert [line.replace(NO_OUTPUT, "") for line in said(again)] == [line.replace(NO_OUTPUT, "") for line in said(messages)]


def test_calls_results_and_text_cross_over() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    assert as_claude({"role": "assistant", "content": "", "reasoning_content": "r", "tool_calls": [call]}) == [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}]}
    ]
    assert as_claude({"role": "tool", "tool_call_id": "c1", "content": ""}) == [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": NO_OUTPUT}]}
    ]
    assert as_claude({"role": "developer", "content": "be nice"}) == [{"role": "system", "content": "be nice"}]
    assert as_claude({"role": "user", "content": ""}) == []


def test_one_mixed_user_message_is_several_chat_messages_results_first() -> None:
    result = {
        "type": "tool_result",
        "tool_use_id": "a",
        "content": [{"type": "text", "text": "x"}, {"type": "image", "source": IMAGE_SOURCE}],
    }
    mixed = {"role": "user", "content": [{"type": "text", "text": "and"}, result, {**result, "tool_use_id": "b", "content": "y"}]}
    size = len(b64decode(PIXEL))
    assert as_chat(mixed) == [
        {"role": "tool", "tool_call_id": "a", "content": f"x\n\n[image, {size} bytes]"},
        {"role": "tool", "tool_call_id": "b", "content": "y"},
        {"role": "user", "content": "and"},
    ]
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    assert as_chat({"role": "assistant", "content": [thought, use]}) == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        }
    ]
    assert as_chat({"role": "assistant", "content": [thought]}) == []


@pytest.mark.parametrize(
    ("part", "block"),
    [
        ({"type": "image_url", "image_url": {"url": IMAGE_URI}}, {"type": "image", "source": IMAGE_SOURCE}),
        (
            {"type": "image_url", "image_url": {"url": "https://x.org/i"}},
            {"type": "image", "source": {"type": "url", "url": "https://x.org/i"}},
        ),
        (
            {"type": "file", "file": {"filename": "file", "file_data": "data:application/pdf;base64,JVBERg=="}},
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}},
        ),
    ],
)
def test_media_both_forms_know_keeps_its_bytes(part: dict[str, Any], block: dict[str, Any]) -> None:
    assert as_claude({"role": "user", "content": [part]}) == [{"role": "user", "content": [block]}]
    assert as_chat({"role": "user", "content": [block]}) == [{"role": "user", "content": [part]}]


def test_media_one_form_does_not_know_leaves_a_stub() -> None:
    audio = {"type": "input_audio", "input_audio": {"data": "AAAAAA==", "format": "wav"}}
    assert as_claude({"role": "user", "content": [audio]}) == [{"role": "user", "content": [{"type": "text", "text": "[audio, 4 bytes]"}]}]
    assert as_chat({"role": "user", "content": [{"type": "hologram"}]}) == [{"role": "user", "content": "[hologram]"}]


def test_foreign_call_ids_stay_apart_and_paired() -> None:
    ids = ["functions.f:0", "functions.f_0"]
    names = [
        as_claude(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            }
        )
        for name in ids
    ]
    made = [wires[0]["content"][0]["id"] for wires in names]
    assert made[0] != made[1] and all(char.isalnum() or char in "_-" for name in made for char in name)
    assert as_claude({"role": "tool", "tool_call_id": ids[0], "content": "x"})[0]["content"][0]["tool_use_id"] == made[0]


def test_every_wire_form_is_found_by_name() -> None:
    assert [wire_for(name).name for name in WIRES] == list(WIRES)
    assert wire_for("anthropic") is wire_for("anthropic")
    with pytest.raises(ValueError, match="no wire form"):
        wire_for("soap")  # type: ignore[arg-type]
