"""The fold of the task, its steps, and what detectors and verifiers said. What is entered was checked before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from trimtab.core import entries as e
from trimtab.core.drift import MOST_ACTS, MOST_FLAGS
from trimtab.core.state import MOST_REFUSED, SessionState
from trimtab.core.task import FINISHED, Refusal, StepRecord, TaskState


def _task(state: SessionState, seq: int, entry: e.TaskSet) -> None:
    _park(state)
    records = {step.name: StepRecord() for step in entry.steps}
    state.task = TaskState(entry.task_id, entry.goal, entry.steps, records, callers=frozenset(records), given=entry.steps, seq=seq)
    _fresh_start(state)


def _park(state: SessionState) -> None:
    if state.task is not None and not state.task.ended:
        state.parked[state.task.task_id] = _paused(state, state.task)
    state.task = None


def _paused(state: SessionState, task: TaskState) -> TaskState:
    """The task with the rounds of its step so far on record: those until it is resumed are not the step's."""
    active = task.active
    if active is None:
        return task
    record = task.records[active.name]
    spent = record.rounds + state.round - record.begun_round
    return replace(task, records=task.records | {active.name: replace(record, rounds=spent, begun_round=state.round)})


def _fresh_start(state: SessionState) -> None:
    """What was seen of another task says nothing of this one."""
    state.flags, state.acts, state.judged, state.asserted = [], [], None, None


def _plan(state: SessionState, seq: int, entry: e.PlanChanged) -> None:
    if state.task is None:
        return
    records = {step.name: state.task.records.get(step.name, StepRecord()) for step in entry.steps}
    is_callers = entry.author == "caller"
    state.task = replace(
        state.task,
        steps=entry.steps,
        records=records,
        refused=(),
        plan_version=state.task.plan_version + 1,
        callers=frozenset(records) if is_callers else state.task.callers & records.keys(),
        given=entry.steps if is_callers else state.task.given,
    )
    state.judged = None


def _moved(state: SessionState, seq: int, entry: e.StepMoved) -> None:
    task = state.task
    if task is None or entry.step not in task.records:
        return
    record = task.records[entry.step]
    ms = record.ms
    rounds = record.rounds
    if record.status == "active":
        rounds, ms = rounds + state.round - record.begun_round, ms + max(0, entry.at_ms - record.begun_ms)
    if entry.to == "active":
        version = record.version if record.begun else entry.version
        begun = record.begun + 1
        record = replace(record, status="active", begun=begun, begun_round=state.round, begun_ms=entry.at_ms, version=version, seq=seq)
    else:
        version = entry.version if entry.to in FINISHED else record.version
        record = replace(record, status=entry.to, rounds=rounds, ms=ms, version=version, line=entry.why, seq=seq)
    again = {name: replace(task.records[name], status="open", seq=seq) for name in entry.also if name in task.records}
    refused = tuple(row for row in task.refused if row.step != entry.step)
    state.task = replace(task, records=task.records | {entry.step: record} | again, refused=refused)
    state.judged, state.asserted = None, None


def _refused(state: SessionState, seq: int, entry: e.ProposalRefused) -> None:
    if state.task is not None:
        rows = [row for row in state.task.refused if (row.step, row.to) != (entry.step, entry.to)]
        rows.append(Refusal(entry.step, entry.to, entry.reason, seq))
        state.task = replace(state.task, refused=tuple(rows[-MOST_REFUSED:]))


def _noted(state: SessionState, seq: int, entry: e.TaskNoted) -> None:
    if state.task is not None:
        state.task = replace(state.task, missing=entry.missing, risks=entry.risks)


def _ended(state: SessionState, seq: int, entry: e.TaskEnded) -> None:
    if state.task is None:
        return
    if entry.how == "parked":
        _park(state)
    else:
        state.task = replace(_paused(state, state.task), ended=entry.how, line=entry.why)
    _fresh_start(state)


def _resumed(state: SessionState, seq: int, entry: e.TaskResumed) -> None:
    task = state.parked.pop(entry.task_id, None)
    if task is None:
        return
    _park(state)
    active = task.active
    if active is not None:
        record = replace(task.records[active.name], begun_round=state.round)
        task = replace(task, records=task.records | {active.name: record})
    state.task = replace(task, seq=seq)
    _fresh_start(state)


def _acted(state: SessionState, seq: int, entry: e.Acted) -> None:
    state.acts = [*state.acts, *entry.acts][-MOST_ACTS:]
    state.watched_seq = max([state.watched_seq, *(max(act.seq, act.result_seq) for act in entry.acts)])


def _flagged(state: SessionState, seq: int, entry: e.DriftFlagged) -> None:
    gone = {*entry.ended, *(flag.flag_id for flag in entry.flags)}
    kept = [flag for flag in state.flags if flag.flag_id not in gone]
    state.flags = [*kept, *(replace(flag, seq=seq) for flag in entry.flags)][-MOST_FLAGS:]


def _judged(state: SessionState, seq: int, entry: e.Judged) -> None:
    """What a message of the user's is says nothing of the work: the verdict on that stands."""
    if entry.kind != "interruption":
        state.judged = entry


def _asserted(state: SessionState, seq: int, entry: e.Asserted) -> None:
    state.asserted = entry


TASK_FOLDS: dict[type, Callable[[SessionState, int, Any], None]] = {
    e.TaskSet: _task,
    e.PlanChanged: _plan,
    e.StepMoved: _moved,
    e.ProposalRefused: _refused,
    e.TaskNoted: _noted,
    e.TaskEnded: _ended,
    e.TaskResumed: _resumed,
    e.Acted: _acted,
    e.DriftFlagged: _flagged,
    e.Judged: _judged,
    e.Asserted: _asserted,
}
