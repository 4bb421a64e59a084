"""What a user's message off the task is, and what is done about it (REQUIREMENTS T10); the progress assertion's check (T6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from trimtab.core import entries as e
from trimtab.core.messages import Media, Message, ToolCall
from trimtab.core.state import SessionState
from trimtab.errors import NoTask, OffStep, ParseError
from trimtab.session import background
from trimtab.session.asking import Asker
from trimtab.session.incoming import read_messages
from trimtab.session.judging import JudgingPart
from trimtab.steer.assertion import checked_calls, checked_reply, correction_text
from trimtab.steer.interruptions import SCHEMA, Sorted, parse_sorted, sorted_message, sorting_texts
from trimtab.stores import LaneKey

if TYPE_CHECKING:
    from trimtab.session.session import Session

# of the conversation, where a message may point back to it
_MOST_RECENT, _MOST_RECENT_CHARS = 6, 1_000


class InterruptingPart(JudgingPart):
    """sort_message, aside, asserted."""

    def sort_message(self, message: str | Mapping[str, Any]) -> Sorted:
        """Whether a message is input for the task, a side question or a new task: by code, which looks at the task and at what was
        said last, and by the verifier's model where one is set and code is not sure. Call it before the message is recorded.

        Args:
            message: its text, or the user's message as a dict of any form.
        Returns:
            the kind, why, and whether code is sure; the kind is the model's where it was asked and gave one. Nothing is recorded
            but that.
        Raises:
            NoTask; SessionClosed; ParseError: it is neither, or nothing that the user said.
        """
        text = self._said(message, "sort_message").text
        with self._open_lock():
            self._lane.catch_up()
            task = self._lane.state.task
            if task is None or task.ended:
                raise NoTask(tuple(self._lane.state.parked))
            recent = self._said_last()
        found = sorted_message(text, task, [line for line in recent if line != text])
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

    def aside(self, message: str | Mapping[str, Any]) -> Session:
        """A side question, on a lane of its own ("aside-1", ...) with this one's rules and what it knows. This lane's state is not
        touched, and nothing of the answer comes back to it. Ask its `prompt()`, record the reply there, close it.

        Args:
            message: its text, or the user's message as a dict of any form.
        Raises:
            SessionClosed; ParseError: it is neither, it is empty, or nothing that the user said. No lane was opened.
        """
        said = self._said(message, "aside")
        if not said.text.strip() and not any(isinstance(part, Media) for part in said.parts):
            raise ParseError("aside was given a message without text; pass what the user asks")
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
        other.record(said)
        return other

    def _said(self, message: object, method: str) -> Message:
        """Raises ParseError for what no user said."""
        value = {"role": "user", "content": message} if isinstance(message, str) else message
        if not isinstance(value, Mapping):
            raise ParseError(f"{method} was given {type(message).__name__}; pass the text of what the user said, or the message as a dict")
        said = read_messages([value], self.target.wire)
        if len(said) != 1 or said[0].role != "user":
            roles = ", ".join(row.role for row in said) or "nothing"
            raise ParseError(f"{method} was given a message of the role {roles}; pass what the user said")
        return said[0]

    def _said_last(self) -> list[str]:
        """The newest texts of the conversation, results too, oldest first. Call it with the lock held."""
        newest = [node for _, node in sorted(self._lane.state.nodes.items())][-_MOST_RECENT:]
        messages = [self._message_or_none(node) for node in newest]
        texts = [(row.text, *(result.text for result in row.results)) for row in messages if row is not None]
        return [text[:_MOST_RECENT_CHARS] for row in texts for text in row if text]

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
