"""From a draft to what is recorded: the request entry, with what it shares with the last one and why not more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from trimtab.core.assemble import tail_index
from trimtab.core.body import as_ranges, tokens_of
from trimtab.core.budget import BudgetReport
from trimtab.core.draft import Draft, PromptPlan, common_tokens, loose_moved
from trimtab.core.entries import Compacted, RequestSent
from trimtab.core.plan import Segment
from trimtab.core.summary import PINNED_FIELDS
from trimtab.core.view import Verdict

if TYPE_CHECKING:
    from trimtab.core.planner import Planner


def finish(planner: Planner, draft: Draft, budget: BudgetReport, verdict: Verdict) -> PromptPlan:
    """Place the tail, measure the shared prefix, and write the entries."""
    state, inputs = planner.state, planner.inputs
    frozen = draft.frozen_segments(state)
    new, loose = draft.body.segments, draft.body.loose
    at = tail_index(state, inputs, len(frozen), [*new, *loose])
    tail_frozen = inputs.tail_frozen and not loose
    fresh_tail = draft.new_tail(state, inputs)
    if tail_frozen:
        at = min(at, len(frozen) + len(new))
        new = [*new[: at - len(frozen)], *fresh_tail, *new[at - len(frozen) :]]
    base = inputs.tools_tokens + inputs.system_tokens
    front_tokens = tokens_of(draft.front)
    kept = len(frozen) + len(new)
    until = kept if tail_frozen or not fresh_tail else min(at, kept)
    shared = base + front_tokens + _leading_tokens(draft, frozen, new, until)
    prefix, why = _prefix(planner, draft, [*draft.front, *frozen, *new], frozen)
    entry = draft.entry
    if isinstance(entry, Compacted):
        entry = msgspec.structs.replace(entry, segments=tuple(new))
    standing: tuple[Segment, ...] = () if tail_frozen else fresh_tail
    body = [*frozen, *new, *loose]
    segments = (*inputs.system, *draft.front, *body[:at], *standing, *body[at:])
    sections = _sections(planner, segments, draft.filler_tokens(state, inputs))
    budget = _with_rule_warnings(planner, budget, segments)
    if entry is not None and why == "no_progress":
        budget = msgspec.structs.replace(budget, warnings=(*budget.warnings, _NO_PROGRESS))
    request = RequestSent(
        number=0,
        as_of_seq=state.seq,
        epoch=entry.epoch if entry is not None else state.epoch,
        target=inputs.target,
        settings_hash=inputs.settings_hash,
        counter_id=inputs.counter_id,
        renderer_version=inputs.renderer_version,
        front=draft.front if draft.front != state.front or state.last is None else None,
        appended=() if draft.whole else tuple(new),
        loose=tuple(loose),
        tail=draft.tail if tail_frozen else fresh_tail,
        tail_at=at,
        shared_tokens=shared,
        system_ids=tuple(segment.segment_id for segment in inputs.system),
        tools_id=inputs.tools_id,
        params_id=inputs.params_id,
        tokens=sum(sections.values()),
        sections=sections,
        decisions=() if draft.whole else as_ranges(draft.body.decisions, state.cut_seq, state.holes),
        budget=budget,
        prefix_tokens=prefix,
        break_reason=why,
        cuts=tuple(_cuts(draft)),
        fingerprint=inputs.fingerprint,
        level=verdict.level,
        tail_frozen=tail_frozen,
        layout=inputs.settings.layout,
    )
    return PromptPlan(break_entry=entry, repairs=tuple(draft.body.repairs), request=request, segments=segments, budget=budget)


_NO_PROGRESS = (
    "two compactions in a row left the history over its trigger; this time every used result left, and what steps "
    "need was not spared: unpin or release something, or raise the window"
)


def _with_rule_warnings(planner: Planner, budget: BudgetReport, segments: Sequence[Segment]) -> BudgetReport:
    """An over-long rule block is said with the request: models follow ever fewer of ever more rules."""
    settings, state = planner.inputs.settings, planner.state
    tokens = sum(segment.tokens for segment in segments if segment.section == "constraints")
    items = len(state.pins) + len(state.meta.never) + sum(1 for item in state.items.values() if item.field in PINNED_FIELDS)
    found = []
    if items > settings.rules_max_items:
        found.append(f"{items} live rules are more than rules_max_items {settings.rules_max_items}: withdraw or join some")
    if tokens > settings.rules_max_tokens:
        found.append(f"the rule block takes {tokens:,} tokens, more than rules_max_tokens {settings.rules_max_tokens:,}")
    return msgspec.structs.replace(budget, warnings=(*budget.warnings, *found)) if found else budget


def _leading_tokens(draft: Draft, frozen: Sequence[Segment], new: Sequence[Segment], until: int) -> int:
    """Tokens of the first `until` segments of the history, without walking over what is frozen."""
    if until >= len(frozen):
        return draft.frozen_tokens + tokens_of(new[: until - len(frozen)])
    return draft.frozen_tokens - tokens_of(frozen[until:])


def _prefix(planner: Planner, draft: Draft, sequence: list[Segment], frozen: Sequence[Segment]) -> tuple[int, str]:
    """(tokens shared with the last prompt's prefix, why it is not all that could be shared)."""
    state, inputs = planner.state, planner.inputs
    last = state.last
    if last is None:
        return 0, ""
    if last.tools_id != inputs.tools_id:
        return 0, draft.break_reason or "client_changed"
    if last.system_ids != tuple(segment.segment_id for segment in inputs.system):
        return inputs.tools_tokens, draft.break_reason or "client_changed"
    base = inputs.tools_tokens + inputs.system_tokens
    if draft.entry is None and draft.front == state.front:
        return last.shared_tokens, state.branch_mark or ("open_call" if loose_moved(state, draft) else "")
    old = [*state.front, *state.projection]
    common = min(base + common_tokens(old, sequence), last.shared_tokens)
    return common, draft.break_reason or "state"


def _sections(planner: Planner, segments: Sequence[Segment], filler_tokens: int) -> dict[str, int]:
    """Tokens by section; the newest input, by its place at the end, apart from the rounds before it."""
    sections = {"tools": planner.inputs.tools_tokens} if planner.inputs.tools_tokens else {}
    if filler_tokens:
        sections["filler"] = filler_tokens
    for segment in segments:
        sections[segment.section] = sections.get(segment.section, 0) + segment.tokens
    tokens = sum(segments[index].tokens for index in input_indexes(segments))
    if tokens:
        sections["recent"] -= tokens
        sections["input"] = tokens
        if not sections["recent"]:
            del sections["recent"]
    return sections


def input_indexes(segments: Sequence[Segment]) -> list[int]:
    """Which segments are what the request is about: the user's last messages, or the last tool results."""
    indexes: list[int] = []
    source = ""
    for index in range(len(segments) - 1, -1, -1):
        segment = segments[index]
        if segment.place != "message":
            continue
        source = source or segment.source
        if segment.source != source or source not in ("user", "tool"):
            break
        indexes.append(index)
    return indexes


def labelled(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """The segments with the current input named as such. In the projection it is a recent message like others."""
    rows = list(segments)
    for index in input_indexes(segments):
        ours = rows[index].action == "inject"
        rows[index] = msgspec.structs.replace(rows[index], section="input", reason=rows[index].reason if ours else "current_input")
    return tuple(rows)


def _cuts(draft: Draft) -> list[str]:
    actions = {segment.action for segment in (*draft.body.segments, *draft.body.loose)}
    named = [name for name in ("stub", "clamp") if name in actions and name not in draft.cuts]
    return [*draft.cuts, *named]
