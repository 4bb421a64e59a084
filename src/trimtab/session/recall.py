"""recall: look for what was said or stored, from outside a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trimtab.errors import ConfigError
from trimtab.recall.needs import Need
from trimtab.recall.needs_questions import read_question
from trimtab.session import clock
from trimtab.session.base import SessionBase
from trimtab.session.embedding import embed_missing
from trimtab.session.indexing import index_closed
from trimtab.session.library import library_key
from trimtab.session.library_pieces import fragment_text
from trimtab.session.recalling import SPARE_TURNS, Recaller
from trimtab.session.searching import Match
from trimtab.stores import LaneKey, Scope, Turn

# turns that a call of `recall` embeds at most before it searches; `maintain` does the rest
_EMBEDDED_AT_ONCE = 64
_EMBEDDED_A_RUN = 512
_LOST = 5


class RecalledTurn(Struct, frozen=True, kw_only=True):
    """A turn that recall found.

    Attributes:
        rank: 1 for the best.
        session_id, lane_id, first_seq, last_seq: where it is in the ledger.
        at_ms: when it began, Unix milliseconds.
        score: sum of `parts`, each named: words, vectors, neighbors, session ...
        tags: what it is about: entities, intent, topic, speaker.
        text: what was said, each message with its role before it.
        why_not: why it is none of the best: "rank", "repeats" and the turn that says the same, "shares nothing" where only
            what stands around it has to do with the question, "another branch", or "in a better one"; "" for those.
        item: where one of several was asked for ("the second option"), that item of the turn's list; else "".
    """

    rank: int
    session_id: str
    lane_id: str
    first_seq: int
    last_seq: int
    at_ms: int
    role: str
    score: float
    parts: dict[str, float]
    tags: dict[str, list[str]]
    text: str
    why_not: str = ""
    item: str = ""


class RecallReport(Struct, frozen=True, kw_only=True):
    """What recall found for a need.

    Attributes:
        need: as it was read from the query.
        turns: best first.
        lost: the next best, with why they lost; only where `explain` was asked for.
        missing: why vectors took no part: "", "off", "late", "none stored", or what went wrong.
        searched: turns in the scope.
    """

    need: Need
    turns: tuple[RecalledTurn, ...]
    lost: tuple[RecalledTurn, ...] = ()
    missing: str = ""
    searched: int = 0


class RecallPart(SessionBase):
    """recall."""

    def recall(self, query: str | Need | Mapping[str, Any], limit: int = 5, *, scope: str = "", explain: bool = False) -> RecallReport:
        """The turns that answer best, whether they are in the prompt or not. Not for the request path: `prompt` recalls
        by itself.

        Args:
            query: a question in plain words ("what did I say about the fee last week?"), or a structured need.
            limit: how many.
            scope: "lane", "session" or "project"; "" for the setting `recall_scope`.
            explain: also tell which turns came next, and why they lost.
        Raises:
            BadNeed: a query that says nothing, or cannot be read.
            BadSetting: no such scope.
        """
        need = Need.of(query)
        if isinstance(query, str) and need == Need(words=query.strip()):
            need = read_question(query, clock.now_ms())
        recaller = self._recaller(scope)
        with self._open_lock():
            self._lane.catch_up()
            index_closed(self._lane, self._bodies)
            need = recaller.placed(need, self._lane.state)
        with suppress(ConfigError):
            # the search says what is wrong with the embedder, and goes on by words
            self._embed(recaller, _EMBEDDED_AT_ONCE)
        with self._open_lock():
            result = recaller.search(self._lane.state, need, max(0, 2 * limit + SPARE_TURNS), lost=_LOST if explain else 0)
            matches = result.matches[: max(0, limit)]
            next_best = [replace(match, why_not="rank") for match in result.matches[len(matches) :]]
            lost = sorted([*next_best, *result.lost], key=lambda match: -match.score)[:_LOST] if explain else []
            rows = [self._turn(recaller, match, rank) for rank, match in enumerate([*matches, *lost], 1)]
        found = tuple(rows[: len(matches)])
        return RecallReport(need=need, turns=found, lost=tuple(rows[len(found) :]), missing=result.missing, searched=result.turn_count)

    def _turn(self, recaller: Recaller, match: Match, rank: int) -> RecalledTurn:
        turn = match.turn
        return RecalledTurn(
            rank=rank,
            session_id=turn.key.session_id,
            lane_id=turn.key.lane_id,
            first_seq=turn.first_seq,
            last_seq=turn.last_seq,
            at_ms=turn.at_ms,
            role=turn.role,
            score=round(match.score, 4),
            parts={name: round(part, 4) for name, part in match.parts.items()},
            tags=turn.tags,
            text=recaller.text_of(turn.key, turn.first_seq, turn.last_seq),
            why_not=match.why_not,
            item=match.item,
        )

    # ------------------------------------------------------------ what is not searchable yet

    def _embed(self, recaller: Recaller, limit: int) -> int:
        """Vectors for what has none yet, of this scope and of the project's documents."""
        embedder = recaller.searcher.embedder
        if embedder is None:
            return 0

        def text_of(key: LaneKey, turn: Turn) -> str:
            if key == library:
                return fragment_text(self._store, key, turn)
            with self._open_lock():
                return recaller.text_of(key, turn.first_seq, turn.last_seq, turn.origin_ids)

        library = library_key(self._key.tenant_id, self._key.project_id)
        done = embed_missing(self._store, recaller.scope, embedder, text_of, limit)
        shelf = Scope(library.tenant_id, library.project_id, library.session_id, library.lane_id)
        return done + embed_missing(self._store, shelf, embedder, text_of, limit - done)

    def _maintain_recall(self) -> int:
        """Make the newest turn searchable if it is over, and embed what came in since; the number of turns and pieces. What is
        wrong with the embedder, a search says."""
        with self._open_lock():
            self._lane.catch_up()
            index_closed(self._lane, self._bodies)
            recaller = self._recaller()
        try:
            return self._embed(recaller, _EMBEDDED_A_RUN)
        except ConfigError:
            return 0
