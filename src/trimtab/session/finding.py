"""Search over all that a session knows: as recall does, and for exact strings over the whole ledger (REQUIREMENTS C8, S3)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from heapq import nlargest
from typing import Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from trimtab.core import entries as e
from trimtab.core.summary import SummaryItem
from trimtab.errors import BadSetting, Erased
from trimtab.recall import query_terms, terms
from trimtab.recall.literals import is_literal
from trimtab.recall.needs import Need
from trimtab.recall.needs_questions import read_question
from trimtab.session import clock
from trimtab.session.base import SessionBase
from trimtab.session.indexing import index_closed, is_said
from trimtab.session.literals import Place, fill_up, places_of
from trimtab.session.reading import everything_of, stored_node, variable_text
from trimtab.session.recalling import SPARE_TURNS, Recaller, spelt_out
from trimtab.stores import LaneKey

FoundKind: TypeAlias = Literal["item", "note", "variable", "message", "turn"]
FOUND_KINDS: tuple[FoundKind, ...] = get_args(FoundKind)
# what is found word for word ranks above what shares words
EXACT_SCORE = 100.0
# where a longer literal begins with it
PREFIX_SCORE = 90.0
# a query of several words is looked for as a whole, and by those of its words that name one thing
_WORD = re.compile(r"[\w./:@#%+-]+")
_NAMING = re.compile(r"\d|\w[./_@:-]\w|^[A-Z]{2}")
# a longer query is no question any more
MOST_QUERY_CHARS = 2_000
_LEAST_NEEDLE_CHARS = 3
_SNIPPET_CHARS = 240


class Found(Struct, frozen=True, kw_only=True):
    """One thing that was found.

    Attributes:
        kind: an item of the summary, a note, a variable, a message (by an exact string), or a turn (by words).
        ref: the item's id, the note's key, the variable's name, or "#12" for a message; "session/lane#12" for one of
            another lane, which `read` takes as well.
        text: it, or the stretch around the hit.
        score: larger is better; exact hits have EXACT_SCORE and more, others less.
        at_ms: when the message or item was entered; 0 for notes and variables.
        role: of a message: system, user, assistant or tool; "" for the rest.
        status: of an item: active, superseded or done; "" for the rest.
        topic: of a turn: what it is about, by its terms.
        item: of a turn: where one of several was asked for ("the second option"), that item of its list; else "".
        why: how it was found: "exact", "begins with it", "words", or the parts of a turn's score, largest first.
    """

    kind: FoundKind
    ref: str
    text: str
    score: float
    at_ms: int = 0
    role: str = ""
    status: str = ""
    topic: str = ""
    why: str = ""
    item: str = ""


class FindingPart(SessionBase):
    """find."""

    def find(self, query: str | Need, limit: int = 5, kinds: Iterable[FoundKind] = FOUND_KINDS) -> tuple[Found, ...]:
        """Search the summary's items (also superseded ones), notes, variables, and every message of this branch, in
        the prompt or not, tool calls and results included; turns and literals also in the other lanes where `recall_scope`
        says, but for private ones.

        An identifier or another literal (a number, a path, an address) is looked up in an index of the whole ledger: first
        where it stands by itself, then where a longer one begins with it. A phrase of several words, a plain word, and what
        the index does not know are looked for by reading the ledger through. This is no call for the request path.

        Args:
            query: words, an exact string, an item's id, or "#12" for a message; its first 2,000 characters count. Or a
                need, whose time range then bounds all that has a time.
            limit: how many, best first.
            kinds: of FOUND_KINDS; all by default. `message` are exact hits in messages, `turn` those that recall finds,
                and messages in the prompt that no turn is made of yet.
        Raises:
            BadSetting: no such kind.
        """
        wanted = tuple(kinds)
        for kind in wanted:
            if kind not in FOUND_KINDS:
                raise BadSetting("kind", kind, "one of " + ", ".join(FOUND_KINDS))
        if limit < 1 or (isinstance(query, str) and not query.strip()):
            return ()
        with self._open_lock():
            self._lane.catch_up()
            look = _Look(query)
            found: list[Found] = []
            if "item" in wanted:
                found += self._find_items(look)
            if "note" in wanted:
                found += self._find_notes(look)
            if "variable" in wanted:
                found += self._find_variables(look)
            recaller = self._recaller()
            exact = self._exact_places(look, recaller) if "message" in wanted else {}
            if "message" in wanted:
                found += self._find_messages(look, exact, limit, recaller)
            if "turn" in wanted:
                found += self._find_turns(look, exact, limit, recaller)
            if isinstance(query, Need) and query.time_range is not None:
                since, until = query.time_range
                found = [row for row in found if not row.at_ms or (since <= row.at_ms and (not until or row.at_ms < until))]
            found.sort(key=lambda row: (-row.score, -row.at_ms, row.ref))
            return tuple(_distinct(found))[:limit]

    def _find_items(self, look: _Look) -> Iterator[Found]:
        state = self._lane.state
        items: dict[str, tuple[SummaryItem, str, int]] = {}
        for row in self._store.load(self._key):
            entry = self._lane.decoded(row) if row.kind == "items" and state.contains(row.seq) else None
            if not isinstance(entry, e.ItemsChanged):
                continue
            changes = entry.changes
            for item_id in (*changes.superseded, *changes.closed):
                if item_id in items:
                    status = "superseded" if item_id in changes.superseded else "done"
                    items[item_id] = (items[item_id][0], status, items[item_id][2])
            items |= {item.item_id: (item, "active", row.at_ms) for item in changes.added}
        for item, status, at_ms in items.values():
            text = f"{item.text} ({item.reason})" if item.reason else item.text
            score = EXACT_SCORE * 2 if look.query == item.item_id else look.score(text)
            if score:
                yield Found(kind="item", ref=item.item_id, text=text, score=score, at_ms=at_ms, status=status, why=_why(score))

    def _find_notes(self, look: _Look) -> Iterator[Found]:
        state = self._lane.state
        for key, note in state.notes.items():
            text = _note_text(self._bodies.get(note.body_id)) if note.body_id else ""
            score = look.score(f"{key} {text}")
            if text and score:
                yield Found(kind="note", ref=key, text=look.snippet(text), score=score, why=_why(score))
        for meta in state.meta_notes.values():
            score = look.score(f"{meta.key} {meta.text}")
            if meta.text and score:
                yield Found(kind="note", ref=meta.key, text=meta.text, score=score, why=_why(score))

    def _find_variables(self, look: _Look) -> Iterator[Found]:
        for variable in self._lane.state.variables.values():
            # what stands in a message is found there
            text = variable_text(self._lane, self._bodies, variable) if variable.body_id else ""
            score = look.score(f"{variable.name} {text}")
            if score:
                yield Found(kind="variable", ref=variable.name, text=look.snippet(text) or variable.line, score=score, why=_why(score))

    def _exact_places(self, look: _Look, recaller: Recaller) -> dict[Place, float]:
        """Messages of this branch that hold the query or what it names, and those of other lanes that hold its literals, with
        their scores."""
        fill_up(self._lane, self._bodies)
        scores: dict[Place, float] = {}
        phrases = []
        for needle in look.spelled:
            known = is_literal(needle)
            whole, longer = places_of(self._store, recaller.scope, recaller.lane_of, needle) if known else (set(), set())
            for place in whole:
                scores[place] = max(scores.get(place, 0.0), EXACT_SCORE) + 1
            for place in longer:
                scores.setdefault(place, PREFIX_SCORE)
            if not any(key == self._key for key, _ in (*whole, *longer)):
                phrases.append(needle.lower())
        for row in self._store.load(self._key) if phrases else ():
            entry = self._lane.decoded(row) if row.kind == "message" and self._lane.state.contains(row.seq) else None
            if not isinstance(entry, e.MessageAdded):
                continue
            text = self._text_of(entry.node).lower()
            hits = sum(phrase in text for phrase in phrases)
            place = self._key, row.seq
            if hits:
                scores[place] = max(scores.get(place, 0.0), EXACT_SCORE) + hits
            if look.query == f"#{row.seq}":
                scores[place] = EXACT_SCORE * 2
        return scores

    def _text_of(self, node: e.Node) -> str:
        """All that a message says; "" where it was erased."""
        try:
            return everything_of(self._bodies.message(node))
        except Erased:
            return ""

    def _ref(self, key: LaneKey, seq: int) -> str:
        return f"#{seq}" if key == self._key else f"{key.session_id}/{key.lane_id}#{seq}"

    def _find_messages(self, look: _Look, exact: Mapping[Place, float], limit: int, recaller: Recaller) -> Iterator[Found]:
        # of equal ones those of this lane first
        for place in nlargest(limit, exact, key=lambda place: (exact[place], place[0] == self._key, place[1])):
            key, seq = place
            node, score = stored_node(recaller.lane_of(key), seq), exact[place]
            text = look.snippet(self._text_of(node))
            # of its entry, as for what was extracted from it
            at_ms = self._store.entry(key, seq).at_ms
            yield Found(kind="message", ref=self._ref(key, seq), text=text, score=score, at_ms=at_ms, role=node.role, why=_why(score))

    def _find_turns(self, look: _Look, exact: Collection[Place], limit: int, recaller: Recaller) -> Iterator[Found]:
        """What recall finds, and what of the prompt is in no turn yet; not what holds an exact hit."""
        index_closed(self._lane, self._bodies)
        state = self._lane.state
        result = recaller.search(state, recaller.placed(look.need, state), 2 * limit + SPARE_TURNS)
        for match in result.matches:
            turn = match.turn
            if any(key == turn.key and turn.first_seq <= seq <= turn.last_seq for key, seq in exact):
                continue
            text = recaller.text_of(turn.key, turn.first_seq, turn.last_seq)
            yield Found(
                kind="turn",
                ref=self._ref(turn.key, turn.first_seq),
                text=look.snippet(text),
                score=match.score,
                at_ms=turn.at_ms,
                role=turn.role,
                topic=spelt_out(", ".join(turn.tags.get("topic", [])[:2]), text),
                why=", ".join(f"{name} {part:.2f}" for name, part in sorted(match.parts.items(), key=lambda row: -row[1]) if part),
                item=match.item,
            )
        for seq, node in state.nodes.items():
            if (
                (self._key, seq) not in exact
                and (seq > state.indexed_seq or not is_said(node))
                and (score := look.shared(self._text_of(node)))
            ):
                text = look.snippet(self._text_of(node))
                yield Found(kind="turn", ref=f"#{seq}", text=text, score=score, at_ms=node.at_ms, role=node.role, why=_why(score))


class _Look:
    """A query, read once."""

    def __init__(self, asked: str | Need) -> None:
        query = asked if isinstance(asked, str) else " ".join((asked.words, *(name for name in asked.entities if name not in asked.words)))
        self.query = query.strip()[:MOST_QUERY_CHARS]
        self.need = read_question(self.query, clock.now_ms()) if isinstance(asked, str) else asked
        self.terms = frozenset(query_terms(self.query))
        # a stem without its last letter is how the word begins
        self._marks = [term[:-1] if len(term) > 2 and term.isalpha() else term for term in self.terms]
        words = (found.group().strip(".,:") for found in _WORD.finditer(self.query))
        needles = [self.query, *(word for word in words if _NAMING.search(word))]
        # as they are spelled: a capital tells a name from a word
        self.spelled = [needle for needle in dict.fromkeys(needles) if len(needle) >= _LEAST_NEEDLE_CHARS or needle == self.query != ""]
        self.needles = [needle.lower() for needle in self.spelled]

    def score(self, text: str) -> float:
        return self.exact(text) or self.shared(text)

    def exact(self, text: str) -> float:
        """EXACT_SCORE and one for each needle that stands in the text; 0 for none."""
        lower = text.lower()
        hits = sum(needle in lower for needle in self.needles)
        return EXACT_SCORE + hits if hits else 0.0

    def shared(self, text: str) -> float:
        """The share of the query's words that the text has; 0 below a third."""
        if not self.terms or not self._may_share(text):
            return 0.0
        share = len(self.terms.intersection(terms(text))) / len(self.terms)
        return share if share >= 1 / 3 else 0.0

    def _may_share(self, text: str) -> bool:
        """False only where a third of the words cannot be in the text: cutting a text into its words costs much more."""
        if not text.isascii():
            return True
        # words are read without these
        lower = text.lower().replace("'", "").replace(",", "")
        return 3 * sum(mark in lower for mark in self._marks) >= len(self._marks)

    def snippet(self, text: str) -> str:
        """The stretch around the first hit."""
        lower = text.lower()
        # lower-casing may change lengths in some scripts: then the place is near enough
        at = min((place for needle in self.needles if (place := lower.find(needle)) >= 0), default=-1)
        if at < 0:
            at = min((place for term in self.terms if (place := lower.find(term)) >= 0), default=0)
        start = max(0, at - _SNIPPET_CHARS // 3)
        piece = " ".join(text[start : start + _SNIPPET_CHARS].split())
        return ("…" if start else "") + piece + ("…" if start + _SNIPPET_CHARS < len(text) else "")


def _why(score: float) -> str:
    return "exact" if score >= EXACT_SCORE else "begins with it" if score >= PREFIX_SCORE else "words"


def _note_text(payload: bytes) -> str:
    """A note's value: a text as it is, anything else as JSON."""
    value = msgspec.json.decode(payload)
    return value if isinstance(value, str) else payload.decode("utf-8", "replace")


def _distinct(found: Iterable[Found]) -> Iterator[Found]:
    seen: set[tuple[str, str]] = set()
    for row in found:
        if (row.kind, row.ref) not in seen:
            seen.add((row.kind, row.ref))
            yield row
