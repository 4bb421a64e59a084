"""A linear classifier read from a file: features to probabilities, without numpy.

A sentence is the vector of its features, each weighing more the rarer it is, brought to length one; a label's score is
a weighted sum. All scores of a feature are packed into ONE integer, a lane of 24 bits for each label and one for the
square of its rarity, so that a sentence costs one addition for each feature.

File (`weights/*.bin`): a line of JSON (`Head`), then zlib: the features, one a line (the parts of a tuple with tabs
between, a tuple of one with a tab behind), an empty line, and for each its packed integer (little-endian, two's
complement).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import repeat
from typing import TypeVar

import msgspec
from msgspec import Struct

Feature = str | tuple[str, ...]
H = TypeVar("H", bound=Struct)
LANE_BITS = 24
_HALF, _MASK = 1 << (LANE_BITS - 1), (1 << LANE_BITS) - 1
# what one unit of the last lane is worth in squared rarity
SQUARE_UNIT = 0.01


class Head(Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in the first line of the file.

    `unit`: what one unit of a label's lane is worth. `unknown`: the squared rarity, in units, of a feature that the file
    does not hold; a sentence of unknown words comes out near to what is usual. `digest`: of what it was trained on
    (training/extraction).
    """

    language: str
    labels: tuple[str, ...]
    bias: tuple[float, ...]
    unit: float
    unknown: int
    digest: str


class Model:
    """Reads probabilities off packed sums. `packed` maps a feature to its integer."""

    def __init__(self, head: Head, packed: Mapping[Feature, int]) -> None:
        self.head = head
        self._packed = packed
        self._shifts = tuple(LANE_BITS * at for at in range(len(head.labels)))
        lanes = len(head.labels) + 1
        self._lift = sum(_HALF << (LANE_BITS * at) for at in range(lanes))
        self._square_shift = LANE_BITS * (lanes - 1)
        self._unknown = head.unknown << self._square_shift

    def weight(self, features: Iterable[Feature]) -> int:
        """The packed sum of some features; sums of two sets may be added."""
        return sum(map(self._packed.get, features, repeat(self._unknown)))

    def probabilities(self, packed_sum: int) -> dict[str, float]:
        """The probability of each label, given the packed sum of all features of a sentence."""
        lifted = packed_sum + self._lift
        # the highest lane has all the room it needs
        square = (lifted >> self._square_shift) - _HALF
        scale = self.head.unit / math.sqrt(max(square, 1) * SQUARE_UNIT)
        scores = [bias + scale * (((lifted >> shift) & _MASK) - _HALF) for bias, shift in zip(self.head.bias, self._shifts, strict=True)]
        return shares(self.head.labels, scores)


def shares(labels: Sequence[str], scores: Sequence[float]) -> dict[str, float]:
    """The probability of each label, by its score."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = sum(powers)
    return {label: power / total for label, power in zip(labels, powers, strict=True)}


@cache
def model(language: str) -> Model:
    """The model of a language ("en", "zh"), read on first use."""
    return read_model(files(__package__).joinpath("weights", f"{language}.bin").read_bytes())


def read_model(content: bytes) -> Model:
    """The model in the bytes of a file that `write_model` made."""
    head, names, values = read_packed(content, Head, lambda head: len(head.labels) + 1)
    features: list[Feature] = [_feature(name) if "\t" in name else name for name in names]
    return Model(head, dict(zip(features, values, strict=True)))


def write_model(head: Head, rows: Mapping[Feature, tuple[list[int], int]]) -> bytes:
    """The bytes of a file. `rows`: feature -> (units for each label, squared rarity in units). No feature may hold a
    tab or a line break."""
    names = [name if isinstance(name, str) else "\t".join(name) + "\t" * (len(name) == 1) for name in rows]
    return write_packed(head, dict(zip(names, ((*units, square) for units, square in rows.values()), strict=True)))


def read_packed(content: bytes, kind: type[H], lanes: Callable[[H], int]) -> tuple[H, list[str], list[int]]:
    """(head, names, the packed integer of each) of a file that `write_packed` made; `lanes` says how many a name has."""
    line, _, rest = content.partition(b"\n")
    head = msgspec.json.decode(line, type=kind)
    names, _, rows = zlib.decompress(rest).partition(b"\n\n")
    size, read = LANE_BITS // 8 * lanes(head), int.from_bytes
    values = [read(rows[at : at + size], "little", signed=True) for at in range(0, len(rows), size)]
    return head, names.decode("utf-8").split("\n"), values


def write_packed(head: Struct, rows: Mapping[str, Sequence[int]]) -> bytes:
    """The bytes of a file. `rows`: name, without a line break, -> the number in each lane."""
    packed = [
        sum(unit << (LANE_BITS * at) for at, unit in enumerate(units)).to_bytes(LANE_BITS // 8 * len(units), "little", signed=True)
        for units in rows.values()
    ]
    body = "\n".join(rows).encode("utf-8") + b"\n\n" + b"".join(packed)
    return msgspec.json.encode(head) + b"\n" + zlib.compress(body, 9)


def _feature(name: str) -> tuple[str, ...]:
    head, _, rest = name.partition("\t")
    return (head, *rest.split("\t")) if rest else (head,)
