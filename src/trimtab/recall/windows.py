"""Inner windows of an over-long text, for the embedder only: the turn stays one segment with one identity.

A sentence encoder averages what it reads, so that a page says less than its paragraphs. A text of up to about 160
words or 220 Chinese characters is one window; a longer one is cut into windows of about that size which overlap, at
sentence borders where one is near.
"""

from __future__ import annotations

import re

MOST_WINDOWS = 32

# A word costs 11 and a character of an unspaced script 8, so that 160 words or 220 characters fill a window, and
# mixed text is measured by the same rule. A run without a space (a path, base64) costs a word for every 16 characters.
_FULL = 160 * 11
_OVERLAP = 30 * 11
_WORD_COST, _CHARACTER_COST = 11, 8
_PIECE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]{1,16}")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+[”’」』）]*|\n+")


def windows(text: str) -> list[str]:
    """The text itself where it is short, else slices of it in order; at least 1 and at most MOST_WINDOWS.

    Where the whole text would need more windows, they are spread evenly over it and leave gaps. The time then does
    not depend on the length of the text.
    """
    return [text[start:end] for start, end in window_spans(text)]


def window_spans(text: str) -> list[tuple[int, int]]:
    """The same as (start, end) in characters, end exclusive."""
    spans: list[tuple[int, int]] = []
    start = 0
    while len(spans) <= MOST_WINDOWS:
        end, overlap_start = _reach(text, start)
        if end == len(text):
            return [*spans, (start, end)]
        end = _sentence_end(text, start + (end - start) * 2 // 3, end)
        spans.append((start, end))
        following = _next_start(text, min(overlap_start, end), end)
        start = following if following > start else end
    return _spread(text)


def _reach(text: str, start: int) -> tuple[int, int]:
    """(where a window that begins at `start` is full, where its overlap with the next begins).

    The rest of the text, if it fits, ends the window, so that blanks at the end make none of their own.
    """
    cost, overlap_start = 0, start
    for match in _PIECE.finditer(text, start):
        if cost >= _FULL:
            return match.start(), overlap_start
        if cost <= _FULL - _OVERLAP:
            overlap_start = match.start()
        cost += _CHARACTER_COST if match.group()[0] >= "\u2e80" else _WORD_COST
    return len(text), overlap_start


def _sentence_end(text: str, low: int, high: int) -> int:
    """The last end of a sentence in (low, high], or `high`."""
    found = high
    for match in _SENTENCE_END.finditer(text, low, high):
        found = match.end()
    return found


def _next_start(text: str, low: int, high: int) -> int:
    """Where the first sentence that begins in (low, high) begins, or `low`."""
    match = _SENTENCE_END.search(text, low, high)
    if match is None or match.end() >= high:
        return low
    at = match.end()
    while at < high and text[at].isspace():
        at += 1
    return at if at < high else low


def _spread(text: str) -> list[tuple[int, int]]:
    """MOST_WINDOWS windows: the first at the start of the text, the last at its end, the others evenly between."""
    first_end, _ = _reach(text, 0)
    last_start = max(0, len(text) - first_end)
    spans = []
    for place in range(MOST_WINDOWS):
        at = last_start * place // (MOST_WINDOWS - 1)
        begun = _next_start(text, at, min(len(text), at + first_end // 3)) if 0 < at < last_start else at
        end = len(text) if place == MOST_WINDOWS - 1 else _reach(text, begun)[0]
        spans.append((begun, end))
    return spans
