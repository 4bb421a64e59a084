"""`trimtab library`."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from trimtab.cli import main


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["library", *map(str, arguments)])


def test_documents_are_put_in_listed_found_and_taken_out(tmp_path: Path) -> None:
    db, guide, rows = tmp_path / "db", tmp_path / "guide.md", tmp_path / "rows.csv"
    guide.write_text("# Handbook\n\n## Refunds\n\nA refund is paid within 30 days.\n", "utf-8")
    rows.write_text("name,city\nAnn,Rotterdam\nBob,Ghent\n", "utf-8")
    added = run("add", db, guide, rows)
    assert added.exit_code == 0, added.output
    assert added.output.splitlines() == ["guide.md (md): 1 pieces", "rows.csv (csv): 1 pieces"]
    assert "unchanged" in run("add", db, guide).output
    listed = json.loads(run("list", db, "--json").output)
    assert [(row["name"], row["title"], row["pieces"]) for row in listed] == [("guide.md", "Handbook", 1), ("rows.csv", "", 1)]
    assert "Handbook" in run("list", db).output
    assert "within 30 days" in run("search", db, "when is a refund paid").output
    (found,) = json.loads(run("search", db, "Rotterdam", "--json", "--limit", "1").output)
    assert found["name"] == "rows.csv" and found["score"] > 0 and found["parts"]
    assert run("drop", db, "rows.csv").output == "rows.csv: dropped\n"
    assert run("search", db, "Rotterdam").output == "nothing found\n"
    assert run("list", db, "--project", "another").output == "no documents\n"


def test_what_cannot_be_done_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    db, one, two = tmp_path / "db", tmp_path / "a.txt", tmp_path / "sub" / "a.txt"
    two.parent.mkdir()
    one.write_text("One.", "utf-8")
    two.write_text("Two.", "utf-8")
    clash = run("add", db, one, two)
    assert (clash.exit_code, "with --name" in clash.output) == (2, True)
    assert run("add", db, one, two, "--name", "x").exit_code == 2
    assert run("add", db, two, "--name", "sub/a.txt").exit_code == 0
    picture = tmp_path / "p.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    refused = run("add", db, picture)
    assert refused.exit_code == 2 and "UnknownDocumentKind" in refused.output
    missing = run("drop", db, "nothing")
    assert missing.exit_code == 2 and "there is: sub/a.txt" in missing.output
    assert run("list", tmp_path / "no-db").exit_code == 2
