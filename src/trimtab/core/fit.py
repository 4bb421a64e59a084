"""The ladder for a prompt that does not fit: ever less, never nothing, and a typed error where that is too much.

recalled turns go → history is cut to its target → all used results leave, also those that a step needs → only the
current exchange stays → the summary and the step's variables go → state block and plan in their shortest form → the largest
messages are shortened, results before replies before the user's words
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from trimtab.core.body import BodyPlan, kept_indexes, limits_for, shrinkable, stubbed_to_fit, tokens_of, unit_views
from trimtab.core.budget import BudgetReport
from trimtab.core.draft import Draft
from trimtab.core.entries import Compacted
from trimtab.core.plan import Section
from trimtab.core.view import Verdict, keep_tokens
from trimtab.errors import PinnedOverflow

if TYPE_CHECKING:
    from trimtab.core.planner import Planner

# below this a shortened message says nothing any more
LEAST_CLAMP_TOKENS = 64
_CLAMP_TRIES = 6
_NAMED_CONTRIBUTORS = 5
_FIRST_TO_GO: frozenset[Section] = frozenset({"fragments"})
_LAST_TO_GO: frozenset[Section] = frozenset({"fragments", "variables"})


def fit(planner: Planner, draft: Draft, verdict: Verdict) -> tuple[Draft, BudgetReport]:
    """The draft, or the first of the ladder's that fits.

    Raises:
        PinnedOverflow: not even the shortest form fits.
    """
    limit = planner.budget_for(draft).prompt_budget_tokens
    if _tokens(planner, draft) > limit:
        draft = _shorter(planner, draft, verdict, limit)
    return draft, planner.budget_for(draft)


def _tokens(planner: Planner, draft: Draft) -> int:
    return draft.tokens(planner.state, planner.inputs)


def _shorter(planner: Planner, draft: Draft, verdict: Verdict, limit: int) -> Draft:
    last = draft
    for candidate in _rungs(planner, draft, verdict, limit):
        if _tokens(planner, candidate) <= limit:
            return candidate
        last = candidate
    return _clamped(planner, last, verdict, limit)


def _rungs(planner: Planner, draft: Draft, verdict: Verdict, limit: int) -> Iterator[Draft]:
    state, inputs = planner.state, planner.inputs
    if inputs.fragments:
        yield _without(draft, _FIRST_TO_GO)
    before = draft.shrinkable_tokens(state, inputs)
    verdict = msgspec.structs.replace(verdict, reason="over_budget")
    used = planner.clearable()
    everything = shrinkable(state, state.round - 1) | used
    last = max(0, len(state.units) - 1)
    budget = planner.budget_for(draft)
    # now that something must go, a mode that leaves messages whole shortens them too, before it loses them
    planner.limits = limits_for(budget, inputs, True)
    for cleared in (used, everything):
        views = unit_views(state, cleared, planner.limits)
        keep = keep_tokens(views, budget.target_tokens)
        stubbed = stubbed_to_fit(state, views, keep, budget.target_tokens)
        spares = cleared is used
        plan = BodyPlan(keep_from=keep, limits=planner.limits, cleared=cleared, stubbed=stubbed, strip=planner.strips, needs=spares)
        yield _assembled(planner, plan, verdict, before)
    # a shortened result may be larger than it was counted on: then fewer rounds, not only the last message
    longest = _longest(planner, plan, verdict, before, limit)
    if longest is not None:
        yield longest
    plan = BodyPlan(keep_from=last, limits=planner.limits, cleared=everything, strip=planner.strips, needs=False)
    yield _assembled(planner, plan, verdict, before)
    yield _assembled(planner, plan, verdict, before, 0)
    planner.layout.shorten_task()
    yield _assembled(planner, plan, verdict, before, 0)


def _longest(planner: Planner, plan: BodyPlan, verdict: Verdict, before: int, limit: int) -> Draft | None:
    """The draft with the most whole rounds that fits, of those with fewer than the plan's; None where none does."""
    units = planner.state.units
    starts = [index for index in range((plan.keep_from or 0) + 1, len(units)) if units[index].round != units[index - 1].round]
    found: Draft | None = None
    low, high = 0, len(starts)
    while low < high:
        middle = (low + high) // 2
        draft = _assembled(planner, msgspec.structs.replace(plan, keep_from=starts[middle]), verdict, before)
        if _tokens(planner, draft) <= limit:
            found, high = draft, middle
        else:
            low = middle + 1
    return found


def _assembled(planner: Planner, plan: BodyPlan, verdict: Verdict, before: int, summary_max_tokens: int | None = None) -> Draft:
    draft = planner.assembled(plan, "compaction", "over_budget", verdict, before, summary_max_tokens)
    return _without(draft, _LAST_TO_GO if summary_max_tokens == 0 else _FIRST_TO_GO)


def _without(draft: Draft, sections: frozenset[Section]) -> Draft:
    front = tuple(segment for segment in draft.front if segment.section not in sections)
    tail = tuple(segment for segment in draft.tail if segment.section not in sections)
    entry = draft.entry
    if draft.whole and entry is not None:
        entry = msgspec.structs.replace(entry, front=front)
    return msgspec.structs.replace(draft, front=front, tail=tail, entry=entry)


# ---------------------------------------------------------------- shortening single messages


def _clamped(planner: Planner, draft: Draft, verdict: Verdict, limit: int) -> Draft:
    before = draft.entry.tokens_before if isinstance(draft.entry, Compacted) else 0
    clamps: dict[int, int] = {}
    everything = shrinkable(planner.state, planner.state.round - 1) | planner.clearable()
    last = max(0, len(planner.state.units) - 1)
    plan = BodyPlan(keep_from=last, limits=planner.limits, cleared=everything, strip=planner.strips, needs=False)
    room = limit - (_tokens(planner, draft) - draft.body.tokens)
    for _ in range(_CLAMP_TRIES):
        clamps = _levels(draft, room)
        if not clamps and draft.body.tokens > room:
            break
        plan = msgspec.structs.replace(plan, clamps=clamps)
        candidate = _assembled(planner, plan, verdict, before, 0)
        if "clamp" not in candidate.cuts:
            candidate.cuts.append("clamp")
        over = _tokens(planner, candidate) - limit
        if over <= 0:
            return candidate
        # what a message needs besides its text is only known afterwards: the others give that much more
        room -= over + LEAST_CLAMP_TOKENS // 4
    raise overflow(planner, draft, limit)


def _levels(draft: Draft, room: int) -> dict[int, int]:
    """Token limits by seq such that all together fit `room`: one level for results and replies, and only if that
    is not enough one for the user's words. Empty where even the least does not fit."""
    segments = [*draft.body.segments, *draft.body.loose]
    repairs = [segment for segment in segments if segment.reason == "open_call"]
    words = [segment for segment in segments if segment.source == "user"]
    others = [segment for segment in segments if segment.source != "user" and segment.reason != "open_call"]
    room -= tokens_of(repairs)
    level = _level([segment.tokens for segment in others], room - tokens_of(words))
    if level >= LEAST_CLAMP_TOKENS:
        return {segment.origin[0]: level for segment in others if segment.tokens > level}
    low = {segment.origin[0]: LEAST_CLAMP_TOKENS for segment in others if segment.tokens > LEAST_CLAMP_TOKENS}
    spent = sum(min(segment.tokens, LEAST_CLAMP_TOKENS) for segment in others)
    level = _level([segment.tokens for segment in words], room - spent)
    if level < LEAST_CLAMP_TOKENS:
        return {}
    return low | {segment.origin[0]: level for segment in words if segment.tokens > level}


def _level(sizes: list[int], room: int) -> int:
    """The largest level L with sum(min(size, L)) <= room; a large number where nothing needs to be cut."""
    if sum(sizes) <= room:
        return max(sizes, default=0) + LEAST_CLAMP_TOKENS
    left, remaining = room, sorted(sizes)
    while remaining:
        share = left // len(remaining)
        if remaining[0] > share:
            return max(0, share)
        left -= remaining.pop(0)
    return 0


def overflow(planner: Planner, draft: Draft, limit: int) -> PinnedOverflow:
    """The error that names what is too large."""
    rows = {"tools": planner.inputs.tools_tokens, "client_system": planner.inputs.system_tokens}
    for segment in (*draft.front, *draft.tail):
        rows[segment.section] = rows.get(segment.section, 0) + segment.tokens
    for index in kept_indexes(planner.state, len(planner.state.units) - 1) if planner.state.units else []:
        for seq in planner.state.units[index].nodes:
            rows[f"message #{seq}"] = planner.state.nodes[seq].tokens
    largest = dict(sorted(((name, tokens) for name, tokens in rows.items() if tokens), key=lambda row: -row[1])[:_NAMED_CONTRIBUTORS])
    return PinnedOverflow(_tokens(planner, draft), limit, largest)
