"""Older turns become searchable: a turn when the next one opens, or what of it leaves the prompt before."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trimtab.core.entries import HAS_TEXT, Indexed, Node
from trimtab.core.state import SessionState
from trimtab.recall import make_turn
from trimtab.session.bodies import Bodies
from trimtab.session.lane import Lane, Write
from trimtab.stores import Turn


def turn_rows(state: SessionState, upto_seq: int, bodies: Bodies, leaving: Collection[int] = (), more: Sequence[Node] = ()) -> list[Turn]:
    """The search rows of what leaves the prompt up to a message: one for each turn, or for the part of it that
    leaves now. Tool calls and their results are not in them (REQUIREMENTS C8).

    A row has the number of its last message: on a branch that holds this message, it holds the row's other ones too, and
    no other branch ever takes the row away.

    Args:
        leaving: keys of exchanges after that message that leave with it.
        more: what the newest turn goes on with that is not in the state yet; all of it was said.
    """
    turns: dict[tuple[int, bool], list[Node]] = {}
    for unit in state.units:
        for seq in unit.nodes:
            is_late = seq > upto_seq
            if state.indexed_seq < seq and is_said(state.nodes[seq]) and (not is_late or unit.key in leaving):
                turns.setdefault((unit.turn, is_late), []).append(state.nodes[seq])
    if more:
        turns.setdefault((state.turn, False), []).extend(more)
    return [row for nodes in turns.values() for row in rows_of(nodes, bodies)]


def rows_of(nodes: Sequence[Node], bodies: Bodies) -> list[Turn]:
    """The one search row of what was said by some messages of one turn; none where they say nothing to search for."""
    words = make_turn([bodies.message(node) for node in nodes])
    if not words.terms:
        return []
    seqs = tuple(node.seq for node in nodes)
    return [Turn(seqs[-1], seqs[0], seqs[-1], nodes[0].at_ms, words.role, words.terms, words.tags, seqs)]


def closed_upto(state: SessionState) -> int:
    """The last message of the turns that are over: of the newest too, where the assistant's answer calls nothing. 0 for none."""
    newest = state.units[-1] if state.units else None
    is_over = newest is not None and newest.role == "assistant" and not newest.calls
    closed = [unit for unit in state.units if unit.turn < state.turn or is_over]
    return closed[-1].nodes[-1] if closed else 0


def index_closed(lane: Lane, bodies: Bodies) -> None:
    """Make the turns that are over searchable now; the one that is under way when it is over."""

    def build(state: SessionState, next_seq: int) -> Write | None:
        upto = closed_upto(state)
        if upto <= state.indexed_seq:
            return None
        return Write(entries=[Indexed(upto)], turns=turn_rows(state, upto, bodies))

    lane.write(build)


def is_said(node: Node) -> bool:
    return node.role in ("user", "assistant") and bool(node.flags & HAS_TEXT)


def current_question(state: SessionState, bodies: Bodies) -> tuple[int, str]:
    """(seq, text) of the user message that opened the current turn; (0, "") where there is none."""
    for unit in reversed(state.units):
        if unit.opens_turn and unit.turn == state.turn:
            node = state.nodes[unit.nodes[-1] if unit.role == "tool" else unit.nodes[0]]
            return node.seq, bodies.message(node).text
    return 0, ""
