"""What a user's message off the task is, and what is done about it (REQUIREMENTS T10); the progress assertion's check (T6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from trimtab.core import entries as e
from trimtab.core.messages import ToolCall
from trimtab.core.state import SessionState
from trimtab.errors import NoTask, OffStep
from trimtab.session import background
from trimtab.session.asking import Asker
from trimtab.session.judging import JudgingPart
from trimtab.steer.assertion import checked_calls, checked_reply, correction_text
from trimtab.steer.interruptions import SCHEMA, Sorted, parse_sorted, sorted_message, sorting_texts
from trimtab.stores import LaneKey

if TYPE_CHECKING:
    from trimtab.session.session import Session


class InterruptingPart(JudgingPart):
    """sort_message, aside, asserted."""

    def sort_message(self, text: str) -> Sorted:
        """Whether a message is input for the task, a side question or a new task: by code, and by the verifier's model where
        one is set and code is not sure. No verdict of the model leaves what code found. Nothing is recorded but the model's.

        Raises:
            NoTask.
        """
        task = self._lane.state.task
        if task is None or task.ended:
            raise NoTask(tuple(self._lane.state.parked))
        found = sorted_message(text, task)
        if found.sure or self._verifier is None or not self.settings.steering.interruptions or background.is_inside():
            return found
        asker = Asker(self._verifier, self._verifier_limits)
        said = background.submit(asker.ask(sorting_texts(text, task, self._fence_key), SCHEMA, parse_sorted)).result()
        judged = e.Judged(
            kind="interruption",
            verdict=said.kind if said else "none",
            model=asker.model.name,
            reason=said.why if said else asker.problem,
            calls=asker.calls,
        )
        self._enter(lambda _: judged)
        return said or found

    def aside(self, text: str) -> Session:
        """A side question, on a lane of its own ("aside-1", ...) with this one's rules and what it knows. This lane's state is not
        touched, and nothing of the answer comes back to it. Ask its `prompt()`, record the reply there, close it.
        """
        with self._open_lock():
            self._lane.catch_up()
            number, key = 1, self._aside_key(1)
            while self._store.head(key).last_seq:
                number, key = number + 1, self._aside_key(number + 1)
            state = self._lane.state
            opened = type(self)(self._store, key, self.settings.merged(sharing="session"), self.target, self._own_counter)
            opened._use_summarizer(None)
            opened._use_verifier(None)
            other = cast("Session", opened)
            self._store.set_private(key, True)
        _give_rules(other, state)
        other.record({"role": "user", "content": text})
        return other

    def _aside_key(self, number: int) -> LaneKey:
        return LaneKey(self._key.tenant_id, self._key.project_id, self._key.session_id, f"aside-{number}")

    def asserted(self, reply: str = "", calls: Sequence[ToolCall] = (), arguments: Mapping[str, str] | None = None) -> e.Asserted | None:
        """Check what a reply says of its step, before anything of it is run, as `settings.steering.assertion` asks.

        Args:
            reply: its text, for `line`.
            calls, arguments: its calls, and by tool the argument that names the step, for `argument` (see `steer.argument`).
        Returns:
            what was entered; None where it is off, no step is under way or there is nothing to compare.
        Raises:
            OffStep: it names another step, or none; `correction` is the message to send.
        """
        task, form = self._lane.state.task, self.settings.steering.assertion
        if task is None or form == "off":
            return None
        checked = checked_reply(reply, task) if form == "line" else checked_calls(calls, dict(arguments or {}), task)
        if checked is None:
            return None
        self._enter(lambda state: checked if state.asserted != checked else None)
        if not checked.ok:
            raise OffStep(checked.said, checked.expected, correction_text(checked, task, form))
        return checked


def _give_rules(other: Session, state: SessionState) -> None:
    meta = state.meta
    if meta.identity or meta.never or meta.done_when:
        other.meta_context(meta.identity, meta.never, meta.done_when)
    for pin in state.pins.values():
        other.pin(pin.text, pin.polarity)
