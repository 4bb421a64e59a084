"""Which sentence of a fragment disagrees with what was decided. The half `before` was written before the code existed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from trimtab.core.summary import Field, SummaryItem
from trimtab.distill.disagree import adopts, disagreements
from trimtab.distill.quantities import clashing, quantities

HERE = Path(__file__).parent
FIELDS: dict[str, Field] = {"d": "decision", "c": "constraint", "n": "negative", "q": "question", "f": "format"}
# share of what is found that is right, and of what is there that is found; `before` as it scored once, at the end
LEAST = {"with_en": (1.0, 0.95), "with_zh": (1.0, 0.95), "before_en": (1.0, 0.9), "before_zh": (1.0, 0.83)}


def item(text: str, field: Field = "decision", item_id: str = "i9.0") -> SummaryItem:
    return SummaryItem(item_id, field, text, (9,))


def rows(name: str) -> list[tuple[bool, SummaryItem, str]]:
    found = []
    for line in (HERE / f"disagree_{name}.txt").read_text("utf-8").splitlines():
        sign, rest = line.split(" ", 1)
        field, said, fragment = rest.split(" | ")
        found.append((sign == "+", item(said, FIELDS[field.strip()]), fragment))
    return found


@pytest.mark.parametrize("name", LEAST)
def test_the_table(name: str) -> None:
    table = rows(name)
    assert sum(good for good, _, _ in table) == 30
    assert sum(not good for good, _, _ in table) == 60
    right = wrong = 0
    for good, one, fragment in table:
        if disagreements(fragment, [one]):
            right, wrong = right + good, wrong + (not good)
    precision, recall = right / max(1, right + wrong), right / 30
    assert (precision, recall) >= LEAST[name], (precision, recall)
    assert recall >= LEAST[name][1], (precision, recall)


def test_the_sentence_comes_back_word_for_word() -> None:
    text = "# Policy\n\nWelcome.\n\n- The refund window is 14 days.\n- Keep the receipt."
    [found] = disagreements(text, [item("The refund window is 30 days.")])
    assert (found.item_id, found.sentence, found.kind) == ("i9.0", "The refund window is 14 days.", "value")


def test_one_conflict_an_item() -> None:
    text = "The refund window is 14 days. The refund window is 10 days. The deposit is 900 euros."
    found = disagreements(text, [item("The refund window is 30 days."), item("The deposit is 500 euros.", item_id="i10.0")])
    assert [row.item_id for row in found] == ["i9.0", "i10.0"]


@pytest.mark.parametrize("field", ["fact", "todo", "goal", "state", "preference"])
def test_only_rules_decisions_and_questions_are_compared(field: Field) -> None:
    assert disagreements("The refund window is 14 days.", [item("The refund window is 30 days.", field)]) == []


@pytest.mark.parametrize(
    ("left", "right", "is_clash"),
    [
        ("two weeks", "14 days", False),
        ("12 months", "one year", False),
        ("at least 12 characters", "16 characters", False),
        ("at least 12 characters", "8 characters", True),
        ("at most 300 words", "250 words", False),
        ("不超过300字", "800字", True),
        ("不超过300字", "250字", False),
        ("三天", "3天", False),
        ("一千二百元", "1200元", False),
        ("5 percent", "5%", False),
        ("5 percent", "8 %", True),
        ("$20", "20 dollars", False),
        ("seven years", "30 days", False),  # another thing is measured
        ("twenty one days", "21 days", False),
        ("9:30", "10:00", False),  # no quantities
    ],
)
def test_quantities(left: str, right: str, is_clash: bool) -> None:
    assert clashing(quantities(left), quantities(right)) is is_clash
    assert clashing(quantities(right), quantities(left)) is is_clash


def test_long_texts_are_bounded() -> None:
    items = [item(f"The price of part {number} is {number} euros.", item_id=f"i{number}.0") for number in range(400)]
    text = "The price of the part named alpha beta gamma is given in the list of parts. " * 5_000
    start = time.process_time()
    disagreements(text, items)
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        ("The refund window is 14 days.", True),
        ("Plan: tell the customer that the refund window is 14 days", True),
        ("The refund window is 30 days.", False),
        ("Open: is the refund window 14 days or 30 days?", False),
        ("The policy says 14 days, the user decided 30 days. Not settled.", False),
        ("The customer wrote on Monday.", False),
        ("", False),
    ],
)
def test_what_takes_the_side_of_a_fragment(text: str, is_taken: bool) -> None:
    assert adopts(text, item("The refund window is 30 days."), "The refund window is 14 days.") is is_taken
