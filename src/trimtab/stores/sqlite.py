"""The default store: one SQLite file, or ":memory:". Any number of processes may use one file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

import msgspec

from trimtab.errors import Erased, NotFound, SeqConflict, StoreError
from trimtab.settings import Durability
from trimtab.stores.codec import pack, unpack
from trimtab.stores.counts import ListCounts
from trimtab.stores.link import MEMORY, Link, connect, connect_read_only, told
from trimtab.stores.literals import put_literals
from trimtab.stores.reads import RecallReads
from trimtab.stores.schema import apply, found_number, migrations
from trimtab.stores.scopes import OF_LANE, KeyRow, Totals, add_lane, key_row, read_totals, write_totals
from trimtab.stores.turns import drop_turn, put_turn
from trimtab.stores.values import Batch, Body, LaneHead, LaneKey, Snapshot, StoredEntry
from trimtab.stores.vectors import put_vectors

PATIENCE_MS = 5_000
NEWEST_SNAPSHOTS = 3
_LAST_SEQ = 2**63 - 1

_ENTRY_COLUMNS = "seq, parent_seq, at_node, kind, version, at_ms, request, codec, key_id, checksum, data"
_READ_ENTRIES = f"SELECT {_ENTRY_COLUMNS} FROM entries WHERE {OF_LANE}"
_ADD_ENTRY = f"INSERT INTO entries (tenant_id, project_id, session_id, lane_id, {_ENTRY_COLUMNS}) VALUES ({'?, ' * 14}?)"
# what was erased and is now said again is new: it is stored again
_ADD_BODY = """INSERT INTO bodies (tenant_id, body_id, codec, key_id, checksum, data) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant_id, body_id) DO UPDATE SET erased = 0, codec = excluded.codec, key_id = excluded.key_id,
    checksum = excluded.checksum, data = excluded.data WHERE erased = 1"""
_ADD_COUNT = """INSERT INTO counts (tenant_id, body_id, counter_id, content_class, tokens) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET tokens = excluded.tokens WHERE tokens <> excluded.tokens"""
_ADD_SNAPSHOT = f"""INSERT OR REPLACE INTO snapshots
    (tenant_id, project_id, session_id, lane_id, seq, version, codec, key_id, checksum, data) VALUES ({"?, " * 9}?)"""


class SqliteStore(RecallReads):
    """`Store` on SQLite.

    Commits go through one connection, reads of a file through a second one, so that a read never waits for a
    writer. Do not carry a store over a fork: open it in the child.

    Args:
        path: of the database; made if it is missing, its directory is not. ":memory:" for one that is gone on close.
        durability: `process` survives kill -9, `power` also loss of power (a sync of the disk at each commit).
        patience_ms: how long another process may hold the write lock before StoreBusy.
    Raises:
        SchemaTooNew: written by a newer version; the file is not touched.
        StoreError: not a database of ours, or it cannot be opened.
    """

    def __init__(self, path: str | Path, durability: Durability = "process", *, patience_ms: int = PATIENCE_MS) -> None:
        self._path = str(path)
        self._counts = ListCounts()
        with told(self._path):
            newest = _peek(self._path, patience_ms)
            writer = connect(self._path, patience_ms, durability)
            self._writer = self._reader = Link(self._path, writer)
        try:
            if not newest:
                with self._writer.writing() as db:
                    apply(db, self._path)
            if self._path != MEMORY:
                with told(self._path):
                    self._reader = Link(self._path, connect(self._path, patience_ms, durability))
        except StoreError:
            self._writer.close()
            raise

    def head(self, key: LaneKey) -> LaneHead:
        with self._reader.reading() as db:
            row = db.execute(f"SELECT last_seq, last_request FROM lanes WHERE {OF_LANE}", key_row(key)).fetchone()
        last_seq, last_request = row or (0, 0)
        return LaneHead(last_seq, last_request, last_seq)

    def commit(self, key: LaneKey, batch: Batch, expect_seq: int) -> None:
        """See `Store.commit`. Turns to drop go before turns to add; a drop of an unknown turn does nothing.

        Raises:
            StoreError: also where the entries' numbers do not follow `expect_seq` one by one.
        """
        for place, entry in enumerate(batch.entries, start=expect_seq + 1):
            if entry.seq != place:
                raise StoreError(f"entry {entry.seq} stands where {place} is due; number the entries on from expect_seq")
        row = key_row(key)
        with self._writer.writing() as db:
            totals = read_totals(db, key)
            if totals.last_seq != expect_seq:
                raise SeqConflict(expect_seq, totals.last_seq)
            if not totals.lane_no:
                add_lane(db, key, totals)
            _add_entries(db, row, batch.entries, expect_seq)
            _add_bodies(db, key.tenant_id, totals.lane_no, batch.bodies)
            db.executemany(_ADD_COUNT, [(key.tenant_id, c.body_id, c.counter_id, c.content_class, c.tokens) for c in batch.counts])
            totals.last_seq += len(batch.entries)
            totals.last_request = max([totals.last_request, *(entry.request for entry in batch.entries)])
            _add_recalled(db, totals, batch, expect_seq)
            if batch.snapshot is not None:
                _add_snapshot(db, row, batch.snapshot)
            write_totals(db, key, totals)

    def set_private(self, key: LaneKey, private: bool) -> None:
        with self._writer.writing() as db:
            totals = read_totals(db, key)
            if not totals.lane_no:
                add_lane(db, key, totals)
            if bool(totals.is_private) != private:
                totals.is_private = int(private)
                totals.removed_count += 1  # an index that others keep of the project has to be read again
                write_totals(db, key, totals)

    def load(self, key: LaneKey, after_seq: int = 0, upto_seq: int | None = None) -> list[StoredEntry]:
        bounds = (after_seq, _LAST_SEQ if upto_seq is None else upto_seq)
        with self._reader.reading() as db:
            rows = db.execute(f"{_READ_ENTRIES} AND seq > ? AND seq <= ? ORDER BY seq", (*key_row(key), *bounds)).fetchall()
        return list(starmap(_entry, rows))

    def entry(self, key: LaneKey, seq: int) -> StoredEntry:
        with self._reader.reading() as db:
            row = db.execute(f"{_READ_ENTRIES} AND seq = ?", (*key_row(key), seq)).fetchone()
        if row is None:
            raise NotFound("entry", seq, _ends(1, self.head(key).last_seq))
        return _entry(*row)

    def request(self, key: LaneKey, number: int) -> StoredEntry:
        where = f"{OF_LANE} AND request > 0"
        with self._reader.reading(consistent=True) as db:
            row = db.execute(f"{_READ_ENTRIES} AND request > 0 AND request = ?", (*key_row(key), number)).fetchone()
            ends = row or db.execute(f"SELECT min(request), max(request) FROM entries WHERE {where}", key_row(key)).fetchone()
        if row is None:
            raise NotFound("request", number, _ends(*ends))
        return _entry(*row)

    def bodies(self, tenant_id: str, body_ids: Iterable[str]) -> dict[str, bytes]:
        wanted = dict.fromkeys(body_ids)
        with self._reader.reading() as db:
            rows = db.execute(
                """SELECT body_id, erased, codec, key_id, checksum, data FROM bodies
                WHERE tenant_id = ? AND body_id IN (SELECT value FROM json_each(?))""",
                (tenant_id, msgspec.json.encode(list(wanted)).decode()),
            ).fetchall()
        found: dict[str, tuple[Any, ...]] = {row[0]: row[1:] for row in rows}
        return {body_id: _body(body_id, found.get(body_id)) for body_id in wanted}

    def counts(self, tenant_id: str, body_ids: Iterable[str], counter_id: str) -> dict[str, int]:
        """See `Store.counts`. A body counted in several content classes has their sum."""
        with self._reader.reading() as db:
            rows = db.execute(
                """SELECT body_id, sum(tokens) FROM counts
                WHERE tenant_id = ? AND body_id IN (SELECT value FROM json_each(?)) AND counter_id = ? GROUP BY body_id""",
                (tenant_id, msgspec.json.encode(list(body_ids)).decode(), counter_id),
            ).fetchall()
        return dict(rows)

    def snapshot(self, key: LaneKey, upto_seq: int) -> Snapshot | None:
        with self._reader.reading() as db:
            row = db.execute(
                f"""SELECT seq, version, codec, key_id, checksum, data FROM snapshots
                WHERE {OF_LANE} AND seq <= ? ORDER BY seq DESC LIMIT 1""",
                (*key_row(key), upto_seq),
            ).fetchone()
        if row is None:
            return None
        seq, version, *packed = row
        return Snapshot(seq, version, unpack(f"snapshot {seq}", *packed))

    def snapshot_seqs(self, key: LaneKey) -> list[int]:
        """Ascending. The newest three are kept, and of the older ones the oldest at each doubling of distance."""
        with self._reader.reading() as db:
            return _snapshot_seqs(db, key_row(key))

    def sessions(self, tenant_id: str, project_id: str) -> list[LaneKey]:
        """Every lane of the project, sorted."""
        with self._reader.reading() as db:
            rows = db.execute(
                """SELECT tenant_id, project_id, session_id, lane_id FROM lanes WHERE tenant_id = ? AND project_id = ?
                ORDER BY session_id, lane_id""",
                (tenant_id, project_id),
            ).fetchall()
        return list(starmap(LaneKey, rows))

    def lanes(self, tenant_id: str, project_id: str, session_id: str) -> list[LaneKey]:
        with self._reader.reading() as db:
            rows = db.execute(
                """SELECT tenant_id, project_id, session_id, lane_id FROM lanes
                WHERE tenant_id = ? AND project_id = ? AND session_id = ? ORDER BY lane_id""",
                (tenant_id, project_id, session_id),
            ).fetchall()
        return list(starmap(LaneKey, rows))

    def size_bytes(self) -> int:
        with self._reader.reading(consistent=True) as db:
            pages, free, page_bytes = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size"))
        size: int = (pages - free) * page_bytes
        return size

    def close(self) -> None:
        self._reader.close()
        self._writer.close()


def _peek(path: str, patience_ms: int) -> bool:
    """Whether the database exists with the newest schema. Looks without being able to write."""
    if path == MEMORY or not Path(path).exists() or not Path(path).stat().st_size:
        return False
    db = connect_read_only(path, patience_ms)
    try:
        return found_number(db, path) == len(migrations())
    finally:
        db.close()


def _add_recalled(db: sqlite3.Connection, totals: Totals, batch: Batch, expect_seq: int) -> None:
    """What recall reads: turns with words, vectors, literals."""
    for turn_id in batch.dropped_turns:
        drop_turn(db, totals, turn_id)
    for turn in batch.turns:
        put_turn(db, totals, turn)
    put_vectors(db, totals, batch.vectors)
    put_literals(db, totals, batch.literals, expect_seq)


def _add_entries(db: sqlite3.Connection, row: KeyRow, entries: Sequence[StoredEntry], expect_seq: int) -> None:
    rows = [(*row, e.seq, e.parent_seq, e.at_node, e.kind, e.version, e.at_ms, e.request, *pack(e.data)) for e in entries]
    try:
        db.executemany(_ADD_ENTRY, rows)
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_UNIQUE:
            raise SeqConflict(expect_seq, expect_seq) from error  # the number of a request is taken
        raise


def _entry(seq: int, parent_seq: int, at_node: int, kind: str, version: int, at_ms: int, request: int, *packed: Any) -> StoredEntry:  # noqa: PLR0913 - a row
    return StoredEntry(seq, parent_seq, at_node, kind, version, at_ms, unpack(f"entry {seq}", *packed), request)


def _add_bodies(db: sqlite3.Connection, tenant_id: str, lane_no: int, bodies: Sequence[Body]) -> None:
    for body in bodies:
        db.execute(_ADD_BODY, (tenant_id, body.body_id, *pack(body.data)))
    db.executemany("INSERT OR IGNORE INTO body_lanes VALUES (?, ?, ?)", [(tenant_id, body.body_id, lane_no) for body in bodies])


def _body(body_id: str, row: tuple[Any, ...] | None) -> bytes:
    if row is None:
        raise NotFound("body", body_id)
    erased, *packed = row
    if erased:
        raise Erased(f"body {body_id}")
    return unpack(f"body {body_id}", *packed)


def _ends(first: int | None, last: int | None) -> tuple[int, ...]:
    return (first, last) if first and last else ()


def _snapshot_seqs(db: sqlite3.Connection, row: KeyRow) -> list[int]:
    return [found[0] for found in db.execute(f"SELECT seq FROM snapshots WHERE {OF_LANE} ORDER BY seq", row)]


def _add_snapshot(db: sqlite3.Connection, row: KeyRow, snapshot: Snapshot) -> None:
    db.execute(_ADD_SNAPSHOT, (*row, snapshot.seq, snapshot.version, *pack(snapshot.data)))
    for seq in superfluous_snapshots(_snapshot_seqs(db, row)):
        db.execute(f"DELETE FROM snapshots WHERE {OF_LANE} AND seq = ?", (*row, seq))


def superfluous_snapshots(seqs: Sequence[int]) -> list[int]:
    """Which of the ascending `seqs` may go, so that their number grows with the logarithm of the ledger's length."""
    kept: set[int] = set()
    gone: list[int] = []
    for seq in seqs[:-NEWEST_SNAPSHOTS]:
        distance = (seqs[-1] - seq).bit_length()
        if distance in kept:
            gone.append(seq)
        kept.add(distance)
    return gone
