"""Small changes to a message's JSON; everything that is not named stays as the client wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trimtab.core.messages import Message
from trimtab.wire.common import replaced_parts, rewrite
from trimtab.wire.openai_chat.parse import REASONING_FIELDS, parse_message

_VISIBLE = frozenset({"text", "refusal", "image_url", "input_audio", "file", "video_url"})


def with_results(message: Message, texts: Mapping[str, str]) -> Message:
    def change(value: dict[str, Any]) -> bool:
        call_id = value.get("tool_call_id", "")
        if value["role"] not in ("tool", "function") or call_id not in texts:
            return False
        content, text = value.get("content"), texts[call_id]
        value["content"] = replaced_parts(content, text, lambda part: True) if isinstance(content, list) and content else text
        return True

    return rewrite(message, change, parse_message)


def with_text(message: Message, text: str) -> Message:
    def change(value: dict[str, Any]) -> bool:
        if value["role"] in ("tool", "function"):
            return False
        content = value.get("content")
        value.pop("refusal", None)
        if not isinstance(content, list):
            value["content"] = text
        elif any(part.get("type") in _VISIBLE for part in content):
            value["content"] = replaced_parts(content, text, lambda part: part.get("type") in _VISIBLE)
        elif text:
            value["content"] = [{"type": "text", "text": text}, *content]
        return True

    return rewrite(message, change, parse_message)


def _calls(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for call in value.get("tool_calls") or ():
        yield call["id"], call
    if value.get("function_call"):
        yield "", {"function": value["function_call"]}


def with_arguments(message: Message, arguments: Mapping[str, str]) -> Message:
    def change(value: dict[str, Any]) -> bool:
        changed = False
        for call_id, call in _calls(value):
            if call_id not in arguments or not ("function" in call or "custom" in call):
                continue
            inner, key = (call["function"], "arguments") if "function" in call else (call["custom"], "input")
            inner[key], changed = arguments[call_id], True
        return changed

    return rewrite(message, change, parse_message)


def with_call_ids(message: Message, ids: Mapping[str, str]) -> Message:
    def change(value: dict[str, Any]) -> bool:
        changed = False
        for call in value.get("tool_calls") or ():
            if call["id"] in ids:
                call["id"], changed = ids[call["id"]], True
        if value.get("tool_call_id") in ids:
            value["tool_call_id"], changed = ids[value["tool_call_id"]], True
        return changed

    return rewrite(message, change, parse_message)


def without_reasoning(message: Message) -> Message | None:
    def change(value: dict[str, Any]) -> bool:
        for field in REASONING_FIELDS:
            value.pop(field, None)
        return True

    if not message.has_reasoning:
        return message
    changed = rewrite(message, change, parse_message)
    return changed if any(getattr(part, "text", True) for part in changed.parts) else None
