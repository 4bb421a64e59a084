"""Key information of JSON, tables and text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.agents import ORDERS, PAGE, PAGE_ZH
from trimtab.tools.extracting import MAX_HITS, KeyInfo, from_json, from_table, from_text
from trimtab.tools.tables import json_of, tables_of


def test_fields_of_an_object_and_of_the_table_in_it() -> None:
    value = {"orders": ORDERS, "page": 3, "next": None}
    info = from_json(value, ["id", "total", "page"])
    assert info.fields == {"page": 3}
    assert len(info.rows) == 300 and info.rows[6] == {"id": "A-7", "total": 70}
    assert info.missing == () and info.offered == ()


def test_the_table_that_knows_most_of_the_fields_is_taken() -> None:
    value = {"customers": [{"id": "C-1", "name": "Acme"}], "orders": [{"id": "A-1", "total": 10, "customer_id": "C-1"}]}
    assert from_json(value, ["id", "total"]).rows == ({"id": "A-1", "total": 10},)
    assert from_json(value, ["id", "name"]).rows == ({"id": "C-1", "name": "Acme"},)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("orders[0].id", "A-1"),
        ("$.orders[0:2].total", [10, 20]),
        ("meta.shop.city", "Lyon"),
        ("orders[*].lines[*].sku", ["x", "y"]),
    ],
)
def test_paths_are_read(path: str, found: Any) -> None:
    value = {
        "orders": [{"id": "A-1", "total": 10, "lines": [{"sku": "x"}]}, {"id": "A-2", "total": 20, "lines": [{"sku": "y"}]}],
        "meta": {"shop": {"city": "Lyon"}},
    }
    assert from_json(value, [path]).fields == {path: found}


def test_a_field_is_found_however_deep_and_whatever_its_case() -> None:
    value = {"data": {"attributes": {"Price": {"amount": 4}}}}
    assert from_json(value, ["price"]).fields == {"price": {"amount": 4}}
    assert from_json([{"Total": 1}, {"Total": 2}], ["total"]).rows == ({"total": 1}, {"total": 2})


def test_what_is_not_there_is_said_with_what_is() -> None:
    info = from_json({"a": 1, "rows": [{"b": 2}]}, ["z"])
    assert (info.missing, info.offered) == (("z",), ("a", "rows", "b"))
    assert not info


def test_null_and_false_are_values() -> None:
    info = from_json({"next": None, "ok": False, "n": 0}, ["next", "ok", "n"])
    assert info == KeyInfo(fields={"next": None, "ok": False, "n": 0})


@pytest.mark.parametrize(
    "text",
    [
        "sku,price,stock\nP-1,10,4\nP-2,20,5\nP-3,30,6\n",
        "sku\tprice\tstock\r\nP-1\t10\t4\r\nP-2\t20\t5\r\nP-3\t30\t6\r\n",
        "Stock list:\n\n| sku | price | stock |\n|---|---|---|\n| P-1 | 10 | 4 |\n| P-2 | 20 | 5 |\n| P-3 | 30 | 6 |\n\nThat is all.",
        '\ufeffsku;price;stock\nP-1;10;4\n"P-2";20;5\nP-3;30;6',
        'Found:\n[{"sku": "P-1", "price": "10"}, {"sku": "P-2", "price": "20"}, {"sku": "P-3", "price": "30"}]\nDone.',
    ],
    ids=["csv", "tsv", "markdown", "semicolons and BOM", "JSON inside a text"],
)
def test_columns_of_tables_that_are_written_as_text(text: str) -> None:
    info = from_table(tables_of(text), ["sku", "price"])
    assert info.rows == ({"sku": "P-1", "price": "10"}, {"sku": "P-2", "price": "20"}, {"sku": "P-3", "price": "30"})
    assert from_table(tables_of(text), ["color"]).missing == ("color",)


def test_json_lines_are_rows() -> None:
    assert json_of('{"a": 1}\n{"a": 2}\n') == [{"a": 1}, {"a": 2}]
    assert json_of("plain") == "plain" and json_of("{broken") == "{broken" and json_of(4) == 4


def test_sentences_and_values_of_a_text() -> None:
    info = from_text(PAGE, ["revenue", "delivery", "margin"])
    assert info.fields == {
        "revenue": {
            "sentences": ["¶2 s3: Its revenue in 2024 was 4.2 million EUR, up 12 % on the year."],
            "values": ["2024", "4.2 million EUR", "12 %"],
        },
        "delivery": {"sentences": ["¶3 s5: Delivery takes 6 weeks."], "values": ["6 weeks"], "near": ["P-300", "1,280 EUR"]},
    }
    assert info.missing == ("margin",) and "Borealis AG" in info.offered


def test_chinese_text() -> None:
    info = from_text(PAGE_ZH, ["营收", "交货", "利润"])
    assert info.fields["营收"] == {"sentences": ["¶2 s3: 2024年营收为420万元,同比增长12%。"], "values": ["2024年", "420万元", "12%"]}
    assert info.fields["交货"]["values"] == ["6周"]
    assert info.missing == ("利润",)


def test_a_phrase_is_found_by_its_words() -> None:
    assert from_text(PAGE, ["price list"]).fields["price list"]["sentences"] == ["¶3 s4: The list price of the P-300 pump is 1,280 EUR."]


def test_a_word_that_is_everywhere_is_counted_not_copied() -> None:
    text = " ".join(f"The pump number {number} works." for number in range(40))
    found = from_text(text, ["pump"]).fields["pump"]
    assert len(found["sentences"]) == MAX_HITS and found["more_hits"] == 32


def test_values_come_from_the_same_paragraph_only() -> None:
    text = "Lisbon has room.\n\nThe capacity is large. It is 417 MWh.\n\nPorto has 999 MWh."
    found = from_text(text, ["capacity"]).fields["capacity"]
    assert "999" not in json.dumps(found)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    ),
    st.lists(st.text(min_size=1), min_size=1, max_size=4),
)
def test_any_json_and_any_field_give_found_or_missing(value: Any, fields: list[str]) -> None:
    info = from_json(value, fields)
    for name in fields:
        assert (name in info.missing) is not (name in info.fields or any(name in row for row in info.rows))


@given(st.text(max_size=400), st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=3, unique=True))
def test_any_text_and_any_word_give_found_or_missing(text: str, words: list[str]) -> None:
    info = from_text(text, words)
    assert set(info.missing) | set(info.fields) == set(words)
    from_table(tables_of(text), words)
