"""What a store must offer: an append-only ledger by lane, bodies by content, snapshots, and the rows that recall reads.

A store knows nothing of what entries mean. Hashes, sequence numbers and JSON come from the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from trimtab.stores.values import (
    NO_FILTER,
    Batch,
    Candidate,
    Filter,
    LaneHead,
    LaneKey,
    Scope,
    Snapshot,
    StoredEntry,
    Turn,
    VectorRow,
    WordMatches,
)


class Store(Protocol):
    """Synchronous, safe to use from several threads and processes. See `trimtab.testing.store_conformance`."""

    def head(self, key: LaneKey) -> LaneHead:
        """(0, 0, 0) for a lane that does not exist yet. The head is the newest entry's seq."""
        ...

    def commit(self, key: LaneKey, batch: Batch, expect_seq: int) -> None:
        """Write the whole batch in one transaction, or nothing.

        Bodies that are already there are not written again; that this lane holds them is noted. Turns with a known id replace the old row with its words and vectors.
        Vectors of a turn that is not there (any more) are passed over. Literals are of entries in this batch, or fill up what
        `literals_upto` says is missing; any others are there already and are passed over.
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

    def search(self, scope: Scope, terms: Sequence[str], limit: int, where: Filter = NO_FILTER) -> WordMatches:
        """The `limit` turns that rank highest by BM25 over `terms` (any of them), best first, of equal ones the newer.
        Terms are matched whole and literally."""
        ...

    def candidates(self, docs: Sequence[int], scope: Scope, where: Filter = NO_FILTER) -> list[Candidate]:
        """Those of the rows that are in the scope and pass, in the order of `docs`."""
        ...

    def newest(self, scope: Scope, limit: int, where: Filter = NO_FILTER) -> list[Candidate]:
        """The turns of the scope that were added last, newest first; of its lanes those that grew last. With a filter
        those of these `limit` that pass."""
        ...

    def terms(self, docs: Sequence[int], scope: Scope) -> dict[int, str]:
        """The search terms of those of the rows that are in the scope, joined by spaces."""
        ...

    def neighbors(self, docs: Sequence[int], scope: Scope, distance: int = 2) -> dict[int, tuple[int, ...]]:
        """For each of the rows in the scope the rows of its lane and kind around it by first_seq: up to `distance` before,
        nearest first, then up to `distance` after, nearest first."""
        ...

    def vectors(
        self, scope: Scope, embedder_id: str, after_doc: int = 0, after_number: int = 0, docs: Sequence[int] | None = None
    ) -> Iterator[VectorRow]:
        """Vectors of one embedder by doc and window, of rows after `after_doc`, that arrived after `after_number`; or of just
        the rows `docs`, those of them that are in the scope.

        Vectors may arrive later than those of newer rows: an index that is kept up to date remembers the highest `number`.
        """
        ...

    def unembedded(self, scope: LaneKey | Scope, embedder_id: str, limit: int) -> list[tuple[LaneKey, Turn]]:
        """Turns without vectors of that embedder, oldest row first."""
        ...

    def revision(self, scope: Scope) -> tuple[int, int]:
        """(highest doc that was ever given in the scope, rows dropped or replaced so far)."""
        ...

    def find_literal(self, scope: Scope, literal: str, prefix: bool = False, limit: int = 50) -> list[tuple[LaneKey, int]]:
        """(lane, seq) of the entries that hold the literal, case aside, newest first. Literals of more than 512 characters
        are found whole only."""
        ...

    def literals_upto(self, key: LaneKey) -> int:
        """The seq up to which the literals of all entries are there: the lane's last, but for lanes that are older than
        literals and were not filled up yet."""
        ...

    def set_private(self, key: LaneKey, private: bool) -> None:
        """Whether other lanes see this one. A lane that does not exist yet begins with it."""
        ...

    def is_private(self, key: LaneKey) -> bool: ...

    def turns(self, key: LaneKey, turn_ids: Sequence[int]) -> list[Turn]: ...

    def sessions(self, tenant_id: str, project_id: str) -> list[LaneKey]: ...

    def lanes(self, tenant_id: str, project_id: str, session_id: str) -> list[LaneKey]:
        """Every lane of the session, sorted."""
        ...

    def size_bytes(self) -> int:
        """Bytes of all that is stored (live pages of the database)."""
        ...

    def close(self) -> None: ...
