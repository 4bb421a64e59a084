"""Which kinds of information a short text gives, as a linear classifier sees it that was trained on written sentences.

People mostly give a time, a reason or a price without a word that says so. The classifier sees the cues' own verdict and
the words around it, and says how likely each kind is; it orders and completes what the cues found (`intents.py`), and
takes away what it finds hopeless.

File (`weights/kinds_*.bin`, made by `training/kinds`): as `trimtab.distill.model.write_packed` makes it, a lane for each label.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal, TypeAlias

from msgspec import Struct

from trimtab.distill.model import LANE_BITS, read_packed, shares, write_packed

Language: TypeAlias = Literal["en", "zh"]
NOTHING = "none"
# A longer text gives several kinds, and its words tell little of any one.
MOST_WORDS = 80
# The least probability of a kind that the cues did not find, and of one that they did; at most so many of the former.
# Chosen on turns about one account in two languages (training/kinds/README.md); .2 for .12 does
# about as well, .08 worse.
LEAST, LEAST_OF_FOUND, MOST_LEARNED = 0.12, 0.02, 3
_HALF, _MASK = 1 << (LANE_BITS - 1), (1 << LANE_BITS) - 1
# what the words of a text weigh together against its cues, and a cue's weight that counts as one
WORDS_WEIGHT, CUE_UNIT, MOST_CUE = 3.0, 3.0, 6.0
_CHINESE_SHARE = 0.3
_MOST_GRAM, _LENGTHS = 3, 6
_ENDING = 3


class Head(Struct, frozen=True, forbid_unknown_fields=True):
    """`unit`: what one unit of a lane is worth; `cues`: weights of each kind's cue, by label; `digest`: of the sentences."""

    language: str
    labels: tuple[str, ...]
    bias: tuple[float, ...]
    unit: float
    cues: dict[str, tuple[float, ...]]
    digest: str


class Learned:
    """`packed` maps a feature to its integer."""

    def __init__(self, head: Head, packed: Mapping[str, int]) -> None:
        self.head = head
        self._packed = packed
        self._shifts = tuple(LANE_BITS * at for at in range(len(head.labels)))
        self._lift = sum(_HALF << shift for shift in self._shifts)

    def probabilities(self, found: Sequence[str], cues: Mapping[str, float]) -> dict[str, float]:
        """The probability of each label. `found`: the features, each once; `cues`: weight of each kind by the cues."""
        find = self._packed.get
        lifted = sum([find(feature, 0) for feature in found]) + self._lift
        scale = self.head.unit * words_scale(len(found))
        scores = [bias + scale * (((lifted >> shift) & _MASK) - _HALF) for bias, shift in zip(self.head.bias, self._shifts, strict=True)]
        for kind, weight in cues.items():
            value = cue_value(weight)
            scores = [score + value * one for score, one in zip(scores, self.head.cues.get(kind, ()), strict=False)] or scores
        return shares(self.head.labels, scores)


def completed(given: Sequence[str], sentences: Sequence[Sequence[str]], cues: Mapping[str, float]) -> list[str]:
    """The kinds that a text gives, most likely first.

    Args:
        given: those that the cues found, strongest first; as they are where there are none, or the text is long.
        sentences: those that do not ask, as words and marks; each number is "#".
        cues: the weight of each kind by the cues.
    """
    # where the cues found nothing at all, mostly nothing is there: talk would look as if each turn gave something
    if not given or not 0 < sum(map(len, sentences)) <= MOST_WORDS:
        return list(given)
    language = language_of(sentences)
    likely = learned(language).probabilities(features(sentences, language), cues)
    # what it did not learn stays where the cues put it
    first = [kind for kind in given[:1] if kind not in likely]
    ranked = sorted(likely, key=lambda kind: -likely[kind])
    kinds = first + [kind for kind in ranked if kind != NOTHING and likely[kind] >= LEAST][:MOST_LEARNED]
    return kinds + [kind for kind in given if kind not in kinds and likely.get(kind, 1.0) >= LEAST_OF_FOUND]


def language_of(sentences: Sequence[Sequence[str]]) -> Language:
    words = [word for sentence in sentences for word in sentence]
    return "zh" if sum("一" <= word[0] <= "鿿" for word in words) > _CHINESE_SHARE * len(words) else "en"


def features(sentences: Sequence[Sequence[str]], language: Language) -> list[str]:
    """Words, pairs and endings; in Chinese up to three characters, and how a sentence begins and ends. Each once, in order."""
    found: dict[str, None] = {}
    for words in sentences:
        if language == "zh":
            for length in range(1, _MOST_GRAM + 1):
                found.update((f"c{''.join(words[at : at + length])}", None) for at in range(len(words) - length + 1))
            found[f"^{''.join(words[:2])}"] = found[f"${''.join(words[-3:])}"] = None
        else:
            found.update((f"w{word}", None) for word in words)
            found.update((f"b{one} {other}", None) for one, other in pairwise(("^", *words)))
            found.update((f"e{word[-_ENDING:]}", None) for word in words if len(word) > _ENDING + 1)
    found[f"length {min(_LENGTHS, sum(map(len, sentences)) // (8 if language == 'zh' else 6))}"] = None
    return list(found)


def words_scale(count: int) -> float:
    """What one of so many features weighs."""
    return WORDS_WEIGHT / math.sqrt(max(1, count))


def cue_value(weight: float) -> float:
    return min(weight, MOST_CUE) / CUE_UNIT


@cache
def learned(language: Language) -> Learned:
    """The classifier of a language, read on first use."""
    return read_learned(files(__package__).joinpath("weights", f"kinds_{language}.bin").read_bytes())


def read_learned(content: bytes) -> Learned:
    """The classifier in the bytes that `write_learned` made."""
    head, names, values = read_packed(content, Head, lambda head: len(head.labels))
    return Learned(head, dict(zip(names, values, strict=True)))


def write_learned(head: Head, rows: Mapping[str, Sequence[int]]) -> bytes:
    """The bytes of a file. `rows`: feature, without a line break, -> units for each label."""
    return write_packed(head, rows)
