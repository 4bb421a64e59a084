"""The schema's numbered migrations: migrations/NNN_what.sql, each applied once, in order, in one transaction."""

from __future__ import annotations

import sqlite3
import time
from functools import cache
from importlib.resources import files

from msgspec import Struct

from trimtab.errors import SchemaTooNew, StoreError
from trimtab.stores.index import place_of, stored_document


class Migration(Struct, frozen=True):
    number: int
    name: str
    statements: tuple[str, ...]


@cache
def migrations() -> tuple[Migration, ...]:
    """All migrations this version knows, by number: 1, 2, 3 ..."""
    found = [item for item in files("trimtab.stores").joinpath("migrations").iterdir() if item.name.endswith(".sql")]
    return tuple(
        Migration(number, item.name.removesuffix(".sql"), _statements(item.read_text("utf-8")))
        for number, item in enumerate(sorted(found, key=lambda item: item.name), start=1)
    )


def _statements(script: str) -> tuple[str, ...]:
    statements, lines = [], []
    for line in script.splitlines():
        lines.append(line)
        text = "\n".join(lines)
        if sqlite3.complete_statement(text):
            statements.append(text)
            lines = []
    return tuple(statements)


def found_number(db: sqlite3.Connection, name: str) -> int:
    """Number of the newest migration applied; 0 for an empty database.

    Raises:
        StoreError: a database of another program.
        SchemaTooNew: of a newer version of this one.
    """
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not tables:
        return 0
    if "applied_migrations" not in tables:
        raise StoreError(f"{name} is a database of another program (tables: {', '.join(sorted(tables)[:5])}); give another path")
    number: int = db.execute("SELECT coalesce(max(number), 0) FROM applied_migrations").fetchone()[0]
    if number > len(migrations()):
        raise SchemaTooNew(number, len(migrations()))
    return number


def apply(db: sqlite3.Connection, name: str) -> None:
    """Apply what is missing. Runs inside the caller's write transaction."""
    db.create_function("words_place", 3, place_of, deterministic=True)
    db.create_function("words_document", 8, stored_document, deterministic=True)
    for migration in migrations()[found_number(db, name) :]:
        for statement in migration.statements:
            db.execute(statement)
        db.execute("INSERT INTO applied_migrations VALUES (?, ?, ?)", (migration.number, migration.name, time.time_ns() // 1_000_000))
