"""What a search takes a store to be like: how far its talk hangs together does not depend on any one turn."""

from __future__ import annotations

import random

import pytest

from trimtab.recall import ranking
from trimtab.recall.ranking_shape import StoreShape
from trimtab.session.searching import Searcher
from trimtab.stores import Batch, LaneKey, Scope, SqliteStore, Turn

SCOPE = Scope("t", "p")
TALKS, TURNS = 12, 20
COMMON = [f"c{number}" for number in range(60)]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[StoreShape]:
    """The shapes that ranking was given."""
    shapes: list[StoreShape] = []
    rank = ranking.rank

    def watched(question: ranking.Question, turns: list[ranking.Candidate], shape: StoreShape) -> list[ranking.Ranked]:
        shapes.append(shape)
        return rank(question, turns, shape)

    monkeypatch.setattr(ranking, "rank", watched)
    return shapes


def talk(draw: random.Random, subject: int) -> list[list[str]]:
    """Turns of words that all talks have, and of some that only this one has."""
    own = [f"s{subject}w{number}" for number in range(12)]
    return [draw.sample(COMMON, 6) + draw.sample(own, 4) for _ in range(TURNS)]


def shape_of(talks: list[list[list[str]]], seen: list[StoreShape]) -> StoreShape:
    store, at = SqliteStore(":memory:"), 0
    for number, turns in enumerate(talks):
        rows = []
        for words in turns:
            at += 1
            rows.append(Turn(at, at, at, at * 1_000, "user", " ".join(words), {}))
        store.commit(LaneKey("t", "p", f"s{number:02}"), Batch(turns=rows), 0)
    Searcher(store).search(SCOPE, "c0 c1", 5)
    return seen[-1]


@pytest.mark.parametrize("loud", range(2 * TURNS))
def test_one_turn_that_has_everything_does_not_hide_that_talk_hangs_together(loud: int, seen: list[StoreShape]) -> None:
    draw = random.Random(5)
    talks = [talk(draw, subject) for subject in range(TALKS)]
    without = shape_of(talks, seen)
    assert without.coherence == 1.0
    talks[loud // TURNS][loud % TURNS] = COMMON + [f"s{subject}w{number}" for subject in range(TALKS) for number in range(12)]
    shape = shape_of(talks, seen)
    assert shape.coherence == 1.0
    assert shape.distant_overlap == pytest.approx(without.distant_overlap, abs=0.03)


def test_turns_in_no_order_do_not_hang_together(seen: list[StoreShape]) -> None:
    draw = random.Random(7)
    turns = [words for subject in range(TALKS) for words in talk(draw, subject)]
    draw.shuffle(turns)
    shuffled = [turns[first : first + TURNS] for first in range(0, len(turns), TURNS)]
    assert shape_of(shuffled, seen).coherence < 0.4
