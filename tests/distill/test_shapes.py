"""What data looks like: fields, types, ranges, keys; no model, and no text that it fails on."""

from __future__ import annotations

import json
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.notes import FieldShape, Structure
from trimtab.distill.grids import find_grids
from trimtab.distill.shapes import structures_of

ORDERS = [
    {
        "order_id": f"A{n:03d}",
        "customer_id": n % 37 + 1,
        "status": ("new", "paid", "void")[n % 3],
        "total": n * 1.5,
        "placed": f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}",
        "note": None if n % 2 else "x" * (n % 30 + 1),
    }
    for n in range(1, 301)
]


def only(text: str) -> Structure:
    (structure,) = structures_of(text)
    return structure


def shapes(structure: Structure) -> dict[str, str]:
    return {field.name: f"{field.type} {field.note}".strip() for field in structure.fields}


def test_three_hundred_rows_of_json() -> None:
    found = only(json.dumps(ORDERS))
    assert (found.kind, found.rows, found.key, found.path) == ("JSON array", 300, "order_id", "")
    assert shapes(found) == {
        "order_id": "string A001..A300",
        "customer_id": "int 1..37",
        "status": "string new|paid|void",
        "total": "number 1.5..450",
        "placed": "date 2024-01-01..2024-12-28",
        "note": "string|null",
    }


def test_an_object_that_holds_several_tables() -> None:
    value = {"ok": True, "data": {"orders": ORDERS, "客户": [{"编号": 1, "名": "甲"}, {"编号": 2, "名": "乙"}]}}
    own, orders, customers = structures_of(json.dumps(value))
    assert (own.kind, shapes(own)) == ("JSON object", {"ok": "bool true"})
    assert (orders.title, orders.path, orders.rows, orders.key) == ("orders", "$.data.orders", 300, "order_id")
    assert (customers.title, customers.path, customers.key) == ("客户", "$.data.客户", "编号")


def test_rows_inside_rows_are_a_table_of_their_own() -> None:
    value = [{"id": n, "address": {"city": "Bonn", "zip": "00123"}, "items": [{"sku": f"S{n}", "qty": 2}] * 2} for n in range(5)]
    orders, items = structures_of(json.dumps(value))
    assert shapes(orders) == {"id": "int 0..4", "address.city": "string Bonn", "address.zip": "string 00123", "items": "list of objects"}
    assert (items.path, items.rows, items.title) == ("$[*].items", 10, "items")
    assert shapes(items)["qty"] == "int 2"


def test_a_database_answer_with_its_columns_apart() -> None:
    _, rows = structures_of('{"columns": ["id", "name"], "rows": [[1, "a"], [2, "b"], [3, "b"]]}')
    assert (rows.path, rows.key, shapes(rows)) == ("$.rows", "id", {"id": "int 1..3", "name": "string a|b"})


def test_records_under_their_names_are_rows() -> None:
    found = only(json.dumps({f"host-{n}": {"cpu": n, "up": True} for n in range(20)}))
    assert (found.kind, found.rows, shapes(found)) == ("JSON object of objects", 20, {"cpu": "int 0..19", "up": "bool"})


def test_json_lines_and_json_between_words() -> None:
    lines = "\r\n".join(json.dumps(row) for row in ORDERS)
    assert (only(lines).kind, only(lines).rows, only(lines).key) == ("JSON lines", 300, "order_id")
    pasted = f"Look at this:\n```json\n{json.dumps(ORDERS[:3])}\n```\nwhat is wrong?"
    assert (only(pasted).kind, only(pasted).rows) == ("JSON array", 3)


def test_a_csv_with_quotes_line_breaks_bom_and_crlf() -> None:
    text = '\ufefforder_no,note,amount\r\nA1,"says ""hi"", twice",10\r\nA2,"two\nlines, and a comma",20.5\r\nA3,,-3\r\n'
    found = only(text)
    assert (found.kind, found.rows, found.key) == ("CSV", 3, "order_no")
    assert shapes(found) == {"order_no": "string A1..A3", "note": "string|null", "amount": "number -3..20.5"}
    assert find_grids(text)[0].rows[1] == ["A2", "two\nlines, and a comma", "20.5"]


@pytest.mark.parametrize(
    ("text", "kind", "rows", "fields"),
    [
        ("id;v\n1;a\n2;b\n3;c\n", "CSV (;)", 3, ["id", "v"]),
        ("id\tv\n1\ta\n2\tb", "TSV", 2, ["id", "v"]),
        ("1,2\n3,4\n5,6\n", "CSV", 3, ["column 1", "column 2"]),
        ("| 编号 | 名 |\n|---|:-:|\n| 1 | a\\|b |\n| 2 | c |\n", "Markdown table", 2, ["编号", "名"]),
        ("| a | b |\n|---|---|\n", "Markdown table", 0, ["a", "b"]),
        ("<p>x</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x &amp; y</td></tr></table>", "HTML table", 1, ["a", "b"]),
        ("[]", "JSON array", 0, []),
        ('{"a": 1, "a": 2}', "JSON object", 0, ["a"]),
        ("[1, 2, NaN]", "JSON array", 3, ["value"]),
        ("# One\n\ntext\n## Two\n", "text", 4, ["One", "Two"]),
        ("一、背景\n正文。\n二、结论\n正文。\n", "text", 4, ["一、背景", "二、结论"]),
        ("import os\n\ndef foo(a):\n    pass\n\nclass Bar:\n    def baz(self): ...\n", "Python code", 7, ["foo", "Bar", "baz"]),
    ],
)
def test_kinds(text: str, kind: str, rows: int, fields: list[str]) -> None:
    found = only(text)
    assert (found.kind, found.rows, [field.name for field in found.fields]) == (kind, rows, fields)


def test_code_has_definitions_with_kinds_and_lines() -> None:
    found = only("package main\n\ntype Server struct {}\n\nfunc (s *Server) Run() {}\n\nfunc main() {}\n")
    assert shapes(found) == {"Server": "type line 3", "Run": "function line 5", "main": "function line 7"}


def test_a_log_has_its_levels_and_its_time() -> None:
    log = "".join(f"2026-01-01 10:00:{n:02d} {'ERROR' if n == 7 else 'INFO'} step {n}, 0 ERROR\n" for n in range(30))
    assert shapes(only(log)) == {"time": "date 2026-01-01 10:00:00..2026-01-01 10:00:29", "level": "string INFO 29, ERROR 1"}
    assert structures_of(log, documents=False) == structures_of("# a heading\n\nwords\n", documents=False) == ()


@pytest.mark.parametrize("text", ["", "  \n", "hello there", "{}", "Well, yes, and no.\nOne, two, three.\nFour, five, six.", "\ufeff"])
def test_plain_words_have_no_structure(text: str) -> None:
    assert structures_of(text) == ()


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"name": ["a", "b"], "id": [1, 2]}, "id"),
        ({"amount": [1.5, 2.5], "user_id": [1, 2]}, "user_id"),
        ({"user_id": [1, 1], "order_id": [1, 2]}, "order_id"),
        ({"name": ["a", "b"], "qty": [1, 2]}, "name"),
        ({"kind": ["a", "a"], "qty": [1, 2]}, ""),
        ({"id": [1, None]}, ""),
        ({"订单号": ["x", "y"], "单价": [2, 3]}, "订单号"),
    ],
)
def test_the_key_tells_rows_apart(columns: dict[str, list[object]], key: str) -> None:
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    assert only(json.dumps(rows)).key == key


def test_many_fields_are_counted() -> None:
    found = only(json.dumps([{f"f{n}": n for n in range(55)}]))
    assert (len(found.fields), found.more_fields) == (40, 15)


def test_of_very_many_rows_all_are_counted_and_notes_say_that_they_are_sampled() -> None:
    rows = [{"id": n, "v": n} for n in range(12_000)]
    found = only(json.dumps(rows))
    assert (found.rows, found.key, shapes(found)["v"]) == (12_000, "id", "int sampled 0..9999")
    rows[-1]["id"] = 0
    assert only(json.dumps(rows)).key == ""
    text = "id,v\n" + "".join(f"{row['id']},{row['v']}\n" for row in rows)
    assert (only(text).rows, only(text).key) == (12_000, "")


def test_a_quote_that_is_never_closed_swallows_no_rows() -> None:
    text = "id,note\n" + "".join(f"{n},{chr(34) if n == 3 else 'ok'}\n" for n in range(1_000))
    assert only(text).rows == 1_000


HOSTILE = [
    "[" * 100_000,
    '{"a":' * 50_000,
    "[" + "9" * 6_000 + "]",
    '{"\\ud800": "\\udfff"}',
    "[NaN, Infinity, -1e999]",
    "\ud800,\udfff\n1,2\n3,4",
    "a,b\r1,2\r3,4\n5,6\n7,8",
    "\0,\0\n1,2\n3,4\n",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_give_what_can_be_stored(text: str) -> None:
    msgspec.json.encode(structures_of(text))


cells = st.text(max_size=8) | st.sampled_from(["1", "2024-01-01", '"', ",", "", "\n", "|", "真"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(max_size=4), v, max_size=4),
    max_leaves=25,
)


@given(
    st.text(max_size=400)
    | st.text(alphabet=',;\t\n"|-{}[]:a1 #<>`\ud800', max_size=200)
    | st.lists(st.lists(cells, max_size=4), max_size=6).map(lambda rows: "\n".join(",".join(row) for row in rows))
)
def test_no_text_raises(text: str) -> None:
    msgspec.json.encode(structures_of(text))


@given(values)
def test_no_json_raises_and_rows_are_counted(value: object) -> None:
    found = structures_of(json.dumps(value))
    msgspec.json.encode(found)
    if isinstance(value, list):
        assert found[0].rows == len(value)


@given(st.lists(st.tuples(st.integers(-(10**6), 10**6), st.sampled_from(["x", "y"]) | st.none()), min_size=1, max_size=30))
def test_ranges_and_values_are_true(rows: list[tuple[int, str | None]]) -> None:
    found = only(json.dumps([{"n": number, "s": word} for number, word in rows]))
    low, high = min(number for number, _ in rows), max(number for number, _ in rows)
    assert found.fields[0] == FieldShape("n", "int", f"{low}..{high}" if low < high else str(low))
    words = {word for _, word in rows if word}
    assert not found.fields[1].note or set(found.fields[1].note.split("|")) == words
    assert ("null" in found.fields[1].type) == any(word is None for _, word in rows)


@pytest.mark.parametrize(
    "unit", ["a", "x,y\n", "[", '{"a":1}\n', "|a|b|\n|-|-|\n", "<table><tr><td>", "<tr", '"', 'a,"\n', "# h\n", "一、题\n"]
)
def test_a_megabyte_is_read_quickly(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    structures_of(text)
    assert time.process_time() - started < 3
