"""DOCX: paragraphs, headings by style, the numbers that Word writes itself, lists, tables. Zip and XML by the standard library.

Deleted text of tracked changes, comments, page heads and feet are left out; footnotes stand at the end.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from itertools import pairwise
from xml.etree.ElementTree import Element, ParseError, XMLParser

from trimtab.errors import DocumentTooLarge, UnreadableDocument
from trimtab.recall.library.document import Block, Extract
from trimtab.recall.library.plain import read_plain
from trimtab.recall.library.wordlists import NUMBERED, Numbering, Styles

# a part of the archive, unpacked; as a tree it takes about ten times as much memory
MOST_XML_BYTES = 40_000_000
_MOST_PARTS = 10_000
_CHUNK_BYTES = 65_536
_W = NUMBERED
_GONE = {
    f"{_W}del",
    f"{_W}moveFrom",
    f"{_W}delText",
    f"{_W}instrText",
    f"{_W}pPr",
    f"{_W}rPr",
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_SPACE = re.compile(r"[ \t\n]+")
_BROKEN = (
    ParseError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    LookupError,
)


def read_docx(content: bytes, name: str) -> Extract:
    """The text of a DOCX.

    Raises:
        UnreadableDocument: damaged, encrypted, or no DOCX.
        DocumentTooLarge: unpacked it is larger than `MOST_XML_BYTES`.
    """
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise UnreadableDocument(name, "is encrypted, or of the old DOC form", "save it as DOCX without a password")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {info.filename: info for info in archive.infolist()[:_MOST_PARTS]}
            if "word/document.xml" not in parts:
                raise UnreadableDocument(name, "is a zip file without word/document.xml", "pass a DOCX, or unpack it and add its files")
            trees = {part: _tree(archive, parts[part], name) for part in _wanted(parts)}
    except _BROKEN as broken:
        raise UnreadableDocument(
            name, f"is no readable DOCX ({str(broken)[:120]})", "open it in a word processor and save it anew"
        ) from broken
    writer = _Writer(Styles(trees.get("word/styles.xml")), Numbering(trees.get("word/numbering.xml")))
    body = trees["word/document.xml"].find(f"{_W}body")
    for element in _flat(body) if body is not None else ():
        writer.write(element)
    if "word/footnotes.xml" in trees:
        for note in trees["word/footnotes.xml"].iter(f"{_W}p"):
            writer.paragraph(note)
    return writer.extract(_core_title(trees.get("docProps/core.xml")))


def _wanted(parts: dict[str, zipfile.ZipInfo]) -> list[str]:
    known = ("word/document.xml", "word/styles.xml", "word/numbering.xml", "word/footnotes.xml", "docProps/core.xml")
    return [part for part in known if part in parts]


def _tree(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Element:
    """Unpacked a little at a time: what the archive says of its sizes may be a lie."""
    parser = XMLParser()
    size = 0
    with archive.open(info) as part:
        while chunk := part.read(_CHUNK_BYTES):
            size += len(chunk)
            if size > MOST_XML_BYTES:
                raise DocumentTooLarge(name, size, MOST_XML_BYTES, "bytes or more in its " + info.filename)
            if b"<!DOCTYPE" in chunk or b"<!ENTITY" in chunk:
                raise UnreadableDocument(name, f"declares entities in {info.filename}, which no word processor does", "save it anew")
            parser.feed(chunk)
    return parser.close()


def _flat(parent: Element) -> Iterator[Element]:
    """Paragraphs and tables in order, out of the content controls and other wraps around them."""
    waiting = list(reversed(parent))
    while waiting:
        element = waiting.pop()
        if element.tag in (f"{_W}p", f"{_W}tbl"):
            yield element
        elif element.tag not in _GONE:
            waiting += reversed(element)


class _Writer:
    """The text written so far, and its borders."""

    def __init__(self, styles: Styles, numbering: Numbering) -> None:
        self.styles, self.numbering = styles, numbering
        self.written: list[str] = []
        self.length = 0
        self.blocks: list[Block] = []
        self.title = ""

    def write(self, element: Element) -> None:
        if element.tag == f"{_W}tbl":
            self.table(element)
        else:
            self.paragraph(element)

    def paragraph(self, element: Element) -> None:
        text = _text(element).strip()
        style = self.styles.of(element)
        place = self.numbering.place(element, style)
        if not text:
            return
        label = self.numbering.label(place) if place else ""
        whole = f"{label} {text}" if label else text
        level = style.level
        if style.is_title and not self.title:
            self.title, level = text, 0
        kind = "heading" if level else "list" if label else "code" if style.is_code else "prose"
        self.append(Block(self.length, kind, level, " ".join(whole.split()) if level else ""), whole)

    def table(self, element: Element) -> None:
        rows = [[_SPACE.sub(" ", _text(cell)).strip() for cell in _children(row, f"{_W}tc")] for row in _children(element, f"{_W}tr")]
        lines = [" | ".join(cells) for cells in rows if any(cells)]
        if lines:
            self.append(Block(self.length, "table", head_end=self.length + len(lines[0])), "\n".join(lines))

    def append(self, block: Block, text: str) -> None:
        self.blocks.append(block)
        self.written.append(text + "\n\n")
        self.length += len(text) + 2

    def extract(self, title: str) -> Extract:
        text = "".join(self.written)
        blocks = self.blocks
        if not any(block.level for block in blocks):
            # no heading styles: numbers and signs in the text tell them, as in a plain text
            kept = [block for block in blocks if block.kind in ("table", "code")]
            plain = read_plain(text)
            blocks = _without(plain.blocks, kept, blocks)
            title = title or self.title or plain.title
        return Extract(text, blocks, title or self.title or next((block.title for block in blocks if block.level), ""))


def _without(found: list[Block], kept: list[Block], all_blocks: list[Block]) -> list[Block]:
    """Borders found in the text, except inside of tables and code, whose own are kept."""
    ends = {block.start: nearest.start for block, nearest in pairwise(all_blocks)}
    starts = {block.start for block in kept}
    outside: list[Block] = []
    spans = iter([(block.start, ends.get(block.start, 1 << 60)) for block in kept])
    span = next(spans, None)
    for block in found:
        while span and block.start >= span[1]:
            span = next(spans, None)
        if not (span and span[0] <= block.start < span[1]):
            outside.append(block)
    marked = {block.start for block in outside} | starts
    return sorted([*outside, *kept, *(block for block in all_blocks if block.start not in marked)], key=lambda block: block.start)


def _children(parent: Element, tag: str) -> Iterator[Element]:
    """Rows or cells, also inside of content controls; not those of a table within."""
    waiting = list(reversed(parent))
    while waiting:
        element = waiting.pop()
        if element.tag == tag:
            yield element
        elif element.tag not in _GONE and element.tag != f"{_W}tbl":
            waiting += reversed(element)


def _text(element: Element) -> str:
    parts: list[str] = []
    waiting = list(reversed(element))
    while waiting:
        node = waiting.pop()
        if node.tag in _GONE:
            continue
        if node.tag == f"{_W}t":
            parts.append(node.text or "")
        elif node.tag == f"{_W}tab":
            parts.append("\t")
        elif node.tag in (f"{_W}br", f"{_W}cr"):
            parts.append("\n")
        elif node.tag == f"{_W}noBreakHyphen":
            parts.append("-")
        else:
            parts.append("\n" if node.tag in (f"{_W}p", f"{_W}tr") else " " if node.tag == f"{_W}tc" else "")
            waiting += reversed(node)
    return "".join(parts)


def _core_title(tree: Element | None) -> str:
    found = tree.find("{http://purl.org/dc/elements/1.1/}title") if tree is not None else None
    return (found.text or "").strip()[:200] if found is not None else ""
