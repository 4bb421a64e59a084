"""The ranking is exact: what the lists leave unread never changes it. Compared with a scan that scores every turn."""

import random
from collections.abc import Callable, Iterator, Sequence
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.stores import Batch, Filter, LaneKey, Scope, SqliteStore, Turn, open_store
from trimtab.stores import search as search_module
from trimtab.testing.store_conformance import LANE, OTHERS, turn
from trimtab.testing.store_rows import vector

PROJECT = Scope(LANE.tenant_id, LANE.project_id)
KEYS = (LANE, OTHERS[2], OTHERS[3])
VOCABULARY = [f"w{number}" for number in range(400)]
FREQUENCIES = [1 / (number + 1) for number in range(400)]


def scan(texts: Sequence[tuple[LaneKey, int, list[str]]], asked: Sequence[str]) -> dict[tuple[LaneKey, int], float]:
    """BM25 of every turn that shares a word, by lane and turn."""
    mean = sum(len(words) for _, _, words in texts) / len(texts)
    scores: dict[tuple[LaneKey, int], float] = {}
    for term in set(asked):
        having = [(key, number, words) for key, number, words in texts if term in words]
        idf = log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
        for key, number, words in having:
            times = words.count(term)
            part = idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(words) / mean))
            scores[key, number] = scores.get((key, number), 0.0) + part
    return scores


def texts_of(seed: int, count: int) -> list[tuple[LaneKey, int, list[str]]]:
    """Turns with words as frequent as in speech; some repeat a word often, a few are longer than a row's number can say."""
    rng = random.Random(seed)
    texts = []
    for number in range(1, count + 1):
        length = rng.choice([3, 10, 30, 30, 30, 200, 1_023, 1_100] if number % 25 == 0 else [3, 10, 30])
        words = rng.choices(VOCABULARY, FREQUENCIES, k=length)
        words += [rng.choice(VOCABULARY)] * rng.choice([0, 0, 0, 1, 2, 4, 9])
        texts.append((KEYS[number % 3], number, words))
    return texts


@pytest.fixture(params=[1, 2_000], ids=["counted first", "read at once"])
def most_read(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(search_module, "_READ_ROWS", request.param)
    yield


def filled(texts: Sequence[tuple[LaneKey, int, list[str]]]) -> SqliteStore:
    store = SqliteStore(":memory:")
    for key in KEYS:
        rows = [
            Turn(number, number, number, number, "user" if number % 2 else "assistant", " ".join(words))
            for at, number, words in texts
            if at == key
        ]
        store.commit(key, Batch(turns=rows), 0)
    return store


@pytest.mark.usefixtures("most_read")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("limit", [1, 10, 60])
def test_the_best_are_those_of_a_scan(seed: int, limit: int) -> None:
    texts = texts_of(seed, 900)
    store = filled(texts)
    rng = random.Random(seed)
    for _ in range(25):
        asked = rng.choices(VOCABULARY, FREQUENCIES, k=rng.choice([1, 3, 8, 12]))
        scores = scan(texts, asked)
        for where, passes in FILTERS:
            wanted = sorted((score for (_, number), score in scores.items() if passes(number)), reverse=True)[:limit]
            found = store.search(PROJECT, asked, limit, where)
            assert [row.words for row in found.rows] == pytest.approx(wanted, rel=1e-9)
            assert all(scores[row.key, row.turn_id] == pytest.approx(row.words, rel=1e-9) for row in found.rows)
            assert all(passes(row.turn_id) for row in found.rows)
            assert not wanted or found.ceiling >= max(scores.values())
    store.close()


FILTERS: list[tuple[Filter, Callable[[int], bool]]] = [
    (Filter(), lambda number: True),
    (Filter(roles=("user",)), lambda number: number % 2 == 1),
    (Filter(since_ms=100, until_ms=250), lambda number: 100 <= number < 250),
    (Filter(before_seq=300), lambda number: number < 300),
    (Filter(before_seq=20, roles=("assistant",)), lambda number: number < 20 and number % 2 == 0),
]


def test_a_wide_time_is_asked_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "_MOST_TIMED", 10)
    texts = texts_of(5, 300)
    store = filled(texts)
    found = store.search(PROJECT, VOCABULARY[:6], 300, Filter(since_ms=50, until_ms=290))
    assert {row.turn_id for row in found.rows} == {number for key, number in scan(texts, VOCABULARY[:6]) if 50 <= number < 290}
    store.close()


def test_of_equal_turns_the_newer_come_and_few_are_looked_up() -> None:
    store = SqliteStore(":memory:")
    store.commit(LANE, Batch(turns=[turn(number, "same words here") for number in range(1, 3_000)]), 0)
    assert [row.turn_id for row in store.search(PROJECT, ["same", "words"], 5).rows] == [2_999, 2_998, 2_997, 2_996, 2_995]
    store.close()


def test_counts_of_long_lists_follow_what_is_added_and_dropped() -> None:
    store, again = SqliteStore(":memory:"), SqliteStore(":memory:")
    rows = [turn(number, "long list" if number % 2 else "long other") for number in range(1, 5_000)]
    for first in range(0, len(rows), 700):
        store.commit(LANE, Batch(turns=rows[first : first + 700]), 0)
        store.commit(OTHERS[2], Batch(turns=rows[first : first + 300]), 0)
        store.search(PROJECT, ["long", "list"], 5)  # counts, and remembers
    for key in (LANE, OTHERS[2]):
        again.commit(key, Batch(turns=store.turns(key, range(1, 5_000))), 0)
    assert scores(store) == scores(again)
    for each in (store, again):
        each.commit(LANE, Batch(dropped_turns=range(1, 1_000)), 0)
    assert scores(store) == scores(again)
    for each in (store, again):
        each.set_private(OTHERS[2], True)
    assert scores(store) == scores(again)
    store.close()
    again.close()


def scores(store: SqliteStore) -> list[float]:
    return [row.words for row in store.search(PROJECT, ["long", "list", "other"], 20).rows]


WORDS = st.sampled_from(["red", "green", "看板", "ct-1"])


@given(
    st.lists(
        st.tuples(st.sampled_from(KEYS), st.sampled_from(["put", "drop", "embed"]), st.integers(1, 4), st.lists(WORDS, max_size=6)),
        max_size=14,
    )
)
def test_nothing_is_lost_doubled_or_left_behind(steps: list[tuple[LaneKey, str, int, list[str]]]) -> None:
    store = open_store(":memory:")
    there: dict[tuple[LaneKey, int], list[str]] = {}
    embedded: set[tuple[LaneKey, int]] = set()
    for key, step, number, words in steps:
        if step == "put":
            store.commit(key, Batch(turns=[turn(number, " ".join(words))]), 0)
            there[key, number] = words
            embedded.discard((key, number))
        elif step == "drop":
            store.commit(key, Batch(dropped_turns=[number]), 0)
            there.pop((key, number), None)
            embedded.discard((key, number))
        else:
            store.commit(key, Batch(vectors=[vector(number, 0), vector(number, 1)]), 0)
            embedded |= {(key, number)} & set(there)
    texts = [(key, number, words) for (key, number), words in there.items()]
    for asked in (["red"], ["green", "看板", "ct-1"]):
        found = {(row.key, row.turn_id): row.words for row in store.search(PROJECT, asked, 99).rows}
        assert found == pytest.approx(scan(texts, asked) if any(words for _, _, words in texts) else {})
    assert len(list(store.vectors(PROJECT, "e"))) == 2 * len(embedded)
    assert {(key, row.turn_id) for key, row in store.unembedded(PROJECT, "e", 99)} == set(there) - embedded
    assert isinstance(store, SqliteStore)
    with store._writer.reading() as db:
        counted = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("turns", "vectors")]
        db.execute("CREATE VIRTUAL TABLE listed USING fts5vocab ('words', 'row')")
        listed = db.execute("SELECT coalesce(sum(doc), 0) FROM listed").fetchone()[0]
    assert counted == [len(there), 2 * len(embedded)]
    # besides its words: role, kind, and the two tags of `turn`
    assert listed == sum(len(set(words)) + 4 for words in there.values())
    store.close()
