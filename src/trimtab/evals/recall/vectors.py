"""Vectors that were made once: an embedder that keeps what it made in a file, and tells what that cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from time import process_time

from trimtab.recall.embedders import Embedder

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID"
_PATIENCE_SECONDS = 60.0
# vectors that are written in one transaction
_BATCH = 256


class KeptVectors:
    """An `Embedder` over another one. For one thread.

    Attributes:
        made, made_cpu_s: texts that were not in the file, and what their vectors cost; the loading of the model is not
            in it.
    """

    def __init__(self, embedder: Embedder, path: Path | str) -> None:
        """`path`: made where it is missing; ":memory:" for as long as this lives."""
        self._embedder = embedder
        self.embedder_id, self.dimension = embedder.embedder_id, embedder.dimension
        self.made, self.made_cpu_s = 0, 0.0
        self._is_loaded = False
        self._known: dict[bytes, bytes] = {}
        self._db = sqlite3.connect(str(path), timeout=_PATIENCE_SECONDS, isolation_level=None)
        self._db.execute(_TABLE)

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        keys = [self._key(text, query) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if self._find(key) is None}
        for first in range(0, len(missing), _BATCH):
            self._make(dict(list(missing.items())[first : first + _BATCH]), query)
        return [self._known[key] for key in keys]

    def close(self) -> None:
        self._db.close()

    def _key(self, text: str, query: bool) -> bytes:
        return blake2b(f"{self.embedder_id}\0{query:d}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def _find(self, key: bytes) -> bytes | None:
        if key not in self._known:
            row = self._db.execute("SELECT data FROM vectors WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            self._known[key] = row[0]
        return self._known[key]

    def _make(self, texts: dict[bytes, str], query: bool) -> None:
        if not self._is_loaded:
            self._embedder.embed(["x"])
            self._is_loaded = True
        started = process_time()
        made = dict(zip(texts, self._embedder.embed(list(texts.values()), query), strict=True))
        self.made_cpu_s += process_time() - started
        self.made += len(made)
        self._known |= made
        self._db.execute("BEGIN")
        self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", made.items())
        self._db.execute("COMMIT")
