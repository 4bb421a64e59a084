"""Precision and recall of extracted items against labels. Pure.

A label is met by an item whose text contains it (items are whole sentences), or by one that is a part of it and has
at least 60 % of its length. A value (identifier, number, date) is met by any item in which its exact string stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from trimtab.core.summary import ItemChanges, SummaryItem
from trimtab.evals.extraction.turns import Label, Turn

RULES = frozenset({"constraint", "negative", "role", "format"})
DECISIONS = frozenset({"decision", "reversal"})
VALUES = ("identifier", "number", "date")
_LEAST_PART = 0.6
# goals of recall and precision, as the project set them for turns that were not used for writing the rules
_GOALS: dict[str, tuple[float | None, float | None]] = {
    "rules": (0.95, 0.90),
    "decisions": (0.85, 0.85),
    "superseded": (0.85, 0.85),
    **dict.fromkeys(VALUES, (0.98, None)),
}
_NO_GOAL = (None, None)
_ORDER = ("rules", *sorted(RULES), "decisions", "superseded", "preference", "question", "todo", *VALUES)


class Row(Struct):
    """One line of the report. `wanted` labels, `found` of them; `predicted` items, `right` of them.

    The row `rules` counts a rule as found whatever its field is called; the rows of the four fields do not. The row
    `superseded` counts ids of earlier items. Values have no precision: an item may hold more than its label.
    """

    what: str
    wanted: int = 0
    found: int = 0
    predicted: int = 0
    right: int = 0

    @property
    def recall(self) -> float | None:
        return self.found / self.wanted if self.wanted else None

    @property
    def precision(self) -> float | None:
        return self.right / self.predicted if self.predicted else None

    @property
    def goals(self) -> tuple[float | None, float | None]:
        """Of recall and of precision; None where none was set."""
        return _GOALS.get(self.what, _NO_GOAL)


def meets(label: str, item: str) -> bool:
    """Whether the item says what the label says."""
    label, item = " ".join(label.split()), " ".join(item.split())
    return label in item or (item in label and len(item) >= _LEAST_PART * len(label))


def score_turn(turn: Turn, changes: ItemChanges) -> list[Row]:
    """The counts of one turn, one row for each kind that occurs in every report."""
    added = changes.added
    scored = [
        _row("rules", turn.labels, added, RULES.__contains__, RULES.__contains__),
        *(_row(field, turn.labels, added, {field}.__contains__, {field}.__contains__) for field in sorted(RULES)),
        _decisions(turn.labels, added),
        _superseded(turn, changes),
        *(_row(field, turn.labels, added, {field}.__contains__, {field}.__contains__) for field in ("preference", "question", "todo")),
    ]
    for value in VALUES:
        wanted = [label.text for label in turn.labels if label.field == value]
        scored.append(Row(value, len(wanted), sum(any(text in item.text for item in added) for text in wanted)))
    return scored


def rows(scored: Iterable[Sequence[Row]]) -> list[Row]:
    """The sum of the counts of many turns, in the order of the report."""
    sums = {what: Row(what) for what in _ORDER}
    for of_turn in scored:
        for row in of_turn:
            total = sums[row.what]
            total.wanted += row.wanted
            total.found += row.found
            total.predicted += row.predicted
            total.right += row.right
    return list(sums.values())


def _row(
    what: str,
    labels: Sequence[Label],
    items: Sequence[SummaryItem],
    is_wanted: Callable[[str], bool],
    is_predicted: Callable[[str], bool],
) -> Row:
    wanted = [label.text for label in labels if is_wanted(label.field)]
    predicted = [item.text for item in items if is_predicted(item.field)]
    return Row(
        what,
        len(wanted),
        sum(any(meets(label, item) for item in predicted) for label in wanted),
        len(predicted),
        sum(any(meets(label, item) for label in wanted) for item in predicted),
    )


def _decisions(labels: Sequence[Label], items: Sequence[SummaryItem]) -> Row:
    """A reversal is found too where it became a rule that supersedes the earlier item."""
    row = _row("decisions", labels, items, DECISIONS.__contains__, {"decision"}.__contains__)
    decided = [item.text for item in items if item.field == "decision"]
    replacing = [item.text for item in items if item.field in RULES and item.supersedes]
    for label in labels:
        if label.field == "reversal" and not any(meets(label.text, text) for text in decided):
            row.found += any(meets(label.text, text) for text in replacing)
    return row


def _superseded(turn: Turn, changes: ItemChanges) -> Row:
    wanted, named = set(turn.supersedes), set(changes.superseded)
    both = len(wanted & named)
    return Row("superseded", len(wanted), both, len(named), both)
