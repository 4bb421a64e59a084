"""A prompt as the caller gets it: what it costs, what is in it and why, and the request body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from trimtab.core.budget import BudgetReport
from trimtab.core.entries import RequestSent
from trimtab.core.finish import labelled
from trimtab.core.messages import WireName
from trimtab.core.plan import Decision, RenderItem, Segment
from trimtab.core.target import Target
from trimtab.errors import WrongTarget
from trimtab.session.bodies import Bodies
from trimtab.wire import wire_for
from trimtab.wire.common import decode

# sections whose tokens the current step is about (REQUIREMENTS M1)
USEFUL_SECTIONS = ("tools", "client_system", "meta_context", "brief", "constraints", "task_state", "plan", "reminder", "input")
LEFT_OUT_ACTIONS = frozenset({"drop", "summarize", "clear", "stub", "clamp"})


class Prompt:
    """One request, planned and recorded. Immutable; two calls of `render` give equal, separate bodies."""

    def __init__(
        self, entry: RequestSent, segments: tuple[Segment, ...], bodies: Bodies, load_decisions: Callable[[], tuple[Decision, ...]]
    ) -> None:
        self._entry, self._bodies, self._load_decisions = entry, bodies, load_decisions
        self._segments = segments
        self._decisions: tuple[Decision, ...] | None = None

    def __repr__(self) -> str:
        return f"<Prompt {self.number}: {self.tokens:,} of {self.budget.prompt_budget_tokens:,} tokens>"

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The pieces in prompt order, each with its tokens, origin and why it is in."""
        return labelled(self._segments)

    @property
    def number(self) -> int:
        """1, 2, 3 ... within the session's lane."""
        return self._entry.number

    @property
    def epoch(self) -> int:
        """How many times what was sent before has been rewritten."""
        return self._entry.epoch

    @property
    def tokens(self) -> int:
        """Of the whole request, tools included, by the session's counter."""
        return self._entry.tokens

    @property
    def sections(self) -> dict[str, int]:
        """Tokens by section, in prompt order where the layout has one."""
        return dict(self._entry.sections)

    @property
    def density(self) -> float:
        """Share of tokens that the current step is about: instructions, rules, state, current input."""
        useful = sum(self._entry.sections.get(name, 0) for name in USEFUL_SECTIONS)
        return useful / self.tokens if self.tokens else 0.0

    @property
    def budget(self) -> BudgetReport:
        """The arithmetic of this request."""
        return self._entry.budget

    @property
    def target(self) -> Target:
        return self._entry.target

    @property
    def cuts(self) -> tuple[str, ...]:
        """What fired at this request: compaction, clear, stub, clamp, rebuild."""
        return self._entry.cuts

    @property
    def common_prefix_tokens(self) -> int:
        """Tokens that this prompt's beginning shares with the last one's: what a provider's cache can serve."""
        return self._entry.prefix_tokens

    @property
    def break_reason(self) -> str:
        """Why the last prompt (without its tail) is not a prefix of this one; "" where it is."""
        return self._entry.break_reason

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """What holds for every entry of this branch, as ranges by seq."""
        if self._decisions is None:
            self._decisions = self._load_decisions()
        return self._decisions

    @property
    def left_out(self) -> tuple[Decision, ...]:
        """The decisions by which something is not in this prompt, or not whole."""
        return tuple(decision for decision in self.decisions if decision.action in LEFT_OUT_ACTIONS)

    def text_of(self, segment: Segment) -> str:
        """What stands in the prompt for a segment: our text, or the JSON of the message."""
        return self._bodies.get(segment.segment_id).decode("utf-8", "replace")

    def render(self, wire: WireName | None = None) -> dict[str, Any]:
        """The request body, ready for `create(**body)`.

        Raises:
            WrongTarget: another wire form than the prompt was made for; its counts and validity would differ.
            Erased: something that stood in it was erased.
        """
        if wire is not None and wire != self.target.wire:
            raise WrongTarget(self.target.wire, wire)
        payloads = self._bodies.payloads(self._segments)
        items = [RenderItem(segment.place, payloads[segment.segment_id]) for segment in self._segments]
        tools = decode(self._bodies.get(self._entry.tools_id)) if self._entry.tools_id else None
        params = decode(self._bodies.get(self._entry.params_id)) if self._entry.params_id else {}
        return wire_for(self.target.wire).render(self.target, items, tools, params)

    def render_bytes(self) -> bytes:
        """The request body as compact JSON: what `session.request(number)` rebuilds byte for byte."""
        return msgspec.json.encode(self.render())
