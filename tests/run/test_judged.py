"""Runs with a verifier: its verdicts are told once, said to the model, heeded at the end, and outlive the process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.run.cases import CONTENT, PLAN, ROWS, WIRES, Heard, Verifier, opened, stock
from tests.run.models import Crash, Scripted, call, calls, done, say, text_of
from trimtab import Step, run_task
from trimtab.core.messages import WireName
from trimtab.run.judging import MOST_OBJECTIONS
from trimtab.testing import models

TWO = [Step("collect", output="rows"), Step("report", output="report")]
AUDITED = [Step("collect", output="rows", done_when={"verifier": "Is every row a name?"})]
SHORT = ("correct", "the report has no total", "Add the total.")


def move(step: str, status: str) -> Any:
    return call("update_task", step=step, status=status, because="the reviewer objects")


@pytest.mark.parametrize("wire", WIRES)
def test_every_finished_step_is_judged_once_and_told_once(wire: WireName) -> None:
    verifier, heard = Verifier(CONTENT), Heard()
    model = Scripted([done("collect", ROWS), say("I begin."), say("I go on."), done("report", "x"), say("There.")], wire)
    with opened(wire=wire, verifier=verifier) as session:
        assert run_task(model, session.task("Report", PLAN), on_event=heard).ok
    assert [(event.round, event.name) for event in heard.of("verdict")] == [(1, "continue"), (4, "continue")]
    assert len(verifier.asked) == 2
    assert "collect" in verifier.shown[0] and ROWS[2:5] in verifier.shown[0]


@pytest.mark.parametrize("state", [True, False])
@pytest.mark.parametrize("wire", WIRES)
def test_corrections_reach_the_model_and_the_step_is_done_again(wire: WireName, state: bool) -> None:
    verifier, heard = Verifier(CONTENT, SHORT, CONTENT), Heard()
    model = Scripted(
        [done("collect", ROWS), done("report", "Ada, Bo"), done("report", "Ada, Bo: 2"), say("There.")],
        wire,
    )
    with opened(wire=wire, verifier=verifier, state=state) as session:
        outcome = run_task(model, session.task("Report", TWO), on_event=heard)
        assert (outcome.status, outcome.why) == ("done", "")
        assert session.read("report") == "Ada, Bo: 2"
    assert [event.name for event in heard.of("verdict")] == ["continue", "correct", "continue"]
    assert "Add the total." not in text_of(model.bodies[1]) and "Add the total." in text_of(model.bodies[2])


def test_the_next_step_is_not_begun_before_the_verdict() -> None:
    both = [("update_task", {"step": step, "status": "done"}) for step in ("collect", "report")]
    verifier, heard = Verifier(SHORT, CONTENT), Heard()
    model = Scripted([calls(*both), calls(*both), say("There.")])
    with opened(verifier=verifier) as session:
        assert run_task(model, session.task("Report", [Step("collect"), Step("report")]), on_event=heard).ok
    assert len(verifier.asked) == 3, "each is judged, also where one reply finishes both"
    results = [event.text for event in heard.of("result")]
    assert 'Under way: "collect"' in results[0] and "Add the total." in results[0]
    assert results[1].startswith("not done") and results[3].startswith('step "report" is done')


def test_a_hand_over_waits_for_the_objection_once_and_the_caller_is_told() -> None:
    """What a milestone finds is about no one step, so none is reopened by itself."""
    verifier = Verifier(stock("it is there", ("Never name a customer.", "it names Ada")))
    model = Scripted([done("write", "x"), say("There."), say("Ada is no customer. There.")])
    with opened(verifier=verifier, milestones=1) as session:
        outcome = run_task(model, session.task("Write it", [Step("write", output="report")]))
    assert (outcome.status, outcome.rounds) == ("done", 3)
    assert "it names Ada" in outcome.why and outcome.reply.startswith("Ada is no customer")
    assert "it names Ada" in text_of(model.bodies[1]) and "Not handed over yet" not in text_of(model.bodies[1])
    assert "Not handed over yet" in text_of(model.bodies[2])


def test_a_step_that_is_finished_in_the_words_that_hand_over_is_judged_too() -> None:
    verifier = Verifier(SHORT, CONTENT)
    model = Scripted([say("The step 'write' is done."), done("write"), say("There it is.")])
    with opened(verifier=verifier) as session:
        outcome = run_task(model, session.task("Write it", [Step("write")]))
    assert (outcome.status, outcome.why, len(verifier.asked)) == ("done", "", 2)
    assert "Add the total." in text_of(model.bodies[1])


def test_two_models_do_not_quarrel_for_ever() -> None:
    verifier = Verifier(SHORT)
    model = Scripted([*[done("write", "x")] * (MOST_OBJECTIONS + 1), say("There.")])
    with opened(verifier=verifier) as session:
        outcome = run_task(model, session.task("Write it", [Step("write", output="report")]))
    assert outcome.status == "done" and "no total" in outcome.why
    assert len(verifier.asked) == MOST_OBJECTIONS + 1


# ---------------------------------------------------------------- to stop


STOP = ("terminate", "the report breaks the rule", "Decide whether to publish.")


def test_a_run_that_was_stopped_stays_so_until_something_is_decided(tmp_path: Path) -> None:
    with opened(tmp_path / "db", verifier=Verifier(CONTENT, STOP)) as session:
        model = Scripted([done("collect", ROWS), done("report", "x")])
        outcome = run_task(model, session.task("Report", PLAN))
        assert (outcome.status, outcome.why, outcome.rounds) == ("stopped", "the report breaks the rule", 2)
    verifier = Verifier(CONTENT)
    with opened(tmp_path / "db", verifier=verifier) as session:
        task = session.task("Report", PLAN)
        again = run_task(Scripted([]), task)
        assert (again.status, again.why, again.rounds, verifier.asked) == ("stopped", "the report breaks the rule", 0, [])
        task.reopen("report", "it names somebody")
        assert run_task(Scripted([move("report", "begin"), done("report", "y"), say("There.")]), task).ok


def test_what_the_user_says_lets_a_stopped_run_go_on() -> None:
    with opened(verifier=Verifier(STOP)) as session:
        task = session.task("Report", [Step("write"), Step("send")])
        assert run_task(Scripted([done("write")]), task).status == "stopped"
        session.record({"role": "user", "content": "It may be published."})
        outcome = run_task(Scripted([done("send")]), task)
        assert (outcome.status, outcome.rounds) == ("stopped", 1), "the next step is judged anew"


def test_what_on_event_answers_to_the_verdict_is_the_users_decision() -> None:
    heard = Heard(lambda event: "It may be published." if event.kind == "verdict" else None)
    with opened(verifier=Verifier(STOP)) as session:
        task = session.task("Report", [Step("write")])
        assert run_task(Scripted([done("write")]), task, on_event=heard).status == "stopped"
        model = Scripted([say("Published.")])
        assert run_task(model, task).ok
        assert "It may be published." in text_of(model.bodies[0])


# ---------------------------------------------------------------- no verdict, and a process that ended


@pytest.mark.parametrize("kind", [models.Silent, models.BrokenJson, models.Raising, models.TooLong])
def test_a_verifier_that_gives_no_verdict_costs_nothing(kind: type[models.ScriptedModel]) -> None:
    heard = Heard()
    with opened(verifier=kind()) as session:
        assert run_task(
            Scripted([done("collect", ROWS), done("report", "x"), say("There.")]), session.task("Report", PLAN), on_event=heard
        ).ok
    assert [event.name for event in heard.of("verdict")] == ["none", "none"] and all(event.text for event in heard.of("verdict"))


def test_a_step_that_was_finished_before_a_crash_is_judged_after_it(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as session:
        session.record({"role": "user", "content": "Report."})
        task = session.task("Report", TWO)
        task.begin()
        task.finish(product=ROWS)
    verifier, heard = Verifier(SHORT, CONTENT), Heard()
    with opened(tmp_path / "db", verifier=verifier) as session:
        model = Scripted([done("collect", ROWS), done("report", "x"), say("There.")])
        assert run_task(model, session.task("Report", TWO), on_event=heard).ok
    assert [(event.round, event.name) for event in heard.of("verdict")] == [(0, "correct"), (1, "continue"), (2, "continue")]
    assert "Add the total." in text_of(model.bodies[0])


def test_what_was_judged_before_a_crash_is_not_judged_again_after_it(tmp_path: Path) -> None:
    with opened(tmp_path / "db", verifier=Verifier(CONTENT, SHORT)) as session, pytest.raises(Crash):
        run_task(Scripted([done("collect", ROWS), done("report", "x"), Crash()]), session.task("Report", TWO))
    verifier, heard = Verifier(CONTENT), Heard()
    with opened(tmp_path / "db", verifier=verifier) as session:
        model = Scripted([done("report", "y"), say("There now.")])
        outcome = run_task(model, session.task("Report", TWO), on_event=heard)
        assert (outcome.status, outcome.why, session.read("report")) == ("done", "", "y")
    assert [(event.round, event.name) for event in heard.of("verdict")] == [(1, "continue")]
    assert "Now: Step 2 of 2; report" in text_of(model.bodies[0]) and "Add the total." in text_of(model.bodies[0])


def test_an_objection_that_a_crash_came_upon_is_seen_to(tmp_path: Path) -> None:
    """The verdict is entered, and the step was not yet put under way again."""
    with opened(tmp_path / "db", verifier=Verifier(SHORT)) as session:
        session.record({"role": "user", "content": "Write it."})
        task = session.task("Write it", [Step("write", output="report")])
        task.begin()
        task.finish(product="x")
        session.maintain()
    with opened(tmp_path / "db", verifier=Verifier(CONTENT)) as session:
        model = Scripted([done("write", "y"), say("There.")])
        assert run_task(model, session.task("Write it", [Step("write", output="report")])).why == ""
        assert session.read("report") == "y"
    assert "Add the total." in text_of(model.bodies[0])


def test_a_call_that_is_run_again_after_a_crash_may_be_the_one_that_stops_the_run(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as session:
        task = session.task("Report", TWO)
        session.record({"role": "user", "content": "Report."})
        task.begin()
        function = {"name": "update_task", "arguments": '{"step": "collect", "status": "done", "product": "[1]"}'}
        session.record({"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]})
    with opened(tmp_path / "db", verifier=Verifier(STOP)) as session:
        outcome = run_task(Scripted([]), session.task("Report", TWO))
        assert (outcome.status, outcome.rounds, session.open_calls()) == ("stopped", 0, ())


# ---------------------------------------------------------------- conditions, milestones


@pytest.mark.parametrize("wire", WIRES)
def test_a_condition_that_a_verifier_answers(wire: WireName) -> None:
    held = '{"reason": "7 is no name", "holds": false}', '{"reason": "all are names", "holds": true}'
    verifier = Verifier(*held, CONTENT)
    model = Scripted([done("collect", '["Ada", 7]'), done("collect", ROWS), say("There.")], wire)
    with opened(wire=wire, verifier=verifier) as session:
        assert run_task(model, session.task("Report", AUDITED)).ok
        assert session.read("rows") == ["Ada", "Bo"]
    assert "7 is no name" in text_of(model.bodies[1])


def test_milestones_ask_the_three_questions(tmp_path: Path) -> None:
    steps = [Step(f"part {number}") for number in range(1, 5)]
    broken = ("Never name a customer.", "part 2 names Ada")
    verifier, heard = Verifier(stock("half is there", broken)), Heard()
    with opened(tmp_path / "db", verifier=verifier, milestones=2) as session:
        task = session.task("Write the parts", steps)
        session.record({"role": "user", "content": "Write them. Never name a customer."})
        verifier.answers = (CONTENT, stock("half is there", broken))
        run_task(Scripted([done("part 1"), done("part 2")]), task, on_event=heard, max_rounds=2)
    assert [(event.name, event.value.kind) for event in heard.of("verdict")] == [("continue", "verifier"), ("correct", "milestone")]
    assert "Never name a customer." in verifier.shown[1] and "which of these steps left the plan" in verifier.shown[1]
    verifier, heard = Verifier(CONTENT, stock("all is there")), Heard()
    with opened(tmp_path / "db", verifier=verifier, milestones=2) as session:
        model = Scripted([done("part 3"), done("part 4"), say("There.")])
        assert run_task(model, session.task("Write the parts", steps), on_event=heard).ok
    assert "part 2 names Ada" in text_of(model.bodies[0])
    assert [(event.name, event.value.kind) for event in heard.of("verdict")] == [("continue", "verifier"), ("continue", "milestone")]


def test_with_the_switch_off_nobody_is_asked() -> None:
    verifier = Verifier(STOP)
    with opened(verifier=verifier, judging=False) as session:
        assert run_task(Scripted([done("collect", ROWS), done("report", "x"), say("There.")]), session.task("Report", PLAN)).ok
    assert verifier.asked == []
