"""Turns and their words: an FTS5 index as the postings, BM25 over one lane's own numbers.

SQLite's own `bm25()` counts documents over the whole file: a session's ranking would change with, and slow down
by, other sessions and tenants. Here each term is stored with its lane's number in front, and its postings are
read by exact term (`word_places`), so that nothing outside the lane is touched and no query syntax exists.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from heapq import nsmallest
from math import log
from typing import TypeAlias

import msgspec
from msgspec import Struct

from trimtab.stores.codec import pack, unpack
from trimtab.stores.protocol import Hit, LaneKey, Turn

# the values that Lucene and SQLite use
_K1 = 1.2
_B = 0.75
# FTS5 cuts tokens at 32,768 bytes; long ones are replaced by their hash well before
_TERM_CHARS = 512
# The `ascii` tokenizer folds A-Z and splits at ASCII punctuation; moved to private-use code points these
# characters are opaque to it, so that a term is found whole and literally.
_OPAQUE = {code: 0xE000 + code for code in range(128) if not (chr(code).isdigit() or chr(code).islower())}
_LANE_MARK = "\ue020"

# A term in at most this many places is rare: it is always read whole.
RARE_PLACES = 32
# Turns that rare terms must have found for the common ones to be left unread.
ENOUGH_TURNS = 10
# Places of common terms that one search reads at most.
MOST_PLACES = 600

# One statement for many terms: most of what a small read costs is the statement.
_ONE_TERM = "SELECT * FROM (SELECT ?, doc FROM word_places WHERE term = ? LIMIT ?)"
_TERMS_A_STATEMENT = 64

_OF_LANE = "tenant_id = ? AND project_id = ? AND session_id = ? AND lane_id = ?"
_TURN_COLUMNS = "turn_id, first_seq, last_seq, at_ms, role, tags, origin_ids, codec, key_id, checksum, terms"

KeyRow: TypeAlias = tuple[str, str, str, str]
_decode_tags = msgspec.json.Decoder(dict[str, list[str]]).decode
_decode_ids = msgspec.json.Decoder(tuple[int, ...]).decode


class Totals(Struct):
    """A lane's number in the index, and how many turns and terms it has. Changed in place by what is put and dropped."""

    lane_no: int
    turn_count: int
    term_count: int


def key_row(key: LaneKey) -> KeyRow:
    return key.tenant_id, key.project_id, key.session_id, key.lane_id


def _indexed(term: str, lane_no: int) -> str:
    if len(term) > _TERM_CHARS:
        term = blake2b(term.encode(), digest_size=16).hexdigest()
    return f"{lane_no}{_LANE_MARK}{term.translate(_OPAQUE)}"


def _document(terms: str, lane_no: int) -> str:
    return " ".join(_indexed(term, lane_no) for term in terms.split())


def put_turn(db: sqlite3.Connection, key: LaneKey, totals: Totals, turn: Turn) -> None:
    """Store a turn and index its words, instead of the turn with its id if there is one."""
    drop_turn(db, key, totals, turn.turn_id)
    length = len(turn.terms.split())
    tags = msgspec.json.encode(turn.tags) if turn.tags else b""
    origin_ids = msgspec.json.encode(turn.origin_ids) if turn.origin_ids else b""
    row = (turn.turn_id, turn.first_seq, turn.last_seq, turn.at_ms, turn.role, tags, origin_ids, *pack(turn.terms.encode()), length)
    cursor = db.execute(
        f"INSERT INTO turns (tenant_id, project_id, session_id, lane_id, {_TURN_COLUMNS}, length) VALUES ({'?, ' * 15}?)",
        (*key_row(key), *row),
    )
    db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (cursor.lastrowid, _document(turn.terms, totals.lane_no)))
    totals.turn_count += 1
    totals.term_count += length


def drop_turn(db: sqlite3.Connection, key: LaneKey, totals: Totals, turn_id: int) -> None:
    """Remove a turn and its words; nothing where there is none."""
    where = f"{_OF_LANE} AND turn_id = ?"
    row = db.execute(f"SELECT doc, length, codec, key_id, checksum, terms FROM turns WHERE {where}", (*key_row(key), turn_id)).fetchone()
    if row is None:
        return
    doc, length, *packed = row
    # a contentless index has to be told what it is to forget
    document = _document(unpack(f"turn {turn_id}", *packed).decode(), totals.lane_no)
    db.execute("INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", (doc, document))
    db.execute("DELETE FROM turns WHERE doc = ?", (doc,))
    totals.turn_count -= 1
    totals.term_count -= length


def read_turns(db: sqlite3.Connection, key: LaneKey, turn_ids: Sequence[int]) -> list[Turn]:
    rows = db.execute(
        f"SELECT {_TURN_COLUMNS} FROM turns WHERE {_OF_LANE} AND turn_id IN (SELECT value FROM json_each(?))",
        (*key_row(key), msgspec.json.encode(list(turn_ids)).decode()),
    ).fetchall()
    found: dict[int, Turn] = {}
    for turn_id, first_seq, last_seq, at_ms, role, tags, origin_ids, *packed in rows:
        terms = unpack(f"turn {turn_id}", *packed).decode()
        ids = _decode_ids(origin_ids) if origin_ids else ()
        found[turn_id] = Turn(turn_id, first_seq, last_seq, at_ms, role, terms, _tags(tags), ids)
    return [found[turn_id] for turn_id in turn_ids if turn_id in found]


def _tags(stored: bytes) -> dict[str, list[str]]:
    return _decode_tags(stored) if stored else {}


def search_words(db: sqlite3.Connection, totals: Totals, terms: Sequence[str], limit: int, before_seq: int | None) -> list[Hit]:
    """See `Store.search_words`. Of equal scores the newer turn comes first."""
    postings = _postings(db, totals, terms)
    if not postings or limit < 1:
        return []
    rows = db.execute(
        "SELECT doc, turn_id, length FROM turns WHERE doc IN (SELECT value FROM json_each(?)) AND last_seq < ?",
        (msgspec.json.encode(list(postings)).decode(), 2**63 - 1 if before_seq is None else before_seq),
    )
    mean_length = totals.term_count / totals.turn_count
    ranked: list[tuple[float, int, int]] = []
    for doc, turn_id, length in rows:
        base = _K1 * (1 - _B + _B * length / mean_length)
        score = sum(weight * times * (_K1 + 1) / (times + base) for weight, times in postings[doc])
        ranked.append((-score, -turn_id, doc))
    return [_hit(db, doc, -score) for score, _, doc in nsmallest(limit, ranked)]


def _postings(db: sqlite3.Connection, totals: Totals, terms: Sequence[str]) -> dict[int, list[tuple[float, int]]]:
    """(weight of the term, times it occurs) by document.

    Rare terms are read whole. Common ones, which tell little apart, are read only as long as the rare ones have
    found too few turns and `MOST_PLACES` are not spent: a search costs the same however long the session is.
    """
    postings: dict[int, list[tuple[float, int]]] = {}
    # sorted: sums of floats depend on their order, and the order of the caller's words must not matter
    indexed = sorted({_indexed(term, totals.lane_no) for term in terms})
    found = _places(db, indexed, RARE_PLACES)
    for docs in found:
        if docs is not None:
            _weigh(postings, docs, totals)
    left = MOST_PLACES
    for term in (term for term, docs in zip(indexed, found, strict=True) if docs is None):
        if len(postings) >= ENOUGH_TURNS or left <= 0:
            break
        (docs,) = _places(db, (term,), left)
        left -= left if docs is None else len(docs)
        if docs is not None:
            _weigh(postings, docs, totals)
    return postings


def _places(db: sqlite3.Connection, terms: Sequence[str], most: int) -> list[dict[int, int] | None]:
    """For each term the times it occurs by document; None where it occurs more than `most` times."""
    places: list[dict[int, int] | None] = []
    for first in range(0, len(terms), _TERMS_A_STATEMENT):
        some = terms[first : first + _TERMS_A_STATEMENT]
        values = [value for number, term in enumerate(some) for value in (number, term, most + 1)]
        docs: list[dict[int, int]] = [{} for _ in some]
        counts = [0] * len(some)
        for number, doc in db.execute(" UNION ALL ".join([_ONE_TERM] * len(some)), values):
            counts[number] += 1
            docs[number][doc] = docs[number].get(doc, 0) + 1
        places += [found if count <= most else None for found, count in zip(docs, counts, strict=True)]
    return places


def _weigh(postings: dict[int, list[tuple[float, int]]], docs: dict[int, int], totals: Totals) -> None:
    weight = log(1 + (totals.turn_count - len(docs) + 0.5) / (len(docs) + 0.5))
    for doc, times in docs.items():
        postings.setdefault(doc, []).append((weight, times))


def _hit(db: sqlite3.Connection, doc: int, score: float) -> Hit:
    row = db.execute("SELECT turn_id, first_seq, last_seq, at_ms, role, tags FROM turns WHERE doc = ?", (doc,)).fetchone()
    turn_id, first_seq, last_seq, at_ms, role, tags = row
    return Hit(turn_id, first_seq, last_seq, at_ms, role, score, _tags(tags))
