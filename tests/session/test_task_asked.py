"""What callers and models say of a task in their own words: the goal alone, a number for a step, "finished" for done."""

from __future__ import annotations

from typing import Any

import pytest

from trimtab import Budget, Session, Settings
from trimtab.errors import BadSetting, IllegalMove, NoTask
from trimtab.session.planned import Step
from trimtab.tools import Toolset

PLAN = (Step("collect", output="rows"), Step("score", inputs=("rows",), output="scores"))


def opened() -> Session:
    session = Session.open(":memory:", "s", settings=Settings(budget=Budget(window_tokens=32_000)))
    session.record({"role": "user", "content": "Grade the leads."})
    return session


def test_the_goal_alone_finds_its_task_under_way_and_parked() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        task.begin()
        assert session.task("Grade the leads").task_id == task.task_id
        session.task("Another matter")
        assert [row.goal for row in session.tasks()] == ["Grade the leads"]
        assert session.task("Grade the leads").state.active is not None
        session.task("Another matter")
        assert len(session.tasks()) == 1, "neither came twice"


def test_what_has_ended_is_begun_anew_only_where_that_is_asked_for() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        task.end("given up", "no time")
        assert session.task("Grade the leads", PLAN).state.ended == "given up"
        with pytest.raises(IllegalMove, match="anew=True"):
            session.task("Grade the leads", PLAN).begin()
        again = session.task("Grade the leads", PLAN, anew=True)
        assert again.task_id != task.task_id and again.begin().step == "collect"
        assert session.task("Grade the leads", PLAN).task_id == again.task_id, "a restart goes on with it"
        assert session.task("Grade the leads", PLAN, anew=True).task_id == again.task_id, "it is under way"
        again.end("given up")
        third = session.task("Grade the leads", anew=True)
        assert [step.name for step in third.state.steps] == ["collect", "score"], "with the plan that it had"


def test_risks_are_noted_as_a_task_begins_and_a_restart_takes_back_no_later_ones() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN, risks=["slow"])
        task.note(risks=["slow", "dear"])
        assert session.task("Grade the leads", PLAN, risks=["slow"]).state.risks == ("slow", "dear")


@pytest.mark.parametrize("said", ["1", "collect", "Collect", " step 1 ", "1 collect", '"collect"', "步骤1"])
def test_a_step_is_meant_by_name_or_number(said: str) -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        assert task.propose(said, "active").ok
        assert task.state.active is not None and task.state.active.name == "collect"


@pytest.mark.parametrize("said", ["done", "Done", "finished", "completed", "完成"])
def test_a_status_is_meant_in_many_words(said: str) -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        assert task.propose("collect", "begin").ok
        assert task.propose("collect", said, product="r").ok


@pytest.mark.parametrize(("step", "to"), [("collect", "fine"), (None, None), (3.5, "done"), ("", "active"), ("nope", "done")])
def test_a_proposal_never_raises(step: Any, to: Any) -> None:
    with opened() as session:
        answer = session.task("Grade the leads", PLAN).propose(step, to)
        assert not answer.ok and answer.reason
        if to == "fine":
            assert "one of active, done, open, skipped" in answer.reason


def test_what_is_wrong_with_a_call_is_said_of_the_call() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        with pytest.raises(BadSetting, match="'done' or 'given up'"):
            task.end("over")  # type: ignore[arg-type]
        with pytest.raises(BadSetting, match="goal"):
            session.task(5)  # type: ignore[arg-type]
        task.begin()
        with pytest.raises(IllegalMove, match="'collect' is under way"):
            task.begin()


def test_the_product_of_a_finished_step_is_not_the_agents_to_change() -> None:
    with opened() as session:
        task, tools = session.task("Grade the leads", PLAN), Toolset(session)
        task.begin()
        assert "saved" in tools.run("save_variable", {"name": "rows", "value": "7"})
        task.finish()
        said = tools.run("save_variable", {"name": "rows", "value": "garbage"})
        assert "'rows' is its product and it is done; reopen it first" in said
        assert session.read("rows") == "7"
        task.reopen("collect", "the rows are old")
        assert "saved" in tools.run("save_variable", {"name": "rows", "value": "8"})
        task.begin("collect")
        task.finish("collect")
        session.offload("rows", "9")
        assert session.read("rows") == "9", "a caller may"


def test_a_step_that_was_opened_again_needs_another_product() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        task.begin()
        task.finish(product="bad")
        task.reopen("collect", "the rows are wrong")
        task.begin("collect")
        with pytest.raises(IllegalMove, match="still the one from before"):
            task.finish()
        assert task.finish(product="good").to == "done"


def test_what_was_stored_before_a_step_is_not_its_product() -> None:
    with opened() as session:
        session.offload("rows", "of another task")
        task = session.task("Grade the leads", PLAN)
        task.begin()
        assert "from before the step began" in getattr(task.propose("collect", "done", "all done"), "reason", "")
        task.put_back("collect", "later")
        task.begin("collect")
        session.offload("rows", "of this one")
        assert task.finish().version == 2


def test_an_input_that_is_gone_is_missed_at_the_end_too() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        task.begin()
        task.finish(product="r")
        task.begin()
        session.forget("rows")
        with pytest.raises(IllegalMove, match="input 'rows' is not there any more"):
            task.finish(product="s")


def test_the_plan_that_a_caller_gave_last_is_the_one_a_restart_goes_by() -> None:
    other = (Step("collect", output="rows"), Step("send", inputs=("rows",)))
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        session.task("Grade the leads", other)
        assert [step.name for step in session.task("Grade the leads", other).state.steps] == ["collect", "send"]
        assert [step.name for step in session.task("Grade the leads", PLAN).state.steps] == ["collect", "score"]
        assert task.propose_plan('[{"name": "collect"}, {"name": "score"}, {"name": "check", "after": ["score"]}]').ok
        seq = session.state.seq
        assert len(session.task("Grade the leads", PLAN).state.steps) == 3, "what the agent made of it stays"
        assert session.state.seq == seq


def test_a_step_that_is_done_may_be_worded_otherwise_at_a_restart() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        task.begin()
        task.finish(product="r")
        worded = (Step("collect", output="rows", about="from the fair", milestone=True), PLAN[1])
        state = session.task("Grade the leads", worded).state
        assert state.status("collect") == "done" and state.steps[0].about == "from the fair"


def test_a_handle_of_a_parked_task_says_how_to_bring_it_back() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        session.task("Another matter", [Step("x")])
        with pytest.raises(NoTask, match="resume"):
            task.begin("collect")


def test_to_finish_what_was_not_begun_says_so() -> None:
    with opened() as session, pytest.raises(IllegalMove, match="no step is under way; begin one first, the next is 'collect'"):
        session.task("Grade the leads", PLAN).finish(product="r")


def test_what_a_skipped_step_did_not_make_is_told() -> None:
    with opened() as session:
        session.task("Grade the leads", (Step("collect", output="rows", optional=True), PLAN[1])).skip("collect", "not now")
        shown = str(session.prompt().render())
        assert "score waits for rows" in shown
        session.offload("rows", "r")
        assert "score waits for" not in str(session.prompt().render())


def test_a_product_that_was_forgotten_is_made_anew() -> None:
    with opened() as session:
        for version in range(3):
            session.offload("rows", f"old {version}")
        task = session.task("Grade the leads", PLAN)
        task.begin()
        session.forget("rows")
        session.offload("rows", "new")
        assert task.finish().to == "done" and session.read("rows") == "new"
