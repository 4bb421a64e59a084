"""Rows and lanes that the suites for stores write, and short ways to ask for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trimtab.errors import StoreError
from trimtab.stores.protocol import Store
from trimtab.stores.values import NO_FILTER, Batch, Candidate, Filter, LaneKey, StoredEntry, Turn, Vector, lane_scope

LANE = LaneKey("tenant", "project", "session")
OTHERS = (
    LaneKey("tenant 2", "project", "session"),
    LaneKey("tenant", "project 2", "session"),
    LaneKey("tenant", "project", "session 2"),
    LaneKey("tenant", "project", "session", "lane 2"),
)


def entry(seq: int, *, data: bytes = b"{}", request: int = 0) -> StoredEntry:
    return StoredEntry(seq, seq - 1, seq, "request" if request else "message", 1, 1_700_000_000_000 + seq, data, request)


def turn(turn_id: int, terms: str, *, last_seq: int | None = None) -> Turn:
    last = turn_id if last_seq is None else last_seq
    return Turn(turn_id, last, last, 1_000 + turn_id, "user", terms, {"intent": ["question"], "topic": ["看板"]}, (last,))


def vector(turn_id: int, window: int = 0, embedder_id: str = "e") -> Vector:
    """A vector whose bytes say whose it is."""
    return Vector(turn_id, window, embedder_id, f"{turn_id} {window} {embedder_id}".encode())


def raises(kind: type[StoreError], call: Callable[[], object]) -> StoreError:
    """The error of that kind that the call raises."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def grow(store: Store, key: LaneKey, count: int) -> None:
    """Append `count` entries to an empty lane in one commit."""
    store.commit(key, Batch(entries=[entry(seq, data=b"%d" % seq) for seq in range(1, count + 1)]), 0)


def ranked(store: Store, key: LaneKey, terms: Sequence[str], limit: int, where: Filter = NO_FILTER) -> list[Candidate]:
    """What a search of the lane finds, as the lane sees itself."""
    return store.search(lane_scope(key), terms, limit, where).rows


def ids(hits: Sequence[Candidate]) -> list[int]:
    return [hit.turn_id for hit in hits]
