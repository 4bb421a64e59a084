"""Lanes: their numbers and totals, and which of them a scope holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import starmap
from typing import TypeAlias

from msgspec import Struct

from trimtab.stores.index import span_of
from trimtab.stores.values import LaneKey, Scope

OF_LANE = "tenant_id = ? AND project_id = ? AND session_id = ? AND lane_id = ?"
KeyRow: TypeAlias = tuple[str, str, str, str]

_TOTALS = """lane_no, project_no, last_seq, last_request, turn_count, term_count, newest_doc, removed_count,
    literals_from, literals_upto, is_private"""
_ADD_LANE = """INSERT INTO lanes (tenant_id, project_id, session_id, lane_id, lane_no, project_no)
    VALUES (?, ?, ?, ?, (SELECT coalesce(max(lane_no), 0) + 1 FROM lanes), ?) RETURNING lane_no"""
_SET_LANE = f"""UPDATE lanes SET last_seq = ?, last_request = ?, turn_count = ?, term_count = ?, newest_doc = ?, removed_count = ?,
    literals_from = ?, literals_upto = ?, is_private = ? WHERE {OF_LANE}"""


class Totals(Struct):
    """A lane's numbers and where it ends. Changed in place by what is put and dropped."""

    lane_no: int = 0
    project_no: int = 0
    last_seq: int = 0
    last_request: int = 0
    turn_count: int = 0
    term_count: int = 0
    newest_doc: int = 0
    removed_count: int = 0
    literals_from: int = 0
    literals_upto: int = 0
    is_private: int = 0


class Lane(Struct, frozen=True):
    key: LaneKey
    totals: Totals


class Lanes(Struct, frozen=True, kw_only=True):
    """The lanes of a scope that its reader may see, by number.

    Attributes:
        spans: stretches of row numbers in the project's lists that hold these lanes and no others of the project.
        unseen: lanes with turns that the reader may not see.
        newest_doc: the highest row ever given in the lanes that are seen.
        removed_count: turns dropped or replaced so far, and lanes shown or hidden, also in those that are not seen.
    """

    scope: Scope
    project_no: int
    by_no: dict[int, Lane]
    spans: tuple[tuple[int, int], ...]
    unseen: frozenset[int]
    turn_count: int
    term_count: int
    newest_doc: int
    removed_count: int


def key_row(key: LaneKey) -> KeyRow:
    return key.tenant_id, key.project_id, key.session_id, key.lane_id


def read_totals(db: sqlite3.Connection, key: LaneKey) -> Totals:
    """All zero for a lane that does not exist."""
    row = db.execute(f"SELECT {_TOTALS} FROM lanes WHERE {OF_LANE}", key_row(key)).fetchone()
    return Totals(*row) if row else Totals()


def add_lane(db: sqlite3.Connection, key: LaneKey, totals: Totals) -> None:
    """Number a new lane, and its project where that is new too."""
    project = key.tenant_id, key.project_id
    db.execute("INSERT OR IGNORE INTO projects (tenant_id, project_id) VALUES (?, ?)", project)
    row = db.execute("SELECT project_no FROM projects WHERE tenant_id = ? AND project_id = ?", project).fetchone()
    totals.project_no = row[0]
    totals.lane_no = db.execute(_ADD_LANE, (*key_row(key), totals.project_no)).fetchone()[0]


def write_totals(db: sqlite3.Connection, key: LaneKey, totals: Totals) -> None:
    t = totals
    ends = (t.last_seq, t.last_request, t.turn_count, t.term_count, t.newest_doc, t.removed_count)
    db.execute(_SET_LANE, (*ends, t.literals_from, t.literals_upto, t.is_private, *key_row(key)))


def lanes_of(db: sqlite3.Connection, scope: Scope) -> Lanes:
    """The lanes that exist in the scope and that its reader may see."""
    where, values = "tenant_id = ? AND project_id = ?", [scope.tenant_id, scope.project_id]
    if scope.session_id:
        where, values = f"{where} AND session_id = ?", [*values, scope.session_id]
        if scope.lane_id:
            where, values = f"{where} AND lane_id = ?", [*values, scope.lane_id]
    rows = db.execute(f"SELECT tenant_id, project_id, session_id, lane_id, {_TOTALS} FROM lanes WHERE {where} ORDER BY lane_no", values)
    lanes = [Lane(LaneKey(*row[:4]), Totals(*row[4:])) for row in rows]
    seen = [_is_seen(lane, scope) for lane in lanes]
    by_no = {lane.totals.lane_no: lane for lane, is_seen in zip(lanes, seen, strict=True) if is_seen}
    # only a whole project knows that nothing of it lies between two of its lanes
    spans = _spans(lanes, seen) if not scope.session_id else [span_of(number, number) for number in by_no]
    totals = [lane.totals for lane in by_no.values()]
    return Lanes(
        scope=scope,
        project_no=lanes[0].totals.project_no if lanes else 0,
        by_no=by_no,
        spans=tuple(spans),
        unseen=frozenset(lane.totals.lane_no for lane in lanes if lane.totals.turn_count and lane.totals.lane_no not in by_no),
        turn_count=sum(each.turn_count for each in totals),
        term_count=sum(each.term_count for each in totals),
        newest_doc=max((each.newest_doc for each in totals), default=0),
        removed_count=sum(lane.totals.removed_count for lane in lanes),
    )


def _is_seen(lane: Lane, scope: Scope) -> bool:
    return (not scope.lane_id or lane.key.lane_id == scope.lane_id) and (not lane.totals.is_private or lane.key == scope.reader)


def _spans(lanes: Sequence[Lane], seen: Sequence[bool]) -> list[tuple[int, int]]:
    """Lanes that follow each other in the project as one stretch."""
    ends: list[tuple[int, int]] = []
    is_open = False
    for lane, is_seen in zip(lanes, seen, strict=True):
        number = lane.totals.lane_no
        if is_seen and is_open:
            ends[-1] = ends[-1][0], number
        elif is_seen:
            ends.append((number, number))
        is_open = is_seen
    return list(starmap(span_of, ends))
