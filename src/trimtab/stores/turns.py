"""Rows of turns: put, dropped, read; and those that a scope and a filter let pass."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence

import msgspec
from msgspec import Struct

from trimtab.stores.codec import pack, unpack
from trimtab.stores.index import decode_tags, filters_of, place_of, turn_document
from trimtab.stores.scopes import Lanes, Totals
from trimtab.stores.values import Candidate, Filter, Turn
from trimtab.stores.vectors import drop_vectors

_TURN_COLUMNS = "turn_id, first_seq, last_seq, at_ms, role, kind, tags, origin_ids, codec, key_id, checksum, terms"
_ADD_TURN = f"INSERT INTO turns (lane_no, {_TURN_COLUMNS}, length) VALUES ({'?, ' * 13}?)"
_CANDIDATE_COLUMNS = "doc, lane_no, turn_id, first_seq, last_seq, at_ms, role, kind, length, tags"
_LISTED = "IN (SELECT value FROM json_each(?))"

_decode_ids = msgspec.json.Decoder(tuple[int, ...]).decode


def listed(numbers: Collection[int]) -> str:
    """Numbers as one value for a statement."""
    return msgspec.json.encode(list(numbers)).decode()


def put_turn(db: sqlite3.Connection, totals: Totals, turn: Turn) -> None:
    """Store a turn and index its words, instead of the turn with its id if there is one."""
    drop_turn(db, totals, turn.turn_id)
    terms = turn.terms.split()
    tags = msgspec.json.encode(turn.tags) if turn.tags else b""
    origin_ids = msgspec.json.encode(turn.origin_ids) if turn.origin_ids else b""
    row = (turn.turn_id, turn.first_seq, turn.last_seq, turn.at_ms, turn.role, turn.kind, tags, origin_ids, *pack(turn.terms.encode()))
    doc = db.execute(_ADD_TURN, (totals.lane_no, *row, len(terms))).lastrowid or 0
    document = turn_document(totals.project_no, terms, filters_of(turn.role, turn.kind, turn.tags))
    db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (place_of(totals.lane_no, doc, len(terms)), document))
    totals.newest_doc = doc
    totals.turn_count += 1
    totals.term_count += len(terms)


def drop_turn(db: sqlite3.Connection, totals: Totals, turn_id: int) -> None:
    """Remove a turn with its words and vectors; nothing where there is none."""
    row = db.execute(
        "SELECT doc, length, role, kind, tags, codec, key_id, checksum, terms FROM turns WHERE lane_no = ? AND turn_id = ?",
        (totals.lane_no, turn_id),
    ).fetchone()
    if row is None:
        return
    doc, length, role, kind, tags, *packed = row
    # a contentless index has to be told what it is to forget
    terms = unpack(f"turn {turn_id}", *packed).decode().split()
    document = turn_document(totals.project_no, terms, filters_of(role, kind, _tags(tags)))
    place = place_of(totals.lane_no, doc, length)
    db.execute("INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", (place, document))
    db.execute("DELETE FROM turns WHERE doc = ?", (doc,))
    drop_vectors(db, doc)
    totals.turn_count -= 1
    totals.term_count -= length
    totals.removed_count += 1


def read_turns(db: sqlite3.Connection, lane_no: int, turn_ids: Sequence[int]) -> list[Turn]:
    """In the order of `turn_ids`; unknown ones are left out."""
    rows = db.execute(f"SELECT {_TURN_COLUMNS} FROM turns WHERE lane_no = ? AND turn_id {_LISTED}", (lane_no, listed(turn_ids)))
    found = {row[0]: _turn(*row) for row in rows}
    return [found[turn_id] for turn_id in turn_ids if turn_id in found]


def turns_of_docs(db: sqlite3.Connection, docs: Sequence[int]) -> list[tuple[int, Turn]]:
    """(number of the lane, turn) by doc."""
    rows = db.execute(f"SELECT lane_no, {_TURN_COLUMNS} FROM turns WHERE doc {_LISTED} ORDER BY doc", (listed(docs),))
    return [(lane_no, _turn(*row)) for lane_no, *row in rows]


def _turn(  # noqa: PLR0913 - a row
    turn_id: int,
    first_seq: int,
    last_seq: int,
    at_ms: int,
    role: str,
    kind: str,
    tags: bytes,
    origin_ids: bytes,
    *packed: str | int | bytes,
) -> Turn:
    terms = unpack(f"turn {turn_id}", *packed).decode()  # type: ignore[arg-type]
    return Turn(turn_id, first_seq, last_seq, at_ms, role, terms, _tags(tags), _decode_ids(origin_ids) if origin_ids else (), kind)


def terms_of_docs(db: sqlite3.Connection, docs: Collection[int]) -> dict[int, list[str]]:
    rows = db.execute(f"SELECT doc, turn_id, codec, key_id, checksum, terms FROM turns WHERE doc {_LISTED}", (listed(docs),))
    return {doc: unpack(f"turn {turn_id}", *packed).decode().split() for doc, turn_id, *packed in rows}


class Sieve(Struct):
    """A filter over the lanes of a scope, made quick to ask.

    Attributes:
        bounded_lane_no: of which lane `before_seq` holds; 0 for all.
    """

    lanes: Lanes
    where: Filter
    bounded_lane_no: int = 0
    tags: dict[str, frozenset[str]] = {}

    def __post_init__(self) -> None:
        where = self.where
        if where.lane is not None:
            self.bounded_lane_no = next((number for number, lane in self.lanes.by_no.items() if lane.key == where.lane), -1)
        self.tags = {kind: frozenset(value.casefold() for value in values) for kind, values in where.tags.items() if values}

    @property
    def lets_all_pass(self) -> bool:
        where = self.where
        return not (where.since_ms or where.until_ms or where.before_seq or where.roles or where.kinds or self.tags)

    def candidates(self, db: sqlite3.Connection, docs: Collection[int]) -> dict[int, Candidate]:
        """Those of the rows that pass, by doc."""
        found: dict[int, Candidate] = {}
        by_no, passes = self.lanes.by_no, None if self.lets_all_pass else self._passes
        for doc, lane_no, turn_id, first, last, at_ms, role, kind, length, stored in db.execute(
            f"SELECT {_CANDIDATE_COLUMNS} FROM turns WHERE doc {_LISTED}", (listed(docs),)
        ):
            lane = by_no.get(lane_no)
            if lane is None:
                continue
            candidate = Candidate(doc, lane.key, turn_id, first, last, at_ms, role, _tags(stored), length, 0.0, kind)
            if passes is None or passes(candidate, lane_no):
                found[doc] = candidate
        return found

    def _passes(self, row: Candidate, lane_no: int) -> bool:
        where = self.where
        if where.before_seq and row.last_seq >= where.before_seq and self.bounded_lane_no in (0, lane_no):
            return False
        if row.at_ms < where.since_ms or (where.until_ms and row.at_ms >= where.until_ms):
            return False
        if (where.roles and row.role.casefold() not in _folded(where.roles)) or (
            where.kinds and row.kind.casefold() not in _folded(where.kinds)
        ):
            return False
        return all(any(value.casefold() in wanted for value in row.tags.get(kind, ())) for kind, wanted in self.tags.items())


def newest_docs(db: sqlite3.Connection, lanes: Lanes, limit: int) -> list[int]:
    """The last rows of the scope, newest first: of no more lanes than there are rows wanted, those that grew last."""
    grown = sorted(lanes.by_no, key=lambda number: -lanes.by_no[number].totals.newest_doc)[:limit]
    found: list[int] = []
    for lane_no in grown:
        rows = db.execute("SELECT doc FROM turns WHERE lane_no = ? ORDER BY first_seq DESC, doc DESC LIMIT ?", (lane_no, limit))
        found += [doc for (doc,) in rows]
    return sorted(found, reverse=True)[:limit]


def neighbors_of(db: sqlite3.Connection, lanes: Lanes, docs: Iterable[int], distance: int) -> dict[int, tuple[int, ...]]:
    """See `Store.neighbors`."""
    found: dict[int, tuple[int, ...]] = {}
    around = "SELECT doc FROM turns WHERE lane_no = ? AND kind = ? AND (first_seq, doc)"
    for doc in docs:
        row = db.execute("SELECT lane_no, kind, first_seq FROM turns WHERE doc = ?", (doc,)).fetchone()
        if row is None or row[0] not in lanes.by_no:
            continue
        values = (*row, doc, distance)
        before = db.execute(f"{around} < (?, ?) ORDER BY first_seq DESC, doc DESC LIMIT ?", values).fetchall()
        after = db.execute(f"{around} > (?, ?) ORDER BY first_seq, doc LIMIT ?", values).fetchall()
        found[doc] = tuple(other for (other,) in (*before, *after))
    return found


def docs_in_time(db: sqlite3.Connection, lanes: Lanes, where: Filter, most: int) -> set[int] | None:
    """The rows whose time is within the filter's bounds; None where they are more than `most`."""
    found: set[int] = set()
    until_ms = where.until_ms or 2**63 - 1
    for lane_no in lanes.by_no:
        rows = db.execute(
            "SELECT doc FROM turns WHERE lane_no = ? AND at_ms >= ? AND at_ms < ? LIMIT ?", (lane_no, where.since_ms, until_ms, most + 1)
        )
        found.update(doc for (doc,) in rows)
        if len(found) > most:
            return None
    return found


def _folded(values: Iterable[str]) -> set[str]:
    return {value.casefold() for value in values}


def _tags(stored: bytes) -> dict[str, list[str]]:
    return decode_tags(stored) if stored else {}
