"""Who a message is: its canonical form, its place in a conversation (`lineage_id`) and its bytes (`body_id`).

FROZEN with the first database. Real clients move cache marks, switch between a string and a list of one
text block, and make new call ids on every resend; equality of raw JSON finds none of their continuations.
The canonical form therefore leaves out: cache marks, item, message and call ids, statuses, empty texts,
reasoning. Arguments are compared as sorted JSON; a result names its call by what was called, not by id;
media by content, or by URL without its query.

The chain runs over parts, not messages, so that one conversation has the same lineage however a wire form
cuts it into messages (two `tool` messages, or one `user` message with two `tool_result` blocks).
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from trimtab.core.messages import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

CANONICAL_VERSION = 1
LINEAGE_PREFIX = "t1:"
ROOT = LINEAGE_PREFIX + "root"
_DIGEST_BYTES = 16
_VOLATILE_KEYS = frozenset(
    {"cache_control", "prompt_cache_breakpoint", "id", "item_id", "call_id", "tool_call_id", "tool_use_id", "status"}
)

_encode = msgspec.json.Encoder(order="deterministic").encode


# above this a double no longer holds every integer (RFC 8785, and JavaScript's MAX_SAFE_INTEGER)
_SAFE_INTEGER = 2**53


def canonical_numbers(value: Any) -> Any:
    """The value with numbers as a JSON library that only knows doubles would write them again: 10.0 is 10."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _SAFE_INTEGER else value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _SAFE_INTEGER:
        return float(value) if abs(value) < 10**300 else str(value)
    if isinstance(value, dict):
        return {key: canonical_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [canonical_numbers(item) for item in value]
    return value


def canonical_json(text: str) -> str:
    """Sorted compact JSON of `text`, or `text` itself where it is not JSON."""
    try:
        return _encode(canonical_numbers(msgspec.json.decode(text))).decode()
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text


def without_volatile(value: Any) -> Any:
    """The value without the keys that clients change from one resend to the next."""
    if isinstance(value, Mapping):
        return {key: without_volatile(item) for key, item in value.items() if key not in _VOLATILE_KEYS}
    if isinstance(value, list):
        return [without_volatile(item) for item in value]
    return canonical_numbers(value)


def call_form(call: ToolCall) -> list[str]:
    return ["call", call.name, canonical_json(call.arguments)]


def _media_form(part: Media) -> list[str]:
    return ["media", part.kind, part.digest or part.url.split("?", 1)[0]]


def _inner_form(part: Text | Media | Opaque) -> list[Any]:
    if isinstance(part, Text):
        return ["text", part.text]
    if isinstance(part, Media):
        return _media_form(part)
    return ["opaque", part.kind, without_volatile(msgspec.json.decode(part.raw))]


def part_form(part: Part, calls: Mapping[str, list[str]]) -> list[Any] | None:
    """Canonical form of one part; None where it has no say in identity.

    Args:
        calls: canonical form of each known call by its id, so that a result can name what it answers.
    """
    if isinstance(part, Text):
        return ["text", part.text] if part.text else None
    if isinstance(part, Reasoning):
        return None
    if isinstance(part, ToolCall):
        return call_form(part)
    if isinstance(part, ToolResult):
        inner = [_inner_form(item) for item in part.parts if not (isinstance(item, Text) and not item.text)]
        return ["result", calls.get(part.call_id), inner]
    return _inner_form(part)


def canonical_parts(message: Message, calls: Mapping[str, list[str]]) -> list[tuple[str, list[Any]]]:
    """(role, form) of each part that counts, in order. A result has the role `tool` wherever it stands."""
    forms: list[tuple[str, list[Any]]] = []
    for part in message.parts:
        form = part_form(part, calls)
        if form is not None:
            forms.append(("tool" if isinstance(part, ToolResult) else message.role, form))
    return forms


class Hasher:
    """Hashes keyed by tenant, so that equal texts of two tenants cannot be told to be equal.

    Args:
        key: at most 64 bytes.
    """

    def __init__(self, key: bytes = b"trimtab") -> None:
        self._key = key[:64]

    @classmethod
    def for_tenant(cls, tenant_id: str) -> Hasher:
        """Names of any length give keys of their own."""
        return cls(blake2b(tenant_id.encode("utf-8", "surrogatepass"), digest_size=32, person=b"trimtab-tenant").digest())

    def digest(self, data: bytes) -> str:
        return blake2b(data, digest_size=_DIGEST_BYTES, key=self._key).hexdigest()

    def body_id(self, wire_format: str, data: bytes) -> str:
        """Identity of exact bytes in one wire form."""
        return self.digest(wire_format.encode() + b"\n" + data)

    def step(self, parent: str, role: str, form: list[Any]) -> str:
        return LINEAGE_PREFIX + self.digest(_encode([CANONICAL_VERSION, parent, role, form]))

    def lineage_id(self, parent: str, message: Message, calls: Mapping[str, list[str]]) -> str:
        """Identity of a message at its place in a conversation.

        A message with nothing that counts (reasoning alone, an empty text) has its parent's identity, so that
        a client which leaves it out of its next resend still continues the same conversation.
        """
        node = parent
        for role, form in canonical_parts(message, calls):
            node = self.step(node, role, form)
        return node

    def content_id(self, message: Message, calls: Mapping[str, list[str]]) -> str:
        """Identity of what a message says, wherever it stands: used to align a history that lost its head."""
        return self.digest(_encode(canonical_parts(message, calls)))
