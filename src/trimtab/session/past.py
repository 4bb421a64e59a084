"""Past prompts: rebuilt from what was stored when they were sent, never planned again."""

from __future__ import annotations

from collections.abc import Iterable

from trimtab.core.entries import Cleared, Compacted, Recalled, RequestSent
from trimtab.core.plan import Action, Decision, Reason, Segment
from trimtab.core.state import SessionState
from trimtab.errors import CorruptEntry
from trimtab.session.lane import Lane


def segments_of(state: SessionState, entry: RequestSent) -> tuple[Segment, ...]:
    """The prompt's segments, given the state just after its request."""
    system = tuple(
        Segment(body_id, "client_system", "client", 0, reason="instructions", pinned=True, source="system") for body_id in entry.system_ids
    )
    counted = {node.body_id: node.tokens for node in state.instructions}
    system = tuple(
        Segment(row.segment_id, row.section, row.place, counted.get(row.segment_id, 0), reason="instructions", pinned=True)
        for row in system
    )
    body = [*state.projection, *entry.loose]
    tail = () if entry.tail_frozen else entry.tail
    return (*system, *state.front, *body[: entry.tail_at], *tail, *body[entry.tail_at :])


def request_at(lane: Lane, number: int) -> tuple[RequestSent, SessionState]:
    """A recorded request and the state just after it. Raises NotFound, CorruptEntry."""
    row = lane.store.request(lane.key, number)
    entry = lane.decoded(row)
    if not isinstance(entry, RequestSent):
        raise CorruptEntry(f"request {number}", f"entry {row.seq} is no request")
    return entry, lane.fold_to(row.seq)


def decisions_upto(lane: Lane, seq: int) -> tuple[Decision, ...]:
    """What held for every entry of the branch that ends at `seq`: later decisions replace earlier ones."""
    spans = lane.fold_to(seq).spans
    held: dict[int, Decision] = {}
    for row in lane.store.load(lane.key, 0, seq):
        if row.kind not in ("request", "compacted", "cleared", "recalled") or not _contains(spans, row.seq):
            continue
        entry = lane.decoded(row)
        if isinstance(entry, RequestSent | Compacted | Cleared):
            for decision in entry.decisions:
                for at in range(decision.first_seq, decision.last_seq + 1):
                    held[at] = decision
        elif isinstance(entry, Recalled):
            continue
    return _ranges((at, held[at].action, held[at].reason) for at in sorted(held))


def _contains(spans: list[list[int]], seq: int) -> bool:
    return any(first <= seq <= last for first, last in spans)


def _ranges(rows: Iterable[tuple[int, Action, Reason]]) -> tuple[Decision, ...]:
    ranges: list[Decision] = []
    for at, action, reason in rows:
        last = ranges[-1] if ranges else None
        if last is not None and (last.action, last.reason) == (action, reason) and at <= last.last_seq + 1:
            ranges[-1] = Decision(last.first_seq, at, action, reason)
        else:
            ranges.append(Decision(at, at, action, reason))
    return tuple(ranges)
