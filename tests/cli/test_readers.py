"""Every form a history comes in, and every way a file can fail to be one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trimtab.cli.readers import HistoryError, batches, read_histories

USER = {"role": "user", "content": "hello"}
SAID = {"role": "assistant", "content": "hi"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "done"}
SYSTEM = {"role": "system", "content": "be brief"}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


def written(tmp_path: Path, content: Any, name: str = "log.json") -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def test_a_request_body_in_chat_form(tmp_path: Path) -> None:
    [history] = read_histories(written(tmp_path, {"model": "m", "messages": [SYSTEM, USER, SAID], "tools": [TOOL]}))
    assert history == ("log", "openai_chat", "be brief", [USER, SAID], [TOOL])


def test_a_bare_list(tmp_path: Path) -> None:
    [history] = read_histories(written(tmp_path, [USER, CALL, RESULT]))
    assert history == ("log", "openai_chat", None, [USER, CALL, RESULT], None)


def test_instructions_that_are_not_one_plain_text_stay_messages(tmp_path: Path) -> None:
    developer = {"role": "developer", "content": "strictly"}
    [history] = read_histories(written(tmp_path, [SYSTEM, developer, USER]))
    assert history.system == [SYSTEM, developer]
    assert history.messages == [USER]


def test_only_leading_instructions_are_taken_off(tmp_path: Path) -> None:
    [history] = read_histories(written(tmp_path, [USER, SYSTEM, SAID]))
    assert history.messages == [USER, SYSTEM, SAID]


def test_one_message_a_line(tmp_path: Path) -> None:
    [history] = read_histories(written(tmp_path, lines(USER, SAID, USER) + "\n", "log.jsonl"))
    assert history.messages == [USER, SAID, USER]


def test_one_session_a_line(tmp_path: Path) -> None:
    first, second = read_histories(written(tmp_path, lines({"messages": [USER]}, {"messages": [SYSTEM, USER, SAID]}), "log.jsonl"))
    assert (first.name, second.name) == ("log-1", "log-2")
    assert (second.system, second.messages) == ("be brief", [USER, SAID])


def test_fields_that_are_null_are_left_out_but_not_a_null_content(tmp_path: Path) -> None:
    [history] = read_histories(written(tmp_path, [USER, {**CALL, "refusal": None, "function_call": None}, RESULT]))
    assert history.messages[1] == CALL


def test_anthropic_by_its_system_field(tmp_path: Path) -> None:
    tool = {"name": "f", "input_schema": {"type": "object"}}
    [history] = read_histories(written(tmp_path, {"system": "be brief", "messages": [USER, SAID], "tools": [tool]}))
    assert history == ("log", "anthropic", "be brief", [USER, SAID], [tool])


def test_anthropic_by_its_blocks(tmp_path: Path) -> None:
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}
    [history] = read_histories(written(tmp_path, {"messages": [USER, use]}))
    assert history.wire == "anthropic"


def test_a_swe_agent_log(tmp_path: Path) -> None:
    log = {
        "history": [
            SYSTEM,
            {"role": "user", "content": "demonstration", "is_demo": True},
            {"role": "user", "content": [{"type": "text", "text": "fix it"}]},
        ],
        "trajectory": [
            {"thought": "look", "action": "ls\n", "observation": "a.py"},
            {"thought": "done", "action": "submit", "observation": None},
        ],
    }
    [history] = read_histories(written(tmp_path, log, "one.traj"))
    assert history.system == "be brief"
    assert [message["role"] for message in history.messages] == ["user", "assistant", "tool", "assistant", "tool"]
    assert history.messages[0]["content"] == "fix it"
    call = history.messages[1]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"command": "ls\n"}
    assert history.messages[2] == {"role": "tool", "tool_call_id": call["id"], "content": "a.py"}
    assert history.messages[4]["content"] == ""


def test_a_tau_bench_result(tmp_path: Path) -> None:
    first, second = read_histories(
        written(tmp_path, [{"task_id": 3, "trial": 1, "traj": [SYSTEM, USER, SAID]}, {"task_id": 4, "traj": [USER]}])
    )
    assert (first.name, second.name) == ("log-3-1", "log-4-0")
    assert first.messages == [USER, SAID]


def test_a_claude_code_log(tmp_path: Path) -> None:
    def block(role: str, content: Any, **more: Any) -> dict[str, Any]:
        return {"type": role, "message": {"role": role, "content": content}, "uuid": "u", **more}

    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}
    log = lines(
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        block("user", "list the files"),
        block("assistant", [{"type": "text", "text": "I look."}]),
        block("assistant", [use]),
        block("assistant", "of another agent", isSidechain=True),
        block("user", [result]),
        block("assistant", [{"type": "text", "text": ""}, {"type": "text", "text": "One file."}]),
    )
    [history] = read_histories(written(tmp_path, log, "s.jsonl"))
    assert history.wire == "anthropic"
    assert history.messages == [
        {"role": "user", "content": [{"type": "text", "text": "list the files"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "One file."}]},
    ]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("", 0, "is empty"),
        ('{"messages": [\n  {"role": "user",}\n]}', 2, "is not JSON"),
        ('{"messages": [}', 1, "is not JSON"),
        (lines(USER, SAID) + '{"role": "user", "content\n', 3, "is not JSON"),
        ("hello", 1, "is not JSON"),
        ("{}", 0, "is not a history"),
        ("3", 0, "is not a history"),
        ("[]", 0, "is not a history"),
        ('{"messages": []}', 0, "is not a history"),
        ('{"messages": "hello"}', 0, "expected a list"),
        ('{"messages": [{"role": "user", "content": "x"}], "tools": {}}', 0, "expected a list"),
        ('[{"role": "narrator", "content": "x"}]', 0, "no known role"),
        (lines({"messages": [USER]}, {"rows": []}), 2, "neither a message nor"),
    ],
)
def test_a_file_that_is_no_history_is_refused_with_its_line(tmp_path: Path, content: str, line: int, words: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(HistoryError, match=words) as caught:
        read_histories(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}:{line}: " if line else f"{path}: ")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(HistoryError, match="cannot be read"):
        read_histories(path)


@pytest.mark.parametrize(
    ("messages", "rounds", "rest"),
    [
        ([USER], [[USER]], []),
        ([USER, SAID], [[USER]], [SAID]),
        ([USER, SAID, USER], [[USER], [SAID, USER]], []),
        ([USER, CALL, RESULT, SAID], [[USER], [CALL, RESULT]], [SAID]),
        ([USER, SAID, SAID, USER], [[USER], [SAID, SAID, USER]], []),
        ([SAID, USER], [[SAID, USER]], []),
        ([SAID], [], [SAID]),
    ],
)
def test_a_request_stands_before_every_reply(messages: list[Any], rounds: list[list[Any]], rest: list[Any]) -> None:
    assert batches(messages) == (rounds, rest)


@pytest.mark.data
@pytest.mark.parametrize(
    ("pattern", "form"), [("multiswe/*1093.traj", "openai_chat"), ("claudecode/*.jsonl", "anthropic"), ("taubench/*.json", "openai_chat")]
)
def test_real_logs_are_read(data_dir: Path, pattern: str, form: str) -> None:
    path = sorted((data_dir / "transcripts").glob(pattern))[0]
    histories = read_histories(path)
    assert {history.wire for history in histories} == {form}
    assert max(len(batches(history.messages)[0]) for history in histories) >= 10
