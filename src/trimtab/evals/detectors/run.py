"""All measurements of detectors, and which floors hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from statistics import median

from msgspec import Struct

from trimtab.core.drift import Tier
from trimtab.evals.detectors.baselines import BASELINES, always
from trimtab.evals.detectors.legal import LEGAL
from trimtab.evals.detectors.loops import LOOPS
from trimtab.evals.detectors.runs import Half, Run, Trace, taubench, traces
from trimtab.evals.detectors.score import Difference, Row, counts, score
from trimtab.evals.detectors.splice import spliced
from trimtab.evals.detectors.watch import NO_HEADWAY, Noticed, watched

SIGNAL, ACT, STANDING, BASE = "Trimtab, signal", "Trimtab, act", "Trimtab, flag stands", "always (base rate)"
# floors: of the signal tier by trace; of successful runs at the act tier; of spliced runs, kind by kind
TRACE_PRECISION, TRACE_RECALL, SUCCESSES_ALARMED = 0.85, 0.60, 0.03
GOAL_PRECISION, GOAL_RECALL = 0.90, 0.75
LOOPS_FOUND, LEGAL_ALARMED = 0.95, 0.02


class Labelled(Struct, frozen=True):
    """Figures on the labelled traces of one half."""

    half: Half
    traces: int
    looping: int
    steps: int
    in_loop: int
    rows: list[Row]
    differences: list[Difference]


class Alarms(Struct, frozen=True):
    """Runs of one outcome, and how many of them a system alarmed."""

    system: str
    success: bool
    runs: int
    alarmed: int


class Kind(Struct, frozen=True):
    """Spliced runs of one kind.

    Attributes:
        found: with an alarm at the act tier within the spliced rounds.
        early: with one before them: that is a false one.
        signaled: with any alarm within the spliced rounds.
        delay: median of the rounds from the first spliced one to the alarm, that one included; None for none found.
    """

    kind: str
    is_loop: bool
    runs: int
    found: int
    early: int
    signaled: int
    delay: float | None

    @property
    def holds(self) -> bool:
        share = self.found / self.runs
        return share >= LOOPS_FOUND if self.is_loop else share <= LEGAL_ALARMED


class Floor(Struct, frozen=True):
    """Something that must hold."""

    what: str
    holds: bool


# ---------------------------------------------------------------- labelled traces


def labelled(data: Path, half: Half, times: int) -> Labelled:
    """The product beside the baselines on the labelled traces.

    Args:
        times: resamplings.

    Raises:
        BadSetting: the traces are not in the folder.
    """
    found = traces(data, half)
    by_system = {name: [counts(trace, rule(trace.run)) for trace in found] for name, rule in BASELINES.items()}
    by_system[BASE] = [counts(trace, always(trace.run)) for trace in found]
    noticed = [watched(trace.run, NO_HEADWAY) for trace in found]
    mine = {
        SIGNAL: [_found(each, ("signal", "act")) for each in noticed],
        ACT: [_found(each, ("act",)) for each in noticed],
        STANDING: [[bool(one.flags) for one in each] for each in noticed],
    }
    by_system |= {name: [counts(trace, fired) for trace, fired in zip(found, rows, strict=True)] for name, rows in mine.items()}
    rows, differences = score(by_system, list(BASELINES), (SIGNAL, ACT), times)
    steps = [step for trace in found for step in trace.steps]
    return Labelled(half, len(found), _looping(found), len(steps), sum(step.in_loop for step in steps), rows, differences)


def _looping(found: Sequence[Trace]) -> int:
    return sum(trace.loops for trace in found)


def _found(noticed: Sequence[Noticed], tiers: Sequence[Tier]) -> list[bool]:
    return [any(row.tier in tiers for row in each.found) for each in noticed]


# ---------------------------------------------------------------- successful runs


def alarms(runs: Sequence[Run]) -> list[Alarms]:
    """How many runs each system alarms, those that met their goal and those that did not. Ours with detectors of every kind."""
    fired = {name: [any(rule(run)) for run in runs] for name, rule in BASELINES.items()}
    noticed = [watched(run) for run in runs]
    fired[SIGNAL] = [any(each.flags for each in one) for one in noticed]
    fired[ACT] = [_is_acted(one) for one in noticed]
    found = []
    for name, marks in fired.items():
        for success in (True, False):
            chosen = [mark for run, mark in zip(runs, marks, strict=True) if run.success is success]
            found.append(Alarms(name, success, len(chosen), sum(chosen)))
    return found


def _is_acted(noticed: Iterable[Noticed]) -> bool:
    return any(flag.tier == "act" for each in noticed for flag in each.flags)


# ---------------------------------------------------------------- spliced runs


def kinds(count: int, bases: Sequence[Run], half: Half = "report", jobs: int = 1) -> Iterator[Kind]:
    """Every kind of spliced run, so many of each, in the order of LOOPS and LEGAL. The halves are drawn from other seeds."""
    names = [*LOOPS, *LEGAL]
    if jobs == 1:
        for name in names:
            yield of_kind(name, count, bases, half)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(of_kind, names, repeat(count), repeat(bases), repeat(half))


def of_kind(name: str, count: int, bases: Sequence[Run], half: Half = "report") -> Kind:
    """So many runs of one kind. In loops an alarm counts within the loop, in legal repetition from its start on."""
    is_loop = name in LOOPS
    found = early = signaled = 0
    delays = []
    for number in range(count):
        one = spliced(name, number, bases, half)
        noticed = watched(one.run, NO_HEADWAY)
        end = one.end if is_loop else len(noticed)
        acted = [n for n in range(one.begin, end) if any(flag.tier == "act" for flag in noticed[n].flags)]
        found += bool(acted)
        early += _is_acted(noticed[: one.begin])
        signaled += any(each.flags for each in noticed[one.begin : end])
        delays += [acted[0] - one.begin + 1] if acted else []
    return Kind(name, is_loop, count, found, early, signaled, median(delays) if delays else None)


# ---------------------------------------------------------------- floors


class Report(Struct, frozen=True):
    """All that was measured."""

    labelled: Labelled
    alarms: list[Alarms]
    kinds: list[Kind]

    @property
    def floors(self) -> list[Floor]:
        return list(_floors(self))


def _floors(report: Report) -> Iterator[Floor]:
    row = next(row for row in report.labelled.rows if row.system == SIGNAL)
    precise, recalled = row.precision["trace"].value, row.recall["trace"].value
    yield Floor(
        f"trace precision {_told(precise)} >= {TRACE_PRECISION:.2f} at trace recall {_told(recalled)} >= {TRACE_RECALL:.2f}",
        (precise or 0) >= TRACE_PRECISION and (recalled or 0) >= TRACE_RECALL,
    )
    for each in report.labelled.differences:
        if each.system == SIGNAL and each.level == "trace":
            value = each.figure.value
            yield Floor(f"trace F1 {_signed(value)} against {each.baseline} >= 0", value is not None and value >= 0)
    good = next(each for each in report.alarms if each.system == ACT and each.success)
    share = good.alarmed / good.runs if good.runs else 0.0
    yield Floor(f"successful runs alarmed at the act tier {share:.3f} <= {SUCCESSES_ALARMED:.2f}", share <= SUCCESSES_ALARMED)
    for kind in report.kinds:
        bound = f"found {kind.found / kind.runs:.3f} >= {LOOPS_FOUND:.2f}"
        if not kind.is_loop:
            bound = f"alarmed {kind.found / kind.runs:.3f} <= {LEGAL_ALARMED:.2f}"
        yield Floor(f"spliced, {kind.kind}: {bound}", kind.holds)


def _told(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _signed(value: float | None) -> str:
    return "none" if value is None else f"{value:+.3f}"


def measure(data: Path, half: Half, count: int, times: int, jobs: int = 1) -> Report:
    """Everything.

    Args:
        data: the folder of the data sets.
        count: spliced runs of each kind; 0 for none.
        times: resamplings.

    Raises:
        BadSetting: data sets are not in the folder.
    """
    runs = taubench(data)
    bases = [run for run in runs if run.success]
    return Report(labelled(data, half, times), alarms(runs), list(kinds(count, bases, half, jobs)) if count else [])
