"""The exact index of identifiers and literals: filled up for a lane that is older than it, and asked for the branches of a scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from trimtab.core.entries import MessageAdded
from trimtab.errors import Erased, NotFound, SeqConflict
from trimtab.recall.literals import literals_of
from trimtab.session.bodies import Bodies
from trimtab.session.lane import Lane
from trimtab.session.reading import everything_of
from trimtab.stores import Batch, LaneKey, Literals, Scope, Store, StoredEntry

# entries that are read and entered at a time: what is done is kept if the process stops
_PIECE = 512
_TRIES = 20
# entries that are looked at for one literal, newest first
MOST_PLACES = 2_000

# a message by its lane and number
Place: TypeAlias = tuple[LaneKey, int]


def fill_up(lane: Lane, bodies: Bodies) -> None:
    """Enter the literals of all that is older than the index; where nothing is, this is one small read.

    Raises:
        SeqConflict: other writers were first many times.
    """
    upto = lane.store.literals_upto(lane.key)
    while upto < lane.last_seq:
        piece = lane.store.load(lane.key, upto, upto + _PIECE)
        if not piece:
            return
        _enter(lane, [Literals(row.seq, _literals(lane, bodies, row)) for row in piece])
        reached = lane.store.literals_upto(lane.key)
        if reached <= upto:
            return
        upto = reached


def _enter(lane: Lane, literals: list[Literals]) -> None:
    """They come in beside whatever else is being written to the lane."""
    for attempt in range(_TRIES):
        try:
            lane.store.commit(lane.key, Batch(literals=literals), lane.store.head(lane.key).last_seq)
        except SeqConflict:
            if attempt + 1 == _TRIES:
                raise
        else:
            return


def _literals(lane: Lane, bodies: Bodies, row: StoredEntry) -> tuple[str, ...]:
    entry = lane.decoded(row) if row.kind == "message" else None
    if not isinstance(entry, MessageAdded):
        return ()
    try:
        return literals_of(everything_of(bodies.message(entry.node)))
    except (Erased, NotFound):
        return ()


def places_of(store: Store, scope: Scope, lane_of: Callable[[LaneKey], Lane], literal: str) -> tuple[set[Place], set[Place]]:
    """(messages that hold the literal, those that hold a longer one which begins with it), case aside, of each lane in the
    scope on the branch that it is on.

    A message that came again in other bytes says the same: what it held when it came in is what it holds.
    """

    def there(prefix: bool) -> set[Place]:
        found = store.find_literal(scope, literal, prefix=prefix, limit=MOST_PLACES)
        return {(key, seq) for key, seq in found if lane_of(key).state.contains(seq)}

    whole = there(prefix=False)
    return whole, there(prefix=True) - whole
