"""Which form a message, a reply or a stream event has, where nobody said so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trimtab.core.messages import WireName

_ANTHROPIC_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use", "compaction"})
_RESPONSES_PARTS = frozenset({"input_text", "output_text", "input_image", "input_file", "summary_text"})
_CHAT_PARTS = frozenset({"image_url", "input_audio", "video_url", "refusal", "file"})


def detect_message(value: Mapping[str, Any], default: WireName) -> WireName:
    """The form of one element of a history; `default` where it could be of several."""
    if "role" not in value or value.get("type") == "message":
        return "openai_responses" if "type" in value else default
    if value["role"] in ("tool", "function") or "tool_calls" in value or "function_call" in value:
        return "openai_chat"
    content = value.get("content")
    if not isinstance(content, list):
        return default
    kinds = {part.get("type") for part in content if isinstance(part, Mapping)}
    if kinds & _ANTHROPIC_BLOCKS or ("image" in kinds and default != "openai_chat"):
        return "anthropic"
    if kinds & _RESPONSES_PARTS:
        return "openai_responses"
    if kinds & _CHAT_PARTS:
        return "openai_chat"
    return "openai_chat" if default == "openai_responses" else default


def detect_reply(value: Mapping[str, Any]) -> WireName | None:
    """The form of a whole response body; None where it is not one."""
    if isinstance(value.get("choices"), list):
        return "openai_chat"
    if value.get("object") == "response" and "output" in value:
        return "openai_responses"
    if value.get("type") == "message" and "stop_reason" in value and value.get("role") == "assistant":
        return "anthropic"
    return None


def is_event(value: Mapping[str, Any]) -> bool:
    """Whether it is an event of a stream, and not a message or an item of a history."""
    kind = str(value.get("type", ""))
    return "choices" in value or kind in ("ping", "error") or kind.startswith(("response.", "message_", "content_block_"))


def detect_event(value: Mapping[str, Any], default: WireName) -> WireName:
    """The form of a stream by its first event."""
    kind = str(value.get("type", ""))
    if kind.startswith("response."):
        return "openai_responses"
    if kind.startswith(("message_", "content_block_")) or kind == "ping":
        return "anthropic"
    return "openai_chat" if "choices" in value else default
