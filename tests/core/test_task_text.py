"""The state block and the plan: within their caps for any plan, and nothing that is current is lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests import profiles  # noqa: F401 - how many examples are tried
from trimtab.core import entries as e
from trimtab.core.drift import Flag
from trimtab.core.fold import apply
from trimtab.core.state import Pin, SessionState
from trimtab.core.summary import SummaryItem
from trimtab.core.task import Condition, PlanStep, StepRecord
from trimtab.core.task_text import anchor_text, plan_text, state_text
from trimtab.core.task_words import CHINESE, ENGLISH, words_for
from trimtab.settings import Settings, Steering
from trimtab.tokens import counter_for

COUNT = counter_for("gpt-4o").count_text
SETTINGS = Settings()
STEPS = (
    PlanStep("collect", output="rows", milestone=True),
    PlanStep("clean", after=("collect",), inputs=("rows",), output="leads"),
    PlanStep(
        "score",
        after=("clean",),
        inputs=("leads",),
        output="scores",
        schema='{"type": "array"}',
        done_when=(Condition("count", "20 rows", least=20, most=20),),
        about="a number from 0 to 100 for each lead",
    ),
    PlanStep("grade", after=("score",), inputs=("scores",), output="grades"),
    PlanStep("report", after=("grade",), inputs=("grades",), output="report", optional=True),
)


def entered(*rows: e.Entry, state: SessionState | None = None) -> SessionState:
    state = state or SessionState()
    for row in rows:
        apply(state, state.seq + 1, row)
    return state


def under_way(goal: str = "Grade the sales leads", steps: tuple[PlanStep, ...] = STEPS, done: int = 2) -> SessionState:
    """A task with the first steps done and the next one begun."""
    state = entered(e.TaskSet("t1", goal, steps))
    for step in steps[:done]:
        entered(e.StepMoved(step.name, "active"), e.StepMoved(step.name, "done", why=f"{step.name} went well"), state=state)
    if done < len(steps):
        entered(e.StepMoved(steps[done].name, "active"), state=state)
    return state


def steering(**changes: Any) -> Settings:
    return replace(SETTINGS, steering=Steering(**changes))


def told(at: SessionState, **changes: Any) -> str:
    return state_text(at, steering(**changes), COUNT)


FLAG = Flag("f1", "looping", "signal", "looping", "search was called 3 times with the same words", (12, 14, 16))
ACT = Flag("f2", "tunnel", "act", "tunnel", "three times the rounds of other steps", (20,), answer="reanchor")


def test_the_block_says_where_the_task_stands() -> None:
    assert told(under_way()) == "\n".join(
        [
            ENGLISH.head,
            ENGLISH.priority,
            "Goal: Grade the sales leads",
            "Finished:",
            "- 1 collect; product: rows; collect went well",
            "- 2 clean; product: leads; clean went well",
            "Now: Step 3 of 5; score: a number from 0 to 100 for each lead",
            "- inputs: leads",
            "- product: scores",
            "- done when: scores fits its schema; 20 rows",
            "Next: 4 grade; expected: grades",
            "Waiting:",
            "- grade waits for score",
            "- report waits for grade",
        ]
    )


def test_the_plan_has_a_line_for_each_step() -> None:
    assert plan_text(under_way(), SETTINGS, COUNT) == "\n".join(
        [
            ENGLISH.plan,
            "1. [done] collect -> rows",
            "2. [done] clean -> leads",
            "3. [now] score (leads) -> scores; a number from 0 to 100 for each lead; done when: scores fits its schema; 20 rows",
            "4. [open] grade (scores) -> grades; after score",
            "5. [open] report (grades) -> report; optional; after grade",
        ]
    )


def test_what_was_said_of_the_last_acts_is_shown() -> None:
    state = under_way()
    entered(
        e.ProposalRefused("score", "done", "'scores' has 12 rows,\n8 too few"),
        e.DriftFlagged((FLAG, ACT)),
        e.TaskNoted(("the currency",), ("the source may be down",)),
        e.Judged("verifier", "correct", step="score", corrections=("score all leads, not only the first page",)),
        state=state,
    )
    state.tried.append("scoring by country gave one class")
    text = told(state)
    for row in (
        "- score to done: 'scores' has 12 rows, 8 too few",
        "- looping [messages #12, #14, #16]: search was called 3 times with the same words",
        "- tunnel (change course now) [messages #20]: three times the rounds of other steps",
        "- the currency",
        "- the source may be down",
        "- score all leads, not only the first page",
        "- scoring by country gave one class",
    ):
        assert row in text.splitlines()


def test_a_stop_of_the_verifier_is_shown_and_a_word_on_an_interruption_is_not() -> None:
    state = entered(e.Judged("verifier", "terminate", step="score", reason="the source is gone"), state=under_way())
    assert "The verifier says: stop. the source is gone" in told(state)
    entered(e.Judged("interruption", "side_question", reason="weather"), state=state)
    assert "weather" not in told(state)


def test_chinese_where_the_goal_is_mostly_chinese() -> None:
    state = under_way("用 pandas 清洗销售线索并评分")
    text = told(state) + plan_text(state, SETTINGS, COUNT)
    assert "目标:用 pandas 清洗销售线索并评分" in text
    assert "当前:第 3 步,共 5 步;score" in text
    assert "下一步:4 grade;预期产出:grades" in text
    assert "3. [进行中] score" in text
    assert not any(word in text for word in ("Goal", "Now", "Next", "Plan"))


@pytest.mark.parametrize(
    ("goal", "chinese"),
    [("整理二十篇文章", True), ("translate 你好 into English", False), ("", False), ("記事を整理する", False), ("Grade", False)],
)
def test_the_language_is_that_of_the_goal(goal: str, chinese: bool) -> None:
    assert (words_for(goal) is CHINESE) == chinese


def test_without_a_task_there_is_nothing() -> None:
    state = entered(e.DriftFlagged((FLAG, ACT)))
    assert [made(state, SETTINGS, COUNT) for made in (state_text, plan_text, anchor_text)] == ["", "", ""]


def test_a_task_without_a_plan_asks_for_one() -> None:
    state = under_way(steps=())
    assert told(state).splitlines()[-1] == ENGLISH.no_plan
    assert plan_text(state, SETTINGS, COUNT) == ""


def test_all_finished_ended_and_parked() -> None:
    state = under_way(done=5)
    assert "All 5 steps are finished: hand over the result." in told(state)
    parked = entered(e.TaskSet("t2", "Answer the mail"), state=under_way())
    assert "- Grade the sales leads (2 of 5 steps finished)" in told(parked)
    alone = entered(e.TaskEnded("parked"), state=under_way())
    assert told(alone).splitlines() == ["Parked tasks:", "- Grade the sales leads (2 of 5 steps finished)"]
    entered(e.TaskEnded("done"), state=state)
    assert told(state).splitlines() == ["This task has ended (done).", "Goal: Grade the sales leads"]
    assert plan_text(state, SETTINGS, COUNT) == ""


def test_each_switch_is_its_own() -> None:
    state = entered(e.DriftFlagged((FLAG,)), state=under_way())
    assert told(state, state=False).splitlines()[0] == ENGLISH.flags
    assert "Goal" not in told(state, state=False)
    plain = under_way()
    assert told(plain, state=False) == ""
    assert plan_text(plain, steering(plan=False), COUNT) == ""
    # the priority of C9 stands once, whichever of the two is on
    assert ENGLISH.priority not in plan_text(plain, SETTINGS, COUNT)
    assert ENGLISH.priority in plan_text(plain, steering(state=False), COUNT)


def test_long_plans_fold_what_is_finished_to_ranges() -> None:
    steps = tuple(PlanStep(f"sort folder {n} of the archive by year and by sender", output=f"sorted-{n}") for n in range(1, 61))
    state = under_way(steps=steps, done=40)
    text, plan = told(state), plan_text(state, SETTINGS, COUNT)
    assert COUNT(text) <= 500
    assert COUNT(plan) <= 700
    assert "- steps 1-32 done" in text
    assert "- 40 sort folder 40 of the archive" in text
    assert "Now: Step 41 of 60; sort folder 41" in text
    assert "Next: 42 sort folder 42" in text
    assert "41. [now] sort folder 41" in plan
    assert "steps 1-" in plan


def test_the_block_stays_as_it_is_while_nothing_moves() -> None:
    state = under_way()
    before = told(state), plan_text(state, SETTINGS, COUNT)
    state.round += 7
    entered(e.Acted(()), state=state)
    assert (told(state), plan_text(state, SETTINGS, COUNT)) == before


def test_a_reanchor_flag_states_goal_step_and_rules_again() -> None:
    state = under_way()
    state.pins["p1"] = Pin("p1", "amounts in euros")
    state.items["c1"] = SummaryItem("c1", "constraint", "twenty leads a page", (3,))
    assert anchor_text(state, SETTINGS, COUNT) == ""
    entered(e.DriftFlagged((ACT,)), state=state)
    lines = anchor_text(state, SETTINGS, COUNT).splitlines()
    assert lines[:3] == [ENGLISH.anchor, "Goal: Grade the sales leads", "Now: Step 3 of 5; score: a number from 0 to 100 for each lead"]
    assert {"- amounts in euros", "- twenty leads a page"} <= set(lines)
    entered(e.DriftFlagged(ended=("f2",)), state=state)
    assert anchor_text(state, SETTINGS, COUNT) == ""


# ------------------------------------------------------------ any plan

ANY = st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from(("字" * 4_000, "w" * 5_000, "一 二\n三", "🦄" * 300, ""))
FLAGS = st.builds(
    Flag, ANY, st.just("looping"), st.sampled_from(("signal", "act")), st.just("d"), ANY, st.just((7, 9)), answer=st.just("reanchor")
)


@st.composite
def states(draw: st.DrawFn) -> SessionState:
    """Any plan at any place, valid or not: a state block must come of it all the same."""
    names = draw(st.lists(ANY, max_size=60, unique=True))
    steps = tuple(
        PlanStep(
            name,
            after=tuple(names[:place][-2:]),
            inputs=(draw(ANY),),
            output=draw(ANY),
            about=draw(ANY),
            done_when=tuple(Condition("text", draw(ANY), value="x") for _ in range(draw(st.integers(0, 5)))),
        )
        for place, name in enumerate(names)
    )
    state = entered(e.TaskSet("t1", draw(ANY), steps), e.TaskSet("t2", draw(ANY), steps))
    assert state.task is not None
    done = draw(st.integers(0, len(steps)))
    records = {
        step.name: StepRecord("done" if place < done else "active" if place == done else "open", line=draw(ANY))
        for place, step in enumerate(steps)
    }
    state.task = replace(state.task, records=records, missing=tuple(draw(st.lists(ANY, max_size=20))), risks=(draw(ANY),))
    for _ in range(draw(st.integers(0, 4))):
        entered(e.ProposalRefused(draw(ANY), draw(ANY), draw(ANY)), state=state)
    entered(e.DriftFlagged(tuple(draw(st.lists(FLAGS, max_size=6)))), state=state)
    entered(e.Judged("milestone", "correct", corrections=tuple(draw(st.lists(ANY, max_size=6)))), state=state)
    state.tried += draw(st.lists(ANY, max_size=5))
    return state


@given(states(), st.sampled_from((100, 130, 200, 500)), st.booleans())
def test_the_caps_hold_for_any_plan(state: SessionState, cap: int, on: bool) -> None:
    settings = steering(state_max_tokens=cap, plan_max_tokens=cap, state=on)
    texts = [made(state, settings, COUNT) for made in (state_text, plan_text, anchor_text)]
    assert all(COUNT(text) <= cap for text in texts)
    assert [made(state, settings, COUNT) for made in (state_text, plan_text, anchor_text)] == texts


@given(
    st.integers(0, 59),
    st.integers(1, 60),
    st.sampled_from(("Sort the archive of the house by year. " * 40, "把档案按年份整理好并写出报告。" * 60)),
)
def test_what_is_current_is_never_lost(done: int, total: int, goal: str) -> None:
    """At the default caps: goal, step, next step, the newest refusal, an open flag with its evidence, a correction."""
    done = min(done, total - 1)
    steps = tuple(
        PlanStep(
            f"step-{n:02}",
            (f"step-{n - 1:02}",) if n > 1 else (),
            output=f"out-{n:02}",
            about="long words " * 60,
            done_when=(Condition("text", "c " * 200, value="c"),) * 9,
        )
        for n in range(1, total + 1)
    )
    state = under_way(goal, steps, done)
    name = steps[done].name
    entered(*(e.ProposalRefused(f"step-{n:02}", "done", f"reason-{n} " + "r " * 300) for n in range(5)), state=state)
    entered(
        e.DriftFlagged((replace(ACT, text="t " * 300), *(replace(FLAG, flag_id=f"s{n}", text="t " * 300) for n in range(9)))), state=state
    )
    entered(e.Judged("verifier", "correct", corrections=("mend " + "m " * 300,)), state=state)
    state.tried += ["tried " * 100] * 5
    words, text = words_for(goal), told(state)
    assert COUNT(text) <= SETTINGS.steering.state_max_tokens
    assert words.goal.format(goal[:8]) in text
    assert name in text
    assert done + 1 == total or f"step-{done + 2:02}" in text
    assert "step-04" in text
    assert "reason-4" in text
    assert "tunnel (" in text
    assert "mend" in text
    assert "tried" in text
    plan = plan_text(state, SETTINGS, COUNT)
    assert COUNT(plan) <= SETTINGS.steering.plan_max_tokens
    assert f"{done + 1}. [{words.marks[1]}] {name}" in plan
