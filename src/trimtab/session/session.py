"""The library's face: record what happens, ask for the next prompt, see why it is as it is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.core import entries as e
from trimtab.core.draft import PromptPlan
from trimtab.core.ids import Hasher
from trimtab.core.messages import Message, Status
from trimtab.core.plan import Decision
from trimtab.core.state import SessionState
from trimtab.core.target import Target
from trimtab.errors import BadSetting, NotFound, ParseError, SessionClosed
from trimtab.policies import policy_for
from trimtab.session.bodies import Bodies
from trimtab.session.incoming import Intake, find_stored_call, read_messages, with_status
from trimtab.session.lane import Lane, Write
from trimtab.session.overflow import learned
from trimtab.session.past import decisions_upto, request_at, segments_of
from trimtab.session.prompt import Prompt
from trimtab.session.prompting import Ask, Requester
from trimtab.session.recalling import index_backlog
from trimtab.session.sync import Reconciler, Seen, SyncReport, leading_system
from trimtab.settings import Settings
from trimtab.stores import Body, LaneKey, Store, open_store
from trimtab.tokens import Counter, counter_for
from trimtab.wire import wire_for

_FENCE_KEY_CHARS = 8


class RecordReport(Struct, frozen=True, kw_only=True):
    """What `record` appended: entry numbers of the first and the last message, and how many. Zeros for none."""

    first_seq: int
    last_seq: int
    count: int


class Session:
    """One agent task. Safe to use from several threads; several processes may open the same one.

    Open it with `Session.open(...)`, best as a context manager.
    """

    def __init__(
        self, store: Store, key: LaneKey, settings: Settings, target: Target, counter: Counter | None, *, owns_store: bool = False
    ) -> None:
        self._store, self._key, self._owns_store = store, key, owns_store
        self.settings, self.target = settings, target
        self._hasher = Hasher.for_tenant(key.tenant_id)
        self._fence_key = self._hasher.digest(f"{key.project_id}\n{key.session_id}\n{key.lane_id}".encode())[:_FENCE_KEY_CHARS]
        self._bodies = Bodies(store, key.tenant_id)
        self._lane = Lane(store, key)
        # a counter of the caller's own serves every target, else each model is counted by its own tokenizer
        self._own_counter = counter
        self._requesters: dict[str, Requester] = {}
        self._prompt: Prompt | None = None
        self._seen: Seen | None = None
        self._lock = threading.RLock()
        self._closed = False

    @classmethod
    def open(  # noqa: PLR0913 - the one place where a session's surroundings are named
        cls,
        path: str | Path | Store,
        session_id: str,
        *,
        settings: Settings | None = None,
        target: Target | None = None,
        tenant: str = "default",
        project: str = "default",
        lane: str = "main",
        counter: Counter | None = None,
    ) -> Session:
        """Open or begin a session.

        Args:
            path: a SQLite file (made if missing), ":memory:", or a store.
            session_id: the caller's name for the task.
            target: whom prompts are made for, unless `prompt` says otherwise.
            counter: a token counter of your own; by default the one of the target's model.
        Raises:
            NotFound: no such mode.
            StoreError, SchemaTooNew, CorruptEntry: the database cannot be opened or read.
        """
        settings, target = settings or Settings(), target or Target()
        if not session_id:
            raise BadSetting("session_id", session_id, "a name that is not empty")
        owns = isinstance(path, str | Path)
        store = open_store(path, settings.durability) if isinstance(path, str | Path) else path
        policy_for(settings.mode)
        return cls(store, LaneKey(tenant, project, session_id, lane), settings, target, counter, owns_store=owns)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the session, and the database if the session opened it. Everything is stored already."""
        with self._lock:
            if not self._closed and self._owns_store:
                self._store.close()
            self._closed = True

    # ------------------------------------------------------------ history

    def record(self, *messages: Any, key: str | None = None, status: Status | None = None) -> RecordReport:
        """Append exactly these messages. Equal text twice is two messages.

        Args:
            messages: dicts in OpenAI Chat, OpenAI Responses or Anthropic form, SDK objects, whole replies, or
                streams of one (consumed here; one that was cut is marked `aborted`).
            key: idempotency key: a second call with it appends nothing.
            status: `partial` or `aborted` for a reply that is not whole.
        Raises:
            ParseError: which message, where in it, what was wrong; nothing was appended.
        """
        self._open_lock()
        # a stream is consumed outside the lock: other threads go on while it comes in
        parsed = read_messages(messages, self.target.wire)
        if status is not None:
            parsed = [with_status(message, status) for message in parsed]
        with self._open_lock():
            self._count_alike()
            return self._append(parsed, key or "")

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
            index_backlog(self._lane, self._bodies)
            return report

    def _intake(self, state: SessionState, next_seq: int) -> Intake:
        known = self._requesters.get(state.counter_id)
        counter = (known or self._requester_for(self.target)).counter
        return Intake(state, next_seq, self._hasher, counter, self._bodies, partial(find_stored_call, self._lane, self._bodies))

    def _requester_for(self, target: Target) -> Requester:
        counter = self._own_counter or counter_for(target.model)
        if counter.counter_id not in self._requesters:
            self._requesters[counter.counter_id] = Requester(
                self._lane, self.settings, counter, self._hasher, self._bodies, self._fence_key
            )
        return self._requesters[counter.counter_id]

    def _count_alike(self) -> None:
        """New messages are counted as the live ones are: by a counter that this process can build, or all anew."""
        if self._lane.state.counter_id and self._lane.state.counter_id not in self._requesters:
            self._requester_for(self.target).use_counter()

    def _append(self, messages: Sequence[Message], key: str) -> RecordReport:
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
                seqs.append(intake.add(message, key if index == 0 else "").seq)
            return intake.write

        self._lane.write(build)
        index_backlog(self._lane, self._bodies)
        if not seqs:
            known = self._lane.state.keys.get(key, 0)
            return RecordReport(first_seq=known, last_seq=known, count=0)
        return RecordReport(first_seq=seqs[0], last_seq=seqs[-1], count=len(seqs))

    # ------------------------------------------------------------ what is kept beside the history

    def meta_context(self, identity: str = "", never: Iterable[str] = (), done_when: Iterable[str] = ()) -> None:
        """Who the agent is, what it never does, how it judges a step done: first in every prompt."""
        entry = e.MetaContextSet(identity, tuple(never), tuple(done_when))
        self._enter(lambda state: None if _same_meta(state, entry) else entry)

    def brief(self, text: str) -> None:
        """The task's final goal and core needs: second in every prompt."""
        self._enter(lambda state: None if state.brief == text else e.BriefSet(text))

    def pin(self, text: str, polarity: str = "must") -> str:
        """Keep a text word for word in every prompt, until `unpin`.

        Args:
            polarity: "must" or "never".
        Returns:
            the pin's id; the id of the standing pin where the same text is pinned already.
        """
        if polarity not in ("must", "never"):
            raise BadSetting("polarity", polarity, "'must' or 'never'")
        if not text.strip():
            raise BadSetting("pin", text, "a text that is not empty")
        pin_id = "p" + self._hasher.digest(f"{polarity}\n{text}".encode())[:10]
        self._enter(lambda state: None if pin_id in state.pins else e.Pinned(pin_id, text, polarity))
        return pin_id

    def unpin(self, pin_id: str) -> None:
        """Raises NotFound, with the pins there are."""
        with self._open_lock():
            self._lane.catch_up()
            if pin_id not in self._lane.state.pins:
                raise NotFound("pin", pin_id, tuple(self._lane.state.pins))
            self._enter(lambda state: e.Unpinned(pin_id))

    def write_note(self, key: str, value: Any) -> int:
        """Store any JSON value under a key. Returns its version, counted from 1; older ones stay readable."""
        try:
            payload = msgspec.json.encode(value)
        except (TypeError, UnicodeEncodeError, RecursionError) as error:
            raise ParseError(f"note {key!r} is not JSON: {error}") from None
        body_id = self._hasher.body_id("note", payload)
        with self._open_lock():
            self._bodies.remember(body_id, payload)

            def build(state: SessionState, seq: int) -> Write:
                version = state.notes[key].version + 1 if key in state.notes else 1
                return Write(entries=[e.NoteWritten(key, version, body_id)], bodies=[Body(body_id, payload)])

            self._lane.write(build)
            return self._lane.state.notes[key].version

    def read_note(self, key: str, version: int | None = None) -> Any:
        """The newest version of a note on this branch, or a given one. Raises NotFound."""
        with self._open_lock():
            self._lane.catch_up()
            notes = self._lane.state.notes
            if key not in notes:
                raise NotFound("note", key, tuple(notes))
            if version is None or version == notes[key].version:
                return msgspec.json.decode(self._bodies.get(notes[key].body_id))
            for row in self._store.load(self._key):
                entry = self._lane.decoded(row) if row.kind == "note" else None
                if isinstance(entry, e.NoteWritten) and (entry.key, entry.version) == (key, version) and self._lane.state.contains(row.seq):
                    return msgspec.json.decode(self._bodies.get(entry.body_id))
            raise NotFound(f"version of note {key!r}", version, tuple(range(1, notes[key].version + 1)))

    # ------------------------------------------------------------ requests

    def prompt(
        self, *, tools: list[Any] | None = None, system: Any = None, max_output_tokens: int | None = None, target: Target | None = None
    ) -> Prompt:
        """Decide what the next request sends, record it, and return it. No language model is called.

        The same call again, with nothing new recorded, returns the same request.

        Args:
            tools: schemas as the target's interface takes them; counted, and sent unchanged.
            system: the client's own system text; replaces what was recorded as such.
            max_output_tokens: of this request, thinking included; reserved for the reply.
            target: whom it is for, where not the session's own.
        Raises:
            PinnedOverflow: what must be in does not fit; names the largest contributors.
            WindowUnknown: neither the settings nor the model's name give a window.
        """
        with self._open_lock():
            target = target or self.target
            requester = self._requester_for(target)
            if system is not None:
                requester.set_instructions(wire_for(target.wire).parse_system(system))
            ask = Ask(target=target, tools=tools, max_output_tokens=max_output_tokens)
            made = requester.request(ask)
            if made is None and self._lane.catch_up():
                made = requester.request(ask)
            if made is None:
                number = self._lane.state.last.number if self._lane.state.last else 0
                return self._prompt if self._prompt is not None and self._prompt.number == number else self.request(number)
            self._prompt = self._prompt_of(made)
            return self._prompt

    def bare_prompt(self, *, tools: list[Any] | None = None, max_output_tokens: int | None = None) -> Prompt:
        """A prompt of chosen messages alone: no section of ours is added. What `trimtab.trim` uses."""
        with self._open_lock():
            ask = Ask(target=self.target, tools=tools, max_output_tokens=max_output_tokens, bare=True)
            made = self._requester_for(self.target).request(ask)
            return self.request(self._lane.last_request) if made is None else self._prompt_of(made)

    def _prompt_of(self, made: PromptPlan) -> Prompt:
        return Prompt(made.request, made.segments, self._bodies, self._decisions_at(self._lane.state.seq))

    async def aprompt(
        self, *, tools: list[Any] | None = None, system: Any = None, max_output_tokens: int | None = None, target: Target | None = None
    ) -> Prompt:
        """`prompt` off the event loop. Cancelling it never cancels a commit that has begun."""
        return await asyncio.to_thread(self.prompt, tools=tools, system=system, max_output_tokens=max_output_tokens, target=target)

    def rebuild(self, *, tools: list[Any] | None = None, system: Any = None, max_output_tokens: int | None = None) -> Prompt:
        """Discard what was projected so far and assemble the prompt anew from ledger, state and summary."""
        with self._open_lock():
            self._enter(lambda state: e.RebuildAsked())
            return self.prompt(tools=tools, system=system, max_output_tokens=max_output_tokens)

    def request(self, number: int) -> Prompt:
        """A past request, rebuilt from what was stored when it was sent. Raises NotFound, Erased, CorruptEntry."""
        with self._open_lock():
            entry, state = request_at(self._lane, number)
            return Prompt(entry, segments_of(state, entry), self._bodies, self._decisions_at(state.seq))

    @property
    def last_request(self) -> int:
        """The number of the newest request of this lane; 0 before the first."""
        return self._lane.last_request

    def overflowed(self, error: object = None, *, window_tokens: int = 0) -> None:
        """Tell the session that the provider refused the last prompt as too long.

        The true window is read from the error's text where it names one (or taken from `window_tokens`); the
        next prompt is strictly smaller.
        """
        with self._open_lock():
            last = self._lane.state.last
            window, cap = learned(str(error or ""), window_tokens, last.tokens if last else 0)
            self._enter(lambda state: e.WindowLearned(last.target if last else self.target, window, cap))

    def usage(self, input_tokens: int, output_tokens: int = 0, cached_tokens: int = 0) -> None:
        """Record what the provider counted for the last request."""
        self._enter(lambda state: e.UsageReported(self._lane.last_request, input_tokens, output_tokens, cached_tokens))

    # ------------------------------------------------------------ points to go back to

    def checkpoint(self, name: str) -> int:
        """Name this point. Returns its entry number."""
        return self._enter(lambda state: e.Checkpointed(name))

    def rollback(self, name: str) -> None:
        """Go on from a checkpoint: history, notes, pins and summary as they were. What came after stays in the
        ledger, off this branch. Raises NotFound, with the checkpoints there are."""
        with self._open_lock():
            self._lane.catch_up()
            checkpoints = self._lane.state.checkpoints
            if name not in checkpoints:
                raise NotFound("checkpoint", name, tuple(checkpoints))
            self._enter(lambda state: e.RolledBack(checkpoints[name], name))

    # ------------------------------------------------------------ inside

    @property
    def state(self) -> SessionState:
        """The folded state; read it, do not change it."""
        return self._lane.state

    @property
    def store(self) -> Store:
        return self._store

    def _enter(self, make: Any) -> int:
        with self._open_lock():

            def build(state: SessionState, seq: int) -> Write | None:
                entry = make(state)
                return Write(entries=[entry]) if entry is not None else None

            return self._lane.write(build)

    def _decisions_at(self, seq: int) -> Any:
        def load() -> tuple[Decision, ...]:
            with self._open_lock():
                return decisions_upto(self._lane, seq)

        return load

    def _open_lock(self) -> threading.RLock:
        if self._closed:
            raise SessionClosed(f"session {self._key.session_id!r} is closed; open it again")
        return self._lock


def _same_meta(state: SessionState, entry: e.MetaContextSet) -> bool:
    return (state.meta.identity, state.meta.never, state.meta.done_when) == (entry.identity, entry.never, entry.done_when)
