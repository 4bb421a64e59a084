"""A prompt in the making, and the plan it ends as."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from trimtab.core.assemble import is_instruction
from trimtab.core.body import Body, tokens_of
from trimtab.core.budget import BudgetReport
from trimtab.core.entries import Cleared, Compacted, Repair, RequestSent
from trimtab.core.inputs import PlanInputs
from trimtab.core.plan import Segment
from trimtab.core.state import SessionState


class PromptPlan(Struct, frozen=True, kw_only=True):
    """What to commit, in this order, and what the prompt consists of.

    Attributes:
        break_entry: the epoch or the clearing that this request begins, if any.
        repairs: what was added so that the provider takes it.
        request: its number is filled in by the shell.
        segments: everything in prompt order.
        budget: the arithmetic.
    """

    break_entry: Compacted | Cleared | None
    repairs: tuple[Repair, ...]
    request: RequestSent
    segments: tuple[Segment, ...]
    budget: BudgetReport


class Draft(Struct, kw_only=True):
    """Sections as chosen so far. `frozen` is what stands from earlier requests (None: the state's projection).

    Attributes:
        body: new segments on top of `frozen`; where `whole` is set, all of the history.
        summary_max_tokens: cap that the front's summary was made under.
    """

    front: tuple[Segment, ...]
    body: Body
    tail: tuple[Segment, ...]
    whole: bool = False
    entry: Compacted | Cleared | None = None
    frozen: list[Segment] | None = None
    frozen_tokens: int = 0
    break_reason: str = ""
    cuts: list[str] = []

    def frozen_segments(self, state: SessionState) -> Sequence[Segment]:
        if self.whole:
            return ()
        return self.frozen if self.frozen is not None else state.projection

    def filler_tokens(self, state: SessionState, inputs: PlanInputs) -> int:
        """What the wire form has to add, because the history no longer begins with the user."""
        if not inputs.filler_tokens:
            return 0
        frozen = self.frozen_segments(state)
        first = frozen[0] if frozen else next(iter((*self.body.segments[:1], *self.body.loose[:1])), None)
        spoken = first is not None and first.place == "message" and (first.source == "user" or first.reason == "repaired")
        return 0 if spoken else inputs.filler_tokens

    def new_tail(self, state: SessionState, inputs: PlanInputs) -> tuple[Segment, ...]:
        """The tail blocks that this prompt adds: in append mode none where nothing changed since the last."""
        if not inputs.tail_frozen or self.whole or state.last is None:
            return self.tail
        sent = {segment.segment_id for segment in state.last.tail}
        if {segment.segment_id for segment in self.tail} == sent:
            return ()
        return tuple(segment for segment in self.tail if segment.segment_id not in sent)

    def history_tokens(self, state: SessionState, inputs: PlanInputs) -> int:
        """Everything but instructions. Tail blocks of earlier requests that still stand are history too."""
        front = sum(segment.tokens for segment in self.front if not is_instruction(segment.section))
        tail = sum(segment.tokens for segment in self.new_tail(state, inputs) if not is_instruction(segment.section))
        return front + tail + self.frozen_tokens + self.body.tokens

    def shrinkable_tokens(self, state: SessionState, inputs: PlanInputs) -> int:
        """The history without recalled turns and the step's variables: no compaction makes them fewer."""
        ours = (*self.front, *self.new_tail(state, inputs))
        return self.history_tokens(state, inputs) - tokens_of([row for row in ours if row.section in ("fragments", "variables")])

    def instruction_tokens(self, state: SessionState, inputs: PlanInputs) -> int:
        ours = (*self.front, *self.new_tail(state, inputs))
        fixed = inputs.system_tokens + inputs.tools_tokens + self.filler_tokens(state, inputs)
        return fixed + sum(segment.tokens for segment in ours if is_instruction(segment.section))

    def tokens(self, state: SessionState, inputs: PlanInputs) -> int:
        return self.history_tokens(state, inputs) + self.instruction_tokens(state, inputs)


def start_draft(state: SessionState, front: tuple[Segment, ...], body: Body, tail: tuple[Segment, ...]) -> Draft:
    return Draft(front=front, body=body, tail=tail, frozen_tokens=state.projection_tokens, cuts=[])


def whole_draft(front: tuple[Segment, ...], body: Body, tail: tuple[Segment, ...], entry: Compacted) -> Draft:
    return Draft(front=front, body=body, tail=tail, whole=True, entry=entry, cuts=[])


def common_tokens(old: Sequence[Segment], new: Sequence[Segment]) -> int:
    """Tokens of the segments that both begin with."""
    shared = 0
    for before, after in zip(old, new, strict=False):
        if before.segment_id != after.segment_id:
            return tokens_of(new[:shared])
        shared += 1
    return tokens_of(new[:shared])


def loose_moved(state: SessionState, draft: Draft) -> bool:
    """Whether an exchange that the last prompt showed without all its results stands otherwise now."""
    shown = state.last.loose if state.last is not None else ()
    now = [segment.segment_id for segment in (*draft.body.segments, *draft.body.loose)[: len(shown)]]
    return tuple(now) != shown
