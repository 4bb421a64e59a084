"""`trimtab eval detectors`: do detectors find loops, and only those."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from trimtab.errors import BadSetting

if TYPE_CHECKING:
    from rich.console import Console

    from trimtab.evals.detectors.run import Alarms, Kind, Labelled, Report
    from trimtab.evals.detectors.runs import Half
    from trimtab.evals.detectors.score import Figure

_FLOOR_MISSED = 1


@click.command("detectors")
@click.option(
    "--data", "folder", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, help="The folder of the data sets."
)
@click.option(
    "--split", type=click.Choice(["tune", "report"]), default="report", show_default=True, help="Which half of traces and spliced runs."
)
@click.option("--spliced", "count", type=click.IntRange(0), default=1_000, help="Spliced runs of each kind; default 1,000, 0 for none.")
@click.option("--bootstrap", "times", type=click.IntRange(0), default=10_000, help="Resamplings of traces; default 10,000.")
@click.option("--jobs", type=click.IntRange(1), default=1, help="Kinds of spliced runs at a time, each in a process of its own.")
@click.option("--check", "is_checked", is_flag=True, help="Exit with 1 where a floor does not hold.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def detectors(folder: Path, split: str, count: int, times: int, jobs: int, is_checked: bool, as_json: bool) -> None:  # noqa: PLR0913
    """Precision and recall of the detectors that watch for loops and tunnels, beside the rules of four agents; no model is asked.

    By step, within one step, and by trace, on traces whose ledgers say "in loop"; false alarms on runs of tau-bench that met
    their goal; and runs with loops or legal repetition spliced in, whose labels are exact. Intervals are of 95 % of resamplings of
    traces. The ledgers' labels are a model's word and mean "no headway": they rank systems on these traces, and show neither how
    often agents loop nor that an alarm helps. Choose thresholds on `tune`, give figures on `report`.
    """
    from trimtab.evals.detectors.run import measure

    try:
        report = measure(folder, cast("Half", split), count, times, jobs)
    except BadSetting as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        click.echo(json.dumps(_json(report), ensure_ascii=False))
    else:
        _print(report)
    if is_checked and not all(floor.holds for floor in report.floors):
        raise SystemExit(_FLOOR_MISSED)


def _json(report: Report) -> dict[str, Any]:
    import msgspec

    from trimtab.evals.detectors import LIMITS

    found: dict[str, Any] = msgspec.to_builtins(report)
    return {**found, "floors": msgspec.to_builtins(report.floors), "limits": list(LIMITS)}


def _print(report: Report) -> None:
    from trimtab.cli.tables import console
    from trimtab.evals.detectors import LIMITS

    out = console()
    _labelled(out, report.labelled)
    _alarms(out, report.alarms)
    if report.kinds:
        _kinds(out, report.kinds)
    for floor in report.floors:
        out.print(f"{'holds ' if floor.holds else 'MISSED'} {floor.what}", highlight=False, markup=False)
    for line in LIMITS:
        out.print(line, highlight=False, markup=False)


def _labelled(out: Console, found: Labelled) -> None:
    from trimtab.cli.tables import make_table
    from trimtab.evals.detectors.score import LEVELS

    base = f"{found.in_loop / found.steps:.3f} by step, {found.looping / found.traces:.3f} by trace"
    title = (
        f"{found.half}: {found.traces} traces ({found.looping} loop), {found.steps} steps ({found.in_loop} in a loop); base rates {base}"
    )
    columns = [f"{level} {name}" for level in LEVELS for name in ("P", "R")]
    table = make_table(title, ["system", "alarms", *columns], left={0})
    for row in found.rows:
        cells = [_told(figures[level]) for level in LEVELS for figures in (row.precision, row.recall)]
        table.add_row(row.system, str(row.alarms), *cells)
    out.print(table)
    table = make_table("F1 of ours over a baseline's, paired over traces", ["ours", "baseline", *LEVELS], left={0, 1})
    for name, other in dict.fromkeys((each.system, each.baseline) for each in found.differences):
        figures = {each.level: each.figure for each in found.differences if (each.system, each.baseline) == (name, other)}
        table.add_row(name, other, *(_told(figures[level], sign="+") for level in LEVELS))
    out.print(table)


def _alarms(out: Console, found: list[Alarms]) -> None:
    from trimtab.cli.tables import make_table

    table = make_table("tau-bench: runs with an alarm", ["system", "met their goal", "share", "did not", "share"], left={0})
    for name in dict.fromkeys(each.system for each in found):
        cells = []
        for each in (each for each in found if each.system == name):
            cells += [f"{each.alarmed} of {each.runs}", f"{each.alarmed / each.runs:.3f}" if each.runs else ""]
        table.add_row(name, *cells)
    out.print(table)


def _kinds(out: Console, found: list[Kind]) -> None:
    from trimtab.cli.tables import make_table

    columns = ["spliced in", "runs", "act tier", "signal", "rounds to the alarm", "alarm before it"]
    for is_loop, title in ((True, "loops: share found"), (False, "legal repetition: share alarmed")):
        table = make_table(title, columns, left={0})
        for kind in (kind for kind in found if kind.is_loop is is_loop):
            shares = [f"{count / kind.runs:.3f}" for count in (kind.found, kind.signaled)]
            delay = "" if kind.delay is None else f"{kind.delay:g}"
            table.add_row(kind.kind, f"{kind.runs:,}", *shares, delay, f"{kind.early / kind.runs:.3f}")
        out.print(table)


def _told(figure: Figure, sign: str = "") -> str:
    if figure.value is None:
        return "-"
    bounds = "" if figure.low is None else f" [{figure.low:{sign}.2f}, {figure.high:{sign}.2f}]"
    return f"{figure.value:{sign}.3f}{bounds}"
