"""Bytes to text: by mark, by what the file declares, by trial. UTF-8, UTF-16, UTF-32, GB18030, Big5, Windows-1252."""

from __future__ import annotations

import codecs
import re

from trimtab.errors import UnreadableDocument

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 200_000
_DECLARED = re.compile(rb"(?:charset|encoding|coding)[ \t]*[=:][ \t]*[\"']?([A-Za-z\d_.:-]{2,30})")
_DECLARED_WITHIN_BYTES = 2_048
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_CHINESE = re.compile(r"[\n\r\t -~\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e“”‘’—…·]")
_LEAST_WIDE_RATIO = 0.95
_MOST_CONTROL_RATIO = 0.01
# the common characters of both sets lie in these rows, what stands beside them is rare or of another encoding
_COMMON = {"gb18030": range(0xB0, 0xD8), "big5": range(0xA4, 0xC7)}
_SIGN_ROWS = {"gb18030": range(0xA1, 0xA4), "big5": range(0xA1, 0xA4)}
_LEAST_COMMON_RATIO = 0.8


def decode(data: bytes, name: str) -> str:
    """The text of a file, line ends as "\\n", without the byte order mark.

    Raises:
        UnreadableDocument: binary content, or an encoding that is not told.
    """
    text = _decoded(data, name).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    sample = text[:_SAMPLE_BYTES]
    if len(_CONTROL.findall(sample)) > _MOST_CONTROL_RATIO * len(sample):
        raise UnreadableDocument(name, "is binary, not text", "convert it to text, Markdown, HTML, PDF or DOCX")
    return text


def _decoded(data: bytes, name: str) -> str:
    tried = [encoding for mark, encoding in _MARKS if data.startswith(mark)][:1] or [
        _by_zeros(data),
        "utf-8",
        _declared(data),
        *_by_rows(data),
    ]
    for encoding in filter(None, tried):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    text = data.decode("cp1252", errors="replace")
    if _CONTROL.search(text[:_SAMPLE_BYTES]):
        wide = _wide(data)
        if wide:
            return wide
        raise UnreadableDocument(name, "is in no encoding that is known here", "save it as UTF-8")
    return text


def _by_zeros(data: bytes) -> str:
    """UTF-16 without a mark: every other byte of Latin text is zero."""
    sample = data[: _SAMPLE_BYTES // 2 * 2]
    if len(sample) < 4 or b"\0" not in sample:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) < 8 * min(even, odd) or max(even, odd) < len(sample) // 20:
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def _wide(data: bytes) -> str:
    """Chinese in UTF-16 without a mark; "" where it reads as nothing."""
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        sample = text[:_SAMPLE_BYTES]
        if len(_CHINESE.findall(sample)) >= _LEAST_WIDE_RATIO * len(sample):
            return text
    return ""


def _declared(data: bytes) -> str:
    found = _DECLARED.search(data[:_DECLARED_WITHIN_BYTES])
    name = found[1].decode("ascii").casefold() if found else ""
    if name in ("gb2312", "gbk", "gb_2312-80", "x-gbk"):
        return "gb18030"
    # a page that says so is read as its browser reads it
    name = "cp1252" if name in ("iso-8859-1", "latin-1", "latin1", "ascii", "us-ascii") else name
    try:
        # "hex", "zip" and their kind are codecs too, and refuse to make text
        b"".decode(name or "ascii")
    except LookupError:
        return ""
    return name


def _by_rows(data: bytes) -> list[str]:
    """The double-byte encodings whose common rows most pairs lie in, the likelier first."""
    shares = {encoding: _common_share(data[:_SAMPLE_BYTES], encoding) for encoding in _COMMON}
    return sorted((encoding for encoding, share in shares.items() if share >= _LEAST_COMMON_RATIO), key=lambda encoding: -shares[encoding])


def _common_share(sample: bytes, encoding: str) -> float:
    common = pairs = at = 0
    while at < len(sample) - 1:
        lead = sample[at]
        if lead < 0x80:
            at += 1
            continue
        pairs += 1
        common += lead in _COMMON[encoding] or (lead in _SIGN_ROWS[encoding])
        at += 2
    high = sum(1 for byte in sample if byte >= 0x80)
    # the bytes of a pair stand together: an accent in a Latin word has a letter behind it
    return common / pairs if pairs and high >= 1.2 * pairs else 0.0
