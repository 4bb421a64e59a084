"""`trimtab eval`: measurements of this package's own parts on labelled data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli.eval_detectors import detectors
from trimtab.cli.eval_recall import recall

if TYPE_CHECKING:
    from trimtab.evals.extraction import Half, Language, Row


@click.group("eval")
def command() -> None:
    """Measure parts of Trimtab on labelled data: some ships with it, some is named by its folder."""


command.add_command(recall)
command.add_command(detectors)


@command.command("extraction")
@click.option("--set", "chosen", type=click.Choice(["blind", "rules", "all"]), default="all", help="Which half; default both.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def extraction(chosen: str, as_json: bool) -> None:
    """Precision and recall of the rules, decisions and values found in labelled turns, English and Chinese.

    The blind half was written without sight of the rules that are measured. Goals stand beside the figures. The last
    lines count rules that came out of poisoned tool results and user messages; there should be none.
    """
    from trimtab.evals.extraction import HALVES, LANGUAGES, changes_of, poisoned_texts, rows, rules_from_poison, score_turn, turns

    halves = [half for half in HALVES if chosen in (half, "all")]
    results: list[tuple[Half, Language, int, list[Row]]] = []
    for half in halves:
        for language in LANGUAGES:
            of_turns = [score_turn(turn, changes_of(turn)) for turn in turns(half, language)]
            results.append((half, language, len(of_turns), rows(of_turns)))
    poison = {role: {"texts": sum(1 for _ in poisoned_texts(role)), "rules": len(rules_from_poison(role))} for role in ("tool", "user")}
    if as_json:
        click.echo(json.dumps({"sets": [_json_set(*result) for result in results], "poison": poison}))
        return
    _print(results, poison)


@command.command("survival")
@click.option(
    "--data", "folder", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, help="BEAM's folder of one size."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def survival_of_rules(folder: Path, as_json: bool) -> None:
    """Whether what a user once laid down still stands in 1,000 tokens of rules, on conversations of BEAM.

    A question counts where the turns it rests on gave an item that is still active and visible.
    """
    from trimtab.evals.extraction.survival import GOALS, MAX_TOKENS, survival

    try:
        report = survival(folder)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    found: list[dict[str, Any]] = [
        {
            "category": row.category,
            "questions": row.questions,
            "ranked": row.ranked / row.questions if row.questions else None,
            "visible": row.visible / row.questions if row.questions else None,
            "goal": GOALS[row.category],
            "without_limit": row.found / row.questions if row.questions else None,
        }
        for row in report.rows
    ]
    if as_json:
        click.echo(json.dumps({"conversations": report.conversations, "mean_tokens": report.mean_tokens, "rows": found}))
        return
    for line in found:
        click.echo(
            f"{line['category']}: {line['questions']} questions, visible within {MAX_TOKENS:,} tokens "
            f"{_share(line['ranked'])} ranked by the question, {_share(line['visible'])} newest first "
            f"(goal {line['goal']}), without a limit {_share(line['without_limit'])}"
        )
    click.echo(f"{report.conversations} conversations, {report.mean_tokens:,.0f} tokens of rules and preferences each")


def _json_set(half: str, language: str, count: int, found: list[Row]) -> dict[str, Any]:
    return {"set": half, "language": language, "turns": count, "rows": [_json_row(row) for row in found]}


def _json_row(row: Row) -> dict[str, Any]:
    goal_recall, goal_precision = row.goals
    return {
        "what": row.what,
        "wanted": row.wanted,
        "found": row.found,
        "recall": row.recall,
        "goal_recall": goal_recall,
        "predicted": row.predicted,
        "right": row.right,
        "precision": row.precision,
        "goal_precision": goal_precision,
    }


def _print(results: list[tuple[Half, Language, int, list[Row]]], poison: dict[str, dict[str, int]]) -> None:
    from trimtab.cli.tables import console, make_table

    out = console()
    for half, language, count, found in results:
        title = f"{half}, {language}: {count} turns"
        table = make_table(title, ["what", "wanted", "recall", "goal", "found items", "precision", "goal"], left={0})
        for row in found:
            goal_recall, goal_precision = row.goals
            table.add_row(
                row.what,
                str(row.wanted),
                _share(row.recall),
                _share(goal_recall),
                str(row.predicted) if row.predicted else "",
                _share(row.precision),
                _share(goal_precision),
            )
        out.print(table)
    for role, counts in poison.items():
        out.print(f"poisoned texts, role {role}: {counts['texts']}; rules made of them: {counts['rules']} (goal 0)")


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
