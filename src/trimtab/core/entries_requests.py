"""Entries about requests: what was sent, how the projection changed for it, and what a provider counted. Part of the closed
union of `entries.py`, and as FROZEN."""

from __future__ import annotations

from msgspec import Struct

from trimtab.core.budget import BudgetReport
from trimtab.core.plan import Decision, Segment
from trimtab.core.target import Target


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
