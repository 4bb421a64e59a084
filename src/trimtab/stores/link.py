"""One SQLite connection under a lock, its transactions, and what its errors mean. No sqlite3 error leaves here."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trimtab.errors import CorruptEntry, StoreBusy, StoreError
from trimtab.settings import Durability

MEMORY = ":memory:"
_STATEMENTS = 128
_SYNCHRONOUS: dict[Durability, str] = {"process": "NORMAL", "power": "FULL"}
_RETRY_SECONDS = 0.005


def meaning(error: sqlite3.Error, name: str) -> StoreError:
    """The error of ours that says what `error` says."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(f"database {name} is locked by another writer; try again")
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"database {name} cannot grow: {error}; nothing was written, make room and try again")
    if code == sqlite3.SQLITE_CORRUPT:
        return CorruptEntry(f"database {name}", str(error))
    if code == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{name} is not a SQLite database; give another path")
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"database {name} cannot be opened: {error}; its directory must exist and be writable")
    if code == sqlite3.SQLITE_READONLY:
        return StoreError(f"database {name} is read-only; make the file and its directory writable")
    return StoreError(f"database {name}: {error}")


@contextmanager
def told(name: str) -> Iterator[None]:
    """Raises what `meaning` makes of any error of SQLite's."""
    try:
        yield
    except sqlite3.Error as error:
        raise meaning(error, name) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise StoreError(f"database {name} cannot hold this value: {error}; no lone surrogates, integers of 64 bits") from error


class Link:
    """A connection that one thread uses at a time.

    Args:
        name: path of the database, for errors.
        db: opened in autocommit mode.
    """

    def __init__(self, name: str, db: sqlite3.Connection) -> None:
        self._name, self._db, self._lock, self._open = name, db, threading.Lock(), True

    @contextmanager
    def reading(self, consistent: bool = False) -> Iterator[sqlite3.Connection]:
        """Args:
        consistent: several statements see one state of the database.
        """
        with self._lock, told(self._name):
            self._check_open()
            if not consistent:
                yield self._db
                return
            self._db.execute("BEGIN")
            try:
                yield self._db
            finally:
                self._db.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it, or on any exception nothing of it."""
        with self._lock, told(self._name):
            self._check_open()
            # IMMEDIATE: a transaction that reads first and then cannot get the write lock would fail halfway
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def close(self) -> None:
        with self._lock, told(self._name):
            self._open = False
            self._db.close()

    def _check_open(self) -> None:
        if not self._open:
            raise StoreError(f"the store {self._name} was closed; open it again")


def connect(path: str, patience_ms: int, durability: Durability) -> sqlite3.Connection:
    """A connection in autocommit mode; a file is put into WAL mode.

    Raises:
        sqlite3.Error
    """
    seconds = patience_ms / 1000
    db = sqlite3.connect(path, timeout=seconds, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS)
    try:
        if path != MEMORY:
            _use_wal(db, time.monotonic() + seconds)
            db.execute(f"PRAGMA synchronous={_SYNCHRONOUS[durability]}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def connect_read_only(path: str, patience_ms: int) -> sqlite3.Connection:
    """A connection that cannot change the file, not even by a checkpoint when it closes."""
    address = Path(path).absolute().as_uri() + "?mode=ro"
    return sqlite3.connect(address, uri=True, timeout=patience_ms / 1000, isolation_level=None)


def _use_wal(db: sqlite3.Connection, deadline: float) -> None:
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            # SQLite does not wait by itself for this lock when two processes create one file together
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(_RETRY_SECONDS)
