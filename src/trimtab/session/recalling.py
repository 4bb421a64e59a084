"""What recall brings for the current step or question: searched once, recorded, and shown within a share of the budget."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from itertools import zip_longest
from typing import TypeVar

import msgspec

from trimtab.core.entries import MessageAdded, Node, Recalled, RecalledHit
from trimtab.core.sections import Fragment
from trimtab.core.state import SessionState
from trimtab.errors import Erased
from trimtab.recall.needs import Need
from trimtab.recall.needs_questions import read_question
from trimtab.recall.options import item_at
from trimtab.recall.pointing import content_terms, points_at_item, points_at_newest
from trimtab.recall.words import query_terms, terms
from trimtab.session.bodies import Bodies
from trimtab.session.indexing import current_question, is_said
from trimtab.session.lane import Lane
from trimtab.session.library import Library
from trimtab.session.searching import NEWEST_PART, Match, Result, Searcher, bounded, wording
from trimtab.session.shorten import clamp_text
from trimtab.settings import Settings
from trimtab.stores import NO_FILTER, Filter, LaneKey, Scope
from trimtab.tokens import Counter

# fewer tokens of a turn than this say too little to be worth a place
LEAST_FRAGMENT_TOKENS = 40
MOST_TOPIC_CHARS = 20_000
MOST_QUERY_CHARS = 2_000
# found beyond what is asked for, as some of it may be on no branch, or rank only for what stands around it
SPARE_TURNS = 12
# pieces of documents for a step (REQUIREMENTS R2: three to five)
MOST_PIECES = 5
_MOST_LIVE_TURNS = 60
# turns in which a list is looked for, on the request path and outside it: each is a read of the ledger
_QUICK_LISTS, _MOST_LISTS = 24, 80
# a list that has this share of the question's words against the best fits as well: then the newer is meant
_FITS_SHARE = 0.6
# a model says what it needs on a line of its own: "Need: the fee that was agreed for March"
_STATED = re.compile(
    r"^\s*(?:\*\*)?(?:need|i need to recall|需要回忆|需要查)(?:\*\*)?\s*[:：]\s*(?P<what>\S.*)$", re.IGNORECASE | re.MULTILINE
)


_One = TypeVar("_One")


class Recaller:
    """Recall for one lane."""

    def __init__(self, lane: Lane, bodies: Bodies, settings: Settings, searcher: Searcher, wide: str = "") -> None:
        self.lane, self.bodies, self.settings, self.searcher = lane, bodies, settings, searcher
        self._wide = wide or settings.recall_scope
        self._peers: dict[LaneKey, Lane] = {}
        # those that are as new as the search or the text that is under way
        self._caught_up: set[LaneKey] = set()

    @cached_property
    def library(self) -> Library:
        """The project's documents."""
        return Library(self.lane.store, self.lane.key.tenant_id, self.lane.key.project_id, self.searcher)

    @property
    def scope(self) -> Scope:
        """Where turns are looked for, by the setting."""
        key = self.lane.key
        return Scope(
            key.tenant_id,
            key.project_id,
            "" if self._wide == "project" else key.session_id,
            key.lane_id if self._wide == "lane" else "",
            key,
        )

    # ------------------------------------------------------------ what is needed

    def needs(self, state: SessionState) -> tuple[int, list[Need]]:
        """(seq of the question, needs): what the step declares, else what the model stated, else the user's question."""
        seq, question = current_question(state, self.bodies)
        if state.step_needs:
            at_ms = self._at_ms(state, seq or max(state.nodes, default=0))
            declared = (msgspec.json.decode(text, type=Need) for text in state.step_needs)
            return seq, [self.placed(_read(need, at_ms), state) for need in declared]
        stated = self._stated(state)
        if stated:
            return seq, [self.placed(stated, state)]
        if not question.strip():
            return seq, []
        return seq, [self.placed(read_question(question[:MOST_QUERY_CHARS], self._at_ms(state, seq)), state)]

    def _stated(self, state: SessionState) -> Need | None:
        """What the assistant's newest words in this turn say it needs."""
        for unit in reversed(state.units):
            if unit.turn != state.turn or unit.opens_turn:
                return None
            for seq in reversed(unit.nodes):
                node = state.nodes[seq]
                if node.role == "assistant" and is_said(node):
                    found = _STATED.search(self.bodies.message(node).text)
                    return read_question(found["what"], node.at_ms) if found else None
        return None

    def _at_ms(self, state: SessionState, seq: int) -> int:
        return state.nodes[seq].at_ms if seq in state.nodes else 0

    def placed(self, need: Need, state: SessionState) -> Need:
        """Where the need says "before we switched to B", the time of that decision bounds it."""
        mark = need.before or need.after
        if not mark or need.time_range is not None:
            return need
        words = frozenset(query_terms(mark)) or frozenset(terms(mark))
        best, at_ms = 0, 0
        for item in reversed(tuple(state.items.values())):
            # what was inherited or shared has its source in another lane
            if item.field != "decision" or item.origin or not item.source_ids:
                continue
            shared = len(words.intersection(terms(item.text)))
            if shared > best and (found := self._time_of(item.source_ids[0])):
                best, at_ms = shared, found
        if not at_ms:
            return need
        return msgspec.structs.replace(need, time_range=(0, at_ms) if need.before else (at_ms, 0))

    def _time_of(self, seq: int) -> int:
        return next((row.at_ms for row in self.lane.store.load(self.lane.key, seq - 1, seq)), 0)

    # ------------------------------------------------------------ the search

    def recall(self, state: SessionState) -> Recalled | None:
        """What there is for the current needs. None where nothing is asked, or nothing could be found.

        Within a turn it is searched again only for another step, or where more has left since and the last came back short.
        """
        seq, needs = self.needs(state)
        if not needs:
            return None
        known = state.recalled
        query = "; ".join(_told(need) for need in needs)
        same = known is not None and (known.for_seq, known.step, known.query) == (seq, state.step, query)
        limit = self.settings.recall_limit
        if known is not None and same and (known.cut_seq >= state.cut_seq or len(known.hits) >= limit):
            return known
        rows: list[RecalledHit] = []
        missing = ""
        if limit and (state.cut_seq or self._has_peers()):
            # what is in the prompt still is found as well, and left out here: that costs less than to ask the store for it
            live = min(_MOST_LIVE_TURNS, len({unit.turn for unit in state.units}))
            found = []
            for need in needs:
                result = self.search(state, need, 2 * limit + live, deadline_ms=self.settings.recall_deadline_ms)
                # "just now" means the newest, in the prompt or not: no others in their place
                matches = result.matches[:limit] if need.recent and points_at_newest(need, wording(need)) else result.matches
                found.append([match for match in matches if self._has_left(match, state, seq)])
                missing = missing or result.missing
            best = {(match.turn.key, match.turn.turn_id): match for match in reversed([*_in_turns(found)])}
            rows += [self._hit(match) for match in [*best.values()][::-1][:limit]]
        if self.library:
            rows += self._pieces(needs)
        if not rows and known is None:
            return None
        return Recalled(seq, query, tuple(rows), state.cut_seq, state.step, missing)

    def _has_peers(self) -> bool:
        """Whether there is anything in the scope beside this lane."""
        key = self.lane.key
        return self._wide == "project" or (
            self._wide == "session" and len(self.lane.store.lanes(key.tenant_id, key.project_id, key.session_id)) > 1
        )

    def search(self, state: SessionState, need: Need, limit: int, *, deadline_ms: int | None = None, lost: int = 0) -> Result:
        """`Searcher.search` over turns, without what is on no branch that its lane is on, and each message once."""
        # documents are in a session of their own: only a whole project holds both
        where = Filter(kinds=("turn",)) if self._wide == "project" else NO_FILTER
        self._caught_up.clear()
        result = self.searcher.search(self.scope, need, limit, where, deadline_ms=deadline_ms, lost=limit + lost)
        hidden = {(match.turn.key, f"repeats {match.turn.turn_id}") for match in result.matches if not self._is_on_branch(match, state)}
        # what a turn of another branch took the place of comes back
        back = [msgspec.structs.replace(match, why_not="") for match in result.lost if (match.turn.key, match.why_not) in hidden]
        ranked = sorted([*result.matches, *back], key=lambda match: -match.score) if back else result.matches
        shown = _once([match for match in ranked if match.is_alike and self._is_on_branch(match, state)])
        where = bounded(where, need)
        if not shown and need.time_range is not None:
            # it says when, and no turn of then shares anything with it
            shown = [match for match in self.searcher.newest(self.scope, limit, where) if self._is_on_branch(match, state)]
        if points_at_item(need):
            most = _MOST_LISTS if deadline_ms is None else _QUICK_LISTS
            newest = [match for match in self.searcher.newest(self.scope, most, where) if self._is_on_branch(match, state)]
            shown = self._with_list(need, shown, newest, most)
        given = {(match.turn.key, match.turn.turn_id) for match in shown}
        left = (match for match in [*ranked, *result.lost] if lost and (match.turn.key, match.turn.turn_id) not in given)
        rest = [msgspec.structs.replace(match, why_not=self._why_not(match, state)) for match in left]
        return msgspec.structs.replace(result, matches=tuple(shown), lost=tuple(rest))

    def _why_not(self, match: Match, state: SessionState) -> str:
        if not self._is_on_branch(match, state):
            return "another branch"
        if not match.is_alike:
            return "shares nothing"
        return match.why_not or "in a better one"

    def _with_list(self, need: Need, shown: list[Match], newest: list[Match], most: int) -> list[Match]:
        """The turn with the list that the need points into first: the newest of those that fit its words, or of all."""
        words = frozenset(content_terms(wording(need)))
        found = self._lists(need, (shown if words else newest)[:most], words)
        if words and not any(share for share, _ in found):
            found = [(0.0, match) for _, match in self._lists(need, newest, frozenset())]
        if not found:
            return shown
        enough = _FITS_SHARE * max(share for share, _ in found)
        best = max((match for share, match in found if share >= enough), key=lambda match: (match.turn.at_ms, match.turn.doc))
        rest = [match for match in shown if match.turn.doc != best.turn.doc]
        # ahead of all others by a part that says so
        ahead = max([0.0, *(match.score for match in rest)]) + 1.0
        parts = {name: part for name, part in best.parts.items() if name != NEWEST_PART}
        lead = ahead - sum(parts.values())
        return [msgspec.structs.replace(best, score=ahead, parts=parts | {"item": lead}), *rest]

    def _lists(self, need: Need, matches: Sequence[Match], words: Collection[str]) -> list[tuple[float, Match]]:
        """Turns in which somebody who is meant lists so many things, with their item and the share of the words that they have."""
        roles = need.roles or ("assistant",)
        found = []
        for match in matches:
            nodes = self._nodes(match.turn.key, match.turn.first_seq, match.turn.last_seq)
            items = (item_at(text, need.ordinal) for node in nodes if node.role in roles for text in self._texts((node,)))
            item = next(filter(None, items), "")
            if item:
                shared = words and len(frozenset(terms("\n".join(self._texts(nodes)))).intersection(words)) / len(words)
                found.append((float(shared or 0), msgspec.structs.replace(match, item=item)))
        return found

    def _is_on_branch(self, match: Match, state: SessionState) -> bool:
        """Whether the turn is on the branch that its lane is on: where its end is, its beginning is."""
        if match.turn.key == self.lane.key:
            return state.contains(match.turn.last_seq)
        return self.lane_of(match.turn.key).state.contains(match.turn.last_seq)

    def sees(self, key: LaneKey) -> bool:
        """Whether there is such a lane where recall looks, and it is this one or not private."""
        scope, store = self.scope, self.lane.store
        if key == self.lane.key:
            return True
        inside = scope.session_id in ("", key.session_id) and scope.lane_id in ("", key.lane_id)
        return inside and key in store.lanes(key.tenant_id, key.project_id, key.session_id) and not store.is_private(key)

    def lane_of(self, key: LaneKey) -> Lane:
        """This lane, or another one as it is now."""
        if key == self.lane.key:
            return self.lane
        if key not in self._peers:
            self._peers[key] = Lane(self.lane.store, key)
        elif key not in self._caught_up:
            self._peers[key].catch_up()
        self._caught_up.add(key)
        return self._peers[key]

    def _has_left(self, match: Match, state: SessionState, for_seq: int) -> bool:
        """Whether the turn is out of this lane's prompt."""
        return match.turn.key != self.lane.key or match.turn.last_seq <= min(state.cut_seq, for_seq - 1 if for_seq else state.cut_seq)

    def _hit(self, match: Match) -> RecalledHit:
        turn = match.turn
        ref = "" if turn.key == self.lane.key else msgspec.json.encode([turn.key.session_id, turn.key.lane_id]).decode()
        return RecalledHit(turn.first_seq, turn.last_seq, round(match.score, 4), ", ".join(turn.tags.get("topic", [])[:2]), "turn", ref)

    def _pieces(self, needs: Sequence[Need]) -> list[RecalledHit]:
        found = [self.library.search(need, MOST_PIECES, deadline_ms=self.settings.recall_deadline_ms) for need in needs]
        hits: dict[int, RecalledHit] = {}
        for piece in _in_turns(found):
            hits.setdefault(piece.piece_id, RecalledHit(piece.piece_id, piece.piece_id, round(piece.score, 4), "", "fragment", piece.where))
        return list(hits.values())[:MOST_PIECES]

    # ------------------------------------------------------------ its text

    def fragments(self, recalled: Recalled, counter: Counter, max_tokens: int) -> tuple[Fragment, ...]:
        """What was recalled as text within a share of the budget, best first; each shortened before it is left out."""
        self._caught_up.clear()
        fragments: list[Fragment] = []
        left = max_tokens
        for index, hit in enumerate(recalled.hits):
            share = left // max(1, len(recalled.hits) - index)
            if share < LEAST_FRAGMENT_TOKENS:
                break
            whole = self._piece(hit) if hit.kind == "fragment" else self._turn(hit)
            if whole is None:
                continue
            text = clamp_text(whole.text, share, counter.count_text, hit.first_seq)
            left -= counter.count_text(text)
            fragments.append(msgspec.structs.replace(whole, text=text))
        return tuple(fragments)

    def _piece(self, hit: RecalledHit) -> Fragment | None:
        piece = self.library.piece(hit.first_seq)
        if piece is None:
            return None
        return Fragment(
            first_seq=0, last_seq=0, at="", role="", topic="", text=piece.text, score=hit.score, kind="fragment", ref=piece.where
        )

    def _turn(self, hit: RecalledHit) -> Fragment | None:
        """What was said from one entry to another, on this branch or in another lane."""
        key = self.lane.key
        if hit.ref:
            session_id, lane_id = msgspec.json.decode(hit.ref, type=tuple[str, str])
            key = LaneKey(key.tenant_id, key.project_id, session_id, lane_id)
        nodes = self._nodes(key, hit.first_seq, hit.last_seq)
        if not nodes:
            return None
        text = self._said(nodes)
        return Fragment(
            first_seq=hit.first_seq,
            last_seq=hit.last_seq,
            at=datetime.fromtimestamp(nodes[0].at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M"),
            role=nodes[0].role,
            topic=spelt_out(hit.topic, text),
            text=text,
            score=hit.score,
            # numbers of another lane name nothing here
            source_ids=() if hit.ref else tuple(node.seq for node in nodes),
        )

    def text_of(self, key: LaneKey, first_seq: int, last_seq: int, seqs: Collection[int] = ()) -> str:
        """What was said from one entry of a lane to another, on the branch it is on; or just by the messages `seqs`."""
        return self._said(self._nodes(key, first_seq, last_seq, seqs))

    def _said(self, nodes: Sequence[Node]) -> str:
        return "\n".join(f"{node.role}: {text}" for node in nodes for text in self._texts((node,)))

    def _texts(self, nodes: Sequence[Node]) -> list[str]:
        """What the messages say, without those that were erased."""
        texts = []
        for node in nodes:
            with suppress(Erased):
                texts.append(self.bodies.message(node).text.strip())
        return texts

    def _nodes(self, key: LaneKey, first_seq: int, last_seq: int, seqs: Collection[int] = ()) -> list[Node]:
        rows = [row for row in self.lane.store.load(key, first_seq - 1, last_seq) if row.kind == "message"]
        if seqs:
            rows = [row for row in rows if row.seq in seqs]
        else:
            state = self.lane_of(key).state
            rows = [row for row in rows if state.contains(row.seq)]
        entries = map(self.lane.decoded, rows)
        return [entry.node for entry in entries if isinstance(entry, MessageAdded) and is_said(entry.node)]


def _read(need: Need, at_ms: int) -> Need:
    """A need that was declared in plain words is read like a question."""
    if need != Need(words=need.words, step=need.step) or not at_ms:
        return need
    return msgspec.structs.replace(read_question(need.words[:MOST_QUERY_CHARS], at_ms), step=need.step)


def _once(matches: Sequence[Match]) -> list[Match]:
    """Without turns whose messages are in a better one: a turn that went on after a rollback is stored with both of its ends."""
    kept: list[Match] = []
    for match in matches:
        same_lane = (one.turn for one in kept if one.turn.key == match.turn.key)
        if not any(match.turn.first_seq <= turn.last_seq and turn.first_seq <= match.turn.last_seq for turn in same_lane):
            kept.append(match)
    return kept


def _in_turns(found: Sequence[Sequence[_One]]) -> Iterator[_One]:
    """The best of each need, then the second of each ..."""
    return (one for row in zip_longest(*found) for one in row if one is not None)


def _told(need: Need) -> str:
    """The need as the ledger and `show` tell it."""
    said = " ".join(part for part in (need.words, *need.entities) if part)
    bounds = f" [{need.time_range[0]}..{need.time_range[1]}]" if need.time_range else ""
    return (said + bounds).strip()[:MOST_QUERY_CHARS]


def spelt_out(topic: str, text: str) -> str:
    """Topic terms are stems; a reader is shown the words they came from."""
    words = []
    for stem in filter(None, topic.split(", ")):
        found = re.search(rf"\b{re.escape(stem)}[a-z]*", text[:MOST_TOPIC_CHARS], re.IGNORECASE) if stem.isascii() else None
        words.append(found.group().lower() if found else stem)
    return ", ".join(words)
