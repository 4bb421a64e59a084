"""What recall is measured against: BM25, SQLite's own full-text ranking, and fixed fusions. Each is a few lines."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import nsmallest
from math import log
from typing import TYPE_CHECKING

from trimtab.errors import ConfigError
from trimtab.evals.recall.retriever import Said
from trimtab.recall.embedders import Embedder, open_embedder
from trimtab.recall.windows import windows
from trimtab.recall.words import STOP_WORDS, terms

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

_K1, _B = 1.5, 0.75
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u3400-\u9fff]")


class Ranker:
    """Turns by a score of each: higher first, of equal ones the older."""

    # only so many turns exist yet; 0 for all
    now = 0

    def __init__(self) -> None:
        self._ids: list[str] = []

    def search(self, query: str, k: int) -> list[str]:
        scores = self.scores(query)[: self.now or None]
        return [self._ids[number] for number in nsmallest(k, range(len(scores)), key=lambda number: (-scores[number], number))]

    def scores(self, query: str) -> Sequence[float]:
        """Of every turn, those that do not exist yet included."""
        raise NotImplementedError


class Bm25(Ranker):
    """Single turns, by our own terms: English ones stemmed, of Chinese every two neighboring characters."""

    def index(self, turns: Sequence[Said]) -> None:
        self._ids = [turn.id for turn in turns]
        counts = [Counter(terms(turn.render())) for turn in turns]
        mean = sum(count.total() for count in counts) / max(1, len(counts)) or 1.0
        self._parts: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, count in enumerate(counts):
            base = _K1 * (1 - _B + _B * count.total() / mean)
            for term, times in count.items():
                self._parts[term].append((number, times * (_K1 + 1) / (times + base)))

    def scores(self, query: str) -> list[float]:
        scores, count = [0.0] * len(self._ids), len(self._ids)
        for term, times in Counter(terms(query)).items():
            found = self._parts.get(term, ())
            weight = times * log(1 + (count - len(found) + 0.5) / (len(found) + 0.5))
            for number, part in found:
                scores[number] += weight * part
        return scores


class Fts5:
    """Single turns by SQLite: its English stemmer and its bm25(); Chinese is cut into two characters each."""

    now = 0

    def index(self, turns: Sequence[Said]) -> None:
        self._ids = [turn.id for turn in turns]
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE texts USING fts5 (body, tokenize = 'porter unicode61')")
        rows = ((number, _spaced(turn.render())) for number, turn in enumerate(turns))
        self._db.executemany("INSERT INTO texts (rowid, body) VALUES (?, ?)", rows)

    def search(self, query: str, k: int) -> list[str]:
        words = [word for word in _WORD.findall(_spaced(query).lower()) if word not in STOP_WORDS]
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        upto = self.now or len(self._ids)
        sql = "SELECT rowid FROM texts WHERE texts MATCH ? AND rowid < ? ORDER BY bm25(texts) LIMIT ?"
        return [self._ids[number] for (number,) in self._db.execute(sql, (match, upto, k))]


def _spaced(text: str) -> str:
    return " ".join(terms(text)) if _UNSPACED.search(text) else text


class _Fused(Ranker):
    """`share` words to the rest vectors, each from 0 for the worst turn to 1 for the best. Needs an embedder."""

    share = 0.5
    centered = False
    neighbors = session = 0.0

    def __init__(self, embedder: Embedder | None = None) -> None:
        super().__init__()
        embedder = embedder or open_embedder("auto")
        if embedder is None:
            raise ConfigError("a fusion of words and vectors needs an embedder, and none is installed; pip install 'trimtab[local]'")
        self._embedder, self._words = embedder, Bm25()

    def index(self, turns: Sequence[Said]) -> None:
        import numpy as np

        self._ids = [turn.id for turn in turns]
        self._words.index(turns)
        pieces = [windows(turn.render()) for turn in turns]
        self._first = np.cumsum([0, *map(len, pieces)])
        data = b"".join(self._embedder.embed([piece for each in pieces for piece in each]))
        self._vectors = np.frombuffer(data, "<f2").reshape(-1, self._embedder.dimension).astype(np.float32)
        numbers: dict[str, int] = {}
        self._sessions = np.array([numbers.setdefault(turn.session, len(numbers)) for turn in turns], np.int64)

    def scores(self, query: str) -> Sequence[float]:
        import numpy as np

        count = self.now or len(self._ids)
        words = np.array(self._words.scores(query))[:count]
        scores = self.share * _to_one(words) + (1 - self.share) * _to_one(self._likeness(query, count))
        if self.neighbors or self.session:
            scores = self._placed(scores, self._sessions[:count])
        found: list[float] = scores.tolist()
        return found

    def _likeness(self, query: str, count: int) -> NDArray[float64]:
        import numpy as np

        vectors = self._vectors[: self._first[count]]
        asked = np.frombuffer(self._embedder.embed([query], True)[0], "<f2").astype(np.float32)
        if self.centered:
            vectors, asked = vectors - vectors.mean(0), asked - vectors.mean(0)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
        return np.maximum.reduceat((vectors @ asked).astype(np.float64), self._first[:count])

    def _placed(self, scores: NDArray[float64], sessions: NDArray[int64]) -> NDArray[float64]:
        import numpy as np

        same = sessions[1:] == sessions[:-1]
        around = np.zeros_like(scores)
        around[1:] += np.where(same, scores[:-1], 0)
        around[:-1] += np.where(same, scores[1:], 0)
        best = np.zeros(int(sessions.max()) + 1)
        np.maximum.at(best, sessions, scores)
        placed: NDArray[float64] = scores + self.neighbors * around + self.session * best[sessions]
        return placed


def _to_one(scores: NDArray[float64]) -> NDArray[float64]:
    low, high = scores.min(), scores.max()
    scaled: NDArray[float64] = (scores - low) / (high - low) if high > low else scores * 0
    return scaled


class FixedRule1(_Fused):
    """F1: half words, half vectors."""


class FixedRule2(_Fused):
    """F2: .6 words and .4 vectors, a fifth of both neighbors' score and .3 of the session's best on top."""

    share, neighbors, session = 0.6, 0.2, 0.3


class Fused(_Fused):
    """What plain fusion can do: .6 words and .4 vectors around the store's mean."""

    share, centered = 0.6, True
