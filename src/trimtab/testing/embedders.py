"""An embedder for tests: no model, no package, the same bytes everywhere."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Sequence

from trimtab.recall.words import terms


class WordsEmbedder:
    """Texts that share words have similar vectors; nothing else is alike.

    Each search term adds a fixed pseudo-random direction, so that the cosine of two texts is about the share of terms
    they have in common. A test that needs two words to mean the same says so in `synonyms`.
    """

    def __init__(self, dimension: int = 64, version: str = "1", synonyms: dict[str, str] | None = None) -> None:
        """Version: part of the id, for tests of a change of embedder. Synonyms: term -> the term it counts as."""
        self.dimension = dimension
        self.embedder_id = f"words/{version}/{dimension}"
        self.calls: list[tuple[tuple[str, ...], bool]] = []
        self._synonyms = dict(synonyms or {})

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        """See `Embedder.embed`; what was asked for is kept in `calls`."""
        self.calls.append((tuple(texts), query))
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> bytes:
        total = [0.0] * self.dimension
        for term in terms(text) or [""]:
            for place, value in enumerate(_direction(self._synonyms.get(term, term), self.dimension)):
                total[place] += value
        length = math.sqrt(sum(value * value for value in total))
        return struct.pack(f"<{self.dimension}e", *(value / length for value in total))


def _direction(term: str, dimension: int) -> list[int]:
    seed = hashlib.shake_256(term.encode("utf-8", "replace")).digest(dimension)
    return [byte - 128 + (byte >= 128) for byte in seed]
