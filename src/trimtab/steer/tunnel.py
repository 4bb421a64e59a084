"""Tunnel vision (REQUIREMENTS T9): one step takes far more rounds or time than planned or than others took, and nothing
that lasts comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from trimtab.core.drift import Act
from trimtab.core.task import FINISHED, StepRecord, TaskState
from trimtab.steer.seen import Found, Seen

# rounds of a step: at least so many are given; so many times the median of finished steps, or what the plan says
LEAST_ROUNDS, OF_MEDIAN, OF_PLAN = 6, 3.0, 2.0
# twice the budget, and no lasting change in so many acts: acted
OVER, IDLE_ACTS = 2.0, 8
_LEAST_FINISHED, _LEAST_MS = 2, 600_000


class Tunnel:
    """Detector: see the module."""

    name, kind = "tunnel", "tunnel"

    def look(self, acts: Sequence[Act], view: Seen) -> list[Found]:
        task = view.state.task
        step = task.active if task is not None else None
        if task is None or step is None or step.batch:
            return []
        record = task.records[step.name]
        rounds = record.rounds + view.state.round - record.begun_round
        budget = budget_of(task, step.rounds)
        own = [act for act in acts if act.step == step.name]
        newest = tuple(dict.fromkeys(act.seq for act in own))[-IDLE_ACTS:]
        if not newest:
            return []
        idle = len(own) >= IDLE_ACTS and not any(act.changed for act in own[-IDLE_ACTS:])
        if rounds > budget:
            tier = "act" if idle and rounds > OVER * budget else "signal"
            return [
                Found(
                    "tunnel",
                    f"step {step.name!r} has taken {rounds} rounds, more than the {budget:.0f} that are allowed for it",
                    newest,
                    "act" if tier == "act" else "signal",
                )
            ]
        over_ms = _over_ms(task, record, own[-1].at_ms)
        return (
            [Found("tunnel", f"step {step.name!r} has taken {over_ms // 60_000} minutes, far more than the others", newest)]
            if over_ms and idle
            else []
        )


def budget_of(task: TaskState, planned: int) -> float:
    """Rounds that a step may take before it is told."""
    if planned:
        return max(float(LEAST_ROUNDS), OF_PLAN * planned)
    rounds = [record.rounds for record in task.records.values() if record.status in FINISHED and record.rounds]
    return max(float(LEAST_ROUNDS), OF_MEDIAN * median(rounds)) if len(rounds) >= _LEAST_FINISHED else 2.0 * LEAST_ROUNDS


def _over_ms(task: TaskState, record: StepRecord, now_ms: int) -> int:
    """Milliseconds that the step has taken where that is far over the others; else 0."""
    spent = record.ms + now_ms - record.begun_ms if record.begun_ms else 0
    others = [other.ms for other in task.records.values() if other.status in FINISHED and other.ms]
    return spent if len(others) >= _LEAST_FINISHED and spent > max(_LEAST_MS, OF_MEDIAN * OVER * median(others)) else 0
