"""Handlers by which an agent proposes how its task goes on; the session's code decides (REQUIREMENTS T3, T4)."""

from __future__ import annotations

from typing import Any

from trimtab.core.task import FINISHED, StepStatus, TaskState
from trimtab.session.task import Task
from trimtab.steer.proposals import step_said
from trimtab.tools.arguments import BadArgument, shown
from trimtab.tools.desk import Desk

_TO: dict[str, StepStatus] = {"begin": "active", "done": "done", "put_back": "open", "reopen": "open", "skip": "skipped"}
_SAID: dict[str, str] = {"active": "under way", "done": "done", "open": "open again", "skipped": "skipped"}


def update_task(desk: Desk, args: dict[str, Any]) -> str:
    task, status = desk.session.task(), args["status"]
    state = task.state
    step = step_said(args["step"], state.steps)
    if status == "put_back" and state.status(step) in FINISHED:
        raise BadArgument(f'step {shown(step)} is {state.status(step)}; use status "reopen", and say why in "because"')
    if status == "reopen" and state.status(step) == "active":
        raise BadArgument(f'step {shown(step)} is under way; use status "put_back" to leave it for later')
    answer = task.propose(step, _TO[status], args.get("because", ""), product=args.get("product"))
    if not answer.ok:
        return f"not done: step {shown(step)} stays {state.status(step)}: {answer.reason}"
    return f"step {shown(step)} is {_SAID[_TO[status]]}. {_next(task)}"


def propose_plan(desk: Desk, args: dict[str, Any]) -> str:
    task = desk.session.task()
    answer = task.propose_plan(args["steps"], args.get("why", ""))
    if not answer.ok:
        return f"not done: {answer.reason}"
    return f"the plan has {len(task.state.steps)} steps now. {_next(task)}"


def _next(task: Task) -> str:
    state: TaskState = task.state
    if state.active is not None:
        return f"Under way: {shown(state.active.name)}."
    if state.next is not None:
        return f"Next: {shown(state.next.name)}; begin it."
    return "Every step is finished." if state.finished else "No step may begin yet."
