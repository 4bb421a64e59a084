"""The closed union of ledger entries. FROZEN: an entry once written is decoded forever.

A field may be added with a default; a changed meaning takes a new tag. `ENTRY_VERSION` rises when the
way an entry is folded changes.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import Struct

from trimtab.core.entries_memory import (
    BriefSet,
    Checkpointed,
    ConflictFound,
    ConflictSettled,
    Distilled,
    DocumentAdded,
    DocumentDropped,
    Given,
    HistoryDropped,
    Indexed,
    Inherited,
    ItemsChanged,
    MetaContextSet,
    MetaNoted,
    NeedDeclared,
    NoteWritten,
    Pinned,
    Recalled,
    RecalledHit,
    RolledBack,
    ScratchpadCleared,
    Shared,
    StepBegun,
    Unpinned,
    VariableStored,
)
from trimtab.core.entries_requests import Cleared, Compacted, Repair, RequestSent, UsageReported
from trimtab.core.entries_task import (
    Acted,
    Asserted,
    DriftFlagged,
    Judged,
    PlanChanged,
    ProposalRefused,
    StepMoved,
    TaskEnded,
    TaskNoted,
    TaskResumed,
    TaskSet,
)
from trimtab.core.messages import Role, Source, Status, WireName
from trimtab.core.target import Target
from trimtab.core.units import Unit

__all__ = [
    "ENTRY_VERSION",
    "HAS_BROKEN_ARGUMENTS",
    "HAS_FENCE",
    "HAS_MEDIA",
    "HAS_REASONING",
    "HAS_TEXT",
    "HAS_USER_INPUT",
    "IS_EMPTY",
    "Acted",
    "Asserted",
    "BodyReplaced",
    "Branched",
    "BriefSet",
    "Checkpointed",
    "Cleared",
    "Compacted",
    "CompactionUndone",
    "ConflictFound",
    "ConflictSettled",
    "CounterChanged",
    "Degraded",
    "Distilled",
    "DocumentAdded",
    "DocumentDropped",
    "DriftFlagged",
    "Entry",
    "Given",
    "HistoryDropped",
    "Indexed",
    "Inherited",
    "InstructionsSet",
    "ItemsChanged",
    "Judged",
    "MessageAdded",
    "MetaContextSet",
    "MetaNoted",
    "NeedDeclared",
    "Node",
    "NoteWritten",
    "Pinned",
    "PlanChanged",
    "ProposalRefused",
    "RebuildAsked",
    "Recalled",
    "RecalledHit",
    "Repair",
    "RequestSent",
    "RolledBack",
    "ScratchpadCleared",
    "Shared",
    "StepBegun",
    "StepMoved",
    "TaskEnded",
    "TaskNoted",
    "TaskResumed",
    "TaskSet",
    "Unpinned",
    "UsageReported",
    "VariableStored",
    "WindowLearned",
    "decode_entry",
    "encode_entry",
    "kind_of",
]

ENTRY_VERSION = 4

HAS_USER_INPUT = 1
HAS_REASONING = 2
HAS_MEDIA = 4
HAS_TEXT = 8
HAS_FENCE = 16
IS_EMPTY = 32
HAS_BROKEN_ARGUMENTS = 64


class Node(Struct, frozen=True, array_like=True):
    """What is known of a message without its text.

    Attributes:
        seq: its place in the lane.
        lineage: identity of the conversation up to and with it.
        content: identity of what it says, wherever it stands.
        body_id: identity of its bytes.
        tokens: raw count by the session's counter, framing included.
        result_tokens: the part of `tokens` that is the content of tool results.
        calls: (call id, tool name) of each call it makes, in order.
        results: call ids it answers, in order.
        flags: HAS_* bits.
        at_ms: when it was recorded, Unix milliseconds.
    """

    seq: int
    lineage: str
    content: str
    body_id: str
    wire: WireName
    role: Role
    tokens: int
    result_tokens: int = 0
    calls: tuple[tuple[str, str], ...] = ()
    results: tuple[str, ...] = ()
    flags: int = 0
    status: Status = "complete"
    source: Source = "user"
    at_ms: int = 0

    @property
    def opens_turn(self) -> bool:
        return bool(self.flags & HAS_USER_INPUT)

    @property
    def has_reasoning(self) -> bool:
        return bool(self.flags & HAS_REASONING)


class MessageAdded(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="message"):
    """A message of the history.

    Attributes:
        indexed_seq: messages up to here were made searchable together with it; 0 for none.
    """

    node: Node
    key: str = ""
    indexed_seq: int = 0


class BodyReplaced(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="body"):
    """The same message came again with reasoning that the stored bytes lack."""

    seq: int
    node: Node


class InstructionsSet(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="instructions"):
    """The client's own system text: leading system messages, or the request's `system`. Replaces the last."""

    nodes: tuple[Node, ...]


class WindowLearned(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="window"):
    """A provider said "too long": the true window of that target, and a cap below what it refused (0: unknown).

    The window holds for that model behind that upstream; the cap for the next request only.
    """

    target: Target
    window_tokens: int
    cap_tokens: int


class CounterChanged(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="counter"):
    """Another tokenizer: counts of what is live, as (seq, tokens, result tokens)."""

    counter_id: str
    tokens: tuple[tuple[int, int, int], ...]


class Branched(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="branch"):
    """The client edited or regenerated: its history leaves the stored one after `to_seq`."""

    to_seq: int
    why: str = ""


class RebuildAsked(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="rebuild"):
    """The next prompt is assembled anew from ledger, state and summary."""

    why: str = ""


class Degraded(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="degraded"):
    """Something of ours failed and the deterministic path served."""

    cause: str
    detail: str = ""


class CompactionUndone(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="undone"):
    """What the compaction of that epoch took out is back. History is cut again only where it would not fit.

    Attributes:
        cut_seq, holes: as they were before it.
        units, nodes: what comes back, in order.
    """

    epoch: int
    cut_seq: int
    holes: tuple[int, ...]
    units: tuple[Unit, ...]
    nodes: tuple[Node, ...]


Entry: TypeAlias = (
    MessageAdded
    | BodyReplaced
    | InstructionsSet
    | MetaContextSet
    | BriefSet
    | Pinned
    | Unpinned
    | NoteWritten
    | ItemsChanged
    | Recalled
    | Indexed
    | Compacted
    | Cleared
    | Repair
    | RequestSent
    | UsageReported
    | WindowLearned
    | CounterChanged
    | Checkpointed
    | RolledBack
    | Branched
    | RebuildAsked
    | Degraded
    | VariableStored
    | MetaNoted
    | StepBegun
    | NeedDeclared
    | HistoryDropped
    | ScratchpadCleared
    | CompactionUndone
    | Distilled
    | Inherited
    | ConflictFound
    | ConflictSettled
    | DocumentAdded
    | DocumentDropped
    | Shared
    | Given
    | TaskSet
    | PlanChanged
    | StepMoved
    | ProposalRefused
    | TaskNoted
    | TaskEnded
    | TaskResumed
    | Acted
    | DriftFlagged
    | Judged
    | Asserted
)

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def encode_entry(entry: Entry) -> bytes:
    return _encoder.encode(entry)


def decode_entry(data: bytes) -> Entry:
    """Raises msgspec.DecodeError (also for an unknown tag)."""
    return _decoder.decode(data)


def kind_of(entry: Entry) -> str:
    return str(entry.__struct_config__.tag)
