"""How extracted items are counted against labels."""

from __future__ import annotations

import pytest

from trimtab.core.summary import Field, ItemChanges, SummaryItem
from trimtab.evals.extraction.score import Row, meets, rows, score_turn
from trimtab.evals.extraction.turns import Earlier, Label, LabelField, Turn


def turn(*labels: tuple[LabelField, str], supersedes: tuple[str, ...] = ()) -> Turn:
    before = (Earlier("a1", "decision", "Two nights."),) if supersedes else ()
    return Turn("t1", "travel", "terse", "user", "-", tuple(Label(*label) for label in labels), before, supersedes)


def changes(*items: tuple[Field, str], superseded: tuple[str, ...] = ()) -> ItemChanges:
    added = [SummaryItem(f"i1.{n}", field, text, (1,)) for n, (field, text) in enumerate(items)]
    if superseded:
        added[0] = SummaryItem("i1.0", added[0].field, added[0].text, (1,), "active", superseded[0])
    return ItemChanges(tuple(added), superseded)


def counts(turn: Turn, found: ItemChanges, what: str) -> tuple[int, int, int, int]:
    (row,) = [row for row in score_turn(turn, found) if row.what == what]
    return row.wanted, row.found, row.predicted, row.right


@pytest.mark.parametrize(
    ("label", "item", "met"),
    [
        ("never fly", "I said never fly.", True),
        ("never  fly", "never\nfly", True),
        ("0123456789", "012345", True),
        ("0123456789", "01234", False),
        ("never fly", "always fly", False),
    ],
)
def test_a_label_stands_in_the_item_or_most_of_it_is_the_item(label: str, item: str, met: bool) -> None:
    assert meets(label, item) is met


def test_a_rule_under_another_rule_field_is_found_in_total_only() -> None:
    labeled, found = turn(("constraint", "Euros only")), changes(("format", "Euros only."))
    assert counts(labeled, found, "rules") == (1, 1, 1, 1)
    assert counts(labeled, found, "constraint") == (1, 0, 0, 0)
    assert counts(labeled, found, "format") == (0, 0, 1, 0)


def test_a_decision_is_no_rule_and_a_rule_no_decision() -> None:
    labeled = turn(("negative", "No red"), ("decision", "Let's take blue"))
    found = changes(("decision", "No red."), ("constraint", "Let's take blue."))
    assert counts(labeled, found, "rules") == (1, 0, 1, 0)
    assert counts(labeled, found, "decisions") == (1, 0, 1, 0)


def test_one_sentence_may_meet_two_labels_and_counts_once_as_right() -> None:
    labeled, found = turn(("constraint", "Use tabs"), ("negative", "never spaces")), changes(("negative", "Use tabs, never spaces."))
    assert counts(labeled, found, "rules") == (2, 2, 1, 1)


def test_a_reversal_is_found_as_a_decision_or_as_a_rule_that_supersedes() -> None:
    labeled = turn(("reversal", "make it three"), supersedes=("a1",))
    assert counts(labeled, changes(("decision", "make it three")), "decisions") == (1, 1, 1, 1)
    assert counts(labeled, changes(("constraint", "make it three"), superseded=("a1",)), "decisions") == (1, 1, 0, 0)
    assert counts(labeled, changes(("constraint", "make it three")), "decisions") == (1, 0, 0, 0)


def test_superseded_ids_are_compared() -> None:
    labeled = turn(("reversal", "make it three"), supersedes=("a1",))
    assert counts(labeled, changes(("decision", "make it three"), superseded=("a1",)), "superseded") == (1, 1, 1, 1)
    assert counts(labeled, changes(("decision", "make it three"), superseded=("a9",)), "superseded") == (1, 0, 1, 0)


def test_a_value_is_found_in_any_item_by_its_exact_string() -> None:
    labeled = turn(("identifier", "CT-88"), ("number", "4,200 USD"), ("date", "3 May"))
    found = changes(("fact", "Order CT-88."), ("constraint", "Spend 4,200 USD."), ("fact", "On May 3."))
    assert [counts(labeled, found, what)[:2] for what in ("identifier", "number", "date")] == [(1, 1), (1, 1), (1, 0)]


def test_sums_have_shares_only_where_there_is_something_to_share() -> None:
    of_turns = [
        score_turn(turn(("role", "You are a clerk")), changes(("role", "You are a clerk."))),
        score_turn(turn(("role", "Be my guide")), changes(("constraint", "It rains."))),
    ]
    summed = {row.what: row for row in rows(of_turns)}
    assert (summed["rules"].recall, summed["rules"].precision) == (0.5, 0.5)
    assert summed["todo"].recall is None and summed["todo"].precision is None
    assert summed["rules"].goals == (0.95, 0.90) and summed["role"].goals == (None, None)
    assert rows([]) == [Row(row.what) for row in rows([])]
