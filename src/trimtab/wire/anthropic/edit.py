"""Small changes to a message's JSON; everything that is not named stays as the client wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trimtab.core.messages import Message
from trimtab.wire.anthropic.parse import parse_message
from trimtab.wire.common import NO_OUTPUT, decode, replaced_parts, rewrite

REASONING_BLOCKS = ("thinking", "redacted_thinking")
_VISIBLE = ("text", "image", "document")


def _of_type(value: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    content = value.get("content")
    return [block for block in content if block.get("type") == kind] if isinstance(content, list) else []


def with_results(message: Message, texts: Mapping[str, str]) -> Message:
    def change(value: dict[str, Any]) -> bool:
        named = [block for block in _of_type(value, "tool_result") if block["tool_use_id"] in texts]
        for block in named:
            text, content = texts[block["tool_use_id"]] or NO_OUTPUT, block.get("content")
            block["content"] = replaced_parts(content, text, lambda part: True) if isinstance(content, list) and content else text
        return bool(named)

    return rewrite(message, change, parse_message)


def with_text(message: Message, text: str) -> Message:
    def change(value: dict[str, Any]) -> bool:
        content = value.get("content")
        if not isinstance(content, list):
            value["content"] = text
        elif any(block.get("type") in _VISIBLE for block in content):
            value["content"] = replaced_parts(content, text, lambda block: block.get("type") in _VISIBLE)
        elif text and not all(block.get("type") == "tool_result" for block in content):
            value["content"] = _inserted(content, text)
        else:
            return False
        return True

    return rewrite(message, change, parse_message)


def _inserted(content: list[Any], text: str) -> list[Any]:
    """Before the first call, so after the reasoning; else at the end, so after the results."""
    place = next((index for index, block in enumerate(content) if block.get("type") == "tool_use"), len(content))
    return [*content[:place], {"type": "text", "text": text}, *content[place:]]


def with_arguments(message: Message, arguments: Mapping[str, str]) -> Message:
    def change(value: dict[str, Any]) -> bool:
        named = [block for block in _of_type(value, "tool_use") if block["id"] in arguments]
        for block in named:
            block["input"] = decode(arguments[block["id"]])
        return bool(named)

    return rewrite(message, change, parse_message)


def with_call_ids(message: Message, ids: Mapping[str, str]) -> Message:
    def change(value: dict[str, Any]) -> bool:
        changed = False
        for kind, key in (("tool_use", "id"), ("tool_result", "tool_use_id")):
            for block in _of_type(value, kind):
                if block[key] in ids:
                    block[key], changed = ids[block[key]], True
        return changed

    return rewrite(message, change, parse_message)


def without_reasoning(message: Message) -> Message | None:
    def change(value: dict[str, Any]) -> bool:
        value["content"] = [block for block in value["content"] if block.get("type") not in REASONING_BLOCKS]
        return True

    if not message.has_reasoning:
        return message
    changed = rewrite(message, change, parse_message)
    return changed if changed.parts else None
