"""Reasoning bound to its prefix, as a provider does it: each block is signed over everything before it.

The signature holds four digests: of the block's own text, of the prefix (tools, system and all that stands before
it, cache marks and reasoning left out), of the signature before it in the chain, and a seal over the three. So a
changed text, a changed prefix and a hole in the chain can be told apart.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b, sha256
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.core.messages import WireName

_SIZE = 16
_NONE = bytes(_SIZE)
_MARKS = frozenset({"cache_control", "prompt_cache_breakpoint"})
# what the Responses form renders to no tokens, so that a prefix is the same without it
_UNSEEN = frozenset({"id", "status"})
_THINKING = ("thinking", "redacted_thinking")
_encode = msgspec.json.Encoder(order="deterministic").encode


class Bound(Struct, frozen=True, kw_only=True):
    """One reasoning block as it stands in a request.

    Attributes:
        block: its JSON object.
        path: where it is, in the provider's way of naming.
        prefix: digest of what stands before it; empty where it was not asked for.
        latest: whether it is in the latest assistant message.
    """

    block: dict[str, Any]
    path: str
    prefix: bytes
    latest: bool = False

    @property
    def text(self) -> str:
        return str(self.block.get("thinking") or "") if self.block.get("type") == "thinking" else ""

    @property
    def signature(self) -> str:
        return str(self.block.get(_FIELD[self.block["type"]]) or "")


_FIELD = {"thinking": "signature", "redacted_thinking": "data", "reasoning": "encrypted_content"}


class Signer:
    """Makes and checks signatures with one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def _mac(self, label: bytes, data: bytes) -> bytes:
        return hmac.new(self._key, label + data, sha256).digest()[:_SIZE]

    def sign(self, text: str, prefix: bytes, previous: str) -> str:
        """Signature of a block with that text after that prefix; `previous` is the signature before it, or ""."""
        link = self._mac(b"link", previous.encode()) if previous else _NONE
        held = self._mac(b"text", text.encode()) + self._mac(b"prefix", prefix) + link
        return base64.b64encode(held + self._mac(b"seal", held)).decode()

    def _open(self, signature: str) -> bytes | None:
        try:
            raw = base64.b64decode(signature, validate=True)
        except (binascii.Error, ValueError):
            return None
        sound = len(raw) == 4 * _SIZE and hmac.compare_digest(self._mac(b"seal", raw[: 3 * _SIZE]), raw[3 * _SIZE :])
        return raw if sound else None

    def is_sound(self, signature: str) -> bool:
        """Whether the signature was made here, for whatever text."""
        return self._open(signature) is not None

    def is_authentic(self, text: str, signature: str) -> bool:
        """Whether the signature was made here for that text."""
        raw = self._open(signature)
        return raw is not None and raw[:_SIZE] == self._mac(b"text", text.encode())

    def is_bound(self, signature: str, prefix: bytes, previous: str) -> bool:
        """Whether the signature was made after that prefix. The first block of a request may have had others before
        it (`previous` is then ""): reasoning may leave at the start of the history, never in the middle."""
        raw = self._open(signature)
        if raw is None or raw[_SIZE : 2 * _SIZE] != self._mac(b"prefix", prefix):
            return False
        return not previous or raw[2 * _SIZE : 3 * _SIZE] == self._mac(b"link", previous.encode())

    def seal(self, bound: Bound, previous: str) -> str:
        """Sign the block where it stands, in place; returns its signature."""
        signature = self.sign(bound.text, bound.prefix, previous)
        bound.block[_FIELD[bound.block["type"]]] = signature
        return signature


def scan(wire: WireName, body: Mapping[str, Any], *, prefixes: bool) -> tuple[list[Bound], bytes]:
    """The reasoning blocks of a request in order, and the digest of the whole request as a prefix.

    Args:
        prefixes: whether digests are made at all; without them this is a quick look for reasoning.
    """
    if wire == "openai_responses":
        return _scan_items(body, prefixes)
    if wire == "anthropic":
        return _scan_messages(body, prefixes)
    return [], b""


class _Prefix:
    """A digest that grows with each thing that stands in the prompt."""

    def __init__(self, active: bool, dropped_keys: frozenset[str], head: Iterable[Any]) -> None:
        self._active, self._dropped_keys = active, dropped_keys
        self.digest = b""
        for value in head:
            self.add("head", value)

    def add(self, role: str, value: Any) -> None:
        if self._active:
            plain = _encode([role, _without(value, self._dropped_keys)])
            self.digest = blake2b(self.digest + plain, digest_size=_SIZE).digest()


def _without(value: Any, keys: frozenset[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _without(item, keys) for key, item in value.items() if key not in keys}
    if isinstance(value, list | tuple):
        return [_without(item, keys) for item in value]
    return value


def _texts(content: Any, text_type: str = "text") -> Sequence[Any]:
    """Content blocks; a string is one block of text."""
    if content is None:
        return ()
    return [{"type": text_type, "text": content}] if isinstance(content, str) else content


def _scan_messages(body: Mapping[str, Any], prefixes: bool) -> tuple[list[Bound], bytes]:
    messages = body.get("messages") or ()
    prefix = _Prefix(prefixes, _MARKS, [body.get("tools") or [], _texts(body.get("system"))])
    latest = max((index for index, message in enumerate(messages) if message.get("role") == "assistant"), default=-1)
    found: list[Bound] = []
    for index, message in enumerate(messages):
        for at, block in enumerate(_texts(message.get("content"))):
            if block.get("type") in _THINKING:
                found.append(Bound(block=block, path=f"messages.{index}.content.{at}", prefix=prefix.digest, latest=index == latest))
            elif prefixes:
                prefix.add(message["role"], _same_result(block))
    return found, prefix.digest


def _same_result(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool result whose content is a string, as the one text block that it equals."""
    if block.get("type") != "tool_result":
        return block
    return {**block, "content": _texts(block.get("content"))}


def _scan_items(body: Mapping[str, Any], prefixes: bool) -> tuple[list[Bound], bytes]:
    given = body.get("input") or ()
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    form = (body.get("text") or {}).get("format") if isinstance(body.get("text"), Mapping) else None
    prefix = _Prefix(prefixes, _MARKS | _UNSEEN, [body.get("tools") or [], form, body.get("instructions") or ""])
    found: list[Bound] = []
    for index, item in enumerate(items):
        if item.get("type") == "reasoning":
            if item.get("encrypted_content"):  # without it the provider looks its own copy up
                found.append(Bound(block=item, path=f"input[{index}]", prefix=prefix.digest))
        elif prefixes:
            prefix.add("item", _same_item(item))
    return found, prefix.digest


def _same_item(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message whose content is a string, or that leaves out its type, as the full form that it equals."""
    if "role" not in item:
        return item
    kind = "output_text" if item["role"] == "assistant" else "input_text"
    blocks = [
        {key: value for key, value in block.items() if key not in ("annotations", "logprobs")}
        for block in _texts(item.get("content"), kind)
    ]
    return {**item, "type": "message", "content": blocks}
