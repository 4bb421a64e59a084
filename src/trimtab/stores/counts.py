"""How many rows a list has within a scope. Long lists are counted once and then only what was added."""

from __future__ import annotations

import sqlite3
from threading import Lock

from msgspec import Struct

from trimtab.stores.index import first_place_after, span_of
from trimtab.stores.scopes import Lanes
from trimtab.stores.values import Scope

# Lists shorter than this are counted each time: it costs less than remembering them (0.05 ms, measured).
_LONG = 1_000
_MOST_REMEMBERED = 20_000
# A remembered count may be wrong by one in so many, for rows that were dropped since; an idf moves by .001.
_ONE_IN = 1_000

_COUNT = "SELECT count(*) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?"


class _Known(Struct, frozen=True):
    """A count, and how the scope's lanes stood then."""

    count: int
    newest_doc: int
    removed_count: int
    unseen: frozenset[int]


class ListCounts:
    """Counts of long lists by term and scope. Safe to use from several threads."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Scope], _Known] = {}
        self._lock = Lock()

    def count(self, db: sqlite3.Connection, lanes: Lanes, indexed: str) -> int:
        """Rows in the scope of a term as it is indexed."""
        whose = indexed, lanes.scope
        with self._lock:
            known = self._known.get(whose)
        if known is None or known.unseen != lanes.unseen or (lanes.removed_count - known.removed_count) * _ONE_IN > known.count:
            count, removed_count = sum(_count(db, indexed, span) for span in lanes.spans), lanes.removed_count
        elif known.newest_doc == lanes.newest_doc:
            return known.count
        else:
            count, removed_count = known.count + _count_after(db, lanes, indexed, known.newest_doc), known.removed_count
        if count >= _LONG:
            self._remember(whose, _Known(count, lanes.newest_doc, removed_count, lanes.unseen))
        return count

    def _remember(self, whose: tuple[str, Scope], known: _Known) -> None:
        with self._lock:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[whose] = known


def _count(db: sqlite3.Connection, indexed: str, span: tuple[int, int]) -> int:
    found: int = db.execute(_COUNT, (f'"{indexed}"', *span)).fetchone()[0]
    return found


def _count_after(db: sqlite3.Connection, lanes: Lanes, indexed: str, doc: int) -> int:
    """Rows that were added since `doc` was the newest."""
    grown = [number for number, lane in lanes.by_no.items() if lane.totals.newest_doc > doc]
    return sum(_count(db, indexed, (first_place_after(number, doc), span_of(number, number)[1])) for number in grown)
