"""What every part of a session stands on: its lane, its lock, and how it counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import get_args

from trimtab.core import entries as e
from trimtab.core.ids import Hasher
from trimtab.core.state import SessionState
from trimtab.core.target import Target
from trimtab.errors import BadSetting, SessionClosed
from trimtab.recall.embedders import open_embedder
from trimtab.session.bodies import Bodies
from trimtab.session.incoming import Intake, find_stored_call
from trimtab.session.lane import Lane, Write
from trimtab.session.prompt import Prompt
from trimtab.session.prompting import Requester
from trimtab.session.recalling import Recaller
from trimtab.session.searching import Searcher
from trimtab.session.sync import Seen
from trimtab.settings import RecallScope, Settings
from trimtab.stores import LaneKey, Store
from trimtab.tokens import Counter, counter_for

_FENCE_KEY_CHARS = 8


class SessionBase:
    """The state of one open session, shared by its parts."""

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
        self._searcher = Searcher(store, open_embedder(settings.embedder))
        self._prompt: Prompt | None = None
        self._seen: Seen | None = None
        self._lock = threading.RLock()
        self._closed = False

    def _intake(self, state: SessionState, next_seq: int) -> Intake:
        known = self._requesters.get(state.counter_id)
        counter = (known or self._requester_for(self.target)).counter
        find_call = partial(find_stored_call, self._lane, self._bodies)
        return Intake(state, next_seq, self._hasher, counter, self._bodies, find_call, offload_tokens=self.settings.offload_result_tokens)

    def _requester_for(self, target: Target) -> Requester:
        counter = self._own_counter or counter_for(target.model)
        if counter.counter_id not in self._requesters:
            self._requesters[counter.counter_id] = Requester(
                self._lane, self.settings, counter, self._hasher, self._bodies, self._fence_key, self._recaller()
            )
        return self._requesters[counter.counter_id]

    def _count_alike(self) -> None:
        """New messages are counted as the live ones are: by a counter that this process can build, or all anew."""
        if self._lane.state.counter_id and self._lane.state.counter_id not in self._requesters:
            self._requester_for(self.target).use_counter()

    @property
    def state(self) -> SessionState:
        """The folded state; read it, do not change it."""
        return self._lane.state

    @property
    def store(self) -> Store:
        return self._store

    def _enter(self, make: Callable[[SessionState], e.Entry | None]) -> int:
        """Commit one entry made from the state, if it makes one. Returns the seq of the newest entry."""
        with self._open_lock():

            def build(state: SessionState, seq: int) -> Write | None:
                entry = make(state)
                return Write(entries=[entry]) if entry is not None else None

            return self._lane.write(build)

    def _recaller(self, scope: str = "") -> Recaller:
        """Recall for this lane, in another scope than the setting's where one is named. Raises BadSetting."""
        if scope and scope not in get_args(RecallScope):
            raise BadSetting("scope", scope, "one of " + ", ".join(get_args(RecallScope)))
        return Recaller(self._lane, self._bodies, self.settings, self._searcher, scope)

    def _take_in_shared(self) -> None:
        """Called before a prompt and in maintenance, for what other lanes of the session share."""

    def _watch(self) -> None:
        """Called with the lock once messages were entered, for the detectors."""

    def _stop_drifted(self) -> None:
        """Called with the lock before a prompt is made. Raises Drifted."""

    def _replied(self) -> None:
        """Called without the lock once something was recorded, for maintenance that runs by itself."""

    def _open_lock(self) -> threading.RLock:
        if self._closed:
            raise SessionClosed(f"session {self._key.session_id!r} is closed; open it again")
        return self._lock
