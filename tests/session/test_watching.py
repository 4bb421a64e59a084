"""Detectors watch a task while its exchanges come in: what they find stands in the prompt, with its evidence, until it is over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.session.cases import opened, reply, settings, user
from trimtab import Session, Step
from trimtab.errors import Drifted
from trimtab.settings import Steering

PLAN = [Step("fetch", rounds=4), Step("report")]


def exchange(number: int, tool: str, arguments: dict[str, Any], result: str) -> list[dict[str, Any]]:
    call = {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": result},
    ]


def begun(path: str | Path = ":memory:", **steering: Any) -> Session:
    session = opened(path, settings=settings(steering=Steering(**steering)))
    task = session.task("Report on the leads", PLAN)
    if task.state.active is None:
        task.begin()
    if not session.state.messages:
        session.record(user("Go."))
    return session


def kinds(session: Session) -> list[tuple[str, str]]:
    return [(flag.kind, flag.tier) for flag in session.flags()]


def test_the_same_call_with_the_same_result_is_a_signal_and_then_no_doubt() -> None:
    with begun() as session:
        told = []
        for number in range(3):
            session.record(
                *exchange(number, "search", {"q": "leads", "request_id": number}, f"nothing found at 2026-01-01T10:00:0{number}")
            )
            told.append(kinds(session))
        assert told == [[], [("looping", "signal")], [("looping", "act")]]
        flag = session.flags()[0]
        assert "search was called 3 times" in flag.text
        assert list(flag.evidence) == [unit.key for unit in session.state.units if unit.role == "assistant"]
        assert flag.text in str(session.prompt().render())


def test_what_changes_is_no_loop() -> None:
    with begun() as session:
        for number in range(8):
            session.record(*exchange(number, "read_file", {"path": "a.csv", "offset": number * 100}, words(number)))
            session.record(*exchange(100 + number, "wait_for_job", {"job": 7}, "still running"))
        assert not [flag for flag in session.flags() if flag.kind == "looping"]


@pytest.mark.parametrize("period", [2, 3])
def test_a_cycle_of_calls_is_a_loop(period: int) -> None:
    with begun() as session:
        for number in range(period * 3):
            session.record(*exchange(number, f"look_{number % period}", {"at": number % period}, f"the same {number % period}"))
        assert ("looping", "act") in kinds(session)


def test_an_error_that_stays_whatever_is_tried_is_a_loop() -> None:
    with begun() as session:
        for number in range(4):
            session.record(*exchange(number, "run_tests", {"args": words(number)}, "Traceback (most recent call last):\nKeyError: 'total'"))
        assert ("looping", "act") in kinds(session)
    with begun() as session:
        for number in range(6):
            session.record(*exchange(number, "run_tests", {"args": "-q"}, f"Traceback:\nAssertionError: {9 - number} of 9 rows are wrong"))
        assert ("looping", "act") not in kinds(session)


def test_a_step_far_beyond_its_plan_is_a_tunnel() -> None:
    with begun() as session:
        for number in range(20):
            session.record(*exchange(number, "look", {"page": number}, words(number)))
        assert ("tunnel", "act") in kinds(session)
        session.task().put_back("fetch")
        session.task().begin("fetch")
        session.record(*exchange(99, "look", {"page": 99}, words(99)))
        assert [flag.kind for flag in session.flags()] == ["tunnel"]  # the rounds it has taken are not forgotten


def test_flags_end_by_themselves_and_by_an_answer() -> None:
    with begun() as session:
        for number in range(3):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        session.answer_flag(session.flags()[0].flag_id)
        assert not session.flags()
    with begun() as session:
        for number in range(2):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        assert kinds(session) == [("looping", "signal")]
        for number in range(10, 14):
            session.record(*exchange(number, "open", {"id": number}, words(number)))
        assert not session.flags()


def test_stop_raises_and_rollback_goes_back_with_what_failed() -> None:
    with begun(on_flag="stop") as session:
        for number in range(3):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        with pytest.raises(Drifted, match="search was called 3 times"):
            session.prompt()
        session.answer_flag(session.flags()[0].flag_id)
        session.prompt()
    with begun(on_flag="rollback") as session:
        session.checkpoint("start")
        for number in range(3):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        shown = str(session.prompt().render())
        assert "search was called 3 times" in shown
        assert not session.flags()
        assert session.state.tried and "nothing" not in [unit.role for unit in session.state.units]


def test_going_back_never_leaves_the_task_itself() -> None:
    """A checkpoint from before the task is none of its own: without another it stops."""
    with opened(settings=settings(steering=Steering(on_flag="rollback"))) as session:
        session.record(user("Find the rows."))
        session.checkpoint("before")
        session.task("Find the rows", [Step("find")]).begin()
        for number in range(3):
            session.record(*exchange(number, "look", {"q": "rows"}, "nothing there"))
        with pytest.raises(Drifted):
            session.prompt()
        assert session.task().state.active is not None


def test_the_second_time_for_the_same_it_stops() -> None:
    with begun(on_flag="rollback") as session:
        session.checkpoint("start")
        for number in range(3):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        session.prompt()
        for number in range(3, 6):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        with pytest.raises(Drifted, match="search was called 3 times"):
            session.prompt()


def test_a_milestone_that_a_call_reaches_is_kept_once_the_calls_result_is_there() -> None:
    """A way back to it never leaves a call without the result that it had."""
    with opened(settings=settings(steering=Steering(on_flag="rollback"))) as session:
        session.record(user("Go."))
        task = session.task("Report on the leads", [Step("fetch", milestone=True), Step("report")])
        task.begin()
        asked, answered = exchange(1, "update_task", {"step": "fetch", "status": "done"}, "step fetch is done")
        session.record(asked)
        task.propose("fetch", "done")
        assert "fetch done" not in session.state.checkpoints
        session.record(answered)
        assert "fetch done" in session.state.checkpoints
        task.begin("report")
        for number in range(2, 5):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        shown = str(session.prompt().render())
        assert "step fetch is done" in shown and "interrupted" not in shown and "search was called 3 times" in shown


def test_an_exchange_that_was_left_open_keeps_nobody_from_looking_at_the_next_ones() -> None:
    with begun() as session:
        session.record(exchange(1, "open", {"id": 1}, "")[0], user("Never mind that."))
        for number in range(2, 5):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        assert ("looping", "act") in kinds(session)


def test_a_restart_in_between_sees_the_same(tmp_path: Path) -> None:
    with begun() as twin, begun(tmp_path / "x.db") as first:
        first.close()
        for number in range(3):
            messages = exchange(number, "search", {"q": "leads"}, "nothing")
            twin.record(*messages)
            for message in messages:
                with begun(tmp_path / "x.db") as session:
                    session.record(message)
        with begun(tmp_path / "x.db") as session:
            assert [(flag.kind, flag.tier, flag.text) for flag in session.flags()] == [(f.kind, f.tier, f.text) for f in twin.flags()]
            assert [act[4:] for act in map(tuple_of, session.state.acts)] == [act[4:] for act in map(tuple_of, twin.state.acts)]


def test_without_a_task_or_detectors_nothing_is_stored() -> None:
    with opened() as session:
        for number in range(3):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        assert not session.state.acts
    with begun(detectors=()) as session:
        for number in range(3):
            session.record(*exchange(number, "search", {"q": "leads"}, "nothing"))
        assert not session.state.acts and not session.flags()


def test_saying_that_all_is_done_with_steps_open_is_flagged() -> None:
    with begun() as session:
        session.record(reply("All steps are done. The task is complete."))
        assert ("early_finish", "act") in kinds(session)


def tuple_of(act: Any) -> tuple[Any, ...]:
    return tuple(getattr(act, key) for key in act.__struct_fields__)


def words(number: int) -> str:
    return " ".join(f"w{number * 37 + place}" for place in range(40))
