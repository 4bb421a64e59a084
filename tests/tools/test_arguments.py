"""Arguments as models send them: near misses are understood, what is wrong is said so that it can be put right."""

from __future__ import annotations

from typing import Any

import pytest

from trimtab.tools.arguments import MAX_ARGUMENTS_CHARS, BadArgument, read_arguments
from trimtab.tools.declared import BY_NAME


def read(name: str, arguments: Any) -> dict[str, Any]:
    return read_arguments(BY_NAME[name], arguments, name)


@pytest.mark.parametrize(
    ("given", "range_"),
    [
        ([3, 9], (3, 9)),
        ([5], (5, 5)),
        ("3-9", (3, 9)),
        ("#3..#9", (3, 9)),
        ("[3, 9]", (3, 9)),
        ("3 到 9", (3, 9)),
        (["#3", "9"], (3, 9)),
        ({"first": 3, "last": 9}, (3, 9)),
        ([3.0, 9.0], (3, 9)),
    ],
)
def test_a_range_is_read_however_it_is_written(given: Any, range_: tuple[int, int]) -> None:
    assert read("drop_history", {"range": given}) == {"range": range_}


@pytest.mark.parametrize("given", [[9, 3], [-1, 4], [1, 2, 3], "from here on", {}, [], [1.5, 2], True, [True, 4], ["a", "b"], 10**30])
def test_a_range_that_is_none_is_refused_with_an_example(given: Any) -> None:
    with pytest.raises(BadArgument, match=r'not done: "range" is .* it must be a list of two whole numbers.* Example: drop_history\('):
        read("drop_history", {"range": given})


@pytest.mark.parametrize(
    ("given", "ids"), [([12, 14], [12, 14]), (12, [12]), ("#12, #14", [12, 14]), ("12 14", [12, 14]), (["#12"], [12]), ("[12]", [12])]
)
def test_numbers_are_read_however_they_are_written(given: Any, ids: list[int]) -> None:
    assert read("drop_history", {"ids": given}) == {"ids": ids}


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        (["id", "total"], ["id", "total"]),
        ("id, total", ["id", "total"]),
        ("价格、交货", ["价格", "交货"]),
        ('["id"]', ["id"]),
        (["id", "id"], ["id"]),
    ],
)
def test_fields_are_read_however_they_are_written(given: Any, fields: list[str]) -> None:
    assert read("extract_key_info", {"source": "last", "keep_fields": given})["keep_fields"] == fields


def test_null_and_left_out_are_the_same() -> None:
    assert read("drop_history", {"ids": [1], "range": None, "kind": None, "force": None, "why": None}) == {"ids": [1]}
    assert read("list_memory", "") == read("list_memory", "null") == read("list_memory", None) == read("list_memory", "{}") == {}


def test_values_keep_what_they_are() -> None:
    for value in ({"a": [1, None]}, [1, 2], 4.5, True, None, "text", "{not json"):
        assert read("write_note", {"key": "k", "value": value})["value"] == value
    # strict schemas make JSON travel as text
    assert read("write_note", {"key": "k", "value": '{"a": 1}'})["value"] == {"a": 1}
    assert read("write_note", {"key": "k", "value": '"42"'})["value"] == '"42"'


def test_filters_may_come_as_text() -> None:
    assert read("query_memory", {"query": "x", "filters": '{"kind": "note", "role": null}'})["filters"] == {"kind": "note"}


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("write_note", '{"key": "k", "value": ', "the arguments are not JSON"),
        ("write_note", "[1]", "send one JSON object"),
        ("write_note", {"value": 1}, '"key" is missing; it must be a text that is not empty'),
        ("write_note", {"key": "k"}, '"value" is missing; it must be text or any JSON'),
        ("write_note", {"key": " ", "value": 1}, '"key" is " "; it must be a text that is not empty'),
        ("write_note", {"key": {"a": 1}, "value": 1}, '"key" is {"a":1}'),
        ("write_note", {"key": "k", "value": 1, "tags": []}, 'there is no argument "tags"; allowed: key, value'),
        ("list_memory", {"all": True}, 'there is no argument "all"; allowed: none'),
        ("drop_history", {"kind": "system"}, '"kind" is "system"; it must be one of tool_result, assistant, user'),
        ("drop_history", {"force": "perhaps", "ids": [1]}, '"force" is "perhaps"; it must be true or false'),
        ("query_memory", {"query": "x", "filters": {"role": "boss"}}, '"filters.role" is "boss"; it must be one of user, assistant, tool'),
        ("query_memory", {"query": "x", "filters": {"since": 1}}, 'there is no argument "since"; allowed: kind, after, before, role'),
        ("query_memory", {"query": "x", "filters": [1]}, '"filters" is [1]; it must be an object'),
        ("extract_key_info", {"source": "last", "keep_fields": []}, '"keep_fields" is []; it must be a list of texts'),
        ("read_note", {"key": "k", "version": "newest"}, '"version" is "newest"; it must be a whole number'),
    ],
)
def test_what_is_wrong_is_said(name: str, arguments: Any, words: str) -> None:
    with pytest.raises(BadArgument) as caught:
        read(name, arguments)
    text = str(caught.value)
    assert text.startswith("not done: ") and words in text and f"Example: {name}(" in text


def test_giant_arguments_are_not_read() -> None:
    with pytest.raises(BadArgument, match="at most 8,000,000"):
        read("write_note", " " * (MAX_ARGUMENTS_CHARS + 1))


def test_deep_and_broken_json_is_refused() -> None:
    for text in ("[" * 100_000, '{"key": "\\ud800"', "{" * 5_000, b"\xff\xfe{}"):
        with pytest.raises(BadArgument):
            read("write_note", text)


def test_halves_of_surrogate_pairs_do_not_get_in() -> None:
    given = read("write_note", {"key": "k\ud800", "value": "v\udfff"})
    assert given == {"key": "k?", "value": "v?"}
