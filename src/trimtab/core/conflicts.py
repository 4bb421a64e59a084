"""Where something recalled says other than what was decided: an open matter that only the user or the caller settles.

A conflict is named by what it is about, the item and the fragment's sentence. So the same fragment against the same item is
the same conflict in every branch and after every restart, and one that was settled is never raised again.
"""

from __future__ import annotations

import hashlib
from typing import Literal, TypeAlias

from msgspec import Struct

ConflictKind: TypeAlias = Literal["value", "open_question"]
# `other`: the user decided something that is neither
Keep: TypeAlias = Literal["decision", "fragment", "other"]
SettledBy: TypeAlias = Literal["caller", "user"]

_ID_CHARS = 8
_SHOWN_CHARS = 300


class Conflict(Struct, frozen=True, array_like=True):
    """A sentence of something recalled that says other than an item of the summary or a pin; see `Session.settle`.

    Attributes:
        conflict_id: what `settle` takes; the same for the same item and sentence, in every branch and after a restart.
        item_id: of the item, or of the pin.
        item_text: its words, verbatim.
        field: of the item; "pin" for a pin.
        ref: where the fragment is from, as a reader knows it ("guide.md, Install > Linux").
        text: the fragment's sentence, verbatim.
        kind: `value` against a rule or a decision, `open_question` where it answers what the user left open.
        fragment_hash: of the sentence, without regard to white space.
    """

    conflict_id: str
    item_id: str
    item_text: str
    field: str
    ref: str
    text: str
    kind: ConflictKind = "value"
    fragment_hash: str = ""


def make_conflict(item_id: str, item_text: str, field: str, ref: str, text: str, kind: ConflictKind) -> Conflict:
    digest = _digest(" ".join(text.split()))
    return Conflict("c" + _digest(f"{item_id}\n{digest}")[:_ID_CHARS], item_id, item_text, field, ref, text, kind, digest)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def conflict_line(conflict: Conflict) -> str:
    """What stands beside the fragment while the conflict is open. The item's words are never shortened."""
    said, ours = _one_line(conflict.text, _SHOWN_CHARS), _one_line(conflict.item_text)
    if conflict.kind == "open_question":
        return (
            f"Conflict {conflict.conflict_id}: this fragment says: {said}; the user's question [{conflict.item_id}] is open: {ours} "
            "It stays open until the user or the caller settles it."
        )
    return (
        f"Conflict {conflict.conflict_id}: this fragment says: {said}; what was confirmed [{conflict.item_id}] says: {ours} "
        "That stands until the user or the caller settles it."
    )


def _one_line(text: str, most_chars: int | None = None) -> str:
    line = " ".join(text.split())
    return line if most_chars is None or len(line) <= most_chars else line[: most_chars - 1] + "…"
