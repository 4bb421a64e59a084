"""The systems that can be measured, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from trimtab.errors import BadSetting, ConfigError
from trimtab.evals.recall.plain import Bm25, FixedRule1, FixedRule2, Fts5, Fused
from trimtab.evals.recall.retriever import Retriever, Said, VectorsOnly, WordsOnly
from trimtab.recall.embedders import Embedder


class System(Protocol):
    """Turns in, ids out. `now` is set before each search: only so many turns exist yet, 0 for all."""

    now: int

    def index(self, turns: Sequence[Said]) -> None: ...

    def search(self, query: str, k: int) -> list[str]: ...


class Entry(Struct, frozen=True):
    """`label`: for people. `make` is given an embedder where `needs_vectors`."""

    label: str
    needs_vectors: bool
    make: Callable[[Embedder | None], System]


def _with(kind: Callable[[Embedder], System]) -> Callable[[Embedder | None], System]:
    def make(embedder: Embedder | None) -> System:
        if embedder is None:
            raise ConfigError("this system needs an embedder; pip install 'trimtab[local]'")
        return kind(embedder)

    return make


SYSTEMS: Mapping[str, Entry] = {
    "fts5": Entry("FTS5", False, lambda _: Fts5()),
    "bm25": Entry("BM25", False, lambda _: Bm25()),
    "f1": Entry("F1", True, _with(FixedRule1)),
    "f2": Entry("F2", True, _with(FixedRule2)),
    "words": Entry("words only", False, lambda _: WordsOnly()),
    "vectors": Entry("vectors only", True, _with(VectorsOnly)),
    "fused": Entry("plain fusion", True, _with(Fused)),
    "product": Entry("Trimtab", True, _with(Retriever)),
}


def entry(name: str) -> Entry:
    """Raises BadSetting for a name that is not one of SYSTEMS."""
    if name not in SYSTEMS:
        raise BadSetting("system", name, f"one of: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
