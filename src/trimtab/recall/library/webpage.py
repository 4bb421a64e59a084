"""HTML: text by blocks, headings, lists, tables as rows of cells. Scripts, styles and hidden parts are left out."""

from __future__ import annotations

import re

from trimtab.recall.library.document import Block, Extract
from trimtab.recall.library.tags import tokens

_PARAGRAPHS = frozenset(
    {
        *("p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "address", "figure", "figcaption", "caption"),
        *("form", "fieldset", "dl", "dt", "dd", "details", "summary", "hr", "body", "html", "blockquote", "ul", "ol"),
    }
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_MAX_TITLE_CHARS = 200


def read_html(text: str) -> Extract:
    page = _Page()
    for kind, name in tokens(text):
        if kind == "text":
            page.words(name)
        elif kind == "open":
            page.open(name)
        else:
            page.close(name)
    page.flush()
    title = _SPACE.sub(" ", page.title).strip()[:_MAX_TITLE_CHARS]
    return Extract("".join(page.written), page.blocks, title or next((block.title for block in page.blocks if block.level), ""))


class _Page:
    """Writes the text as the tags come; needs no tree, so a tag that is never closed does no harm."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.length = 0
        self.blocks: list[Block] = []
        self.title = ""
        self.line: list[str] = []
        self.kind, self.level = "prose", 0
        self.in_title = self.in_pre = False
        self.tables = self.lists = self.quotes = 0
        self.head_end = -1

    def open(self, tag: str) -> None:
        if tag == "title" and not self.title:
            self.in_title = True
        if tag == "table":
            self._open_table()
        elif tag == "br":
            self.line.append("\n" if not self.tables else " ")
        elif tag in ("td", "th"):
            self.line.append(" | " if self.line else "")
        elif tag == "tr" and self.tables:
            self.flush()
        elif not self.tables:
            self._open(tag)

    def _open(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._begin("heading", _HEADINGS[tag])
        elif tag == "li":
            self._begin("list")
            self.line.append("- ")
        elif tag == "pre":
            self._begin("code")
            self.in_pre = True
        elif tag in _PARAGRAPHS:
            bullet = "".join(self.line) == "- "
            if not bullet:
                self._begin("quote" if tag == "blockquote" or self.quotes else self.kind if self.kind == "list" and self.lists else "prose")
            self.quotes += tag == "blockquote"
            self.lists += tag in ("ul", "ol")

    def _open_table(self) -> None:
        if not self.tables:
            self._begin("table")
            self.head_end = -1
        self.tables += 1

    def close(self, tag: str) -> None:
        if tag == "title":
            self.in_title = False
        if tag == "table" and self.tables:
            self.flush()
            self.tables -= 1
            if not self.tables:
                self._begin("prose")
        elif tag == "tr":
            self.flush()
        elif not self.tables and (tag in _HEADINGS or tag in _PARAGRAPHS or tag in ("li", "pre")):
            self.in_pre = self.in_pre and tag != "pre"
            self.quotes -= tag == "blockquote" and self.quotes > 0
            self.lists -= tag in ("ul", "ol") and self.lists > 0
            self._begin("list" if self.lists else "quote" if self.quotes else "prose")

    def words(self, text: str) -> None:
        if self.in_title:
            self.title += text
        else:
            self.line.append(text if self.in_pre else _SPACE.sub(" ", text))

    def _begin(self, kind: str, level: int = 0) -> None:
        self.flush()
        self.kind, self.level = kind, level

    def flush(self) -> None:
        """Writes what was gathered as one block; of a table as one row."""
        text = "".join(self.line)
        self.line = []
        text = text if self.in_pre or self.kind == "code" else "\n".join(part.strip() for part in text.split("\n"))
        text = text.strip("\n") if self.kind == "code" else text.strip()
        if not text.strip(" \n\t-|"):
            return
        same_table = self.tables and self.blocks and self.blocks[-1].kind == "table" and self.head_end >= 0
        text = text.replace("\n", " ") if self.tables else text
        if not same_table:
            head_end = self.length + len(text) if self.tables else 0
            self.head_end = head_end if self.tables else -1
            self.blocks.append(Block(self.length, self.kind, self.level, text if self.level else "", head_end=head_end))
        text += "\n" if self.tables or self.kind == "list" else "\n\n"
        self.written.append(text)
        self.length += len(text)
