"""Messages of the other wire forms said in the Messages form. Reasoning does not cross: its signatures bind it."""

from __future__ import annotations

from typing import Any

import msgspec

from trimtab.core.messages import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult, encode_wire
from trimtab.wire.common import NO_OUTPUT, decode, inline_sources, is_remote, join_texts, portable_call_id, portable_text

# what the Messages form takes as an image; others stand as text
_IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_Inline = dict[str, tuple[str, str]]


def render_message(message: Message) -> tuple[bytes, ...]:
    if message.wire_format == "anthropic":
        return (message.wire,)
    if message.role == "system":
        text = join_texts(portable_text(part) for part in message.parts if isinstance(part, Text | Media | Opaque))
        return (encode_wire({"role": "system", "content": text}),) if text else ()
    inline = inline_sources(message.wire) if any(isinstance(part, Media) for part in _flat(message)) else {}
    blocks = [block for part in message.parts if (block := _block(part, inline)) is not None]
    if message.role != "assistant":
        blocks.sort(key=lambda block: block["type"] != "tool_result")  # A3; the sort keeps the order of equals
    role = "assistant" if message.role == "assistant" else "user"
    return (encode_wire({"role": role, "content": blocks}),) if blocks else ()


def _flat(message: Message) -> list[Part]:
    return [inner for part in message.parts for inner in (part.parts if isinstance(part, ToolResult) else (part,))]


def _block(part: Part, inline: _Inline) -> dict[str, Any] | None:
    if isinstance(part, Reasoning):
        return None
    if isinstance(part, ToolCall):
        return {"type": "tool_use", "id": portable_call_id(part), "name": part.name, "input": _input(part.arguments)}
    if isinstance(part, ToolResult):
        return _result(part, inline)
    return _inner(part, inline)


def _input(arguments: str) -> dict[str, Any]:
    """The call's input is an object in this form; a custom tool's free text becomes one."""
    if not arguments:
        return {}
    try:
        value = decode(arguments)
    except (msgspec.DecodeError, UnicodeEncodeError):
        value = arguments
    return value if isinstance(value, dict) else {"input": value}


def _result(part: ToolResult, inline: _Inline) -> dict[str, Any]:
    content: str | list[dict[str, Any]]
    if any(isinstance(item, Media) for item in part.parts):
        content = [block for item in part.parts if (block := _inner(item, inline)) is not None]
    else:
        content = join_texts(portable_text(item) for item in part.parts) or NO_OUTPUT
    block = {"type": "tool_result", "tool_use_id": portable_call_id(part), "content": content}
    return {**block, "is_error": True} if part.is_error else block


def _inner(part: Text | Media | Opaque, inline: _Inline) -> dict[str, Any] | None:
    if isinstance(part, Media):
        said = _media(part, inline.get(part.digest))
        if said is not None:
            return said
    text = portable_text(part)
    return {"type": "text", "text": text} if text.strip() else None  # A5


def _media(part: Media, source: tuple[str, str] | None) -> dict[str, Any] | None:
    kind = {"image": "image", "file": "document"}.get(part.kind)
    if kind is None:
        return None
    if is_remote(part.url):
        return {"type": kind, "source": {"type": "url", "url": part.url}}
    if source is None or source[0] not in (_IMAGE_TYPES if kind == "image" else ("application/pdf",)):
        return None
    return {"type": kind, "source": {"type": "base64", "media_type": source[0], "data": source[1]}}
