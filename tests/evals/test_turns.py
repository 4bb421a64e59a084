"""The labelled turns are whole: every label stands in its turn, every superseded id was active before."""

from __future__ import annotations

import pytest

from trimtab.evals.extraction import HALVES, LANGUAGES, Half, Language, changes_of, rows, score_turn, turns

FEWEST_TURNS = 170


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_stand_in_their_turns(half: Half, language: Language) -> None:
    read = list(turns(half, language))
    assert len(read) >= FEWEST_TURNS and len({turn.id for turn in read}) == len(read)
    # by id alone: the blind half must not be printed
    assert [turn.id for turn in read if any(label.text not in turn.text for label in turn.labels)] == []
    assert [turn.id for turn in read if not set(turn.supersedes) <= {item.id for item in turn.before}] == []


# measured floors of the half that the rules were written on, a little below what is reached
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("what", "recall", "precision"),
    [("rules", 0.88, 0.93), ("identifier", 0.97, None), ("number", 0.97, None), ("date", 0.97, None)],
)
def test_the_rules_half_stays_read(language: Language, what: str, recall: float, precision: float | None) -> None:
    (row,) = [row for row in rows(score_turn(turn, changes_of(turn)) for turn in turns("rules", language)) if row.what == what]
    assert row.recall is not None and row.recall >= recall
    assert precision is None or (row.precision is not None and row.precision >= precision)
