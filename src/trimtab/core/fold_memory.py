"""The fold of what is kept beside the history: rules, notes, items, variables, steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from trimtab.core import entries as e
from trimtab.core.fold_shared import note_ended
from trimtab.core.notes import MetaNote, Variable
from trimtab.core.sharing import origin_group
from trimtab.core.state import (
    MOST_ENDED,
    MOST_ROUTINE_ITEMS,
    MOST_SETTLED,
    MOST_SETTLED_CONFLICTS,
    OPEN_FIELDS,
    ROUTINE_FIELDS,
    MetaContext,
    NoteVersion,
    Pin,
    SessionState,
)
from trimtab.core.summary import PINNED_FIELDS, ItemChanges, SummaryItem


def _instructions(state: SessionState, seq: int, entry: e.InstructionsSet) -> None:
    state.instructions = entry.nodes


def _meta(state: SessionState, seq: int, entry: e.MetaContextSet) -> None:
    state.meta = MetaContext(entry.identity, entry.never, entry.done_when)


def _brief(state: SessionState, seq: int, entry: e.BriefSet) -> None:
    state.brief = entry.text


def _pinned(state: SessionState, seq: int, entry: e.Pinned) -> None:
    state.pins[entry.pin_id] = Pin(entry.pin_id, entry.text, entry.polarity, seq)


def _unpinned(state: SessionState, seq: int, entry: e.Unpinned) -> None:
    state.pins.pop(entry.pin_id, None)
    _end_conflicts(state, {entry.pin_id})


def _note(state: SessionState, seq: int, entry: e.NoteWritten) -> None:
    state.notes[entry.key] = NoteVersion(entry.version, entry.body_id)
    for source in entry.source_ids:
        if source in state.nodes:
            state.concluded[source] = f"note {entry.key!r}"


def _items(state: SessionState, seq: int, entry: e.ItemsChanged) -> None:
    for item_id in (*entry.changes.superseded, *entry.changes.closed):
        item = state.items.get(item_id)
        if item is not None and item.field in OPEN_FIELDS and (item.origin or max(item.source_ids, default=0) <= state.front_seq):
            state.settled = [*state.settled, item][-MOST_SETTLED:]
        if item is not None and item.field in PINNED_FIELDS:
            state.ended = [*state.ended, item.text][-MOST_ENDED:]
    again = {item.text for item in entry.changes.added if item.field in PINNED_FIELDS}
    if again.intersection(state.ended):
        state.ended = [text for text in state.ended if text not in again]
    for item in entry.changes.added:
        if item.author == "agent" and not item.origin:
            state.concluded |= {source: f"item {item.item_id}" for source in item.source_ids if source in state.nodes}
    note_ended(state, (*entry.changes.superseded, *entry.changes.closed))
    change_items(state.items, entry.changes)
    _end_conflicts(state, {*entry.changes.superseded, *entry.changes.closed})


def _end_conflicts(state: SessionState, gone: set[str]) -> None:
    """Nothing stands against a fragment any more where the item itself is gone."""
    if state.conflicts and gone:
        state.conflicts = {name: conflict for name, conflict in state.conflicts.items() if conflict.item_id not in gone}


def _conflict(state: SessionState, seq: int, entry: e.ConflictFound) -> None:
    state.conflicts |= {conflict.conflict_id: conflict for conflict in entry.conflicts if conflict.conflict_id not in state.decided}


def _conflict_settled(state: SessionState, seq: int, entry: e.ConflictSettled) -> None:
    state.conflicts.pop(entry.conflict_id, None)
    state.decided[entry.conflict_id] = entry.keep
    if len(state.decided) > MOST_SETTLED_CONFLICTS:
        del state.decided[next(iter(state.decided))]


def change_items(items: dict[str, SummaryItem], changes: ItemChanges) -> None:
    """Apply changes in place; only active items are kept, and of routine ones only the newest."""
    for item_id in (*changes.superseded, *changes.closed):
        items.pop(item_id, None)
    for item in changes.added:
        items[item.item_id] = item
        if item.field in ROUTINE_FIELDS:
            # what a model or the agent wrote has a measure of its own: many small facts of code must not push it out
            # and so has what came in from elsewhere
            by_code, group = item.author == "code", origin_group(item.item_id)
            same = [
                old.item_id
                for old in items.values()
                if old.field == item.field and (old.author == "code") == by_code and origin_group(old.item_id) == group
            ]
            for item_id in same[:-MOST_ROUTINE_ITEMS]:
                del items[item_id]


def _variable(state: SessionState, seq: int, entry: e.VariableStored) -> None:
    if not entry.body_id and not entry.source_seq:
        state.variables.pop(entry.name, None)
        _versions_anew(state, entry.name)
        return
    # the entry has the fields of the value, in their order
    state.variables[entry.name] = Variable(*msgspec.structs.astuple(entry))


def _versions_anew(state: SessionState, name: str) -> None:
    """The name begins again at version 1: a step that is to make it has nothing older to tell that from."""
    task = state.task
    step = next((row for row in task.steps if row.output == name and task.status(row.name) in ("open", "active")), None) if task else None
    if task is not None and step is not None:
        records = task.records | {step.name: msgspec.structs.replace(task.records[step.name], version=0)}
        state.task = msgspec.structs.replace(task, records=records)


def _meta_note(state: SessionState, seq: int, entry: e.MetaNoted) -> None:
    state.meta_notes.pop(entry.key, None)
    if entry.structures or entry.text:
        state.meta_notes[entry.key] = MetaNote(entry.key, entry.structures, entry.text, entry.source_seq, seq)


def _step(state: SessionState, seq: int, entry: e.StepBegun) -> None:
    if entry.name != state.step:
        state.needs.pop(state.step, None)
    state.step, state.reads, state.step_needs = entry.name, entry.reads, entry.needs


def _need(state: SessionState, seq: int, entry: e.NeedDeclared) -> None:
    if entry.seqs:
        state.needs[entry.by] = sorted({*state.needs.get(entry.by, ()), *entry.seqs})
    else:
        state.needs.pop(entry.by, None)


def _dropped(state: SessionState, seq: int, entry: e.HistoryDropped) -> None:
    live = {unit.key for unit in state.units}
    state.dropped = sorted({*state.dropped, *live.intersection(entry.keys)})


def _scratchpad(state: SessionState, seq: int, entry: e.ScratchpadCleared) -> None:
    state.used_seq = max(state.used_seq, entry.upto_seq)


def _distilled(state: SessionState, seq: int, entry: e.Distilled) -> None:
    state.distilled_seq = max(state.distilled_seq, entry.last_seq)


def _inherited(state: SessionState, seq: int, entry: e.Inherited) -> None:
    state.inherited = (*state.inherited, entry)


def _recalled(state: SessionState, seq: int, entry: e.Recalled) -> None:
    state.recalled = entry


def _indexed(state: SessionState, seq: int, entry: e.Indexed) -> None:
    state.indexed_seq = max(state.indexed_seq, entry.upto_seq)


MEMORY_FOLDS: dict[type, Callable[[SessionState, int, Any], None]] = {
    e.InstructionsSet: _instructions,
    e.MetaContextSet: _meta,
    e.BriefSet: _brief,
    e.Pinned: _pinned,
    e.Unpinned: _unpinned,
    e.NoteWritten: _note,
    e.ItemsChanged: _items,
    e.Recalled: _recalled,
    e.Indexed: _indexed,
    e.VariableStored: _variable,
    e.MetaNoted: _meta_note,
    e.StepBegun: _step,
    e.NeedDeclared: _need,
    e.HistoryDropped: _dropped,
    e.ScratchpadCleared: _scratchpad,
    e.Distilled: _distilled,
    e.Inherited: _inherited,
    e.ConflictFound: _conflict,
    e.ConflictSettled: _conflict_settled,
}
