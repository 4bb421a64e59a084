"""What happened: messages appended as they come, or reconciled with a whole history that is sent again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from trimtab.core.entries import NeedDeclared
from trimtab.core.messages import Message, Status, ToolCall
from trimtab.core.state import SessionState
from trimtab.errors import BadSetting, ParseError
from trimtab.session.base import SessionBase
from trimtab.session.incoming import BrokenStream, read_messages, with_status
from trimtab.session.lane import Write
from trimtab.session.sync import Reconciler, SyncReport, leading_system


class RecordReport(Struct, frozen=True, kw_only=True):
    """What `record` appended: entry numbers of the first and the last message, and how many. Zeros for none."""

    first_seq: int
    last_seq: int
    count: int


class HistoryPart(SessionBase):
    """record and sync."""

    def record(
        self, *messages: Any, key: str | None = None, status: Status | None = None, needed_by: str | None = None, by_code: bool = False
    ) -> RecordReport:
        """Append exactly these messages. Equal text twice is two messages.

        Args:
            messages: dicts in OpenAI Chat, OpenAI Responses or Anthropic form, SDK objects, whole replies, or
                streams of one (consumed here; one that was cut is marked `aborted`).
            key: idempotency key: a second call with it appends nothing.
            status: `partial` or `aborted` for a reply that is not whole.
            needed_by: a step that needs these messages: they stay whole until it has been and gone, see `need`.
            by_code: your program speaks in the user's place, as with `OffStep.correction`: what it says is no rule, and it opens
                no turn.
        Raises:
            ParseError: which message, where in it, what was wrong; nothing was appended.
            whatever a stream raises: what had come of the reply is appended, marked `aborted`.
        """
        if status not in (None, "complete", "partial", "aborted"):
            raise BadSetting("status", status, "complete, partial or aborted")
        self._open_lock()
        # a stream is consumed outside the lock: other threads go on while it comes in
        try:
            parsed = read_messages(messages, self.target.wire)
        except BrokenStream as broken:
            with self._open_lock():
                self._append(broken.messages, key or "", needed_by or "")
            raise (broken.__cause__ or broken) from None
        if status is not None:
            parsed = [with_status(message, status) for message in parsed]
        with self._open_lock():
            self._count_alike()
            report = self._append(parsed, key or "", needed_by or "", by_code=by_code)
            self._watch()
        self._replied()
        return report

    def sync(self, history: Sequence[Any], system: Any = None) -> SyncReport:
        """Reconcile a whole history that is sent again: append what is new, branch where it was edited.

        Args:
            history: all messages, as the client has them now.
            system: the request's `system` or `instructions`, where they are not in the history.
        Raises:
            ParseError: nothing was changed.
        """
        with self._open_lock():
            if isinstance(history, Mapping) or not isinstance(history, Sequence):
                raise ParseError(f"expected the list of all messages, got {type(history).__name__}")
            self._lane.catch_up()
            self._count_alike()
            report, self._seen = Reconciler(self._lane, self._intake, self._hasher, self.target.wire).sync(history, system, self._seen)
            self._watch()
        self._replied()
        return report

    def open_calls(self) -> tuple[ToolCall, ...]:
        """Calls of the newest exchange that have no result yet, in order: what a program that ended in their middle left."""
        with self._open_lock():
            self._lane.catch_up()
            unit = self._lane.state.open_unit
            waiting = set(unit.open_calls) if unit is not None else set()
            nodes = [self._lane.state.nodes[seq] for seq in unit.nodes] if unit is not None else []
            return tuple(call for node in nodes if node.calls for call in self._bodies.message(node).calls if call.call_id in waiting)

    def _append(self, messages: Sequence[Message], key: str, needed_by: str = "", *, by_code: bool = False) -> RecordReport:
        """Leading system messages are the client's instructions: outside the history, inside the budget."""
        seqs: list[int] = []

        def build(state: SessionState, next_seq: int) -> Write | None:
            seqs.clear()
            if not messages or (key and key in state.keys):
                return None
            intake = self._intake(state, next_seq)
            leading = leading_system(messages) if not state.messages else 0
            if leading:
                intake.instruct(messages[:leading], after=state.instructions)
            for index, message in enumerate(messages[leading:]):
                seqs.append(intake.add(message, key if index == 0 else "", by_code=by_code).seq)
            if needed_by and seqs:
                intake.enter(NeedDeclared(needed_by, tuple(seqs)))
            return intake.write

        self._lane.write(build)
        if not seqs:
            known = self._lane.state.keys.get(key, 0)
            return RecordReport(first_seq=known, last_seq=known, count=0)
        return RecordReport(first_seq=seqs[0], last_seq=seqs[-1], count=len(seqs))
