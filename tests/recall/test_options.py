"""Lists in a text, and the item of a number."""

from __future__ import annotations

import pytest

from trimtab.recall.options import MAX_ITEM_CHARS, item_at, lists_of


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("We could:\n1. A pond\n2. **A hedge** - green\n3. A gazebo", ["A pond", "A hedge - green", "A gazebo"]),
        ("1. Pond\n- deep\n- cold\n2. Hedge", ["Pond", "Hedge"]),
        ("- A pond\n  - small\n- A hedge", ["A pond", "A hedge"]),
        ("**Option A: Pond**\nSmall.\n\n**Option B: Hedge**", ["Pond", "Hedge"]),
        ("### Option 1: Pond\ntext\n### Option 2: Hedge", ["Pond", "Hedge"]),
        ("Option A is a pond; option B is a hedge.", ["a pond", "a hedge"]),
        ("You could take 1) a pond, 2) a hedge or 3) a gazebo.", ["a pond", "a hedge", "a gazebo"]),
        ("(A) a pond, (B) a hedge", ["a pond", "a hedge"]),
        ("First, dig a pond; second, plant a hedge.", ["dig a pond", "plant a hedge"]),
        ("The first option is a pond. The second option is a hedge.", ["a pond", "a hedge"]),
        ("方案一：池塘\n方案二：树篱", ["池塘", "树篱"]),
        ("方案一是池塘\n方案二是树篱", ["池塘", "树篱"]),
        ("方案一是池塘，方案二是树篱。", ["池塘", "树篱"]),
        ("第一种是池塘，第二种是树篱。", ["池塘", "树篱"]),
        ("一、池塘\n二、树篱", ["池塘", "树篱"]),
    ],
)
def test_the_items_of_a_list(text: str, items: list[str]) -> None:
    assert [item_at(text, at) for at in range(1, len(items) + 1)] == items
    assert item_at(text, -1) == items[-1]
    assert item_at(text, len(items) + 1) == ""


def test_of_several_lists_the_first_that_is_long_enough() -> None:
    text = "Options:\n1. Pond\n2. Hedge\n\nNext steps:\n1. Measure\n2. Order\n3. Dig\n\n- one\n- two\n- three\n- four"
    assert (item_at(text, 2), item_at(text, 3), item_at(text, 4)) == ("Hedge", "Dig", "four")


@pytest.mark.parametrize(
    "text", ["", "It costs 3.5 euros. The first is fine.", "1. alone", "- alone", "A pond is nice.", "2. no first\n3. x"]
)
def test_what_is_no_list(text: str) -> None:
    assert item_at(text, 1) == item_at(text, -1) == item_at(text, 2) == ""


def test_a_long_item_is_cut_and_zero_is_no_number() -> None:
    text = "1. " + "pond " * 200 + "\n2. hedge"
    assert len(item_at(text, 1)) == MAX_ITEM_CHARS
    assert item_at(text, 0) == ""
    assert lists_of(text)[0][1] == "hedge"
