"""What a result says of its call: failed, how, still under way; in whatever words."""

from __future__ import annotations

import itertools
import json

import pytest

from trimtab.evals.detectors.texts import texts_of
from trimtab.steer import telling
from trimtab.steer.acts import CallSeen, acts_of
from trimtab.steer.telling import error_class, is_pending, tells_failure


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("Error: src/a.csv not found", "src/a.csv"), ("Error: src/b.csv not found", "src/b.csv"), True),
        (('{"error": "denied", "id": "gate_77"}', "x"), ('{"error": "denied", "id": "tower_6"}', "y"), True),
        (('{"error": "denied", "id": 7768}', "x"), ('{"error": "denied", "id": 11}', "y"), True),
        (("timed out (2026-03-14 09:35:50,101): one page", "one page"), ("timed out (2026-03-14 10:06:02,757): another", "another"), True),
        (("KeyError: 'total'", "x"), ("KeyError: 'price'", "y"), False),
        (("KeyError: 'total'", "x"), ("ValueError: 'total'", "x"), False),
        (("AssertionError: 9 of 9 rows are wrong", "x"), ("AssertionError: 8 of 9 rows are wrong", "x"), False),
    ],
)
def test_errors_are_the_same_whatever_they_echo(one: tuple[str, str], other: tuple[str, str], same: bool) -> None:
    classes = [error_class(text, json.dumps({"q": asked})) for text, asked in (one, other)]
    assert (classes[0] == classes[1]) is same


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("psycopg.errors.UndefinedColumn: no", "error "),
        ("pkg.mod.KeyError: 'x'", "pkg.mod.KeyError "),
        ("...ValueError: 'x'", "ValueError "),
        ("exited with code 3", "exit 3 "),
        ("HTTP 503 Service Unavailable", "status 503 "),
        ("Error 7 is not a name", "error "),
    ],
)
def test_the_name_of_an_error(text: str, name: str) -> None:
    assert error_class(text).startswith(name)


@pytest.mark.parametrize(
    "text", ["Error: no such row", '{"error": "no such row"}', "Permission denied", "请求超时：列表", "错误：没有该行"]
)
def test_a_bare_error_is_one_though_nobody_marked_it(text: str) -> None:
    assert tells_failure(text)
    act = acts_of(1, "", [CallSeen("save_row", "{}", text)], round=1, at_ms=0)[0]
    assert act.error and not act.changed


@pytest.mark.parametrize("text", ["", "Errors: 0", "3 rows, no error", '{"error_rate": 0.1}', "Error: x" + " y" * 300, "超时设置为三十秒"])
def test_what_only_speaks_of_errors_is_none(text: str) -> None:
    assert not tells_failure(text)


@pytest.mark.parametrize(
    ("tool", "command", "result", "pending"),
    [
        ("wait_for_job", "7", "", True),
        ("bash", "sleep 60 && ls", "", True),
        ("bash", "docker ps", "building", True),
        ("查询", "x", "任务进行中", True),
        ("bash", "git status", "nothing to commit", False),
        ("search", "x", '{"pending": 3, "rows": [1]}', False),
        ("search", "x", "running " + "text " * 100, False),
    ],
)
def test_asking_for_what_is_under_way(tool: str, command: str, result: str, pending: bool) -> None:
    assert is_pending(tool, json.dumps({"command": command}), result) is pending


def test_the_name_of_an_error_is_looked_for_once_along_a_text() -> None:
    """Names that begin at every dot would be tried from every dot: a text of dots must not cost its length squared."""
    assert error_class("a." * 4_000).startswith("error ")
    assert error_class(f"{'a.' * 1_000}KeyError: x").partition(" ")[0].endswith("KeyError")


@pytest.mark.parametrize(
    "text",
    [
        "CONFLICT (content): Merge conflict in a.py",
        "Seat 4 is already taken. Reservation not saved.",
        "Die Zahlung wurde von der Bank abgelehnt.",
        "No se ha podido localizar el paquete x",
        "该车次二等座已售罄",
        "page.goto: net::ERR_NAME_NOT_RESOLVED",
        "接続がタイムアウトしました",
        "Exception in thread 'main' java.nio.file.AccessDeniedException: x\n" + "\tat java.base/x\n" * 40,
    ],
)
def test_failure_in_many_words(text: str) -> None:
    assert tells_failure(text)


@pytest.mark.parametrize(
    "text",
    [
        "Saved the note 'fix the error in parsing'.",
        "0 errors, 3 warnings",
        "40 passed in 2.1s",
        '{"ok": true, "errors": []}',
        '{"error": null, "rows": 3}',
        '{"rows": [{"error_rate": 0.1}]}',
        "no results",
        "The room is free on all three nights.",
        "已成功保存",
    ],
)
def test_what_is_no_failure(text: str) -> None:
    assert not tells_failure(text)


def test_a_value_that_is_echoed_cut_off_makes_no_other_error() -> None:
    asked = ["grep -rn TODO src/first/of/all/files.py", "grep -rn TODO src/second/of/other/files.py"]
    texts = [f"Forbidden: cannot list pods in the namespace {value[:24]}" for value in asked]
    classes = {error_class(text, json.dumps({"command": value})) for text, value in zip(texts, asked, strict=True)}
    assert len(classes) == 1


def test_one_that_fails_waits_for_nothing() -> None:
    assert is_pending("fetch", "{}", "still in the queue") and not is_pending(
        "fetch", "{}", "waiting until load: net::ERR_NAME_NOT_RESOLVED"
    )


TEXTS = texts_of("tune")


@pytest.mark.parametrize("heads", ["failure", "waiting"])
def test_the_quick_look_leaves_nothing_out(heads: str) -> None:
    known, pattern = (telling._FAILURE_HEADS, telling._FAILURE) if heads == "failure" else (telling._WAITING_HEADS, telling._UNDER_WAY)
    texts = [*itertools.chain(*TEXTS.errors.values()), *TEXTS.polling.pending, *itertools.chain(*TEXTS.instructions)]
    lines = {line.lower() for text in texts for line in text.replace("_", " ").splitlines()}
    words = {word for line in lines for word in line.split()}
    found = [text for text in (*lines, *words) if pattern.search(text) is not None]
    assert len(found) > 60
    assert [text for text in found if not telling.may_hold(text, known)] == []


@pytest.mark.parametrize(
    "text",
    [
        "The disk is not mounted on this host.",
        "Only managers may see salaries.",
        "请先登录再查看该页面",
        "Bitte zuerst anmelden, dann suchen.",
    ],
)
def test_a_denial_is_weaker_than_a_failure(text: str) -> None:
    assert telling.tells_denial(text)
    assert not tells_failure(text)


@pytest.mark.parametrize(
    "text", ["no results", "没有结果", "[]", "Saved. It is not sent yet.", "The room has a view of the sea and two beds."]
)
def test_what_denies_nothing(text: str) -> None:
    assert not telling.tells_denial(text)


@pytest.mark.parametrize(
    ("tool", "result", "pending"),
    [
        ("glue.GetJobRun", '{"id": 3}', True),
        ("get_build", "#3", True),
        ("get_order", '{"state": "provisioning"}', True),
        ("read_file", "Copying 3 of 9 files", True),
        ("fetch", '{"id": "a7", "status": "submitted"}', True),
        ("fetch", '{"id": "a7", "status": "succeeded"}', False),
        ("fetch", '{"id": "a7", "state": "expired"}', False),
        ("fetch", '{"done": false, "rows": 3}', True),
        ("fetch", '{"progress": 40}', True),
        ("read_file", '{"evening": 3, "morning": "spring"}', False),
        ("read_file", "The building is old.", False),
        ("read_page", "Folio 37 of 1813, on the keeper", False),
    ],
)
def test_what_takes_its_time(tool: str, result: str, pending: bool) -> None:
    assert is_pending(tool, "{}", result) is pending
