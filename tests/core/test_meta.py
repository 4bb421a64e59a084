"""Meta notes in the prompt: within their cap, with the relations that join tables."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.meta import HEAD, left_meta_notes, render_meta_notes, standing_meta_notes
from trimtab.core.notes import FieldShape, MetaNote, Structure
from trimtab.core.relations import Table, relations_of
from trimtab.core.state import SessionState


def count(text: str) -> int:
    return len(text.encode()) // 4


def table(title: str, *names: str, key: str = "", rows: int = 3) -> Structure:
    return Structure("CSV", rows, tuple(FieldShape(name, "int", "1..3") for name in names), key, title=title)


def note(key: str, *structures: Structure, text: str = "", seq: int = 1) -> MetaNote:
    return MetaNote(key, structures, text, seq, seq)


SHOP = note("shop", table("orders", "id", "customer_id", "total", key="id"), table("customers", "id", "name", key="id"), seq=5)


def test_a_note_says_fields_types_key_and_relations() -> None:
    assert render_meta_notes([SHOP, note("terms", text="GMV counts\npaid orders only", seq=9)], 1_000, count) == (
        f"{HEAD}\n"
        "- shop (#5):\n"
        "  - orders: CSV of 3 rows, key id; id int 1..3, customer_id int 1..3, total int 1..3\n"
        "  - customers: CSV of 3 rows, key id; id int 1..3, name int 1..3\n"
        "- terms (#9): GMV counts paid orders only\n"
        "Related by key:\n"
        "- orders.customer_id = customers.id"
    )
    assert render_meta_notes([], 1_000, count) == ""
    assert render_meta_notes([note("empty")], 1_000, count) == ""


def lines(*structures: tuple[str, Structure]) -> list[str]:
    return [relation.line for relation in relations_of([Table(label, index, shape) for index, (label, shape) in enumerate(structures)])]


def test_relations_by_names_of_keys() -> None:
    orders = table("", "order_id", "customerId", "sku", key="order_id")
    assert lines(("list_orders_7", orders), ("get_customers_9", table("", "id", "name", key="id"))) == [
        "list_orders_7.customerId = get_customers_9.id"
    ]
    assert lines(("o", orders), ("stock", table("", "sku", "left", key="sku"))) == ["o.sku = stock.sku"]
    assert lines(("o", orders), ("lines", table("", "line", "order_id"))) == ["lines.order_id = o.order_id"]
    assert lines(("订单", table("", "订单号", "客户编号", key="订单号")), ("客户表", table("", "编号", "姓名", key="编号"))) == [
        "订单.客户编号 = 客户表.编号"
    ]
    assert lines(("x", table("", "客户编号", "a")), ("y", table("", "客户编号", "b", key="客户编号"))) == ["x.客户编号 = y.客户编号"]


def test_what_is_not_related() -> None:
    one, two = table("", "id", "name", key="id"), table("", "id", "price", key="id")
    assert lines(("cats", one), ("dogs", two)) == []
    again = table("", "order_id", "v", key="order_id")
    assert lines(("read_3", again), ("read_9", again)) == []
    dated = Structure("CSV", 3, (FieldShape("a", "int"), FieldShape("sku", "date")))
    assert lines(("dated", dated), ("stock", table("", "sku", "left", key="sku"))) == []


def test_the_same_structure_is_said_once_as_the_newest() -> None:
    same = table("", "a", "b")
    text = render_meta_notes([note("s_1", same, seq=1), note("s_2", same, seq=2), note("s_3", same, seq=3)], 1_000, count)
    longer = msgspec.structs.replace(same, rows=90)
    assert render_meta_notes([note("s_1", same, seq=1), note("s_2", longer, seq=2)], 1_000, count).count("\n") == 1, "rows alone tell apart"
    assert text == f"{HEAD}\n- s_3 (#3), alike: s_2, s_1: CSV of 3 rows; a int 1..3, b int 1..3"


def test_the_cap_takes_types_first_then_far_fields_then_the_oldest_notes() -> None:
    wide = table("wide", "wide_id", *(f"column_{n}" for n in range(30)), key="wide_id", rows=500)
    notes = [note("wide", wide, seq=3), SHOP, note("child", table("child", *(f"c{n}" for n in range(20)), "wide_id"), seq=9)]
    seen = []
    for cap in (1_000, 320, 200, 140, 90, 5):
        text = render_meta_notes(notes, cap, count)
        assert count(text) <= cap
        seen.append(text)
    whole, typeless, dozen, fewer, named, nothing = seen
    assert "column_29 int 1..3" in whole and "child.wide_id = wide.wide_id" in whole
    assert "column_29" in typeless and "column_29 int" not in typeless and "c19 int 1..3" in typeless
    assert "column_29" not in dozen and "and 19 more" in dozen and "wide_id" in dozen and "orders.customer_id = customers.id" in dozen
    assert "Besides: wide" in fewer and "orders.customer_id = customers.id" in fewer
    assert "Besides: wide, shop" in named
    assert nothing == ""


names = st.sampled_from(["id", "order_id", "customer_id", "客户编号", "编号", "name", "x" * 50, "a b"])
structures = st.builds(
    Structure,
    st.sampled_from(["CSV", "JSON array", "Python code", "text"]),
    st.integers(0, 10**6),
    st.lists(st.builds(FieldShape, names, st.sampled_from(["int", "string|null"]), st.text(max_size=20)), max_size=40).map(tuple),
    names | st.just(""),
    st.integers(0, 50),
    st.text(max_size=12),
    st.just("") | st.just("$.data"),
)
notes_of = st.lists(
    st.builds(
        MetaNote,
        st.text(max_size=20),
        st.lists(structures, max_size=3).map(tuple),
        st.text(max_size=200),
        st.integers(0, 50),
        st.integers(0, 99),
    ),
    max_size=12,
)


@given(notes_of, st.integers(0, 600))
def test_the_cap_holds_and_the_same_notes_give_the_same_text(notes: list[MetaNote], cap: int) -> None:
    for counter in (count, len, lambda text: len(text.split())):
        text = render_meta_notes(notes, cap, counter)
        assert counter(text) <= cap
        assert text == render_meta_notes(list(notes), cap, counter)
        assert len(text.splitlines()) >= text.count("\n")


def test_a_note_stands_once_its_data_does_not_stand_whole() -> None:
    state = SessionState(holes=[40], meta_notes={str(seq): MetaNote(str(seq), (), "t", seq, seq) for seq in (0, 3, 20, 30, 40)})
    assert [note.source_seq for note in left_meta_notes(state, 10, frozenset({30}))] == [3, 30, 40]
    assert [note.source_seq for note in standing_meta_notes(state)] == [0]
