"""Sentences as exact slices of a text, and the parts of a sentence that someone only mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

_BULLET = re.compile(
    r"[ \t]*(?:[-*•·‣+]|#{1,6}|\(?\d{1,2}[.)、]|（\d{1,2}）|[①-⑳])[ \t]+|[ \t]*(?:[一二三四五六七八九十]{1,3}、|（[一二三四五六七八九十]{1,3}）)|[ \t]*(?:\d{1,2}[.、](?!\d)|（\d{1,2}）|[①-⑳•·])"
)
# the dot of an abbreviation ends no sentence
_END = re.compile(
    r"[.!?](?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bapprox\.)(?<!\bincl\.)"
    r"[.!?]*[\"')\]”’*]*(?:[ \t]+|$)|[。！？；][。！？；!?]*[”’」』）)]*"
)
# a wrapped line is at least this long
_WRAP_MIN_CHARS = 50
# a sentence longer than this is a pasted passage rather than something that was said
MAX_SENTENCE_CHARS = 1_000
_MAX_LIST_LINES = 20


def sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """The (start, end) of each sentence in text[start:end]: trimmed, bullets left out, line by line.

    A line that was wrapped in the middle of a sentence is joined to the next. A line that ends in a colon takes the
    bullets below it with it.
    """
    for line_start, line_end, whole in _lines(text, start, end):
        if whole:
            yield line_start, line_end
            continue
        at = line_start
        for mark in _END.finditer(text, line_start, line_end):
            yield from _trimmed(text, at, mark.end())
            at = mark.end()
        yield from _trimmed(text, at, line_end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end - start >= 2:
        yield start, end


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """(start, end, is a heading with its list), bullets stripped, wrapped lines joined."""
    at = start
    while at < end:
        stop = _line_end(text, at, end)
        while _wrapped(text, at, stop, end):
            stop = _line_end(text, stop + 1, end)
        bullet = _BULLET.match(text, at, stop)
        first = bullet.end() if bullet else at
        list_end = _list_end(text, stop, end) if text[at:stop].rstrip().endswith((":", "：")) else stop
        if first < stop:
            yield first, list_end, list_end > stop
        at = list_end + 1


def _line_end(text: str, at: int, end: int) -> int:
    found = text.find("\n", at, end)
    return found if found >= 0 else end


def _wrapped(text: str, at: int, stop: int, end: int) -> bool:
    if stop - at < _WRAP_MIN_CHARS or stop + 1 >= end or stop - at > MAX_SENTENCE_CHARS:
        return False
    last_line = text.rfind("\n", at, stop) + 1
    return stop - max(at, last_line) >= _WRAP_MIN_CHARS and text[stop - 1] not in ".!?:;。！？：；" and text[stop + 1].islower()


def _list_end(text: str, stop: int, end: int) -> int:
    """Where the bullets right below a heading end; `stop` where there are none or too many for one item."""
    last, room = stop, _MAX_LIST_LINES
    while last + 1 < end and _BULLET.match(text, last + 1, end):
        last = _line_end(text, last + 1, end)
        room -= 1
        if room < 0 or last - stop > MAX_SENTENCE_CHARS:
            return stop
    return last
