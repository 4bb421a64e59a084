"""What a message in the middle of a task is, on sentences that the code was not written by, and on those of a finding."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.steer.sorting_cases import HELD, ROWS, SEEN, TASKS
from trimtab.steer.interruptions import Sorted, sorted_message

LEADS, CHINESE = TASKS["leads"], TASKS["线索"]


def wrong(rows: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [row for row in rows if sorted_message(row[1], TASKS[row[0]]).kind != row[2]]


def test_the_table_is_what_it_says() -> None:
    for kind in ("input", "side_question", "new_task"):
        own = [row for row in ROWS if row[2] == kind]
        assert len({text for _, text, _ in own}) == 60 and sum(task in ("线索", "合同", "课程") for task, _, _ in own) == 30
    assert len(SEEN) == len(HELD) == 90


def test_sentences_that_were_seen_while_the_code_was_written() -> None:
    assert wrong(SEEN) == []


def test_sentences_that_were_looked_at_only_in_the_end() -> None:
    """88 of 90, where the code before it had 46."""
    assert len(wrong(HELD)) <= 2


def test_code_is_never_sure_of_what_is_wrong() -> None:
    assert [row for row in ROWS if sorted_message(row[1], TASKS[row[0]]).sure and row in wrong(ROWS)] == []


@pytest.mark.parametrize("task", ["leads", "review", "blog"])
@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "what's the weather in Paris?",
        "Who won the cup",
        "what time is it",
        "How do I cook rice?",
        "Do you like music?",
        "Can penguins fly?",
        "What is love?",
        "Write me a poem about cats",
        "Please book a flight to Rome",
        "Translate this into French: hello",
        "谁赢了比赛？",
        "企鹅会飞吗？",
        "帮我订一张机票",
        "把“早安”翻译成日语",
    ],
)
def test_a_short_message_off_the_task_is_beside_it_and_a_model_may_be_asked(task: str, text: str) -> None:
    found = sorted_message(text, TASKS[task])
    assert (found.kind, found.sure) == ("side_question", False)
    assert found.why.endswith("that shares no word with the task")


@pytest.mark.parametrize(
    "text", ["Which one?", "And the others?", "What do you think?", "How does it look?", "哪一行？", "你怎么看？", "浙江呢？"]
)
def test_a_question_that_points_back_is_input(text: str) -> None:
    found = sorted_message(text, LEADS)
    assert found.kind == "input" and "what was said" in found.why


def test_what_shares_a_word_with_what_was_said_may_be_about_it() -> None:
    text = "Can penguins fly?"
    assert sorted_message(text, LEADS).kind == "side_question"
    assert sorted_message(text, LEADS, ["Row 7: Penguins Ltd"]) == Sorted("input", "what was said also has 'penguins'", sure=False)
    assert sorted_message("企鹅公司有电话吗？", CHINESE, ["第七行：企鹅公司"]).kind == "input"


@pytest.mark.parametrize(
    "text",
    [
        "Drop the second column and add a total.",
        "Stop, the file is wrong.",
        "Leave it as is.",
        "Change of plans: use euros.",
        "Instead of dollars, use euros.",
        "Never mind the phone numbers.",
        "Don't start another task yet.",
        "Forget the rows without a name.",
        "暂停一下，文件有错",
        "这个不要了，换成蓝色",
        "取消第三列",
        "先别发邮件，等我确认",
        "算了，保留吧",
        "新任务先别开始",
    ],
)
def test_a_correction_is_no_other_task(text: str) -> None:
    assert sorted_message(text, LEADS).kind == sorted_message(text, CHINESE).kind == "input"


def test_a_word_in_common_makes_no_question_sure() -> None:
    assert sorted_message("How is the weather in the region of Lyon tomorrow?", LEADS).sure is False
    assert sorted_message("How many leads are left?", LEADS) == Sorted("input", "it is about 'leads'")


@given(st.text(max_size=300), st.sampled_from(sorted(TASKS)))
def test_any_text_is_sorted_and_its_reason_said(text: str, task: str) -> None:
    found = sorted_message(text, TASKS[task])
    assert found.why
    assert sorted_message(f"  {text}\n", TASKS[task]) == found or not text.strip()
