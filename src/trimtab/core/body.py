"""The history's part of a prompt: which message stands how, as segments in prompt order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from trimtab.core.budget import BudgetReport
from trimtab.core.editor import Edit, Editor, Made
from trimtab.core.entries import HAS_BROKEN_ARGUMENTS, HAS_FENCE, HAS_TEXT, IS_EMPTY, Node, Repair
from trimtab.core.inputs import PlanInputs
from trimtab.core.leaving import fate, needed
from trimtab.core.plan import Action, Decision, Reason, Segment
from trimtab.core.state import LEAST_CLEARED_TOKENS, SessionState
from trimtab.core.units import Unit
from trimtab.core.view import UnitView, cost_within

# what a cleared result still costs: its line and its message's framing
STUB_TOKENS = 60


class Limits(Struct, frozen=True, array_like=True):
    """From which size a message is not taken whole, in tokens; 0 for "never"."""

    stub_tokens: int = 0
    clamp_tokens: int = 0


NO_LIMITS = Limits()


def limits_for(budget: BudgetReport, inputs: PlanInputs, reshapes: bool) -> Limits:
    """A result above its share, or above the size from which it is offloaded, is stubbed; a reply that could not be
    kept by any compaction is clamped."""
    if not reshapes:
        return NO_LIMITS
    stub = int(budget.history_budget_tokens * inputs.settings.stub_result_ratio)
    stub = min(stub, inputs.settings.offload_result_tokens or stub)
    return Limits(max(stub, LEAST_CLEARED_TOKENS * 2), max(budget.target_tokens, LEAST_CLEARED_TOKENS * 2))


class BodyPlan(Struct, frozen=True, kw_only=True):
    """How to assemble the history anew.

    Attributes:
        keep_from: index of the first unit that stays (the message that opened the turn stays besides).
        cleared: seqs of results that stand as one line.
        stubbed: seqs of results that are shortened, so that their exchange can stay.
        strip: reasoning goes, its messages stay.
        limits: sizes above which a message is not taken whole.
        clamps: token limits of single messages, by seq.
        needs: whether messages that a step needs stay, and stay whole.
    """

    keep_from: int = 0
    cleared: frozenset[int] = frozenset()
    stubbed: frozenset[int] = frozenset()
    strip: bool = False
    limits: Limits = NO_LIMITS
    clamps: dict[int, int] = {}
    needs: bool = True


class Body(Struct):
    """Segments in prompt order. `loose` is what is not frozen: an exchange that waits for results."""

    segments: list[Segment]
    loose: list[Segment]
    repairs: list[Repair]
    decisions: list[tuple[int, Action, Reason]]

    @property
    def tokens(self) -> int:
        return sum(segment.tokens for segment in self.segments) + sum(segment.tokens for segment in self.loose)


class BodyBuilder:
    """Makes segments of a state's units under one plan."""

    def __init__(self, state: SessionState, inputs: PlanInputs, editor: Editor) -> None:
        self.state, self.inputs, self.editor = state, inputs, editor
        self.needed = needed(state)

    # ------------------------------------------------------------ whole and new

    def appended(self, limits: Limits) -> Body:
        """What is new since the last request."""
        state, body, plan = self.state, Body([], [], [], []), BodyPlan(limits=limits)
        first = max(0, state.frozen_units - 1)
        for index in range(first, len(state.units)):
            done = state.frozen_nodes if state.frozen_units and index == first else 0
            self._unit(state.units[index], done, plan, body)
        return body

    def whole(self, plan: BodyPlan) -> Body:
        """All that stays under the plan, from the first kept unit on."""
        body = Body([], [], [], [])
        for index in kept_indexes(self.state, plan.keep_from, plan.needs):
            self._unit(self.state.units[index], 0, plan, body)
        return body

    def _unit(self, unit: Unit, done: int, plan: BodyPlan, body: Body) -> None:
        state = self.state
        is_open = unit is state.open_unit
        into = body.loose if is_open else body.segments
        dangling = self._dangling(unit)
        for seq in unit.nodes[done:]:
            if seq in dangling:
                body.decisions.append((seq, "drop", "reasoning_unbound"))
                continue
            if seq in unit.replaced:
                body.decisions.append((seq, "drop", "replaced"))
                continue
            self._node(state.nodes[seq], unit, plan, into, body)
        if unit.open_calls and self._due(unit, done):
            for call_id in unit.open_calls:
                self._repair(unit, call_id, into, body)

    def _dangling(self, unit: Unit) -> set[int]:
        """Reasoning items at the end of a reply that never went on: their provider refuses them without a partner."""
        dangling: set[int] = set()
        if self.inputs.target.wire == "openai_responses" and unit.role == "assistant" and not unit.open_calls:
            for seq in reversed(unit.nodes):
                node = self.state.nodes[seq]
                if node.flags & (HAS_TEXT | IS_EMPTY) or node.calls or node.results or not node.has_reasoning:
                    break
                dangling.add(seq)
        return dangling

    def _due(self, unit: Unit, done: int) -> bool:
        """A repair is made once: when the unit enters the projection, or where it is still loose."""
        return done == 0 or done < len(unit.nodes) or unit is self.state.open_unit

    def _node(self, node: Node, unit: Unit, plan: BodyPlan, into: list[Segment], body: Body) -> None:
        edit, action, reason = self._edit(node, unit, plan)
        made = self.editor.make(node, edit)
        if made is None:
            body.decisions.append((node.seq, "drop", "reasoning_unbound" if edit.strip and node.has_reasoning else "empty"))
            return
        if action == "keep" and made.changed:
            reason = why_changed(node, edit)
        body.decisions.append((node.seq, action, reason))
        into.append(self._segment(node, unit, made, action, reason, edit.strip))

    def _segment(self, node: Node, unit: Unit, made: Made, action: Action, reason: Reason, stripped: bool = False) -> Segment:
        return Segment(
            segment_id=made.segment_id,
            section="recent",
            place="message",
            tokens=made.tokens,
            origin=(node.seq, node.seq),
            reason=reason,
            action=action,
            turn=unit.turn,
            source=node.source,
            bound=node.has_reasoning and not stripped,
        )

    # ------------------------------------------------------------ edits

    def _edit(self, node: Node, unit: Unit, plan: BodyPlan) -> tuple[Edit, Action, Reason]:
        strip = unit.reasoning and (plan.strip or self._unbound(node))
        if unit.orphan and node.results:
            limit = plan.clamps.get(node.seq, plan.limits.clamp_tokens)
            return Edit(as_text=True, max_tokens=limit if node.tokens > limit else 0), "inject", "repaired"
        if node.seq in plan.clamps:
            return Edit(strip=strip, max_tokens=plan.clamps[node.seq]), "clamp", "oversized"
        if node.seq in plan.cleared:
            return clear_edit(self.state, node, unit, strip), "clear", "result_used"
        if plan.needs and node.seq in self.needed:
            return Edit(strip=strip), "keep", "needed"
        limits = plan.limits
        if node.seq in plan.stubbed or (limits.stub_tokens and node.result_tokens > limits.stub_tokens):
            return Edit(clear=True, preview=True, strip=strip, tools=tools_of(node, unit)), "stub", "large_result"
        if limits.clamp_tokens and node.role == "assistant" and node.tokens > limits.clamp_tokens:
            return Edit(strip=strip, max_tokens=limits.clamp_tokens // 2), "clamp", "oversized"
        reason: Reason = "recent"
        if unit.opens_turn and unit.turn == self.state.turn:
            reason = "opened_turn"
        return Edit(strip=strip), "keep", reason

    def _unbound(self, node: Node) -> bool:
        """Whether what stood before its reasoning has been rewritten since."""
        return self.inputs.target.reasoning_bound and node.seq < self.state.unbound_seq

    def _repair(self, unit: Unit, call_id: str, into: list[Segment], body: Body) -> None:
        caller = next((seq for seq in unit.nodes if any(call == call_id for call, _ in self.state.nodes[seq].calls)), unit.key)
        made = self.editor.repair(self.state.nodes[caller], call_id)
        segment = Segment(
            segment_id=made.segment_id,
            section="recent",
            place="message",
            tokens=made.tokens,
            origin=(caller, caller),
            reason="open_call",
            action="inject",
            turn=unit.turn,
            source="tool",
        )
        into.append(segment)
        body.repairs.append(Repair(caller, call_id, segment))


def clear_edit(state: SessionState, node: Node, unit: Unit, strip: bool = False) -> Edit:
    """A used result as one line, which says where its conclusion is written down."""
    return Edit(clear=True, strip=strip, tools=tools_of(node, unit), saved=state.concluded.get(node.seq, ""))


def tools_of(node: Node, unit: Unit) -> tuple[tuple[str, str], ...]:
    """(call id, tool name) of the calls that a message answers."""
    return tuple((call_id, unit.calls[call_id]) for call_id in node.results if call_id in unit.calls)


def why_changed(node: Node, edit: Edit) -> Reason:
    """Why a message that stays does not go out as it came in."""
    if edit.strip and node.has_reasoning:
        return "reasoning_unbound"
    if node.flags & HAS_FENCE:
        return "escaped"
    return "repaired" if node.flags & HAS_BROKEN_ARGUMENTS else "translated"


# ---------------------------------------------------------------- which units stay


def kept_indexes(state: SessionState, keep_from: int, needs: bool = True) -> list[int]:
    """Indexes of the units that stay: from `keep_from` on but for what was dropped, and of those before it the
    message that opened the current turn and, unless said otherwise, what a step needs.

    No compaction crosses an exchange that waits for results.
    """
    last = len(state.units) - 1
    start = max(0, min(keep_from, last))
    wanted = needed(state) if needs else frozenset()
    before = set(opening_indexes(state, start))
    if wanted:
        before |= {index for index in range(start) if wanted.intersection(state.units[index].nodes)}
    gone = set(state.dropped)
    return [index for index in (*sorted(before), *range(start, last + 1)) if state.units[index].key not in gone]


def opening_indexes(state: SessionState, before: int) -> list[int]:
    """Units before an index that opened the current turn: of many user messages in a row the first and the newest."""
    opening = [index for index, unit in enumerate(state.units[:before]) if unit.opens_turn and unit.turn == state.turn]
    return opening if len(opening) <= 2 else [opening[0], opening[-1]]


def eligible(state: SessionState, keep_rounds: int) -> list[tuple[int, int]]:
    """(seq, result tokens) of results that may leave: the model has had its use of them, and no step needs them."""
    wanted = needed(state)
    return [(seq, tokens) for seq, round_, tokens in state.results if fate(state, seq, round_, keep_rounds, wanted) != "keep"]


def altered_in(segments: Iterable[Segment]) -> frozenset[int]:
    """Seqs of messages that do not stand whole."""
    return frozenset(segment.origin[0] for segment in segments if segment.place == "message" and segment.action not in ("keep", "inject"))


def shrinkable(state: SessionState, least_round: int, upto_seq: int | None = None) -> frozenset[int]:
    """Seqs of all results of live rounds up to `least_round` (and up to a message) that a stub would make smaller."""
    return frozenset(
        seq
        for unit in state.units
        if unit.round <= least_round
        for seq in unit.nodes
        if state.nodes[seq].result_tokens >= LEAST_CLEARED_TOKENS and (upto_seq is None or seq <= upto_seq)
    )


def unit_views(state: SessionState, cleared: frozenset[int], limits: Limits) -> list[UnitView]:
    """What each exchange would cost if it stayed, by stored counts alone."""
    views = []
    opening = set(opening_indexes(state, len(state.units)))
    wanted, dropped = needed(state), set(state.dropped)
    for index, unit in enumerate(state.units):
        if unit.key in dropped:
            views.append(UnitView(index, 0, unit.round, unit.turn))
            continue
        tokens = sum(_cost(state.nodes[seq], cleared, limits) for seq in unit.nodes if seq not in unit.replaced)
        stays = index in opening or bool(wanted and wanted.intersection(unit.nodes))
        results = frozenset(seq for seq in unit.nodes if state.nodes[seq].result_tokens >= LEAST_CLEARED_TOKENS)
        small = sum(_cost(state.nodes[seq], cleared | results, limits) for seq in unit.nodes if seq not in unit.replaced) if results else 0
        views.append(UnitView(index, tokens, unit.round, unit.turn, unit is state.open_unit, stays, small))
    return views


def _cost(node: Node, cleared: frozenset[int], limits: Limits) -> int:
    if node.seq in cleared or (limits.stub_tokens and node.result_tokens > limits.stub_tokens):
        return node.tokens - node.result_tokens + STUB_TOKENS
    if limits.clamp_tokens and node.role == "assistant" and node.tokens > limits.clamp_tokens:
        return limits.clamp_tokens // 2
    return node.tokens


def stubbed_to_fit(state: SessionState, views: Sequence[UnitView], keep_from: int, room: int, newest_whole: bool = True) -> frozenset[int]:
    """Seqs of results that are stubbed so that the kept exchanges fit the room, newest whole first; the newest
    exchange stays whole in any case, unless said otherwise."""
    stubbed: list[int] = []
    spent = 0
    wanted = needed(state)
    for unit in reversed(views[keep_from:]):
        newest = newest_whole and unit.index == len(views) - 1
        cost = unit.tokens if newest else cost_within(unit, room - spent)
        if cost < unit.tokens:
            nodes = state.units[unit.index].nodes
            stubbed += [seq for seq in nodes if state.nodes[seq].result_tokens >= LEAST_CLEARED_TOKENS and seq not in wanted]
        spent += cost
    return frozenset(stubbed)


# ---------------------------------------------------------------- decisions as ranges


NOT_DENSE = 2**63


def as_ranges(rows: Iterable[tuple[int, Action, Reason]], dense_after: int, holes: Sequence[int] = ()) -> tuple[Decision, ...]:
    """Join neighbours of one fate: the shortest list of ranges, by seq.

    Args:
        dense_after: the rows name every message after this seq, so that what lies between two of them is none,
        holes: but for these.
    """
    ranges: list[Decision] = []
    for seq, action, reason in sorted(rows):
        last = ranges[-1] if ranges else None
        if last is not None and (last.action, last.reason) == (action, reason) and _adjoin(last.last_seq, seq, dense_after, holes):
            ranges[-1] = Decision(last.first_seq, max(seq, last.last_seq), action, reason)
        else:
            ranges.append(Decision(seq, seq, action, reason))
    return tuple(ranges)


def _adjoin(last_seq: int, seq: int, dense_after: int, holes: Sequence[int]) -> bool:
    if seq <= last_seq + 1:
        return True
    return last_seq > dense_after and not any(last_seq < hole < seq for hole in holes)


def tokens_of(segments: Sequence[Segment]) -> int:
    return sum(segment.tokens for segment in segments)
