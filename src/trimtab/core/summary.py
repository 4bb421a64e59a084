"""The summary as a set of items. Items are added, superseded and closed; no text is ever rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

Field: TypeAlias = Literal[
    "goal",
    "constraint",
    "negative",
    "role",
    "format",
    "preference",
    "decision",
    "question",
    "todo",
    "fact",
    "state",
    "structure",
    "action",
    "failed",
]
# most important first: a cut by length loses the end of this list first (REQUIREMENTS S1)
FIELDS: tuple[Field, ...] = (
    "goal",
    "constraint",
    "negative",
    "role",
    "format",
    "decision",
    "preference",
    "question",
    "todo",
    "failed",
    "state",
    "fact",
    "structure",
    "action",
)
# these stand verbatim in every prompt, outside the summary's cap (REQUIREMENTS S3)
PINNED_FIELDS: frozenset[Field] = frozenset({"constraint", "negative", "role", "format", "decision"})
ItemStatus: TypeAlias = Literal["active", "superseded", "done"]


class SummaryItem(Struct, frozen=True, array_like=True):
    """One proposition.

    Attributes:
        item_id: unique in its lane, made from the seq of its source ("i12.0").
        field: what kind of thing it says.
        text: verbatim from its source for constraint, negative, role, format and decision.
        source_ids: seqs of the messages it comes from.
        status: only `active` items stand in prompts.
        supersedes: id of the item it replaces, or "".
        reason: why, where the source gives one.
        author: who wrote it down: `code`, a model's name, or `user`.
        origin: "" for this lane; else the lane that `source_ids` belong to.
    """

    item_id: str
    field: Field
    text: str
    source_ids: tuple[int, ...]
    status: ItemStatus = "active"
    supersedes: str = ""
    reason: str = ""
    author: str = "code"
    origin: str = ""


class ItemChanges(Struct, frozen=True, array_like=True):
    """What one message (or one compaction) does to the items."""

    added: tuple[SummaryItem, ...] = ()
    superseded: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.superseded or self.closed)


_TITLES: dict[Field, str] = {
    "goal": "Goal",
    "preference": "Preferences",
    "question": "Open questions",
    "todo": "To do",
    "failed": "Tried and failed",
    "state": "State",
    "fact": "Facts",
    "structure": "Structure of what was left out",
    "action": "Done so far",
}
_SUMMARY_FIELDS: tuple[Field, ...] = tuple(field for field in FIELDS if field not in PINNED_FIELDS)
_RULE_GROUPS: tuple[tuple[str, frozenset[Field]], ...] = (
    ("Must", frozenset({"constraint"})),
    ("Never", frozenset({"negative"})),
    ("Role and format", frozenset({"role", "format"})),
    ("Decisions", frozenset({"decision"})),
)
_FOLDED_HEAD = "Older decisions that stand, by id (query_memory gives their words):"
# the newest few of every field come before the rest of any: many facts must not push out every action line
_FIRST_PER_FIELD = 5
# an item above this share of the cap is passed over, so that one giant does not keep all others out
_GIANT_RATIO = 0.25


def apply_changes(items: Sequence[SummaryItem], changes: ItemChanges) -> tuple[SummaryItem, ...]:
    """The items after the changes, in their old order with the added ones last. No text changes.

    Superseded and closed items stay, with their new status, so that lineage can be told. An added item whose id
    is known already is left out. Ids that are not known are passed over.
    """
    if not changes:
        return tuple(items)
    superseded = set(changes.superseded) | {item.supersedes for item in changes.added if item.supersedes}
    closed = set(changes.closed)
    kept: Iterable[SummaryItem] = items
    if superseded or closed:
        kept = [_with_status(item, superseded, closed) for item in items]
    if not changes.added:
        return tuple(kept)
    wanted = {item.item_id for item in changes.added}
    known = wanted.intersection([item.item_id for item in items])
    return (*kept, *(item for item in changes.added if item.item_id not in known))


def _with_status(item: SummaryItem, superseded: set[str], closed: set[str]) -> SummaryItem:
    if item.status != "active":
        return item
    if item.item_id in superseded:
        return replace(item, status="superseded")
    return replace(item, status="done") if item.item_id in closed else item


def diff(old: Sequence[SummaryItem], new: Sequence[SummaryItem]) -> ItemChanges:
    """What leads from `old` to `new`, where `new` came from `old` by changes: apply_changes(old, diff) == new."""
    before = {item.item_id: item.status for item in old}
    moved = [item for item in new if before.get(item.item_id) == "active" and item.status != "active"]
    return ItemChanges(
        added=tuple(item for item in new if item.item_id not in before),
        superseded=tuple(item.item_id for item in moved if item.status == "superseded"),
        closed=tuple(item.item_id for item in moved if item.status == "done"),
    )


def render_summary(items: Sequence[SummaryItem], max_tokens: int, count: Callable[[str], int]) -> str:
    """The active items that are not pinned, one line each, under headings in the order of FIELDS.

    `count` gives the tokens of a text; the result never has more than `max_tokens`. What does not fit is lost from
    the end of this order: the newest five of each field by importance of field, then the rest by field and age.
    White space inside a text becomes single spaces (a line break could fake a heading); nothing else changes.
    "" where nothing is to be said or nothing fits.
    """
    chosen: list[SummaryItem] = []
    titled: set[Field] = set()
    room = max_tokens
    for item in _by_importance(items):
        cost = count(_line(item) + "\n")
        if item.field not in titled:
            cost += count(f"{_TITLES[item.field]}:\n")
        if cost <= room:
            chosen.append(item)
            titled.add(item.field)
            room -= cost
        elif cost <= max_tokens * _GIANT_RATIO:
            break
    # counts of pieces need not add up to the count of the whole
    while chosen and count(text := _summary_text(chosen)) > max_tokens:
        chosen.pop()
    return text if chosen else ""


def _by_importance(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    by_field: dict[Field, list[SummaryItem]] = {field: [] for field in _SUMMARY_FIELDS}
    for item in reversed(items):
        if item.status == "active" and item.field in by_field and item.text.strip():
            by_field[item.field].append(item)
    newest = [item for found in by_field.values() for item in found[:_FIRST_PER_FIELD]]
    return newest + [item for found in by_field.values() for item in found[_FIRST_PER_FIELD:]]


def _line(item: SummaryItem) -> str:
    return f"- {' '.join(item.text.split())} [{item.item_id}]"


def _summary_text(chosen: Sequence[SummaryItem]) -> str:
    lines: list[str] = []
    for field in _SUMMARY_FIELDS:
        # chosen runs from new to old; a reader wants the order in which things were said
        found = [_line(item) for item in reversed(chosen) if item.field == field]
        if found:
            lines += [f"{_TITLES[field]}:", *found]
    return "\n".join(lines)


def render_rules(items: Sequence[SummaryItem], folded: frozenset[str] = frozenset()) -> str:
    """The active pinned items, every text verbatim, grouped: Must, Never, Role and format, Decisions; oldest first.

    Args:
        folded: ids of decisions that stand by their id alone, see `folded_decisions`.
    """
    blocks: list[str] = []
    for title, fields in _RULE_GROUPS:
        shown = [item for item in items if item.status == "active" and item.field in fields and item.item_id not in folded]
        texts = dict.fromkeys(_rule_line(item) for item in shown)
        if texts:
            blocks.append("\n".join([f"{title}:", *texts]))
    ids = [item.item_id for item in items if item.item_id in folded]
    if ids:
        blocks.append(f"{_FOLDED_HEAD} {', '.join(ids)}")
    return "\n".join(blocks)


def _rule_line(item: SummaryItem) -> str:
    return f"- {item.text}" + (f" ({item.reason})" if item.reason else "")


def folded_decisions(items: Sequence[SummaryItem], max_tokens: int, count: Callable[[str], int]) -> frozenset[str]:
    """Ids of the oldest decisions that fold to their ids, so that the rules stay within `max_tokens` (REQUIREMENTS
    S3). Constraints never fold, however long they are; the newest decisions stay as long as any of them fit."""
    # a token is at least one character
    if sum(len(item.text) + len(item.reason) + 3 for item in items) <= max_tokens:
        return frozenset()
    over = count(render_rules(items)) - max_tokens
    folded: list[str] = []
    for item in items:
        if over <= 0:
            break
        if item.field == "decision" and item.status == "active":
            if not folded:
                over += count(_FOLDED_HEAD)
            folded.append(item.item_id)
            over -= count(_rule_line(item) + "\n") - count(f"{item.item_id}, ")
    return frozenset(folded)
