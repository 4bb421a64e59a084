"""What comes of a call: a tool's result as text, and what it raises."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

import pytest

from tests.run.cases import opened
from tests.run.models import Scripted, calls, done, say, text_of
from trimtab import Step, run_task
from trimtab.core.messages import ToolCall
from trimtab.run.calling import Answered, as_text, run_call
from trimtab.run.tools import RunTool


def answered(run: Callable[..., Any]) -> Answered:
    return asyncio.run(run_call({"tool": RunTool(name="tool", run=run)}, ToolCall("c1", "tool", "{}")))


class Own:
    def __str__(self) -> str:
        return "an object of its own words"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (None, "no result"),
        (b"\xffok", "\ufffdok"),
        ({"a": [1, None]}, '{"a":[1,null]}'),
        (Decimal("1.50"), '"1.50"'),
        (PurePosixPath("a/b"), "a/b"),
        (range(3), "range(0, 3)"),
        (Own(), "an object of its own words"),
    ],
)
def test_a_result_is_text_or_json_or_what_it_says_of_itself(value: Any, text: str) -> None:
    assert as_text(value) == text


def test_a_tool_that_returns_nothing_says_nothing_of_the_step() -> None:
    assert answered(lambda: None) == Answered(call=ToolCall("c1", "tool", "{}"), text="no result")


def one_by_one() -> Iterator[int]:
    yield 1


async def one_by_one_later() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (one_by_one, "error: the tool returned a generator, which gives its items one by one; return list(...) of it"),
        (one_by_one_later, "error: the tool returned an async_generator, which gives its items"),
        (lambda: map(str, [1]), "error: the tool returned a map, which gives its items"),
        (object, "error: the tool returned an object, which cannot be shown; return text, or what JSON can hold"),
        (lambda: [object()], "error: the tool returned a list, which cannot be shown"),
        (threading.Lock, "error: the tool returned a lock, which cannot be shown"),
    ],
)
def test_what_a_model_cannot_read_is_an_error_without_an_address(run: Callable[..., Any], said: str) -> None:
    row = answered(run)
    assert row.is_error and row.text.startswith(said) and "0x" not in row.text


def leaves() -> None:
    raise SystemExit(2)


async def leaves_later() -> None:
    raise SystemExit("no such option")


def finds_nothing() -> Any:
    return next(iter([]))


def says_much() -> None:
    raise ValueError("x" * 9_000)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (leaves, "error: SystemExit: 2"),
        (leaves_later, "error: SystemExit: no such option"),
        (finds_nothing, "error: StopIteration: "),
        (lambda: asyncio.sleep(0, object()), "error: the tool returned an object"),
    ],
)
def test_what_a_tool_raises_is_its_result(run: Callable[..., Any], said: str) -> None:
    row = answered(run)
    assert row.is_error and row.text.startswith(said)
    assert len(answered(says_much).text) == 2_000


def test_a_tool_that_ends_its_program_does_not_end_the_run() -> None:
    model = Scripted([calls(("leaves", {})), done("answer", "x"), say("There.")])
    with opened() as session:
        assert run_task(model, session.task("Ask", [Step("answer", output="text")]), [leaves]).ok
    assert "error: SystemExit: 2" in text_of(model.bodies[1])


def test_the_users_hand_ends_it_and_what_ran_before_is_kept() -> None:
    ran: list[str] = []

    def write(what: str) -> str:
        ran.append(what)
        return f"{what} is written"

    def interrupted() -> None:
        raise KeyboardInterrupt

    tools: list[Any] = [write, interrupted]
    with opened() as session:
        task = session.task("Write", [Step("answer", output="text")])
        with pytest.raises(KeyboardInterrupt):
            run_task(Scripted([calls(("write", {"what": "a"}), ("interrupted", {}))]), task, tools)
        assert [row.name for row in session.open_calls()] == ["interrupted"]
        model = Scripted([done("answer", "x"), say("There.")])
        assert run_task(model, task, tools).ok
    assert ran == ["a"] and "a is written" in text_of(model.bodies[0])
