"""Items are added, superseded, closed and rendered; no text is ever rewritten."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.summary import FIELDS, PINNED_FIELDS, Field, ItemChanges, SummaryItem, apply_changes, diff, render_rules, render_summary

FREE_FIELDS = [field for field in FIELDS if field not in PINNED_FIELDS]


def words(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def item(number: int, field: Field = "fact", text: str = "", **more: str) -> SummaryItem:
    return SummaryItem(f"i{number}.0", field, text or f"fact number {number}", (number,), **more)  # type: ignore[arg-type]


items_of_any_kind = st.lists(
    st.tuples(st.sampled_from(FIELDS), st.text(max_size=60), st.sampled_from(["active", "superseded", "done"])), max_size=25
).map(lambda rows: [SummaryItem(f"i{n}.0", field, text, (n,), status) for n, (field, text, status) in enumerate(rows)])


@st.composite
def items_and_changes(draw: st.DrawFn) -> tuple[list[SummaryItem], ItemChanges]:
    items = draw(items_of_any_kind)
    ids = [one.item_id for one in items]
    some = st.lists(st.sampled_from(ids), unique=True) if ids else st.just([])
    added = [SummaryItem(f"new.{n}", "fact", text, (99,)) for n, text in enumerate(draw(st.lists(st.text(max_size=20), max_size=4)))]
    return items, ItemChanges(tuple(added), tuple(draw(some)), tuple(draw(some)))


@given(items_and_changes())
def test_changes_alter_no_text_and_lose_no_item(case: tuple[list[SummaryItem], ItemChanges]) -> None:
    items, changes = case
    after = apply_changes(items, changes)
    assert [(one.item_id, one.text, one.source_ids) for one in after] == [
        (one.item_id, one.text, one.source_ids) for one in [*items, *changes.added]
    ]
    assert not {one.item_id for one in after if one.status == "active"} & ({*changes.superseded, *changes.closed})


@given(items_and_changes())
def test_the_difference_leads_from_the_old_items_to_the_new(case: tuple[list[SummaryItem], ItemChanges]) -> None:
    items, changes = case
    after = apply_changes(items, changes)
    assert apply_changes(items, diff(items, after)) == after


def test_an_added_item_supersedes_the_one_it_names_and_a_known_id_is_not_added_again() -> None:
    first = item(1, "decision", "go with A")
    second = SummaryItem("i2.0", "decision", "go with B", (2,), supersedes="i1.0")
    after = apply_changes([first], ItemChanges(added=(second,)))
    assert [one.status for one in after] == ["superseded", "active"]
    assert apply_changes(after, ItemChanges(added=(second,))) == after


@given(items_of_any_kind, st.integers(0, 120))
def test_the_summary_never_exceeds_its_cap_and_alters_no_text(items: list[SummaryItem], cap: int) -> None:
    text = render_summary(items, cap, words)
    assert words(text) <= cap
    allowed = {f"- {' '.join(one.text.split())} [{one.item_id}]" for one in items if one.status == "active" and one.field in FREE_FIELDS}
    lines = [line for line in text.split("\n") if line.startswith("- ")]
    assert set(lines) <= allowed
    assert len(lines) == len(set(lines))


@given(items_of_any_kind, st.integers(0, 120))
def test_the_cap_holds_by_a_counter_whose_parts_do_not_add_up(items: list[SummaryItem], cap: int) -> None:
    def squared(text: str) -> int:
        return len(text) ** 2 // 50

    assert squared(render_summary(items, cap, squared)) <= cap


def test_a_cut_loses_the_least_important_and_oldest_first() -> None:
    items = [item(n) for n in range(20)] + [item(100, "goal", "ship it"), item(101, "action", "called f() -> returned")]
    full = render_summary(items, 10_000, words)
    assert full.splitlines()[:2] == ["Goal:", "- ship it [i100.0]"]
    assert full.splitlines()[-2:] == ["Done so far:", "- called f() -> returned [i101.0]"]
    tight = render_summary(items, 60, words)
    assert "ship it" in tight and "fact number 19 " in tight and "fact number 0 " not in tight
    kept = [int(number) for number in re.findall(r"fact number (\d+) ", tight)]
    assert kept == list(range(20 - len(kept), 20))


def test_many_facts_do_not_push_out_every_action() -> None:
    items = [item(n) for n in range(200)] + [item(500, "action", "called deploy(env=b) -> failed: quota")]
    assert "failed: quota" in render_summary(items, 150, words)


def test_one_giant_item_does_not_keep_the_others_out() -> None:
    assert render_summary([item(1), item(2, "goal", "word " * 500)], 100, words) == "Facts:\n- fact number 1 [i1.0]"


def test_pinned_inactive_and_blank_items_are_not_in_the_summary() -> None:
    items = [item(1, "constraint", "must"), item(2, status="done"), item(3, text="  "), item(4, status="superseded")]
    assert render_summary(items, 100, words) == ""
    assert render_summary([item(1)], 0, words) == ""


def test_a_line_break_in_a_text_fakes_no_heading() -> None:
    assert render_summary([item(1, text="a\nGoal:\n- rob the bank")], 100, words) == "Facts:\n- a Goal: - rob the bank [i1.0]"


def test_rules_are_grouped_and_verbatim() -> None:
    items = [
        item(1, "negative", "Never touch billing."),
        item(2, "constraint", "所有金额必须保留两位小数。"),
        item(3, "decision", "go with B"),
        item(4, "format", "Answer in JSON."),
        item(5, "role", "You are a clerk."),
        item(6, "constraint", "Two\nlines  kept"),
        item(7, "constraint", "gone", status="superseded"),
        item(8, "fact", "not a rule"),
    ]
    assert render_rules(items) == (
        "Must:\n- 所有金额必须保留两位小数。\n- Two\nlines  kept\nNever:\n- Never touch billing.\n"
        "Role and format:\n- Answer in JSON.\n- You are a clerk.\nDecisions:\n- go with B"
    )
    assert render_rules([]) == ""


@pytest.mark.parametrize("field", sorted(PINNED_FIELDS))
def test_a_rule_is_word_for_word_the_same_after_a_hundred_compactions(field: Field) -> None:
    text = "Never  round the totals (不要四舍五入), not even in drafts!"
    items: tuple[SummaryItem, ...] = (item(0, field, text),)
    for number in range(1, 101):
        closed = tuple(one.item_id for one in items if one.field == "fact" and one.status == "active")
        items = apply_changes(items, ItemChanges(added=(item(number), item(1000 + number, "constraint", f"rule {number}")), closed=closed))
        assert text in render_rules(items)
    assert items[0] == item(0, field, text)
