"""Agents that lost their course: what was done is done again, what is asked is not what is answered, progress falls back."""

from __future__ import annotations

import json
import re

import pytest

from tests.failures.shapes import LAYOUTS, Talk, checked, settings, target, text_of, words
from trimtab import Session, Step
from trimtab.settings import Steering

CHAT = "openai_chat"
SAY = Talk(CHAT)
MODES = ("compact", "hierarchical", "auto")
FILES = tuple(f"src/part_{n}.py" for n in range(12))
PLAN = [Step(f"port {name}", output=f"port_{n}", after=(), rounds=3) for n, name in enumerate(("orders", "refunds", "stock"))]


def work(session: Session, numbers: range) -> str:
    """Rounds of reading, enough to be cut; the text of the last prompt."""
    text = ""
    for number in numbers:
        session.record(*SAY.calls(f"w{number}", path=f"log/{number}"), *SAY.results({f"w{number}": words(300, number)}))
        text = text_of(checked(session.prompt(), CHAT))
    return text


def cuts(session: Session) -> int:
    return len(session.compactions())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", MODES)
def test_pain_14_deepagents_4161_the_plan_stands_in_every_prompt(mode: str, layout: str) -> None:
    """The todo list lived in state, the model saw it in an old tool message only, and that was summarized.

    Right: the state block is made from the state each time; what is done is done in it, what is open is open."""
    with Session.open(":memory:", "s", settings=settings(mode, 8_000, layout=layout), target=target(CHAT)) as session:
        task = session.task("Port the shop", PLAN)
        session.record(*SAY.user("Port the shop."))
        task.begin("port orders")
        work(session, range(8))
        task.finish("port orders", product="done in 3 files")
        task.begin("port refunds")
        text = work(session, range(8, 50))
        assert cuts(session) >= 1
        state = text[text.index("<trimtab:task_state") :]
        assert re.search(r"Finished:\n- 1 port orders", state)
        assert "Now: Step 2 of 3; port refunds" in state
        assert "[done] port orders" in text and "[now] port refunds" in text and "[open] port stock" in text


@pytest.mark.parametrize("mode", MODES)
def test_pain_15_hermes_agent_705_files_are_read_again_and_again(mode: str) -> None:
    """After a cut the agent read the same files without end, and finished todos came back as open.

    Right: the third identical read with the same content is flagged with its evidence, before another round is spent; steps
    that are done never come back as open."""
    with Session.open(":memory:", "s", settings=settings(mode, 10_000), target=target(CHAT)) as session:
        task = session.task("Port the shop", PLAN)
        session.record(*SAY.user("Port the shop."))
        for name in ("port orders", "port refunds"):
            task.begin(name)
            task.finish(product="done")
        task.begin("port stock")
        for turn in range(3):
            for at, name in enumerate(FILES[:3]):
                call = f"r{turn}-{at}"
                session.record(*SAY.calls(call, path=name), *SAY.results({call: words(60, at)}))
        loops = [flag for flag in session.flags() if flag.kind == "looping"]
        assert [flag.tier for flag in loops] == ["act"]
        assert len(loops[0].evidence) >= 3 and all(seq in session.state.nodes for seq in loops[0].evidence)
        text = text_of(checked(session.prompt(), CHAT))
        assert loops[0].text in text
        state = text[text.index("<trimtab:task_state") :]
        assert "port orders" in state and "Now: Step 3 of 3; port stock" in state
        assert not task.propose("port orders", "active", "to be sure").ok


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", MODES)
def test_pain_16_hermes_agent_41607_pending_asks_are_not_executed_for_the_new_request(mode: str, layout: str) -> None:
    """Task A was open, history was cut, the user asked for B, and the model went on with A, whose asks the summary listed.

    Right: the newest message stands last and word for word, the prompt says that it comes first, and A is parked: it is named as
    such, none of its steps is under way."""
    with Session.open(":memory:", "s", settings=settings(mode, 8_000, layout=layout), target=target(CHAT)) as session:
        task = session.task("Port the shop", PLAN)
        session.record(*SAY.user("Port the shop."))
        task.begin("port orders")
        work(session, range(50))
        assert cuts(session) >= 1
        session.record(*SAY.says("I am in the middle of the orders."), *SAY.user("Leave that. Write a poem about tugboats."))
        session.task("Write a poem about tugboats")
        body = checked(session.prompt(), CHAT)
        text = text_of(body)
        assert "Write a poem about tugboats." in json.dumps(body["messages"][-1])
        assert "the newest user message comes first" in text
        state = text[text.index("<trimtab:task_state") : text.index("</trimtab:task_state>")]
        assert "Goal: Write a poem about tugboats" in state and "Now: Step 1" not in state
        assert "Port the shop" in state  # parked, one line
        assert [parked.goal for parked in session.tasks()] == ["Port the shop"]


def test_pain_18_codex_25792_progress_never_falls_back_by_itself() -> None:
    """A threshold that was looked at between user turns only: in one turn of 80 calls rules were forgotten and progress went from
    97 to 42 %. Right: what is done stays done, in every prompt, unless a rollback or a reopening is on record."""
    with Session.open(":memory:", "s", settings=settings("auto", 8_000), target=target(CHAT)) as session:
        plan = [Step(f"part {n}", after=(), rounds=4) for n in range(8)]
        task = session.task("Port all parts", plan)
        session.record(*SAY.user("Never touch the tests. Port all parts."))
        done, seen = 0, []
        for number in range(80):
            if number % 10 == 0:
                task.begin(f"part {number // 10}")
            session.record(*SAY.calls(f"c{number}", path=f"f{number}"), *SAY.results({f"c{number}": words(200, number)}))
            if number % 10 == 9:
                task.finish()
                done += 1
            text = text_of(checked(session.prompt(), CHAT))
            assert "Never touch the tests" in text
            seen.append(text.count("[done] part "))
            assert seen[-1] == done
        assert seen == sorted(seen) and done == 8 and cuts(session) >= 1
        session.checkpoint("all")
        task.reopen("part 7", "its import is wrong")
        text = text_of(checked(session.prompt(), CHAT))
        assert text.count("[done] part ") == 7


def test_pain_02_claude_code_24792_facts_of_the_environment_outlive_a_cut() -> None:
    """After a cut the agent used curl where httpie was said to be there, and asked "local or AWS?" again.

    Right: three facts of turns 3 to 9 stand in the prompt after it, all of them."""
    facts = {3: "We use httpie, not curl.", 6: "The service runs on AWS in eu-west-3.", 9: "The config file is /etc/shop/main.toml."}
    with Session.open(":memory:", "s", settings=settings("auto", 8_000), target=target(CHAT)) as session:
        session.task("Move the service", [Step("move", rounds=100)]).begin()
        for turn in range(12):
            session.record(*SAY.user(facts.get(turn, f"Go on with part {turn}.")), *SAY.says("Understood."))
        text = work(session, range(60))
        assert cuts(session) >= 1
        assert [fact for fact in facts.values() if fact in text] == list(facts.values())


def test_pain_05_claude_code_46644_a_note_in_mid_session_keeps_the_cache() -> None:
    """A memory that was written in the middle of the session changed the beginning of the prompt: 80,000 tokens were billed anew.

    Right: notes and a step's move stand in the tail, and the share that a cache holds falls by less than 5 % a write."""
    with_writes, without = cached_shares(writes=True), cached_shares(writes=False)
    compared = [number for number in with_writes if number > 20 and (number % 10 == 5 or number % 20 == 7)]
    assert len(compared) >= 4
    for number in compared:
        assert with_writes[number] > without[number] - 0.05, f"round {number}"


def cached_shares(*, writes: bool) -> dict[int, float]:
    """By round: the share of the prompt that repeats the beginning of the one before."""
    quiet = settings("auto", 64_000, layout="cache_first", inject_notes=("plan",), steering=Steering(detectors=()))
    shares = {}
    with Session.open(":memory:", "s", settings=quiet, target=target(CHAT)) as session:
        task = session.task("Read it all", [Step(f"part {n}") for n in range(4)])
        session.write_note("plan", "read all")
        session.record(*SAY.user("Read it all."))
        for number in range(60):
            session.record(*SAY.calls(f"n{number}", path=f"f{number}"), *SAY.results({f"n{number}": words(250, number)}))
            if writes and number % 10 == 5:
                session.write_note("plan", [number, words(30, number)])
            if writes and number % 20 == 7:
                if task.state.active is not None:
                    task.finish()
                task.begin()
            prompt = session.prompt()
            shares[number] = prompt.common_prefix_tokens / prompt.tokens
    return shares
