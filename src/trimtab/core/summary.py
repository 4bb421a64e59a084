"""The summary as a set of items. Items are added, superseded and closed; no text is ever rewritten."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

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
    """

    item_id: str
    field: Field
    text: str
    source_ids: tuple[int, ...]
    status: ItemStatus = "active"
    supersedes: str = ""


class ItemChanges(Struct, frozen=True, array_like=True):
    """What one message (or one compaction) does to the items."""

    added: tuple[SummaryItem, ...] = ()
    superseded: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.superseded or self.closed)
