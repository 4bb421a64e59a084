"""Parts of large values: what is there is given, what is not there is told."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.errors import BadSlice, ReadError
from trimtab.session.slices import Part, read_part

SHOP = json.dumps(
    {"orders": [{"id": 1, "unit price": 2.5, "单价": 3}, {"id": 2, "tags": ["a", "b"]}, {"id": 3}], "empty": [], "客户": {"名": "甲"}},
    ensure_ascii=False,
)
CSV = '\ufeffid,note\r\n1,"two\nlines"\r\n2,"a, b"\r\n3,c\r\n'
MARKDOWN = "Prices:\n\n| a | b |\n|---|---|\n| 1 | x |\n| 2 | y |\n\nend"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$.orders[0].id", 1),
        ("orders[-1].id", 3),
        ("$.orders[*].id", [1, 2, 3]),
        ("orders[0:2].id", [1, 2]),
        ("orders[1:].id", [2, 3]),
        ('$.orders[0]["unit price"]', 2.5),
        ("$.orders[0]['unit price']", 2.5),
        ("orders[0].unit price", 2.5),
        ("$.orders[*].单价", [3]),
        ("$.客户.名", "甲"),
        ("$.orders[1].tags[*]", ["a", "b"]),
        ("$.empty[*].id", []),
        ("$.客户.*", ["甲"]),
        ("$", json.loads(SHOP)),
    ],
)
def test_paths(path: str, found: Any) -> None:
    assert read_part(SHOP, Part(path=path)) == found


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("$.nope", "the keys there: orders, empty, 客户"),
        ("$.orders[7]", "an index in 0..2"),
        ("$.orders[*].zz", "the keys there: id, unit price, 单价"),
        ("$.orders[0].id.x", "a plain value"),
        ("$.empty[0]", "the list there is empty"),
        ("$..id", "steps like"),
        ("$.orders[", "steps like"),
    ],
)
def test_a_path_that_is_not_there_says_what_is(path: str, words: str) -> None:
    with pytest.raises(BadSlice, match="path") as caught:
        read_part(SHOP, Part(path=path))
    assert words in str(caught.value)
    assert isinstance(caught.value, ReadError)


def test_rows_of_every_kind_of_table() -> None:
    rows = [{"n": n} for n in range(1, 41)]
    assert read_part(json.dumps(rows), Part(rows=(2, 3))) == [{"n": 2}, {"n": 3}]
    assert read_part(json.dumps(rows), Part(rows=(40, 80))) == [{"n": 40}]
    assert read_part(json.dumps({"only": rows}), Part(rows=(1, 1))) == [{"n": 1}]
    assert read_part("\n".join(map(json.dumps, rows)), Part(rows=(2, 3))) == '{"n": 2}\n{"n": 3}'
    assert read_part(CSV, Part(rows=(1, 2))) == 'id,note\n1,"two\nlines"\n2,"a, b"'
    assert read_part("a\tb\n1\t2\n3\t4", Part(rows=(2, 2))) == "a\tb\n3\t4"
    assert read_part(MARKDOWN, Part(rows=(2, 2))) == "| a | b |\n|---|---|\n| 2 | y |"


@pytest.mark.parametrize(
    ("value", "part", "words"),
    [
        (json.dumps(list(range(40))), Part(rows=(50, 60)), "rows 1..40"),
        (CSV, Part(rows=(0, 2)), "rows 1..3"),
        (CSV, Part(rows=(3, 1)), "rows 1..3"),
        (CSV, Part(rows=(1,)), "two whole numbers"),  # type: ignore[arg-type]
        (CSV, Part(rows=("1", 2)), "two whole numbers"),  # type: ignore[arg-type]
        ("[]", Part(rows=(1, 2)), "there are none"),
        ('{"a": 1}', Part(rows=(1, 2)), "no rows"),
        ("[" * 60 + "1" + "]" * 60, Part(path="$" + "[0]" * 60), "at most 50 steps"),
        (json.dumps({"a": [{"x": 1}], "b": [{"y": 1}]}), Part(rows=(1, 2)), "$.a[0:1], $.b[0:1]"),
        ("just words", Part(rows=(1, 2)), "no table"),
        ("just words", Part(path="$.a"), "not JSON"),
        ("a\nb\nc", Part(lines=(4, 5)), "lines 1..3"),
        ("abc", Part(chars=(2, 1)), "0..3"),
        ("abc", Part(chars=(4, 9)), "0..3"),
        ("abc", Part(around="zz"), "stand in the value"),
        ("abc", Part(around="a", sentences=-1), "0 or more"),
        ("abc", Part(max_chars=0), "1 or more"),
        ("abc", Part(lines=(1, 2), around="a"), "one of path"),
        ("abc", Part(path=7), "a text"),  # type: ignore[arg-type]
    ],
)
def test_what_is_not_there_is_told(value: str, part: Part, words: str) -> None:
    with pytest.raises(BadSlice) as caught:
        read_part(value, part)
    assert words in str(caught.value)


def test_lines_and_characters() -> None:
    assert read_part("a\nb\nc\n", Part(lines=(2, 9))) == "b\nc"
    assert read_part("你好世界", Part(chars=(1, 3))) == "好世"
    assert read_part("abc", Part(chars=(3, 9))) == ""
    assert read_part("abc", Part()) == "abc"
    assert read_part('{"a": 1}', Part(), {"a": 1}) == {"a": 1}


def test_sentences_around_words_with_their_numbers() -> None:
    text = "Cats sleep. They dream!\n\n第二段说价格是5元。后面还有。再来一句。\n\nThe END. The price is 5元 again."
    assert read_part(text, Part(around="5元", sentences=0)) == "¶2 s3: 第二段说价格是5元。\n…\n¶3 s7: The price is 5元 again."
    assert read_part(text, Part(around="they DREAM")) == "¶1 s1: Cats sleep.\n¶1 s2: They dream!\n¶2 s3: 第二段说价格是5元。"
    assert read_part("one\ntwo\nthree", Part(around="three", sentences=0)) == "¶3 s3: three"


def test_very_many_hits_and_very_long_sentences_are_cut() -> None:
    text = "".join(f"Hit number {n} is here. Nothing. Nothing. " for n in range(100))
    found = read_part(text, Part(around="hit", sentences=0))
    assert found.count("Hit number") == 40 and found.endswith("[60 more sentences with these words]")
    long = "word " * 2_000 + "needle " + "word " * 2_000
    assert "needle" in read_part(long, Part(around="needle")) and len(read_part(long, Part(around="needle"))) < 700


def test_a_cut_answer_says_so() -> None:
    found = read_part("x" * 1_000, Part(max_chars=100))
    assert len(found) == 100 and found.endswith("[… 1,000 characters in all; ask for a smaller part …]")
    assert len(read_part(json.dumps(list(range(900))), Part(path="$", max_chars=100))) == 100
    assert read_part("x" * 50, Part(max_chars=100)) == "x" * 50


@given(st.text(max_size=200), st.text(max_size=12), st.integers(-3, 9), st.integers(-3, 9))
def test_only_bad_slice_is_raised(value: str, words: str, first: int, last: int) -> None:
    parts = [Part(path=words), Part(rows=(first, last)), Part(lines=(first, last)), Part(chars=(first, last)), Part(around=words)]
    for part in parts:
        for text in (value, json.dumps({"a": [value, {"b": value}]})):
            try:
                read_part(text, part)
            except BadSlice as error:
                assert len(str(error)) < 3_000


@given(st.lists(st.text(alphabet="ab。.\n ", max_size=10), max_size=20).map("".join), st.integers(0, 100), st.integers(0, 100))
def test_characters_are_exact_and_lines_join_to_the_text(text: str, start: int, end: int) -> None:
    if start <= end and start <= len(text):
        assert read_part(text, Part(chars=(start, end))) == text[start:end]
    assert read_part(text, Part(lines=(1, 10_000))) in (text, text.removesuffix("\n"))


def test_five_megabytes_are_read_in_reasonable_time() -> None:
    text = "id,name,v\n" + "".join(f"{n},name {n},{n * 3}\n" for n in range(250_000))
    assert len(text) > 5_000_000
    started = time.process_time()
    assert read_part(text, Part(rows=(200_000, 200_000))) == "id,name,v\n199999,name 199999,599997"
    assert "name 123456" in read_part(text, Part(around="name 123456,", sentences=0))
    assert time.process_time() - started < 15
