"""Which switch stops which failure: every lapse of every example against every switch alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from course.running import Example, Result, run_example, run_plain
from course.scripted import ScriptedModel
from course.switches import ALL, NONE, SWITCHES

# rows of the table: a plain loop; a session with every switch off; each switch alone; all
ROWS = ("plain", "none", *SWITCHES, "all")


def run_row(make: Callable[[], Example], failure: str, row: str) -> Result:
    """One lapse under one row."""
    example = make()
    model = ScriptedModel(example, (example.faults()[failure],))
    if row == "plain":
        return run_plain(example, model)
    switches = ALL if row == "all" else NONE if row == "none" else frozenset({row})
    return run_example(example, model, switches)


def table(makers: Sequence[Callable[[], Example]], rows: Sequence[str] = ROWS) -> dict[str, dict[str, bool]]:
    """By failure and row: whether it was stopped."""
    return {
        failure: {row: failure not in run_row(make, failure, row).failures for row in rows}
        for make in makers
        for failure in make().faults()
    }
