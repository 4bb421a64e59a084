"""Messages off the task in every tenth to third turn of a run leave the task byte for byte as it is without them (T10)."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from tests.steer.sorting_cases import ROWS
from trimtab import Budget, Session, Settings, Step, Target, run_task
from trimtab.run import Event
from trimtab.session import clock
from trimtab.settings import Steering

_OFF = [(task, text) for task, text, kind in ROWS if kind == "side_question"]
ASIDE = {"en": [text for task, text in _OFF if task.isascii()], "zh": [text for task, text in _OFF if not task.isascii()]}
GOALS = {"en": "Grade the leads of May", "zh": "审查供应商合同并给出意见"}
STEPS = {
    "en": [Step(f"grade batch {number}", output=f"batch_{number}") for number in range(1, 8)],
    "zh": [Step(f"审查第{number}部分", output=f"part_{number}") for number in range(1, 8)],
}
# rounds of a run: each step reads twice before it is done, and the last one hands over
TURNS = 3 * 7 + 1


class Agent:
    """Does the task by script, and answers what is off it with one line; keeps what it was shown of each."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.shown: list[str] = []
        self.asides: list[str] = []

    async def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        said = repr([message for message in body["messages"] if message["role"] != "system"])
        if not body.get("tools"):
            self.asides.append(said)
            return {"role": "assistant", "content": "It is 42."}
        self.shown.append(repr(body))
        number = len(self.shown) - 1
        if number == TURNS - 1:
            return {"role": "assistant", "content": "There it is."}
        step = STEPS[self.language][number // 3]
        if number % 3 < 2:
            return _call(number, "read_page", {"page": number})
        return _call(number, "update_task", {"step": step.name, "status": "done", "product": f"graded {number}"})


def _call(number: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": msgspec.json.encode(arguments).decode()}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}]}


def read_page(page: int) -> str:
    """Read a page.

    Args:
        page: its number
    """
    return f"page {page}: nothing unusual"


def carried_out(language: str, texts: dict[int, str]) -> tuple[Session, Agent]:
    """A run into which the user says each text at its round."""
    settings = Settings(budget=Budget(window_tokens=16_000), embedder="", steering=Steering(milestones=0))
    session = Session.open(":memory:", "s", settings=settings, target=Target(model="gpt-5", wire="openai_chat"))
    agent = Agent(language)

    def says(event: Event) -> str | None:
        return texts.get(event.round) if event.kind == "reply" else None

    outcome = run_task(agent, session.task(GOALS[language], STEPS[language]), [read_page], on_event=says)
    assert (outcome.status, outcome.rounds) == ("done", TURNS)
    return session, agent


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands still: what remains is what the messages change."""
    monkeypatch.setattr(clock, "now_ms", lambda: 1_700_000_000_000)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("percent", [10, 20, 30])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_messages_off_the_task_leave_it_byte_for_byte_as_it_is(language: str, percent: int, seed: int) -> None:
    drawn = random.Random(seed * 100 + percent)
    rounds = drawn.sample(range(1, TURNS), round(TURNS * percent / 100))
    texts = dict(zip(rounds, drawn.sample(ASIDE[language], len(rounds)), strict=True))
    plain, alone = carried_out(language, {})
    mixed, disturbed = carried_out(language, texts)
    with plain, mixed:
        assert len(disturbed.asides) == len(texts) and not alone.asides
        assert all(any(text in shown for shown in disturbed.asides) for text in (repr(text)[1:-1] for text in texts.values()))
        assert msgspec.json.encode(mixed.state.task) == msgspec.json.encode(plain.state.task)
        assert mixed.state.variables == plain.state.variables and mixed.tasks() == plain.tasks() == ()
        assert disturbed.shown == alone.shown, "of the task the model sees nothing else either"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_message_off_the_task_is_answered_beside_it(language: str) -> None:
    """All of them in the middle of one task, also where the application sorts them itself."""
    session, _ = carried_out(language, {})
    with session:
        task = session.task(f"{GOALS[language]} 2", STEPS[language])
        session.record({"role": "user", "content": GOALS[language]})
        task.begin()
        before, head = msgspec.json.encode(session.state.task), session.state.seq
        for text in ASIDE[language]:
            assert session.sort_message({"role": "user", "content": text}).kind == "side_question", text
            session.aside(text).close()
        assert (msgspec.json.encode(session.state.task), session.state.seq) == (before, head)
