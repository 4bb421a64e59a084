"""A long question is searched by its rarest terms, wherever in it they stand."""

from __future__ import annotations

import pytest

from trimtab.recall import ranking
from trimtab.recall.ranking_shape import StoreShape
from trimtab.recall.words import MAX_QUERY_TERMS
from trimtab.session.searching import Searcher
from trimtab.stores import Batch, LaneKey, Scope, SqliteStore, Turn

SCOPE = Scope("t", "p")
COMMON = [f"common{number:03}" for number in range(2 * MAX_QUERY_TERMS)]


@pytest.mark.parametrize("question", [["needl", *COMMON], [*COMMON, "needl"]])
def test_the_one_rare_term_of_a_long_question_is_looked_up(question: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(":memory:")
    turns = [COMMON[at : at + 40] for at in range(0, 80, 2)] * 2
    turns.insert(11, ["needl", "hay"])
    rows = [Turn(at, at, at, at * 1_000, "user", " ".join(words), {}) for at, words in enumerate(turns, 1)]
    store.commit(LaneKey("t", "p", "s"), Batch(turns=rows), 0)
    seen = []
    rank = ranking.rank

    def watched(asked: ranking.Question, found: list[ranking.Candidate], shape: StoreShape) -> list[ranking.Ranked]:
        seen.append(asked)
        return rank(asked, found, shape)

    monkeypatch.setattr(ranking, "rank", watched)
    Searcher(store).search(SCOPE, " ".join(question), 5)
    assert "needl" in seen[0].weights
    assert len(seen[0].weights) == MAX_QUERY_TERMS
