"""Precision and recall of alarms against labelled steps, and how sure they are.

By step: an alarm at a step that is labelled a loop is right. Within one: an alarm counts as right where the step, or the one
before or after it, is labelled; a labelled step counts as found likewise. By trace: any alarm against any label.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from trimtab.evals.detectors.runs import Trace
from trimtab.evals.recall.measures import spread

LEVELS = ("step", "within one", "trace")
_SEED = 9

# of one trace: for each of LEVELS alarms, right alarms, labels, found labels
Counts: TypeAlias = tuple[int, ...]


class Figure(Struct, frozen=True):
    """A value with the bounds of 95 % of the resamplings; all None where there is nothing to divide by."""

    value: float | None
    low: float | None
    high: float | None


class Row(Struct, frozen=True):
    """What a system is worth: by level precision, recall and F1; `alarms` steps."""

    system: str
    alarms: int
    precision: dict[str, Figure]
    recall: dict[str, Figure]
    f1: dict[str, Figure]


class Difference(Struct, frozen=True):
    """By how much the F1 of one system is above another's at a level, paired over traces."""

    system: str
    baseline: str
    level: str
    figure: Figure


def at_steps(trace: Trace, alarms: Sequence[bool]) -> list[bool]:
    """Whether there was an alarm in the rounds since the step before; where none were, at the last one.

    Args:
        alarms: by round.
    """
    found, before = [], 0
    for step in trace.steps:
        since = alarms[min(before, max(step.rounds - 1, 0)) : step.rounds]
        found.append(any(since))
        before = step.rounds
    return found


def counts(trace: Trace, alarms: Sequence[bool]) -> Counts:
    """Of one trace."""
    fired = at_steps(trace, alarms)
    labels = [step.in_loop for step in trace.steps]
    wide_fired, wide_labels = _widened(fired), _widened(labels)
    return (
        *(sum(fired), _both(fired, labels), sum(labels), _both(fired, labels)),
        *(sum(fired), _both(fired, wide_labels), sum(labels), _both(wide_fired, labels)),
        *(int(any(fired)), int(any(fired) and any(labels)), int(any(labels)), int(any(fired) and any(labels))),
    )


def _widened(marks: Sequence[bool]) -> list[bool]:
    return [any(marks[max(n - 1, 0) : n + 2]) for n in range(len(marks))]


def _both(one: Sequence[bool], other: Sequence[bool]) -> int:
    return sum(a and b for a, b in zip(one, other, strict=True))


def precision(total: Counts, level: int) -> float | None:
    return _share(total[level * 4 + 1], total[level * 4])


def recall(total: Counts, level: int) -> float | None:
    return _share(total[level * 4 + 3], total[level * 4 + 2])


def f1(total: Counts, level: int) -> float | None:
    """Harmonic mean of the two; 0 for no right alarm, None where there is nothing to find."""
    p, r = precision(total, level), recall(total, level)
    if r is None:
        return None
    return 2 * p * r / (p + r) if p is not None and p + r > 0 else 0.0


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _total(rows: Sequence[Counts]) -> Counts:
    return tuple(map(sum, zip(*rows, strict=True)))


def score(
    by_system: Mapping[str, Sequence[Counts]], baselines: Sequence[str], mine: Sequence[str], times: int = 10_000
) -> tuple[list[Row], list[Difference]]:
    """Rows of all systems, and the differences of ours to the baselines.

    Traces are drawn with replacement, the same ones for all systems.

    Args:
        by_system: counts of each trace, in one order of traces.
        times: resamplings; 0 for no bounds.
    """
    number = len(next(iter(by_system.values())))
    rng = random.Random(_SEED)
    draws = [rng.choices(range(number), k=number) for _ in range(times)]
    whole = {name: _total(rows) for name, rows in by_system.items()}
    drawn = {name: [_total([rows[n] for n in draw]) for draw in draws] for name, rows in by_system.items()}
    found = []
    for name in by_system:
        parts = [
            {level: _figure(measure, whole[name], drawn[name], place) for place, level in enumerate(LEVELS)}
            for measure in (precision, recall, f1)
        ]
        found.append(Row(name, whole[name][0], *parts))
    return found, [
        Difference(name, other, level, _difference(whole, drawn, name, other, place))
        for name in mine
        for other in baselines
        for place, level in enumerate(LEVELS)
    ]


def _figure(measure: Callable[[Counts, int], float | None], whole: Counts, drawn: Sequence[Counts], place: int) -> Figure:
    value = measure(whole, place)
    return _bounded(value, [each for total in drawn if (each := measure(total, place)) is not None])


def _difference(whole: Mapping[str, Counts], drawn: Mapping[str, Sequence[Counts]], name: str, other: str, place: int) -> Figure:
    mine, theirs = f1(whole[name], place), f1(whole[other], place)
    pairs = ((f1(a, place), f1(b, place)) for a, b in zip(drawn[name], drawn[other], strict=True))
    values = [a - b for a, b in pairs if a is not None and b is not None]
    return _bounded(None if mine is None or theirs is None else mine - theirs, values)


def _bounded(value: float | None, values: Sequence[float]) -> Figure:
    if value is None or not values:
        return Figure(value, None, None)
    return Figure(value, *spread(values))
