"""What only the SQLite store does: its file, its faults, and what outlives kill -9."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.errors import CorruptEntry, Erased, NotFound, SchemaTooNew, SeqConflict, StoreBusy, StoreError
from trimtab.stores import Batch, Body, LaneKey, Literals, Scope, Snapshot, SqliteStore, StoredEntry, Turn, lane_scope, open_store
from trimtab.stores.schema import migrations
from trimtab.stores.sqlite import superfluous_snapshots
from trimtab.testing.store_conformance import LANE, entry, turn
from trimtab.testing.store_rows import ranked, vector


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trimtab.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(path)
    yield store
    store.close()


def on_disk(path: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    db = sqlite3.connect(path)
    with db:
        rows = db.execute(sql, values).fetchall()
    db.close()
    return rows


# -- opening


def test_migrations_are_numbered_on_from_one() -> None:
    assert [migration.name[:4] for migration in migrations()] == [f"{number:03}_" for number in range(1, len(migrations()) + 1)]


def test_each_migration_is_applied_once(path: Path) -> None:
    for _ in range(3):
        SqliteStore(path).close()
    rows = on_disk(path, "SELECT number, name FROM applied_migrations")
    assert rows == [(migration.number, migration.name) for migration in migrations()]


def test_a_newer_schema_is_refused_and_its_file_not_touched(path: Path) -> None:
    SqliteStore(path).close()
    on_disk(path, "INSERT INTO applied_migrations VALUES (999, 'from the future', 0)")
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew) as caught:
        SqliteStore(path)
    assert caught.value.found == 999
    assert path.read_bytes() == before


def test_a_newer_schema_with_unmerged_writes_is_not_touched(path: Path) -> None:
    SqliteStore(path).close()
    other = sqlite3.connect(path, isolation_level=None)  # stays open: its write is in the log, not in the file
    other.execute("INSERT INTO applied_migrations VALUES (999, 'from the future', 0)")
    log = Path(f"{path}-wal")
    before = path.read_bytes(), log.read_bytes()
    with pytest.raises(SchemaTooNew):
        SqliteStore(path)
    assert (path.read_bytes(), log.read_bytes()) == before
    other.close()


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    on_disk(path, "CREATE TABLE invoices (id)")
    with pytest.raises(StoreError, match=r"another program.*invoices"):
        SqliteStore(path)


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to look for a header" * 20)
    with pytest.raises(StoreError, match="not a SQLite database"):
        SqliteStore(path)


def test_a_missing_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteStore(tmp_path / "nowhere" / "trimtab.db")


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    store = SqliteStore(path)
    store.commit(LANE, Batch(entries=[entry(1)]), 0)
    store.close()


def test_durability_and_log_mode(path: Path) -> None:
    for durability, level in (("process", 1), ("power", 2)):
        store = SqliteStore(path, durability)  # type: ignore[arg-type]
        with store._writer.reading() as db:
            assert db.execute("PRAGMA synchronous").fetchone() == (level,)
            assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        store.close()


# -- faults


def test_a_locked_database_is_busy_and_stays_readable(path: Path, store: SqliteStore) -> None:
    store.commit(LANE, Batch(entries=[entry(1)]), 0)
    hasty = SqliteStore(path, patience_ms=0)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy) as caught:
        hasty.commit(LANE, Batch(entries=[entry(2)]), 1)
    assert caught.value.retryable
    assert hasty.load(LANE) == [entry(1)]
    other.execute("ROLLBACK")
    hasty.commit(LANE, Batch(entries=[entry(2)]), 1)
    other.close()
    hasty.close()


def test_a_full_disk_writes_nothing(path: Path, store: SqliteStore) -> None:
    store.commit(LANE, Batch(entries=[entry(1)]), 0)
    with store._writer.reading() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count={pages}")
    batch = Batch(entries=[entry(2)], bodies=[Body("b", os.urandom(100_000))])
    with pytest.raises(StoreError, match=r"cannot grow.*nothing was written"):
        store.commit(LANE, batch, 1)
    assert store.load(LANE) == [entry(1)]
    with store._writer.reading() as db:
        db.execute("PRAGMA max_page_count=1000000")
    store.commit(LANE, batch, 1)
    assert store.head(LANE).last_seq == 2


@pytest.mark.parametrize("codec", ["", "zlib"])
def test_a_corrupt_body_is_named_and_the_rest_is_not(path: Path, store: SqliteStore, codec: str) -> None:
    data = b"word " * 2_000 if codec else b"word"
    store.commit(LANE, Batch(bodies=[Body("bad", data), Body("good", data)]), 0)
    assert on_disk(path, "SELECT DISTINCT codec FROM bodies") == [(codec,)]
    on_disk(path, "UPDATE bodies SET data = CAST('y' || substr(data, 2) AS BLOB) WHERE body_id = 'bad'")
    with pytest.raises(CorruptEntry, match="body bad"):
        store.bodies("tenant", ["good", "bad"])
    assert store.bodies("tenant", ["good"]) == {"good": data}


def test_bytes_that_are_no_zlib_are_corrupt(path: Path, store: SqliteStore) -> None:
    store.commit(LANE, Batch(bodies=[Body("bad", b"word " * 2_000)]), 0)
    on_disk(path, "UPDATE bodies SET data = ?, checksum = ?", b"plain", zlib.crc32(b"plain"))
    with pytest.raises(CorruptEntry, match="body bad"):
        store.bodies("tenant", ["bad"])


def test_an_unknown_codec_or_key_is_said(path: Path, store: SqliteStore) -> None:
    store.commit(LANE, Batch(bodies=[Body("b", b"word")]), 0)
    on_disk(path, "UPDATE bodies SET key_id = 'k1'")
    with pytest.raises(StoreError, match="key 'k1'"):
        store.bodies("tenant", ["b"])


def test_a_corrupt_snapshot_is_named(path: Path, store: SqliteStore) -> None:
    store.commit(LANE, Batch(entries=[entry(1)], snapshot=Snapshot(1, 1, b"state")), 0)
    on_disk(path, "UPDATE snapshots SET data = CAST('stale' AS BLOB)")
    with pytest.raises(CorruptEntry, match="snapshot 1"):
        store.snapshot(LANE, 1)


def test_an_erased_body_says_so_until_the_text_is_said_again(path: Path, store: SqliteStore) -> None:
    store.commit(LANE, Batch(bodies=[Body("b", b"secret")]), 0)
    on_disk(path, "UPDATE bodies SET erased = 1, data = x'', checksum = 0")
    with pytest.raises(Erased):
        store.bodies("tenant", ["b"])
    store.commit(LANE, Batch(bodies=[Body("b", b"secret")]), 0)
    assert store.bodies("tenant", ["b"]) == {"b": b"secret"}


def test_a_damaged_file_is_told_by_our_error(path: Path) -> None:
    store = SqliteStore(path)
    store.commit(LANE, Batch(entries=[entry(seq, data=b"x" * 500) for seq in range(1, 200)]), 0)
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError):
        store = SqliteStore(path)
        store.load(LANE)


def test_values_that_sqlite_cannot_hold_are_told_by_our_error() -> None:
    store = open_store(":memory:")
    with pytest.raises(StoreError, match="cannot hold"):
        store.commit(LaneKey("t", "p", "lone \ud800"), Batch(entries=[entry(1)]), 0)
    with pytest.raises(StoreError, match="cannot hold"):
        store.commit(LANE, Batch(entries=[StoredEntry(1, 0, 0, "k", 1, 2**63, b"")]), 0)
    with pytest.raises(StoreError):
        store.commit(LANE, Batch(entries=[StoredEntry(1, 0, 0, None, 1, 0, b"")]), 0)  # type: ignore[arg-type]
    assert store.head(LANE).last_seq == 0
    store.close()


# -- what is stored


def test_a_body_knows_the_lanes_that_brought_it(path: Path, store: SqliteStore) -> None:
    other = LaneKey(LANE.tenant_id, LANE.project_id, "another")
    store.commit(LANE, Batch(bodies=[Body("b", b"x"), Body("c", b"y")]), 0)
    store.commit(LANE, Batch(bodies=[Body("b", b"x")]), 0)
    store.commit(other, Batch(bodies=[Body("b", b"x")]), 0)
    rows = on_disk(path, "SELECT body_id, count(*) FROM body_lanes GROUP BY body_id ORDER BY body_id")
    assert rows == [("b", 2), ("c", 1)]


def test_a_corrupt_entry_is_named(path: Path, store: SqliteStore) -> None:
    store.commit(LANE, Batch(entries=[entry(1), entry(2)]), 0)
    on_disk(path, "UPDATE entries SET data = CAST('stale' AS BLOB) WHERE seq = 2")
    with pytest.raises(CorruptEntry, match="entry 2"):
        store.load(LANE)
    assert store.entry(LANE, 1).seq == 1


def test_large_text_is_compressed_and_noise_is_not(path: Path, store: SqliteStore) -> None:
    store.commit(LANE, Batch(bodies=[Body("noise", os.urandom(9_000)), Body("short", b"a" * 2_048), Body("text", b"a word " * 2_000)]), 0)
    rows = on_disk(path, "SELECT body_id, codec, length(data) FROM bodies ORDER BY body_id")
    assert [row[:2] for row in rows] == [("noise", ""), ("short", ""), ("text", "zlib")]
    assert rows[2][2] < 1_000  # type: ignore[operator]


def test_terms_that_are_very_long_are_found(store: SqliteStore) -> None:
    long = "x" * 40_000
    store.commit(LANE, Batch(turns=[turn(1, long), turn(2, long + "y")]), 0)
    assert [hit.turn_id for hit in ranked(store, LANE, [long], 5)] == [1]
    store.commit(LANE, Batch(dropped_turns=[1]), 0)
    assert ranked(store, LANE, [long], 5) == []


def test_dropped_words_leave_nothing_behind(path: Path, store: SqliteStore) -> None:
    store.commit(LANE, Batch(turns=[turn(1, "CT-88213 word word"), turn(2, "kept")]), 0)
    store.commit(LANE, Batch(dropped_turns=[1]), 0)
    on_disk(path, "CREATE VIRTUAL TABLE word_list USING fts5vocab ('words', 'row')")
    listed = [str(term) for (term,) in on_disk(path, "SELECT term FROM word_list")]
    kept = {term[2:] for term in listed if term[1] == "\ue020"}
    assert kept == {"kept"}
    assert on_disk(path, "SELECT turn_count, term_count FROM lanes") == [(1, 1)]


@given(st.sets(st.integers(1, 100_000), min_size=1))
def test_thinning_keeps_the_newest_and_a_logarithm_of_the_rest(seqs: set[int]) -> None:
    ordered = sorted(seqs)
    kept = [seq for seq in ordered if seq not in superfluous_snapshots(ordered)]
    assert kept[-3:] == ordered[-3:]
    assert len(kept) <= 3 + (ordered[-1] - ordered[0]).bit_length()
    assert superfluous_snapshots(kept) == []


@given(st.lists(st.lists(st.sampled_from(["red", "green", "blue", "看板", "ct-1"]), max_size=6), min_size=1, max_size=8), st.data())
def test_search_is_what_a_scan_finds(texts: list[list[str]], data: st.DataObject) -> None:
    asked = data.draw(st.lists(st.sampled_from(["red", "green", "blue", "看板", "ct-1", "none"]), max_size=3))
    store = open_store(":memory:")
    store.commit(LANE, Batch(turns=[turn(number, " ".join(words)) for number, words in enumerate(texts, start=1)]), 0)
    hits = ranked(store, LANE, asked, 99)
    assert {hit.turn_id for hit in hits} == {number for number, words in enumerate(texts, start=1) if set(words) & set(asked)}
    assert [hit.words for hit in hits] == sorted((hit.words for hit in hits), reverse=True)
    store.close()


# -- several processes


def _race(path: str, writer: int, rounds: int, start: object, won: object) -> None:
    start.wait(60)  # type: ignore[attr-defined]
    store = SqliteStore(path)
    mine = []
    while (seq := store.head(LANE).last_seq + 1) <= rounds:
        try:
            key = LaneKey(LANE.tenant_id, LANE.project_id, f"of {writer}")
            own = store.head(key).last_seq
            literals = [Literals(own + 1, ("lit",))]
            store.commit(
                key, Batch(entries=[entry(own + 1)], turns=[turn(own % 5, "own")], vectors=[vector(own % 5)], literals=literals), own
            )
            batch = Batch(entries=[entry(seq, data=b"%d" % writer)], turns=[turn(seq, "shared")], vectors=[vector(seq)])
            store.commit(LANE, batch, seq - 1)
            mine.append(seq)
        except SeqConflict:
            continue
    store.close()
    won.put((writer, mine))  # type: ignore[attr-defined]


def test_processes_that_create_and_append_together_share_the_numbers(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    won, start = context.Queue(), context.Barrier(3)
    writers = [context.Process(target=_race, args=(str(path), writer, 60, start, won)) for writer in range(3)]
    for writer in writers:
        writer.start()
    claimed = dict(won.get(timeout=60) for _ in writers)
    for writer in writers:
        writer.join(60)
    store = SqliteStore(path)
    rows = store.load(LANE)
    project = Scope(LANE.tenant_id, LANE.project_id)
    assert sorted(row.turn_id for row in store.search(project, ["shared"], 99).rows) == list(range(1, 61))
    own = [key for key in store.sessions(LANE.tenant_id, LANE.project_id) if key != LANE]
    ends = [store.head(key).last_seq for key in own]
    assert len(store.search(project, ["own"], 99).rows) == sum(min(5, end) for end in ends)
    assert len(list(store.vectors(project, "e"))) == 60 + sum(min(5, end) for end in ends)
    assert len(store.find_literal(project, "lit", limit=10_000)) == sum(ends)
    assert store.revision(project)[1] == sum(max(0, end - 5) for end in ends)
    store.close()
    assert [row.seq for row in rows] == list(range(1, 61))
    assert {row.seq: int(row.data) for row in rows} == {seq: writer for writer, mine in claimed.items() for seq in mine}
    assert sum(map(len, claimed.values())) == 60


_ENDLESS = """
import sys
from trimtab.stores import Batch, Body, Literals, Snapshot, SqliteStore
from trimtab.testing.store_conformance import LANE, entry, turn
from trimtab.testing.store_rows import vector
store = SqliteStore(sys.argv[1])
seq = store.head(LANE).last_seq
while True:
    seq += 1
    body = Body(f"b{seq}", b"%d " % seq * 200)
    # the turn before comes again, as one that grew, and the one before that goes
    batch = Batch(
        entries=[entry(seq, request=seq)],
        bodies=[body],
        turns=[turn(seq - 1, f"word w{seq - 1} again"), turn(seq, f"word w{seq}")],
        dropped_turns=[seq - 2],
        vectors=[vector(seq - 1), vector(seq, 0), vector(seq, 1)],
        literals=[Literals(seq, ("same", f"lit{seq}"))],
        snapshot=Snapshot(seq, 1, b"s"),
    )
    store.commit(LANE, batch, seq - 1)
    print(seq, flush=True)
"""


def _killed_after(path: Path, seq: int) -> int:
    """The last number acknowledged by a writer that was killed once it had reached `seq`."""
    with subprocess.Popen([sys.executable, "-c", _ENDLESS, str(path)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        lines: list[str] = []
        while not lines or int(lines[-1]) < seq:
            line = child.stdout.readline()
            assert line, "the writer ended by itself"
            lines.append(line)
        os.kill(child.pid, signal.SIGKILL)
        lines += [line for line in child.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    return int(lines[-1])


def test_14_no_acknowledged_entry_is_missing_after_kill_9(path: Path) -> None:
    for goal in (40, 90, 400):
        acknowledged = _killed_after(path, goal)
        store = SqliteStore(path)
        rows = store.load(LANE)
        assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
        # one commit may have been in the file and its acknowledgement not yet out
        assert acknowledged <= len(rows) <= acknowledged + 1
        assert store.head(LANE).last_seq == store.head(LANE).last_request == len(rows)
        assert len(store.bodies("tenant", [f"b{row.seq}" for row in rows])) == len(rows)
        with pytest.raises(NotFound):
            store.bodies("tenant", [f"b{len(rows) + 1}"])
        assert [hit.turn_id for hit in ranked(store, LANE, [f"w{len(rows)}"], 5)] == [len(rows)]
        assert store.snapshot_seqs(LANE)[-1] == len(rows)
        check_recalled(path, store, len(rows))
        store.close()


def check_recalled(path: Path, store: SqliteStore, count: int) -> None:
    """Two turns are left of what `_ENDLESS` wrote, three vectors, and every literal; in each table and list nothing more."""
    kept = store.search(lane_scope(LANE), ["word", "again"], 9)
    assert ([row.turn_id for row in kept.rows], kept.turn_count, kept.mean_length) == ([count - 1, count], 2, 2.5)
    assert store.revision(lane_scope(LANE)) == (2 * count, 2 * count - 2)
    assert [row.data for row in store.vectors(lane_scope(LANE), "e")] == [b"%d 0 e" % (count - 1), b"%d 0 e" % count, b"%d 1 e" % count]
    assert store.find_literal(lane_scope(LANE), "same", limit=2**30) == [(LANE, seq) for seq in range(count, 0, -1)]
    assert store.find_literal(lane_scope(LANE), f"lit{count}") == [(LANE, count)]
    assert store.literals_upto(LANE) == count
    assert on_disk(path, "SELECT count(*) FROM turns") == [(2,)]
    assert on_disk(path, "SELECT count(*) FROM vectors") == [(3,)]
    db = sqlite3.connect(path)
    db.execute("CREATE VIRTUAL TABLE temp.listed USING fts5vocab ('main', 'words', 'row')")
    db.execute("CREATE VIRTUAL TABLE temp.literal_list USING fts5vocab ('main', 'literals', 'row')")
    assert db.execute("SELECT sum(doc) FROM listed").fetchone() == (3 + 2 + 2 * 4,)
    assert db.execute("SELECT sum(doc) FROM literal_list").fetchone() == (2 * count,)
    for name in ("words", "literals"):
        db.execute(f"INSERT INTO {name} ({name}) VALUES ('integrity-check')")
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


# -- property 15: what is new bounds what is written


def test_15_a_commit_writes_no_more_when_the_ledger_is_long(path: Path, store: SqliteStore) -> None:
    log = Path(f"{path}-wal")

    def logged(seq: int) -> int:
        with store._writer.reading() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for at in range(seq, seq + 20):
            turns = [Turn(at, at, at, at, "user", f"some common words and w{at}", {}, (at,))]
            store.commit(LANE, Batch(entries=[entry(at)], bodies=[Body(f"body {at}", b"x" * 300)], turns=turns), at - 1)
        return log.stat().st_size

    early = logged(1)
    rest = range(21, 2_001)
    store.commit(LANE, Batch(entries=[entry(at) for at in rest], turns=[turn(at, f"some common words w{at}") for at in rest]), 20)
    assert logged(2_001) < 2 * early
