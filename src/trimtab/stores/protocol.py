"""What a store must offer: an append-only ledger by lane, bodies by content, snapshots, word search.

A store knows nothing of what entries mean. Hashes, sequence numbers and JSON come from the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct


class LaneKey(Struct, frozen=True, order=True):
    """Whose ledger. Every row begins with these four."""

    tenant_id: str
    project_id: str
    session_id: str
    lane_id: str = "main"


class StoredEntry(Struct, frozen=True, array_like=True):
    """One ledger row.

    Attributes:
        seq: 1, 2, 3 ... within the lane, without gaps.
        parent_seq: the entry it follows on its branch; 0 for the first.
        at_node: seq of the newest message on its branch at that time (its own seq for a message); 0 for none.
        kind: tag of the entry's type.
        version: version of that type.
        at_ms: wall clock when it was appended, Unix milliseconds.
        data: JSON of the entry.
        request: number of the request, for a RequestSent; 0 otherwise.
    """

    seq: int
    parent_seq: int
    at_node: int
    kind: str
    version: int
    at_ms: int
    data: bytes
    request: int = 0


class Body(Struct, frozen=True, array_like=True):
    """Bytes by content. `codec` says how they are stored ("" as they are, "zlib" compressed)."""

    body_id: str
    data: bytes


class Count(Struct, frozen=True, array_like=True):
    """Raw token count of a body by one counter."""

    body_id: str
    counter_id: str
    tokens: int
    content_class: str = ""


class Turn(Struct, frozen=True, array_like=True):
    """One searchable turn. `terms` is its text already cut into words by us, joined by spaces."""

    turn_id: int
    first_seq: int
    last_seq: int
    at_ms: int
    role: str
    terms: str
    tags: dict[str, list[str]] = {}
    origin_ids: tuple[int, ...] = ()


class Hit(Struct, frozen=True, array_like=True):
    """A turn found, best first; `score` is larger for better."""

    turn_id: int
    first_seq: int
    last_seq: int
    at_ms: int
    role: str
    score: float
    tags: dict[str, list[str]] = {}


class Snapshot(Struct, frozen=True, array_like=True):
    seq: int
    version: int
    data: bytes


class LaneHead(Struct, frozen=True, array_like=True):
    """Where a lane ends: last seq, number of the last request, and the seq that its current branch ends at."""

    last_seq: int
    last_request: int
    head_seq: int


class Batch(Struct, frozen=True, kw_only=True):
    """Everything one transaction writes to one lane."""

    entries: Sequence[StoredEntry] = ()
    bodies: Sequence[Body] = ()
    counts: Sequence[Count] = ()
    turns: Sequence[Turn] = ()
    dropped_turns: Sequence[int] = ()
    snapshot: Snapshot | None = None


class Store(Protocol):
    """Synchronous, safe to use from several threads and processes. See `trimtab.testing.store_conformance`."""

    def head(self, key: LaneKey) -> LaneHead:
        """(0, 0, 0) for a lane that does not exist yet. The head is the newest entry's seq."""
        ...

    def commit(self, key: LaneKey, batch: Batch, expect_seq: int) -> None:
        """Write the whole batch in one transaction, or nothing.

        Bodies that are already there are not written again; that this lane holds them is noted. Turns with a known id replace the old row and its words.
        Raises:
            SeqConflict: the lane does not end at `expect_seq`, or a request number is taken.
            StoreBusy: the database stayed locked past the store's own patience.
        """
        ...

    def load(self, key: LaneKey, after_seq: int = 0, upto_seq: int | None = None) -> list[StoredEntry]:
        """Entries with after_seq < seq <= upto_seq, by seq."""
        ...

    def entry(self, key: LaneKey, seq: int) -> StoredEntry:
        """Raises NotFound."""
        ...

    def request(self, key: LaneKey, number: int) -> StoredEntry:
        """The RequestSent with that number. Raises NotFound with the numbers there are (first and last)."""
        ...

    def bodies(self, tenant_id: str, body_ids: Iterable[str]) -> dict[str, bytes]:
        """Bytes by id; any number of ids. Raises Erased, CorruptEntry or NotFound for an id it cannot give."""
        ...

    def counts(self, tenant_id: str, body_ids: Iterable[str], counter_id: str) -> dict[str, int]:
        """Stored counts; ids without one are left out."""
        ...

    def snapshot(self, key: LaneKey, upto_seq: int) -> Snapshot | None:
        """The newest snapshot whose seq is at most `upto_seq`."""
        ...

    def snapshot_seqs(self, key: LaneKey) -> list[int]: ...

    def search_words(self, key: LaneKey, terms: Sequence[str], limit: int, before_seq: int | None = None) -> list[Hit]:
        """Turns of this session (all its lanes share nothing) by BM25 over `terms` (any of them), best first;
        with `before_seq` only turns whose last_seq is below it. Terms are matched whole and literally."""
        ...

    def turns(self, key: LaneKey, turn_ids: Sequence[int]) -> list[Turn]: ...

    def sessions(self, tenant_id: str, project_id: str) -> list[LaneKey]: ...

    def size_bytes(self) -> int:
        """Bytes of all that is stored (live pages of the database)."""
        ...

    def close(self) -> None: ...
