import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.recall.tags import MAX_ENTITIES, TAGGED_CHARS, entities, intents, tags_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask Alice Johnson about order CT-88213.", ["Alice Johnson", "CT-88213"]),
        ("The Acme Corp team and Bob's plan", ["Acme Corp", "Bob"]),
        ("Mail bob.lee@acme.co.uk or see https://x.io/a?b=1.", ["bob.lee@acme.co.uk", "https://x.io/a?b=1"]),
        ("open src/app/ids.py, then ./run.sh and notes.md", ["src/app/ids.py", "./run.sh", "notes.md"]),
        ("due 2026-03-05, not March 5, 2027", ["2026-03-05", "March 5, 2027"]),
        ("it is $1,200.50 or 15% of 3 million", ["$1,200.50", "15%"]),
        ("call getUserName in my_module", ["getUserName", "my_module"]),
        ("订单CT-88213，2026年3月5日前发货，预算3.5万元", ["CT-88213", "2026年3月5日", "3.5万元"]),
        ("参考《采购手册》和“退款规则”", ["采购手册", "退款规则"]),
        ("Nothing is named here. Still nothing. What now?", []),
        ("CT-1 and ct-1 are one", ["CT-1"]),
    ],
)
def test_entities(text: str, expected: list[str]) -> None:
    assert entities(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the weather", ["question"]),
        ("Is it done?", ["question"]),
        ("Please fix the build.", ["request"]),
        ("Could you add a test?", ["question", "request"]),
        ("Rename the column.", ["request"]),
        ("We decided to go with PostgreSQL.", ["decision"]),
        ("The build is green.", ["statement"]),
        ("", ["statement"]),
        ("这个怎么做", ["question"]),
        ("可以吗？", ["question"]),
        ("请帮我改一下", ["request"]),
        ("就用方案B", ["decision"]),
        ("天气不错", ["statement"]),
    ],
)
def test_intents(text: str, expected: list[str]) -> None:
    assert intents(text) == expected


def test_topics_are_what_is_said_most() -> None:
    tags = tags_of("The migration of the billing database is late. Database migration needs billing, ID-7.")
    assert tags["topic"] == ["migration", "databas", "bill"]
    assert tags_of("退款规则要改，退款的流程和退款的时限")["topic"][0] == "退款"


def test_a_kind_without_a_value_is_left_out() -> None:
    assert tags_of("") == {"intent": ["statement"]}


def test_entities_are_limited() -> None:
    assert len(entities(" ".join(f"ID-{number}" for number in range(100)))) == MAX_ENTITIES


@given(st.text())
def test_tags_are_texts_of_known_kinds(text: str) -> None:
    tags = tags_of(text)
    assert set(tags) <= {"entities", "intent", "topic"}
    assert all(value and value == value.strip() for values in tags.values() for value in values)


@pytest.mark.parametrize(
    "piece", ["a", "A", "a.", "a/", "Aa ", "1,", "a-", "a@", "《", "what ", "_", "a_", "aA", "\n", ". ", " ", "1 ", "“", "5月", "\n \n"]
)
def test_time_is_bounded_whatever_the_text_holds(piece: str) -> None:
    text = piece * (2 * TAGGED_CHARS // len(piece))
    before = time.process_time()
    tags_of(text, ())
    # a pattern that backtracks over all of it takes minutes; a hundredth of a second is usual
    assert time.process_time() - before < 20
