"""Planning: from a state to a prompt. Pure: no clock, no I/O, no model; same input, same plan.

The order of decisions: what is new joins; a forced rebuild or the policy's cut or a clearing of used results
changes what stood before; what still does not fit goes through the ladder of `fit`.
"""

from __future__ import annotations

import msgspec

from trimtab.core.assemble import NOTHING_LEFT, Layout
from trimtab.core.body import (
    NOT_DENSE,
    Body,
    BodyBuilder,
    BodyPlan,
    Limits,
    altered_in,
    as_ranges,
    clear_edit,
    eligible,
    kept_indexes,
    limits_for,
    shrinkable,
    stubbed_to_fit,
    tokens_of,
    unit_views,
)
from trimtab.core.budget import BudgetReport, compute_budget
from trimtab.core.draft import Draft, PromptPlan, loose_moved, start_draft, whole_draft
from trimtab.core.editor import Editor
from trimtab.core.entries import Cleared, Compacted
from trimtab.core.finish import finish
from trimtab.core.fit import fit
from trimtab.core.inputs import PlanInputs
from trimtab.core.leaving import needed
from trimtab.core.plan import Action, Decision, Reason, Segment
from trimtab.core.sections import Left, fence
from trimtab.core.state import SessionState
from trimtab.core.view import Policy, UnitView, Verdict, View, keep_tokens

# clearing less than this between two compactions costs more in broken prefix than it frees
LEAST_CLEAR_TOKENS = 500
CLEAR_SHARE = 20
# a compaction that frees less than this share of the history budget is not worth its break of the prefix
LEAST_GAIN_SHARE = 0.05
# after so many cuts in a row that left the history over its trigger, another way is tried
_MOST_FRUITLESS = 2


def plan(state: SessionState, inputs: PlanInputs, policy: Policy, editor: Editor) -> PromptPlan:
    """Decide what request number N+1 sends.

    Raises:
        PinnedOverflow: what must be in does not fit; the error names the largest contributors.
        WindowUnknown: neither the settings nor the model's name give a window.
    """
    return Planner(state, inputs, policy, editor).run()


class Planner:
    """One plan. The attributes are its inputs and what is derived from them once."""

    def __init__(self, state: SessionState, inputs: PlanInputs, policy: Policy, editor: Editor) -> None:
        self.state, self.inputs, self.policy, self.editor = state, inputs, policy, editor
        self._budgets: dict[int, BudgetReport] = {}
        self.bare_budget = self.budget_of(inputs.system_tokens + inputs.tools_tokens)
        room = self.bare_budget.prompt_budget_tokens - self.bare_budget.instructions_tokens
        self.layout = Layout(state, inputs, editor, max(0, room))
        self.builder = BodyBuilder(state, inputs, editor)
        self.limits = Limits()
        self.clear_at_least_tokens = 0
        self.summary_cap = inputs.settings.summary_max_tokens

    def run(self) -> PromptPlan:
        self.limits = limits_for(self.bare_budget, self.inputs, self.policy.reshapes)
        draft = self._joined()
        budget = self.budget_for(draft)
        self.summary_cap = budget.summary_cap_tokens(self.inputs.settings.summary_max_tokens)
        verdict = self.policy.decide(self._view(draft, budget))
        draft = self._changed(draft, verdict, budget)
        draft, budget = fit(self, draft, verdict)
        return finish(self, draft, budget, verdict)

    # ------------------------------------------------------------ budget

    def budget_of(self, instructions_tokens: int) -> BudgetReport:
        inputs, state = self.inputs, self.state
        settings = inputs.settings.budget
        window = settings.window_tokens or inputs.window_tokens or 0
        learned = state.learned_windows.get(inputs.target.place, 0)
        window = min(window or learned, learned or window)
        cap = settings.stable_tokens
        if state.next_cap_tokens:
            cap = min(cap or state.next_cap_tokens, state.next_cap_tokens)
        return compute_budget(
            msgspec.structs.replace(settings, window_tokens=window, stable_tokens=cap),
            instructions_tokens,
            exact=inputs.exact,
            max_output_tokens=inputs.max_output_tokens,
            model=inputs.target.model,
        )

    def budget_for(self, draft: Draft) -> BudgetReport:
        tokens = draft.instruction_tokens(self.state, self.inputs)
        if tokens not in self._budgets:
            self._budgets[tokens] = self.budget_of(tokens)
        return self._budgets[tokens]

    # ------------------------------------------------------------ steps

    def _joined(self) -> Draft:
        """What stood, and what is new."""
        state = self.state
        body = self.builder.appended(self.limits)
        altered = self.altered(body)
        if state.last is None:
            return start_draft(
                state, self.layout.front(NOTHING_LEFT, summary=False, altered=altered), body, self.layout.tail(None, frozenset())
            )
        front = self.layout.refreshed(altered=altered) if self.layout.state_first else state.front
        return start_draft(state, front, body, self.layout.tail(front, altered))

    def altered(self, body: Body) -> frozenset[int]:
        """Seqs of messages that do not stand whole, where some rule or meta note may depend on it."""
        if not (self.state.items or self.state.meta_notes):
            return frozenset()
        return altered_in(self.state.projection) | altered_in(body.segments)

    def _view(self, draft: Draft, budget: BudgetReport) -> View:
        state, settings = self.state, self.inputs.settings
        share = max(LEAST_CLEAR_TOKENS, budget.history_budget_tokens // CLEAR_SHARE)
        self.clear_at_least_tokens = share if settings.clear_at_least_tokens is None else settings.clear_at_least_tokens
        return View(
            settings=settings,
            budget=budget,
            history_tokens=draft.shrinkable_tokens(state, self.inputs),
            live_rounds=state.live_rounds,
            total_tokens=state.total_tokens,
            rounds=state.round,
            level=state.last.level if state.last else 0,
            calls_tools=bool(state.call_units),
            clear_at_least_tokens=self.clear_at_least_tokens,
            units=self._units,
        )

    def _units(self) -> list[UnitView]:
        return unit_views(self.state, self.clearable(), self.limits)

    def clearable(self) -> frozenset[int]:
        """Results that stand as one line already, or may from now on."""
        gone = {segment.origin[0] for segment in self.state.projection if segment.action == "clear"}
        if not self.inputs.settings.clear_results:
            return frozenset(gone)
        state, keep_rounds = self.state, self.inputs.settings.clear_keep_rounds
        used = shrinkable(state, state.round - keep_rounds) - needed(state)
        return frozenset((*gone, *used, *(seq for seq, _ in eligible(state, keep_rounds))))

    def _changed(self, draft: Draft, verdict: Verdict, budget: BudgetReport) -> Draft:
        forced = self._forced(draft)
        if verdict.keep_from is not None:
            cut = self._compacted(draft, verdict, budget)
            if cut is not None:
                return cut
        if forced:
            return self.rebuilt(
                draft, BodyPlan(limits=self.limits, cleared=self._standing(), strip=self.strips), kind="rebuild", reason=forced
            )
        if self._much_dropped():
            return self.rebuilt(
                draft, BodyPlan(limits=self.limits, cleared=self._standing(), strip=self.strips), "drop", "dropped", verdict
            )
        return self._cleared(draft, verdict)

    def _much_dropped(self) -> bool:
        """Whether what was dropped is enough to be worth a break of the prefix; before the first request none breaks."""
        state = self.state
        if state.last is None:
            return bool(state.dropped)
        tokens = sum(state.nodes[seq].tokens for unit in state.units if unit.key in state.dropped for seq in unit.nodes)
        return bool(state.dropped) and tokens >= self.clear_at_least_tokens

    def _forced(self, draft: Draft) -> Reason | None:
        """Why what stood cannot stand as it is."""
        state, last = self.state, self.state.last
        if last is None:
            return None
        if state.stale:
            return state.stale
        if (last.target.wire, last.target.reasoning_bound) != (self.inputs.target.wire, self.inputs.target.reasoning_bound):
            return "new_target"
        if last.layout != self.inputs.settings.layout:
            return "new_target"
        if self._step_moved():
            return "state"
        bound = self.strips and any(row.bound for row in (*state.projection, *draft.body.segments, *draft.body.loose))
        if bound and self._prefix_moved():
            return "client_changed"
        if bound and (loose_moved(state, draft) or last.loose_tail):
            return "late_result"
        return None

    def _step_moved(self) -> bool:
        """Whether a tail that stays where it was sent holds a variable that the current step does not read."""
        if not self.inputs.tail_frozen:
            return False
        text = self.inputs.variables
        now = self.editor.text(fence("variables", text, self.inputs.fence_key)).segment_id if text else ""
        return any(segment.section == "variables" and segment.segment_id != now for segment in self.state.projection)

    @property
    def strips(self) -> bool:
        """Whether reasoning must go when what stands before it changes."""
        return self.inputs.target.reasoning_bound

    def _prefix_moved(self) -> bool:
        last = self.state.last
        ids = tuple(segment.segment_id for segment in self.inputs.system)
        moved = last is not None and (last.tools_id != self.inputs.tools_id or last.system_ids != ids)
        return moved or (self.layout.state_first and self.layout.refreshed() != self.state.front)

    def _standing(self) -> frozenset[int]:
        return frozenset(segment.origin[0] for segment in self.state.projection if segment.action == "clear")

    def _compacted(self, draft: Draft, verdict: Verdict, budget: BudgetReport) -> Draft | None:
        """The policy's cut; None where it would not be worth its break of the prefix."""
        if not self._due(draft, budget, verdict.reason):
            return None
        keep = verdict.keep_from or 0
        cleared = self.clearable() if verdict.clear else self._standing()
        if self.state.fruitless >= _MOST_FRUITLESS:
            return self._otherwise(draft, budget, verdict)
        stubbed = self._enough_by_stubbing(draft, cleared, budget) if verdict.reason == "trigger" and verdict.clear else None
        if stubbed is not None:
            keep = 0
        else:
            stubbed = self.stubbed(keep, cleared, budget)
        body_plan = BodyPlan(keep_from=keep, limits=self.limits, cleared=cleared, stubbed=stubbed, strip=self.strips)
        cut = self.rebuilt(draft, body_plan, "compaction", verdict.reason, verdict)
        gain = draft.history_tokens(self.state, self.inputs) - cut.history_tokens(self.state, self.inputs)
        least = 1 if verdict.reason in ("left_window", "rounds") else max(1, int(budget.history_budget_tokens * LEAST_GAIN_SHARE))
        return cut if gain >= least else None

    def _otherwise(self, draft: Draft, budget: BudgetReport, verdict: Verdict) -> Draft | None:
        """Two cuts in a row left the history over its trigger: now every used result leaves, and what a step needs is
        no longer spared. None where that frees nothing either: then the ladder decides, once it would not fit."""
        everything = shrinkable(self.state, self.state.round - 1) | self.clearable()
        keep = keep_tokens(unit_views(self.state, everything, self.limits), budget.target_tokens)
        plan_ = BodyPlan(keep_from=keep, limits=self.limits, cleared=everything, strip=self.strips, needs=False)
        cut = self.rebuilt(draft, plan_, "compaction", "no_progress", verdict)
        gain = draft.history_tokens(self.state, self.inputs) - cut.history_tokens(self.state, self.inputs)
        return cut if gain >= max(1, int(budget.history_budget_tokens * LEAST_GAIN_SHARE)) else None

    def stubbed(self, keep_from: int, cleared: frozenset[int], budget: BudgetReport) -> frozenset[int]:
        """Results that are shortened so that what a cut keeps leaves room to grow."""
        if keep_from == 0 or not self.policy.reshapes:
            return frozenset()
        return stubbed_to_fit(self.state, unit_views(self.state, cleared, self.limits), keep_from, budget.target_tokens)

    def _due(self, draft: Draft, budget: BudgetReport, reason: Reason) -> bool:
        """Whether history may be cut: at most once a round, not after a cut was undone, and only where enough is new
        since the last one for another to make progress."""
        last = self.state.compacted_tokens
        if self.state.held:
            return False
        if not last or reason == "left_window":
            return True
        if self.state.compacted_round == self.state.round:
            return False
        return draft.shrinkable_tokens(self.state, self.inputs) - last >= budget.history_budget_tokens * LEAST_GAIN_SHARE

    def _enough_by_stubbing(self, draft: Draft, cleared: frozenset[int], budget: BudgetReport) -> frozenset[int] | None:
        """Which results to stub so that nothing else has to go: well below the trigger, newest whole first. None
        where even all of them would not be enough, or may not be touched."""
        if not self.inputs.settings.clear_results:
            return None
        views = unit_views(self.state, cleared, self.limits)
        beside = draft.shrinkable_tokens(self.state, self.inputs) - draft.frozen_tokens - draft.body.tokens
        room = (budget.trigger_tokens + budget.target_tokens) // 2 - beside
        if sum(min(unit.tokens, unit.small_tokens or unit.tokens) for unit in views) > room:
            return None
        return stubbed_to_fit(self.state, views, 0, room, newest_whole=False)

    def rebuilt(self, draft: Draft, body_plan: BodyPlan, kind: str, reason: Reason, verdict: Verdict | None = None) -> Draft:
        """The history assembled anew under a plan, with a front as of now."""
        verdict = verdict or Verdict()
        return self.assembled(body_plan, kind, reason, verdict, before=draft.shrinkable_tokens(self.state, self.inputs))

    def assembled(
        self, body_plan: BodyPlan, kind: str, reason: Reason, verdict: Verdict, before: int, summary_max_tokens: int | None = None
    ) -> Draft:
        state = self.state
        kept = kept_indexes(state, body_plan.keep_from, body_plan.needs)
        stays = set(kept)
        gone = [unit for index, unit in enumerate(state.units) if index not in stays]
        dropped = set(state.dropped)
        start = max(0, min(body_plan.keep_from, len(state.units) - 1))
        cut = [unit for unit in gone if unit.key not in dropped]
        cut_seq = max(state.cut_seq, state.units[start].key - 1) if cut else state.cut_seq
        body = self.builder.whole(body_plan)
        summary = verdict.summary
        cap = self.summary_cap if summary_max_tokens is None else summary_max_tokens
        single = frozenset((*state.holes, *(seq for unit in gone if unit.key > cut_seq for seq in unit.nodes)))
        front = self.layout.front(Left(cut_seq, single), summary, summary_max_tokens=cap, altered=altered_in(body.segments))
        action: Action = "summarize" if summary else "drop"
        left: list[tuple[int, Action, Reason]] = [(seq, action, reason) for unit in cut for seq in unit.nodes]
        left += [(seq, "drop", "dropped") for unit in gone if unit.key in dropped for seq in unit.nodes]
        entry = Compacted(
            epoch=state.epoch + 1,
            kind="compaction" if cut else kind if kind in ("rebuild", "drop") else "clearing",
            reason=reason,
            action=action,
            cut_seq=cut_seq,
            front=front,
            segments=tuple(body.segments),
            decisions=as_ranges([*left, *body.decisions], state.cut_seq, state.holes),
            tokens_before=before,
            tokens_after=0,
            covered=(min(unit.key for unit in gone), max(cut_seq, *(unit.nodes[-1] for unit in gone))) if gone else (0, 0),
        )
        done = whole_draft(front, body, self.layout.tail(None, frozenset()), entry)
        after = done.shrinkable_tokens(state, self.inputs)
        fruitless = bool(cut) and after > self.budget_for(done).trigger_tokens
        done.entry = msgspec.structs.replace(entry, tokens_after=after, fruitless=fruitless)
        done.break_reason = reason
        done.cuts.append("compaction" if cut else "drop" if gone else "clear" if body_plan.cleared else "rebuild")
        return done

    def _cleared(self, draft: Draft, verdict: Verdict) -> Draft:
        """Used results leave between two compactions, once enough of them are eligible."""
        settings, state = self.inputs.settings, self.state
        rows = eligible(state, settings.clear_keep_rounds)
        asked = any(seq <= state.used_seq for seq, _ in rows)
        if asked and self.strips:
            # what was thought after these results goes with them: that is what was asked for
            return self.rebuilt(
                draft, BodyPlan(limits=self.limits, cleared=self.clearable(), strip=True), "rebuild", "result_used", verdict
            )
        if self.strips or not (asked or (verdict.clear and settings.clear_results)):
            return draft
        if not rows or not (asked or sum(tokens for _, tokens in rows) >= self.clear_at_least_tokens):
            return draft
        return self._replace(draft, frozenset(seq for seq, _ in rows))

    def _replace(self, draft: Draft, seqs: frozenset[int]) -> Draft:
        state = self.state
        frozen: list[Segment] = []
        changed: list[Segment] = []
        for segment in state.projection:
            new = self._one_line(segment) if segment.origin[0] in seqs and segment.action == "keep" else segment
            frozen.append(new)
            if new is not segment:
                changed.append(new)
        freed = state.projection_tokens - tokens_of(frozen)
        if freed <= 0:
            return draft
        decisions: tuple[Decision, ...] = as_ranges([(segment.origin[0], "clear", "result_used") for segment in changed], NOT_DENSE)
        draft.entry = Cleared(state.epoch + 1, tuple(changed), decisions, freed)
        draft.frozen, draft.frozen_tokens = frozen, tokens_of(frozen)
        draft.break_reason = "result_used"
        draft.cuts.append("clear")
        return draft

    def _one_line(self, segment: Segment) -> Segment:
        node = self.state.nodes[segment.origin[0]]
        unit = next(unit for unit in self.state.units if node.seq in unit.nodes)
        made = self.editor.make(node, clear_edit(self.state, node, unit))
        if made is None or made.tokens >= segment.tokens:
            return segment
        return msgspec.structs.replace(segment, segment_id=made.segment_id, tokens=made.tokens, action="clear", reason="result_used")
