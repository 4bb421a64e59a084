"""What is done between requests: a summarizing model reads the history that is settled, if one is set."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError, Future

import msgspec

from trimtab.core import entries as e
from trimtab.core.entries import MessageAdded, Node
from trimtab.core.messages import Message
from trimtab.core.state import SessionState
from trimtab.core.summary import ItemChanges
from trimtab.distill.digest import Stretch, gone_line, guard, line_of
from trimtab.errors import BadSetting, Erased, SessionClosed, TrimtabError
from trimtab.llm import ChatModel
from trimtab.session import background, clock
from trimtab.session.base import SessionBase
from trimtab.session.distilling import Distiller, Job, Outcome
from trimtab.session.lane import Write
from trimtab.session.outcomes import CANCELED, MaintainReport, changes_of, moved, record_of, report_of, with_cost
from trimtab.settings import Summarizer

# the newest rounds are left alone: what was just said is likely to be taken back or settled by the next words
SETTLED_ROUNDS = 2
# how long a run that was canceled by `close` may take to stop
CANCEL_WAIT_S = 2.0


class MaintainPart(SessionBase):
    """maintain.

    `close_wait_s` is how long `close` waits for a run in a thread, at most `summarizer.timeout_s`, before it is canceled.
    """

    close_wait_s: float = 10.0

    _model: ChatModel | None = None
    _limits: Summarizer = Summarizer()
    _run_lock: threading.Lock
    _worker: threading.Thread | None = None
    _inflight: Future[MaintainReport] | None = None
    _closing = False
    _last_report: MaintainReport | None = None
    # up to where maintenance by itself has looked for turns without vectors
    _embedded_seq = 0

    def _use_summarizer(self, model: ChatModel | None) -> None:
        """Called once, as the session is opened. Raises BadSetting for what is no chat model."""
        if model is not None and not (isinstance(model.name, str) and isinstance(model.window_tokens, int)):
            raise BadSetting("summarizer", model, "an object with name, window_tokens and complete(), see trimtab.llm.ChatModel")
        self._model = model
        self._limits = self.settings.summarizer or Summarizer()
        self._run_lock = threading.Lock()

    @property
    def last_maintenance(self) -> MaintainReport | None:
        """The report of the newest run that was not `busy`, however it was started; None before the first."""
        return self._last_report

    # ------------------------------------------------------------ by call

    def maintain(self) -> MaintainReport:
        """Make vectors of what was said since, where an embedder is there; then let the summarizing model read what is settled
        and not yet read, and enter what stands of its answer.

        The model is not asked where no summarizer is set or nothing is due. The model is asked on one background event
        loop, with or without a loop running in the caller's thread; the caller waits. A model object that blocks
        instead of awaiting cannot be cut off: it holds up every session of the process that is maintained so.

        Raises:
            SessionClosed: before anything was asked. StoreError: the ledger cannot be read or written.
            What the model does never raises.
        """
        self._open_lock()
        if self._model is None:
            self._take_in_shared()
            return self._idle(embedded=self._maintain_recall())
        if background.is_inside():
            return MaintainReport(outcome="busy", detail="called from inside a model's answer; await amaintain() there")
        future = background.submit(self.amaintain())
        try:
            return future.result()
        finally:
            future.cancel()  # where the wait was broken off; of a run that is over this does nothing

    async def amaintain(self) -> MaintainReport:
        """`maintain` on the caller's event loop. Canceling it is passed on to the model's request and recorded; a
        commit that has begun is not undone by it."""
        self._open_lock()
        await asyncio.to_thread(self._take_in_shared)
        if self._model is None:
            return self._idle(embedded=await asyncio.to_thread(self._maintain_recall))
        if not self._run_lock.acquire(blocking=False):
            return MaintainReport(outcome="busy", detail="another run is on")
        try:
            embedded = await asyncio.to_thread(self._maintain_recall)
            job = await asyncio.to_thread(self._begin)
            report = self._idle("nothing is due") if job is None else await self._run(job, self._model)
            self._last_report = msgspec.structs.replace(report, embedded=embedded)
            return self._last_report
        finally:
            self._run_lock.release()

    def _idle(self, why: str = "no summarizer is set", embedded: int = 0) -> MaintainReport:
        return MaintainReport(outcome="idle", detail=why, embedded=embedded)

    def _maintain_recall(self) -> int:
        """Make what is stored searchable by vectors: how many turns and pieces (see `RecallPart`)."""
        return 0

    async def _run(self, job: Job, model: ChatModel) -> MaintainReport:
        distiller = Distiller(model, self._limits, self._fence_key)
        started = clock.now_ms()
        try:
            outcome = await distiller.run(job)
        except asyncio.CancelledError:
            outcome = Outcome(kind="failed", last_seq=job.lines[-1].seq, detail=CANCELED)
            if distiller.spent.calls:
                self._commit(job, outcome, distiller, clock.now_ms() - started)
            raise
        if not distiller.spent.calls:
            return MaintainReport(outcome="failed", detail=outcome.detail)
        committing = asyncio.ensure_future(asyncio.to_thread(self._commit, job, outcome, distiller, clock.now_ms() - started))
        return await asyncio.shield(committing)

    # ------------------------------------------------------------ what is due

    def _begin(self) -> Job | None:
        """What there is to read; None where it is less than `least_tokens`."""
        with self._open_lock():
            self._lane.catch_up()
            nodes, failures = self._settled()
            if not nodes or sum(node.tokens for node in nodes) < self._limits.least_tokens:
                return None
            messages = [(node, self._message_or_none(node)) for node in nodes]
            items = tuple(self._lane.state.items.values())
            ended = tuple(self._lane.state.ended)
        names: dict[str, str] = {}
        lines = tuple(gone_line(node.seq, node.role) if said is None else line_of(node.seq, said, names) for node, said in messages)
        return Job(lines, items, failures, ended)

    def _settled(self) -> tuple[list[Node], int]:
        """The messages of this branch that are due, and how often a run that began with the first has failed."""
        state = self._lane.state
        before = _first_unsettled(state)
        nodes: list[Node] = []
        failures = 0
        for row in self._store.load(self._key, state.distilled_seq):
            if row.kind not in ("message", "distilled") or not state.contains(row.seq):
                continue
            entry = self._lane.decoded(row)
            if isinstance(entry, MessageAdded) and row.seq < before:
                nodes.append(state.nodes.get(row.seq, entry.node))
            elif isinstance(entry, e.Distilled) and nodes and entry.first_seq == nodes[0].seq and entry.detail != CANCELED:
                failures += 1
        return nodes, failures

    def _message_or_none(self, node: Node) -> Message | None:
        try:
            return self._bodies.message(node)
        except Erased:
            return None

    def _is_due(self) -> bool:
        """By what is in memory alone; what has left unread is always worth a look."""
        state = self._lane.state
        before = _first_unsettled(state)
        live = sum(node.tokens for seq, node in state.nodes.items() if state.distilled_seq < seq < before)
        return live >= self._limits.least_tokens or state.cut_seq > state.distilled_seq

    # ------------------------------------------------------------ the record

    def _commit(self, job: Job, outcome: Outcome, distiller: Distiller, duration_ms: int) -> MaintainReport:
        """The items and the run's record, in one transaction. Nothing of an answer about another branch is kept."""
        lines = [line for line in job.lines if line.seq <= outcome.last_seq]
        text = "\n".join(line.everything for line in lines)
        entered: list[e.Distilled] = []
        try:
            with self._open_lock():
                count = self._requester_for(self.target).counter.count_text
                stretch = Stretch(frozenset(line.seq for line in lines), text, count(text))

                def build(state: SessionState, seq: int) -> Write:
                    refused, changes = moved(state, job), ItemChanges()
                    if not refused and outcome.kind == "done":
                        changes = changes_of(state, outcome, seq, distiller.name)
                        refused = guard(list(state.items.values()), changes, stretch, self.settings.summary_max_tokens, count)
                    changes = ItemChanges() if refused else changes
                    record = with_cost(record_of(state, job, outcome, refused, changes), distiller, self._limits, duration_ms)
                    entered[:] = [record]
                    return Write(entries=[e.ItemsChanged(changes), record] if changes else [record])

                return report_of(self._lane.write(build), entered[-1])
        except SessionClosed:
            return MaintainReport(outcome="failed", detail="the session was closed meanwhile", calls=distiller.spent.calls)

    # ------------------------------------------------------------ by itself

    def _replied(self) -> None:
        """A message was entered: where maintenance runs by itself and is due, it runs now."""
        state = self._lane.state
        if self.settings.maintain == "call" or self._closing or not state.units:
            return
        if state.units[-1].role != "assistant" or state.open_unit is not None:
            return
        fresh = self._searcher.embedder is not None and state.indexed_seq != self._embedded_seq
        if not fresh and (self._model is None or not self._is_due()):
            return
        self._embedded_seq = state.indexed_seq
        if self.settings.maintain == "thread":
            self._start_worker()
            return
        try:
            self.maintain()
        except (TrimtabError, CancelledError) as error:
            # what was recorded is recorded; that the ledger is in trouble will show where it is used next
            self._last_report = MaintainReport(outcome="failed", detail=str(error))

    def _start_worker(self) -> None:
        with self._lock:
            if self._closing or (self._worker is not None and self._worker.is_alive()):
                return
            self._worker = threading.Thread(target=self._work, name="trimtab-maintain", daemon=True)
            self._worker.start()

    def _work(self) -> None:
        """Runs until nothing is due, something fails, or the session is closed."""
        try:
            done = True
            while done and not self._closing:
                self._inflight = background.submit(self.amaintain())
                done = self._inflight.result().outcome == "done"
        except (TrimtabError, CancelledError) as error:
            self._last_report = MaintainReport(outcome="failed", detail=str(error) or CANCELED)

    def _stop_worker(self) -> None:
        """Let a run that is on come to its end, or cancel it where that takes too long. Called without the lock."""
        self._closing = True
        worker = self._worker
        if worker is None or worker is threading.current_thread() or background.is_inside():
            return
        worker.join(min(self.close_wait_s, self._limits.timeout_s))
        if worker.is_alive() and self._inflight is not None:
            self._inflight.cancel()
            worker.join(CANCEL_WAIT_S)
            # the canceled run enters its record before it lets go of this
            if self._run_lock.acquire(timeout=CANCEL_WAIT_S):
                self._run_lock.release()


def _first_unsettled(state: SessionState) -> int:
    """The first message that is not to be read yet: of the newest rounds, or of a call that waits for its result."""
    newest = state.round - SETTLED_ROUNDS
    return min((unit.key for unit in state.units if unit.round > newest or unit is state.open_unit), default=state.seq + 1)
