"""Search over all that a session knows: by words, and by exact strings over the whole ledger (REQUIREMENTS C8, S3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from trimtab.core import entries as e
from trimtab.core.summary import SummaryItem
from trimtab.errors import BadSetting
from trimtab.recall import query_terms, terms
from trimtab.session.base import SessionBase
from trimtab.session.reading import message_text, variable_text

FoundKind: TypeAlias = Literal["item", "note", "variable", "message", "turn"]
FOUND_KINDS: tuple[FoundKind, ...] = get_args(FoundKind)
# what is found word for word ranks above what shares words
EXACT_SCORE = 100.0
# a query of several words is looked for as a whole, and by those of its words that name one thing
_WORD = re.compile(r"[\w./:@#%+-]+")
_NAMING = re.compile(r"\d|\w[./_@:-]\w|^[A-Z]{2}")
# a longer query is no question any more
MOST_QUERY_CHARS = 2_000
_LEAST_NEEDLE_CHARS = 3
_SNIPPET_CHARS = 240
_MOST_QUERY_TERMS = 16


class Found(Struct, frozen=True, kw_only=True):
    """One thing that was found.

    Attributes:
        kind: an item of the summary, a note, a variable, a message (by an exact string), or a turn (by words).
        ref: the item's id, the note's key, the variable's name, or "#12" for a message.
        text: it, or the stretch around the hit.
        score: larger is better; exact hits have EXACT_SCORE and more, others less.
        at_ms: when the message or item was entered; 0 for notes and variables.
        role: of a message: system, user, assistant or tool; "" for the rest.
        status: of an item: active, superseded or done; "" for the rest.
    """

    kind: FoundKind
    ref: str
    text: str
    score: float
    at_ms: int = 0
    role: str = ""
    status: str = ""


class FindingPart(SessionBase):
    """find."""

    def find(self, query: str, limit: int = 5, kinds: Iterable[FoundKind] = FOUND_KINDS) -> tuple[Found, ...]:
        """Search the summary's items (also superseded ones), notes, variables, and every message of this branch, in
        the prompt or not, tool calls and results included.

        Identifiers and other exact strings are found wherever they stand; the ledger is read through for them, so
        that this is no call for the request path.

        Args:
            query: words, an exact string, an item's id, or "#12" for a message; its first 2,000 characters count.
            limit: how many, best first.
            kinds: of FOUND_KINDS; all by default. `message` are exact hits in messages, `turn` those that share words.
        Raises:
            BadSetting: no such kind.
        """
        wanted = tuple(kinds)
        for kind in wanted:
            if kind not in FOUND_KINDS:
                raise BadSetting("kind", kind, "one of " + ", ".join(FOUND_KINDS))
        if not query.strip() or limit < 1:
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
            if "message" in wanted or "turn" in wanted:
                found += self._find_messages(look, wanted)
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
                yield Found(kind="item", ref=item.item_id, text=text, score=score, at_ms=at_ms, status=status)

    def _find_notes(self, look: _Look) -> Iterator[Found]:
        state = self._lane.state
        for key, note in state.notes.items():
            text = _note_text(self._bodies.get(note.body_id)) if note.body_id else ""
            score = look.score(f"{key} {text}")
            if text and score:
                yield Found(kind="note", ref=key, text=look.snippet(text), score=score)
        for meta in state.meta_notes.values():
            score = look.score(f"{meta.key} {meta.text}")
            if meta.text and score:
                yield Found(kind="note", ref=meta.key, text=meta.text, score=score)

    def _find_variables(self, look: _Look) -> Iterator[Found]:
        for variable in self._lane.state.variables.values():
            # what stands in a message is found there
            text = variable_text(self._lane, self._bodies, variable) if variable.body_id else ""
            score = look.score(f"{variable.name} {text}")
            if score:
                yield Found(kind="variable", ref=variable.name, text=look.snippet(text) or variable.line, score=score)

    def _find_messages(self, look: _Look, kinds: Sequence[FoundKind]) -> Iterator[Found]:
        """Messages that hold the query or what it names; turns that share its words."""
        state = self._lane.state
        ranked = {}
        if "turn" in kinds and look.terms:
            hits = self._store.search_words(self._key, list(look.terms)[:_MOST_QUERY_TERMS], 20)
            ranked = {hit.first_seq: hit for hit in hits if state.contains(hit.first_seq)}
        for row in self._store.load(self._key):
            entry = self._lane.decoded(row) if row.kind == "message" and state.contains(row.seq) else None
            if not isinstance(entry, e.MessageAdded):
                continue
            text = message_text(self._bodies.message(entry.node))
            ref = f"#{row.seq}"
            score = EXACT_SCORE * 2 if look.query == ref else look.exact(text)
            kind: FoundKind = "message"
            if not score:
                kind = "turn"
                # what is in the prompt is not in the index of words yet
                score = ranked[row.seq].score if row.seq in ranked else look.shared(text) if row.seq in state.nodes else 0.0
            if score and kind in kinds:
                yield Found(kind=kind, ref=ref, text=look.snippet(text), score=score, at_ms=row.at_ms, role=entry.node.role)


class _Look:
    """A query, read once."""

    def __init__(self, query: str) -> None:
        self.query = query.strip()[:MOST_QUERY_CHARS]
        self.terms = frozenset(query_terms(self.query))
        words = (found.group().strip(".,:") for found in _WORD.finditer(self.query))
        needles = [self.query, *(word for word in words if _NAMING.search(word))]
        self.needles = [needle.lower() for needle in dict.fromkeys(needles) if len(needle) >= _LEAST_NEEDLE_CHARS or needle == self.query]

    def score(self, text: str) -> float:
        return self.exact(text) or self.shared(text)

    def exact(self, text: str) -> float:
        """EXACT_SCORE and one for each needle that stands in the text; 0 for none."""
        lower = text.lower()
        hits = sum(needle in lower for needle in self.needles)
        return EXACT_SCORE + hits if hits else 0.0

    def shared(self, text: str) -> float:
        """The share of the query's words that the text has; 0 below a third."""
        if not self.terms:
            return 0.0
        share = len(self.terms.intersection(terms(text))) / len(self.terms)
        return share if share >= 1 / 3 else 0.0

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
