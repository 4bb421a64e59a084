"""PDF: text page by page; headings by the outline, by the size of the letters, and by their numbers.

Page heads and feet that are on most pages are kept where they stand first. Pictures of text are not read.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from trimtab.errors import DocumentTooLarge, MissingExtra, UnreadableDocument
from trimtab.recall.library.document import Extract
from trimtab.recall.library.numbering import MAX_HEADING_CHARS
from trimtab.recall.library.plain import read_plain

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

MOST_PAGES = 5_000
MOST_CHARS = 20_000_000
_MOST_OUTLINE, _OUTLINE_DEPTH = 5_000, 6
_LEAST_RUNNING_PAGES = 4
_LEAST_HEADING_RATIO = 1.15
_MAX_LEVELS = 3
_DIGITS = re.compile(r"\d+")
_SPACE = re.compile(r"\s+")
# what the parser raises on files that break its assumptions, beside its own errors
_BROKEN = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    AssertionError,
    RecursionError,
    ArithmeticError,
    NotImplementedError,
    OSError,
    zlib.error,
    struct.error,
)


class _Page(Struct):
    lines: list[str]
    sizes: dict[str, float]


def read_pdf(content: bytes, name: str) -> Extract:
    """The text of a PDF.

    Raises:
        MissingExtra: pypdf is not installed.
        UnreadableDocument: damaged, encrypted, or nothing but pictures.
        DocumentTooLarge: too many pages or too much text.
    """
    reader = _opened(content, name)
    pages, warnings = _read_pages(reader, name)
    _drop_running_lines(pages)
    starts, parts, length = [], [], 0
    for page in pages:
        starts.append(length)
        parts.append("\n".join(page.lines) + "\n")
        length += len(parts[-1])
    text = "".join(parts)
    if not text.strip():
        raise UnreadableDocument(name, f"has {len(pages)} page(s) without any text", "it may be scanned: make a text layer (OCR) first")
    named: dict[tuple[int, str], int] = {}
    for level, title, page_number in _outline(reader):
        named.setdefault((page_number, title), level)
    levels = _levels(named, pages, starts)
    extract = read_plain(text, lambda start, line: levels.get((start, line.strip()), 0))
    first = text.strip().split("\n")[0].strip() if named else ""
    title = _title(reader) or (first if 0 < len(first) <= MAX_HEADING_CHARS else extract.title)
    return Extract(text, extract.blocks, title, tuple(starts), tuple(warnings))


def _opened(content: bytes, name: str) -> PdfReader:
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, PyPdfError
    except ImportError as lacking:
        raise MissingExtra(name, "pdf", "documents") from lacking
    try:
        reader = PdfReader(io.BytesIO(content))
        locked = reader.is_encrypted and not reader.decrypt("")
        count = 0 if locked else len(reader.pages)
    except DependencyError as lacking:
        raise UnreadableDocument(name, "is encrypted", "save it without a password, or pip install cryptography") from lacking
    except (PyPdfError, *_BROKEN) as broken:
        raise UnreadableDocument(name, f"is no readable PDF ({_first_line(broken)})", "open it in a viewer and save it anew") from broken
    if locked:
        raise UnreadableDocument(name, "is encrypted with a password", "save it without one")
    if count > MOST_PAGES:
        raise DocumentTooLarge(name, count, MOST_PAGES, "pages")
    return reader


def _first_line(error: BaseException) -> str:
    return (str(error).split("\n")[0] or type(error).__name__)[:120]


def _read_pages(reader: PdfReader, name: str) -> tuple[list[_Page], list[str]]:
    from pypdf.errors import PyPdfError

    pages: list[_Page] = []
    warnings: list[str] = []
    length = 0
    for number in range(len(reader.pages)):
        try:
            pages.append(_read_page(reader.pages[number]))
        except (PyPdfError, *_BROKEN) as broken:
            warnings.append(f"page {number + 1} could not be read ({_first_line(broken)})")
            pages.append(_Page([], {}))
        length += sum(map(len, pages[-1].lines))
        if length > MOST_CHARS:
            raise DocumentTooLarge(name, length, MOST_CHARS, "characters")
    if pages and len(warnings) == len(pages):
        raise UnreadableDocument(name, f"has no readable page: {warnings[0]}", "open it in a viewer and save it anew")
    return pages, warnings


def _read_page(page: PageObject) -> _Page:
    sizes: dict[str, float] = {}

    def visit(text: str, _: Any, matrix: Any, __: Any, size: float) -> None:
        for line in filter(None, (part.strip() for part in text.split("\n"))):
            sizes[line] = round(abs(size * (matrix[3] or matrix[0] or 1)), 1)

    text = page.extract_text(visitor_text=visit)
    # a character that stands alone is half of a pair
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return _Page([line.rstrip() for line in text.split("\n")], sizes)


def _drop_running_lines(pages: list[_Page]) -> None:
    """First and last lines that most pages share but for their numbers: they stay on the first page that has them."""
    if len(pages) < _LEAST_RUNNING_PAGES:
        return
    counts = Counter(shape for page in pages for shape in {_shape(page.lines[at]) for at in _edges(page)})
    running = {shape for shape, count in counts.items() if 2 * count > len(pages)}
    seen: set[str] = set()
    for page in pages:
        for at in _edges(page):
            shape = _shape(page.lines[at])
            if shape in running and shape in seen:
                page.lines[at] = ""
            seen.add(shape)


def _edges(page: _Page) -> list[int]:
    full = [at for at, line in enumerate(page.lines) if line.strip()]
    return sorted({*full[:1], *full[-1:]})


def _shape(line: str) -> str:
    return _DIGITS.sub("#", _SPACE.sub(" ", line.strip()))


def _levels(named: dict[tuple[int, str], int], pages: list[_Page], starts: list[int]) -> dict[tuple[int, str], int]:
    """The level of each line, by (start, stripped line), that the outline names or that is larger than the text; -1 for
    page heads and feet."""
    ranks = {} if named else _ranks(pages)
    edges = Counter(shape for page in pages for shape in {_shape(page.lines[at]) for at in _edges(page)})
    found: dict[tuple[int, str], int] = {}
    for number, content in enumerate(pages):
        start, on_edge = starts[number], set(_edges(content))
        for at, line in enumerate(content.lines):
            words = line.strip()
            level = named.get((number, _SPACE.sub("", words).casefold()), 0) or ranks.get(content.sizes.get(words, 0.0), 0)
            if level and 1 < len(words) <= MAX_HEADING_CHARS and any(character.isalpha() for character in words):
                found[start, words] = level
            elif at in on_edge and edges[_shape(line)] > 1:
                found[start, words] = -1
            start += len(line) + 1
    return found


def _outline(reader: PdfReader) -> Iterator[tuple[int, str, int]]:
    """(level, title without white space, page from 0) of each entry that says where it leads."""
    from pypdf.errors import PyPdfError

    try:
        waiting: list[tuple[int, Any]] = [(1, entry) for entry in reversed(reader.outline)]
        for _ in range(_MOST_OUTLINE):
            if not waiting:
                return
            level, entry = waiting.pop()
            if isinstance(entry, list):
                waiting += [(min(level + 1, _OUTLINE_DEPTH), inner) for inner in reversed(entry)]
                continue
            page = reader.get_destination_page_number(entry)
            if page is not None and entry.title:
                yield level, _SPACE.sub("", str(entry.title)).casefold(), page
    except (PyPdfError, *_BROKEN):
        # a broken outline is none: the text is whole without it
        return


def _ranks(pages: list[_Page]) -> dict[float, int]:
    """Sizes of letters above that of most of the text: the largest is level 1."""
    weights: Counter[float] = Counter()
    for page in pages:
        for line, size in page.sizes.items():
            weights[size] += len(line)
    if not weights:
        return {}
    body = weights.most_common(1)[0][0]
    larger = sorted((size for size in weights if size >= _LEAST_HEADING_RATIO * body), reverse=True)
    return {size: min(rank, _MAX_LEVELS) for rank, size in enumerate(larger, 1)}


def _title(reader: PdfReader) -> str:
    from pypdf.errors import PyPdfError

    try:
        return str((reader.metadata and reader.metadata.title) or "").strip()[:200]
    except (PyPdfError, *_BROKEN):
        return ""
