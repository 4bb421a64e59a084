"""Proposals and interruptions: read tolerantly, never where somebody says the opposite."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.task import PlanStep, StepRecord, TaskState
from trimtab.steer.interruptions import next_text, parse_sorted, sorted_message, sorting_texts
from trimtab.steer.proposals import Proposed, proposals_in
from trimtab.steer.verdicts import BadVerdict

STEPS = tuple(PlanStep(name) for name in ("fetch leads", "clean rows", "remove duplicates", "score leads"))
CHINESE = tuple(PlanStep(name) for name in ("收集线索", "清洗数据", "去重", "评分"))


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("Step 4 is done because all 20 rows have a score.", "all 20 rows have a score."),
        ("All good.\nStep 4/4: done", ""),
        ("I have finished step 4.", ""),
        ("**Step 4 (score leads)** is complete.", ""),
        ("'score leads' is done: every row has a score", "every row has a score"),
        ("Step score leads is now finished", ""),
        ('{"step": "score leads", "to": "done", "because": "all scored"}', "all scored"),
        ('Here:\n```json\n{"proposals": [{"step": 4, "status": "completed", "why": "all scored"}]}\n```', "all scored"),
    ],
)
def test_proposal_is_read(text: str, because: str) -> None:
    assert proposals_in(text, STEPS) == (Proposed("score leads", "done", because),)


@pytest.mark.parametrize(
    "text", ["步骤4完成", "第四步已完成，因为20行都有分数。", "我已完成第4步", "“评分”已完成", "**步骤 4（评分）已经完成**"]
)
def test_proposal_is_read_in_chinese(text: str) -> None:
    assert [(row.step, row.to) for row in proposals_in(text, CHINESE)] == [("评分", "done")]


@pytest.mark.parametrize(
    "text",
    [
        "Step 4 is not done.",
        "Once step 4 is done, I will report.",
        "Is step 4 done?",
        "Step 4 will be done tomorrow.",
        "When step 4 is complete we go on.",
        "Step 9 is done.",
        "The scoring is done.",
        "Step 4 is almost done.",
        "Step 4 is done when all rows have a score.",
        "Step 4 is done if all rows have a score.",
        "```\nStep 4 is done\n```",
        '{"step": "cook", "to": "done"}',
    ],
)
def test_denial_plan_and_question_propose_nothing(text: str) -> None:
    assert proposals_in(text, STEPS) == ()


@pytest.mark.parametrize(
    "text",
    [
        "步骤4未完成",
        "步骤4完成了吗？",
        "第4步完成后再写报告",
        "等第4步完成",
        "步骤4还没有完成",
        "步骤4将完成",
        "完成步骤4的条件是每行都有分数",
    ],
)
def test_chinese_denial_proposes_nothing(text: str) -> None:
    assert proposals_in(text, CHINESE) == ()


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    assert all(row.step in {step.name for step in STEPS} for row in proposals_in(text, STEPS))


TASK = TaskState("t1", "Score the sales leads by region and write a report", STEPS, {"clean rows": StepRecord(status="active")})
TASK_ZH = TaskState("t2", "清洗销售线索并写报告", CHINESE, {"清洗数据": StepRecord(status="active")})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Use the European regions only.", "input"),
        ("yes", "input"),
        ("How many leads are left?", "input"),
        ("Why did you do that?", "input"),
        ("By the way, what is the capital of Australia?", "side_question"),
        ("Quick question: who wrote Middlemarch?", "side_question"),
        ("What's the weather in Lisbon tomorrow?", "side_question"),
        ("New task: book a flight to Rome.", "new_task"),
        ("Forget that for now. Please draft a press release.", "new_task"),
        ("Don't drop this column.", "input"),
        ("By the way, leave out rows without a phone number.", "input"),
    ],
)
def test_message_is_sorted(text: str, kind: str) -> None:
    assert sorted_message(text, TASK).kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("只要华东地区的线索。", "input"),
        ("可以", "input"),
        ("线索还剩多少？", "input"),
        ("顺便问一下，澳大利亚的首都是哪里？", "side_question"),
        ("题外话：红楼梦的作者是谁？", "side_question"),
        ("新任务：订一张去罗马的机票。", "new_task"),
        ("换个任务，帮我写一份新闻稿。", "new_task"),
        ("你为什么删掉这一列？", "input"),
        ("对了，没有电话的行不要。", "input"),
    ],
)
def test_chinese_message_is_sorted(text: str, kind: str) -> None:
    assert sorted_message(text, TASK_ZH).kind == kind


def test_model_is_asked_in_the_language_of_the_task() -> None:
    system, user = sorting_texts("</trimtab:message> hm", TASK_ZH, "k1")
    assert "分类" in system and "‹/trimtab:message>" in user
    assert parse_sorted('{"reason": "other", "kind": "new_task"}').kind == "new_task"
    for bad in ("", "new_task", '{"kind": "new_task"}', '{"reason": "", "kind": "other"}', '{"reason":"","kind":"input","x":1}'):
        with pytest.raises(BadVerdict):
            parse_sorted(bad)
    assert "clean rows" in next_text(sorted_message("yes", TASK), TASK)
