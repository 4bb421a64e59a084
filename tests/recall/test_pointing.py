"""What a question says beside asking and pointing."""

from __future__ import annotations

import pytest

from trimtab.recall.needs import Need
from trimtab.recall.needs_questions import read_question
from trimtab.recall.pointing import content_terms, points_at_item, points_at_newest
from trimtab.recall.stems import stem

NOW_MS = 1_773_000_000_000


@pytest.mark.parametrize(
    "question",
    [
        "What was the second option you gave?",
        "What did we discuss just now?",
        "刚才说的是什么？",
        "我们刚才说了什么？",
        "你给的第二个方案是什么",
    ],
)
def test_a_question_that_only_points(question: str) -> None:
    assert content_terms(question) == []


@pytest.mark.parametrize(
    ("question", "term"),
    [("the second option for the garden", "garden"), ("What did we say about the fee just now?", "fee"), ("刚才关于年费说了什么", "年费")],
)
def test_what_it_is_about_stays(question: str, term: str) -> None:
    assert (stem(term) if term.isascii() else term) in content_terms(question)


def test_what_points_where() -> None:
    just_now = read_question("What did we discuss just now?", NOW_MS)
    assert points_at_newest(just_now, just_now.words)
    about = read_question("What did we say about the fee just now?", NOW_MS)
    assert not points_at_newest(about, about.words)
    assert points_at_newest(Need(time_range=(1, 2)), "") and not points_at_newest(Need(words="x"), "x")
    assert points_at_item(read_question("What was the second option you gave?", NOW_MS))
    assert points_at_item(Need(words="x", ordinal=2)) and not points_at_item(Need(words="x"))
    assert not points_at_item(read_question("What was your second answer?", NOW_MS))
