"""The structure of text that has no markup: numbered headings and clauses, lists, tables, paragraphs.

Also for what PDF and plain DOCX paragraphs leave. One pass over the lines, linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from trimtab.recall.library.document import Block, Extract
from trimtab.recall.library.numbering import MAX_HEADING_CHARS, Numbered, follows, numbered

_BULLET = re.compile(r"[ \t\u3000]*(?:[-*•·‣▪◦–][ \t]+|[•·①-⑳]|\(?[a-z\d]{1,2}\)[ \t]+|\d{1,2}[.、][ \t]*(?!\d)|（\d{1,2}）)")
_UNDERLINE = re.compile(r"[ \t]*(?:={3,}|-{3,}|~{3,})[ \t]*$")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_ROW = re.compile(r"[^\n|]*\|[^\n|]*\||[^\n\t]+\t+[^\n\t]+\t|\S+(?: \S+)*(?:[ ]{3,}\S+(?: \S+)*){2,}")
_INDENTED = re.compile(r"\u3000{1,2}\S|[ ]{2,8}\S")
_CAPITALS = re.compile(r"[A-Z][A-Z\d &,:'\-–/()]{3,80}$")
_SENTENCE_END = re.compile(r"[.!?。！？：:;；…][\"”’」』)）]*$")
_CAPITALS_LEVEL, _UNDERLINED_LEVEL = 9, 9
_LEAST_ROWS = 3

HeadingOf = Callable[[int, str], int]


def read_plain(text: str, heading_of: HeadingOf | None = None) -> Extract:
    """Blocks of a text without markup. `heading_of(start, line)` may know that a line is a heading: its
    level; below 0 where it is none, though it looks like one; else 0."""
    blocks = list(_Lines(text, heading_of).blocks())
    return Extract(text, blocks, _title(text, blocks))


def _title(text: str, blocks: list[Block]) -> str:
    """A short first line that stands alone, else the first heading."""
    first, _, rest = text.lstrip()[: 4 * MAX_HEADING_CHARS].partition("\n")
    if first and len(first) <= MAX_HEADING_CHARS and not _SENTENCE_END.search(first.rstrip()) and rest.startswith("\n"):
        return first.strip()
    return next((block.title for block in blocks if block.level and block.kind == "heading"), "")


class _Lines:
    """The lines of one text and where their reading stands."""

    def __init__(self, text: str, heading_of: HeadingOf | None) -> None:
        self.text, self.heading_of = text, heading_of
        self.lines = text.split("\n")
        self.last: tuple[int, ...] = ()
        self.fence = ""
        self.rows = 0
        self.kind = ""

    def blocks(self) -> Iterator[Block]:
        start = 0
        for at, line in enumerate(self.lines):
            block = self._block(at, start, line)
            if block:
                self.kind = block.kind
                yield block
            start += len(line) + 1

    def _block(self, at: int, start: int, line: str) -> Block | None:
        """The block that this line begins, None where it goes on with the one before."""
        fence = _FENCE.match(line)
        if self.fence:
            self.fence = "" if fence and fence[1] == self.fence else self.fence
            return None
        if fence:
            self.fence = fence[1]
            return Block(start, "code")
        if not line.strip():
            return None
        heading = self._heading(at, start, line)
        if heading:
            return heading
        fresh = at == 0 or not self.lines[at - 1].strip()
        if self._in_table(at):
            return Block(start, "table", head_end=start + len(line)) if self.kind != "table" or fresh else None
        if _BULLET.match(line):
            return Block(start, "list")
        after_heading = self.kind in ("heading", "table", "code")
        return Block(start) if fresh or after_heading or _INDENTED.match(line) or self._ended(at) else None

    def _heading(self, at: int, start: int, line: str) -> Block | None:
        level = self.heading_of(start, line) if self.heading_of else 0
        if level < 0:
            return None
        if level:
            found = numbered(line)
            self.last = found.number if found and found.number else self.last
            return Block(start, "heading", level, line.strip())
        found = numbered(line)
        if found and self._is_border(at, found):
            return Block(start, "heading" if found.heading else "prose", found.level, found.title)
        below = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        short = len(line.strip()) <= MAX_HEADING_CHARS and not _SENTENCE_END.search(line.rstrip())
        if short and _UNDERLINE.match(below) and self._alone(at, at + 1):
            return Block(start, "heading", _UNDERLINED_LEVEL, line.strip())
        if _CAPITALS.match(line.strip()) and self._alone(at, at) and not line.startswith((" ", "\t")):
            return Block(start, "heading", _CAPITALS_LEVEL, line.strip())
        return None

    def _is_border(self, at: int, found: Numbered) -> bool:
        """Of dotted numbers only what goes on from the last one; a single number only where it stands alone and no list."""
        if not found.number:
            return found.level < 6 or (found.heading and not self._listed(at))
        if len(found.number) == 1 and (not found.heading or self._listed(at)):
            return False
        if not follows(self.last, found.number) and not (not self.last and len(found.number) > 1):
            return False
        self.last = found.number
        return True

    def _listed(self, at: int) -> bool:
        """The next or last line that is not blank is an item of the same kind, right beside this one."""
        return any(0 <= near < len(self.lines) and _like(self.lines[at], self.lines[near]) for near in (at - 1, at + 1))

    def _alone(self, first: int, last: int) -> bool:
        above = first == 0 or not self.lines[first - 1].strip()
        return above and (last + 1 >= len(self.lines) or first != last or not self.lines[last + 1].strip())

    def _in_table(self, at: int) -> bool:
        """At least three lines on end are rows; counted once for each run of rows."""
        if not _ROW.match(self.lines[at]):
            self.rows = 0
            return False
        if not self.rows:
            end = at
            while end < len(self.lines) and _ROW.match(self.lines[end]):
                end += 1
            self.rows = end - at
        return self.rows >= _LEAST_ROWS

    def _ended(self, at: int) -> bool:
        """The line above ends a sentence early: a paragraph ends there."""
        above = self.lines[at - 1].rstrip()
        return bool(_SENTENCE_END.search(above[-8:])) and (len(above) < 40 or len(above) > 200)


def _like(line: str, other: str) -> bool:
    one, two = numbered(line), numbered(other)
    return one is not None and two is not None and one.level == two.level
