"""A thin loop that lets a model carry out a task: `run_task` and what it takes and gives."""

from __future__ import annotations

from trimtab.run.calling import INTERRUPTED
from trimtab.run.endpoint import Endpoint, Replies
from trimtab.run.loop import MOST_ROUNDS, arun_task, run_task
from trimtab.run.outcome import Event, OnEvent, Outcome
from trimtab.run.tools import RunTool, idempotent

__all__ = [
    "INTERRUPTED",
    "MOST_ROUNDS",
    "Endpoint",
    "Event",
    "OnEvent",
    "Outcome",
    "Replies",
    "RunTool",
    "arun_task",
    "idempotent",
    "run_task",
]
