"""The commands as a user types them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner, Result

from trimtab.cli import main
from trimtab.cli.demo import RUNS
from trimtab.cli.show import WHY, first_words
from trimtab.cli.transcript import CONSTRAINTS, FACT, SYSTEM, TOOLS, demo_rounds
from trimtab.core.plan import Reason
from trimtab.settings import MODES

LINE_KEYS = ["round", "raw_tokens", "prompt_tokens", "budget_tokens", "sections", "cuts", "common_prefix_tokens", "ms"]


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def lines(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """The first nine rounds of the demo as a request body."""
    messages = [message for new in demo_rounds()[:9] for message in new]
    path = tmp_path / "leads.json"
    path.write_text(json.dumps({"messages": [{"role": "system", "content": SYSTEM}, *messages], "tools": TOOLS}), "utf-8")
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(json.dumps([{"role": "user", "content": "What is 2 + 2?"}, {"role": "assistant", "content": "4"}]), "utf-8")
    return path


def refused(result: Result, *words: str) -> None:
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    for word in words:
        assert word in result.stderr


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from trimtab.cli import main; main(['--help'], standalone_mode=False); "
        "print(sorted(set(sys.modules) & {'trimtab.session', 'trimtab.stores.sqlite', 'rich.table', 'splintr', 'asyncio'}))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "demo" in output and "run" in output and "show" in output
    assert output.splitlines()[-1] == "[]"


def test_an_unknown_command_is_refused() -> None:
    refused(call("steer"), "steer")


def test_run_prints_one_line_a_request(history: Path) -> None:
    rows = lines(call("run", history, "--mode", "compact", "--window", 32_000, "--layout", "cache_first", "--json"))
    assert [row["round"] for row in rows] == list(range(1, 10))
    assert [list(row) for row in rows] == [LINE_KEYS] * 9
    assert all(0 < row["prompt_tokens"] <= row["budget_tokens"] < 32_000 for row in rows)
    raw = [row["raw_tokens"] for row in rows]
    assert raw == sorted(raw) and raw[-1] > 15_000
    assert rows[0]["common_prefix_tokens"] == 0
    assert all(0 <= row["common_prefix_tokens"] <= row["prompt_tokens"] for row in rows)
    assert any(row["cuts"] for row in rows)


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "none"])
def test_run_knows_every_mode(history: Path, mode: str) -> None:
    assert len(lines(call("run", history, "--mode", mode, "--json"))) == 9


@pytest.mark.parametrize("wire", ["openai_responses", "anthropic"])
def test_run_renders_for_another_wire(history: Path, wire: str) -> None:
    assert len(lines(call("run", history, "--wire", wire, "--model", "gpt-4o", "--json"))) == 9


def test_run_prints_a_table(small: Path) -> None:
    result = call("run", small)
    assert result.exit_code == 0
    assert "round" in result.stdout and "prompt" in result.stdout and "small" in result.stdout


def test_run_keeps_the_database_and_does_not_append_to_a_session(small: Path, tmp_path: Path) -> None:
    db = tmp_path / "kept.db"
    lines(call("run", small, "--db", db, "--session", "one", "--json"))
    listed = json.loads(call("show", db, "one", "--json").stdout)
    assert [row["number"] for row in listed["requests"]] == [1]
    refused(call("run", small, "--db", db, "--session", "one", "--json"), "'one'", "--session")


def test_run_plays_each_session_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    body = json.dumps({"messages": [{"role": "user", "content": "hello"}]})
    path.write_text(f"{body}\n{body}\n", "utf-8")
    assert [row["session"] for row in lines(call("run", path, "--json"))] == ["many-1", "many-2"]
    assert [row["session"] for row in lines(call("run", path, "--json", "--session", "x"))] == ["x-1", "x-2"]


def test_run_refuses_what_is_no_history(tmp_path: Path, small: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"messages": [\n{"role": "user",,}]}', "utf-8")
    refused(call("run", tmp_path / "missing.json"), "missing.json")
    refused(call("run", broken), "broken.json:2", "is not JSON")
    refused(call("run", small, "--mode", "magic"), "magic", "hierarchical")
    refused(call("run", small, "--window", 0), "--window")


def test_run_says_what_does_not_fit(history: Path) -> None:
    refused(call("run", history, "--window", 900, "--json"), "PinnedOverflow", "budget")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the whole demo in mode auto."""
    folder = tmp_path_factory.mktemp("kept")
    messages = [message for new in demo_rounds() for message in new]
    path, db = folder / "leads.json", folder / "leads.db"
    path.write_text(json.dumps({"messages": [{"role": "system", "content": SYSTEM}, *messages], "tools": TOOLS}), "utf-8")
    rows = lines(call("run", path, "--db", db, "--session", "leads", "--layout", "cache_first", "--json"))
    assert len(rows) == 30
    return db


def test_show_lists_requests(kept: Path) -> None:
    rows = json.loads(call("show", kept, "leads", "--json").stdout)["requests"]
    assert [row["number"] for row in rows] == list(range(1, 31))
    assert all(row["tokens"] <= row["budget_tokens"] for row in rows)
    table = call("show", kept, "leads").stdout
    assert f"{rows[-1]['tokens']:,}" in table


def test_show_takes_a_request_apart(kept: Path) -> None:
    one = json.loads(call("show", kept, "leads", "--request", 28, "--json").stdout)
    assert one["number"] == 28
    assert one["budget"]["window_tokens"] == 32_000
    assert one["left_out"]
    assert sum(one["sections"].values()) <= one["tokens"] <= one["budget"]["prompt_budget_tokens"]
    assert one["pieces"][-1]["section"] == "input"
    assert "Lyon" in json.dumps(one["pieces"], ensure_ascii=False) or FACT in json.dumps(one["pieces"])
    text = call("show", kept, "leads", "--request", 28).stdout
    assert "window 32,000 x safety" in text and "constraints" in text


def test_show_why_gives_a_reason_for_each_piece(kept: Path) -> None:
    result = call("show", kept, "leads", "--request", 30, "--why")
    assert result.exit_code == 0
    assert WHY["instructions"] in result.stdout
    assert "left out" not in result.stdout


def test_show_left_out_is_about_the_last_request_by_default(kept: Path) -> None:
    result = call("show", kept, "leads", "--left-out")
    assert result.exit_code == 0
    assert "request 30" in result.stdout and "left out or shortened" in result.stdout


def test_show_says_what_there_is(kept: Path, tmp_path: Path) -> None:
    refused(call("show", kept, "lead"), "'lead'", "leads")
    refused(call("show", kept, "leads", "--request", 31), "31", "1 to 30")
    refused(call("show", tmp_path / "missing.db", "leads"), "missing.db")
    other = tmp_path / "other.db"
    other.write_text("not a database, only a text that is long enough to be looked at as one" * 20, "utf-8")
    refused(call("show", other, "leads"))
    assert other.read_text("utf-8").startswith("not a database")


def test_every_reason_has_words() -> None:
    assert set(WHY) == set(get_args(Reason))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("plain\n  text", "plain text"),
        ('[{"role":"user","content":"hello"}]', "hello"),
        ('{"role":"user","content":[{"type":"text","text":"金额"}]}', "金额"),
        ("[not json", "[not json"),
        ("x" * 100, "x" * 71 + "…"),
        ("", ""),
    ],
)
def test_first_words(text: str, words: str) -> None:
    assert first_words(text) == words


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[dict[str, Any]]]]:
    folder = tmp_path_factory.mktemp("demo")
    db = folder / "demo.db"
    result = CliRunner().invoke(main, ["demo", "--keep", str(db), "--json"], env={"TRIMTAB_DATA": str(folder)})
    assert result.exit_code == 0, result.output
    return db, json.loads(result.stdout)


def test_demo_compares_all_modes_with_the_unmanaged_history(demo: tuple[Path, dict[str, list[dict[str, Any]]]]) -> None:
    rows = demo[1]["leads"]
    assert [(row["mode"], row["layout"]) for row in rows[2:]] == list(RUNS)
    unmanaged, sliding = rows[:2]
    assert unmanaged["cost_ratio"] == 1 and unmanaged["constraints"] == [4, 4] and unmanaged["facts"] == [4, 4]
    assert sliding["constraints"][0] < 4 and sliding["cost_ratio"] > 1
    assert all(row["requests"] == 30 for row in rows)


@pytest.mark.parametrize("mode", ["hierarchical", "auto"])
def test_demo_meets_the_goals_of_the_engine(demo: tuple[Path, dict[str, list[dict[str, Any]]]], mode: str) -> None:
    unmanaged, sliding, *managed = demo[1]["leads"]
    row = next(row for row in managed if (row["mode"], row["layout"]) == (mode, "cache_first"))
    assert row["tokens_at"]["30"][1] <= 1 / 3
    assert row["kept_ratio"] < 0.2
    assert row["constraints"] == [len(CONSTRAINTS), len(CONSTRAINTS)]
    assert row["facts"] == [4, 4]
    assert row["cost"] < unmanaged["cost"] and row["cost"] < sliding["cost"]


def test_demo_leaves_a_database_that_show_opens(demo: tuple[Path, dict[str, list[dict[str, Any]]]]) -> None:
    listed = json.loads(call("show", demo[0], "leads-auto-cache_first", "--json").stdout)
    assert len(listed["requests"]) == 30


def test_demo_replaces_only_its_own_database(tmp_path: Path) -> None:
    letter, other = tmp_path / "letter.txt", tmp_path / "other.db"
    letter.write_text("dear all", "utf-8")
    with closing(sqlite3.connect(other)) as db, db:
        db.execute("CREATE TABLE entries (x)")
    for path in (letter, other):
        before = path.read_bytes()
        refused(call("demo", "--keep", path), path.name, "--keep")
        assert path.read_bytes() == before


def test_demo_prints_a_table_and_what_to_try(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRIMTAB_DATA", str(tmp_path))
    (tmp_path / "trimtab-demo.db").touch()  # what is empty is replaced
    result = call("demo")
    assert result.exit_code == 0, result.output
    assert "none (unmanaged)" in result.stdout and "hierarchical" in result.stdout
    assert "trimtab show trimtab-demo.db leads-auto-cache_first --request 30 --why" in result.stdout
    assert "past the window" in result.stdout
    assert result.stderr == ""
