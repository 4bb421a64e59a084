"""Runs that drift: back to the newest checkpoint with what failed, stopped until somebody answers; the same after a crash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.run.cases import ROWS, WIRES, Heard, World, opened
from tests.run.models import Scripted, call, calls, done, say, text_of
from trimtab import Step, run_task
from trimtab.core.messages import WireName
from trimtab.run.standing import to_go_back

PLAN = [Step("collect", output="rows", milestone=True), Step("report", inputs="rows", output="report")]
FAILED = "fetch was called 3 times with the same arguments and the same result"
AROUND = [call("fetch", page=1)] * 3


def collected() -> Any:
    """The step is finished in the middle of a reply."""
    done_now = ("update_task", {"step": "collect", "status": "done", "product": ROWS})
    return calls(("fetch", {"page": 1}), done_now, ("fetch", {"page": 2}))


@pytest.mark.parametrize("state", [True, False])
@pytest.mark.parametrize("wire", WIRES)
def test_it_goes_back_and_the_model_hears_what_failed(wire: WireName, state: bool) -> None:
    world, heard = World(), Heard()
    model = Scripted([collected(), *AROUND, done("report", "x"), say("There.")], wire)
    with opened(wire=wire, on_flag="rollback", state=state) as session:
        outcome = run_task(model, session.task("Report", PLAN), [world.fetch], on_event=heard)
        assert (outcome.status, outcome.rounds, outcome.flags) == ("done", 6, ())
        assert session.read("rows") == ["Ada", "Bo"], "what was made before it stands"
    (back,) = heard.of("rollback")
    assert (back.name, back.text, back.value.kind) == ("collect done", FAILED, "looping")
    after = text_of(model.bodies[4])
    assert len(model.bodies[4]["messages"]) < len(model.bodies[3]["messages"])
    assert f"what came after it failed: {FAILED}" in after
    assert "interrupted" not in after and "collect" in after and '{"page":2' in after, "its results are kept"
    if state:
        assert "Tried and failed, do not repeat:" in after and "Now: Step 2 of 2; report" in after


def test_it_does_not_go_back_for_ever() -> None:
    heard = Heard()
    model = Scripted([collected(), *AROUND * 9])
    with opened(on_flag="rollback") as session:
        outcome = run_task(model, session.task("Report", PLAN), [World().fetch], on_event=heard)
        assert outcome.status == "drifted" and FAILED in outcome.why
        assert [flag.kind for flag in outcome.flags] == ["looping"]
    assert len(heard.of("rollback")) == 1 and outcome.rounds == 1 + 3 * 2, "the second time for the same it stops"


def test_where_there_is_no_checkpoint_it_stops() -> None:
    with opened(on_flag="rollback", checkpoints=False) as session:
        outcome = run_task(Scripted([collected(), *AROUND]), session.task("Report", PLAN), [World().fetch])
        assert outcome.status == "drifted" and FAILED in outcome.why


def test_a_checkpoint_of_an_earlier_task_is_none_to_go_back_to() -> None:
    with opened(on_flag="rollback", checkpoints=False) as session:
        session.checkpoint("before")
        outcome = run_task(Scripted([collected(), *AROUND]), session.task("Report", PLAN), [World().fetch])
        assert outcome.status == "drifted" and to_go_back(session) == []
        assert "before" in session.state.checkpoints and session.state.task is not None


def test_a_flag_that_stops_keeps_another_from_going_back(tmp_path: Path) -> None:
    """The answer was changed between two processes: what was to go back is there still, what is to stop is new."""
    with opened(tmp_path / "db", on_flag="rollback") as session:
        run_task(Scripted([collected(), *AROUND]), session.task("Report", PLAN), [World().fetch], max_rounds=4)
        assert [flag.answer for flag in to_go_back(session)] == ["rollback"]
    with opened(tmp_path / "db", on_flag="stop") as session:
        session.record({"role": "assistant", "content": "All steps are finished. The task is complete."})
        assert sorted(flag.answer for flag in session.flags()) == ["rollback", "stop"]
        assert to_go_back(session) == []
        heard = Heard()
        outcome = run_task(Scripted([]), session.task("Report", PLAN), [World().fetch], on_event=heard)
        assert outcome.status == "drifted" and len(outcome.flags) == 2 and heard.of("rollback") == []


@pytest.mark.parametrize("wire", WIRES)
def test_a_process_that_ended_with_a_flag_goes_back_as_it_begins_anew(tmp_path: Path, wire: WireName) -> None:
    with opened(tmp_path / "db", wire, on_flag="rollback") as session:
        model = Scripted([collected(), *AROUND], wire)
        assert run_task(model, session.task("Report", PLAN), [World().fetch], max_rounds=4).status == "rounds"
        assert session.flags()
    world, heard = World(), Heard()
    with opened(tmp_path / "db", wire, on_flag="rollback") as session:
        model = Scripted([done("report", "x"), say("There.")], wire)
        outcome = run_task(model, session.task("Report", PLAN), [world.fetch], on_event=heard)
        assert (outcome.status, outcome.rounds) == ("done", 2)
    assert len(heard.of("rollback")) == 1 and world.done == []
    first = text_of(model.bodies[0])
    assert "interrupted" not in first and FAILED in first and "Now: Step 2 of 2; report" in first


def test_a_checkpoint_of_ones_own_in_the_middle_of_a_step() -> None:
    """The step stays under way, and what was said before stands."""
    with opened(on_flag="rollback") as session:
        task = session.task("Report", PLAN)
        assert run_task(Scripted([call("fetch", page=2)]), task, [World().fetch], max_rounds=1).status == "rounds"
        session.checkpoint("page 2 is read")
        model = Scripted([*AROUND, done("collect", ROWS), done("report", "x"), say("There.")])
        assert run_task(model, task, [World().fetch]).ok
        back = text_of(model.bodies[3])
        assert '"names":["Bo"]' in back and '"names":["Ada"]' not in back and "Now: Step 1 of 2; collect" in back


@pytest.mark.parametrize("wire", WIRES)
def test_a_run_that_drifted_stays_stopped_until_somebody_answers(tmp_path: Path, wire: WireName) -> None:
    with opened(tmp_path / "db", wire, on_flag="stop") as session:
        outcome = run_task(Scripted([collected(), *AROUND], wire), session.task("Report", PLAN), [World().fetch])
        assert (outcome.status, outcome.rounds) == ("drifted", 4) and FAILED in outcome.why
    with opened(tmp_path / "db", wire, on_flag="stop") as session:
        task = session.task("Report", PLAN)
        again = run_task(Scripted([], wire), task, [World().fetch])
        assert (again.status, again.rounds) == ("drifted", 0) and again.flags[0].kind == "looping"
        session.answer_flag(again.flags[0].flag_id)
        assert run_task(Scripted([done("report", "x"), say("There.")], wire), task, [World().fetch]).ok
