"""`trimtab eval extraction` as a user types it."""

from __future__ import annotations

import json

from click.testing import CliRunner

from trimtab.cli import main


def test_extraction_prints_one_table_a_language_with_goals() -> None:
    result = CliRunner().invoke(main, ["eval", "extraction", "--set", "rules"])
    assert result.exit_code == 0, result.output
    assert "rules, en:" in result.output and "rules, zh:" in result.output and "blind" not in result.output
    assert "0.950" in result.output and "(goal 0)" in result.output


def test_extraction_as_json_has_counts_shares_and_poison() -> None:
    result = CliRunner().invoke(main, ["eval", "extraction", "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert [(found["set"], found["language"]) for found in report["sets"]] == [
        ("rules", "en"),
        ("rules", "zh"),
        ("blind", "en"),
        ("blind", "zh"),
    ]
    rules = report["sets"][0]["rows"][0]
    assert rules["what"] == "rules" and rules["goal_recall"] == 0.95 and rules["goal_precision"] == 0.90
    assert rules["recall"] == rules["found"] / rules["wanted"] and rules["precision"] == rules["right"] / rules["predicted"]
    assert report["poison"]["tool"] == {"texts": 1000, "rules": 0}
    assert report["poison"]["user"]["texts"] == 1000


def test_an_unknown_set_is_refused() -> None:
    assert CliRunner().invoke(main, ["eval", "extraction", "--set", "seen"]).exit_code == 2
