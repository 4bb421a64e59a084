"""A light English stemmer: plurals, -ed, -ing and the silent e. So light that it needs no table of exceptions.

What it aims at is that the forms of one verb or noun meet (`plan plans planned planning`), not that a stem is a
word. Words of other languages in Latin script pass through the same rules, on both sides of a search alike.
"""

from __future__ import annotations

from functools import lru_cache

_VOWELS = frozenset("aeiouy")
_ES_AFTER = ("ss", "x", "z", "ch", "sh")
_LEAST_STEM_CHARS = 3
_SILENT_E_FROM_CHARS = 5  # `change` and `changed` meet in `chang`; `note` stays apart from `not`


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a lower-case word; words under four letters are their own."""
    if len(word) <= _LEAST_STEM_CHARS:
        return word
    word = _without_suffix(_singular(word))
    if len(word) >= _SILENT_E_FROM_CHARS and word.endswith("e"):
        return word[:-1]
    return word


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith("es") and word[:-2].endswith(_ES_AFTER):
        return word[:-2]
    return word[:-1]


def _without_suffix(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("eed"):
        return word[:-1] if len(word) > 5 else word
    for suffix in ("ing", "ed"):
        base = word.removesuffix(suffix)
        if base != word and len(base) >= _LEAST_STEM_CHARS and not _VOWELS.isdisjoint(base):
            return _mended(base)
        if len(base) == 2 and base[0] in _VOWELS and base[1] not in _VOWELS:
            return base + "e"  # using, aged, owing
    return word


def _mended(base: str) -> str:
    """What the suffix did to the base, undone: a doubled consonant (`runn`), a lost e (`mak`)."""
    last = base[-1]
    if last == base[-2] and last not in _VOWELS:
        return base if last in "lsz" else base[:-1]
    short = len(base) == 3 or _VOWELS.isdisjoint(base[:-2])
    open_syllable = last not in _VOWELS and last not in "wx" and base[-2] in _VOWELS and base[-3] not in _VOWELS
    return base + "e" if short and open_syllable else base
