"""Older turns: how they become searchable, and which come back for the current input (by words, for now)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from trimtab.core.entries import HAS_TEXT, Indexed, MessageAdded, Node, Recalled, RecalledHit
from trimtab.core.messages import Message
from trimtab.core.sections import Fragment
from trimtab.core.state import SessionState
from trimtab.recall import make_turn, query_terms
from trimtab.session.bodies import Bodies
from trimtab.session.lane import Lane, Write
from trimtab.session.shorten import clamp_text
from trimtab.stores import Hit, Turn
from trimtab.tokens import Counter

# fewer tokens of a turn than this say too little to be worth a place
LEAST_FRAGMENT_TOKENS = 40
# messages that may wait to be indexed until they leave the prompt
MOST_UNINDEXED = 128
MOST_TOPIC_CHARS = 20_000
MOST_QUERY_TERMS = 12


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
            rows.append(Turn(seqs[0], seqs[0], seqs[-1], nodes[0].at_ms, words.role, words.terms, words.tags, seqs))
    return rows


def index_backlog(lane: Lane, bodies: Bodies) -> None:
    """Index what a large batch brought in, as it comes in, so that no later request has to do it all at once."""
    if lane.state.unindexed < MOST_UNINDEXED:
        return

    def build(state: SessionState, next_seq: int) -> Write | None:
        closed = [unit for unit in state.units if unit.turn < state.turn]
        if not closed or closed[-1].nodes[-1] <= state.indexed_seq:
            return None
        upto = closed[-1].nodes[-1]
        return Write(entries=[Indexed(upto)], turns=turn_rows(state, upto, bodies))

    lane.write(build)


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
    rows = (RecalledHit(hit.first_seq, hit.last_seq, round(hit.score, 4), ", ".join(hit.tags.get("topic", [])[:2])) for hit in hits)
    return Recalled(for_seq, " ".join(terms), tuple(rows), lane.state.cut_seq)


def fragments_of(lane: Lane, recalled: Recalled, bodies: Bodies, counter: Counter, max_tokens: int) -> tuple[Fragment, ...]:
    """The recalled turns as text within a share of the budget, best first; each shortened before it is left out."""
    fragments: list[Fragment] = []
    left = max_tokens
    for index, hit in enumerate(recalled.hits):
        share = left // max(1, len(recalled.hits) - index)
        if share < LEAST_FRAGMENT_TOKENS:
            break
        fragment = _fragment(lane, hit.first_seq, hit.last_seq, bodies)
        if fragment is None:
            continue
        at, role, whole, seqs = fragment
        text = clamp_text(whole, share, counter.count_text, hit.first_seq)
        left -= counter.count_text(text)
        fragments.append(
            Fragment(
                first_seq=hit.first_seq,
                last_seq=hit.last_seq,
                at=at,
                role=role,
                topic=_spelt_out(hit.topic, whole),
                text=text,
                score=hit.score,
                source_ids=seqs,
            )
        )
    return tuple(fragments)


def _spelt_out(topic: str, text: str) -> str:
    """Topic terms are stems; a reader is shown the words they came from."""
    words = []
    for stem in filter(None, topic.split(", ")):
        found = re.search(rf"\b{re.escape(stem)}[a-z]*", text[:MOST_TOPIC_CHARS], re.IGNORECASE) if stem.isascii() else None
        words.append(found.group().lower() if found else stem)
    return ", ".join(words)


def _fragment(lane: Lane, first: int, last: int, bodies: Bodies) -> tuple[str, str, str, tuple[int, ...]] | None:
    """(when, who spoke first, text, seqs) of what was said from one entry to another on this branch."""
    rows = [row for row in lane.store.load(lane.key, first - 1, last) if row.kind == "message" and lane.state.contains(row.seq)]
    nodes = [entry.node for entry in map(lane.decoded, rows) if isinstance(entry, MessageAdded) and _is_said(entry.node)]
    if not nodes:
        return None
    at = datetime.fromtimestamp(nodes[0].at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    return at, nodes[0].role, "\n".join(said(bodies.message(node)) for node in nodes), tuple(node.seq for node in nodes)


def said(message: Message) -> str:
    return f"{message.role}: {message.text.strip()}"
