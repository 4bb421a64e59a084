"""Looping (REQUIREMENTS T9): the same again without anything new, by calls, by cycles of calls, by errors, by words.

Two tiers. Each act that repeats something raises a leaky bucket, each that does not lets it sink; `act` where the bucket is
full, or where one repetition leaves no doubt. What repeats and is legal is left out: polling, paging, batches, steps that
were declared to repeat. Thresholds were chosen on the `tune` half of the labelled traces and on loops spliced into clean
runs, see `trimtab eval detectors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from msgspec.structs import replace

from trimtab.core.drift import Act
from trimtab.steer.seen import Found, Seen

# acts that a repetition is looked for in: of the same call, of the same words
WINDOW, NEAR = 20, 6
# the same call with the same result, so often: the signal, and no doubt
SIGNAL_SAME, ACT_SAME = 2, 3
# the bucket at which it is acted
FULL_BUCKET = 3.0
# repetitions among the newest NEAR acts that are told: one alone is a second look
SIGNAL_REPEATS = 2
# a result with less new text than this says the same again
STALE = 0.4
# likeness of words (Jaccard) from which arguments are a paraphrase
PARAPHRASE = 0.5
# and where the result is the very same
SAME_RESULT_PARAPHRASE = 0.25
# the same error so often, by whatever arguments
SIGNAL_ERRORS, ACT_ERRORS = 3, 4
# the same asked again after so long, and after so many times the pace of the run: somebody waits
LEAST_WAIT_MS, WAIT_RATIO = 20_000, 3.0
# periods of cycles, and how often one has run through
LONGEST_CYCLE, CYCLES = 5, 3


class Looping:
    """Detector: see the module."""

    name, kind = "loops", "looping"

    def look(self, acts: Sequence[Act], view: Seen) -> list[Found]:
        task = view.state.task
        batch = {step.name for step in task.steps if step.batch} if task is not None else set()
        seen = waited([act for act in _since(acts, view.user_seq) if act.step not in batch])
        if not seen or acts[-1].step in batch:
            return []
        found = [row for look in (_same, _cycle, _errors) if (row := look(seen)) is not None]
        found += _stale(_after_change(seen), told=bool(found))
        return [max(found, key=lambda row: row.tier == "act")] if found else []


def _since(acts: Sequence[Act], user_seq: int) -> list[Act]:
    """The newest acts since the user last spoke: what was done before is of another request."""
    return [act for act in acts if act.seq > user_seq][-WINDOW:]


def waited(acts: Sequence[Act]) -> list[Act]:
    """The acts; one that asks the same as the one before, after far more time than the others take, waits for something."""
    gaps = [after.at_ms - before.at_ms for before, after in pairwise(acts)]
    paces = [gap for gap, (before, after) in zip(gaps, pairwise(acts), strict=True) if before.key != after.key]
    least = max(float(LEAST_WAIT_MS), WAIT_RATIO * median(paces)) if paces else float(LEAST_WAIT_MS)
    late = {after.seq for gap, (before, after) in zip(gaps, pairwise(acts), strict=True) if before.key == after.key and gap >= least}
    return [replace(act, pending=True) if act.seq in late else act for act in acts]


def is_paging(act: Act, before: Act) -> bool:
    """The same call at another place, with something new."""
    return act.frame == before.frame and act.key != before.key and act.fresh >= STALE


def _counted(acts: Sequence[Act], newest: Act) -> list[Act]:
    """Acts with the newest one's call and result, each message once."""
    rows = {act.seq: act for act in acts if act.key == newest.key and act.result == newest.result and act.tool == newest.tool}
    return list(rows.values())


def _same(acts: list[Act]) -> Found | None:
    newest = acts[-1]
    if newest.pending:
        return None
    after = _after_change(acts)
    rows = _counted(after, newest)
    if len(rows) < SIGNAL_SAME:
        return None
    what = (
        f"{newest.tool} was called {len(rows)} times with the same arguments and the same result"
        if newest.tool
        else f"the same was said {len(rows)} times"
    )
    return Found("looping", what, _evidence(rows), "act" if len(rows) >= ACT_SAME else "signal")


def _after_change(acts: list[Act]) -> list[Act]:
    """What came after the last thing that changed something that lasts, where that was new itself."""
    for place in range(len(acts) - 2, -1, -1):
        act = acts[place]
        if act.changed and all((act.key, act.result) != (other.key, other.result) for other in acts[:place]):
            return acts[place + 1 :]
    return acts


def _cycle(acts: list[Act]) -> Found | None:
    """A, B, A, B, A, B: the same calls in the same order with the same results."""
    rows = [act for act in acts if act.tool]
    for period in range(2, LONGEST_CYCLE + 1):
        newest = rows[-period * CYCLES :]
        if len(newest) < period * CYCLES or any(act.pending for act in newest):
            continue
        marks = [(act.key, act.result) for act in newest]
        if marks == marks[:period] * CYCLES and len(set(marks[:period])) > 1:
            names = ", ".join(dict.fromkeys(act.tool for act in newest[:period]))
            return Found(
                "looping", f"the same {period} calls ({names}) ran {CYCLES} times in a row with the same results", _evidence(newest), "act"
            )
    return None


def _errors(acts: list[Act]) -> Found | None:
    """The same tool fails the same way whatever it is given; another result of it in between would be headway."""
    newest = acts[-1]
    if not newest.error or newest.pending:
        return None
    rows = []
    for act in reversed(acts):
        if act.tool != newest.tool:
            continue
        if act.error != newest.error:
            break
        rows.append(act)
    rows = list({act.seq: act for act in reversed(rows)}.values())
    if len(rows) < SIGNAL_ERRORS:
        return None
    return Found(
        "looping",
        f"{newest.tool} failed {len(rows)} times in a row the same way ({newest.error[:80]})",
        _evidence(rows),
        "act" if len(rows) >= ACT_ERRORS else "signal",
    )


def _stale(acts: Sequence[Act], *, told: bool) -> list[Found]:
    """Repetitions one by one, whatever else repeats: acted where the bucket is full, told where two are close together."""
    marks = [repeats(act, acts[max(0, place - NEAR) : place]) for place, act in enumerate(acts)]
    level, evidence = bucket(acts, marks)
    if level >= FULL_BUCKET:
        return [Found("looping", f"{len(evidence)} of the last acts repeat earlier ones and bring nothing new", evidence, "act")]
    lately = [act for act, again in zip(acts[-NEAR:], marks[-NEAR:], strict=True) if again]
    if told or len(lately) < SIGNAL_REPEATS or not marks[-1]:
        return []
    return [Found("looping", f"{len(lately)} of the last {NEAR} acts repeat earlier ones and bring nothing new", _evidence(lately))]


def bucket(acts: Sequence[Act], marks: Sequence[bool]) -> tuple[float, tuple[int, ...]]:
    """(level, numbers of the messages that raised it): +1 for an act that is marked as a repetition, -1 for any other, never
    below 0."""
    level, raised = 0.0, list[Act]()
    for act, again in zip(acts, marks, strict=True):
        if again:
            level += 1.0
            raised.append(act)
        else:
            level = max(0.0, level - 1.0)
            raised = raised if level else []
    return level, _evidence(raised)


def repeats(act: Act, before: Sequence[Act]) -> bool:
    """The same call, or nearly the same words to the same tool, and a result that says little new."""
    if act.pending or act.changed:
        return False
    for other in before:
        if other.seq == act.seq or other.tool != act.tool or is_paging(act, other):
            continue
        if act.key == other.key and (act.result == other.result or act.fresh < STALE):
            return True
        alike = SAME_RESULT_PARAPHRASE if act.result == other.result else PARAPHRASE
        if act.fresh < STALE and likeness(act.words, other.words) >= alike:
            return True
    return False


def likeness(first: Sequence[int], second: Sequence[int]) -> float:
    """Jaccard of two sets of words; 0 where one is empty."""
    one, other = set(first), set(second)
    return len(one & other) / len(one | other) if one and other else 0.0


def _evidence(acts: Sequence[Act]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(act.seq for act in acts))
