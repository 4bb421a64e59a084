"""`run_task`, and `arun_task` on the caller's own event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from trimtab.errors import BadSetting, ConfigError
from trimtab.run.desk import RunDesk
from trimtab.run.endpoint import Endpoint, Replies
from trimtab.run.outcome import OnEvent, Outcome
from trimtab.run.progress import Progress
from trimtab.run.rounds import Run
from trimtab.run.work import Work
from trimtab.session import Session
from trimtab.session.task import Task
from trimtab.settings import Budget, Settings

MOST_ROUNDS = 200
# of a model of the caller's own where no session says it
OWN_WINDOW_TOKENS = 32_000


def run_task(  # noqa: PLR0913 - one call that says it all
    model: Endpoint | Replies,
    task: str | Task,
    tools: Sequence[Any] = (),
    *,
    session: Session | None = None,
    system: str = "",
    max_rounds: int = MOST_ROUNDS,
    on_event: OnEvent | None = None,
    show: bool = False,
) -> Outcome:
    """Let a model carry out a task with tools, until it is done.

    Called again with the same session, it goes on where the last call, or a process that crashed, stood: a task that is done
    returns at once; a call that was cut off is answered with one fixed text, or run again where its tool is `idempotent`; a task
    that was parked is resumed; one that the verifier stopped stays so until a step moves, or the user says something.

    Args:
        model: an `Endpoint`, or an object with `reply(body)`, see `trimtab.run.Replies`.
        task: what `Session.task` returned, with its plan; or the goal, for a model that proposes its plan itself.
        tools: callables (their schema is made from signature and docstring), dicts with name and run, a `Toolset`.
        session: where the task is; one in memory by default, for a goal.
        system: the agent's own system text.
        max_rounds: replies in this call.
        on_event: is told what happens; a text that it returns is taken as a message of the user's.
        show: progress in the terminal.
    Raises:
        ModelError: the endpoint gave no answer. ParseError: what came is no reply. WindowUnknown: nobody said how large the
            model's window is. BadSetting: a tool that cannot be offered; a model, a task or tools that are none. NoTask: the task
            is none of this session. What a model of your own raises.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        made = arun_task(model, task, tools, session=session, system=system, max_rounds=max_rounds, on_event=on_event, show=show)
        return asyncio.run(made)
    raise ConfigError("run_task was called where an event loop is running; await trimtab.run.arun_task(...) there")


async def arun_task(  # noqa: PLR0913 - as run_task
    model: Endpoint | Replies,
    task: str | Task,
    tools: Sequence[Any] = (),
    *,
    session: Session | None = None,
    system: str = "",
    max_rounds: int = MOST_ROUNDS,
    on_event: OnEvent | None = None,
    show: bool = False,
) -> Outcome:
    """`run_task` on the caller's event loop. Canceling it leaves the session as a crash would, so that it can be gone on with."""
    _refuse_unusable(model, task, tools)
    owned = session is None and isinstance(task, str)
    if session is None:
        session = _opened(model) if isinstance(task, str) else cast(Session, task._session)
    try:
        handle = session.task(task) if isinstance(task, str) else task
        if handle.task_id in session.state.parked:
            session.resume(handle.task_id)
        with Progress(show) as progress:
            listeners: list[OnEvent] = [*([on_event] if on_event else []), *([progress] if show else [])]
            return await Run(Work(model, handle, session, RunDesk(session, tuple(tools)), listeners)).go(system, max_rounds)
    finally:
        if owned:
            session.close()


def _refuse_unusable(model: Any, task: Any, tools: Any) -> None:
    """Raises BadSetting for what is no model, no task, no tools."""
    if isinstance(model, type) or not callable(getattr(model, "reply", None)):
        shown = model if isinstance(model, type) else type(model)
        raise BadSetting("model", shown, "an Endpoint, or an object whose reply(body) gives a message, a reply body or events")
    if not isinstance(task, str | Task) or (isinstance(task, str) and not task.strip()):
        raise BadSetting("task", task, "the goal as a text, or what session.task(...) returned")
    if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Iterable):
        raise BadSetting("tools", tools, "a list of callables, of dicts with name and run, or of Toolsets")


def _opened(model: Endpoint | Replies) -> Session:
    """A session in memory, for a goal alone."""
    if isinstance(model, Endpoint):
        return Session.open(":memory:", "run", settings=Settings(budget=Budget(window_tokens=model.window_tokens)), target=model.target)
    return Session.open(":memory:", "run", settings=Settings(budget=Budget(window_tokens=OWN_WINDOW_TOKENS)))
