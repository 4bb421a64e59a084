"""What the classifier sees of a Chinese sentence: runs of one to four characters, and patterns of cue words.

Training and package share this code, so that they cannot differ. A run is a string, a pattern a tuple of strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from trimtab.distill.lexicon_zh import CLASS_OF, LONGEST_FROM, simplified

Feature = str | tuple[str, ...]
_LATIN = re.compile(r"[a-z]+(?:['-][a-z]+)*")
_NUMBER = re.compile(r"\d[\d.,:]*")
_QUOTED = re.compile(r"\x01+")
_BLANK = re.compile(r"\s+")
_START, _END = "<", ">"
_MARKS = frozenset("#QA，。！？：；、")
_MOST_PAIRED = 12  # classes


def plain(text: str) -> tuple[str, list[str]]:
    """The text in simplified characters without blanks, and its Latin words; each word is an "A" in it, each number a
    "#", each quotation a "Q"."""
    lower = simplified(text.lower())
    words = _LATIN.findall(lower)
    if words:
        lower = _LATIN.sub("A", lower)
    return _BLANK.sub("", _QUOTED.sub("Q", _NUMBER.sub("#", lower))), words


def features(text: str, is_system: bool) -> set[Feature]:
    """All features of a sentence, each once."""
    body, latin = plain(text)
    if not body:
        return set()
    around = f"{_START}{body}{_END}"
    found: set[Feature] = set(body)
    found.update(map(str.__add__, around, around[1:]))
    found.update([around[at : at + 3] for at in range(len(around) - 2)])
    found.update([around[at : at + 4] for at in range(len(around) - 3)])
    # a Latin word in a Chinese sentence is most often a name
    found.update((name, "A") for word in latin for name in CLASS_OF.get(word, ()))
    cues = list(_cues(body))
    found.update(_patterns(cues))
    found.add(("n", str(min(len(body) // 5, 8))))
    if is_system:
        found.update((("S",), ("S", body[0]), ("S", *[kind for _, kind in cues[:2]])))
    return found


def _cues(body: str) -> Iterator[tuple[str, str]]:
    """The cue words in order, the longest first, as (word, class); a stretch without any is ("-", "-")."""
    at, end, idle = 0, len(body), False
    while at < end:
        char = body[at]
        for size in range(LONGEST_FROM.get(char, 0), 0, -1):
            word = body[at : at + size]
            classes = CLASS_OF.get(word)
            if classes:
                yield word, classes[0]
                at += len(word)
                idle = False
                break
        else:
            if char in _MARKS:
                yield char, char
                idle = False
            elif not idle:
                yield "-", "-"
                idle = True
            at += 1


def _patterns(cues: Sequence[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    words = [_START, *[word for word, _ in cues], _END]
    kinds = [_START, *[kind for _, kind in cues], _END]
    for word, _ in cues:
        classes = CLASS_OF.get(word)
        if classes:
            yield ("=", word)
            for name in classes:
                yield ("=", name)
    yield from pairwise(words)
    yield from zip(words, words[1:], words[2:], strict=False)
    yield from pairwise(kinds)
    yield from zip(kinds, kinds[1:], kinds[2:], strict=False)
    yield ("^", *kinds[1:4])
    yield ("$", *kinds[-4:])
    classes_seen = [kind for kind in dict.fromkeys(kinds) if kind.isalpha() and kind.isascii()][:_MOST_PAIRED]
    for left, right in combinations(classes_seen, 2):
        yield (".", left, right)
