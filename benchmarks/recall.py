"""What a search costs in stores of 1,000, 100,000 and 1,000,000 segments. Run it with `make recall`.

The whole search of the product is timed: words, vectors, the rows around the best, the ranking. Texts are words of a
Zipf-like vocabulary, vectors lie around random centers; the question's vector is made beforehand, so that the time of
an embedder is not in it.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from time import perf_counter

import msgspec
import numpy as np
from msgspec import Struct

from trimtab.evals.recall.measures import quantile
from trimtab.recall.vectors import VectorIndex
from trimtab.session.searching import Searcher
from trimtab.stores import Batch, LaneKey, Scope, SqliteStore, Turn, Vector

SIZES = (1_000, 100_000, 1_000_000)
SMALL, MIDDLE, REST = 1_000, 20_000, 10_000
VOCABULARY, MEAN_WORDS = 50_000, 30
CENTERS, DIMENSION, NOISE = 200, 512, 0.8
EMBEDDER = "benchmark/512"
QUERIES, WARM_UP, CHECKED = 100, 10, 20
LIMIT = 10
BATCH = 500
# p50 of a search in milliseconds, by the segments in its scope
GOALS = {1_000: 5.0, 100_000: 25.0, 1_000_000: 120.0}
EXACT_GOAL = 0.99

WORDS = [f"w{number:x}" for number in range(VOCABULARY)]
_ZIPF = list(accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))
_KINDS = ("gives_time", "gives_steps", "gives_amount", "done", "statement")


class Row(Struct, frozen=True):
    """Searches in one scope of one store.

    Attributes:
        p50, p95: milliseconds a search.
        first_s: seconds of the first one, which reads the vectors into memory.
        exact: share of the exact first ten that a search by words alone, or by vectors alone, finds; None where the
            exact ones would take too long to find.
    """

    segments: int
    scope: int
    vectors: bool
    p50: float
    p95: float
    first_s: float
    exact: float | None

    @property
    def goal(self) -> float:
        return next(goal for size, goal in GOALS.items() if self.scope <= size)


class Built(Struct, frozen=True):
    """A store; `adds`: turns a second, those of the small session added one by one. Zeros for one that was there already."""

    segments: int
    vectors: bool
    bytes_a_segment: float
    adds: float
    single_adds: float


class Fixed:
    """An embedder of prepared vectors."""

    embedder_id, dimension = EMBEDDER, DIMENSION

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._centers = unit(np.random.default_rng(1).standard_normal((CENTERS, DIMENSION)))

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        """Around centers that are drawn at random: the texts do not count."""
        chosen = self._rng.integers(0, CENTERS, len(texts))
        noise = self._rng.standard_normal((len(texts), DIMENSION)) / np.sqrt(DIMENSION)
        return [row.tobytes() for row in unit(self._centers[chosen] + NOISE * noise).astype("<f2")]


def unit(rows: np.ndarray) -> np.ndarray:
    found: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def key(name: str) -> LaneKey:
    return LaneKey("t", "p", name)


def turns(rng: random.Random, first: int, count: int) -> Iterator[Turn]:
    for number in range(first, first + count):
        words = rng.choices(WORDS, cum_weights=_ZIPF, k=max(4, int(rng.gauss(MEAN_WORDS, 10))))
        tags = {"entities": rng.choices(WORDS[100:], k=2), "intent": [rng.choice(_KINDS)], "topic": words[:3]}
        role = "user" if number % 2 else "assistant"
        yield Turn(number, number, number, 1_700_000_000_000 + number * 60_000, role, " ".join(words), tags, (number,))


def fill(store: SqliteStore, name: str, count: int, batch: int, embedder: Fixed | None) -> float:
    """Seconds it took, the making of the texts and vectors left out."""
    rng, spent = random.Random(name), 0.0
    for first in range(1, count + 1, batch):
        rows = list(turns(rng, first, min(batch, count + 1 - first)))
        made = embedder.embed([row.terms for row in rows]) if embedder else []
        vectors = [Vector(row.turn_id, 0, EMBEDDER, data) for row, data in zip(rows, made, strict=bool(made))]
        started = perf_counter()
        store.commit(key(name), Batch(turns=rows, vectors=vectors), 0)
        spent += perf_counter() - started
    return spent


def build(path: Path, segments: int, with_vectors: bool) -> Built:
    """One session of 1,000, one of 20,000 where there is room, the rest in sessions of 10,000."""
    embedder = Fixed(2) if with_vectors else None
    is_new = not path.exists()
    store = SqliteStore(str(path))
    adds = single_adds = 0.0
    if is_new:
        middle = min(MIDDLE, segments - SMALL)
        plan = [("middle", middle)] if middle else []
        plan += [(f"rest {first}", min(REST, segments - SMALL - first)) for first in range(middle, segments - SMALL, REST)]
        spent = sum(fill(store, name, count, BATCH, embedder) for name, count in plan)
        adds = (segments - SMALL) / spent if spent else 0.0
        single_adds = SMALL / fill(store, "small", SMALL, 1, embedder)
    size = store.size_bytes()
    store.close()
    return Built(segments, with_vectors, size / segments, adds, single_adds)


def question(rng: random.Random) -> str:
    """Half of them of words as common as in the texts, half of rarer ones."""
    count = rng.choice((3, 5, 8, 12))
    if rng.random() < 0.5:
        return " ".join(rng.choices(WORDS, cum_weights=_ZIPF, k=count))
    return " ".join(WORDS[int(np.exp(rng.uniform(np.log(5), np.log(VOCABULARY - 1))))] for _ in range(count))


def measure(path: Path, segments: int, with_vectors: bool) -> Iterator[Row]:
    scopes = {SMALL: Scope("t", "p", "small"), MIDDLE: Scope("t", "p", "middle"), segments: Scope("t", "p")}
    for size, scope in scopes.items():
        if size > segments or (size == SMALL == segments and scope.session_id == "small"):
            continue
        store = SqliteStore(str(path))
        searcher = Searcher(store, Fixed(3) if with_vectors else None)
        rng = random.Random(4)
        asked = [question(rng) for _ in range(WARM_UP + QUERIES)]
        times = []
        for text in asked:
            started = perf_counter()
            searcher.search(scope, text, LIMIT)
            times.append(perf_counter() - started)
        timed = [1_000 * each for each in times[WARM_UP:]]
        exact = vectors_exact(store, searcher, scope) if with_vectors else words_exact(store, scope, size, asked[:CHECKED])
        yield Row(segments, size, with_vectors, quantile(timed, 0.5), quantile(timed, 0.95), times[0], exact)
        searcher.close()
        store.close()


def words_exact(store: SqliteStore, scope: Scope, size: int, asked: Sequence[str]) -> float | None:
    """Share of the first ten by a BM25 that reads every turn that `Store.search` finds. By score, as ties may stand either way."""
    if size > 100_000:
        return None
    rows = store.newest(scope, size)
    texts = store.terms([row.doc for row in rows], scope)
    counts = [(row.length, texts[row.doc].split()) for row in rows]
    mean = sum(length for length, _ in counts) / len(counts)
    shares = []
    for text in asked:
        found = store.search(scope, text.split(), LIMIT)
        scores = np.zeros(len(counts))
        for term, weight in found.weights.items():
            for number, (length, words) in enumerate(counts):
                if term in words:
                    times = words.count(term)
                    scores[number] += weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))
        best = np.sort(scores)[-LIMIT:]
        least = best[best > 0].min(initial=np.inf)
        wanted = int((best > 0).sum())
        shares.append(sum(row.words >= least - 1e-6 for row in found.rows) / wanted if wanted else 1.0)
    return float(np.mean(shares))


def vectors_exact(store: SqliteStore, searcher: Searcher, scope: Scope) -> float:
    """Share of the exact nearest ten that the index finds."""
    index = searcher.index(scope)
    exact = VectorIndex(DIMENSION, exact_rows=len(index) + 1, memory_rows=len(index) + 1)
    exact.add(store.vectors(scope, EMBEDDER))
    shares = []
    for asked in Fixed(5).embed([""] * CHECKED):
        wanted = {doc for doc, _ in exact.search(asked, LIMIT).hits}
        shares.append(len(wanted & {doc for doc, _ in index.search(asked, LIMIT).hits}) / len(wanted))
    return float(np.mean(shares))


def table(built: Sequence[Built], rows: Sequence[Row]) -> list[str]:
    lines = ["| segments | searched | by | p50 ms | goal | p95 ms | first s | exact |", "| ---: | ---: | --- |" + " ---: |" * 5]
    for row in rows:
        by = "words, vectors" if row.vectors else "words"
        exact = "-" if row.exact is None else f"{row.exact:.3f}"
        mark = "" if row.p50 <= row.goal else " missed"
        cells = [f"{row.segments:,}", f"{row.scope:,}", by, f"{row.p50:.1f}{mark}", f"{row.goal:g}", f"{row.p95:.1f}", f"{row.first_s:.2f}"]
        lines.append(f"| {' | '.join([*cells, exact])} |")
    lines += ["", "| segments | with | bytes a segment | adds a second, by 500 | one by one |", "| ---: | --- |" + " ---: |" * 3]
    for each in built:
        what = "words, vectors" if each.vectors else "words"
        adds = [f"{value:,.0f}" if value else "-" for value in (each.adds, each.single_adds)]
        lines.append(f"| {each.segments:,} | {what} | {each.bytes_a_segment:,.0f} | {adds[0]} | {adds[1]} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--segments", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--vectors-upto", type=int, default=100_000, help="no vectors in larger stores: 1 GB a million")
    parser.add_argument("--folder", type=Path, help="keep the stores here, and use those that are here already")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        built: list[Built] = []
        rows: list[Row] = []
        for segments in options.segments:
            for with_vectors in (False, True):
                if with_vectors and segments > options.vectors_upto:
                    continue
                path = folder / f"{segments}{'-vectors' if with_vectors else ''}.db"
                built.append(build(path, segments, with_vectors))
                rows += measure(path, segments, with_vectors)
    if options.json:
        print(msgspec.json.format(msgspec.json.encode({"stores": built, "searches": rows}), indent=2).decode())
        return
    print("\n".join(table(built, rows)))
    print(f"\n{QUERIES} searches for the best {LIMIT} each, after {WARM_UP} others. Exact: goal {EXACT_GOAL}, over {CHECKED} searches.")


if __name__ == "__main__":
    main()
