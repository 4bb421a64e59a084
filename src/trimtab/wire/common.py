"""What the three wire forms share: plain JSON out of any object, field checks with paths, text and media pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, cast

import msgspec

from trimtab.core.messages import Media, Message, Opaque, Text, ToolCall, ToolResult, encode_wire
from trimtab.core.plan import RenderItem
from trimtab.errors import InvalidPrompt, ParseError
from trimtab.wire.media import (
    decode_base64,
    inline_sources,
    is_remote,
    media_of_base64,
    media_of_bytes,
    media_of_uri,
    media_stub,
    split_data_uri,
)

__all__ = [
    "CACHE_MARKS",
    "LEFT_OUT",
    "NO_OUTPUT",
    "decode",
    "decode_base64",
    "decode_items",
    "inline_sources",
    "invalid",
    "is_remote",
    "is_whole_json",
    "join_texts",
    "media_of_base64",
    "media_of_bytes",
    "media_of_uri",
    "media_stub",
    "opaque",
    "portable_call_id",
    "portable_text",
    "replaced_parts",
    "rewrite",
    "seal",
    "split_data_uri",
    "text_field",
    "to_mapping",
    "unique_call_ids",
]

LEFT_OUT = "(earlier conversation left out)"
NO_OUTPUT = "(no output)"
CACHE_MARKS = ("cache_control", "prompt_cache_breakpoint")
# Anthropic takes only these in a tool_use id; other servers make ids like `functions.search:0`
_FOREIGN_ID = re.compile(r"[^a-zA-Z0-9_-]")

_NOT_JSON = "not JSON: half of a surrogate pair, nesting too deep, or an object of no known kind; pass plain dicts and lists"

decode = msgspec.json.Decoder().decode
_is_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def to_mapping(value: Any) -> Mapping[str, Any]:
    """A mapping from a mapping (itself) or from a client library's object (anything with `model_dump`).

    Of an object only what was set is taken; its top-level nulls, empty `annotations` and `parsed` results go,
    because providers refuse them when the message is sent back. Raises ParseError for anything else.
    """
    if isinstance(value, Mapping):
        return value
    if not hasattr(value, "model_dump"):
        raise ParseError(f"expected a mapping or a client library's object, got {type(value).__name__}; pass a dict")
    dumped = value.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    return {
        key: item
        for key, item in dumped.items()
        if (item is not None or key == "content") and key != "parsed" and not (key == "annotations" and not item)
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, str | int | float | bytes) or value is None:
        return value
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    return [_plain(item) for item in value] if isinstance(value, Iterable) else value


def seal(value: Any, path: str = "$") -> tuple[dict[str, Any], bytes]:
    """The value as plain JSON types, and its wire bytes. Client objects nested in it (a list of content blocks
    of an SDK reply) are turned into mappings. Raises ParseError where it is not a JSON object."""
    if not isinstance(value, Mapping):
        value = to_mapping(value)
    try:
        return cast(dict[str, Any], value), encode_wire(value)
    except TypeError:
        pass  # something in it is not plain yet
    except (UnicodeEncodeError, RecursionError) as error:
        raise ParseError(_NOT_JSON, path) from error
    try:
        value = _plain(value)
        return value, encode_wire(value)
    except (TypeError, UnicodeEncodeError, RecursionError) as error:
        raise ParseError(_NOT_JSON, path) from error


def text_field(value: Mapping[str, Any], key: str, path: str) -> str:
    """A string that must be there. Raises ParseError with its path."""
    found = value.get(key)
    if not isinstance(found, str):
        raise ParseError(f"expected a string, got {type(found).__name__}", f"{path}.{key}")
    return found


def opaque(kind: str, value: Any) -> Opaque:
    return Opaque(kind=kind, raw=encode_wire(value).decode())


def invalid(rule: str, message: str, path: str = "$") -> InvalidPrompt:
    return InvalidPrompt(rule, message, path)


def join_texts(texts: Iterable[str]) -> str:
    """Texts with one blank line between; empty ones leave no trace."""
    return "\n\n".join(text for text in texts if text)


def decode_items(item: RenderItem) -> list[dict[str, Any]]:
    """The wire messages of a `client` or `message` item: one object, or an array of them."""
    value = decode(item.payload)
    return value if isinstance(value, list) else [value]


def is_whole_json(text: str) -> bool:
    """Whether the text is one whole JSON object, which a stream that was cut cannot fake."""
    try:
        _is_object(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False
    return True


def rewrite(message: Message, change: Callable[[dict[str, Any]], bool], parse: Callable[[Mapping[str, Any]], Message]) -> Message:
    """The message after `change` edited its JSON in place and said whether it did; its status is kept."""
    value = decode(message.wire)
    if not change(value):
        return message
    return msgspec.structs.replace(parse(value), status=message.status)


def portable_call_id(call: ToolCall | ToolResult) -> str:
    """The call's id in letters every provider takes; calls of the legacy form, which has none, are named by function."""
    if not call.call_id:
        return "call_" + blake2b(call.name.encode(), digest_size=8).hexdigest()
    if not _FOREIGN_ID.search(call.call_id):
        return call.call_id
    # the hash keeps two ids apart that differ only in what was replaced
    return _FOREIGN_ID.sub("_", call.call_id)[:40] + "_" + blake2b(call.call_id.encode(), digest_size=4).hexdigest()


def portable_text(part: Text | Media | Opaque) -> str:
    """The part as text, for a form that has no word for it."""
    if isinstance(part, Text):
        return part.text
    return media_stub(part) if isinstance(part, Media) else f"[{part.kind or 'unknown part'}]"


def replaced_parts(parts: Sequence[Any], text: str, is_old: Callable[[Mapping[str, Any]], bool]) -> list[Any]:
    """The content list with all parts that are old made into one text part, at the place of the first of them.

    The new part keeps the other fields of the first text part, and the last cache mark of what it replaces.
    Without an old part the text is not inserted; an empty text leaves none behind unless the list would be empty.
    """
    old = [part for part in parts if is_old(part)]
    template = next((part for part in old if part.get("type") == "text"), {"type": "text"})
    fresh = {key: value for key, value in template.items() if key != "citations"} | {"text": text}
    for part in old:
        fresh.update({mark: part[mark] for mark in CACHE_MARKS if mark in part})
    result: list[Any] = []
    placed = not text and len(old) < len(parts)
    for part in parts:
        if not is_old(part):
            result.append(part)
        elif not placed:
            result.append(fresh)
            placed = True
    return result


Slots = Callable[[dict[str, Any]], Sequence[dict[str, Any]]]


def unique_call_ids(messages: Iterable[dict[str, Any]], calls: Slots, results: Slots, keys: tuple[str, str]) -> None:
    """Give a call whose id was used before it in the list one of its own, in place, and its result with it.

    Models do repeat ids across turns, and a list in which two calls share one is refused (C3, A3). The new id
    depends only on what stands before it, so a prefix that does not change keeps its ids.

    Args:
        calls, results: the objects in a message that hold a call's id, and those that name the call they answer.
        keys: the field of the id in the first and in the second.
    """
    seen: set[str] = set()
    answers: dict[str, list[str]] = {}
    for message in messages:
        for result in results(message):
            waiting = answers.get(result.get(keys[1], ""))
            if waiting:
                result[keys[1]] = waiting.pop(0)
        made = calls(message)
        if made:
            answers = {}  # results belong to the last message that called
        for call in made:
            old = new = call.get(keys[0], "")
            number = 2
            while new in seen:
                new, number = f"{old}_{number}", number + 1
            if new != old:
                call[keys[0]] = new
            seen.add(new)
            answers.setdefault(old, []).append(new)
