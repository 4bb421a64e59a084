"""One bit for each number of a vector: a sixteenth of the float16 size, and fast to compare.

The share of differing signs of two vectors is about their angle divided by pi, with a spread that depends on the
number of signs only. So the few rows that can be among the best are found by signs, and scored exactly afterwards.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]
Counts = npt.NDArray[np.uint16]
Words = npt.NDArray[np.uint64]

_BLOCK_ROWS = 32_768  # a block's working memory stays in the cache
_WORD_BITS = 64
_DEVIATIONS = 2.6  # how many standard deviations of the sign count a true neighbor may lie off


class SignCodes:
    """Sign bits of rows, kept word by word: (dimension / 64, rows) of uint64, so that each step runs over one array."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._word_count = -(-dimension // _WORD_BITS)
        self._words = np.zeros((self._word_count, 0), np.uint64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def size_bytes(self) -> int:
        return self._words.nbytes

    def append(self, centered: Floats) -> None:
        """(n, dimension) vectors, relative to the center."""
        needed = self._count + len(centered)
        if needed > self._words.shape[1]:
            grown = np.zeros((self._word_count, max(1_024, needed + needed // 4)), np.uint64)
            grown[:, : self._count] = self._words[:, : self._count]
            self._words = grown
        self._words[:, self._count : needed] = self._coded(centered).T
        self._count = needed

    def put(self, places: Places, centered: Floats) -> None:
        """Replace the codes of rows that are there."""
        self._words[:, places] = self._coded(centered).T

    def keep(self, places: Places) -> None:
        """Only these rows stay, in this order."""
        self._words = np.ascontiguousarray(self._words[:, places])
        self._count = len(places)

    def distances(self, centered: Floats, places: Places) -> Counts:
        """The number of signs in which each of the rows at `places` (ascending) differs from one (dimension,) vector."""
        asked = self._coded(centered[None, :])[0]
        if len(places) > self._count // 8:
            # reading on is quicker than picking: all are counted, then the wanted ones taken
            found = self._counted(self._words[:, : self._count], asked)
            return found if len(places) == self._count else found[places]
        return self._counted(self._words[:, places], asked)

    @staticmethod
    def _counted(words: Words, asked: Words) -> Counts:
        found = np.zeros(words.shape[1], np.uint16)
        for start in range(0, len(found), _BLOCK_ROWS):
            part = found[start : start + _BLOCK_ROWS]
            for word, bits in zip(words, asked, strict=True):
                part += np.bitwise_count(word[start : start + len(part)] ^ bits)
        return found

    def bound(self, cosine: float) -> int:
        """The most signs that a row of at least this cosine differs in, save about one in two hundred."""
        share = math.acos(min(1.0, max(-1.0, cosine))) / math.pi
        return math.ceil(self.dimension * share + _DEVIATIONS * math.sqrt(self.dimension * share * (1 - share)))

    def _coded(self, centered: Floats) -> Words:
        packed = np.packbits(centered > 0, axis=1, bitorder="little")
        whole = np.zeros((len(packed), self._word_count * 8), np.uint8)
        whole[:, : packed.shape[1]] = packed
        return whole.view(np.uint64)
