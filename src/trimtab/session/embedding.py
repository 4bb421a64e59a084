"""Vectors of stored turns and of pieces of documents, made outside the request path."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trimtab.errors import SeqConflict
from trimtab.recall.embedders import Embedder
from trimtab.recall.windows import windows
from trimtab.stores import Batch, LaneKey, Scope, Store, Turn, Vector

# turns that are embedded and committed at a time: what is done is kept if the process stops
_CHUNK = 16

TextOf = Callable[[LaneKey, Turn], str]


def embed_missing(store: Store, scope: Scope, embedder: Embedder, text_of: TextOf, limit: int) -> int:
    """Make and store the vectors of at most `limit` turns of the scope that have none of this embedder, oldest first.

    Vectors of another embedder stay where they are and are not used. A turn that goes meanwhile is passed over.
    Returns:
        how many turns were embedded.
    """
    done = 0
    while done < limit:
        missing = store.unembedded(scope, embedder.embedder_id, min(_CHUNK, limit - done))
        if not missing:
            break
        by_lane: dict[LaneKey, list[Turn]] = {}
        for key, turn in missing:
            by_lane.setdefault(key, []).append(turn)
        for key, turns in by_lane.items():
            vectors = [vector for turn in turns for vector in _vectors(embedder, turn, text_of(key, turn))]
            _store(store, key, vectors)
        done += len(missing)
    return done


def _vectors(embedder: Embedder, turn: Turn, text: str) -> list[Vector]:
    made = embedder.embed(windows(text))
    return [Vector(turn.turn_id, window, embedder.embedder_id, data) for window, data in enumerate(made)]


def _store(store: Store, key: LaneKey, vectors: Sequence[Vector]) -> None:
    """Vectors are derived rows: they come in beside whatever else is being written to the lane."""
    for _ in range(20):
        try:
            store.commit(key, Batch(vectors=vectors), store.head(key).last_seq)
        except SeqConflict:
            continue
        return
