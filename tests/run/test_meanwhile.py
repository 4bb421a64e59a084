"""What the user says while a run is on: input is taken in, a side question is answered beside it, another task parks this one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.run.cases import CONTENT, PLAN, ROWS, WIRES, Heard, Verifier, World, opened
from tests.run.models import Scripted, call, done, say, text_of
from trimtab import run_task
from trimtab.core.messages import WireName
from trimtab.errors import ModelError
from trimtab.run import Event

SIDE = "By the way, what is the capital of France?"
OTHER = "Forget this. New task: write a poem about tugboats."
GOAL = "Report on the names"


def at(round: int, *texts: str, kind: str = "reply") -> Heard:
    """A user who says this at a round, a text for each event of the kind."""
    waiting = list(texts)

    def says(event: Event) -> str | None:
        return waiting.pop(0) if waiting and event.kind == kind and event.round >= round else None

    return Heard(says)


@pytest.mark.parametrize("wire", WIRES)
def test_a_side_question_is_answered_on_a_lane_of_its_own(tmp_path: Path, wire: WireName) -> None:
    heard = at(1, SIDE)
    model = Scripted([call("fetch", page=1), say("Paris."), done("collect", ROWS), done("report", "x"), say("There.")], wire)
    with opened(tmp_path / "db", wire) as session:
        session.pin("Never name a customer.", "never")
        outcome = run_task(model, session.task(GOAL, PLAN), [World().fetch], on_event=heard)
        assert (outcome.status, outcome.rounds) == ("done", 4), "an answer beside it is no round"
        assert session.store.head(session._key).last_seq
        key = session._key
        other = type(key)(key.tenant_id, key.project_id, key.session_id, "aside-1")
        assert session.store.head(other).last_seq
    assert [(event.name, event.text) for event in heard.of("aside")] == [(SIDE, "Paris.")]
    aside = text_of(model.bodies[1])
    assert SIDE in aside and "Never name a customer." in aside and not model.bodies[1].get("tools")
    assert all("Paris" not in text_of(body) and SIDE not in text_of(body) for body in model.bodies[2:])
    assert "Now: Step 1 of 2; collect" in text_of(model.bodies[2])


def test_a_side_question_that_gets_no_answer_does_not_end_the_run() -> None:
    heard = at(1, SIDE)
    model = Scripted(
        [call("fetch", page=1), ModelError("http://h", "the endpoint is down"), done("collect", ROWS), done("report", "x"), say("There.")]
    )
    with opened() as session:
        assert run_task(model, session.task(GOAL, PLAN), [World().fetch], on_event=heard).ok
    (aside,) = heard.of("aside")
    assert aside.text == "" and "the endpoint is down" in str(aside.value)


@pytest.mark.parametrize("wire", WIRES)
def test_another_task_parks_this_one_and_it_is_resumed_where_it_stood(tmp_path: Path, wire: WireName) -> None:
    world = World()
    with opened(tmp_path / "db", wire) as session:
        model = Scripted([done("collect", ROWS), call("fetch", page=2)], wire)
        outcome = run_task(model, session.task(GOAL, PLAN), [world.fetch], on_event=at(2, OTHER))
        assert (outcome.status, outcome.why, outcome.rounds) == ("parked", OTHER, 2)
        assert session.state.task is None and [state.goal for state in session.tasks()] == [GOAL]
    with opened(tmp_path / "db", wire) as session:
        model = Scripted([say("Toot, toot. All is done.")], wire)
        outcome = run_task(model, "A poem about tugboats", session=session)
        assert (outcome.status, outcome.reply) == ("answered", "Toot, toot. All is done.")
        assert OTHER in text_of(model.bodies[0])
    with opened(tmp_path / "db", wire) as session:
        model = Scripted([done("report", "x"), say("Ada and Bo.")], wire)
        outcome = run_task(model, session.task(GOAL, PLAN), [world.fetch])
        assert (outcome.status, outcome.reply, outcome.rounds) == ("done", "Ada and Bo.", 2)
        assert session.read("rows") == ["Ada", "Bo"]
    first = text_of(model.bodies[0])
    assert "Now: Step 2 of 2; report" in first and first.index("Toot") < first.index(f"Back to this task: {GOAL}")


def test_a_parked_task_is_resumed_by_its_handle_too_and_without_another_in_between() -> None:
    with opened() as session:
        task = session.task(GOAL, PLAN)
        assert run_task(Scripted([call("fetch", page=1)]), task, [World().fetch], on_event=at(1, OTHER)).status == "parked"
        model = Scripted([done("collect", ROWS), done("report", "x"), say("There.")])
        assert run_task(model, task, [World().fetch]).ok
        first = text_of(model.bodies[0])
        assert first.index(OTHER) < first.index(f"Back to this task: {GOAL}")


def test_the_answer_to_one_question_is_not_taken_for_that_to_the_next() -> None:
    with opened() as session:
        assert run_task(Scripted([say("42.")]), "What is six times seven?", session=session).reply == "42."
        model = Scripted([say("9.")])
        outcome = run_task(model, "What is three times three?", session=session)
        assert (outcome.reply, outcome.rounds) == ("9.", 1)
        assert model.bodies[0]["messages"][-1]["content"].endswith("What is three times three?")
        assert run_task(Scripted([]), "What is three times three?", session=session).reply == "9."


def test_a_parked_question_without_a_plan_is_not_answered_by_what_was_said_since() -> None:
    with opened() as session:
        task = session.task("How many work at Arbor?")
        assert run_task(Scripted([call("fetch", page=1)]), task, [World().fetch], on_event=at(1, OTHER)).status == "parked"
        assert run_task(Scripted([say("Toot, toot.")]), "A poem about tugboats", session=session).ok
        outcome = run_task(Scripted([say("They are 40.")]), task, [World().fetch])
        assert (outcome.reply, outcome.rounds) == ("They are 40.", 1)


def test_a_tool_that_begins_another_task_parks_this_one() -> None:
    with opened() as session:

        def switch() -> None:
            """Begin another task."""
            session.task("A poem about tugboats")

        task = session.task(GOAL, PLAN)
        outcome = run_task(Scripted([call("switch")]), task, [switch])
        assert (outcome.status, outcome.rounds) == ("parked", 1) and task.state.status("collect") == "active"


# ---------------------------------------------------------------- nothing is lost


def test_what_comes_with_another_task_is_that_ones() -> None:
    heard = Heard(lambda event: {"reply": "Also add the city.", "call": OTHER, "result": "It has to rhyme."}.get(event.kind))
    with opened() as session:
        assert run_task(Scripted([call("fetch", page=1)]), session.task(GOAL, PLAN), [World().fetch], on_event=heard).status == "parked"
        model = Scripted([say("Toot.")])
        assert run_task(model, "A poem about tugboats", session=session).ok
    said = text_of(model.bodies[0])
    assert said.rindex("Also add the city.") < said.rindex(OTHER) < said.rindex("It has to rhyme.")


@pytest.mark.parametrize("kind", ["reply", "end"])
def test_what_is_said_as_the_run_ends_stands_in_the_session(kind: Any) -> None:
    with opened() as session:
        task = session.task(GOAL, PLAN)
        assert (
            run_task(Scripted([done("collect", ROWS)]), task, on_event=at(1, "Also add the city.", kind=kind), max_rounds=1).status
            == "rounds"
        )
        model = Scripted([done("report", "x"), say("There.")])
        assert run_task(model, task, on_event=at(2, "Thank you!", kind="end")).ok
        assert "Also add the city." in text_of(model.bodies[0])
        assert "Thank you!" in [session.read(f"#{unit.key}") for unit in session.state.units]


def test_a_side_question_after_the_last_round_is_answered_still() -> None:
    heard = at(1, SIDE)
    with opened() as session:
        outcome = run_task(
            Scripted([call("fetch", page=1), say("Paris.")]), session.task(GOAL, PLAN), [World().fetch], on_event=heard, max_rounds=1
        )
        assert (outcome.status, outcome.rounds) == ("rounds", 1) and heard.of("aside")[0].text == "Paris."


# ---------------------------------------------------------------- the switch, and a second opinion


def test_with_the_switch_off_everything_is_input() -> None:
    heard = at(1, SIDE, OTHER)
    model = Scripted([call("fetch", page=1), done("collect", ROWS), done("report", "x"), say("There.")])
    with opened(interruptions=False) as session:
        assert run_task(model, session.task(GOAL, PLAN), [World().fetch], on_event=heard).ok
    assert SIDE in text_of(model.bodies[1]) and OTHER in text_of(model.bodies[2]) and not heard.of("aside")


def test_the_verifiers_model_sorts_what_code_is_not_sure_of() -> None:
    doubtful = "Which penguins live farthest from the pole?"
    aside = '{"reason": "the task does not need it", "kind": "side_question"}'
    heard, verifier = at(1, doubtful), Verifier(aside, CONTENT)
    model = Scripted([call("fetch", page=1), say("No."), done("collect", ROWS), done("report", "x"), say("There.")])
    with opened(verifier=verifier) as session:
        assert run_task(model, session.task(GOAL, PLAN), [World().fetch], on_event=heard).ok
    assert doubtful in verifier.shown[0] and [event.name for event in heard.of("verdict")] == ["continue", "continue"]
    assert [event.text for event in heard.of("aside")] == ["No."]
