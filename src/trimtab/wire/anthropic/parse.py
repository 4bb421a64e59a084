"""Messages JSON into messages, requests and replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trimtab.core.messages import Media, MediaKind, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult, encode_wire
from trimtab.errors import ParseError
from trimtab.wire.common import media_of_base64, media_of_bytes, opaque, seal, text_field, to_mapping
from trimtab.wire.protocol import ParsedRequest, Reply, Usage

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_MEDIA: dict[str, MediaKind] = {"image": "image", "document": "file"}


def parse_message(value: Any, path: str = "$") -> Message:
    value, wire = seal(value, path)
    name = value.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        raise ParseError(f"unknown role {name!r}; use one of: {', '.join(_ROLES)}", f"{path}.role")
    content = value.get("content")
    if isinstance(content, str):
        return Message(role=role, parts=(Text(content),), wire_format="anthropic", wire=wire)
    parts = tuple(_block(block, f"{path}.content[{index}]") for index, block in enumerate(_blocks(content, f"{path}.content")))
    if role == "user" and parts and all(isinstance(part, ToolResult) for part in parts):
        role = "tool"
    return Message(role=role, parts=parts, wire_format="anthropic", wire=wire)


def _blocks(content: Any, path: str) -> list[Mapping[str, Any]]:
    if not isinstance(content, list | tuple):
        raise ParseError(f"expected a string or an array of blocks, got {type(content).__name__}", path)
    for index, block in enumerate(content):
        if not isinstance(block, Mapping):
            raise ParseError(f"expected a block, got {type(block).__name__}", f"{path}[{index}]")
    return list(content)


def _block(block: Mapping[str, Any], path: str) -> Part:
    kind = block.get("type")
    if kind == "tool_use":
        call_id, name = text_field(block, "id", path), text_field(block, "name", path)
        return ToolCall(call_id=call_id, name=name, arguments=encode_wire(block.get("input")).decode())
    if kind == "tool_result":
        return _result(block, path)
    if kind == "thinking":
        return Reasoning(text=block.get("thinking") or "", signature=block.get("signature") or "")
    if kind == "redacted_thinking":
        return Reasoning(signature=block.get("data") or "")
    return _inner(block)


def _inner(block: Mapping[str, Any]) -> Text | Media | Opaque:
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(block["text"])
    source = block.get("source")
    if kind in _MEDIA and isinstance(source, Mapping):
        media = _media(_MEDIA[kind], source)
        if media is not None:
            return media
    return opaque(kind if isinstance(kind, str) else "", block)


def _media(kind: MediaKind, source: Mapping[str, Any]) -> Media | None:
    form, content, media_type = source.get("type"), source.get("data"), source.get("media_type")
    media_type = media_type if isinstance(media_type, str) else ""
    if form == "base64" and isinstance(content, str):
        return media_of_base64(kind, media_type, content)
    if form == "text" and isinstance(content, str):
        return media_of_bytes(kind, media_type or "text/plain", content.encode())
    if form == "content" and "content" in source:
        return media_of_bytes(kind, media_type, encode_wire(source["content"]))
    if form == "url" and isinstance(source.get("url"), str):
        return Media(kind=kind, media_type=media_type, url=source["url"])
    if form == "file" and isinstance(source.get("file_id"), str):
        return Media(kind=kind, url=f"file-id:{source['file_id']}")
    return None


def _result(block: Mapping[str, Any], path: str) -> ToolResult:
    content = block.get("content")
    if content is None:
        parts: tuple[Text | Media | Opaque, ...] = ()
    elif isinstance(content, str):
        parts = (Text(content),)
    else:
        parts = tuple(_inner(item) for item in _blocks(content, f"{path}.content"))
    return ToolResult(call_id=text_field(block, "tool_use_id", path), parts=parts, is_error=bool(block.get("is_error")))


def parse_request(body: Mapping[str, Any]) -> ParsedRequest:
    body = to_mapping(body)
    values = body.get("messages")
    if not isinstance(values, list | tuple):
        raise ParseError(f"expected an array of messages, got {type(values).__name__}", "$.messages")
    return ParsedRequest(
        system=parse_system(body.get("system")),
        messages=tuple(parse_message(value, f"$.messages[{index}]") for index, value in enumerate(values)),
        tools=body.get("tools"),
        params={key: item for key, item in body.items() if key not in ("messages", "tools", "system")},
    )


def parse_system(value: Any) -> tuple[Message, ...]:
    """None, a text, a list of blocks, or a whole `{"role": "system"}` message."""
    if value is None:
        return ()
    if isinstance(value, Mapping) and value.get("role") == "system":
        return (parse_message(value, "$.system"),)
    if isinstance(value, Mapping):
        value = [value]
    return (parse_message({"role": "system", "content": value}, "$.system"),)


def parse_usage(value: Any) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    cached, written = value.get("cache_read_input_tokens") or 0, value.get("cache_creation_input_tokens") or 0
    details = value.get("output_tokens_details") or {}
    return Usage(
        input_tokens=(value.get("input_tokens") or 0) + cached + written,
        output_tokens=value.get("output_tokens") or 0,
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=details.get("thinking_tokens") or details.get("reasoning_tokens") or 0,
    )


def parse_reply(body: Any) -> Reply:
    body = to_mapping(body)
    content = body.get("content")
    if not isinstance(content, list | tuple):
        raise ParseError(f"expected a message with content blocks, got keys: {', '.join(map(str, body))}", "$.content")
    # the client library's parsed copy is no part of the form
    blocks = [{key: item for key, item in to_mapping(block).items() if key != "parsed_output"} for block in content]
    messages = (parse_message({"role": "assistant", "content": blocks}),) if blocks else ()
    return Reply(
        messages=messages,
        usage=parse_usage(body.get("usage")),
        stop_reason=body.get("stop_reason") or "",
        reply_id=body.get("id") or "",
    )
