"""The task of a session: what moves a step, what does not, and that it stands after everything that can happen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trimtab import Budget, Session, Settings
from trimtab.errors import BadPlan, IllegalMove, NoTask, OffStep
from trimtab.session.planned import Step
from trimtab.settings import Steering
from trimtab.tools import Toolset

SCHEMA = {"type": "array", "items": {"type": "object", "required": ["name"]}}
PLAN = (
    Step("collect", output="rows", done_when={"at_least": 2}, schema=SCHEMA, milestone=True),
    Step("score", inputs=("rows",), output="scores", done_when={"text": "total"}),
    Step("extra", after="collect", optional=True),
    Step("report", inputs=("scores",), output="report"),
)
ROWS = [{"name": "Ada"}, {"name": "Bo"}]


def opened(path: str | Path = ":memory:", **settings: Any) -> Session:
    return Session.open(path, "s", settings=Settings(budget=Budget(window_tokens=32_000), **settings))


def test_a_task_runs_from_its_first_step_to_its_last() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        assert task.begin().step == "collect"
        assert session.state.step == "collect"
        task.finish(product=ROWS)
        assert session.read("rows") == ROWS
        assert "collect done" in session.state.checkpoints
        task.begin("score")
        task.finish(product="total 3")
        task.begin("report")
        task.finish(product="# Report")
        assert task.state.finished
        task.end()
        assert task.state.ended == "done"
        assert session.task("Grade the leads", PLAN).state.ended == "done"


@pytest.mark.parametrize(
    ("product", "reason"),
    [
        (None, "its product 'rows' is not there"),
        ([{"name": "Ada"}], "1 too few"),
        ([{"nam": "Ada"}, {"name": "Bo"}], "'name' is a required property"),
        ("no JSON", "it is text and not JSON"),
    ],
)
def test_a_step_is_not_done_before_its_conditions_hold(product: Any, reason: str) -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        task.begin()
        with pytest.raises(IllegalMove) as caught:
            task.finish(product=product)
        assert reason in caught.value.reason
        assert task.state.status("collect") == "active"
        assert "rows" not in session.state.variables


def test_a_refused_proposal_is_told_in_the_next_prompt_until_the_step_moves() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        session.record({"role": "user", "content": "go"})
        answer = task.propose("score", "active", "I feel like it")
        assert not answer.ok
        assert "it waits for 'collect'" in answer.reason
        assert answer.reason in shown(session)
        task.begin("collect")
        task.finish(product=ROWS)
        task.begin("score")
        assert answer.reason not in shown(session)


def test_what_is_done_is_done_again_only_once_it_is_reopened_and_what_stands_on_it_too() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        for name, product in (("collect", ROWS), ("score", "total 3")):
            task.begin(name)
            task.finish(product=product)
        assert "reopen it first" in task.propose("collect", "active").reason
        task.reopen("collect", "two rows were missing")
        assert [task.state.status(name) for name in ("collect", "score")] == ["open", "open"]
        assert session.read("rows") == ROWS


def test_the_same_task_again_stands_where_it_stood(tmp_path: Path) -> None:
    with opened(tmp_path / "x.db") as session:
        session.task("Grade the leads", PLAN).begin()
        seq = session.state.seq
    with opened(tmp_path / "x.db") as session:
        task = session.task("Grade the leads", PLAN)
        assert (task.state.status("collect"), session.state.seq) == ("active", seq)


def test_another_goal_parks_the_task_and_resume_brings_it_back() -> None:
    with opened() as session:
        first = session.task("Grade the leads", PLAN)
        first.begin()
        other = session.task("Fix the printer")
        assert [row.task_id for row in session.tasks()] == [first.task_id]
        with pytest.raises(NoTask):
            first.finish(product=ROWS)
        session.resume(first.task_id)
        first.finish(product=ROWS)
        assert [row.task_id for row in session.tasks()] == [other.task_id]


def test_rollback_brings_the_task_back_as_it_was_and_carries_what_failed() -> None:
    with opened() as session:
        task = session.task("Grade the leads", PLAN)
        session.record({"role": "user", "content": "go"})
        task.begin()
        task.finish(product=ROWS)
        before = task.state
        task.begin("score")
        task.finish(product="total 9")
        left = session.rollback("collect done", failed="scoring by age gave no order")
        assert task.state == before
        assert "scores" not in session.state.variables
        assert "scoring by age gave no order" in shown(session)
        session.rollback("collect done", failed="scoring by town neither")
        assert session.state.tried == ["scoring by age gave no order", "scoring by town neither"]
        compared = session.compare(left)
        assert compared.variables == ("scores",)
        assert [name for name, _, _ in compared.steps] == ["score"]


def test_a_question_for_a_verifier_needs_one() -> None:
    with opened() as session, pytest.raises(BadPlan, match="only a verifier can answer"):
        session.task("Write", [Step("draft", done_when="Is it friendly?")])


def test_a_callable_that_is_gone_proves_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "x.db") as session:
        session.task("Write", [Step("draft", output="text", done_when=lambda text: len(text) > 3)]).begin()
    with opened(tmp_path / "x.db") as session:
        answer = session.task().propose("draft", "done", product="long enough")
        assert not answer.ok
        assert "is not proven" in answer.reason


def test_a_check_may_move_the_session_itself_and_is_made_again() -> None:
    seen: list[str] = []
    with opened() as session:

        def check(text: str) -> bool:
            seen.append(text)
            if len(seen) == 1:
                session.offload("draft", "changed meanwhile")
            return True

        task = session.task("Write", [Step("draft", output="draft", done_when=check)])
        session.offload("draft", "first")
        task.begin()
        task.finish()
        assert seen == ["first", "changed meanwhile"]
        assert task.state.records["draft"].version == 2


def test_the_agents_tool_moves_the_task_and_says_what_is_missing() -> None:
    with opened() as session:
        session.task("Grade the leads", PLAN)
        tools = Toolset(session)
        assert "update_task" in tools.names
        assert "Under way" in tools.run("update_task", {"step": "Collect", "status": "begin"})
        assert "1 too few" in tools.run("update_task", {"step": "collect", "status": "done", "product": '[{"name": "Ada"}]'})
        assert 'Next: "score"' in tools.run(
            "update_task", {"step": "collect", "status": "done", "product": '[{"name": "A"}, {"name": "B"}]'}
        )
        assert "use status" in tools.run("update_task", {"step": "collect", "status": "put_back"})
        assert len(session.read("rows")) == 2


def test_a_model_proposes_the_plan_but_no_command() -> None:
    with opened() as session:
        task = session.task("Write a report")
        refused = task.propose_plan('[{"name": "a", "done_when": {"command": "rm -rf x"}}]')
        assert not refused.ok
        assert "the caller's to name" in refused.reason
        assert task.propose_plan('```json\n{"步骤": [{"名称": "收集"}, {"名称": "撰写"}]}\n```').ok
        assert [step.name for step in task.state.steps] == ["收集", "撰写"]
        task.begin()
        task.finish()
        assert not task.propose_plan('[{"name": "撰写"}]').ok


def test_the_model_is_asked_for_its_step_and_a_correction_is_no_rule() -> None:
    with opened(steering=Steering(assertion="line")) as session:
        session.task("Grade the leads", PLAN).begin()
        session.record({"role": "user", "content": "Go."})
        assert "Begin each reply with the line" in shown(session)
        session.record({"role": "assistant", "content": "Step: report - I write it"})
        with pytest.raises(OffStep) as caught:
            session.asserted("Step: report - I write it")
        before, turn = dict(session.state.items), session.state.turn
        session.record({"role": "user", "content": caught.value.correction}, by_code=True)
        assert (session.state.items, session.state.turn) == (before, turn)
        assert "collect" in caught.value.correction and caught.value.correction in str(session.prompt().render()["messages"][-1]["content"])
    with opened() as session:
        session.task("Grade the leads", PLAN).begin()
        session.record({"role": "user", "content": "Go."})
        assert "Begin each reply with the line" not in shown(session)


def shown(session: Session) -> str:
    return str(session.prompt().render())
