"""The arrays behind a `VectorIndex`: documents, windows, float16 vectors, and their mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]

_BLOCK_ROWS = 512  # a block's float32 copy stays in the cache
_SIGN_AND_REST = np.int32(-0x70002000)  # 0x8fffe000: the sign, and where exponent and fraction of a float16 come to lie
_EXPONENT_BIAS = np.float32(2.0**112)

_T = TypeVar("_T", bound=np.generic)


class Row(Protocol):
    """One vector of a document; the store's `VectorRow` is one. `data`: little-endian float16, of unit length."""

    @property
    def doc(self) -> int: ...
    @property
    def window(self) -> int: ...
    @property
    def data(self) -> bytes: ...


class RowArrays:
    """Rows in the order of arrival; a row's place is its number in that order, until `pack`.

    Dropped rows stay as dead ones until they are a quarter. Where `memory_rows` is set, vectors of the oldest rows are
    let go, so that `vectors` can only be asked from `first_in_memory` on.
    """

    def __init__(self, dimension: int, memory_rows: int | None) -> None:
        self.first_in_memory = 0
        self.live_count = 0
        self.newest_doc = 0
        self._dimension = dimension
        self._memory_rows = memory_rows
        self._count = 0
        self._docs = np.zeros(0, np.int64)
        self._windows = np.zeros(0, np.int32)
        self._squares = np.zeros(0, np.float32)
        self._live = np.zeros(0, np.bool_)
        self._halves = np.zeros((0, dimension), np.float16)
        self._sum = np.zeros(dimension, np.float64)
        self._summed = 0
        self._is_sorted = True
        self._order: Places | None = None

    def __len__(self) -> int:
        """Places, dead ones too."""
        return self._count

    @property
    def docs(self) -> Places:
        return self._docs[: self._count]

    @property
    def windows(self) -> npt.NDArray[np.int32]:
        return self._windows[: self._count]

    @property
    def squares(self) -> Floats:
        """Each vector times itself: 1, but for rounding."""
        return self._squares[: self._count]

    @property
    def size_bytes(self) -> int:
        arrays = (self._docs, self._windows, self._squares, self._live, self._halves)
        return sum(array.nbytes for array in arrays) + (0 if self._order is None else self._order.nbytes)

    def mean(self) -> Floats:
        """Of the live rows. Rows that were dropped after their vector had left memory still count."""
        return (self._sum / max(1, self._summed)).astype(np.float32)

    def vectors(self, places: Places) -> Floats:
        """(n, dimension). All places must be in memory."""
        if len(places) and int(places.min()) < self.first_in_memory:
            raise IndexError(f"row {int(places.min())} is not in memory, which begins at {self.first_in_memory}")
        return widened(self._halves[places - self.first_in_memory])

    def products(self, places: Places, left: Floats, right: Floats) -> Floats:
        """(2, n): each vector times `left` and times `right`. All places must be in memory."""
        found = np.empty((2, len(places)), np.float32)
        for start in range(0, len(places), _BLOCK_ROWS):
            part = places[start : start + _BLOCK_ROWS]
            found[:, start : start + len(part)] = products_of(self.vectors(part), left, right)
        return found

    def all_in_memory(self, places: Places) -> bool:
        return not len(places) or int(places[0]) >= self.first_in_memory

    def add(self, rows: Sequence[Row]) -> None:
        """See `VectorIndex.add`."""
        rows = list({(row.doc, row.window): row for row in rows}.values())
        wrong = next((row for row in rows if len(row.data) != 2 * self._dimension), None)
        if wrong is not None:
            raise ValueError(f"the vector of document {wrong.doc} has {len(wrong.data)} bytes, not {2 * self._dimension}")
        halves = np.frombuffer(b"".join(row.data for row in rows), "<f2").reshape(-1, self._dimension)
        wide = widened(halves)
        squares = np.einsum("ij,ij->i", wide, wide)
        if not np.isfinite(halves).all():
            raise ValueError(f"the vector of document {rows[int(np.argmin(np.isfinite(halves).all(axis=1)))].doc} is not finite")
        docs = np.fromiter((row.doc for row in rows), np.int64, len(rows))
        windows = np.fromiter((row.window for row in rows), np.int32, len(rows))
        self._replace(docs, windows)
        self._append(docs, windows, halves, squares)
        self._sum += wide.sum(axis=0, dtype=np.float64)
        self._summed += len(rows)

    def _replace(self, docs: Places, windows: npt.NDArray[np.int32]) -> None:
        old = docs <= self.newest_doc
        if not old.any() or not self._count:
            return
        wanted = set(zip(docs[old].tolist(), windows[old].tolist(), strict=True))
        places = self.live_places(docs[old])
        pairs = zip(self._docs[places].tolist(), self._windows[places].tolist(), strict=True)
        self._kill(places[np.array([pair in wanted for pair in pairs], np.bool_)])

    def _append(self, docs: Places, windows: npt.NDArray[np.int32], halves: npt.NDArray[np.float16], squares: Floats) -> None:
        start, end = self._count, self._count + len(docs)
        if not len(docs):
            return
        self._reserve(end)
        self._docs[start:end], self._windows[start:end], self._squares[start:end] = docs, windows, squares
        self._live[start:end] = True
        self._halves[start - self.first_in_memory : end - self.first_in_memory] = halves
        last = int(self._docs[start - 1]) if start else 0
        self._is_sorted = self._is_sorted and int(docs[0]) >= last and bool(np.all(docs[1:] >= docs[:-1]))
        self._order = None
        self._count = end
        self.live_count += len(docs)
        self.newest_doc = max(self.newest_doc, int(docs.max()))

    def _reserve(self, end: int) -> None:
        if end > len(self._docs):
            room = max(256, end + end // 4)
            self._docs, self._windows = _grown(self._docs, room), _grown(self._windows, room)
            self._squares, self._live = _grown(self._squares, room), _grown(self._live, room)
        needed = end - self.first_in_memory
        if needed > len(self._halves):
            wide = np.zeros((max(256, needed + needed // 4), self._dimension), np.float16)
            wide[: len(self._halves)] = self._halves
            self._halves = wide

    def trim(self) -> None:
        """Let the oldest vectors go where there are a quarter more than may stay."""
        if self._memory_rows is None or self._count - self.first_in_memory <= self._memory_rows * 5 // 4:
            return
        first = self._count - self._memory_rows
        self._halves = self._halves[first - self.first_in_memory : self._count - self.first_in_memory].copy()
        self.first_in_memory = first

    def drop(self, docs: Places) -> None:
        """Forget all rows of these documents."""
        self._kill(self.live_places(docs))

    def _kill(self, places: Places) -> None:
        self._live[places] = False
        self.live_count -= len(places)
        readable = places[places >= self.first_in_memory]
        self._sum -= self.vectors(readable).sum(axis=0, dtype=np.float64)
        self._summed -= len(readable)

    def pack(self) -> Places | None:
        """Take dead rows out where they are a quarter; the places that were kept, or None where nothing moved."""
        if self._count - self.live_count <= max(64, self._count // 4):
            return None
        kept = np.flatnonzero(self._live[: self._count])
        first = int(np.searchsorted(kept, self.first_in_memory))
        self._halves = self._halves[kept[first:] - self.first_in_memory]
        self._docs, self._windows = self._docs[kept], self._windows[kept]
        self._squares, self._live = self._squares[kept], self._live[kept]
        self.first_in_memory, self._count, self._order = first, len(kept), None
        return kept

    def live_places(self, docs: Places | None) -> Places:
        """Places of all live rows, or of those of these documents (any order); ascending."""
        if docs is None or not self._count:
            return np.flatnonzero(self._live[: self._count])
        if len(docs) > self._count // 8:
            return np.flatnonzero(self._live[: self._count] & self._is_one_of(docs))
        docs = np.unique(docs)
        if not self._is_sorted and self._order is None:
            self._order = np.argsort(self.docs, kind="stable")
        ordered = self.docs if self._is_sorted or self._order is None else self.docs[self._order]
        places = _ranges(np.searchsorted(ordered, docs), np.searchsorted(ordered, docs, "right"))
        if self._order is not None:
            places = np.sort(self._order[places])
        return places[self._live[places]]

    def _is_one_of(self, docs: Places) -> npt.NDArray[np.bool_]:
        if self.newest_doc > 16 * self._count + 1_000_000:
            return np.isin(self.docs, docs)
        # a table by document is far quicker than sorting, while the numbers are not much sparser than the rows
        table = np.zeros(self.newest_doc + 1, np.bool_)
        table[docs[(docs >= 0) & (docs <= self.newest_doc)]] = True
        found: npt.NDArray[np.bool_] = table[self.docs]
        return found


def widened(halves: npt.NDArray[np.float16]) -> Floats:
    """The same finite numbers as float32: exact, and six times as fast as numpy's own conversion."""
    bits = halves.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _SIGN_AND_REST
    wide = bits.view(np.float32)
    wide *= _EXPONENT_BIAS
    return wide


def products_of(vectors: Floats, left: Floats, right: Floats) -> Floats:
    """(2, n). Not by BLAS: for so little its threads cost more than they save, and its last bits depend on n."""
    return np.stack([np.einsum("ij,j->i", vectors, left), np.einsum("ij,j->i", vectors, right)])


def _ranges(starts: Places, ends: Places) -> Places:
    """All numbers of all half-open ranges."""
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def _grown(array: npt.NDArray[_T], room: int) -> npt.NDArray[_T]:
    wide = np.zeros(room, array.dtype)
    wide[: len(array)] = array
    return wide
