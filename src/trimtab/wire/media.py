"""Media without decoding pictures: the digest of the bytes, their size, and what a header says about the rest."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from trimtab.core.messages import Media, MediaKind

DIGEST_BYTES = 16
_PDF_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
# JPEG start-of-frame markers carry the size; C4, C8 and CC share the range and are something else (ITU T.81, table B.1)
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def is_remote(url: str) -> bool:
    return url.startswith(("http://", "https://"))


def split_data_uri(uri: str) -> tuple[str, str] | None:
    """(media type, base64 text) of a base64 data URI; None for anything else."""
    if not uri.startswith("data:"):
        return None
    head, comma, body = uri.partition(",")
    if not comma or not head.endswith(";base64"):
        return None
    return head[5:-7].split(";", 1)[0], body


def decode_base64(text: str) -> bytes:
    """The bytes, or the text's own bytes where it is not base64 (so that it still has an identity)."""
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return text.encode("utf-8", "surrogatepass")


def media_of_bytes(kind: MediaKind, media_type: str, content: bytes, detail: str = "") -> Media:
    width, height = image_size(content) if kind == "image" else (0, 0)
    pages = len(_PDF_PAGE.findall(content)) if content.startswith(b"%PDF") else 0
    digest = blake2b(content, digest_size=DIGEST_BYTES).hexdigest()
    return Media(
        kind=kind, media_type=media_type, digest=digest, size_bytes=len(content), width=width, height=height, detail=detail, pages=pages
    )


def media_of_base64(kind: MediaKind, media_type: str, text: str, detail: str = "") -> Media:
    return media_of_bytes(kind, media_type, decode_base64(text), detail)


def media_of_uri(kind: MediaKind, uri: str, detail: str = "") -> Media:
    """Media behind a data URI (by its bytes) or any other address (by URL)."""
    inline = split_data_uri(uri)
    if inline is None:
        return Media(kind=kind, url=uri, detail=detail)
    return media_of_base64(kind, inline[0], inline[1], detail)


def image_size(content: bytes) -> tuple[int, int]:
    """(width, height) in pixels from a PNG, GIF, WebP or JPEG header; (0, 0) where it cannot be read."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) >= 24:
        return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if content[:4] == b"GIF8" and len(content) >= 10:
        return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP" and len(content) >= 30:
        return _webp_size(content)
    if content[:2] == b"\xff\xd8":
        return _jpeg_size(content)
    return 0, 0


def _webp_size(content: bytes) -> tuple[int, int]:
    form = content[12:16]
    if form == b"VP8X":
        return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
    if form == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return int.from_bytes(content[26:28], "little") & 0x3FFF, int.from_bytes(content[28:30], "little") & 0x3FFF


def _jpeg_size(content: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker in _JPEG_FRAMES:
            return int.from_bytes(content[at + 7 : at + 9], "big"), int.from_bytes(content[at + 5 : at + 7], "big")
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return 0, 0


def media_stub(part: Media) -> str:
    """What stands for media that a wire form cannot say: `[image, 12,345 bytes]`."""
    size = f", {part.size_bytes:,} bytes" if part.size_bytes else ""
    address = f", {part.url}" if part.url else ""
    return f"[{part.kind}{size}{address}]"


def inline_sources(wire: bytes) -> dict[str, tuple[str, str]]:
    """(media type, base64 text) by digest of all media whose bytes are inside a message of any wire form."""
    found: dict[str, tuple[str, str]] = {}
    for media_type, text in _walk(msgspec.json.decode(wire)):
        digest = blake2b(decode_base64(text), digest_size=DIGEST_BYTES).hexdigest()
        found[digest] = (media_type, text)
    return found


def _walk(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        inline = split_data_uri(value)
        if inline is not None:
            yield inline
    elif isinstance(value, list):
        for item in value:
            yield from _walk(item)
    elif isinstance(value, dict):
        content = value.get("data")
        if isinstance(content, str) and not content.startswith("data:"):
            yield value.get("media_type") or f"audio/{value.get('format', '')}", content
        for item in value.values():
            yield from _walk(item)
