"""What the classifier sees of an English sentence: its words, pieces of them, and patterns of neighboring words.

Training and package share this code, so that they cannot differ. In patterns a rare word stands as its class or its
ending, so that a rule about cakes teaches something about invoices. A feature of a single word is a string, a pattern
is a tuple of strings: made by `zip`, tuples cost a third of joined strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from msgspec import Struct

from trimtab.distill.lexicon_en import CLASS_OF, LITERAL

Pattern = tuple[str, ...]
_TOKEN = re.compile(r"\x01+|[a-z]+(?:['-][a-z]+)*|\d[\d.,:]*|[^\s\w]+|\w")
_START, _END = "<", ">"
_SHORTEST_CUT = 4  # letters; shorter words are not cut into pieces
_PIECES = (3, 4, 5)  # letters
_MOST_PAIRED = 14  # classes
# what a sentence is about to say
_CUES = frozenset(
    {"MUST", "NEVER", "AVOID", "NOT", "ALWAYS", "ONLY", "LIMIT", "SHOULD", "NEED", "WANT", "CHANGE", "CHOOSE", "LIKE", "FORM"}
)
_PAST = frozenset({"WAS", "PAST", "AGO", "-ed", "SAYS"})
_ENDINGS = (("ed", "-ed"), ("ing", "-ing"), ("ly", "-ly"), ("'s", "-'s"), ("n't", "NOT"), ("s", "-s"))


class StandIn(Struct, frozen=True):
    """How a word stands in patterns: `fine` (function words are themselves), `coarse` (its class or ending), and
    `paired` (its class among words that are not neighbors; "" for a word without one)."""

    fine: str
    coarse: str
    paired: str


def tokens(text: str) -> list[str]:
    """Words, numbers and marks in order, lower case."""
    return _TOKEN.findall(text.lower().replace("’", "'"))


def word_features(word: str) -> Iterator[str]:
    """What a single word is worth, wherever it stands: itself, its classes, pieces of it (for typos)."""
    first = word[0]
    if not first.isalpha():
        yield "#" if first.isdigit() else first
        return
    yield word
    yield from CLASS_OF.get(word, ())
    if len(word) >= _SHORTEST_CUT:
        whole = f"{_START}{word}{_END}"
        for size in _PIECES:
            for at in range(len(whole) - size + 1):
                yield "~" + whole[at : at + size]


def stand_in(word: str) -> StandIn:
    """How the word stands in patterns."""
    first = word[0]
    if first.isdigit():
        return StandIn("#", "#", "")
    if first == "\x01":
        return StandIn("Q", "Q", ".Q")
    if not first.isalpha():
        return StandIn(first, ".", "")
    classes = CLASS_OF.get(word)
    coarse = classes[0] if classes else next((name for ending, name in _ENDINGS if word.endswith(ending)), "-")
    return StandIn(word if word in LITERAL else coarse, coarse, "." + coarse if coarse.isupper() else "")


def patterns(words: Sequence[str], stand_ins: Sequence[StandIn], is_system: bool) -> set[Pattern]:
    """Patterns of neighboring words, each once. `stand_ins` are those of the words."""
    fine = [_START, *[one.fine for one in stand_ins], _END]
    coarse = [_START, *[one.coarse for one in stand_ins], _END]
    found: set[Pattern] = set(pairwise(words))
    found.update(zip(fine, fine[1:], fine[2:], strict=False))
    found.update(pairwise(coarse))
    found.update(zip(coarse, coarse[1:], coarse[2:], strict=False))
    classes = list(dict.fromkeys([one.paired for one in stand_ins if one.paired]))
    found.update(combinations(classes[:_MOST_PAIRED], 2))
    subject = coarse[1]
    tense = "now" if _PAST.isdisjoint(coarse) else "past"
    found.update(
        (("^", *coarse[1:5]), ("^", words[0]), ("$", words[-1]), ("n", str(min(len(words) // 4, 6))), ("@", subject, tense)),
    )
    # "the tenant" + "must" is another thing than "you" + "must"
    for cue in _CUES.intersection(coarse):
        found.update((("@", subject, cue), ("@", tense, cue), ("@", subject, tense, cue)))
    if is_system:
        found.update((("S",), ("S", subject), ("S", *coarse[1:3])))
    return found
