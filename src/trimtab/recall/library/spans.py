"""Lengths that count Chinese as it reads, and stretches of text cut at the best border near a length. Linear."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

Span = tuple[int, int]

# a piece: about 1,200 characters of Latin text, or 600 of Chinese, which says as much
LIMIT = 1_200
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
# what is left after a cut is taken along rather than made a crumb
_OVERFLOW = 1.25

Borders = Sequence[re.Pattern[str]]
PROSE: Borders = (
    re.compile(r"\n[ \t\u3000]*\n\s*"),
    re.compile(r"(?<![A-Z])(?<!\b\w)(?<!Mr)(?<!Dr)(?<!vs)(?<!No)(?<!e\.g)(?<!i\.e)[.!?][\"'”’)\]]*\s+|[。！？][”’」』）》\"]*\s*"),
    re.compile(r"\n"),
    re.compile(r"[;；]\s*|[,:]\s+|[，、：]"),
    re.compile(r"\s+"),
)
CODE: Borders = (
    re.compile(r"\n[ \t]*\n(?=\S)"),
    re.compile(r"\n[ \t]*\n"),
    re.compile(r"\n"),
    re.compile(r"[;{},]\s*"),
    re.compile(r"\s+"),
)
ROWS: Borders = (re.compile(r"\n"), *PROSE[1:2], *PROSE[3:])


def weigh(text: str) -> int:
    """Length in Latin characters: a Chinese, Japanese or Korean one counts two."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def cut_span(text: str, start: int, end: int, borders: Borders, limit: int = LIMIT) -> Iterator[Span]:
    """text[start:end] in stretches of at most a quarter above `limit`, each cut at the best kind of border it has
    in its last two thirds: the first of `borders`, else the next, else between two characters."""
    while True:
        room = int(limit * _OVERFLOW)
        if end - start <= room and weigh(text[start:end]) <= room:
            yield start, end
            return
        reach = _reach(text, start, min(end, start + limit), limit)
        cut = _last_border(text, start, reach, borders) or _between_characters(text, start, reach)
        yield start, cut
        start = cut


def _reach(text: str, start: int, end: int, limit: int) -> int:
    """How far from `start` a stretch of weight `limit` goes."""
    while weigh(text[start:end]) > limit:
        # never below half: even all wide characters weigh two
        end = start + max(1, (end - start) * limit // weigh(text[start:end]))
    return end


def _last_border(text: str, start: int, reach: int, borders: Borders) -> int:
    least = start + (reach - start) // 3
    for pattern in borders:
        found = 0
        for mark in pattern.finditer(text, least, reach):
            found = mark.end()
        if found > start:
            return found
    return 0


def _between_characters(text: str, start: int, reach: int) -> int:
    """Not between a letter and the accent that is set on it."""
    for cut in range(reach, max(start + 1, reach - 8), -1):
        if not unicodedata.combining(text[cut]) and text[cut] not in "\u200d\ufe0f" and text[cut - 1] != "\u200d":
            return cut
    return reach
