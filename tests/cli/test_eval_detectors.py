"""`trimtab eval detectors` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trimtab.cli import main
from trimtab.evals.detectors import LIMITS


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["eval", "detectors", *arguments])
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("arguments", "says"), [((), "--data"), (("--data", "."), "drift/labels.jsonl"), (("--data", ".", "--spliced", "-1"), "--spliced")]
)
def test_what_cannot_be_measured_is_said(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    code, output = run(*(str(tmp_path) if argument == "." else argument for argument in arguments))
    assert code == 2 and says in output


@pytest.mark.data
def test_tables_for_people_end_with_what_the_labels_can_show(data_dir: Path) -> None:
    code, output = run("--data", str(data_dir), "--split", "tune", "--spliced", "3", "--bootstrap", "50")
    assert code == 0, output
    for told in ("tune: 15 traces (9 loop), 195 steps (68 in a loop); base rates", "browser-use", "Trimtab, act", "met their goal"):
        assert told in output
    assert "A-B-A-B" in output and "polling, status unchanged" in output and "[" in output
    assert output.rstrip().endswith(LIMITS[-1])


@pytest.mark.data
def test_json_has_every_figure_and_check_tells_of_floors(data_dir: Path) -> None:
    chosen = ("--data", str(data_dir), "--split", "tune", "--spliced", "0", "--bootstrap", "20")
    code, output = run(*chosen, "--json", "--check")
    found = json.loads(output)
    assert code == (0 if all(floor["holds"] for floor in found["floors"]) else 1)
    assert found["labelled"]["traces"] == 15 and found["kinds"] == [] and len(found["limits"]) == len(LIMITS)
    assert {row["system"] for row in found["labelled"]["rows"]} >= {
        "OpenHands",
        "Gemini CLI",
        "Cline, soft",
        "browser-use",
        "Trimtab, signal",
    }
    good = next(row for row in found["alarms"] if row["system"] == "Trimtab, act" and row["success"])
    assert good["runs"] == 49
