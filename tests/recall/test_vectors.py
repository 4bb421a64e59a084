"""The vector index against a plain computation: scores, recall, what is allowed, what changes, what is not in memory."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from threading import Thread
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.recall.rows import widened
from trimtab.recall.signs import SignCodes
from trimtab.recall.vectors import Found, VectorIndex

Floats = npt.NDArray[np.float32]


class Row(NamedTuple):
    doc: int
    window: int
    data: bytes


def unit(vectors: npt.NDArray[np.floating]) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / lengths).astype(np.float32)


def half(vector: npt.NDArray[np.floating]) -> bytes:
    return vector.astype("<f2").tobytes()


def clustered(count: int, dimension: int = 128, seed: int = 0, size: int = 50) -> Floats:
    """Rows around `count / size` topics, all of them around something that they have in common."""
    rng = np.random.default_rng(seed)
    topics = rng.standard_normal((max(1, count // size), dimension))
    common = 1.5 * rng.standard_normal(dimension)
    return unit(common + topics[rng.integers(0, len(topics), count)] + 0.6 * rng.standard_normal((count, dimension)))


def rows_of(vectors: Floats, first: int = 1) -> list[Row]:
    return [Row(first + place, 0, half(vector)) for place, vector in enumerate(vectors)]


def plain(rows: Sequence[Row], query: bytes, limit: int, allowed: Iterable[int] | None = None) -> Found:
    """The same by the definition, in float64."""
    if not rows:
        return Found([])
    vectors = np.array([np.frombuffer(row.data, "<f2") for row in rows], np.float64)
    mean = vectors.mean(axis=0)
    asked = np.frombuffer(query, "<f2").astype(np.float64) - mean
    scores = (vectors - mean) @ asked / np.maximum(np.linalg.norm(vectors - mean, axis=1) * np.linalg.norm(asked), 1e-12)
    wanted = None if allowed is None else set(allowed)
    best: dict[int, float] = {}
    for row, score in zip(rows, scores, strict=True):
        if wanted is None or row.doc in wanted:
            best[row.doc] = max(best.get(row.doc, -2.0), float(score))
    hits = sorted(best.items(), key=lambda hit: (-hit[1], hit[0]))[:limit]
    values = list(best.values()) or [0.0]
    return Found(hits, float(np.mean(values)), float(np.std(values)))


def same(found: Found, expected: Found) -> None:
    assert [score for _, score in found.hits] == pytest.approx([score for _, score in expected.hits], abs=2e-3)
    assert dict(found.hits) == pytest.approx(dict(expected.hits), abs=2e-3)
    assert (found.mean, found.spread) == pytest.approx((expected.mean, expected.spread), abs=2e-3)


def recall(found: Found, expected: Found) -> float:
    return len(dict(found.hits).keys() & dict(expected.hits).keys()) / len(expected.hits)


def filled(rows: Iterable[Row], dimension: int = 128, **bounds: int) -> VectorIndex:
    index = VectorIndex(dimension, **bounds)  # type: ignore[arg-type]
    index.add(rows)
    return index


def test_an_empty_index_finds_nothing() -> None:
    index = VectorIndex(8)
    assert index.search(half(np.ones(8)), 5) == Found([])
    assert index.search(half(np.ones(8)), 5, {1, 2}) == Found([])
    index.add([])
    index.drop([1])
    assert (len(index), index.newest_doc) == (0, 0)


def test_a_single_row_and_equal_rows_are_found() -> None:
    vector = half(unit(np.arange(1, 9)))
    index = filled([Row(7, 0, vector)], 8)
    assert [doc for doc, _ in index.search(vector, 5).hits] == [7]
    index.add([Row(doc, 0, vector) for doc in (3, 9)])
    assert [doc for doc, _ in index.search(vector, 2).hits] == [3, 7]
    assert index.newest_doc == 9


def test_the_score_is_that_of_the_best_window() -> None:
    vectors = clustered(300)
    rows = [Row(1 + place // 3, place % 3, half(vector)) for place, vector in enumerate(vectors)]
    for query in clustered(5, seed=1):
        same(filled(rows).search(half(query), 10), plain(rows, half(query), 10))


@given(st.integers(0, 10_000), st.integers(1, 120), st.integers(1, 20), st.booleans())
def test_small_stores_are_searched_exactly(seed: int, count: int, limit: int, is_picked: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = [Row(int(rng.integers(1, 60)), window, half(vector)) for window, vector in enumerate(clustered(count, 16, seed))]
    query = half(unit(rng.standard_normal(16)))
    allowed = {int(doc) for doc in rng.integers(1, 80, 30)} if is_picked else None
    same(filled(rows, 16).search(query, limit, allowed), plain(rows, query, limit, allowed))


@given(st.lists(st.tuples(st.sampled_from(["add", "again", "drop"]), st.integers(0, 400)), max_size=12))
def test_what_is_added_replaced_and_dropped_is_as_if_made_anew(steps: list[tuple[str, int]]) -> None:
    index = VectorIndex(16, exact_rows=150)
    kept: dict[tuple[int, int], Row] = {}
    for number, (step, at) in enumerate(steps):
        if step == "drop":
            index.drop(range(at, at + 90))
            kept = {key: row for key, row in kept.items() if not at <= row.doc < at + 90}
            continue
        first = at if step == "again" else max([0, *(doc for doc, _ in kept)]) + 1
        fresh = [Row(first + place // 2, place % 2, half(vector)) for place, vector in enumerate(clustered(100, 16, number))]
        index.add(fresh)
        kept |= {(row.doc, row.window): row for row in fresh}
    query = half(clustered(1, 16, 99)[0])
    assert len(index) == len(kept)
    found, expected = index.search(query, 5), plain(list(kept.values()), query, 5)
    if len(kept) <= 150:
        same(found, expected)
    else:
        assert [score for _, score in found.hits] == pytest.approx([score for _, score in expected.hits], abs=2e-3)


@pytest.mark.parametrize("limit", [10, 50])
def test_large_stores_find_what_an_exact_search_finds(limit: int) -> None:
    rows = rows_of(clustered(30_000))
    index = VectorIndex(128, exact_rows=2_000)
    for start in range(0, len(rows), 3_000):
        index.add(rows[start : start + 3_000])
    queries = [half(query) for query in clustered(30_000)[::1_500] + np.float32(0.002)]
    answers = [(index.search(query, limit), plain(rows, query, limit)) for query in queries]
    assert np.mean([recall(found, expected) for found, expected in answers]) >= 0.99
    for found, expected in answers:
        wanted = dict(expected.hits)
        assert all(score == pytest.approx(wanted[doc], abs=2e-3) for doc, score in found.hits if doc in wanted)
        assert (found.mean, found.spread) == pytest.approx((expected.mean, expected.spread), abs=0.03)


@pytest.mark.parametrize("count", [1, 40, 600, 5_000, 9_000])
@pytest.mark.parametrize("is_array", [True, False])
def test_only_what_is_allowed_is_found(count: int, is_array: bool) -> None:
    rows = rows_of(clustered(10_000))
    index = filled(rows, exact_rows=1_000)
    docs = np.random.default_rng(1).permutation(12_000)[:count]
    query = rows[17].data
    found = index.search(query, 20, docs if is_array else set(docs.tolist()))
    expected = plain(rows, query, 20, docs.tolist())
    assert {doc for doc, _ in found.hits} <= set(docs.tolist())
    assert recall(found, expected) >= 0.95 if expected.hits else not found.hits


def test_documents_may_arrive_in_any_order() -> None:
    rows = rows_of(clustered(4_000))
    index = VectorIndex(128, exact_rows=500)
    for start in (3_000, 0, 2_000, 1_000):
        index.add(rows[start : start + 1_000])
    query = rows[5].data
    assert recall(index.search(query, 10, range_set := set(range(1, 700))), plain(rows, query, 10, range_set)) == 1
    index.drop(range(1, 7))
    assert all(doc > 6 for doc, _ in index.search(query, 50).hits)


def test_document_numbers_may_be_sparse() -> None:
    rows = [Row(doc * 1_000_000, 0, half(vector)) for doc, vector in enumerate(clustered(3_000), 1)]
    index = filled(rows, exact_rows=500)
    allowed = set(range(1_000_000, 2_001_000_000, 1_000_000))
    assert recall(index.search(rows[9].data, 10, allowed), plain(rows, rows[9].data, 10, allowed)) == 1


class Stored:
    """Rows as a store would read them, and how many were asked for."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = {row.doc: row for row in rows}
        self.asked: list[int] = []

    def fetch(self, docs: Sequence[int]) -> list[Row]:
        self.asked.append(len(docs))
        return [self.rows[doc] for doc in docs if doc in self.rows]


def test_vectors_beyond_the_bound_are_read_from_the_store() -> None:
    rows = rows_of(clustered(8_000))
    stored = Stored(rows)
    index = VectorIndex(128, fetch=stored.fetch, exact_rows=500, memory_rows=1_000)
    for start in range(0, len(rows), 500):
        index.add(rows[start : start + 500])
    all_in_memory = filled(rows, exact_rows=500)
    assert index.size_bytes < all_in_memory.size_bytes / 2
    for place in (3, 4_000, 7_999):
        found, expected = index.search(rows[place].data, 10), plain(rows, rows[place].data, 10)
        assert found.hits[0][0] == place + 1
        assert recall(found, expected) >= 0.9
    assert 0 < max(stored.asked) <= 1_024
    gone = stored.rows.pop(4)
    assert all(doc != gone.doc for doc, _ in index.search(gone.data, 10).hits)
    index.drop([5])
    assert all(doc != 5 for doc, _ in index.search(rows[4].data, 10).hits)
    assert recall(index.search(rows[3].data, 5, {1, 2, 3, 7_000}), plain(rows, rows[3].data, 5, {1, 2, 3, 7_000})) == 1


def test_signs_follow_the_mean() -> None:
    first, other = clustered(3_000, seed=1), clustered(6_000, seed=2)
    rows = [*rows_of(first), *rows_of(other, 3_001)]
    index = VectorIndex(128, exact_rows=500)
    index.add(rows[:3_000])
    center = index._center.copy()
    index.add(rows[3_000:])
    assert float(np.linalg.norm(index._center - center)) > 0.1
    assert not index.needs_recoding
    queries = [row.data for row in rows[::500]]
    assert np.mean([recall(index.search(query, 10), plain(rows, query, 10)) for query in queries]) >= 0.99


def test_where_vectors_must_be_read_signs_are_made_anew_on_request() -> None:
    rows = [*rows_of(clustered(2_000, seed=1)), *rows_of(clustered(6_000, seed=2), 2_001)]
    stored = Stored(rows)
    index = VectorIndex(128, fetch=stored.fetch, exact_rows=500, memory_rows=1_000)
    for start in range(0, len(rows), 1_000):
        index.add(rows[start : start + 1_000])
    assert index.needs_recoding and not stored.asked
    index.recode()
    assert not index.needs_recoding and sum(stored.asked) == 7_000
    queries = [row.data for row in rows[::400]]
    assert np.mean([recall(index.search(query, 10), plain(rows, query, 10)) for query in queries]) >= 0.97


def test_dropped_rows_give_their_memory_back() -> None:
    index = filled(rows_of(clustered(6_000)), exact_rows=500)
    before = index.size_bytes
    index.drop(range(1, 5_001))
    assert len(index) == 1_000
    assert index.size_bytes < before / 3
    assert all(doc > 5_000 for doc, _ in index.search(half(clustered(1)[0]), 2_000).hits)


@pytest.mark.parametrize("data", [b"", b"\0" * 15, struct.pack("<8e", *[float("nan")] * 8), struct.pack("<8e", *[float("inf")] * 8)])
def test_a_bad_vector_is_refused_and_nothing_is_added(data: bytes) -> None:
    index = filled([Row(1, 0, half(np.ones(8)))], 8)
    with pytest.raises(ValueError, match="document 3"):
        index.add([Row(2, 0, half(np.ones(8))), Row(3, 0, data)])
    assert (len(index), index.newest_doc) == (1, 1)


def test_a_query_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"4 numbers.*8"):
        VectorIndex(8).search(half(np.ones(4)), 1)


def test_one_may_search_while_another_adds() -> None:
    rows = rows_of(clustered(6_000))
    index = filled(rows[:100], exact_rows=500)
    adding = Thread(target=lambda: [index.add(rows[start : start + 100]) for start in range(100, len(rows), 100)])
    adding.start()
    while adding.is_alive():
        assert index.search(rows[7].data, 3).hits[0][0] == 8
    adding.join()
    assert len(index) == 6_000


@given(st.lists(st.floats(width=16, allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
def test_widening_is_exact(values: list[float]) -> None:
    halves = np.array([values], np.float16)
    assert (widened(halves) == halves.astype(np.float32)).all()


@pytest.mark.parametrize("dimension", [1, 63, 64, 100, 512])
def test_distances_count_the_signs_that_differ(dimension: int) -> None:
    vectors = np.random.default_rng(dimension).standard_normal((70, dimension)).astype(np.float32)
    codes = SignCodes(dimension)
    codes.append(vectors[:30])
    codes.append(vectors[30:])
    expected = ((vectors > 0) != (vectors[3] > 0)).sum(axis=1)
    assert codes.distances(vectors[3], np.arange(70)).tolist() == expected.tolist()
    assert codes.distances(vectors[3], np.array([2, 5])).tolist() == expected[[2, 5]].tolist()
    assert codes.bound(1.0) == 0 <= codes.bound(0.9) <= codes.bound(0.1)


def test_the_bound_holds_for_nearly_all_rows() -> None:
    rng = np.random.default_rng(0)
    asked = rng.standard_normal(512)
    vectors = unit(asked + rng.standard_normal((4_000, 512))).astype(np.float32)
    cosines = vectors @ (asked / np.linalg.norm(asked))
    codes = SignCodes(512)
    codes.append(vectors)
    distances = codes.distances(asked.astype(np.float32), np.arange(4_000))
    assert np.mean([distance <= codes.bound(float(cosine)) for distance, cosine in zip(distances, cosines, strict=True)]) > 0.99
