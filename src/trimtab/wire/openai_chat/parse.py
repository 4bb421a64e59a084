"""Chat Completions JSON into messages, requests and replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trimtab.core.ids import canonical_json
from trimtab.core.messages import Media, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult, encode_wire
from trimtab.errors import ParseError
from trimtab.wire.common import is_whole_json, media_of_base64, media_of_uri, opaque, seal, text_field, to_mapping
from trimtab.wire.protocol import ParsedRequest, Reply, Usage

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")
# What a reply carries as null or empty and providers refuse, or never read, when it is sent back.
_REPLY_NOISE = ("refusal", "annotations", "audio", "function_call", "tool_calls", "reasoning_content", "reasoning", "reasoning_details")


def parse_message(value: Any, path: str = "$") -> Message:
    value, wire = seal(value, path)
    name = value.get("role")
    role = ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        raise ParseError(f"unknown role {name!r}; use one of: {', '.join(ROLES)}", f"{path}.role")
    content = value.get("content")
    if role == "tool":
        parts: tuple[Part, ...] = (_result(value, content, path),)
    elif role == "assistant":
        parts = tuple(_assistant_parts(value, content, path))
    elif isinstance(content, str):
        parts = (Text(content),)
    else:
        parts = tuple(content_parts(content, f"{path}.content"))
    return Message(role=role, parts=parts, wire_format="openai_chat", wire=wire)


def _result(value: Mapping[str, Any], content: Any, path: str) -> ToolResult:
    legacy = value["role"] == "function"
    call_id = "" if legacy else text_field(value, "tool_call_id", path)
    return ToolResult(call_id=call_id, parts=tuple(content_parts(content, f"{path}.content")), name=value.get("name") or "")


def _assistant_parts(value: Mapping[str, Any], content: Any, path: str) -> list[Part]:
    parts: list[Part] = []
    if any(field in value for field in REASONING_FIELDS):
        parts.extend(_reasoning(value))
    if isinstance(content, str):
        parts.append(Text(content))
    elif content is not None:
        parts.extend(content_parts(content, f"{path}.content"))
    if value.get("refusal"):
        parts.append(Text(text_field(value, "refusal", path)))
    if value.get("audio"):
        parts.append(opaque("audio", value["audio"]))
    calls = value.get("tool_calls")
    if calls is not None:
        if not isinstance(calls, list | tuple):
            raise ParseError(f"expected an array, got {type(calls).__name__}", f"{path}.tool_calls")
        parts.extend(_call(call, f"{path}.tool_calls[{index}]") for index, call in enumerate(calls))
    legacy = value.get("function_call")
    if legacy:
        parts.append(_function(legacy, "", f"{path}.function_call"))
    return parts


def _reasoning(value: Mapping[str, Any]) -> list[Part]:
    text = value.get("reasoning_content") or value.get("reasoning") or ""
    details = value.get("reasoning_details")
    signature = canonical_json(encode_wire(details).decode()) if details else ""
    if not isinstance(text, str):
        text = encode_wire(text).decode()
    return [Reasoning(text=text, signature=signature)] if text or signature else []


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        return value
    # some servers send an object where the form has its text
    return "" if value is None else encode_wire(value).decode()


def _function(value: Any, call_id: str, path: str) -> ToolCall:
    if not isinstance(value, Mapping):
        raise ParseError(f"expected an object, got {type(value).__name__}", path)
    return ToolCall(call_id=call_id, name=text_field(value, "name", path), arguments=_arguments(value.get("arguments")))


def _call(value: Any, path: str) -> ToolCall:
    if not isinstance(value, Mapping):
        raise ParseError(f"expected an object, got {type(value).__name__}", path)
    call_id = text_field(value, "id", path)
    if "function" in value:
        return _function(value["function"], call_id, f"{path}.function")
    custom = value.get("custom")
    if isinstance(custom, Mapping):
        return ToolCall(call_id=call_id, name=text_field(custom, "name", f"{path}.custom"), arguments=_arguments(custom.get("input")))
    # a kind of call we do not know is still a call that wants its result
    rest = {key: item for key, item in value.items() if key not in ("id", "type")}
    return ToolCall(call_id=call_id, name=str(value.get("type", "")), arguments=encode_wire(rest).decode())


def content_parts(content: Any, path: str) -> list[Text | Media | Opaque]:
    """A `content` value (a string, null, or a list of parts) as parts. Raises ParseError."""
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(content)]
    if not isinstance(content, list | tuple):
        raise ParseError(f"expected a string or an array of parts, got {type(content).__name__}", path)
    parts: list[Text | Media | Opaque] = []
    for index, part in enumerate(content):
        if not isinstance(part, Mapping):
            raise ParseError(f"expected a part, got {type(part).__name__}", f"{path}[{index}]")
        parts.append(_part(part))
    return parts


def _part(part: Mapping[str, Any]) -> Text | Media | Opaque:
    kind = part.get("type")
    if kind in ("text", "refusal") and isinstance(part.get(kind), str):
        return Text(part[kind])
    inner = part.get(kind) if isinstance(kind, str) else None
    if kind == "image_url":
        url, detail = (inner.get("url"), inner.get("detail")) if isinstance(inner, Mapping) else (inner, None)
        if isinstance(url, str):
            return media_of_uri("image", url, detail if isinstance(detail, str) else "")
    elif isinstance(inner, Mapping):
        media = _known_media(str(kind), inner)
        if media is not None:
            return media
    return opaque(kind if isinstance(kind, str) else "", part)


def _known_media(kind: str, inner: Mapping[str, Any]) -> Media | None:
    if kind == "input_audio" and isinstance(inner.get("data"), str):
        return media_of_base64("audio", f"audio/{inner.get('format', '')}", inner["data"])
    if kind == "video_url" and isinstance(inner.get("url"), str):
        return media_of_uri("video", inner["url"])
    if kind == "file" and isinstance(inner.get("file_data"), str):
        return media_of_uri("file", inner["file_data"])
    if kind == "file" and isinstance(inner.get("file_id"), str):
        return Media(kind="file", url=f"file-id:{inner['file_id']}")
    return None


def parse_request(body: Mapping[str, Any]) -> ParsedRequest:
    body = to_mapping(body)
    values = body.get("messages")
    if not isinstance(values, list | tuple):
        raise ParseError(f"expected an array of messages, got {type(values).__name__}", "$.messages")
    parsed = tuple(parse_message(value, f"$.messages[{index}]") for index, value in enumerate(values))
    split = next((index for index, message in enumerate(parsed) if message.role != "system"), len(parsed))
    params = {key: item for key, item in body.items() if key not in ("messages", "tools")}
    return ParsedRequest(system=parsed[:split], messages=parsed[split:], tools=body.get("tools"), params=params)


def parse_system(value: Any) -> tuple[Message, ...]:
    """None, a text, a system message, a list of those, or a list of text parts (which is one message)."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (parse_message({"role": "system", "content": value}, "$.system"),)
    values = list(value) if isinstance(value, list | tuple) else [value]
    if values and all(isinstance(item, Mapping) and "role" not in item for item in values):
        return (parse_message({"role": "system", "content": values}, "$.system"),)
    parsed = tuple(message for item in values for message in _system_items(item))
    for message in parsed:
        if message.role != "system":
            raise ParseError(f"expected a system message, got role {message.role!r}", "$.system")
    return parsed


def _system_items(item: Any) -> tuple[Message, ...]:
    return parse_system(item) if isinstance(item, str) else (parse_message(item, "$.system"),)


def parse_usage(value: Any) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    prompt = value.get("prompt_tokens_details") or {}
    completion = value.get("completion_tokens_details") or {}
    # DeepSeek reports its cache beside the prompt's tokens instead of in the details
    cached = prompt.get("cached_tokens") or value.get("prompt_cache_hit_tokens") or 0
    return Usage(
        input_tokens=value.get("prompt_tokens") or 0,
        output_tokens=value.get("completion_tokens") or 0,
        cached_tokens=cached,
        cache_write_tokens=prompt.get("cache_write_tokens") or 0,
        reasoning_tokens=completion.get("reasoning_tokens") or 0,
    )


def resendable(message: Mapping[str, Any], stop_reason: str) -> dict[str, Any] | None:
    """A reply's message as it must be sent back: without null noise, parsed copies, and, where the length limit
    cut it, without calls that are not whole. None where nothing is in it."""
    value = {key: item for key, item in message.items() if key != "parsed" and not (key in _REPLY_NOISE and not item)}
    value = {"role": "assistant", **value}
    if isinstance(value.get("audio"), Mapping):
        value["audio"] = {"id": value["audio"].get("id")}  # the only field a request may have
    if value.get("tool_calls"):
        calls = [_without_copy(call) for call in value["tool_calls"]]
        if stop_reason == "length":
            calls = [call for call in calls if "function" not in call or is_whole_json(_arguments(call["function"].get("arguments")))]
        value["tool_calls"] = calls
        if not calls:
            del value["tool_calls"]
    if "tool_calls" not in value and value.get("content") is None and not any(value.get(key) for key in _CONTENT_FIELDS):
        value["content"] = ""
    return value if any(value.get(key) for key in ("content", "tool_calls", *_CONTENT_FIELDS, *REASONING_FIELDS)) else None


_CONTENT_FIELDS = ("refusal", "audio", "function_call")


def _without_copy(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    if isinstance(function, Mapping) and "parsed_arguments" in function:
        return {**call, "function": {key: item for key, item in function.items() if key != "parsed_arguments"}}
    return dict(call)


def parse_reply(body: Any) -> Reply:
    body = to_mapping(body)
    choices = body.get("choices")
    if not isinstance(choices, list | tuple):
        raise ParseError(f"expected a chat completion with choices, got keys: {', '.join(map(str, body))}", "$.choices")
    usage, reply_id = parse_usage(body.get("usage")), body.get("id") or ""
    if not choices:
        return Reply(messages=(), usage=usage, reply_id=reply_id)
    message = choices[0].get("message")
    if not isinstance(message, Mapping):
        raise ParseError(f"expected a message, got {type(message).__name__}", "$.choices[0].message")
    stop_reason = choices[0].get("finish_reason") or ""
    value = resendable(message, stop_reason)
    messages = () if value is None else (parse_message(value, "$.choices[0].message"),)
    return Reply(messages=messages, usage=usage, stop_reason=stop_reason, reply_id=reply_id)
