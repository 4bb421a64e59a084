"""What recall asks of a SQLite store: search by words, literals, vectors, rows around rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trimtab.stores import literals, turns, vectors
from trimtab.stores.counts import ListCounts
from trimtab.stores.link import Link
from trimtab.stores.scopes import lanes_of, read_totals
from trimtab.stores.search import search
from trimtab.stores.values import NO_FILTER, Candidate, Filter, LaneKey, Scope, Turn, VectorRow, WordMatches, lane_scope


class RecallReads:
    """The reading methods of `Store` that recall uses. Each call sees one state of the database."""

    _reader: Link
    _counts: ListCounts

    def search(self, scope: Scope, terms: Sequence[str], limit: int, where: Filter = NO_FILTER) -> WordMatches:
        with self._reader.reading(consistent=True) as db:
            return search(db, lanes_of(db, scope), self._counts, terms, limit, where)

    def candidates(self, docs: Sequence[int], scope: Scope, where: Filter = NO_FILTER) -> list[Candidate]:
        with self._reader.reading(consistent=True) as db:
            found = turns.Sieve(lanes_of(db, scope), where).candidates(db, docs)
        return [found[doc] for doc in docs if doc in found]

    def newest(self, scope: Scope, limit: int, where: Filter = NO_FILTER) -> list[Candidate]:
        with self._reader.reading(consistent=True) as db:
            lanes = lanes_of(db, scope)
            docs = turns.newest_docs(db, lanes, limit)
            found = turns.Sieve(lanes, where).candidates(db, docs)
        return [found[doc] for doc in docs if doc in found]

    def terms(self, docs: Sequence[int], scope: Scope) -> dict[int, str]:
        with self._reader.reading(consistent=True) as db:
            seen = turns.Sieve(lanes_of(db, scope), NO_FILTER).candidates(db, docs)
            return {doc: " ".join(terms) for doc, terms in turns.terms_of_docs(db, seen).items()}

    def neighbors(self, docs: Sequence[int], scope: Scope, distance: int = 2) -> dict[int, tuple[int, ...]]:
        with self._reader.reading(consistent=True) as db:
            return turns.neighbors_of(db, lanes_of(db, scope), docs, distance)

    def vectors(
        self, scope: Scope, embedder_id: str, after_doc: int = 0, after_number: int = 0, docs: Sequence[int] | None = None
    ) -> Iterator[VectorRow]:
        """See `Store.vectors`. Read in pieces: what is replaced meanwhile may come in neither form, `revision` tells."""
        with self._reader.reading(consistent=True) as db:
            embedder, lanes = vectors.embedder_no(db, embedder_id), lanes_of(db, scope)
            newer: list[VectorRow] = []
            if docs is not None:
                wanted = sorted(turns.Sieve(lanes, NO_FILTER).candidates(db, docs))
            elif after_number:
                newer, wanted = vectors.newer_vectors(db, lanes, embedder, after_doc, after_number), []
            else:
                wanted = vectors.docs_of(db, lanes, after_doc) if embedder else []
        yield from newer
        for first in range(0, len(wanted), vectors.READ_DOCS):
            with self._reader.reading() as db:
                rows = vectors.read_vectors(db, wanted[first : first + vectors.READ_DOCS], embedder)
            yield from rows

    def unembedded(self, scope: LaneKey | Scope, embedder_id: str, limit: int) -> list[tuple[LaneKey, Turn]]:
        where = scope if isinstance(scope, Scope) else lane_scope(scope)
        with self._reader.reading(consistent=True) as db:
            lanes = lanes_of(db, where)
            docs = vectors.unembedded_docs(db, lanes, vectors.embedder_no(db, embedder_id), limit)
            return [(lanes.by_no[lane_no].key, turn) for lane_no, turn in turns.turns_of_docs(db, docs)]

    def revision(self, scope: Scope) -> tuple[int, int]:
        with self._reader.reading(consistent=True) as db:
            lanes = lanes_of(db, scope)
        return lanes.newest_doc, lanes.removed_count

    def find_literal(self, scope: Scope, literal: str, prefix: bool = False, limit: int = 50) -> list[tuple[LaneKey, int]]:
        with self._reader.reading(consistent=True) as db:
            return literals.find_literal(db, lanes_of(db, scope), literal, prefix, limit)

    def literals_upto(self, key: LaneKey) -> int:
        with self._reader.reading() as db:
            return literals.complete_upto(read_totals(db, key))

    def is_private(self, key: LaneKey) -> bool:
        with self._reader.reading() as db:
            return bool(read_totals(db, key).is_private)

    def turns(self, key: LaneKey, turn_ids: Sequence[int]) -> list[Turn]:
        """In the order of `turn_ids`; unknown ones are left out."""
        with self._reader.reading(consistent=True) as db:
            return turns.read_turns(db, read_totals(db, key).lane_no, turn_ids)
