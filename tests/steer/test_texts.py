"""Detectors that read texts: what is surely broken is found, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trimtab.core.drift import Act
from trimtab.core.state import MetaContext, Pin, SessionState
from trimtab.core.task import PlanStep, StepRecord, TaskState
from trimtab.steer.constraints import Constraints
from trimtab.steer.finish import EarlyFinish
from trimtab.steer.form import FormLost
from trimtab.steer.identity import IdentityLost
from trimtab.steer.repeats import Repeats
from trimtab.steer.seen import Seen, SeenCall


def ruled(text: str) -> SessionState:
    return SessionState(pins={"p": Pin("p", text)})


@pytest.mark.parametrize(
    ("rule", "tool", "arguments", "broken"),
    [
        ("Never use `delete_rows`.", "delete_rows", {}, True),
        ("Never use `delete_rows`.", "read_rows", {"note": "delete_rows is forbidden"}, False),
        ("不要调用 delete_rows 工具", "delete_rows", {}, True),
        ("Never use `delete_rows` without approval.", "delete_rows", {}, False),
        ("Never mail anything to boss@corp.example", "mail", {"to": "boss@corp.example"}, True),
        ("Never mail anything to boss@corp.example", "mail", {"body": "not for boss@corp.example"}, False),
        ("Only use sources from nature.com", "fetch", {"url": "https://www.nature.com/a"}, False),
        ("Only use sources from nature.com", "fetch", {"url": "https://nature.com.evil.example/a"}, True),
        ("limit must be at most 50", "find", {"limit": 51}, True),
        ("limit must be at most 50", "find", {"limit": 50, "other": 99}, False),
        ("All amounts in EUR", "report", {"currency": "USD"}, True),
        ("金额统一用人民币", "report", {"currency": "CNY"}, False),
    ],
)
def test_calls_against_rules(rule: str, tool: str, arguments: dict[str, Any], broken: bool) -> None:
    found = Constraints().look((), Seen(state=ruled(rule), calls=(SeenCall(9, tool, json.dumps(arguments)),)))
    assert bool(found) is broken
    assert all(row.evidence[-1] == 9 for row in found)


def test_never_list_is_identity() -> None:
    state = SessionState(meta=MetaContext(never=("delete_rows",)))
    assert [row.kind for row in Constraints().look((), Seen(state=state, calls=(SeenCall(3, "delete_rows", "{}"),)))] == ["identity_lost"]


@pytest.mark.parametrize(
    ("rule", "reply", "broken"),
    [
        ("Always reply in JSON.", '{"a": 1}', False),
        ("Always reply in JSON.", "```json\n[1]\n```", False),
        ("Always reply in JSON.", "Sure, here you are.", True),
        ("Answer with a table with columns: name, score", "| Name | Score |\n|---|---|\n| a | 1 |", False),
        ("Answer with a table with columns: name, score", "| Name | Points |\n|---|---|\n| a | 1 |", True),
        ("请用中文回答", "This is an English answer that goes on for many more words than a short name would.", True),
        ("请用中文回答", "好的，OpenAI API 已接入。", False),
        ("Reply in at most 5 words", "one two three four five six seven", True),
        ("不超过5字", "一二三四五", False),
    ],
)
def test_reply_against_its_form(rule: str, reply: str, broken: bool) -> None:
    assert bool(FormLost().look((), Seen(state=ruled(rule), reply=reply, reply_seq=4))) is broken


@pytest.mark.parametrize(
    ("reply", "early"),
    [
        ("The task is complete.", True),
        ("所有步骤都已完成。", True),
        ("The task is not complete.", False),
        ("任务完成后我会汇报", False),
        ("Step 1 is done.", False),
    ],
)
def test_early_finish(reply: str, early: bool) -> None:
    steps = (PlanStep("a"), PlanStep("b"))
    open_task = TaskState("t", "g", steps, {"a": StepRecord("done"), "b": StepRecord("active")})
    over = TaskState("t", "g", steps, {"a": StepRecord("done"), "b": StepRecord("done")})
    assert bool(EarlyFinish().look((), Seen(state=SessionState(task=open_task), reply=reply, reply_seq=2))) is early
    assert EarlyFinish().look((), Seen(state=SessionState(task=over), reply=reply, reply_seq=2)) == []


@pytest.mark.parametrize(
    ("identity", "reply", "lost"),
    [
        ("You are Ada. You can read files.", "I cannot read any files.", True),
        ("You are Ada. You can read files.", "I cannot read this file.", False),
        ("You are Ada.", "I am ChatGPT, a language model.", True),
        ("You are Ada.", "I am Ada.", False),
        ("你是小艾，可以读取文件", "我无法读取文件。", True),
    ],
)
def test_identity(identity: str, reply: str, lost: bool) -> None:
    state = SessionState(meta=MetaContext(identity=identity))
    assert bool(IdentityLost().look((), Seen(state=state, reply=reply, reply_seq=2))) is lost


def test_finished_step_done_again() -> None:
    steps = (PlanStep("a"), PlanStep("b"))
    state = SessionState(task=TaskState("t", "g", steps, {"a": StepRecord("done"), "b": StepRecord("active")}))
    acts = [Act(seq, tool="find", key=f"k{seq % 10}", result="r", step="a" if seq < 10 else "b") for seq in (1, 2, 3, 11, 12, 13)]
    assert [row.evidence for row in Repeats().look(acts, Seen(state=state))] == [(1, 2, 3, 11, 12, 13)]
    assert Repeats().look(acts[:5], Seen(state=state)) == []
