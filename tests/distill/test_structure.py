"""One line for a stub, a preview, and the line of a finished exchange."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.messages import Text, ToolCall, ToolResult
from trimtab.distill import action_line, describe, preview

ROWS = [{"id": n, "name": f"row {n}", "amount": n * 3} for n in range(40)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (json.dumps(ROWS), f"JSON array of 40 objects: id, name, amount ({len(json.dumps(ROWS)):,} chars)"),
        ("[]", "JSON array, empty (2 chars)"),
        ('["a"]', "JSON array of 1 string (5 chars)"),
        ('{"status": "ok", "rows": [{"a": 1}]}', 'JSON object: status="ok", rows[1] (a) (36 chars)'),
        ('{"a": 1}\n{"a": 2}\n{"a": 3}', "JSON lines, 3 objects: a (26 chars)"),
        ("a,b,c\n1,2,3\n4,5,6\n", "CSV of 2 rows x 3 columns: a, b, c (18 chars)"),
        ("a\tb\n1\t2\n3\t4", "TSV of 2 rows x 2 columns: a, b (11 chars)"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "Markdown table of 2 rows: a, b (39 chars)"),
        ("import os\n\ndef foo(a):\n    pass\n\nclass Bar:\n    pass\n", "Python code, 7 lines: foo, Bar (53 chars)"),
        ("<html><head><title>Hi there</title></head></html>", "HTML page: Hi there (49 chars)"),
        ("Just a line.", "text: Just a line. (12 chars)"),
        ("  ", "empty"),
    ],
)
def test_what_a_text_is(text: str, line: str) -> None:
    assert describe(text) == line


def test_base64_is_named() -> None:
    assert describe("data:image/png;base64," + "aGVsbG8x" * 100) == "base64 (image/png) (822 chars)"


def test_status_and_error_lines_are_kept_word_for_word() -> None:
    log = (
        "".join(f"2026-01-01 10:00:{n:02d} INFO step {n}\n" for n in range(40))
        + "2026-01-01 10:01:00 ERROR db-7 down trace=ab77\nexit code: 3\n"
    )
    line = describe(log)
    assert line.startswith("log of 42 lines, 1 with errors")
    assert "2026-01-01 10:01:00 ERROR db-7 down trace=ab77" in line and "exit code: 3" in line
    assert "\n" not in line and len(line) < 400


@given(st.text(max_size=300))
def test_a_description_is_one_short_line(text: str) -> None:
    line = describe(text)
    assert line and len(line.splitlines()) == 1 and len(line) < 600


@pytest.mark.parametrize(
    "unit", ["a", "x,y\n", "[", '{"a":1}\n', "error ", "| a |\n", "2026-01-01 10:00:00 INFO x\n", "<p>", "aGVsbG8x", "\n"]
)
def test_a_megabyte_is_described_quickly(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    describe(text)
    assert time.process_time() - started < 2


@given(st.text(max_size=200), st.integers(0, 60), st.integers(0, 60))
def test_a_preview_is_the_beginning_and_the_end(text: str, head: int, tail: int) -> None:
    shown = preview(text, head, tail)
    if len(text) <= head + tail:
        assert shown == text
        return
    before, _, rest = shown.partition("[… ")
    left_out, _, after = rest.partition(" characters left out …]")
    assert text.startswith(before.removesuffix("\n")) and text.endswith(after.removeprefix("\n"))
    assert len(before.removesuffix("\n")) <= head and len(after.removeprefix("\n")) <= tail
    assert int(left_out.replace(",", "")) >= len(text) - head - tail


def line_of(text: str, *, is_error: bool = False, arguments: str = '{"from":"JFK","to":"SFO"}') -> str:
    result = ToolResult("c", (Text(text),) if text else (), is_error)
    return action_line([ToolCall("c", "search", arguments)], [result]).removeprefix("called ")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (json.dumps(ROWS), "returned: JSON array of 40 objects: id, name, amount"),
        ("", "returned, empty"),
        ("Two flights.", "returned: text: Two flights."),
        ('{"success": true, "n": 3}', "ok: JSON object: success=true, n=3"),
        ('{"hits": [{"error": "old"}]}', "returned: JSON object"),
        ('{"error": "no such user CT-5"}', "failed: "),
        ('{"status": 404, "message": "not found"}', "failed: "),
        ('{"exit_code": 0, "out": ""}', "ok: "),
        ('{"exit_code": 2, "out": ""}', "failed: "),
        ("exit code: 1\nls: cannot access", "failed: exit code: 1"),
        ("HTTP/1.1 200 OK\n\nhello", "ok: "),
        ("Traceback (most recent call last):\n  File 'x'\nValueError: bad CT-5", "failed: ValueError: bad CT-5"),
        ("3 passed, 2 failed in 0.2s", "failed: 3 passed, 2 failed in 0.2s"),
        ("Error handling in Python is an article about errors.", "returned: "),
    ],
)
def test_success_is_claimed_only_where_the_result_shows_it(text: str, start: str) -> None:
    assert line_of(text).startswith(f"search(from=JFK, to=SFO) -> {start}")


def test_an_error_flag_a_missing_result_and_parallel_calls() -> None:
    assert line_of("quota is used up", is_error=True) == "search(from=JFK, to=SFO) -> failed: quota is used up"
    calls = [ToolCall(str(n), "f", "{}") for n in range(6)]
    line = action_line(calls, [ToolResult("0", (Text("done"),))])
    assert line == "called f() -> ok: text: done (4 chars)" + "; f() -> no result recorded" * 3 + "; and 2 more calls"
    assert action_line([], []) == ""


def test_long_and_odd_arguments_stay_short() -> None:
    assert len(line_of("x", arguments=json.dumps({f"key{n}": "v" * 90 for n in range(50)}))) < 250
    assert line_of("x", arguments="free text\nof a custom tool").startswith("search(free text of a custom tool) ->")
