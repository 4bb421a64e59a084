"""Calls compare as what they are: the order of keys, ids of requests and times say nothing, other arguments and results do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.drift import Act
from trimtab.steer.acts import CallSeen, acts_of, is_writing
from trimtab.steer.canonical import MOST_WORDS, canonical, result_digest, shingles, words_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def turned(value: Any) -> Any:
    """The same value, the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: turned(inner) for key, inner in reversed(value.items())}
    return [turned(inner) for inner in value] if isinstance(value, list) else value


def acted(*calls: CallSeen, earlier: tuple[str, ...] = ()) -> tuple[Act, ...]:
    return acts_of(4, "", calls, round=2, at_ms=9, step="fetch", earlier=[shingles(text) for text in earlier])


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=5))
def test_the_order_of_keys_and_white_space_do_not_matter(arguments: dict[str, Any]) -> None:
    said = canonical("search", json.dumps(arguments))
    assert said == canonical("search", json.dumps(turned(arguments), indent=3, ensure_ascii=False))
    assert len(said.words) <= MOST_WORDS and list(said.words) == sorted(set(said.words))


@given(st.text(max_size=200), st.text(max_size=200), st.booleans())
def test_whatever_comes_the_same_gives_the_same_acts(arguments: str, result: str, failed: bool) -> None:
    call = CallSeen("run", arguments, result, 5, failed)
    first, second = acted(call, earlier=("a b c d e",)), acted(call, earlier=("a b c d e",))
    assert first == second and len(first) == 1
    assert 0 <= first[0].fresh <= 1 and bool(first[0].error) >= failed


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"q": "leads", "request_id": 1}, {"request_id": 2, "q": "leads"}, True),
        ({"q": "leads"}, {"q": "orders"}, False),
        ({"id": "2c3e14ea-2d00-7aa0-ebb7-3e14ff8ff962"}, {"id": "044fd392-98bc-4aa0-ebb7-3e14ff8ff962"}, True),
        ({"ref": "2c3e14ea-2d00-7aa0-ebb7-3e14ff8ff962"}, {"ref": "044fd392-98bc-4aa0-ebb7-3e14ff8ff962"}, False),
        ({"day": "2026-01-01"}, {"day": "2026-01-02"}, False),
        ({"asked": "2026-01-01T10:00:00Z"}, {"asked": "2026-01-01T10:00:01Z"}, True),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
    ],
)
def test_what_makes_another_call(one: dict[str, Any], other: dict[str, Any], same: bool) -> None:
    assert (canonical("open", json.dumps(one)).key == canonical("open", json.dumps(other)).key) is same
    assert canonical("open", json.dumps(one)).key != canonical("close", json.dumps(one)).key


def test_what_pages_is_another_call_in_the_same_frame() -> None:
    pages = [canonical("read", json.dumps({"path": "a.csv", "offset": offset})) for offset in (0, 100)]
    assert pages[0].key != pages[1].key and pages[0].frame == pages[1].frame
    assert pages[0].frame != canonical("read", json.dumps({"path": "b.csv", "offset": 0})).frame


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("3 rows at 2026-03-14 09:35:50,101", "3 rows at 2026-03-14 09:36:02,757", True),
        ("3 rows at 2026-03-14T09:35:50.101Z", "3 rows at 2026-03-14T09:36:02.757Z", True),
        ("3 rows, took 12 ms", "3 rows,  took 400 ms", True),
        ('{"request_id": "a1", "rows": 3}', '{"request_id": "b2", "rows": 3}', True),
        ("3 rows", "4 rows", False),
    ],
)
def test_results_compare_by_what_they_say(one: str, other: str, same: bool) -> None:
    assert (result_digest(one) == result_digest(other)) is same


def test_no_result_has_no_digest() -> None:
    assert result_digest("") == ""


def test_one_act_a_call_and_one_for_a_reply() -> None:
    acts = acted(CallSeen("a", "{}", "one", 5), CallSeen("b", "{}", "two", 6))
    assert [(act.seq, act.result_seq, act.tool, act.batch, act.step, act.round, act.at_ms) for act in acts] == [
        (4, 5, "a", 2, "fetch", 2, 9),
        (4, 6, "b", 2, "fetch", 2, 9),
    ]
    said = acts_of(7, "I look again.", (), round=3, at_ms=1)
    assert len(said) == 1 and said[0].tool == "" and said[0].words == words_of("I look again.")


def test_the_share_of_new_text() -> None:
    text = " ".join(f"w{place}" for place in range(40))
    assert acted(CallSeen("a", "{}", text))[0].fresh == 1
    assert acted(CallSeen("a", "{}", text), earlier=(text,))[0].fresh == 0
    assert 0.4 < acted(CallSeen("a", "{}", f"{text} " + text.replace("w", "v")), earlier=(text,))[0].fresh < 0.6


@pytest.mark.parametrize(
    ("tool", "writes"),
    [("write_file", True), ("writeFile", True), ("db.insert", True), ("read_file", False), ("get_updates", False), ("", False)],
)
def test_tools_that_write(tool: str, writes: bool) -> None:
    assert is_writing(tool) is writes
