"""The check that ends a compaction."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.guard import missing
from trimtab.core.summary import FIELDS, PINNED_FIELDS, SummaryItem, render_rules

rules = st.lists(st.tuples(st.sampled_from(FIELDS), st.text(min_size=1, max_size=40)), max_size=12).map(
    lambda rows: [SummaryItem(f"i{n}.0", field, text, (n,)) for n, (field, text) in enumerate(rows)]
)


@given(rules)
def test_the_rule_block_lacks_nothing(items: list[SummaryItem]) -> None:
    assert missing(items, "before\n" + render_rules(items) + "\nafter") == ()


@given(rules)
def test_an_empty_text_lacks_every_pinned_item(items: list[SummaryItem]) -> None:
    assert missing(items, "") == tuple(item for item in items if item.field in PINNED_FIELDS)


def test_a_paraphrase_is_missing_and_an_inactive_rule_is_not() -> None:
    rule = SummaryItem("i1.0", "negative", "Never touch the billing table.", (1,))
    old = SummaryItem("i2.0", "decision", "go with A", (2,), "superseded")
    assert missing([rule, old], "Do not touch the billing table.") == (rule,)
    assert missing([rule, old], "x Never touch the billing table. y") == ()
