"""What a plan consists of: segments, decisions, and the reasons that may be given. All closed lists."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from trimtab.core.messages import Source

Section: TypeAlias = Literal[
    "client_system",
    "meta_context",
    "brief",
    "constraints",
    "task_state",
    "plan",
    "fragments",
    "variables",
    "notes",
    "meta_notes",
    "summary",
    "recent",
    "reminder",
    "input",
]
SECTIONS: tuple[Section, ...] = (
    "client_system",
    "meta_context",
    "brief",
    "constraints",
    "task_state",
    "plan",
    "fragments",
    "variables",
    "notes",
    "meta_notes",
    "summary",
    "recent",
    "reminder",
    "input",
)

Action: TypeAlias = Literal["keep", "stub", "clear", "clamp", "drop", "summarize", "inject", "recall"]

Reason: TypeAlias = Literal[
    "instructions",  # the client's own system text
    "pinned",  # the caller or a rule pinned it
    "opened_turn",  # the user message that opened the current turn
    "current_input",  # what this request is about
    "recent",  # among the rounds that the mode keeps
    "open_call",  # a call without a result; a fixed answer of ours stands for it
    "large_result",  # too large to enter a prefix whole
    "result_used",  # a tool result that the model has had its use of
    "oversized",  # one message larger than its share
    "left_window",  # older than the last N rounds
    "trigger",  # history passed the trigger
    "rounds",  # more rounds than the mode keeps
    "over_budget",  # the prompt would not have fitted
    "reasoning_unbound",  # reasoning whose prefix changed goes, its message stays
    "matched",  # recalled for the current input
    "state",  # a section made from the session's state
    "repaired",  # added so that the provider takes the prompt
    "translated",  # the same message in another wire form
    "escaped",  # look-alikes of our fences made harmless
    "late_result",  # a result that came after its call had been given up
    "replaced",  # a newer result of the same call stands in its place
    "empty",  # a message that says nothing, which providers refuse
    "client_changed",  # the client's own system text or tools changed
    "asked",  # the caller asked to assemble anew
    "dropped",  # the agent or the caller needs it no more
    "needed",  # the current step reads it, or a later step is declared to need it
    "no_progress",  # compactions left the history over its trigger, so another way was taken
    "undone",  # a compaction was taken back
    "new_target",  # another model, wire form or layout than the last request
]

MemoryKind: TypeAlias = Literal["working", "project", "rules"]
Place: TypeAlias = Literal["client", "front", "message", "tail"]
NO_RANGE = (0, 0)


class Decision(Struct, frozen=True, array_like=True):
    """What happens to the entries `first_seq..last_seq` (both included) until another decision replaces it."""

    first_seq: int
    last_seq: int
    action: Action
    reason: Reason
    scores: dict[str, float] = {}


class Segment(Struct, frozen=True, array_like=True):
    """One piece of a prompt. Its bytes are stored under `segment_id`, apart from it.

    Attributes:
        segment_id: content address of its bytes; for a message that goes out as it came in, its body id.
        section: where in the layout it belongs.
        place: `client` system text of the client, `front` our text before the history, `message` a message
            (bytes: JSON array of wire messages, or the one wire object), `tail` our text near the input.
        tokens: by the session's counter, framing included.
        origin: entry seqs it was made from (first, last); (0, 0) for what the session's state gives.
        reason: why it is in.
        pinned: never left out.
        action: how it stands for its origin.
        turn: number of the turn it belongs to; 0 for sections.
        source: whose words it holds.
        origin_ids: every message whose words it repeats, for a section of ours; erasure reaches it by them.
        bound: whether it holds reasoning that is valid only after exactly this prefix.
    """

    segment_id: str
    section: Section
    place: Place
    tokens: int
    origin: tuple[int, int] = NO_RANGE
    reason: Reason = "recent"
    pinned: bool = False
    action: Action = "keep"
    turn: int = 0
    source: Source = "system"
    bound: bool = False
    origin_ids: tuple[int, ...] = ()

    @property
    def memory(self) -> MemoryKind:
        """Which of the three lives it has (REQUIREMENTS M2)."""
        if self.place == "client" or self.section in ("meta_context", "constraints", "reminder"):
            return "rules"
        if self.source == "tool" or self.section in ("fragments", "variables"):
            return "working"
        return "project"


class RenderItem(Struct, frozen=True, array_like=True):
    """What the wire needs of a segment: where it stands and its bytes."""

    place: Place
    payload: bytes
