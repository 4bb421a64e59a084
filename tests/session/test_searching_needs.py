"""A search for a need: its time bounds, its entities and kind rank, its roles only wish."""

from __future__ import annotations

import pytest

from trimtab.recall.needs import Need
from trimtab.recall.tags import tags_of
from trimtab.recall.words import terms
from trimtab.session.searching import Searcher
from trimtab.stores import Batch, Filter, LaneKey, Scope, SqliteStore, Turn

SCOPE = Scope("t", "p")
TEXTS = (
    "The gym account is charged on the 3rd of every month.",
    "The gym account costs 49 euros a month.",
    "Payouts to Visa from the gym account are free.",
    "Payouts to Mastercard from the gym account are free.",
    "We decided to keep the gym account.",
    "The gym account accepts Visa and Mastercard.",
)


@pytest.fixture
def searcher() -> Searcher:
    store = SqliteStore(":memory:")
    rows = []
    for at, text in enumerate(TEXTS, 1):
        words = terms(text)
        rows.append(Turn(at, at, at, at * 1_000, "user", " ".join(words), tags_of(text, words)))
    store.commit(LaneKey("t", "p", "s"), Batch(turns=rows), 0)
    return Searcher(store)


def found(searcher: Searcher, need: str | Need, where: Filter | None = None) -> list[str]:
    result = searcher.search(SCOPE, need, 6, where or Filter())
    return [TEXTS[match.turn.turn_id - 1] for match in result.matches]


def test_the_kind_of_a_need_ranks(searcher: Searcher) -> None:
    assert found(searcher, Need("gym account", kind="how_much"))[0] == TEXTS[1]
    assert found(searcher, Need("gym account", kind="when"))[0] == TEXTS[0]
    assert found(searcher, Need("gym account", kind="decision"))[0] == TEXTS[4]


def test_an_entity_that_the_words_do_not_name_is_looked_for(searcher: Searcher) -> None:
    order = found(searcher, Need("free payouts", entities=("Mastercard",)))
    assert order[0] == TEXTS[3]
    assert order.index(TEXTS[3]) < order.index(TEXTS[2])
    assert found(searcher, Need(entities=("Visa",)))[0] in (TEXTS[2], TEXTS[5])


def test_time_bounds_and_narrows_the_filter(searcher: Searcher) -> None:
    assert found(searcher, Need("gym account", time_range=(4_000, 6_000))) == found(
        searcher, "gym account", Filter(since_ms=4_000, until_ms=6_000)
    )
    assert set(found(searcher, Need("gym account", time_range=(4_000, 6_000)))) == set(TEXTS[3:5])
    narrowed = found(searcher, Need("gym account", time_range=(2_000, 0)), Filter(since_ms=1_000, until_ms=4_000))
    assert set(narrowed) == set(TEXTS[1:3])


def test_roles_are_a_wish(searcher: Searcher) -> None:
    assert set(found(searcher, Need("gym account", roles=("assistant",)))) == set(found(searcher, "gym account"))


def test_nothing_to_look_for_finds_nothing(searcher: Searcher) -> None:
    assert not searcher.search(SCOPE, Need(time_range=(1, 2)), 5).matches
    assert not searcher.search(SCOPE, "  ", 5).matches
