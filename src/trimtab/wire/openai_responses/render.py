"""Request bodies of the Responses form, and messages of the other forms as its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.core.messages import Media, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult, encode_wire
from trimtab.core.plan import RenderItem
from trimtab.wire.common import (
    decode_items,
    inline_sources,
    is_remote,
    join_texts,
    media_stub,
    portable_call_id,
    portable_text,
)
from trimtab.wire.openai_responses.edit import text_block
from trimtab.wire.openai_responses.items import type_of

Sources = Mapping[str, tuple[str, str]]
_CONTEXT_ELSEWHERE = ("previous_response_id", "conversation", "prompt")


def render(items: Sequence[RenderItem], tools: list[Any] | None, params: Mapping[str, Any]) -> dict[str, Any]:
    """See `Wire.render`. Several instructions are joined with a blank line; our texts are developer items."""
    instructions: list[str] = []
    wires: list[dict[str, Any]] = []
    for item in items:
        if item.place in ("front", "tail"):
            wires.append(message_item("system", [text_block("system", item.payload.decode())]))
            continue
        for wire in decode_items(item):
            if "instructions" in wire and not type_of(wire):
                instructions.append(wire["instructions"])
            else:
                wires.append(wire)
    body = dict(params)
    if instructions:
        body["instructions"] = join_texts(instructions)
    if wires or not any(params.get(key) for key in _CONTEXT_ELSEWHERE):
        body["input"] = _input(wires)
    if tools:
        body["tools"] = tools
    return body


def _input(wires: Sequence[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """A string where the client sent one and nothing was added; else the list of items."""
    if len(wires) == 1 and _is_bare(wires[0]):
        text: str = wires[0]["input"]
        return text
    return [{"role": "user", "content": wire["input"]} if _is_bare(wire) else wire for wire in wires]


def _is_bare(wire: Mapping[str, Any]) -> bool:
    """Whether it is the user's text that came as a string in the place of the whole input."""
    return "input" in wire and not type_of(wire)


def message_item(role: Role, content: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"type": "message", "role": "developer" if role == "system" else role, "content": list(content)}


def render_message(message: Message) -> tuple[bytes, ...]:
    """See `Wire.render_message`. Reasoning of other providers is left out: its signature means nothing here."""
    if message.wire_format == "openai_responses":
        return (message.wire,)
    has_media = any(isinstance(part, Media) or (isinstance(part, ToolResult) and len(part.parts) > 0) for part in message.parts)
    sources = inline_sources(message.wire) if has_media else {}
    role: Role = "user" if message.role == "tool" else message.role
    items: list[dict[str, Any]] = []
    blocks: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, Reasoning):
            continue
        if isinstance(part, Text | Media | Opaque):
            blocks += _blocks(part, role, sources)
            continue
        if blocks:
            items.append(message_item(role, blocks))
            blocks = []
        items.append(_call_or_result(part, sources))
    if blocks:
        items.append(message_item(role, blocks))
    return tuple(encode_wire(item) for item in items)


def _blocks(part: Text | Media | Opaque, role: str, sources: Sources) -> list[dict[str, Any]]:
    if isinstance(part, Media) and role == "user":
        return [_media_block(part, sources)]
    text = portable_text(part)
    return [text_block(role, text)] if text else []


def _media_block(part: Media, sources: Sources) -> dict[str, Any]:
    """The media by its bytes or address where this form takes its kind so; else a stub in words."""
    media_type, content = sources.get(part.digest, ("", "")) if part.digest else ("", "")
    uri = f"data:{media_type or part.media_type};base64,{content}" if content else part.url
    if part.kind == "image" and (content or is_remote(part.url)):
        block = {"type": "input_image", "image_url": uri}
        return block | {"detail": part.detail} if part.detail else block
    if part.kind == "file" and content:
        return {"type": "input_file", "filename": "file", "file_data": uri}
    if part.kind == "file" and is_remote(part.url):
        return {"type": "input_file", "file_url": uri}
    if part.kind == "audio" and content:
        form = (media_type or part.media_type).removeprefix("audio/") or "wav"
        return {"type": "input_audio", "input_audio": {"data": content, "format": form}}
    return text_block("user", media_stub(part))


def _call_or_result(part: Part, sources: Sources) -> dict[str, Any]:
    if isinstance(part, ToolCall):
        return {"type": "function_call", "call_id": portable_call_id(part), "name": part.name, "arguments": part.arguments}
    assert isinstance(part, ToolResult)
    output: Any
    if any(isinstance(inner, Media) for inner in part.parts):
        output = [block for inner in part.parts for block in _blocks(inner, "user", sources)]
    else:
        output = "\n".join(portable_text(inner) for inner in part.parts)
    return {"type": "function_call_output", "call_id": portable_call_id(part), "output": output}
