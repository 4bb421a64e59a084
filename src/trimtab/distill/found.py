"""What is being gathered of one message while it is read."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from trimtab.core.messages import Message
from trimtab.core.summary import PINNED_FIELDS, Field, ItemChanges, SummaryItem

_REPLACEABLE = PINNED_FIELDS | {"preference"}


class Part(Struct, frozen=True):
    """A stretch of the author's own words: as it is, with the words of others blanked out, and the message around it."""

    text: str
    masked: str
    message: str
    is_user: bool


class Found(Struct):
    """What is being gathered of one message."""

    seq: int
    active: Sequence[SummaryItem]
    recent: Sequence[Message]
    added: list[SummaryItem] = []
    superseded: list[str] = []
    closed: list[str] = []
    questions: int = 0
    texts: set[str] | None = None
    replaceable: list[SummaryItem] | None = None

    def add(self, field: Field, text: str, supersedes: str = "", reason: str = "") -> None:
        """Add an item unless one that says the same in the same words is active."""
        text = text.strip()
        if self.texts is None:
            self.texts = {item.text for item in self.active if item.status == "active"}
        if not text or text in self.texts:
            return
        self.texts.add(text)
        if supersedes:
            self.superseded.append(supersedes)
        self.added.append(SummaryItem(f"i{self.seq}.{len(self.added)}", field, text, (self.seq,), "active", supersedes, reason))

    def candidates(self) -> tuple[list[SummaryItem], list[SummaryItem]]:
        """The items that a sentence may replace, oldest first, each only once: those before this message, then its own."""
        if self.replaceable is None:
            self.replaceable = [item for item in self.active if item.status == "active" and item.field in _REPLACEABLE]
        ours = [item for item in self.added if item.field in _REPLACEABLE]
        return self._still(self.replaceable), self._still(ours)

    def _still(self, items: list[SummaryItem]) -> list[SummaryItem]:
        return [item for item in items if item.item_id not in self.superseded] if self.superseded else items

    def changes(self) -> ItemChanges:
        return ItemChanges(tuple(self.added), tuple(self.superseded), tuple(dict.fromkeys(self.closed)))
