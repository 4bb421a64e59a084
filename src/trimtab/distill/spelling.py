"""Words of a sentence as the items before it spell them: one letter missing, doubled, swapped or wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from trimtab.core.summary import SummaryItem
from trimtab.distill.changes import spelt

_WORD = re.compile(r"[A-Za-z]{5,}")
_LEAST_FOR_ANOTHER_LETTER = 7
_MAX_WORDS = 40


def mended(sentence: str, items: Sequence[SummaryItem]) -> str:
    """The sentence with its misspelt words as the items have them, and words of a change as they are written.

    A word of five letters or more that no item has becomes the one word of an item that is one edit from it.
    """
    text = spelt(sentence)
    words = dict.fromkeys(found[0].lower() for found in _WORD.finditer(text))
    if not words or len(words) > _MAX_WORDS:
        return text
    known: set[str] = set()
    for item in items:
        known |= _words(item.text)
    unknown = [word for word in words if word not in known]
    by_start: dict[str, list[str]] = {}
    for word in known:
        by_start.setdefault(word[:2], []).append(word)
    fixed: dict[str, str] = {}
    for word in unknown:
        near = {other for other in by_start.get(word[:2], ()) if is_near(word, other)}
        if len(near) == 1:
            fixed[word] = near.pop()
    return _WORD.sub(lambda found: fixed.get(found[0].lower(), found[0]), text) if fixed else text


@lru_cache(maxsize=4_096)
def _words(text: str) -> frozenset[str]:
    return frozenset(found[0].lower() for found in _WORD.finditer(text))


def is_near(word: str, other: str) -> bool:
    """Whether one edit makes one of the other; an ending ("-s", "-ed") is none."""
    if abs(len(word) - len(other)) > 1 or word == other:
        return False
    at = 0
    while at < min(len(word), len(other)) and word[at] == other[at]:
        at += 1
    if len(word) == len(other):
        swapped = (
            word[at + 1 : at + 2] == other[at : at + 1]
            and word[at : at + 1] == other[at + 1 : at + 2]
            and word[at + 2 :] == other[at + 2 :]
        )
        return swapped or (len(word) >= _LEAST_FOR_ANOTHER_LETTER and word[at + 1 :] == other[at + 1 :])
    longer, shorter = (word, other) if len(word) > len(other) else (other, word)
    return longer[at + 1 :] == shorter[at:] and (at < len(shorter) or longer[-1] == shorter[-1])
