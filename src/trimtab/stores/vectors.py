"""Vectors by row and window. The rows of one embedder never mix with another's."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import starmap

import msgspec

from trimtab.errors import StoreError
from trimtab.stores.scopes import Lanes, Totals
from trimtab.stores.values import Vector, VectorRow

MOST_WINDOWS = 256
# turns whose vectors one step of a reading takes: 4 MB with one window of 512 dimensions
READ_DOCS = 4_096


def embedder_no(db: sqlite3.Connection, embedder_id: str) -> int:
    """0 for one that has no vectors here."""
    row = db.execute("SELECT embedder_no FROM embedders WHERE embedder_id = ?", (embedder_id,)).fetchone()
    return row[0] if row else 0


def put_vectors(db: sqlite3.Connection, totals: Totals, vectors: Sequence[Vector]) -> None:
    """What an embedder had for these turns goes; vectors of turns that are gone are passed over."""
    replaced: dict[tuple[int, str], tuple[int, int]] = {}
    rows = []
    for vector in vectors:
        if not 0 <= vector.window < MOST_WINDOWS:
            raise StoreError(
                f"window {vector.window} of turn {vector.turn_id}: a turn has at most {MOST_WINDOWS} windows, from 0; cut fewer"
            )
        whose = vector.turn_id, vector.embedder_id
        if whose not in replaced:
            replaced[whose] = _make_room(db, totals.lane_no, *whose)
        doc, number = replaced[whose]
        if doc:
            rows.append((doc, vector.window, number, totals.lane_no, vector.data))
    db.executemany("INSERT OR REPLACE INTO vectors (doc, window, embedder_no, lane_no, data) VALUES (?, ?, ?, ?, ?)", rows)


def _make_room(db: sqlite3.Connection, lane_no: int, turn_id: int, embedder_id: str) -> tuple[int, int]:
    """(doc of the turn, number of the embedder); zeros where the turn is gone."""
    row = db.execute("SELECT doc FROM turns WHERE lane_no = ? AND turn_id = ?", (lane_no, turn_id)).fetchone()
    if row is None:
        return 0, 0
    number = embedder_no(db, embedder_id)
    if not number:
        number = db.execute("INSERT INTO embedders (embedder_id) VALUES (?)", (embedder_id,)).lastrowid or 0
    db.execute("DELETE FROM vectors WHERE doc = ? AND embedder_no = ?", (row[0], number))
    return row[0], number


def drop_vectors(db: sqlite3.Connection, doc: int) -> None:
    db.execute("DELETE FROM vectors WHERE doc = ?", (doc,))


def docs_of(db: sqlite3.Connection, lanes: Lanes, after_doc: int) -> list[int]:
    """The scope's rows after one, in order."""
    found: list[int] = []
    for lane_no in lanes.by_no:
        found += [doc for (doc,) in db.execute("SELECT doc FROM turns WHERE lane_no = ? AND doc > ?", (lane_no, after_doc))]
    return sorted(found)


def read_vectors(db: sqlite3.Connection, docs: Sequence[int], embedder: int) -> list[VectorRow]:
    """The windows of some rows, by doc and window."""
    rows = db.execute(
        """SELECT doc, window, data, number FROM vectors
        WHERE doc IN (SELECT value FROM json_each(?)) AND embedder_no = ? ORDER BY doc, window""",
        (msgspec.json.encode(docs).decode(), embedder),
    )
    return list(starmap(VectorRow, rows))


def newer_vectors(db: sqlite3.Connection, lanes: Lanes, embedder: int, after_doc: int, after_number: int) -> list[VectorRow]:
    """What arrived after a number, by doc and window."""
    rows = db.execute(
        """SELECT doc, window, data, number FROM vectors
        WHERE lane_no IN (SELECT value FROM json_each(?)) AND number > ? AND embedder_no = ? AND doc > ?""",
        (msgspec.json.encode(list(lanes.by_no)).decode(), after_number, embedder, after_doc),
    )
    found = list(starmap(VectorRow, rows))
    return sorted(found, key=lambda row: (row.doc, row.window))


def unembedded_docs(db: sqlite3.Connection, lanes: Lanes, embedder: int, limit: int) -> list[int]:
    """Rows without vectors of that embedder, lowest first."""
    found: list[int] = []
    for lane_no in lanes.by_no:
        rows = db.execute(
            """SELECT doc FROM turns WHERE lane_no = ? AND NOT EXISTS
            (SELECT 1 FROM vectors WHERE vectors.doc = turns.doc AND embedder_no = ?) ORDER BY doc LIMIT ?""",
            (lane_no, embedder, limit),
        )
        found += [doc for (doc,) in rows]
    return sorted(found)[:limit]
