"""`trimtab recall`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from trimtab import Session
from trimtab.cli import main
from trimtab.stores import open_store


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["recall", *map(str, arguments)])


def told(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.output)
    return found


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "db"
    talks = {
        ("a", "main", "default"): ("The rent is 840 euros, due on the 3rd.", "The rent of [the shed] is 90 euros.", "The van is red."),
        ("a", "side", "default"): ("The rent was raised by Mr. Obeng.",),
        ("b", "main", "default"): ("The rent of the boat is 12 euros.",),
        ("c", "main", "other"): ("The rent of the moon is nothing.",),
    }
    for (session, lane, project), texts in talks.items():
        with Session.open(path, session, lane=lane, project=project) as opened:
            for text in texts:
                opened.record({"role": "user", "content": text}, {"role": "assistant", "content": "Noted."})
            opened.record({"role": "user", "content": "next"})
    return path


def test_it_shows_rank_score_parts_tags_and_text(db: Path) -> None:
    result = run(db, "a", "How much is the rent?", "--scope", "lane", "--limit", "1")
    assert result.exit_code == 0, result.output
    first, tags, text = result.output.splitlines()
    assert first.startswith("1. a/main #") and ", user; " in first and "words " in first
    assert "topic: " in tags and "840 euros" in text
    explained = run(db, "a", "How much is the rent of the shed?", "--scope", "lane", "--limit", "1", "--explain").output
    assert 'read as: {"words"' in explained and '"kind": "how_much"' in explained and "[the shed]" in explained.split("lost:")[0]
    assert "(rank)" in explained.split("lost:")[1] and "840" in explained.split("lost:")[1]
    assert "by words only: no embedder" in explained
    assert run(db, "a", "zebra", "--explain").output.startswith("nothing found among 4 turns")


def test_json_holds_all_of_it(db: Path) -> None:
    found = told(db, "a", "How much is the rent of the shed?", "--explain", "--limit", "1")
    (turn,) = found["turns"]
    assert turn["rank"] == 1 and "shed" in turn["text"] and turn["score"] > 0 and turn["parts"]["words"] > 0
    assert {row["why_not"] for row in found["lost"]} == {"rank", "shares nothing"} and found["searched"] == 4 and found["missing"] == "off"


def test_the_options_say_where_and_what(db: Path) -> None:
    def places(*options: str) -> set[tuple[str, str]]:
        return {(turn["session_id"], turn["lane_id"]) for turn in told(db, "a", "rent", *options)["turns"]}

    assert places("--scope", "lane") == {("a", "main")}
    assert places() == {("a", "main"), ("a", "side")}
    assert places("--lane", "side", "--scope", "lane") == {("a", "side")}
    assert places("--scope", "project") == {("a", "main"), ("a", "side"), ("b", "main")}
    named = told(db, "a", "rent", "--entities", "Obeng, shed", "--kind", "who")
    assert named["need"]["entities"] == ["Obeng", "shed"] and named["need"]["kind"] == "who" and not named["need"].get("guessed")
    assert {turn["lane_id"] for turn in named["turns"][:2]} == {"main", "side"}
    assert "moon" in told(db, "c", '{"words": "rent"}', "--project", "other")["turns"][0]["text"]


def test_what_cannot_be_done_is_one_line_and_nothing_is_made(db: Path, tmp_path: Path) -> None:
    for arguments, words in (
        ((db, "x", "rent"), "no session 'x' in"),
        ((db, "a", "rent", "--project", "nowhere"), "there are: none"),
        ((db, "a", "rent", "--tenant", "nobody"), "there are: none"),
        ((db, "a", "rent", "--lane", "mine"), "no lane 'mine'; there are: main, side"),
        ((db, "a", "  "), "BadNeed"),
        ((db, "a", "rent", "--kind", "shape"), "BadNeed"),
        ((db, "a", '{"weight": 1}'), "weight"),
        ((tmp_path / "none", "a", "rent"), "does not exist"),
        ((db, "a", "rent", "--scope", "world"), "world"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2 and words in result.output, result.output
        assert "Traceback" not in result.output
    assert not (tmp_path / "none").exists()
    store = open_store(db)
    assert sorted({(key.session_id, key.lane_id) for key in store.sessions("default", "default")}) == [
        ("a", "main"),
        ("a", "side"),
        ("b", "main"),
    ]
    store.close()
