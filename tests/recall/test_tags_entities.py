import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.recall.tags_entities import VARIANT, entity_keys, filter_values, mentioned, shared


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Visa", "ＶＩＳＡ"),
        ("Visa cards", "visa card"),
        ("$1,200.50", "1200.5 dollars"),
        ("3.5万元", "¥35,000"),
        ("15%", "15 %"),
        ("2026-03-05", "March 5, 2026"),
        ("2026年3月5日", "5 March 2026"),
        ("三月五号", "March 5"),
        ("Bob's", "bob"),
        ("16 GB", "16GB"),
        ("Policies", "policy"),
    ],
)
def test_the_same_thing_written_otherwise(one: str, other: str) -> None:
    assert entity_keys(one)[0] == entity_keys(other)[0]
    assert shared([one], [other]) == 1.0


@pytest.mark.parametrize(
    ("wanted", "entity"),
    [
        ("visa", "Visa cards"),
        ("Alice", "Alice Johnson"),
        ("March 5", "2026-03-05"),
        ("CT88213", "CT-88213"),
        ("招商", "招商银行卡"),
        ("Acme", "Acme Corp"),
    ],
)
def test_a_shorter_name_counts_less(wanted: str, entity: str) -> None:
    assert shared([wanted], [entity]) == VARIANT


@pytest.mark.parametrize(
    ("one", "other"),
    [("$12", "€12"), ("March 5", "May 3"), ("CT-1", "CT-2"), ("Alice Johnson", "Bob Johansson"), ("15%", "15 kg"), ("", "x")],
)
def test_different_things(one: str, other: str) -> None:
    assert shared([one], [other]) == 0.0


def test_share_of_what_is_wanted() -> None:
    assert shared(["Visa", "Oslo"], ["VISA", "Rome"]) == 0.5
    assert shared([], ["Visa"]) == 0.0


def test_a_question_names_entities_in_any_writing() -> None:
    known = ["Visa cards", "Alice Johnson", "招商银行", "CT-88213"]
    assert mentioned("which visa card did alice bind", known) == ["Visa cards", "Alice Johnson"]
    assert mentioned("招商银行的卡", known) == ["招商银行"]
    assert mentioned("what about ct-88213", known) == ["CT-88213"]
    assert mentioned("visage", known) == []


def test_filter_values_find_what_stores_hold_case_folded() -> None:
    assert "visa cards" in filter_values("Visa cards") and "visa" in filter_values("Visa cards")


@given(st.text(max_size=80))
def test_keys_are_stable(entity: str) -> None:
    keys = entity_keys(entity)
    assert len(set(keys)) == len(keys)
    assert all(keys)
    if keys:
        assert shared([entity], [entity]) == 1.0
