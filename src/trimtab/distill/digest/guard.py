"""The check by code before anything is committed: no rule is lost, nothing is named that is nowhere, and it is shorter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from trimtab.core.guard import missing
from trimtab.core.summary import PINNED_FIELDS, Field, ItemChanges, SummaryItem, apply_changes, render_rules, render_summary
from trimtab.distill.digest.grounds import is_from, normal, unfounded


class Stretch(Struct, frozen=True):
    """The messages that a run has read: their numbers, all that they say, and its tokens."""

    seqs: frozenset[int]
    text: str
    tokens: int


_OPEN_FIELDS: frozenset[Field] = PINNED_FIELDS | {"todo", "question"}


def restored_in(items: Sequence[SummaryItem], returned: Sequence[str], seqs: frozenset[int]) -> int:
    """How many rules and open points from these messages the answer left out. They stand all the same: an answer
    only adds.

    Args:
        returned: texts of the statements in the answer.
    """
    told = [normal(text) for text in returned]
    return sum(
        1
        for item in items
        if item.field in _OPEN_FIELDS
        and is_from(item, seqs)
        and not any(normal(item.text) in text or (text and text in normal(item.text)) for text in told)
    )


def guard(items: Sequence[SummaryItem], changes: ItemChanges, stretch: Stretch, max_tokens: int, count: Callable[[str], int]) -> str:
    """Why the changes must not be committed; "" where they may.

    Args:
        items: the active items before.
        max_tokens: cap of the summary.
    """
    after = [item for item in apply_changes(items, changes) if item.status == "active"]
    rules = render_rules(after)
    lost = missing([item for item in items if item.field in PINNED_FIELDS], rules)
    if lost:
        return f"it would lose {len(lost)} rule(s): {lost[0].text[:80]!r}"
    wanting = missing(after, rules)
    if wanting:
        return f"a rule does not stand in the prompt: {wanting[0].text[:80]!r}"
    for item in changes.added:
        # the summary would hold what it names itself; it must stand in what was read
        absent = unfounded(item.text, [stretch.text])
        if absent:
            return f"{absent!r} can be found nowhere"

    def tokens(held: Sequence[SummaryItem]) -> int:
        return count(render_summary([item for item in held if is_from(item, stretch.seqs)], max_tokens, count))

    new = tokens(after)
    # what code wrote down of it is not the model's fault
    if new > stretch.tokens and 2 * tokens(changes.added) > stretch.tokens:
        return f"the summary of that stretch has {new} tokens, the stretch itself {stretch.tokens}"
    return ""
