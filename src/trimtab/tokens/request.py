"""The tokens of a whole request body, taken from its JSON alone: a second opinion on what the session added up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from trimtab.core.messages import Media, MediaKind, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult, WireName
from trimtab.tokens.framing import compact_json
from trimtab.tokens.protocol import Counter
from trimtab.tokens.sources import media_at, media_inline

Inner = Text | Media | Opaque
_TEXT_TYPES = frozenset({"text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text"})
# what a call asks for, by the field's name in one of the Responses item types
_ASKS = ("arguments", "input", "action", "actions", "operation", "code")
_TELLS = ("output", "result", "tools", "approve")


def count_request(body: Mapping[str, Any], wire: WireName, counter: Counter) -> int:
    """Tokens of system text, messages and tools of a request body. Other parameters (response schemas too) are not
    counted. Unknown parts count as their JSON, and nothing raises for being of the wrong shape.

    For a body rendered from messages it is at most the sum of `count_message` over them and `count_tools`: merged
    messages lose a framing each, and nothing is added for the request as a whole.
    """
    messages: list[tuple[Role, tuple[Part, ...]]] = list(_READERS[wire](body))
    total = sum(counter.count_message(Message(role=role, parts=parts, wire_format=wire, wire=b"{}")) for role, parts in messages)
    tools = body.get("tools")
    return total + counter.count_tools(list(tools) if isinstance(tools, Sequence) and not isinstance(tools, str) else None)


def _listed(value: Any) -> list[Any]:
    if value is None or value == "":
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _chat(body: Mapping[str, Any]) -> Iterator[tuple[Role, tuple[Part, ...]]]:
    for value in _listed(body.get("messages")):
        message = value if isinstance(value, Mapping) else {"content": value}
        inner = _inner_parts(message.get("content"))
        if message.get("role") in ("tool", "function"):
            yield "tool", (ToolResult(call_id="", parts=inner, name=str(message.get("name") or "")),)
        else:
            yield "assistant", (*_chat_reasoning(message), *inner, *_chat_extras(message))


def _chat_reasoning(message: Mapping[str, Any]) -> Iterator[Part]:
    text = message.get("reasoning_content") or message.get("reasoning") or ""
    details = message.get("reasoning_details")
    if text or details:
        yield Reasoning(text=text if isinstance(text, str) else compact_json(text), signature=compact_json(details) if details else "")


def _chat_extras(message: Mapping[str, Any]) -> Iterator[Part]:
    if message.get("refusal"):
        yield Text(str(message["refusal"]))
    if message.get("audio"):
        yield Opaque(kind="audio", raw=compact_json(message["audio"]))
    calls = _listed(message.get("tool_calls"))
    if message.get("function_call"):
        calls.append({"function": message["function_call"]})
    for call in calls:
        asked = call.get("function") or call.get("custom") if isinstance(call, Mapping) else None
        yield _call(asked if isinstance(asked, Mapping) else {"input": call})


def _responses(body: Mapping[str, Any]) -> Iterator[tuple[Role, tuple[Part, ...]]]:
    if body.get("instructions"):
        yield "system", _inner_parts(body["instructions"])
    value = body.get("input")
    if isinstance(value, str):
        yield "user", (Text(value),)
        return
    items = [_item(item if isinstance(item, Mapping) else {"role": "user", "content": item}) for item in _listed(value)]
    # what the model said in one go is one message: its reasoning, text and calls
    for role, run in groupby(enumerate(items), key=lambda pair: "assistant" if pair[1][0] == "assistant" else pair[0]):
        parts = tuple(part for _, (_, found) in run for part in found)
        yield "assistant" if role == "assistant" else "user", parts


def _item(item: Mapping[str, Any]) -> tuple[Role, tuple[Part, ...]]:
    kind = str(item.get("type") or "message")
    if kind == "message":
        return "assistant" if item.get("role") == "assistant" else "user", _inner_parts(item.get("content"))
    if kind == "reasoning":
        blocks = [*_listed(item.get("summary")), *_listed(item.get("content"))]
        text = "\n".join(str(block.get("text") or "") for block in blocks if isinstance(block, Mapping))
        return "assistant", (Reasoning(text=text, signature=str(item.get("encrypted_content") or item.get("id") or "")),)
    if kind == "mcp_call":
        told = item.get("output") or item.get("error")
        return "assistant", (_call(item), ToolResult(call_id="", parts=_inner_parts(told)))
    if kind.endswith(("_output", "_response")):
        told = next((item[key] for key in _TELLS if key in item), None)
        return "tool", (ToolResult(call_id="", parts=_inner_parts(told)),)
    if kind.endswith(("_call", "_request")) or kind == "program":
        return "assistant", (_call({"name": kind, **item}),)
    return "assistant", (Opaque(kind=kind, raw=compact_json(item)),)


def _anthropic(body: Mapping[str, Any]) -> Iterator[tuple[Role, tuple[Part, ...]]]:
    system = _inner_parts(body.get("system"))
    if system:
        yield "system", system
    for value in _listed(body.get("messages")):
        message = value if isinstance(value, Mapping) else {"content": value}
        yield "user", tuple(_block(block) for block in _listed(message.get("content")))


def _block(block: Any) -> Part:
    kind = block.get("type") if isinstance(block, Mapping) else None
    if kind == "tool_use":
        return ToolCall(call_id="", name=str(block.get("name") or ""), arguments=compact_json(block.get("input")))
    if kind == "tool_result":
        return ToolResult(call_id="", parts=_inner_parts(block.get("content")))
    if kind == "thinking":
        return Reasoning(text=str(block.get("thinking") or ""), signature=str(block.get("signature") or ""))
    if kind == "redacted_thinking":
        return Reasoning(signature=str(block.get("data") or ""))
    return _inner(block)


def _call(asked: Mapping[str, Any]) -> ToolCall:
    arguments = next((asked[key] for key in _ASKS if asked.get(key) is not None), "")
    text = arguments if isinstance(arguments, str) else compact_json(arguments)
    return ToolCall(call_id="", name=str(asked.get("name") or ""), arguments=text)


def _inner_parts(content: Any) -> tuple[Inner, ...]:
    return tuple(_inner(block) for block in _listed(content))


def _inner(block: Any) -> Inner:
    if isinstance(block, str):
        return Text(block)
    if not isinstance(block, Mapping):
        return Opaque(kind="", raw=compact_json(block))
    kind = str(block.get("type"))
    text = block.get("refusal") if kind == "refusal" else block.get("text")
    if kind in _TEXT_TYPES and isinstance(text, str):
        return Text(text)
    return _media(kind, block) or Opaque(kind=kind, raw=compact_json(block))


def _media(kind: str, block: Mapping[str, Any]) -> Media | None:
    """The block as media of one of the three forms; None where it is none we know."""
    if kind in ("image_url", "video_url"):
        return _chat_media("image" if kind == "image_url" else "video", block.get(kind))
    if kind in ("input_image", "computer_screenshot"):
        address = block.get("image_url") or block.get("file_id")
        return media_at("image", address, str(block.get("detail") or "")) if isinstance(address, str) else None
    if kind == "input_audio":
        sound = block.get("input_audio")
        known = isinstance(sound, Mapping) and isinstance(sound.get("data"), str)
        return media_inline("audio", f"audio/{sound.get('format', '')}", sound["data"]) if known and sound else None
    if kind in ("file", "input_file"):
        source = block.get("file") if kind == "file" else block
        return _file(source) if isinstance(source, Mapping) else None
    if kind in ("image", "document") and isinstance(block.get("source"), Mapping):
        return _anthropic_media("image" if kind == "image" else "file", block["source"])
    return None


def _chat_media(kind: MediaKind, inner: Any) -> Media | None:
    address = inner.get("url") if isinstance(inner, Mapping) else inner
    detail = inner.get("detail") if isinstance(inner, Mapping) else ""
    return media_at(kind, address, str(detail or "")) if isinstance(address, str) else None


def _file(source: Mapping[str, Any]) -> Media | None:
    content = source.get("file_data")
    if isinstance(content, str) and not content.startswith("data:"):
        return media_inline("file", "", content)
    address = content or source.get("file_url") or source.get("file_id")
    return media_at("file", address) if isinstance(address, str) else None


def _anthropic_media(kind: MediaKind, source: Mapping[str, Any]) -> Media | None:
    form, content, media_type = source.get("type"), source.get("data"), str(source.get("media_type") or "")
    if form == "base64" and isinstance(content, str):
        return media_inline(kind, media_type, content)
    if form == "text" and isinstance(content, str):
        return Media(kind=kind, media_type=media_type or "text/plain", size_bytes=len(content.encode("utf-8", "replace")))
    if form == "content" and "content" in source:
        return Media(kind=kind, media_type=media_type, size_bytes=len(compact_json(source["content"]).encode()))
    address = source.get("url") or source.get("file_id")
    return Media(kind=kind, media_type=media_type, url=address) if isinstance(address, str) else None


_READERS: dict[WireName, Callable[[Mapping[str, Any]], Iterator[tuple[Role, tuple[Part, ...]]]]] = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic": _anthropic,
}
