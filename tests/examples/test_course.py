"""The worked examples: with everything off each run fails as described; which switch stops which failure; all of them stop all."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from articles import Articles
from course.running import Example, main, run_example, run_plain
from course.scripted import ScriptedModel
from course.switches import ALL, SWITCHES, WINDOW_TOKENS, settings_for
from course.table import ROWS, run_row
from leads import Leads
from review import Review
from sorting import Sorting

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MAKERS: tuple[Callable[[], Example], ...] = (Leads, Review, Articles, Sorting)
# by failure: its example, and the switches that stop it alone; what the user ruled is kept without any
STOPPED_BY: dict[str, tuple[Callable[[], Example], frozenset[str]]] = {
    "goal": (Leads, frozenset({"state", "retrieval", "meta", "plan", "detectors"})),
    "currency": (Leads, frozenset({"none", *SWITCHES})),
    "redo": (Review, frozenset({"state", "summary", "plan", "assertion", "detectors", "rollback", "stop"})),
    "aside": (Review, frozenset({"interruptions", "rollback", "stop"})),
    "notice": (Review, frozenset({"verifier"})),
    "sources": (Articles, frozenset({"products", "checks"})),
    "branch": (Sorting, frozenset({"detectors", "rollback", "stop"})),
    "rule": (Sorting, frozenset({"none", *SWITCHES})),
    "names": (Sorting, frozenset({"milestones"})),
    "skipped": (Sorting, frozenset({"checks", "rollback"})),
    "costs": (Sorting, frozenset({"stop"})),
}
DESCRIBED = {
    "goal": "12 of 12 companies have no grade",
    "currency": "12 amounts are not in EUR",
    "redo": "10 of 10 pages were cleaned again",
    "aside": "85 pages of old threads were read on a side question, and 10 pages have no verdict",
    "notice": "the notice names somebody: The review is over. Karin Lund",
    "sources": "wrong on article 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20",
    "branch": "111 searches for a lighthouse",
    "rule": "by another rule on other shelves",
    "names": "70 letters are on shelves with names of another form",
    "skipped": "box 11, 12, 13 was taken for done and is full",
    "costs": "87 folios were looked up for 435 crowns",
}
# the failure that shows what a switch is for
ALONE = {"verifier": "notice", "milestones": "names", "interruptions": "aside", "rollback": "skipped", "stop": "costs"}


CELLS = [(failure, row) for failure in STOPPED_BY for row in ROWS if row != "plain"]


@pytest.mark.parametrize("failure", STOPPED_BY)
def test_with_everything_off_the_run_fails_as_described(failure: str) -> None:
    failures = run_row(STOPPED_BY[failure][0], failure, "plain").failures
    assert DESCRIBED[failure] in failures[failure]


@pytest.mark.parametrize(("failure", "row"), CELLS)
def test_which_switch_stops_which_failure(failure: str, row: str) -> None:
    """The table of the examples: a run with one lapse and one switch on."""
    make, stopping = STOPPED_BY[failure]
    result = run_row(make, failure, row)
    stopped = failure not in result.failures
    assert stopped is (row == "all" or row in stopping), result
    if stopped:
        assert (result.status, result.failures) == ("done", {}), "and nothing else went wrong"
    assert 0 < result.largest_tokens < WINDOW_TOKENS


def test_every_switch_stops_something_that_no_switch_at_all_does_not() -> None:
    by_switch = {
        switch: {failure for failure, (_, rows) in STOPPED_BY.items() if switch in rows and "none" not in rows} for switch in SWITCHES
    }
    assert [switch for switch, failures in by_switch.items() if not failures] == []


@pytest.mark.parametrize("make", MAKERS)
def test_all_lapses_at_once_do_no_harm_with_all_switches_on(make: Callable[[], Example]) -> None:
    example = make()
    result = run_example(example, ScriptedModel(example, tuple(example.faults().values())), ALL)
    assert (result.status, result.failures) == ("done", {})


@pytest.mark.parametrize("make", [Review, Sorting])
def test_it_is_the_lapse_and_not_the_loop_that_fails(make: Callable[[], Example]) -> None:
    """Without its lapse the same script does its work in the plain loop, but for what the prompt no longer says."""
    example = make()
    assert run_plain(example, ScriptedModel(example)).failures.keys() <= {"rule"}


def test_what_each_of_the_newer_switches_is_for() -> None:
    """Nothing that was there before stops it, but for one: `skipped` takes a check that somebody must write, or a way back."""
    older = frozenset({"none", "state", "summary", "retrieval", "meta", "plan", "assertion", "detectors", "products"})
    for switch, failure in ALONE.items():
        assert switch in STOPPED_BY[failure][1] and not older & STOPPED_BY[failure][1]


def test_the_reviewer_knows_nothing_but_its_prompt() -> None:
    shown = {"recent": '#7 assistant: calls put_up_notice({"text": "Karin Lund was it."})', "rules": "- Never name anybody in the notice."}
    assert Review().objections(shown) == ["Put up another notice, without Karin Lund."]
    assert Review().objections(shown | {"rules": "- Be brief."}) == []
    state = {"state": "- box 6: done (its letters are on the shelves 1920-1929)", "goal": Sorting.goal}
    assert "1920-1929" in Sorting().breaches(state)[0][1]
    assert Sorting().breaches(state | {"goal": "All letters on shelves"}) == []


@pytest.mark.parametrize("failure", STOPPED_BY)
def test_the_same_run_again_is_the_same(failure: str) -> None:
    make = STOPPED_BY[failure][0]
    assert run_row(make, failure, "none") == run_row(make, failure, "none")


def test_each_switch_is_one_setting_or_one_part_of_the_task() -> None:
    bare = settings_for(frozenset())
    changed = {switch: settings_for(frozenset({switch})) != bare for switch in SWITCHES}
    assert {switch for switch, is_setting in changed.items() if not is_setting} == {"meta", "products", "checks"}
    for make in MAKERS:
        assert all(not step.done_when and not step.output for step in make().plan(frozenset()))


# ---------------------------------------------------------------- the programs


@pytest.mark.parametrize("name", ["leads", "review", "articles", "sorting"])
def test_the_program_ends_well_by_itself(name: str) -> None:
    ran = subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    assert '"status": "done"' in ran.stdout and "round   1" in ran.stdout


def test_the_program_shows_the_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(Leads, ["--off"]) == 1
    assert "have no grade" in capsys.readouterr().err
    assert main(Leads, ["--switch", "state", "--fault", "goal"]) == 0


@contextmanager
def served(model: ScriptedModel) -> Iterator[str]:
    """The scripted model behind an endpoint on this machine: it needs nothing but the requests."""
    loop, ready, address = asyncio.new_event_loop(), threading.Event(), list[str]()

    async def answer(request: web.Request) -> web.Response:
        message = await model.reply(await request.json())
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        return web.json_response(
            {"id": "r", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": reason, "message": message}]}
        )

    async def serve() -> web.AppRunner:
        app = web.Application(client_max_size=10_000_000)
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        assert site._server is not None
        address.append(f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/v1")
        return runner

    def work() -> None:
        runner = loop.run_until_complete(serve())
        ready.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert ready.wait(10)
        yield address[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def test_the_program_takes_an_endpoint(capsys: pytest.CaptureFixture[str]) -> None:
    with served(ScriptedModel(Review())) as address:
        assert main(Review, ["--base-url", address, "--model", "gpt-5"]) == 0
    printed = capsys.readouterr().out
    assert json.loads(printed[printed.rindex("\n{") :])["failures"] == {}
