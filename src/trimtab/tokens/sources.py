"""Media as they stand in request bodies: what can be read off inline bytes without decoding a picture.

The wire room reads the same for messages; this room may not import it, and `count_request` has to check what the
session added up by its own means.
"""

from __future__ import annotations

import base64
import binascii
import re

from trimtab.core.messages import Media, MediaKind

_PDF_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
# start-of-frame markers hold the size; three of their range mean something else (ITU T.81, table B.1)
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def media_at(kind: MediaKind, address: str, detail: str = "") -> Media:
    """Media behind a data URI or another address."""
    head, comma, body = address.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return Media(kind=kind, url=address, detail=detail)
    return media_inline(kind, head[5:-7].split(";", 1)[0], body, detail)


def media_inline(kind: MediaKind, media_type: str, text: str, detail: str = "") -> Media:
    """Media whose base64 text stands in the body."""
    try:
        content = base64.b64decode(text)
    except (binascii.Error, ValueError):
        content = text.encode("utf-8", "surrogatepass")
    width, height = image_size(content) if kind == "image" else (0, 0)
    pages = len(_PDF_PAGE.findall(content)) if content.startswith(b"%PDF") else 0
    return Media(kind=kind, media_type=media_type, size_bytes=len(content), width=width, height=height, detail=detail, pages=pages)


def image_size(content: bytes) -> tuple[int, int]:
    """(width, height) in pixels of a PNG, GIF, WebP or JPEG; (0, 0) where the header does not say."""
    if content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) >= 24:
        return _number(content[16:20], "big"), _number(content[20:24], "big")
    if content.startswith(b"GIF8") and len(content) >= 10:
        return _number(content[6:8]), _number(content[8:10])
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP" and len(content) >= 30:
        return _webp_size(content[12:16], content)
    return _jpeg_size(content) if content.startswith(b"\xff\xd8") else (0, 0)


def _number(content: bytes, order: str = "little") -> int:
    return int.from_bytes(content, "big" if order == "big" else "little")


def _webp_size(form: bytes, content: bytes) -> tuple[int, int]:
    if form == b"VP8X":
        return 1 + _number(content[24:27]), 1 + _number(content[27:30])
    if form == b"VP8L":
        packed = _number(content[21:25])
        return 1 + packed % 2**14, 1 + (packed >> 14) % 2**14
    return _number(content[26:28]) % 2**14, _number(content[28:30]) % 2**14


def _jpeg_size(content: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker in _JPEG_SIZES:
            return _number(content[at + 7 : at + 9], "big"), _number(content[at + 5 : at + 7], "big")
        at += 1 if marker == 0xFF else 2 + _number(content[at + 2 : at + 4], "big")
    return 0, 0
