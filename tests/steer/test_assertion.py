"""The progress assertion: what is said is read tolerantly, in both languages, and never guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.messages import ToolCall
from trimtab.core.task import PlanStep, StepRecord, TaskState
from trimtab.steer.argument import names_for, said_in, with_argument, without_argument
from trimtab.steer.assertion import checked_calls, checked_reply, correction_text, instruction_text, said_first

NAMES = ("fetch leads", "clean rows", "remove duplicates", "score leads", "write report")
CHINESE = ("收集线索", "清洗数据", "去重", "评分", "撰写报告")


def task(names: tuple[str, ...] = NAMES, active: int = 2, goal: str = "Clean the list of leads") -> TaskState:
    records = {name: StepRecord(status="active" if at == active else "open") for at, name in enumerate(names)}
    return TaskState("t1", goal, tuple(PlanStep(name) for name in names), records)


@pytest.mark.parametrize(
    "text",
    [
        "Step: remove duplicates - rows are clean\nNow I call the tool.",
        "Step 3/5: remove duplicates",
        "**Step 3 of 5: Remove Duplicates**\n\nI go on.",
        "### Step 3 - remove duplicates",
        "Step 3",
        "step #3.",
        "Current step: `remove duplicates` because the rows are clean",
        "I am on step 3 (remove duplicates)",
        "Now on step 3/5.",
        "Step: remove duplcates",
        "[Step: remove duplicates]",
        '{"step": "remove duplicates", "why": "rows are clean"}',
        '```json\n{"current_step": "3/5"}\n```',
        '{"step": 3}',
        '{"step": {"name": "remove duplicates"}}',
        "步骤 3/5：remove duplicates",
        "\n\n> Step 3: remove duplicates",
        # the name goes before a number that was miscounted
        "Step 2: remove duplicates",
    ],
)
def test_step_is_read_in_english(text: str) -> None:
    checked = checked_reply(text, task(), 7)
    assert checked is not None
    assert (checked.ok, checked.said, checked.expected, checked.seq) == (True, "remove duplicates", "remove duplicates", 7)


@pytest.mark.parametrize(
    "text",
    [
        "步骤：去重——数据已清洗",
        "当前步骤：去重",
        "**当前步骤：3/5 去重**",
        "第三步：去重",
        "第3步",
        "【步骤 3/5】去重",
        "我现在正在进行第三步，因为数据已清洗",
        '{"当前步骤": "去重"}',
        "步骤三：去重",
        "步骤3／5",
    ],
)
def test_step_is_read_in_chinese(text: str) -> None:
    checked = checked_reply(text, task(CHINESE, goal="清洗销售线索"))
    assert checked is not None
    assert checked.ok, checked


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Step: clean rows", "clean rows"),
        ("Step 4/5", "score leads"),
        ("Step 3/8", "3/8"),
        ("I will remove duplicates now.", ""),
        ("", ""),
        ("Step: cook dinner", "cook dinner"),
        ("Steps are hard.", ""),
        ("The next thing is step 3.", ""),
        ('{"step": true}', ""),
        ('{"plan": "remove duplicates"}', ""),
        ("Stepping back, remove duplicates is right", ""),
    ],
)
def test_other_or_no_step_is_a_mismatch(text: str, said: str) -> None:
    checked = checked_reply(text, task())
    assert checked is not None
    assert (checked.ok, checked.said) == (False, said)
    assert checked.why


def test_names_that_differ_in_a_number_are_not_mixed_up() -> None:
    steps = tuple(PlanStep(f"read article {number}") for number in range(1, 13))
    assert said_first("Step: read article 12", steps).step == "read article 12"
    assert said_first("Step: read artcle 2", steps).step == "read article 2"
    assert said_first("Step: read article 13", steps).step == ""


def test_no_step_under_way_asks_nothing() -> None:
    idle = task(active=99)
    assert checked_reply("whatever", idle) is None
    assert instruction_text(idle, "line") == ""
    assert instruction_text(task(), "off") == ""


def test_correction_names_both_steps() -> None:
    checked = checked_reply("Step: clean rows", task())
    assert checked is not None
    text = correction_text(checked, task(), "line")
    assert "'clean rows'" in text and "3 of 5: 'remove duplicates'" in text
    other = task(CHINESE, goal="清洗销售线索")
    silent = checked_reply("好的，我来做。", other)
    assert silent is not None
    assert "没有写明" in correction_text(silent, other, "argument") and "去重" in correction_text(silent, other, "argument")


@given(st.text(max_size=300))
def test_any_text_is_read_without_error(text: str) -> None:
    checked = checked_reply(text, task())
    assert checked is not None
    if checked.ok:
        assert "3" in text or "三" in text or "dup" in text.casefold()


TOOLS: dict[str, list[dict[str, Any]]] = {
    "openai_chat": [
        {"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}},
        {"type": "function", "function": {"name": "walk", "parameters": {"type": "object", "properties": {"step": {"type": "integer"}}}}},
        {"type": "function", "function": {"name": "bare"}},
        {"type": "custom", "custom": {"name": "free"}},
    ],
    "openai_responses": [
        {"type": "function", "name": "find", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}, "strict": True},
        {"type": "function", "name": "walk", "parameters": {"type": "object", "properties": {"step": {"type": "integer"}}}},
        {"type": "function", "name": "bare"},
        {"type": "web_search"},
    ],
    "anthropic": [
        {"name": "find", "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}},
        {"name": "walk", "input_schema": {"type": "object", "properties": {"step": {"type": "integer"}}}},
        {"name": "bare", "input_schema": {"type": "object"}},
        {"type": "web_search_20250305", "name": "web_search"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("wire_format", list(TOOLS))
def test_argument_is_added_for_each_wire(wire_format: Any) -> None:
    tools = TOOLS[wire_format]
    before = json.dumps(tools)
    changed = with_argument(tools, wire_format)
    assert json.dumps(tools) == before
    assert names_for(tools, wire_format) == {"find": "step", "walk": "task_step", "bare": "step"}
    assert changed[3] == tools[3]
    inner = changed[0]["function"] if wire_format == "openai_chat" else changed[0]
    schema = inner["input_schema" if wire_format == "anthropic" else "parameters"]
    assert schema["required"] == ["step", "q"]
    assert list(schema["properties"]) == ["step", "q"]


def test_argument_is_read_and_taken_off() -> None:
    given_arguments = '{"step": "remove duplicates", "q": "李"}'
    assert said_in(given_arguments, "step") == "remove duplicates"
    assert without_argument(given_arguments, "step") == '{"q":"李"}'
    assert without_argument('{"q": 1}', "step") == '{"q": 1}'
    assert without_argument("not json", "step") == "not json"


def test_calls_are_checked_each() -> None:
    arguments = {"find": "step"}
    good = ToolCall("c1", "find", '{"step": "3/5", "q": 1}')
    bad = ToolCall("c2", "find", '{"step": "clean rows", "q": 1}')
    silent = ToolCall("c3", "find", '{"q": 1}')
    other = ToolCall("c4", "note", "{}")
    assert checked_calls([other], arguments, task()) is None
    results = [checked_calls(calls, arguments, task()) for calls in ([good, other], [good, bad], [silent])]
    assert [row.ok for row in results if row] == [True, False, False]
    assert results[1] is not None and results[1].said == "clean rows"
