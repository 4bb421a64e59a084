"""Older turns: how they become searchable, and which come back for the current input (by words, for now)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from trimtab.core.entries import HAS_TEXT, MessageAdded, Node, Recalled
from trimtab.core.messages import Message
from trimtab.core.sections import Fragment
from trimtab.core.state import SessionState
from trimtab.recall import make_turn, query_terms
from trimtab.session.bodies import Bodies
from trimtab.session.lane import Lane
from trimtab.session.shorten import clamp_text
from trimtab.stores import Hit, Turn
from trimtab.tokens import Counter

# fewer tokens of a turn than this say too little to be worth a place
LEAST_FRAGMENT_TOKENS = 40
MOST_QUERY_TERMS = 16


def turn_rows(state: SessionState, upto_seq: int, bodies: Bodies) -> list[Turn]:
    """The search rows of what leaves the prompt up to a message: one for each turn, or for the part of it that
    leaves now. Tool calls and their results are not in them (REQUIREMENTS C8)."""
    turns: dict[int, list[Node]] = {}
    for unit in state.units:
        for seq in unit.nodes:
            if state.indexed_seq < seq <= upto_seq and _is_said(state.nodes[seq]):
                turns.setdefault(unit.turn, []).append(state.nodes[seq])
    rows = []
    for nodes in turns.values():
        words = make_turn([bodies.message(node) for node in nodes])
        if words.terms:
            seqs = tuple(node.seq for node in nodes)
            rows.append(Turn(seqs[0], seqs[0], seqs[-1], 0, words.role, words.terms, words.tags, seqs))
    return rows


def _is_said(node: Node) -> bool:
    return node.role in ("user", "assistant") and bool(node.flags & HAS_TEXT)


def current_question(state: SessionState, bodies: Bodies) -> tuple[int, str]:
    """(seq, text) of the user message that opened the current turn; (0, "") where there is none."""
    for unit in reversed(state.units):
        if unit.opens_turn and unit.turn == state.turn:
            node = state.nodes[unit.nodes[-1] if unit.role == "tool" else unit.nodes[0]]
            return node.seq, bodies.message(node).text
    return 0, ""


def search(lane: Lane, question: str, for_seq: int, limit: int) -> Recalled:
    """Rank earlier turns that have left the prompt against the current question.

    What left of the current turn itself is not among them: the question is what that was all about, so its words
    tell nothing apart.
    """
    terms = query_terms(question)[:MOST_QUERY_TERMS]
    hits: list[Hit] = []
    if terms and limit:
        found = lane.store.search_words(lane.key, terms, limit * 2, before_seq=min(lane.state.cut_seq + 1, for_seq))
        hits = [hit for hit in found if lane.state.contains(hit.first_seq) and hit.score > 0][:limit]
    return Recalled(for_seq, " ".join(terms), tuple((hit.first_seq, hit.last_seq, round(hit.score, 4)) for hit in hits))


def fragments_of(lane: Lane, recalled: Recalled, bodies: Bodies, counter: Counter, max_tokens: int) -> tuple[Fragment, ...]:
    """The recalled turns as text within a share of the budget, best first; each shortened before it is left out."""
    fragments: list[Fragment] = []
    left = max_tokens
    for index, (first, last, score) in enumerate(recalled.hits):
        share = left // max(1, len(recalled.hits) - index)
        if share < LEAST_FRAGMENT_TOKENS:
            break
        fragment = _fragment(lane, first, last, score, bodies)
        if fragment is None:
            continue
        text = clamp_text(fragment.text, max(share, 0), counter.count_text, first)
        left -= counter.count_text(text)
        fragments.append(
            Fragment(first_seq=first, last_seq=last, at=fragment.at, role=fragment.role, topic=fragment.topic, text=text, score=score)
        )
    return tuple(fragments)


def _fragment(lane: Lane, first: int, last: int, score: float, bodies: Bodies) -> Fragment | None:
    rows = [row for row in lane.store.load(lane.key, first - 1, last) if row.kind == "message" and lane.state.contains(row.seq)]
    entries = [entry for entry in map(lane.decoded, rows) if isinstance(entry, MessageAdded) and _is_said(entry.node)]
    if not entries:
        return None
    turns = lane.store.turns(lane.key, (first,))
    topics = turns[0].tags.get("topic", []) if turns else []
    at = datetime.fromtimestamp(rows[0].at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    messages = [bodies.message(entry.node) for entry in entries]
    text = "\n".join(said(message) for message in messages)
    return Fragment(first_seq=first, last_seq=last, at=at, role=entries[0].node.role, topic=", ".join(topics[:2]), text=text, score=score)


def said(message: Message) -> str:
    return f"{message.role}: {message.text.strip()}"


def texts(messages: Iterable[Message]) -> str:
    return "\n".join(said(message) for message in messages)
