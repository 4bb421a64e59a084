"""The product's recall as one retriever over a list of turns, for evaluation harnesses: `index(turns)`, `search(query, k)`.

Each session of the data becomes a session of one project in a store in memory, so that what is measured is the way a
question takes in the product: store, vectors, ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from trimtab.errors import ConfigError
from trimtab.recall.embedders import Embedder, open_embedder
from trimtab.recall.tags import tags_of
from trimtab.recall.windows import windows
from trimtab.recall.words import terms
from trimtab.session.searching import Searcher
from trimtab.stores import Batch, LaneKey, Scope, SqliteStore, Turn, Vector

_TENANT, _PROJECT = "eval", "eval"
_SCOPE = Scope(_TENANT, _PROJECT)
# turns that are written in one transaction
_BATCH_TURNS = 500


class Said(Protocol):
    """A turn of the data."""

    @property
    def id(self) -> str: ...
    @property
    def session(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def speaker(self) -> str: ...
    @property
    def text(self) -> str: ...

    def render(self) -> str: ...


class Retriever:
    """Words, and vectors where an embedder is given."""

    # only so many turns exist yet; 0 for all
    now = 0

    def __init__(self, embedder: Embedder | str = "auto") -> None:
        """`embedder`: one that is open already, or a name as in `open_embedder`."""
        self._embedder: Embedder | None = open_embedder(embedder) if isinstance(embedder, str) else embedder
        self._vectors: dict[str, list[bytes]] = {}
        self._turns: list[Said] = []

    def index(self, turns: Sequence[Said]) -> None:
        self._turns = list(turns)
        self._open()
        if not self.now:
            self._fill(len(self._turns))

    def search(self, query: str, k: int) -> list[str]:
        """Ids of the best k turns, best first."""
        self.ready()
        found = self._searcher.search(_SCOPE, query, k)
        return [self._turns[match.turn.turn_id - 1].id for match in found.matches]

    @property
    def size_bytes(self) -> int:
        """Of the store."""
        return self._store.size_bytes()

    def ready(self) -> None:
        """Index what exists by now. `search` does it too; by itself it can be timed apart."""
        wanted = self.now or len(self._turns)
        if wanted < self._filled:
            self._open()
        self._fill(wanted)

    def _open(self) -> None:
        self._store = SqliteStore(":memory:")
        self._searcher = Searcher(self._store, self._embedder)
        self._filled = 0

    def _fill(self, upto: int) -> None:
        while self._filled < upto:
            first = self._turns[self._filled]
            last = self._filled
            while last < min(upto, self._filled + _BATCH_TURNS) and self._turns[last].session == first.session:
                last += 1
            numbers = range(self._filled, last)
            rows = [self._row(number) for number in numbers]
            vectors = [vector for number in numbers for vector in self._embedded(number)]
            self._store.commit(LaneKey(_TENANT, _PROJECT, first.session or "s"), Batch(turns=rows, vectors=vectors), 0)
            self._filled = last

    def _row(self, number: int) -> Turn:
        said = self._turns[number]
        text = said.render()
        words = terms(text)
        tags = tags_of(text, words)
        if said.speaker:
            tags["speaker"] = [said.speaker]
        at = number + 1
        return Turn(at, at, at, at * 1_000, said.role, " ".join(words), tags)

    def _embedded(self, number: int) -> list[Vector]:
        if self._embedder is None:
            return []
        text = self._turns[number].render()
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed(windows(text))
        made_by = self._embedder.embedder_id
        return [Vector(number + 1, window, made_by, data) for window, data in enumerate(self._vectors[text])]


class WordsOnly(Retriever):
    """Without an embedder."""

    def __init__(self) -> None:
        super().__init__("")


class VectorsOnly(Retriever):
    """By the store's vectors alone; of equal ones the older. Needs an embedder."""

    def search(self, query: str, k: int) -> list[str]:
        if self._embedder is None:
            raise ConfigError("vectors need an embedder, and none is installed; pip install 'trimtab[local]'")
        self.ready()
        asked = self._embedder.embed([query], True)[0]
        hits = self._searcher.index(_SCOPE).search(asked, k).hits
        found = {row.doc: row for row in self._store.candidates([doc for doc, _ in hits], _SCOPE)}
        return [self._turns[found[doc].turn_id - 1].id for doc, _ in hits]
