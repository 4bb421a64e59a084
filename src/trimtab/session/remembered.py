"""Rows of a scope that were read before, so that a search asks the store only for what is new to it.

A row never changes: a turn that is replaced gets a new one. Rows that are dropped, or hidden from a scope, change the
scope's revision, and everything is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trimtab.stores import NO_FILTER, Candidate, Filter, Scope, Store

# rows of a scope, and scopes, of which more are not remembered
_MOST_ROWS, _MOST_SCOPES = 4_096, 16


class RememberedRows:
    """What is known of one scope's rows. Reads like the store's own; for several threads."""

    def __init__(self, store: Store, scope: Scope, removed: int) -> None:
        self._store, self._scope = store, scope
        self.removed = removed
        self._rows: dict[int, Candidate] = {}
        self._terms: dict[int, str] = {}
        # for as long as no row is added
        self._newest_doc = -1
        self._neighbors: dict[tuple[int, int], tuple[int, ...]] = {}
        self._newest: dict[int, list[Candidate]] = {}

    def move_to(self, newest_doc: int) -> None:
        """Rows up to this one are there now."""
        if newest_doc == self._newest_doc:
            return
        self._newest_doc, self._neighbors, self._newest = newest_doc, {}, {}
        for known in (self._rows, self._terms):
            if len(known) > _MOST_ROWS:
                known.clear()

    def candidates(self, docs: Sequence[int], where: Filter = NO_FILTER) -> list[Candidate]:
        if where != NO_FILTER:
            return self._store.candidates(docs, self._scope, where)
        known = self._rows
        missing = [doc for doc in docs if doc not in known]
        read = {row.doc: row for row in self._store.candidates(missing, self._scope)} if missing else {}
        known.update(read)
        return [row for doc in docs if (row := known.get(doc) or read.get(doc)) is not None]

    def newest(self, limit: int, where: Filter = NO_FILTER) -> list[Candidate]:
        if where != NO_FILTER:
            return self._store.newest(self._scope, limit, where)
        known = self._newest
        if limit not in known:
            known[limit] = self._store.newest(self._scope, limit)
        return known[limit]

    def terms(self, docs: Iterable[int]) -> dict[int, str]:
        known = self._terms
        found = {doc: known.get(doc) for doc in docs}
        missing = [doc for doc, terms in found.items() if terms is None]
        read = self._store.terms(missing, self._scope) if missing else {}
        known.update(read)
        return {doc: terms for doc, terms in (found | read).items() if terms is not None}

    def neighbors(self, docs: Sequence[int], distance: int) -> dict[int, tuple[int, ...]]:
        known = self._neighbors
        missing = [doc for doc in docs if (doc, distance) not in known]
        read = self._store.neighbors(missing, self._scope, distance) if missing else {}
        known.update(((doc, distance), around) for doc, around in read.items())
        return {doc: around for doc in docs if (around := known.get((doc, distance))) is not None}


class Remembered:
    """What is remembered of a store, scope by scope."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._scopes: dict[Scope, RememberedRows] = {}

    def rows(self, scope: Scope) -> RememberedRows:
        """As the scope is now."""
        newest_doc, removed = self._store.revision(scope)
        found = self._scopes.pop(scope, None)
        if found is None or found.removed != removed:
            found = RememberedRows(self._store, scope, removed)
        # the one that was asked last stands last
        self._scopes[scope] = found
        while len(self._scopes) > _MOST_SCOPES:
            self._scopes.pop(next(iter(self._scopes)), None)
        found.move_to(newest_doc)
        return found
