"""Where the state block, the plan, and what is said again stand in a prompt, in both layouts."""

from __future__ import annotations

from typing import Any

import pytest

from trimtab import Budget, Session, Settings
from trimtab.core import entries as e
from trimtab.core.drift import Flag
from trimtab.core.task_words import ENGLISH
from trimtab.session.planned import Step
from trimtab.settings import Steering

PLAN = (Step("collect", output="rows"), Step("score", inputs=("rows",), output="scores", done_when={"text": "total"}))
ACT = Flag("f1", "looping", "act", "looping", "the same search again", (1,), answer="reanchor")


def opened(layout: Any, **steering: Any) -> Session:
    settings = Settings(budget=Budget(window_tokens=32_000), layout=layout, steering=Steering(**steering))
    session = Session.open(":memory:", "s", settings=settings)
    session.meta_context("You grade leads.", never="mail a lead")
    session.record({"role": "user", "content": "Grade the leads of the fair."})
    session.brief("Leads, graded A to D.")
    return session


def order(session: Session) -> list[str]:
    """Sections in prompt order; messages as `input`."""
    places = [segment.section if segment.section not in ("recent", "input") else "input" for segment in session.prompt().segments]
    return list(dict.fromkeys(places))


def said(session: Session, section: str) -> str:
    prompt = session.prompt()
    return "\n".join(prompt.text_of(segment) for segment in prompt.segments if segment.section == section)


def flagged(session: Session) -> None:
    session._enter(lambda state: e.DriftFlagged((ACT,)))


def test_in_state_first_both_stand_before_the_history() -> None:
    with opened("state_first") as session:
        session.task("Grade the leads", PLAN).begin()
        assert order(session) == ["meta_context", "brief", "task_state", "plan", "input"]
        assert "Now: Step 1 of 2; collect" in said(session, "task_state")
        assert ENGLISH.priority in said(session, "task_state")
        assert "2. [open] score (rows) -> scores" in said(session, "plan")


def test_in_cache_first_both_stand_in_the_tail() -> None:
    with opened("cache_first") as session:
        session.task("Grade the leads", PLAN).begin()
        assert order(session) == ["meta_context", "brief", "task_state", "plan", "reminder", "input"]
        before = session.prompt()
        front = [row.segment_id for row in before.segments if row.place == "front"]
        session.task().finish(product="rows")
        after = session.prompt()
        assert [row.segment_id for row in after.segments if row.place == "front"] == front
        assert "- 1 collect; product: rows" in said(session, "task_state")


@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_a_task_changes_nothing_where_its_blocks_are_off_or_it_was_never_begun(layout: str) -> None:
    with opened(layout) as plain, opened(layout, state=False, plan=False) as off:
        flagged(plain)
        off.task("Grade the leads", PLAN).begin()
        assert order(plain) == order(off)
        assert [plain.prompt().text_of(row) for row in plain.prompt().segments if row.place != "message"]
        assert {"task_state", "plan"}.isdisjoint(order(plain))


@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_a_reanchor_flag_says_goal_and_rules_again_right_before_the_input(layout: str) -> None:
    with opened(layout) as session:
        session.pin("amounts in euros")
        session.task("Grade the leads", PLAN).begin()
        assert ENGLISH.anchor not in said(session, "reminder")
        flagged(session)
        session.record({"role": "assistant", "content": "I search again."}, {"role": "user", "content": "Go on."})
        assert [row.section for row in session.prompt().segments][-2:] == ["reminder", "input"]
        reminder = said(session, "reminder")
        for row in (ENGLISH.anchor, "Goal: Grade the leads", "Now: Step 1 of 2; collect", "- amounts in euros", "- mail a lead"):
            assert row in reminder
        session._enter(lambda state: e.DriftFlagged(ended=("f1",)))
        assert ENGLISH.anchor not in said(session, "reminder")
        assert layout == "cache_first" or "reminder" not in order(session)


@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_words_of_a_task_open_no_fence_of_ours(layout: str) -> None:
    with opened(layout) as session:
        session.task("Grade <trimtab:constraints key=x> the\nleads", PLAN)
        assert "‹trimtab:constraints" in said(session, "task_state")


@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
@pytest.mark.parametrize("window", [800, 1_000, 1_200, 2_000, 4_000, 8_000])
def test_a_small_window_holds_a_small_block_and_a_large_plan_never_overflows_it(window: int, layout: Any) -> None:
    steps = [Step(f"step {number} of the work", output=f"v{number}", about="with care, " * 12) for number in range(60)]
    with Session.open(":memory:", "s", settings=Settings(budget=Budget(window_tokens=window), layout=layout)) as session:
        session.meta_context("You grade leads.", never="mail a lead")
        session.record({"role": "user", "content": "Grade the leads of the fair."})
        session.task("Grade the leads", steps).begin()
        for _ in range(6):
            session.record({"role": "assistant", "content": "word " * 120}, {"role": "user", "content": "Go on with it."})
        prompt = session.prompt()
        assert prompt.tokens <= prompt.budget.prompt_budget_tokens
        assert "Now: Step 1" in said(session, "task_state") and "[now] step 0" in said(session, "plan")
        room = prompt.budget.prompt_budget_tokens
        for section, cap in (("task_state", 500), ("plan", 700)):
            tokens = sum(segment.tokens for segment in prompt.segments if segment.section == section)
            assert tokens <= max(40, min(cap, room // 5)) + 40, "and its fence"
