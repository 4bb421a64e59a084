"""Where ledgers are kept. `open_store` finds the store for a path."""

from __future__ import annotations

from pathlib import Path

from trimtab.settings import Durability
from trimtab.stores.protocol import Store
from trimtab.stores.sqlite import SqliteStore
from trimtab.stores.values import (
    NO_FILTER,
    Batch,
    Body,
    Candidate,
    Count,
    Filter,
    LaneHead,
    LaneKey,
    Literals,
    Scope,
    Snapshot,
    StoredEntry,
    Turn,
    Vector,
    VectorRow,
    WordMatches,
    lane_scope,
)

__all__ = [
    "NO_FILTER",
    "Batch",
    "Body",
    "Candidate",
    "Count",
    "Filter",
    "LaneHead",
    "LaneKey",
    "Literals",
    "Scope",
    "Snapshot",
    "SqliteStore",
    "Store",
    "StoredEntry",
    "Turn",
    "Vector",
    "VectorRow",
    "WordMatches",
    "lane_scope",
    "open_store",
]


def open_store(path: str | Path, durability: Durability = "process") -> Store:
    """The store at `path`: a SQLite file, made if it is missing, or ":memory:".

    Raises:
        SchemaTooNew, StoreError: see `SqliteStore`.
    """
    return SqliteStore(path, durability)
