"""The vectors of a store in memory: which documents are nearest to a question. Needs numpy (`trimtab[local]`).

A score is the cosine after the mean of all rows is subtracted from both sides: what all texts of a store have in
common says nothing about any of them. Small stores are searched exactly; in larger ones sign codes (`signs.py`) choose
which rows are scored exactly, so that scores are exact in both, and only whether a row is found may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from threading import RLock

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from trimtab.recall.rows import Floats, Places, Row, RowArrays, products_of, widened
from trimtab.recall.signs import SignCodes

EXACT_ROWS = 20_000
MEMORY_ROWS = 200_000

_LEAST_SQUARE = 1e-5
_FEW_ROWS = 4_000  # so many picked rows of a large store are scored exactly: that is quicker than choosing
_LEAST_RESCORED = 256
_MOST_RESCORED = 16_384
_MOST_FETCHED = 512  # rows that are not in memory cost a read of the store each
_SAMPLE_BLOCKS, _SAMPLE_BLOCK_ROWS = 64, 16
_RECODE_GROWTH = 1.25
_RECODE_SHIFT = 0.05  # of a row's length


class Found(Struct, frozen=True):
    """What a search found.

    Attributes:
        hits: (document, score) best first, at most as many as asked for; equal scores by document. The score is that
            of the document's best window, -1 to 1.
        mean: of the scores of all documents that were allowed; above EXACT_ROWS of a sample of them.
        spread: the standard deviation of the same.
    """

    hits: list[tuple[int, float]]
    mean: float = 0.0
    spread: float = 0.0


Fetch = Callable[[Sequence[int]], Iterable[Row]]


class VectorIndex:
    """Vectors of one embedder in one scope. May be used by several threads; one at a time is served.

    Memory at 512 dimensions: 1.1 KB a row that is in memory, 85 bytes a row that is not, a quarter more while it grows.
    """

    def __init__(self, dimension: int, *, fetch: Fetch | None = None, exact_rows: int = EXACT_ROWS, memory_rows: int = MEMORY_ROWS) -> None:
        """An empty index.

        Args:
            fetch: documents -> all their rows, in any order; documents that are gone may be missing. With it only the
                newest `memory_rows` vectors stay in memory. It is called while a search waits.
            exact_rows: up to so many rows a search compares all.
        """
        self.dimension = dimension
        self._fetch = fetch
        self._exact_rows = min(exact_rows, memory_rows)
        self._rows = RowArrays(dimension, memory_rows if fetch is not None else None)
        self._codes: SignCodes | None = None
        self._center = np.zeros(dimension, np.float32)
        self._coded_count = 0
        self._lock = RLock()

    def __len__(self) -> int:
        """Rows, not documents."""
        return self._rows.live_count

    @property
    def newest_doc(self) -> int:
        """The highest document number ever added, 0 for none: where to go on loading."""
        return self._rows.newest_doc

    @property
    def size_bytes(self) -> int:
        """Memory of all arrays."""
        return self._rows.size_bytes + (self._codes.size_bytes if self._codes else 0)

    @property
    def needs_recoding(self) -> bool:
        """The mean has moved so far that large searches may miss rows, and `recode` must read rows that are not in memory."""
        return self._codes is not None and self._has_moved()

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows, in any order. A row of a (document, window) that is there already replaces it.

        Raises:
            ValueError: a vector of another length, or one that is not finite; nothing was added.
        """
        with self._lock:
            first = len(self._rows)
            self._rows.add(list(rows))
            if len(self._rows) > self._exact_rows:
                self._code_from(first)
            self._pack()

    def drop(self, docs: Iterable[int]) -> None:
        """Forget documents; those that are not here are passed over."""
        with self._lock:
            self._rows.drop(np.fromiter(docs, np.int64))
            self._pack()

    def recode(self) -> None:
        """Make the sign codes anew around the present mean. `add` does it by itself while all rows are in memory."""
        with self._lock:
            if self._codes is None:
                return
            self._center = self._rows.mean()
            self._coded_count = self._rows.live_count
            live = self._rows.live_places(None)
            for start in range(0, len(live), 8_192):
                places = live[start : start + 8_192]
                split = int(np.searchsorted(places, self._rows.first_in_memory))
                if split:
                    older, vectors = self._fetched(places[:split])
                    self._codes.put(older, vectors - self._center)
                self._codes.put(places[split:], self._rows.vectors(places[split:]) - self._center)

    def search(self, query: bytes, limit: int, allowed: AbstractSet[int] | npt.NDArray[np.int64] | None = None) -> Found:
        """The documents nearest to the query's vector.

        Args:
            query: as the embedder gave it.
            allowed: only these documents; None for all, which is quicker than naming all.
        """
        with self._lock:
            raw = np.frombuffer(query, "<f2").astype(np.float32)
            if len(raw) != self.dimension:
                raise ValueError(f"the query's vector has {len(raw)} numbers, this index {self.dimension}; use one embedder for both")
            places = self._rows.live_places(_numbers(allowed))
            few = len(places) <= _MOST_FETCHED or (len(places) <= _FEW_ROWS and self._rows.all_in_memory(places))
            if few or self._codes is None:
                return self._ranked(*self._scored(places, raw), limit)
            return self._search_codes(raw, limit, places)

    def _search_codes(self, raw: Floats, limit: int, places: Places) -> Found:
        assert self._codes is not None
        # codes stand around the mean of when they were made, and so must what is compared with them
        distances = self._codes.distances(raw - self._center, places)
        most = _MOST_RESCORED if self._rows.all_in_memory(places) else max(_MOST_FETCHED, 20 * limit)
        least = min(most, max(_LEAST_RESCORED, 4 * limit))
        edge = _edge(distances, least)
        docs, scores = self._scored(places[np.flatnonzero(distances <= edge)[: 2 * most]], raw)
        reached = self._ranked(docs, scores, limit).hits
        # rows beyond the edge matter only where they could still beat the last that was found
        bound = min(self._codes.bound(reached[-1][1]), _edge(distances, most)) if reached else edge
        if bound > edge:
            more = np.flatnonzero((distances > edge) & (distances <= bound))[: 2 * most]
            more_docs, more_scores = self._scored(places[more], raw)
            docs, scores = np.concatenate([docs, more_docs]), np.concatenate([scores, more_scores])
        sample = self._ranked(*self._scored(self._sample(places), raw), 0)
        return Found(self._ranked(docs, scores, limit).hits, sample.mean, sample.spread)

    def _sample(self, places: Places) -> Places:
        """Runs of rows, evenly spread, so that documents of several windows mostly stay whole. Rows in memory only."""
        here = places[np.searchsorted(places, self._rows.first_in_memory) :]
        starts = np.linspace(0, max(0, len(here) - _SAMPLE_BLOCK_ROWS), _SAMPLE_BLOCKS).astype(np.int64)
        chosen = np.unique((starts[:, None] + np.arange(_SAMPLE_BLOCK_ROWS)).ravel())
        return here[chosen[chosen < len(here)]]

    def _scored(self, places: Places, raw: Floats) -> tuple[Places, Floats]:
        """(documents, scores) of the rows at `places` that can still be read."""
        mean = self._rows.mean()
        asked = _unit(raw - mean)
        split = int(np.searchsorted(places, self._rows.first_in_memory))
        products = self._rows.products(places[split:], asked, mean)
        if split:
            older, vectors = self._fetched(places[:split])
            places = np.concatenate([older, places[split:]])
            products = np.concatenate([products_of(vectors, asked, mean), products], axis=1)
        # (v - mean) . asked / |v - mean| without making v - mean: the mean may change with every row that is added
        squares = self._rows.squares[places] - 2 * products[1] + mean @ mean
        # a row that is the mean itself is like nothing; what is left of it is rounding
        scores = np.where(squares > _LEAST_SQUARE, (products[0] - mean @ asked) / np.sqrt(np.maximum(squares, _LEAST_SQUARE)), 0.0)
        return self._rows.docs[places], scores.astype(np.float32)

    def _fetched(self, places: Places) -> tuple[Places, Floats]:
        """(places, vectors) of those rows that the store still has; in no order."""
        assert self._fetch is not None
        docs, windows = self._rows.docs[places].tolist(), self._rows.windows[places].tolist()
        wanted = dict(zip(zip(docs, windows, strict=True), places.tolist(), strict=True))
        found = [(wanted[row.doc, row.window], row.data) for row in self._fetch(sorted(set(docs))) if (row.doc, row.window) in wanted]
        halves = np.frombuffer(b"".join(data for _, data in found), "<f2").reshape(-1, self.dimension)
        return np.array([place for place, _ in found], np.int64), widened(halves)

    def _ranked(self, docs: Places, scores: Floats, limit: int) -> Found:
        if not len(docs):
            return Found([])
        if np.any(docs[1:] < docs[:-1]):
            order = np.argsort(docs, kind="stable")
            docs, scores = docs[order], scores[order]
        starts = np.flatnonzero(np.concatenate([[True], docs[1:] != docs[:-1]]))
        docs, best = docs[starts], np.maximum.reduceat(scores, starts)
        top = np.arange(len(best)) if len(best) <= limit else np.flatnonzero(best >= np.partition(best, -max(limit, 1))[-max(limit, 1)])
        top = top[np.lexsort((docs[top], -best[top]))][:limit]
        hits = list(zip(docs[top].tolist(), best[top].tolist(), strict=True))
        return Found(hits, float(best.mean()), float(best.std()))

    def _code_from(self, first: int) -> None:
        if self._codes is None:
            self._codes, first = SignCodes(self.dimension), 0
            self._center, self._coded_count = self._rows.mean(), self._rows.live_count
        for start in range(first, len(self._rows), 8_192):
            places = np.arange(start, min(start + 8_192, len(self._rows)))
            self._codes.append(self._rows.vectors(places) - self._center)
        if self._rows.first_in_memory == 0 and self._has_moved():
            self.recode()
        self._rows.trim()

    def _has_moved(self) -> bool:
        count = self._rows.live_count
        grown = count >= self._coded_count * _RECODE_GROWTH or count * _RECODE_GROWTH <= self._coded_count
        return grown and float(np.linalg.norm(self._rows.mean() - self._center)) > _RECODE_SHIFT

    def _pack(self) -> None:
        kept = self._rows.pack()
        if kept is not None and self._codes is not None:
            self._codes.keep(kept)


def _numbers(docs: AbstractSet[int] | npt.NDArray[np.int64] | None) -> Places | None:
    if docs is None:
        return None
    return docs.astype(np.int64) if isinstance(docs, np.ndarray) else np.fromiter(docs, np.int64, len(docs))


def _unit(vector: Floats) -> Floats:
    found: Floats = vector / np.float32(max(float(np.linalg.norm(vector)), 1e-9))
    return found


def _edge(distances: npt.NDArray[np.uint16], count: int) -> int:
    """A distance that about `count` rows lie within, or more where several have the same."""
    if count >= len(distances):
        return int(distances.max(initial=0))
    totals = np.cumsum(np.bincount(distances))
    return int(np.searchsorted(totals, count))
