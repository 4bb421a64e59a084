"""`trimtab eval recall`: does recall find the turns that answer, on labelled conversations."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from trimtab.errors import BadSetting

if TYPE_CHECKING:
    from trimtab.evals.recall.compare import Difference, Verdict
    from trimtab.evals.recall.episodes import Split
    from trimtab.evals.recall.run import Embedded, Outcome, Plan

# measures that people are shown, by heading; JSON has all of them
_COLUMNS = {
    "R@5": "R@5",
    "R@10": "R@10",
    "R@20": "R@20",
    "hit@5": "hit@5",
    "all@10": "all@10",
    "NDCG@10": "NDCG@10",
    "in 1k": "evidence 1k",
    "in 2k": "evidence 2k",
    "S hit@5": "session hit@5",
    "S R@10": "session R@10",
    "S NDCG@10": "session NDCG@10",
}
_FLOOR_MISSED = 1


@click.command("recall")
@click.option("--data", "folder", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The folder of the data sets.")
@click.option("--sets", default="", help="Which, with commas between them; default all.")
@click.option("--split", type=click.Choice(["tune", "report", "all"]), default="report", help="Which half; default report.")
@click.option("--systems", default="", help="Which, with commas between them; default all that can run.")
@click.option("--json", "json_file", is_flag=False, flag_value="-", help="As JSON, to a file if one is named.")
@click.option("--questions", "questions_file", type=click.Path(dir_okay=False, path_type=Path), help="Write a line of JSON a question.")
@click.option("--vectors", "vectors", type=click.Path(dir_okay=False), help="Keep vectors in this file from run to run.")
@click.option("--jobs", type=click.IntRange(1), default=1, help="Measurements at a time, each in a process of its own.")
@click.option("--bootstrap", "times", type=click.IntRange(0), default=0, help="Resamplings for Trimtab against F2.")
@click.option("--check", "is_checked", is_flag=True, help="Exit with 1 where Trimtab is below the better of F1 and F2.")
@click.option("--confusable", "confusable_file", type=click.Path(exists=True, path_type=Path), help="Measure this confusable set instead.")
@click.option("--prompt", "in_prompt", is_flag=True, help="Measure instead whether evidence stands in the prompt (LoCoMo).")
def recall(  # noqa: PLR0913 - one a command-line option
    folder: Path | None,
    sets: str,
    split: str,
    systems: str,
    json_file: str | None,
    questions_file: Path | None,
    vectors: str | None,
    jobs: int,
    times: int,
    is_checked: bool,
    confusable_file: Path | None,
    in_prompt: bool,
) -> None:
    """Whether the turns that answer a question are found, beside BM25, FTS5 and two fixed fusions; no model is asked.

    The data sets are not in the package. R@k is the share of the gold turns among the first k, "in 1k" and "in 2k" within so
    many tokens, "S" of sessions. CPU in milliseconds, a turn and a question, and peak memory are without the embedder. Floors are
    the better of the two fixed rules in the same run.
    """
    from trimtab.evals.recall.run import Plan, embed_all, measure_all

    try:
        if confusable_file is not None:
            _confusable(confusable_file, json_file)
            return
        if folder is None:
            raise click.UsageError("name the folder of the data sets: --data DIR")
        if in_prompt:
            _in_prompt(folder, cast("Split", split), json_file)
            return
        with tempfile.TemporaryDirectory() as temporary:
            chosen, left_out = _systems(systems)
            kept = vectors or str(Path(temporary) / "vectors.db")
            plan = Plan(folder, cast("Split", split), _sets(sets), chosen, kept, jobs)
            embedded = embed_all(plan)
            outcomes = list(_told(measure_all(plan), json_file))
    except BadSetting as error:
        raise click.UsageError(str(error)) from error
    _report(plan, outcomes, embedded, left_out, json_file, times)
    if questions_file is not None:
        questions_file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in _questions(outcomes)), "utf-8")
    if is_checked:
        _check(outcomes)


def _sets(named: str) -> tuple[str, ...]:
    from trimtab.evals.recall.sets import SETS

    chosen = tuple(filter(None, map(str.strip, named.split(",")))) or SETS
    for name in chosen:
        if name not in SETS:
            raise BadSetting("sets", name, f"one of: {', '.join(SETS)}")
    return chosen


def _systems(named: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(systems to measure, systems that are left out as no embedder is installed)."""
    from trimtab.evals.recall.systems import SYSTEMS, entry
    from trimtab.recall.embedders import open_embedder

    chosen = tuple(filter(None, map(str.strip, named.split(",")))) or tuple(SYSTEMS)
    needing = tuple(name for name in chosen if entry(name).needs_vectors)
    left_out = needing if open_embedder("auto") is None else ()
    return tuple(name for name in chosen if name not in left_out), left_out


def _told(outcomes: Iterator[Outcome], json_file: str | None) -> Iterator[Outcome]:
    for outcome in outcomes:
        if json_file is None:
            click.echo(f"measured {outcome.system} on {outcome.data_set}", err=True)
        yield outcome


def _check(outcomes: Sequence[Outcome]) -> None:
    from trimtab.evals.recall.compare import verdicts

    found = verdicts(outcomes)
    if not found:
        raise click.UsageError("nothing to check: that takes the systems f1, f2 and product, and an embedder")
    if not all(verdict.holds for verdict in found):
        raise SystemExit(_FLOOR_MISSED)


# ------------------------------------------------------------ the report


def _report(
    plan: Plan, outcomes: Sequence[Outcome], embedded: tuple[Embedded, Embedded], left_out: Sequence[str], json_file: str | None, times: int
) -> None:
    from trimtab.evals.recall.compare import bootstrap, verdicts

    differences = bootstrap(outcomes, times) if times else []
    found = verdicts(outcomes) if plan.split == "report" else []
    if json_file is None:
        _print(outcomes, found, differences)
        for costs, what in zip(embedded, ("a text of a turn", "a question"), strict=True):
            if costs.texts:
                click.echo(f"embedder: {costs.ms_a_text:.1f} ms of CPU {what} ({costs.texts:,} made)")
        if left_out:
            click.echo(f"left out, as no embedder is installed (pip install 'trimtab[local]'): {', '.join(left_out)}")
        return
    _write(
        json_file,
        {
            "split": plan.split,
            "results": [_json(outcome) for outcome in outcomes],
            "verdicts": [_json_verdict(verdict) for verdict in found],
            "differences": [_fields(difference) for difference in differences],
            "embedder": {what: _fields(costs) for what, costs in zip(("turns", "questions"), embedded, strict=True)},
            "left_out": list(left_out),
        },
    )


def _write(json_file: str, found: Any) -> None:
    text = json.dumps(found, ensure_ascii=False)
    if json_file == "-":
        click.echo(text)
    else:
        Path(json_file).write_text(text + "\n", "utf-8")


def _fields(found: Any) -> dict[str, Any]:
    from msgspec.structs import asdict

    return asdict(found)


def _json(outcome: Outcome) -> dict[str, Any]:
    by_category = {name: {"questions": count, **means} for name, (count, means) in outcome.by_category.items()}
    return {
        "set": outcome.data_set,
        "system": outcome.system,
        "questions": len(outcome.rows),
        "means": outcome.means,
        "by_category": by_category,
        "costs": _fields(outcome.costs),
    }


def _json_verdict(verdict: Verdict) -> dict[str, Any]:
    return {**_fields(verdict), "holds": verdict.holds}


def _questions(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    for outcome in outcomes:
        for row in outcome.rows:
            yield {"set": outcome.data_set, "system": outcome.system, **_fields(row)}


def _print(outcomes: Sequence[Outcome], found: Sequence[Verdict], differences: Sequence[Difference]) -> None:
    from trimtab.cli.tables import console, make_table
    from trimtab.evals.recall.systems import entry

    out = console()
    for data_set in dict.fromkeys(outcome.data_set for outcome in outcomes):
        of_set = [outcome for outcome in outcomes if outcome.data_set == data_set]
        title = f"{data_set}: {len(of_set[0].rows)} questions, {of_set[0].costs.turns:,} turns"
        table = make_table(title, ["system", *_COLUMNS, "index ms", "query ms", "MB"], left={0})
        for outcome in of_set:
            means, costs = outcome.means, outcome.costs
            shares = [_share(means[name]) for name in _COLUMNS.values()]
            table.add_row(entry(outcome.system).label, *shares, f"{costs.index_ms:.2f}", f"{costs.query_ms:.1f}", f"{costs.peak_mb:.0f}")
        out.print(table)
        categories = of_set[0].by_category
        if len(categories) > 1:
            columns = [f"{name} ({count})" for name, (count, _) in categories.items()]
            table = make_table(f"{data_set}: R@10 by category (questions)", ["system", *columns], left={0})
            for outcome in of_set:
                table.add_row(entry(outcome.system).label, *(_share(means["R@10"]) for _, means in outcome.by_category.values()))
            out.print(table)
    for verdict in found:
        state = "holds" if verdict.holds else "MISSED"
        goal = "reached" if verdict.value >= verdict.goal else "not reached"
        line = f"{verdict.data_set} {verdict.measure}: {_share(verdict.value)}, floor {_share(verdict.floor)} {state}, goal {_share(verdict.goal)} {goal}"
        out.print(line, highlight=False)
    for each in differences:
        line = f"{each.data_set} {each.measure}: {each.better} over {each.other} {each.mean:+.3f} [{each.low:+.3f}, {each.high:+.3f}]"
        out.print(line, highlight=False, markup=False)


def _share(value: float) -> str:
    return f"{value:.3f}"


# ------------------------------------------------------------ the other two measurements


def _confusable(path: Path, json_file: str | None) -> None:
    from trimtab.cli.tables import console, make_table
    from trimtab.evals.recall.confusable import confusable
    from trimtab.recall.embedders import open_embedder

    embedder = open_embedder("auto")
    if embedder is None:
        raise click.UsageError("this compares with vectors, which need an embedder: pip install 'trimtab[local]'")
    report = confusable(path, embedder)
    if json_file is not None:
        _write(json_file, _fields(report) | {"rows": [_fields(row) for row in report.rows], "recall_holds": report.recall_holds})
        return
    columns = ["", "precision@3", "of what can be had", *report.rows[0].recall]
    table = make_table(f"{path.name}: {report.turns} turns, {report.questions} questions", columns, left={0})
    for row in report.rows:
        table.add_row(row.system, _share(row.precision), _share(row.reachable), *map(_share, row.recall.values()))
    out = console()
    out.print(table)
    out.print(f"precision@3 is gold among the first 3, divided by 3; as some questions have 2, at most {_share(report.ceiling)}.")
    out.print("'of what can be had' divides by the number of gold turns where that is less than 3.")
    for name, (alone, whole) in (("1 - precision@3", report.errors), ("1 - what can be had", report.reachable_errors)):
        ratio = f"{whole / alone:.2f} of it" if alone else "nothing to halve"
        out.print(f"{name}: {_share(alone)} by vectors alone, {_share(whole)} with tags: {ratio} (goal at most 0.50)", highlight=False)
    out.print(f"recall@3, 5 and 10 equal or better: {'yes' if report.recall_holds else 'NO'}")


def _in_prompt(folder: Path, split: Split, json_file: str | None) -> None:
    from trimtab.cli.tables import console, make_table
    from trimtab.evals.recall.prompts import prompts
    from trimtab.evals.recall.sets import load

    rows = list(prompts(load("locomo", folder, split)))
    if json_file is not None:
        _write(json_file, [_fields(row) for row in rows])
        return
    title = f"LoCoMo, {split}: evidence word for word in the prompt, {rows[0].questions} questions"
    table = make_table(title, ["history tokens", "mode", "all of it", "share of it", "tokens sent", "seconds"], left={1})
    for row in rows:
        sent = f"{row.tokens:,.0f}"
        table.add_row(f"{row.history_tokens:,}", row.mode, _share(row.whole), _share(row.share), sent, f"{row.seconds:.0f}")
    console().print(table)
