"""The fold: how each kind of entry changes the state. Adding an entry type is one function and one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from trimtab.core import entries as e
from trimtab.core.entries import Node
from trimtab.core.fold_memory import MEMORY_FOLDS
from trimtab.core.fold_shared import SHARED_FOLDS
from trimtab.core.fold_task import TASK_FOLDS
from trimtab.core.plan import Segment
from trimtab.core.state import (
    LEAST_CLEARED_TOKENS,
    MOST_KEYS,
    MOST_TRIED,
    LastRequest,
    SessionState,
)
from trimtab.core.units import Unit


def apply(state: SessionState, seq: int, entry: e.Entry) -> None:
    """Fold one entry into the state. `seq` is the entry's place in its lane."""
    _FOLDS[type(entry)](state, seq, entry)
    if not state.spans or state.spans[-1][1] != seq - 1:
        state.spans.append([seq, seq])
    else:
        state.spans[-1][1] = seq
    state.seq = seq
    if not isinstance(entry, e.RequestSent | e.Compacted | e.Cleared | e.Repair | e.UsageReported | e.Indexed | e.Distilled | e.Acted):
        state.dirty = True


# ---------------------------------------------------------------- messages


def _message(state: SessionState, seq: int, entry: e.MessageAdded) -> None:
    node = entry.node
    state.nodes[node.seq] = node
    state.head, state.lineage = node.seq, node.lineage
    state.messages += 1
    state.indexed_seq = max(state.indexed_seq, entry.indexed_seq)
    state.total_tokens += node.tokens
    if entry.key:
        state.keys[entry.key] = node.seq
        if len(state.keys) > MOST_KEYS:
            del state.keys[next(iter(state.keys))]
    if node.flags & e.IS_EMPTY and state.units:
        # it says nothing and is never sent: it opens no exchange that a cut could keep as its last
        state.units[-1].nodes.append(node.seq)
    elif node.results:
        _results(state, node)
    elif node.role == "assistant":
        _assistant(state, node)
    else:
        _plain(state, node)


def _plain(state: SessionState, node: Node) -> None:
    """A user message, or system text in the middle of a history."""
    after_user = bool(state.units) and state.units[-1].opens_turn and state.units[-1].role == "user"
    if node.opens_turn and not after_user:
        state.turn += 1
    state.units.append(Unit(nodes=[node.seq], role=node.role, round=state.round + 1, turn=state.turn, opens_turn=node.opens_turn))


def _assistant(state: SessionState, node: Node) -> None:
    last = state.units[-1] if state.units else None
    if last is not None and last.role == "assistant" and _continues(state, last, node):
        last.nodes.append(node.seq)
        if last.answered:
            state.round += 1
            last.round = state.round
    else:
        state.round += 1
        last = Unit(nodes=[node.seq], role="assistant", round=state.round, turn=state.turn)
        state.units.append(last)
    last.reasoning = last.reasoning or node.has_reasoning
    for call_id, name in node.calls:
        last.calls[call_id] = name
        last.answered.pop(call_id, None)
        state.call_units[call_id] = last.key


def _continues(state: SessionState, unit: Unit, node: Node) -> bool:
    """Whether an assistant message belongs to the exchange before it.

    It does where nothing was answered in between (items of one reply), and, in the Messages form, where a
    tool loop was opened with reasoning that this message does not repeat: the loop is valid only as a whole.
    """
    if not unit.answered:
        # where a message is a whole reply, a call that is followed by another reply was given up
        sent = state.last is not None and state.last.as_of_seq >= unit.nodes[-1]
        return not unit.open_calls or (node.wire == "openai_responses" and not sent)
    reused = any(call_id in unit.calls for call_id, _ in node.calls)
    return node.wire == "anthropic" and unit.reasoning and not node.has_reasoning and not unit.open_calls and not reused


def _results(state: SessionState, node: Node) -> None:
    keys = {state.call_units.get(call_id, 0) for call_id in node.results}
    index = _unit_index(state, keys.pop()) if len(keys) == 1 else None
    if index is None or not _takes(state, index, node):
        _orphan(state, node)
        return
    unit = state.units[index]
    unit.nodes.append(node.seq)
    for call_id in node.results:
        old = unit.answered.get(call_id)
        if old is not None:
            unit.replaced.append(old)
        unit.answered[call_id] = node.seq
    late = index < len(state.units) - 1
    if (late and index < state.frozen_units) or (unit.replaced and index < state.frozen_units):
        state.stale = "replaced" if unit.replaced and not late else "late_result"
    if node.opens_turn:
        state.turn += 1
        unit.opens_turn, unit.turn = True, state.turn


def _loop(state: SessionState, unit: Unit) -> bool:
    """Whether the model went on after a result inside this exchange."""
    answered = False
    for seq in unit.nodes:
        node = state.nodes[seq]
        if node.role == "assistant" and answered:
            return True
        answered = answered or bool(node.results)
    return False


def _takes(state: SessionState, index: int, node: Node) -> bool:
    """Whether the unit can hold this result message and still be valid as a list."""
    unit = state.units[index]
    late = index < len(state.units) - 1
    if late and (node.opens_turn or _loop(state, unit)):
        return False
    for call_id in node.results:
        if call_id in unit.answered:
            old = state.nodes[unit.answered[call_id]]
            if len(old.results) > 1 or len(node.results) > 1 or old.opens_turn or node.opens_turn or _loop(state, unit):
                return False
    return True


def _orphan(state: SessionState, node: Node) -> None:
    """A result whose call is not (or no longer) there: it can only be shown as text."""
    if node.opens_turn:
        state.turn += 1
    state.units.append(Unit(nodes=[node.seq], role="tool", round=state.round + 1, turn=state.turn, opens_turn=node.opens_turn, orphan=True))


def _unit_index(state: SessionState, key: int) -> int | None:
    for index in range(len(state.units) - 1, -1, -1):
        if state.units[index].key == key:
            return index
    return None


def _body(state: SessionState, seq: int, entry: e.BodyReplaced) -> None:
    if entry.seq in state.nodes:
        old = state.nodes[entry.seq]
        state.total_tokens += entry.node.tokens - old.tokens
        state.nodes[entry.seq] = entry.node
        unit = next((unit for unit in state.units if entry.seq in unit.nodes), None)
        if unit is not None:
            unit.reasoning = unit.reasoning or entry.node.has_reasoning


# ---------------------------------------------------------------- projection


def _undone(state: SessionState, seq: int, entry: e.CompactionUndone) -> None:
    """The exchanges are back, and the next prompt is assembled anew."""
    back = {unit.key for unit in entry.units}
    state.units = sorted((*_copies(entry.units), *(unit for unit in state.units if unit.key not in back)), key=lambda unit: unit.key)
    state.nodes |= {node.seq: node for node in entry.nodes}
    for unit in entry.units:
        state.call_units |= dict.fromkeys(unit.calls, unit.key)
    state.cut_seq, state.holes = entry.cut_seq, list(entry.holes)
    state.stale, state.held, state.fruitless = "undone", True, 0


def _copies(units: tuple[Unit, ...]) -> list[Unit]:
    """Units change with what comes later; those in an entry must not."""
    return [
        msgspec.structs.replace(
            unit, nodes=list(unit.nodes), calls=dict(unit.calls), answered=dict(unit.answered), replaced=list(unit.replaced)
        )
        for unit in units
    ]


def _compacted(state: SessionState, seq: int, entry: e.Compacted) -> None:
    stays = {seq for segment in entry.segments for seq in segment.origin}
    leaving = {unit.key for unit in state.units if unit.key <= entry.cut_seq or unit.key in state.dropped}
    removed = [unit for unit in state.units if unit.key in leaving and not stays.intersection(unit.nodes)]
    if removed:
        gone = {unit.key for unit in removed}
        state.units = [unit for unit in state.units if unit.key not in gone]
        for unit in removed:
            for node in unit.nodes:
                state.nodes.pop(node, None)
        late = (node for unit in removed for node in unit.nodes if node > entry.cut_seq)
        state.holes = sorted(node for node in (*state.holes, *late) if node > entry.cut_seq)
        state.call_units = {call: key for call, key in state.call_units.items() if key not in gone}
        state.dropped = [key for key in state.dropped if key not in gone]
        state.concluded = {seq: place for seq, place in state.concluded.items() if seq in state.nodes}
        state.needs = {by: left for by, seqs in state.needs.items() if (left := [seq for seq in seqs if seq in state.nodes])}
    state.epoch, state.cut_seq = entry.epoch, max(state.cut_seq, entry.cut_seq)
    state.indexed_seq = max(state.indexed_seq, state.cut_seq)
    if entry.kind == "compaction":
        state.compacted_tokens = entry.tokens_after
        state.compacted_round, state.held = state.round, False
        state.fruitless = state.fruitless + 1 if entry.fruitless else 0
    state.front, state.front_seq, state.unbound_seq = entry.front, seq, seq
    state.projection = list(entry.segments)
    state.projection_tokens = sum(segment.tokens for segment in entry.segments)
    state.stale, state.settled, state.news = None, [], []
    state.frozen_units = 0
    _freeze(state)
    state.results = []
    if state.last is not None:
        state.last = msgspec.structs.replace(state.last, tail=())
    _watch_results(state, entry.segments)


def _cleared(state: SessionState, seq: int, entry: e.Cleared) -> None:
    new = {segment.origin: segment for segment in entry.segments}
    state.projection = [new.get(segment.origin, segment) if segment.place == "message" else segment for segment in state.projection]
    state.projection_tokens = sum(segment.tokens for segment in state.projection)
    gone = {segment.origin[0] for segment in entry.segments}
    state.results = [row for row in state.results if row[0] not in gone]
    state.epoch = entry.epoch


def _freeze(state: SessionState) -> None:
    """All units are in the projection now, but for what waits for results."""
    if state.open_unit is not None and state.frozen_units == len(state.units):
        return  # the beginning of a loop is in, the newest call of it is not yet
    whole = len(state.units) - (1 if state.open_unit is not None else 0)
    state.frozen_units = whole
    state.frozen_nodes = len(state.units[whole - 1].nodes) if whole else 0


def _watch_results(state: SessionState, segments: tuple[Segment, ...]) -> None:
    for segment in segments:
        node = state.nodes.get(segment.origin[0])
        if node is not None and segment.action == "keep" and node.result_tokens >= LEAST_CLEARED_TOKENS:
            state.results.append((node.seq, _round_of(state, node.seq), node.result_tokens))


def _round_of(state: SessionState, seq: int) -> int:
    for unit in reversed(state.units):
        if seq in unit.nodes:
            return unit.round
    return 0


def _request(state: SessionState, seq: int, entry: e.RequestSent) -> None:
    if entry.front is not None:
        if not state.front_seq:
            state.front_seq, state.news = entry.as_of_seq, []
        state.front = entry.front
    state.projection.extend(entry.appended)
    state.projection_tokens += sum(segment.tokens for segment in entry.appended)
    _freeze(state)
    _watch_results(state, entry.appended)
    state.last = LastRequest(
        number=entry.number,
        as_of_seq=entry.as_of_seq,
        target=entry.target,
        layout=entry.layout,
        fingerprint=entry.fingerprint,
        system_ids=entry.system_ids,
        tools_id=entry.tools_id,
        tail=entry.tail if entry.tail_frozen else state.last.tail if state.last is not None else (),
        shared_tokens=entry.shared_tokens,
        level=entry.level,
        tokens=entry.tokens,
        loose=tuple(segment.segment_id for segment in entry.loose),
        loose_tail=bool(entry.loose and entry.tail) and not entry.tail_frozen,
        history_budget_tokens=entry.budget.history_budget_tokens,
    )
    state.branch_mark = ""
    state.next_cap_tokens = 0
    state.dirty = False


def _nothing(state: SessionState, seq: int, entry: e.Entry) -> None:
    return None


def _window(state: SessionState, seq: int, entry: e.WindowLearned) -> None:
    if entry.window_tokens:
        state.learned_windows[entry.target.place] = entry.window_tokens
    state.next_cap_tokens = entry.cap_tokens


def _counter(state: SessionState, seq: int, entry: e.CounterChanged) -> None:
    before = sum(node.tokens for node in state.nodes.values())
    after = before
    for node_seq, tokens, result_tokens in entry.tokens:
        if node_seq in state.nodes:
            old = state.nodes[node_seq]
            after += tokens - old.tokens
            state.nodes[node_seq] = _recounted(old, tokens, result_tokens)
    counts = {node_seq: (tokens, result) for node_seq, tokens, result in entry.tokens}
    state.instructions = tuple(_recounted(node, *counts.get(node.seq, (node.tokens, node.result_tokens))) for node in state.instructions)
    if state.counter_id:
        state.stale = "new_target"
    if before and after != before:
        # what has left is not counted again: it is taken to have changed as the live part did
        state.total_tokens = state.total_tokens * after // before
        state.compacted_tokens = state.compacted_tokens * after // before
    state.counter_id = entry.counter_id


def _recounted(node: Node, tokens: int, result_tokens: int) -> Node:
    return msgspec.structs.replace(node, tokens=tokens, result_tokens=result_tokens)


def _checkpoint(state: SessionState, seq: int, entry: e.Checkpointed) -> None:
    state.checkpoints[entry.name] = seq


def _rolled_back(state: SessionState, seq: int, entry: e.RolledBack) -> None:
    state.branch_mark = "rolled_back"
    if entry.tried:
        state.tried = list(entry.tried)[-MOST_TRIED:]


def _rebuild(state: SessionState, seq: int, entry: e.RebuildAsked) -> None:
    state.stale = "asked"


def _branched(state: SessionState, seq: int, entry: e.Branched) -> None:
    state.branch_mark = "branch"


_FOLDS: dict[type, Callable[[SessionState, int, Any], None]] = (
    MEMORY_FOLDS
    | SHARED_FOLDS
    | TASK_FOLDS
    | {
        e.MessageAdded: _message,
        e.BodyReplaced: _body,
        e.Compacted: _compacted,
        e.Cleared: _cleared,
        e.Repair: _nothing,
        e.RequestSent: _request,
        e.UsageReported: _nothing,
        e.WindowLearned: _window,
        e.CounterChanged: _counter,
        e.Checkpointed: _checkpoint,
        e.RolledBack: _rolled_back,
        e.Branched: _branched,
        e.RebuildAsked: _rebuild,
        e.Degraded: _nothing,
        e.CompactionUndone: _undone,
    }
)
