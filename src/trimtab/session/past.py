"""Past prompts: rebuilt from what was stored when they were sent, never planned again."""

from __future__ import annotations

from trimtab.core.body import NOT_DENSE, as_ranges
from trimtab.core.entries import Cleared, Compacted, RequestSent
from trimtab.core.plan import Decision, Segment
from trimtab.core.state import SessionState
from trimtab.errors import CorruptEntry
from trimtab.session.lane import Lane


def segments_of(state: SessionState, entry: RequestSent) -> tuple[Segment, ...]:
    """The prompt's segments, given the state just after its request."""
    counted = {node.body_id: node.tokens for node in state.instructions}
    system = tuple(
        Segment(body_id, "client_system", "client", counted.get(body_id, 0), reason="instructions", pinned=True)
        for body_id in entry.system_ids
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
        if row.kind not in ("request", "compacted", "cleared") or not any(first <= row.seq <= last for first, last in spans):
            continue
        entry = lane.decoded(row)
        if isinstance(entry, RequestSent | Compacted | Cleared):
            for decision in entry.decisions:
                for at in range(decision.first_seq, decision.last_seq + 1):
                    held[at] = decision
    return as_ranges(((at, decision.action, decision.reason) for at, decision in held.items()), NOT_DENSE)
