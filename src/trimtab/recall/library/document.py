"""What a document is to the library: its text, the borders that a reader found in it, and the pieces it is cut into."""

from __future__ import annotations

from msgspec import Struct

_MAX_SHOWN_TITLE_CHARS = 60
_LINED = frozenset({"code", "txt", "csv", "tsv", "json", "jsonl"})


class Piece(Struct, frozen=True):
    """One piece of a document: `text` is `document.text[start:end]`, word for word.

    Attributes:
        number: place in the document, from 0.
        path: the headings it stands under, outermost first; in a program its classes and functions, in JSON its keys.
        kind: "prose", "list", "quote", "table", "code", "class", "function" or "json".
        header: the head of a table that an earlier piece begins, repeated here; "" otherwise.
        page: of its first character, from 1; 0 where the document has no pages.
        line: of its first character in the file, from 1; 0 where the text was extracted (PDF, DOCX, HTML).
        document: name of the document; `lined` says that people look its places up by line.
    """

    number: int
    path: tuple[str, ...]
    kind: str
    text: str
    start: int
    end: int
    page: int = 0
    line: int = 0
    header: str = ""
    document: str = ""
    lined: bool = False

    @property
    def shown(self) -> str:
        """What to index and to show: the text, under the table head that it continues."""
        return f"{self.header}\n{self.text}" if self.header else self.text

    @property
    def where(self) -> str:
        """The position for people: "report.pdf p. 12, 3.2 Results", "guide.md, Install > Linux", "app.py line 40, class Cache"."""
        place = f" p. {self.page}" if self.page else f" line {self.line}" if self.line and (self.lined or not self.path) else ""
        headings = " > ".join(_clip(heading) for heading in self.path)
        return f"{self.document}{place}" + (f", {headings}" if headings else "")


class Document(Struct, frozen=True):
    """A document that was read and cut.

    Attributes:
        kind: one of `KINDS`.
        title: as the document gives it, else its first heading, else "".
        pieces: in order; together they hold every character of `text` that is not white space, once.
        text: what was extracted; positions count its characters.
        warnings: what could not be read, one sentence each; () for nothing.
    """

    name: str
    kind: str
    title: str
    pieces: tuple[Piece, ...]
    text: str = ""
    warnings: tuple[str, ...] = ()


class Block(Struct, frozen=True):
    """A structural border: what begins at `start` and goes on to the start of the next block.

    Attributes:
        level: above 0: a heading of that level; it stands above what follows up to the next of the same or a lower level.
        title: the heading, as it stands in a path.
        path: where it stands, if the reader knows (programs, JSON); None: under the headings before it.
        head_end: of a table: where its head ends and its rows begin; 0 for no head.
        header: of a table that was cut already: the head to repeat.
    """

    start: int
    kind: str = "prose"
    level: int = 0
    title: str = ""
    path: tuple[str, ...] | None = None
    head_end: int = 0
    header: str = ""


class Extract(Struct, frozen=True):
    """What a reader makes of a file. `blocks` ascend by start; `pages` are the starts of the pages, () for none."""

    text: str
    blocks: list[Block]
    title: str = ""
    pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()


def is_lined(kind: str) -> bool:
    """Whether people look up places in such a file by line."""
    return kind in _LINED


def _clip(heading: str) -> str:
    return heading if len(heading) <= _MAX_SHOWN_TITLE_CHARS else heading[: _MAX_SHOWN_TITLE_CHARS - 1] + "…"
