"""Conflicts between fragments and what was decided: which are flagged, which a message settles, what is refused.

Nothing here changes an item because of a fragment: that takes the caller's word, or the user's (REQUIREMENTS R5).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from trimtab.core.conflicts import Conflict, Keep, conflict_line, make_conflict
from trimtab.core.entries import ConflictSettled
from trimtab.core.sections import Fragment
from trimtab.core.state import SessionState
from trimtab.core.summary import PINNED_FIELDS, ItemChanges, SummaryItem
from trimtab.distill.disagree import adopts, disagreements, gives_value
from trimtab.distill.verdicts import verdict
from trimtab.errors import NotSettled

PIN_FIELD = "pin"
# of one prompt; more would drown what they are about
MOST_CONFLICTS = 20
_MOST_CHECKED_CHARS = 40_000
_SPEAKER = re.compile(r"^(?:user|assistant|system|tool): ", re.MULTILINE)


class Flagged(Struct, frozen=True):
    """Fragments with their marks; `open` are the conflicts of these fragments that nobody settled, `found` those of them
    that are new to the state."""

    fragments: tuple[Fragment, ...]
    open: tuple[Conflict, ...] = ()
    found: tuple[Conflict, ...] = ()


def disputable(state: SessionState) -> list[SummaryItem]:
    """What a fragment must not override: rules, decisions, the user's open questions, pins."""
    pins = [
        SummaryItem(pin.pin_id, "negative" if pin.polarity == "never" else "constraint", pin.text, (), author=PIN_FIELD)
        for pin in state.pins.values()
    ]
    return pins + [
        item
        for item in state.items.values()
        if item.field in PINNED_FIELDS or (item.field == "question" and item.author in ("code", "user"))
    ]


def flag(state: SessionState, fragments: Sequence[Fragment]) -> Flagged:
    """Mark each fragment that says other than what was decided. Pieces of documents come into conflict; a turn of this
    conversation that a later decision replaced is only marked as such."""
    items = disputable(state) if fragments else []
    if not items:
        return Flagged(tuple(fragments))
    marked: list[Fragment] = []
    unsettled: dict[str, Conflict] = {}
    for fragment in fragments:
        if fragment.kind == "turn":
            marks = _superseded_marks(fragment, items)
        else:
            conflicts = _conflicts_of(fragment, items)
            undecided = [row for row in conflicts if row.conflict_id not in state.decided][: MOST_CONFLICTS - len(unsettled)]
            unsettled |= {row.conflict_id: row for row in undecided}
            settled = [row for row in conflicts if row.conflict_id in state.decided and row.kind == "value"]
            marks = (*map(conflict_line, undecided), *(_settled_line(row) for row in settled))
        marked.append(msgspec.structs.replace(fragment, marks=marks) if marks else fragment)
    found = tuple(row for name, row in unsettled.items() if name not in state.conflicts)
    return Flagged(tuple(marked), tuple(unsettled.values()), found)


def _conflicts_of(fragment: Fragment, items: Sequence[SummaryItem]) -> list[Conflict]:
    by_id = {item.item_id: item for item in items}
    rows = []
    for row in disagreements(fragment.text, items):
        item = by_id[row.item_id]
        field = PIN_FIELD if item.author == PIN_FIELD else item.field
        rows.append(make_conflict(row.item_id, item.text, field, fragment.ref or fragment.topic, row.sentence, row.kind))
    return rows


def _settled_line(conflict: Conflict) -> str:
    return f"(settled: [{conflict.item_id}] stands: {' '.join(conflict.item_text.split())})"


def _superseded_marks(fragment: Fragment, items: Sequence[SummaryItem]) -> tuple[str, ...]:
    later = [
        item
        for item in items
        if item.author != PIN_FIELD and item.field != "question" and not item.origin and min(item.source_ids, default=0) > fragment.last_seq
    ]
    by_id = {item.item_id: item for item in later}
    rows = disagreements(_SPEAKER.sub("", fragment.text), later)
    return tuple(f"(superseded: [{row.item_id}] stands: {' '.join(by_id[row.item_id].text.split())})" for row in rows)


def kept_open(changes: ItemChanges, conflicts: Mapping[str, Conflict]) -> ItemChanges:
    """Changes by anyone but the user: what is disputed stays as it is, open questions among it."""
    disputed = {conflict.item_id for conflict in conflicts.values()}
    return msgspec.structs.replace(
        changes,
        superseded=tuple(item_id for item_id in changes.superseded if item_id not in disputed),
        closed=tuple(item_id for item_id in changes.closed if item_id not in disputed),
    )


def by_user(
    text: str, seq: int, active: Sequence[SummaryItem], changes: ItemChanges, conflicts: Mapping[str, Conflict]
) -> tuple[list[ConflictSettled], ItemChanges]:
    """What a user's message settles, and its changes with what follows from that.

    The user knew the fragment: it is not held against what the same message decides.
    """
    settled: list[ConflictSettled] = []
    known = {item.item_id for item in active}
    heirs = {item.supersedes: item for item in changes.added if item.supersedes}
    gone = {*changes.superseded, *changes.closed, *heirs}
    decided = [item for item in changes.added if item.field in PINNED_FIELDS]
    for conflict in conflicts.values():
        if conflict.item_id in gone:
            heir = heirs.get(conflict.item_id)
            agrees = heir is not None and gives_value(heir.text, conflict.text, conflict.item_text)
            keep: Keep | None = "fragment" if agrees else "other"
        else:
            keep = verdict(text, conflict, alone=len(conflicts) == 1)
            if keep == "fragment" and conflict.item_id in known:
                changes = with_item(changes, taken_over(conflict, f"i{seq}.c{len(settled)}", (seq,), author="code"))
        if keep is not None:
            settled.append(ConflictSettled(conflict.conflict_id, keep, "user", seq))
            settled += [ConflictSettled(name, "decision", "user", seq) for name in _same_again(conflict, decided)]
    return settled, changes


def _same_again(conflict: Conflict, decided: Sequence[SummaryItem]) -> list[str]:
    """Names that the conflict would have with the items that the message itself added."""
    against = {row.item_id for row in disagreements(conflict.text, decided)}
    return [
        make_conflict(item.item_id, item.text, item.field, conflict.ref, conflict.text, conflict.kind).conflict_id
        for item in decided
        if item.item_id in against
    ]


def taken_over(conflict: Conflict, item_id: str, source_ids: tuple[int, ...], author: str) -> SummaryItem:
    """The fragment's sentence as the decision that takes the item's place."""
    reason = f"from {conflict.ref}" if conflict.ref else ""
    return SummaryItem(item_id, "decision", conflict.text, source_ids, supersedes=conflict.item_id, reason=reason, author=author)


def with_item(changes: ItemChanges, item: SummaryItem) -> ItemChanges:
    """The changes with one more item, and what it supersedes."""
    return ItemChanges((*changes.added, item), (*changes.superseded, item.supersedes), changes.closed)


def refuse_adopting(state: SessionState, what: str, text: str, closes: Iterable[str] = ()) -> None:
    """Raises NotSettled where a text takes a fragment's side in an open conflict, or closes the question that it is about."""
    if not state.conflicts:
        return
    closed = set(closes)
    checked = text[:_MOST_CHECKED_CHARS]
    items = {item.item_id: item for item in disputable(state)}
    for conflict in state.conflicts.values():
        item = items.get(conflict.item_id)
        if item is None or conflict.conflict_id in checked:
            # what names the conflict tells of it
            continue
        if conflict.item_id in closed or adopts(checked, item, conflict.text):
            raise NotSettled(what, conflict)
