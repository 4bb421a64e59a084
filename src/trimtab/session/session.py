"""The library's face: record what happens, ask for the next prompt, see why it is as it is."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from trimtab.core.target import Target
from trimtab.errors import BadSetting
from trimtab.llm import ChatModel, model_for
from trimtab.policies import policy_for
from trimtab.session.branches import BranchPart
from trimtab.session.dropping import DroppingPart
from trimtab.session.finding import FindingPart
from trimtab.session.history import HistoryPart
from trimtab.session.inheriting import InheritPart
from trimtab.session.library import RESERVED
from trimtab.session.library_part import LibraryPart
from trimtab.session.memory import MemoryPart
from trimtab.session.recall import RecallPart
from trimtab.session.requests import RequestPart
from trimtab.session.settling import SettlingPart
from trimtab.session.sharing import SharingPart
from trimtab.session.steps import StepPart
from trimtab.session.summaries import SummaryPart
from trimtab.session.tasks import TaskPart
from trimtab.session.watching import WatchingPart
from trimtab.settings import Settings
from trimtab.stores import LaneKey, Store, open_store
from trimtab.tokens import Counter


class Session(
    HistoryPart,
    MemoryPart,
    StepPart,
    DroppingPart,
    SummaryPart,
    InheritPart,
    FindingPart,
    RecallPart,
    TaskPart,
    WatchingPart,
    BranchPart,
    SettlingPart,
    LibraryPart,
    SharingPart,
    RequestPart,
):
    """One agent task. Safe to use from several threads; several processes may open the same one.

    Open it with `Session.open(...)`, best as a context manager.
    """

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
        summarizer: ChatModel | None = None,
        verifier: ChatModel | None = None,
        shares: bool | None = None,
        private: bool | None = None,
    ) -> Session:
        """Open or begin a session.

        Args:
            path: a SQLite file (made if missing), ":memory:", or a store.
            session_id: the caller's name for the task.
            target: whom prompts are made for, unless `prompt` says otherwise.
            counter: a token counter of your own; by default the one of the target's model.
            summarizer: a model of your own that distills history in `maintain`; by default the one that
                `settings.summarizer` names, if any.
            verifier: a model of your own that judges steps and milestones; by default the one that `settings.verifier` names,
                if any.
            shares: whether this lane takes in what other lanes of the session know; by default as `settings.sharing` says.
            private: whether other lanes see nothing of this one but what it gives by `share`; None for as it was.
        Raises:
            NotFound: no such mode.
            BadSetting: a session's name that is empty or reserved.
            ConfigError: the summarizer that the settings name cannot be used.
            StoreError, SchemaTooNew, CorruptEntry: the database cannot be opened or read.
        """
        settings, target = settings or Settings(), target or Target()
        if not session_id:
            raise BadSetting("session_id", session_id, "a name that is not empty")
        if session_id.startswith(RESERVED):
            raise BadSetting("session_id", session_id, f"a name that does not begin with {RESERVED!r}; those are kept for the library")
        if shares is not None:
            settings = settings.merged(sharing="session" if shares else "own")
        if summarizer is None and settings.summarizer is not None:
            summarizer = model_for(settings.summarizer)
        owns = isinstance(path, str | Path)
        store = open_store(path, settings.durability) if isinstance(path, str | Path) else path
        policy_for(settings.mode)
        session = cls(store, LaneKey(tenant, project, session_id, lane), settings, target, counter, owns_store=owns)
        session._use_summarizer(summarizer)
        if verifier is None and settings.verifier is not None:
            verifier = model_for(settings.verifier)
        session._use_verifier(verifier)
        if private is not None:
            store.set_private(session._key, private)
        return session

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the session, and the database if the session opened it. Everything is stored already.

        A run of maintenance that is on in a thread is waited for, and canceled where that takes too long.
        """
        self._stop_worker()
        self._searcher.close()
        with self._lock:
            if not self._closed and self._owns_store:
                self._store.close()
            self._closed = True
