"""The closed union of ledger entries. FROZEN: an entry once written is decoded forever.

A field may be added with a default; a changed meaning takes a new tag. `ENTRY_VERSION` rises when the
way an entry is folded changes.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import Struct

from trimtab.core.budget import BudgetReport
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
from trimtab.core.messages import Role, Source, Status, WireName
from trimtab.core.plan import Decision, Segment
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
    "Entry",
    "Given",
    "HistoryDropped",
    "Indexed",
    "Inherited",
    "InstructionsSet",
    "ItemsChanged",
    "MessageAdded",
    "MetaContextSet",
    "MetaNoted",
    "NeedDeclared",
    "Node",
    "NoteWritten",
    "Pinned",
    "RebuildAsked",
    "Recalled",
    "RecalledHit",
    "Repair",
    "RequestSent",
    "RolledBack",
    "ScratchpadCleared",
    "Shared",
    "StepBegun",
    "Unpinned",
    "UsageReported",
    "VariableStored",
    "WindowLearned",
    "decode_entry",
    "encode_entry",
    "kind_of",
]

ENTRY_VERSION = 3

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


class Compacted(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="compacted"):
    """A new epoch: the projection is assembled anew.

    Attributes:
        kind: "compaction" where history left, "rebuild" where only its form changed.
        cut_seq: every message up to here has left (or had left before); 0 for none.
        front: our sections before the history, as of this epoch.
        segments: the history as it stands from now on, in prompt order.
        decisions: what changed for which entries.
        tokens_before, tokens_after: of the history.
        covered: (first seq, last seq) of what left now; (0, 0) for nothing.
        fruitless: the history is still over its trigger.
    """

    epoch: int
    kind: str
    reason: str
    action: str
    cut_seq: int
    front: tuple[Segment, ...]
    segments: tuple[Segment, ...]
    decisions: tuple[Decision, ...]
    tokens_before: int
    tokens_after: int
    covered: tuple[int, int] = (0, 0)
    fruitless: bool = False


class Cleared(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="cleared"):
    """Some segments of the projection were replaced by smaller ones; the rest stands."""

    epoch: int
    segments: tuple[Segment, ...]
    decisions: tuple[Decision, ...]
    freed_tokens: int


class Repair(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="repair"):
    """Something was added so that the provider takes the prompt."""

    seq: int
    call_id: str
    segment: Segment


class RequestSent(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="request"):
    """A request, recorded before it leaves. What is not here is what the last request of the epoch had.

    Attributes:
        number: 1, 2, 3 ... within the lane, over all branches.
        as_of_seq: the state it was planned from.
        front: our sections before the history, where they changed; None for "as before".
        appended: segments that joined the projection with this request.
        loose: segments after them that are not frozen (an exchange that still waits for results).
        tail: our text near the input. Not frozen, unless `tail_frozen`: then what of it is new is in `appended`.
        tail_at: how many segments of projection and loose stand before the tail.
        shared_tokens: what the next prompt can share: tokens of all that stands before the tail and is frozen.
        system_ids: body ids of the client's instructions, in order.
        tools_id, params_id: body ids of the tool list and of the other parameters, "" for none.
        sections: tokens by section, "tools" among them.
        decisions: changes since the last request.
        budget: the arithmetic.
        prefix_tokens: tokens shared with the last request's prefix.
        break_reason: why the prefix is not the last prompt without its tail; "" where it is.
        fingerprint: of everything outside the ledger that it depended on.
        level: step of the mode's state machine.
    """

    number: int
    as_of_seq: int
    epoch: int
    target: Target
    settings_hash: str
    counter_id: str
    renderer_version: int
    tokens: int
    budget: BudgetReport
    sections: dict[str, int]
    fingerprint: str
    tail_at: int = 0
    shared_tokens: int = 0
    prefix_tokens: int = 0
    front: tuple[Segment, ...] | None = None
    appended: tuple[Segment, ...] = ()
    loose: tuple[Segment, ...] = ()
    tail: tuple[Segment, ...] = ()
    system_ids: tuple[str, ...] = ()
    tools_id: str = ""
    params_id: str = ""
    decisions: tuple[Decision, ...] = ()
    break_reason: str = ""
    cuts: tuple[str, ...] = ()
    level: int = 0
    tail_frozen: bool = False
    calibration_id: str = ""
    layout: str = ""


class UsageReported(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="usage"):
    """What the provider counted for a request."""

    request: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0


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
