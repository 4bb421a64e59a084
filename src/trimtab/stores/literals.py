"""Exact strings by the entry that holds them, tool calls and results included. Entries never go, so nothing is taken out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace

from trimtab.stores.index import TERM_CHARS, lane_and_seq, literal_document, literal_place, literal_term
from trimtab.stores.scopes import OF_LANE, Lanes, Totals, key_row
from trimtab.stores.values import LaneKey, Literals

_FIND = "SELECT rowid FROM literals WHERE literals MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC"


def put_literals(db: sqlite3.Connection, totals: Totals, literals: Sequence[Literals], expect_seq: int) -> None:
    """Literals of what is entered now, and of what is older than literals; the rest is there. `totals.last_seq` is the new end."""
    upto = totals.literals_upto
    rows = []
    for row in sorted(literals, key=lambda row: row.seq):
        is_new = expect_seq < row.seq <= totals.last_seq
        is_missing = totals.literals_upto < row.seq <= totals.literals_from
        if is_missing:
            upto = row.seq
        document = literal_document(totals.project_no, row.words) if is_new or is_missing else ""
        if document:
            rows.append((literal_place(totals.lane_no, row.seq), document))
    db.executemany("INSERT INTO literals (rowid, words) VALUES (?, ?)", rows)
    totals.literals_upto = upto


def complete_upto(totals: Totals) -> int:
    """See `Store.literals_upto`."""
    return totals.last_seq if totals.literals_upto >= totals.literals_from else totals.literals_upto


def find_literal(db: sqlite3.Connection, lanes: Lanes, literal: str, prefix: bool, limit: int) -> list[tuple[LaneKey, int]]:
    """See `Store.find_literal`."""
    if not literal or limit < 1:
        return []
    # quotes cannot occur in a term: they are opaque like all punctuation
    match = f'"{literal_term(lanes.project_no, literal)}"' + ("*" if prefix and len(literal) <= TERM_CHARS else "")
    if len(lanes.by_no) == 1:
        (span,) = lanes.spans
        found = [lane_and_seq(place) for (place,) in db.execute(f"{_FIND} LIMIT ?", (match, *span, limit))]
        return [(lanes.by_no[lane_no].key, seq) for lane_no, seq in found]
    by_lane: dict[int, list[int]] = {}
    for span in lanes.spans:
        for (place,) in db.execute(_FIND, (match, *span)):
            lane_no, seq = lane_and_seq(place)
            seqs = by_lane.setdefault(lane_no, [])
            if len(seqs) < limit:
                seqs.append(seq)
    return list(_newest(db, lanes, by_lane, limit))


def _newest(db: sqlite3.Connection, lanes: Lanes, by_lane: dict[int, list[int]], limit: int) -> Iterator[tuple[LaneKey, int]]:
    """Merge lists of seqs, each newest first, by the time of the entries. Only those that may come next are looked up."""

    def head(lane_no: int, index: int) -> tuple[int, int, int]:
        values = (*key_row(lanes.by_no[lane_no].key), by_lane[lane_no][index])
        row = db.execute(f"SELECT at_ms FROM entries WHERE {OF_LANE} AND seq = ?", values).fetchone()
        return -row[0] if row else 0, -lane_no, index

    heads = [head(lane_no, 0) for lane_no in by_lane]
    heapify(heads)
    while heads and limit:
        _, negative, index = heads[0]
        lane_no = -negative
        yield lanes.by_no[lane_no].key, by_lane[lane_no][index]
        limit -= 1
        if index + 1 < len(by_lane[lane_no]):
            heapreplace(heads, head(lane_no, index + 1))
        else:
            heappop(heads)
