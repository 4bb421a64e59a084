"""`trimtab eval recall` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trimtab.cli import main


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["eval", "recall", *arguments])
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "--data DIR"),
        (("--data", ".", "--sets", "nonsense"), "one of: locomo"),
        (("--data", ".", "--systems", "nonsense"), "one of: fts5"),
        (("--data", ".", "--sets", "locomo", "--systems", "bm25"), "a folder that holds locomo"),
    ],
)
def test_what_cannot_be_measured_is_said(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    code, output = run(*(str(tmp_path) if argument == "." else argument for argument in arguments))
    assert code == 2 and says in output


def test_without_an_embedder_the_rest_is_measured_and_the_word_is_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    from trimtab.cli import eval_recall

    monkeypatch.setattr("trimtab.recall.embedders.open_embedder", lambda name: None)
    chosen, left_out = eval_recall._systems("")
    assert chosen == ("fts5", "bm25", "words") and left_out == ("f1", "f2", "vectors", "fused", "product")


@pytest.mark.data
def test_a_set_is_measured_for_people_and_for_machines(data_dir: Path, tmp_path: Path) -> None:
    questions = tmp_path / "q.jsonl"
    chosen = ("--data", str(data_dir), "--sets", "madial-en", "--systems", "bm25,fts5")
    code, output = run(*chosen, "--questions", str(questions))
    assert code == 0 and "madial-en: 80 questions, 160 turns" in output and "BM25" in output
    assert len(questions.read_text("utf-8").splitlines()) == 160
    code, output = run(*chosen, "--json", str(tmp_path / "r.json"))
    found = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert code == 0 and [row["system"] for row in found["results"]] == ["bm25", "fts5"]
    assert 0.5 < found["results"][0]["means"]["R@10"] < 0.6
    code, output = run(*chosen, "--check")
    assert code == 2 and "f1, f2 and product" in output
