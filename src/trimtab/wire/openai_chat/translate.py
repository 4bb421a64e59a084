"""Messages of the other wire forms said in Chat Completions. Reasoning does not cross: its signatures bind it."""

from __future__ import annotations

from typing import Any

from trimtab.core.messages import Media, Message, Opaque, Text, ToolCall, ToolResult, encode_wire
from trimtab.wire.common import inline_sources, is_remote, is_whole_json, join_texts, portable_call_id, portable_text

_AUDIO_FORMATS = ("wav", "mp3")  # what `input_audio` takes


def render_message(message: Message) -> tuple[bytes, ...]:
    if message.wire_format == "openai_chat":
        return (message.wire,)
    # results first: they must stand directly after the assistant message that called
    values = [_result(part) for part in message.results]
    own = [part for part in message.parts if isinstance(part, Text | Media | Opaque)]
    if message.role == "assistant":
        values += _assistant(message, own)
    elif own:
        role = "system" if message.role == "system" else "user"
        content = _content(message, own)
        if content:
            values.append({"role": role, "content": content})
    return tuple(encode_wire(value) for value in values)


def _result(part: ToolResult) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": portable_call_id(part), "content": join_texts(portable_text(item) for item in part.parts)}


def _assistant(message: Message, own: list[Text | Media | Opaque]) -> list[dict[str, Any]]:
    text = join_texts(portable_text(part) for part in own)
    calls = [_call(part) for part in message.calls]
    if calls:
        return [{"role": "assistant", "content": text or None, "tool_calls": calls}]
    return [{"role": "assistant", "content": text}] if text else []


def _call(part: ToolCall) -> dict[str, Any]:
    arguments = part.arguments
    if not is_whole_json(arguments):  # a custom tool's free text
        arguments = encode_wire({"input": arguments} if arguments else {}).decode()
    return {"id": portable_call_id(part), "type": "function", "function": {"name": part.name, "arguments": arguments}}


def _content(message: Message, own: list[Text | Media | Opaque]) -> str | list[dict[str, Any]]:
    if message.role == "system" or not any(isinstance(part, Media) for part in own):
        return join_texts(portable_text(part) for part in own)
    inline = inline_sources(message.wire)
    return [_part(part, inline) for part in own if not (isinstance(part, Text) and not part.text)]


def _part(part: Text | Media | Opaque, inline: dict[str, tuple[str, str]]) -> dict[str, Any]:
    if isinstance(part, Media):
        said = _media(part, inline.get(part.digest))
        if said is not None:
            return said
    return {"type": "text", "text": portable_text(part)}


def _media(part: Media, source: tuple[str, str] | None) -> dict[str, Any] | None:
    uri = part.url if is_remote(part.url) else f"data:{source[0]};base64,{source[1]}" if source else ""
    if not uri:
        return None
    if part.kind == "image":
        return {"type": "image_url", "image_url": {"url": uri, "detail": part.detail} if part.detail else {"url": uri}}
    if source is None:
        return None
    sound = source[0].rpartition("/")[2].replace("mpeg", "mp3")
    if part.kind == "audio" and sound in _AUDIO_FORMATS:
        return {"type": "input_audio", "input_audio": {"data": source[1], "format": sound}}
    if part.kind == "file":
        return {"type": "file", "file": {"filename": "file", "file_data": uri}}
    return None
