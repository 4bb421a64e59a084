"""Events of a run: who is told, and what the listeners say back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trimtab.core.task import TaskState
from trimtab.errors import NoTask
from trimtab.run.outcome import Event, EventKind, OnEvent
from trimtab.session import Session
from trimtab.session.task import Task


class Telling:
    """Tells listeners what happens; `inbox` holds what they said, until somebody takes it in."""

    def __init__(self, session: Session, task: Task, listeners: Sequence[OnEvent]) -> None:
        self._session, self._task, self._listeners = session, task, listeners
        self.round = 0
        self.inbox: list[str] = []

    def tell(self, kind: EventKind, *, name: str = "", text: str = "", value: Any = None) -> None:
        if not self._listeners:
            return
        task = self._session.state.task
        active = task.active if task is not None else None
        event = Event(kind=kind, round=self.round, step=active.name if active else "", name=name, text=text, value=value)
        for listener in self._listeners:
            said = listener(event)
            if said:
                self.inbox.append(said)

    def tell_changes(self, before: TaskState, known: set[str]) -> None:
        """What has moved, was refused or flagged since.

        Args:
            before: the task as it was. known: ids of the flags that there were.
        """
        try:
            state = self._task.state
        except NoTask:
            return
        for name, record in state.records.items():
            if record != before.records.get(name):
                self.tell("moved", name=name, text=record.status, value=record)
        for row in state.refused:
            if row not in before.refused:
                self.tell("refused", name=row.step, text=row.reason, value=row)
        for flag in self._session.flags():
            if flag.flag_id not in known:
                self.tell("flag", name=flag.kind, text=flag.text, value=flag)
