"""The loop: steps move on proof, nothing runs on a mismatch, calls run as they may, and a crash costs nothing."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.run.cases import PLAN, ROWS, WIRES, World, opened
from tests.run.models import Crash, Scripted, Streaming, call, calls, done, say, text_of
from trimtab import Step, Toolset, run_task
from trimtab.core.messages import WireName
from trimtab.errors import BadSetting, ConfigError
from trimtab.run import INTERRUPTED, Event, Outcome, arun_task, idempotent


def carried_out(*, wire: WireName = "openai_chat") -> list[Any]:
    return [
        calls(("fetch", {"page": 1}), ("fetch", {"page": 2})),
        done("collect", ROWS),
        done("report", "Ada and Bo"),
        say("Here you are: Ada and Bo."),
    ]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("wire", WIRES)
def test_a_task_is_carried_out_step_by_step(wire: WireName, streamed: bool) -> None:
    model = (Streaming if streamed else Scripted)(carried_out(wire=wire), wire)
    world, events = World(), list[Event]()

    def keep(event: Event) -> None:
        events.append(event)

    with opened(wire=wire) as session:
        task = session.task("Report on the names", PLAN)
        outcome = run_task(model, task, [world.fetch], on_event=keep, system="You are brief.")
        assert (outcome.status, outcome.rounds, outcome.ok) == ("done", 4, True)
        assert outcome.reply == "Here you are: Ada and Bo."
        assert session.read("rows") == ["Ada", "Bo"] and session.read("report") == "Ada and Bo"
        assert task.state.ended == "done"
        assert world.done == ["fetch 1", "fetch 2"]
        assert session.state.last is not None and session.last_request == 4
    first = text_of(model.bodies[0])
    assert "You are brief." in first and "Goal: Report on the names" in first and "Now: Step 1 of 2; collect" in first
    assert "Now: Step 2 of 2; report" in text_of(model.bodies[2])
    moved = [(event.name, event.text) for event in events if event.kind == "moved"]
    assert moved == [("collect", "done"), ("report", "active"), ("report", "done")]
    assert [event.kind for event in events][-1] == "end" and isinstance(events[-1].value, Outcome)
    assert ("".join(event.text for event in events if event.kind == "piece") == outcome.reply) is streamed


def test_done_is_believed_on_proof_only_and_the_reason_comes_back() -> None:
    world = World()
    model = Scripted([done("collect", '["Ada"]'), done("report"), *carried_out()[1:]])
    events: list[Event] = []
    with opened() as session:
        outcome = run_task(model, session.task("Report", PLAN), [world.fetch], on_event=lambda event: events.append(event))
        assert outcome.ok
    assert "1 too few" in text_of(model.bodies[1]) and "not done" in text_of(model.bodies[1])
    assert next((event.name, event.kind) for event in events if event.kind == "refused") == ("collect", "refused")


def test_what_the_model_says_in_words_is_a_proposal() -> None:
    plan = [Step("read"), Step("write", output="text")]
    model = Scripted(
        [say("Step 1 is done because I read it all."), say("Step 'write' is done."), done("write", "words"), say("All is there.")]
    )
    with opened() as session:
        outcome = run_task(model, session.task("Write it up", plan))
        assert outcome.status == "done"
    assert "Accepted: step 'read' is done." in text_of(model.bodies[1])
    assert "Not accepted: step 'write' is not done" in text_of(model.bodies[2])


def test_what_the_loop_says_is_no_rule_and_no_turn() -> None:
    model = Scripted([say("Let me see."), say("Step: read. Only one more."), done("read"), say("Done.")])
    with opened(assertion="line") as session:
        task = session.task("Read it", [Step("read")])
        outcome = run_task(model, task, max_rounds=3)
        assert outcome.status == "rounds"
        assert session.state.turn == 1
        ruled = {item.text for item in session.state.items.values() if item.field in ("constraint", "format", "negative", "decision")}
        assert ruled <= {"Read it"}, "what the user said, and nothing else"
        assert "first line" in text_of(model.bodies[1]), "the correction is sent"


def test_nothing_runs_on_a_mismatch() -> None:
    world = World()
    model = Scripted(
        [
            calls(("fetch", {"page": 1}), text="Step: report\nI fetch."),
            calls(("fetch", {"page": 1}), text="Step: collect - I fetch."),
            calls(("update_task", {"step": "collect", "status": "done", "product": ROWS}), text="Step: collect"),
            calls(("update_task", {"step": "report", "status": "done", "product": "x"}), text="Step: report"),
            say("Step: none\nThere."),
        ]
    )
    kinds: list[str] = []
    with opened(assertion="line") as session:
        assert run_task(model, session.task("Report", PLAN), [world.fetch], on_event=lambda event: kinds.append(event.kind)).ok
    assert world.done == ["fetch 1"]
    assert "not run: You named 'report'" in text_of(model.bodies[1])
    assert kinds.count("correction") == 1
    assert "Begin each reply with the line" in text_of(model.bodies[0])


@pytest.mark.parametrize("wire", WIRES)
def test_the_argument_that_names_the_step_is_checked_and_taken_off(wire: WireName) -> None:
    world = World()
    model = Scripted(
        [call("fetch", page=1, step="report"), call("fetch", page=1, step="collect"), *carried_out()[1:]],
        wire,
    )
    with opened(wire=wire, assertion="argument") as session:
        assert run_task(model, session.task("Report", PLAN), [world.fetch]).ok
    assert world.done == ["fetch 1"]
    tool = model.bodies[0]["tools"][0]
    schema = tool["input_schema"] if wire == "anthropic" else tool["function"]["parameters"]
    assert schema["required"] == ["step", "page"]


def test_replies_for_another_step_do_not_go_on_for_ever() -> None:
    model = Scripted([say("I think.")] * 9)
    with opened(assertion="line") as session:
        outcome = run_task(model, session.task("Report", PLAN))
        assert (outcome.status, outcome.rounds) == ("stopped", 5) and "collect" in outcome.why


def test_what_a_tool_raises_is_its_result() -> None:
    model = Scripted([calls(("fetch", {"page": 9}), ("fetch", {"pag": 1}), ("fly", {})), say("No.")], "anthropic")
    with opened(wire="anthropic") as session:
        run_task(model, session.task("Report", PLAN), [World().fetch], max_rounds=2)
    blocks = model.bodies[1]["messages"][2]["content"]
    texts = [repr(block["content"]) for block in blocks if block["type"] == "tool_result"]
    assert "error: LookupError: there is no page 9" in texts[0]
    assert "unknown field `pag`" in texts[1] and "there is no tool 'fly'" in texts[2]
    assert [block["is_error"] for block in blocks if block["type"] == "tool_result"] == [True] * 3


def test_calls_that_only_read_run_beside_each_other_and_others_in_order() -> None:
    both = threading.Barrier(2, timeout=5)
    order: list[str] = []

    @idempotent
    def meet(who: str) -> str:
        """Wait for the other."""
        both.wait()
        return who

    def write(what: str) -> None:
        """Write."""
        order.append(what)

    model = Scripted(
        [calls(("write", {"what": "a"}), ("meet", {"who": "x"}), ("meet", {"who": "y"}), ("write", {"what": "b"})), say("There.")]
    )
    results: list[str] = []
    with opened() as session:
        task = session.task("Meet")
        run_task(model, task, [meet, write], on_event=lambda event: results.append(event.text) if event.kind == "result" else None)
    assert order == ["a", "b"] and results == ["no result", "x", "y", "no result"]


def test_a_task_without_a_plan_is_answered_or_gets_one() -> None:
    outcome = run_task(Scripted([say("42.")]), "What is six times seven?")
    assert (outcome.status, outcome.reply) == ("answered", "42.")
    model = Scripted([call("propose_plan", steps='[{"name": "think"}]'), done("think"), say("42.")])
    with opened() as session:
        outcome = run_task(model, "What is six times seven?", session=session)
        assert outcome.status == "done" and [step.name for step in session.task().state.steps] == ["think"]


def test_a_finished_task_returns_at_once(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as session:
        assert run_task(Scripted(carried_out()), session.task("Report", PLAN), [World().fetch]).ok
    with opened(tmp_path / "db") as session:
        again = run_task(Scripted([]), session.task("Report", PLAN))
        assert (again.status, again.rounds) == ("done", 0)


@pytest.mark.parametrize("wire", WIRES)
def test_after_a_crash_it_goes_on_where_it_stood(tmp_path: Path, wire: WireName) -> None:
    """One call was cut off, another may run again; neither the steps nor the rounds before are done anew."""
    world = World()

    async def cut(what: str) -> None:
        """Send it."""
        world.done.append(f"send {what}")
        raise asyncio.CancelledError

    tools = [world.fetch, world.look, {"name": "send", "run": cut}]
    first = Scripted([done("collect", ROWS), calls(("look", {"at": "door"}), ("send", {"what": "mail"}))], wire)
    with opened(tmp_path / "db", wire) as session, pytest.raises(asyncio.CancelledError):
        run_task(first, session.task("Report", PLAN), tools)
    second = Scripted([done("report", "x"), say("There.")], wire)
    with opened(tmp_path / "db", wire) as session:
        assert {item.name for item in session.open_calls()} >= {"send"}
        outcome = run_task(second, session.task("Report", PLAN), tools)
        assert outcome.ok and outcome.rounds == 2
        assert session.open_calls() == ()
    assert world.done.count("send mail") == 1
    assert INTERRUPTED in text_of(second.bodies[0]) and "door is fine" in text_of(second.bodies[0])


def test_a_crash_before_the_reply_or_after_the_last_word_costs_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as session, pytest.raises(Crash):
        run_task(Scripted([done("collect", ROWS), Crash()]), session.task("Report", PLAN))
    with opened(tmp_path / "db") as session:
        task = session.task("Report", PLAN)
        assert task.state.active is not None and task.state.active.name == "report"
        task.finish(product="x")
        session.record({"role": "assistant", "content": "Here it is."})
        outcome = run_task(Scripted([]), task)
        assert (outcome.status, outcome.reply, outcome.rounds) == ("done", "Here it is.", 0)


def test_a_reply_of_nothing_is_asked_for_again_and_then_given_up() -> None:
    with opened() as session:
        outcome = run_task(Scripted([say("")] * 4), session.task("Report", PLAN))
        assert (outcome.status, outcome.rounds) == ("stopped", 3)


def test_a_detector_that_stops_ends_the_run_and_an_answer_lets_it_go_on() -> None:
    world = World()
    with opened(on_flag="stop") as session:
        task = session.task("Report", PLAN)
        outcome = run_task(Scripted([call("fetch", page=1)] * 9), task, [world.fetch])
        assert outcome.status == "drifted" and outcome.rounds < 6
        assert [flag.kind for flag in outcome.flags] == ["looping"]
        session.answer_flag(outcome.flags[0].flag_id)
        assert run_task(Scripted([done("collect", ROWS), done("report", "x"), say("There.")]), task, [world.fetch]).ok


def test_a_flag_is_told_and_stands_in_the_next_prompt() -> None:
    flags: list[Event] = []
    model = Scripted([call("fetch", page=1)] * 4)
    with opened() as session:
        task = session.task("Report", PLAN)
        run_task(model, task, [World().fetch], max_rounds=4, on_event=lambda event: flags.append(event) if event.kind == "flag" else None)
    assert flags and flags[0].name == "looping" and flags[-1].text in text_of(model.bodies[-1])


def test_what_the_user_says_meanwhile_is_told_apart() -> None:
    said = iter(["Also add the city of each.", "", "By the way, what is the capital of France?"])
    model = Scripted(
        [call("fetch", page=1), call("fetch", page=2), done("collect", ROWS), say("Paris."), done("report", "x"), say("There.")]
    )
    asides: list[str] = []

    def listen(event: Event) -> str | None:
        if event.kind == "aside":
            asides.append(event.text)
        return next(said, "") if event.kind == "reply" else None

    with opened() as session:
        assert run_task(model, session.task("Report on the names", PLAN), [World().fetch], on_event=listen).ok
        texts = text_of(model.bodies[-1])
        assert "Also add the city of each." in texts and "Paris" not in texts
    assert asides == ["Paris."]


def test_another_task_parks_this_one() -> None:
    with opened() as session:
        outcome = run_task(
            Scripted([call("fetch", page=1)]),
            session.task("Report on the names", PLAN),
            [World().fetch],
            on_event=lambda event: "Forget this. New task: write a poem about tugboats." if event.kind == "result" else None,
        )
        assert outcome.status == "parked" and [state.goal for state in session.tasks()] == ["Report on the names"]


def test_a_toolset_of_the_callers_own_is_offered_once() -> None:
    model = Scripted([call("write_note", key="a", value="b"), *carried_out()])
    with opened() as session:
        task = session.task("Report", PLAN)
        assert run_task(model, task, [World().fetch, Toolset(session)]).ok
        assert session.read_note("a") == "b"
    names = [tool["function"]["name"] for tool in model.bodies[0]["tools"]]
    assert len(set(names)) == len(names) and {"fetch", "write_note", "update_task", "propose_plan"} <= set(names)


def test_two_tools_of_one_name_are_refused() -> None:
    with opened() as session, pytest.raises(BadSetting, match="update_task"):
        run_task(Scripted([]), session.task("Report", PLAN), [{"name": "update_task", "run": lambda: None, "parameters": {}}])


def test_inside_an_event_loop_it_is_awaited() -> None:
    async def inside() -> Outcome:
        with pytest.raises(ConfigError, match="arun_task"):
            run_task(Scripted([]), "x")
        return await arun_task(Scripted([say("42.")]), "What is six times seven?")

    assert asyncio.run(inside()).reply == "42."


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with opened() as session:
        run_task(Scripted(carried_out()), session.task("Report", PLAN), [World().fetch], show=True)
    shown = capsys.readouterr().err
    assert "fetch, fetch" in shown and "step 'collect' is done" in shown and "done" in shown
