"""Search over stored turns: words and vectors give the candidates, `recall.ranking` their order, code drops repetitions.

Nothing is written here. A search by vectors that is not ready in time is left out, and the result says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from trimtab.errors import ConfigError
from trimtab.recall import ranking
from trimtab.recall.embedders import Embedder
from trimtab.recall.needs import Need
from trimtab.recall.pointing import points_at_newest
from trimtab.recall.ranking_places import NEWEST
from trimtab.recall.ranking_question import Question, read_question
from trimtab.recall.ranking_shape import ShapeSums, StoreShape, distant_places
from trimtab.recall.words import MAX_QUERY_TERMS, query_terms
from trimtab.session.remembered import Remembered, RememberedRows
from trimtab.stores import NO_FILTER, Candidate, Filter, LaneKey, Scope, Store, WordMatches

if TYPE_CHECKING:
    from trimtab.recall.vectors import VectorIndex

# so many turns by words and by vectors are looked at, and the turns around so many of the best of each
_DEPTH, _NEAR, _DISTANCE = 200, 50, 2
# how common so many of a question's terms are is asked; turns are looked for by the rarest MAX_QUERY_TERMS of them
_MOST_TERMS = 256
# the same for a request, where every millisecond counts
_QUICK_TERMS, _QUICK_DEPTH = 16, 60
# turns whose terms tell what a scope is like, and by how much it must have grown to be looked at again
_SHAPE_TURNS, _SHAPE_GROWTH = 600, 1.25
# vectors that go from the store into memory at a time
_LOADED_ROWS = 8_192
# a longer silence begins another sitting: what stands around a turn says nothing of it any more
_SITTING_MS = 4 * 3_600_000
# of two turns that share more of their terms than this, only the newer is shown
_SAME_SHARE, _LEAST_SAME_TERMS = 0.9, 4


# the part of a score by which what was said last comes where nothing else is asked for
NEWEST_PART = "newest"
# the question's vector, how alike the nearest turns are, and why there are none
_Near: TypeAlias = tuple[bytes, dict[int, float], str]


class Match(Struct, frozen=True):
    """A turn that was found.

    Attributes:
        score: sum of `parts`, each named.
        why_not: why it is not among the best; "" for those.
        item: of a list in the turn the item that is asked for ("the second option"); "" for none.
    """

    turn: Candidate
    score: float
    parts: Mapping[str, float]
    why_not: str = ""
    item: str = ""

    @property
    def is_alike(self) -> bool:
        """Whether the turn itself shares anything with what is asked for; it may rank for what stands around it alone."""
        return self.turn.words > 0 or self.parts.get("vectors", 0.0) > 0 or NEWEST_PART in self.parts or bool(self.item)


class Result(Struct, frozen=True):
    """What a search found.

    Attributes:
        matches: best first.
        lost: the next best, each with why it is not among them (`rank`, or the number of the turn it repeats).
        missing: why vectors took no part: "", "off", "late", "none stored", or what went wrong.
        turn_count: turns in the scope.
    """

    matches: tuple[Match, ...]
    lost: tuple[Match, ...] = ()
    missing: str = ""
    turn_count: int = 0


class _Loaded(Struct):
    """Vectors of a scope in memory, and how far the store was read."""

    index: VectorIndex
    number: int = 0
    removed: int = 0


class Searcher:
    """Searches one store. Safe to use from several threads."""

    def __init__(self, store: Store, embedder: Embedder | None = None) -> None:
        self._store, self.embedder = store, embedder
        self._remembered = Remembered(store)
        self._loaded: dict[Scope, _Loaded] = {}
        self._shapes: dict[Scope, tuple[int, StoreShape]] = {}
        self._lock, self._starting = Lock(), Lock()
        self._worker: ThreadPoolExecutor | None = None

    def close(self) -> None:
        if self._worker is not None:
            self._worker.shutdown(wait=False, cancel_futures=True)

    def search(
        self,
        scope: Scope,
        asked_for: str | Need,
        limit: int,
        where: Filter = NO_FILTER,
        *,
        deadline_ms: int | None = None,
        lost: int = 0,
    ) -> Result:
        """The turns of the scope that answer best.

        Args:
            asked_for: the question or what is looked for, or a need: its entities and kind count in full, its roles are
                a wish, and its time_range bounds the turns. A need that says nothing but when, or "just now", is answered
                by what was said last then.
            where: what every turn must be.
            deadline_ms: for the request path: after so long a search goes on without vectors; a long question is read by its
                most telling words, and fewer turns are ranked. None to wait, and to take all.
            lost: how many of the next best to tell of.
        """
        need = asked_for if isinstance(asked_for, Need) else Need(words=asked_for)
        text, where = wording(need), bounded(where, need)
        quick = deadline_ms is not None
        if limit >= 1 and points_at_newest(need, text):
            return self._of_then(scope, limit, where)
        if limit < 1 or not text.strip():
            return Result((), missing="off" if self.embedder is None else "")
        vectors = self._begin_vectors(scope, text, where, deadline_ms)
        known = self._remembered.rows(scope)
        words = self._store.search(scope, self._asked_terms(scope, text, quick), _QUICK_DEPTH if quick else _DEPTH, where)
        asked, near, missing = vectors()
        question = read_question(text, words.weights, need)
        found = _gather(known, words, near, where)
        if not found:
            return Result((), (), missing, words.turn_count)
        shape = self._shape(scope, words.turn_count)
        docs = [row.doc for row in found]
        terms = known.terms(docs)
        if near:
            near = dict(self.index(scope).search(asked, len(docs), set(docs)).hits)
        ranked = self._ranked(question, found, terms, near, shape)
        return _shown(ranked, terms, limit, lost, missing, words.turn_count)

    def newest(self, scope: Scope, limit: int, where: Filter = NO_FILTER) -> list[Match]:
        """What was said last of all that passes, newest first."""
        turn_count, wanted = self._store.search(scope, (), 0).turn_count, limit
        rows = self._store.newest(scope, wanted, where)
        # the store looks at the newest rows alone, and few of them may pass
        while len(rows) < limit and wanted < turn_count:
            wanted *= 8
            rows = self._store.newest(scope, wanted, where)
        return [Match(row, 1 / rank, {NEWEST_PART: 1 / rank}) for rank, row in enumerate(rows[:limit], 1)]

    def _of_then(self, scope: Scope, limit: int, where: Filter) -> Result:
        missing = "off" if self.embedder is None else ""
        return Result(tuple(self.newest(scope, limit, where)), (), missing, self._store.search(scope, (), 0).turn_count)

    # ------------------------------------------------------------ candidates

    def _asked_terms(self, scope: Scope, text: str, quick: bool) -> list[str]:
        """What turns are looked for by. Of a long question the rarest terms, wherever they stand: what is asked is often at its end."""
        if quick:
            return query_terms(text, _QUICK_TERMS)
        asked = query_terms(text, _MOST_TERMS)
        if len(asked) <= MAX_QUERY_TERMS:
            return asked
        weights = self._store.search(scope, asked, 0).weights
        # as `read_question` chooses
        return sorted(weights, key=lambda term: (-weights[term], term))[:MAX_QUERY_TERMS]

    def _ranked(
        self, question: Question, found: list[Candidate], terms: Mapping[int, str], near: Mapping[int, float], shape: StoreShape
    ) -> list[Match]:
        by_doc = {row.doc: row for row in found}
        rows = [
            ranking.Candidate(
                turn_id=row.doc,
                place=place,
                group=group,
                terms=terms.get(row.doc, ""),
                vector=near.get(row.doc),
                role=row.role,
                speaker=(row.tags.get("speaker") or [""])[0],
                kinds=tuple(row.tags.get("intent", ())),
                entities=tuple(row.tags.get("entities", ())),
            )
            for row, place, group in _placed(found, shape.turn_count)
        ]
        return [Match(by_doc[one.turn_id], one.score, one.parts) for one in ranking.rank(question, rows, shape)]

    def _shape(self, scope: Scope, turn_count: int) -> StoreShape:
        """What the scope is like, from its newest turns; looked at again when it has grown by a quarter."""
        known = self._shapes.get(scope)
        if known is not None and known[0] <= turn_count < known[0] * _SHAPE_GROWTH:
            return _counted(known[1], turn_count)
        rows = sorted(self._store.newest(scope, _SHAPE_TURNS), key=lambda row: (row.key, row.first_seq))
        terms = self._store.terms([row.doc for row in rows], scope)
        sums, before = ShapeSums(), None
        for at, row in enumerate(rows):
            here = terms.get(row.doc, "").split()
            same = before is not None and before.key == row.key and row.at_ms - before.at_ms < _SITTING_MS
            last = terms.get(before.doc, "").split() if same and before is not None else None
            sums.add(here, "assistant" if row.role == "assistant" else "user", last)
            for place in distant_places(at):
                sums.add_distant(here, terms.get(rows[place].doc, "").split())
            before = row
        shape = sums.shape()
        self._shapes[scope] = (turn_count, shape)
        return _counted(shape, turn_count)

    # ------------------------------------------------------------ vectors

    def _begin_vectors(self, scope: Scope, text: str, where: Filter, deadline_ms: int | None) -> Callable[[], _Near]:
        """What waits for the nearest turns. With a deadline they are looked for beside the search by words, from now on."""
        if deadline_ms is None or self.embedder is None:
            return lambda: self._nearest(scope, text, where)
        # not the lock that guards loading vectors: that may take longer than the deadline
        with self._starting:
            if self._worker is None:
                self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trimtab-embed")
        ends = time.monotonic() + deadline_ms / 1000
        under_way = self._worker.submit(self._nearest, scope, text, where)

        def waited() -> _Near:
            try:
                return under_way.result(max(0.0, ends - time.monotonic()))
            except Late:
                under_way.cancel()
                return b"", {}, "late"

        return waited

    def _nearest(self, scope: Scope, text: str, where: Filter) -> _Near:
        """(the question's vector, doc -> likeness of the nearest turns, nearest first, why there are none)."""
        if self.embedder is None:
            return b"", {}, "off"
        try:
            asked = self.embedder.embed([text], query=True)[0]
            index = self.index(scope)
        except ConfigError as error:
            return b"", {}, str(error)
        if not len(index):
            return asked, {}, "none stored"
        if where == NO_FILTER:
            return asked, dict(index.search(asked, _DEPTH).hits), ""
        # a filter is asked of the nearest; where it lets few pass, of more of them
        for most in (4 * _DEPTH, 40 * _DEPTH):
            hits = dict(index.search(asked, most).hits)
            passing = {row.doc for row in self._store.candidates(list(hits), scope, where)}
            if len(passing) >= _DEPTH or len(hits) < most:
                break
        return asked, {doc: score for doc, score in hits.items() if doc in passing}, ""

    def index(self, scope: Scope) -> VectorIndex:
        """The scope's vectors in memory, as new as the store; of the oldest beyond `MEMORY_ROWS` (220 MB) only their signs,
        and the store is asked for those that come near. Needs an embedder.

        Raises:
            ConfigError: numpy is not installed.
        """
        try:
            from trimtab.recall.vectors import VectorIndex
        except ModuleNotFoundError as error:
            raise ConfigError(f"vectors are searched with {error.name}, which is not installed; pip install 'trimtab[local]'") from error

        assert self.embedder is not None
        embedder_id = self.embedder.embedder_id
        with self._lock:
            loaded = self._loaded.get(scope)
            _, removed = self._store.revision(scope)
            if loaded is None or loaded.removed != removed:
                fresh = VectorIndex(self.embedder.dimension, fetch=lambda docs: self._store.vectors(scope, embedder_id, docs=docs))
                loaded = self._loaded[scope] = _Loaded(fresh, removed=removed)
            rows = self._store.vectors(scope, embedder_id, after_number=loaded.number)
            newest = loaded.number
            while piece := list(islice(rows, _LOADED_ROWS)):
                loaded.index.add(piece)
                newest = max(newest, *(row.number for row in piece))
            loaded.number = newest
            return loaded.index


def _gather(known: RememberedRows, words: WordMatches, near: Mapping[int, float], where: Filter) -> list[Candidate]:
    """The best by words and by vectors, those around them, and the newest."""
    by_doc = {row.doc: row for row in words.rows}
    best = [row.doc for row in words.rows[:_NEAR]] + list(near)[:_NEAR]
    around = known.neighbors(list(dict.fromkeys(best)), _DISTANCE)
    wanted = [*near, *(doc for docs in around.values() for doc in docs)]
    missing = [doc for doc in dict.fromkeys(wanted) if doc not in by_doc]
    for row in [*known.candidates(missing, where), *known.newest(NEWEST, where)]:
        by_doc.setdefault(row.doc, row)
    return list(by_doc.values())


def wording(need: Need) -> str:
    """The words of a need, with what it names and they do not; what it turns on where it has neither."""
    words = need.words.strip()
    named = [entity for entity in need.entities if entity.casefold() not in words.casefold()]
    return " ".join([words, *named] if words or named else [need.before, need.after]).strip()


def bounded(where: Filter, need: Need) -> Filter:
    """The filter, narrowed to the time of the need."""
    if need.time_range is None:
        return where
    since, until = need.time_range
    ends = [end for end in (where.until_ms, until) if end]
    return replace(where, since_ms=max(where.since_ms, since), until_ms=min(ends, default=0))


def _placed(found: Sequence[Candidate], turn_count: int) -> list[tuple[Candidate, int, int]]:
    """(turn, place, sitting): places one apart where turns follow each other, and counted back from the newest."""
    lanes: dict[LaneKey, list[Candidate]] = {}
    for row in found:
        lanes.setdefault(row.key, []).append(row)
    ordered = sorted(lanes.values(), key=lambda rows: max(row.doc for row in rows))
    placed: list[tuple[Candidate, int, int]] = []
    place = group = 0
    for rows in ordered:
        rows.sort(key=lambda row: (row.first_seq, row.doc))
        before: Candidate | None = None
        for row in rows:
            if before is None:
                place, group = place + 2, group + 1
            else:
                # rows of a lane are numbered as they come in; what came in between from elsewhere makes it look further
                place += max(1, min(row.doc - before.doc, row.first_seq - before.last_seq))
                group += row.at_ms - before.at_ms >= _SITTING_MS
            placed.append((row, place, group))
            before = row
    shift = turn_count - 1 - place
    lowest = min(at for _, at, _ in placed) + shift
    shift -= min(0, lowest)
    return [(row, at + shift, group) for row, at, group in placed]


def _counted(shape: StoreShape, turn_count: int) -> StoreShape:
    return replace(shape, turn_count=turn_count)


def _shown(ranked: Sequence[Match], terms: Mapping[int, str], limit: int, lost: int, missing: str, turn_count: int) -> Result:
    """The best without those that say the same as a better or newer one."""
    kept: list[Match] = []
    left: list[Match] = []
    seen: list[tuple[frozenset[str], int]] = []
    for match in ranked:
        if len(kept) >= limit:
            if len(left) >= lost:
                break
            left.append(Match(match.turn, match.score, match.parts, "rank"))
            continue
        words = frozenset(terms.get(match.turn.doc, "").split())
        twin = next((at for at, (other, _) in enumerate(seen) if _is_same(words, other)), None)
        if twin is None:
            seen.append((words, match.turn.doc))
            kept.append(match)
            continue
        older, newer = sorted((kept[twin], match), key=lambda one: (one.turn.at_ms, one.turn.doc))
        # the newer stands at the better one's place
        kept[twin] = Match(newer.turn, kept[twin].score, kept[twin].parts)
        left.append(Match(older.turn, older.score, older.parts, f"repeats {newer.turn.turn_id}"))
    return Result(tuple(kept), tuple(left[:lost]), missing, turn_count)


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(one), len(other)) < _LEAST_SAME_TERMS:
        return one == other and bool(one)
    return len(one & other) >= _SAME_SHARE * max(len(one), len(other))
