"""A database that an older version wrote opens with the newest schema, and nothing of it is lost."""

import sqlite3
from pathlib import Path

import msgspec
import pytest

from trimtab.stores import Batch, LaneKey, Literals, Scope, SqliteStore, Turn
from trimtab.stores.codec import pack
from trimtab.stores.schema import migrations
from trimtab.testing.store_conformance import LANE, OTHERS, entry, turn
from trimtab.testing.store_rows import ranked, vector

PROJECT = Scope(LANE.tenant_id, LANE.project_id)
LONG = Turn(3, 3, 3, 1_003, "assistant", "red " * 1_500 + "CT-88213", {"entities": ["CT-88213"]}, (3,))


def write_001(path: Path, keys: tuple[LaneKey, ...], turns: list[Turn]) -> None:
    """A file as the first version left it, its word index included (which 002 makes anew, so that its terms do not matter)."""
    db = sqlite3.connect(path)
    for statement in migrations()[0].statements:
        db.execute(statement)
    db.execute("INSERT INTO applied_migrations VALUES (1, '001_first', 0)")
    for number, key in enumerate(keys, start=1):
        row = key.tenant_id, key.project_id, key.session_id, key.lane_id
        length = sum(len(each.terms.split()) for each in turns)
        db.execute("INSERT INTO lanes VALUES (?, ?, ?, ?, ?, 2, 0, ?, ?)", (*row, number, len(turns), length))
        for seq in (1, 2):
            db.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, 0, ?, ?, ?, ?)",
                (*row, seq, seq - 1, seq, "message", seq, *pack(b"{}")),
            )
        for each in turns:
            length = len(each.terms.split())
            tags, origins = msgspec.json.encode(each.tags), msgspec.json.encode(each.origin_ids)
            values = (each.turn_id, each.first_seq, each.last_seq, each.at_ms, each.role, length, tags, origins, *pack(each.terms.encode()))
            doc = db.execute(f"INSERT INTO turns VALUES (NULL, {', '.join('?' * 16)})", (*row, *values)).lastrowid
            db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (doc, each.terms))
    db.commit()
    db.close()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    write_001(path, (LANE, *OTHERS), [turn(1, "red green"), turn(2, "red blue blue"), LONG])
    return path


def test_turns_of_001_are_found_as_in_a_new_database(old: Path, tmp_path: Path) -> None:
    store, new = SqliteStore(old), SqliteStore(tmp_path / "new.db")
    for key in (LANE, *OTHERS):
        new.commit(key, Batch(entries=[entry(1), entry(2)], turns=[turn(1, "red green"), turn(2, "red blue blue"), LONG]), 0)
    for asked in (["red"], ["blue", "green"], ["CT-88213"], ["none"]):
        for key in (LANE, *OTHERS):
            assert ranked(store, key, asked, 9) == ranked(new, key, asked, 9)
        assert store.search(PROJECT, asked, 9) == new.search(PROJECT, asked, 9)
    assert store.turns(LANE, [1, 2, 3]) == [turn(1, "red green"), turn(2, "red blue blue"), LONG]
    assert store.revision(PROJECT) == new.revision(PROJECT)
    assert [key for key, _ in store.unembedded(PROJECT, "e", 99)] == [key for key, _ in new.unembedded(PROJECT, "e", 99)]
    assert store.sessions("tenant", "project") == new.sessions("tenant", "project")
    new.close()
    store.close()


def test_turns_of_001_can_be_replaced_dropped_and_embedded(old: Path) -> None:
    store = SqliteStore(old)
    store.commit(LANE, Batch(turns=[turn(1, "white")], dropped_turns=[3], vectors=[vector(2)]), 2)
    assert [row.turn_id for row in ranked(store, LANE, ["red", "white", "CT-88213"], 9)] == [1, 2]
    assert len(list(store.vectors(PROJECT, "e"))) == 1
    store.close()
    db = sqlite3.connect(old)
    db.execute("CREATE VIRTUAL TABLE word_list USING fts5vocab ('words', 'row')")
    # words of a turn, each once, with its role, kind and tags; the four other lanes are as they were
    assert db.execute("SELECT sum(doc) FROM word_list").fetchone() == ((1 + 4) + (2 + 4) + 4 * (2 + 4 + 2 + 4 + 2 + 3),)
    db.close()


def test_literals_of_001_are_filled_up_in_pieces(old: Path) -> None:
    store = SqliteStore(old)
    assert store.literals_upto(LANE) == 0
    store.commit(LANE, Batch(entries=[entry(3)], literals=[Literals(3, ("new",))]), 2)
    assert store.find_literal(PROJECT, "new") == [(LANE, 3)]
    assert store.literals_upto(LANE) == 0
    for _ in range(2):
        store.commit(LANE, Batch(literals=[Literals(1, ("old",))]), 3)
        assert store.literals_upto(LANE) == 1
    # the last has none: that it was looked through is said all the same
    store.commit(LANE, Batch(literals=[Literals(1, ("old",)), Literals(2, ()), Literals(3, ("new",))]), 3)
    assert store.literals_upto(LANE) == 3
    assert store.find_literal(PROJECT, "old") == [(LANE, 1)]
    assert store.find_literal(PROJECT, "new") == [(LANE, 3)]
    store.close()
    db = sqlite3.connect(old)
    db.execute("CREATE VIRTUAL TABLE literal_list USING fts5vocab ('literals', 'row')")
    assert db.execute("SELECT sum(doc) FROM literal_list").fetchone() == (2,)
    db.close()


def test_a_corrupt_turn_of_001_does_not_keep_the_file_from_opening(old: Path) -> None:
    db = sqlite3.connect(old)
    db.execute("UPDATE turns SET terms = CAST('x' AS BLOB) WHERE turn_id = 1 AND session_id = 'session' AND lane_id = 'main'")
    db.commit()
    db.close()
    store = SqliteStore(old)
    assert {row.turn_id for row in ranked(store, LANE, ["red"], 9)} == {2, 3}
    store.close()
