"""Where ledgers are kept. `open_store` finds the store for a path."""

from __future__ import annotations

from pathlib import Path

from trimtab.settings import Durability
from trimtab.stores.protocol import Batch, Body, Count, Hit, LaneHead, LaneKey, Snapshot, Store, StoredEntry, Turn
from trimtab.stores.sqlite import SqliteStore

__all__ = [
    "Batch",
    "Body",
    "Count",
    "Hit",
    "LaneHead",
    "LaneKey",
    "Snapshot",
    "SqliteStore",
    "Store",
    "StoredEntry",
    "Turn",
    "open_store",
]


def open_store(path: str | Path, durability: Durability = "process") -> Store:
    """The store at `path`: a SQLite file, made if it is missing, or ":memory:".

    Raises:
        SchemaTooNew, StoreError: see `SqliteStore`.
    """
    return SqliteStore(path, durability)
