"""The product's detectors, run over a run round by round as a session runs them: the same fold, the same view, no store."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from trimtab.core import entries as e
from trimtab.core.drift import Flag
from trimtab.core.fold import apply
from trimtab.core.messages import Role
from trimtab.core.state import SessionState
from trimtab.core.task import PlanStep
from trimtab.distill import outcome
from trimtab.evals.detectors.runs import Call, Round, Run
from trimtab.settings import DETECTORS
from trimtab.steer import detectors_for
from trimtab.steer.acts import NEWEST_RESULTS, CallSeen, acts_of
from trimtab.steer.canonical import shingles
from trimtab.steer.flags import flagged
from trimtab.steer.seen import Found, Seen, SeenCall

# the kinds that mean that an agent makes no headway
NO_HEADWAY = ("looping", "tunnel")
_BATCH = "the same for each"


class Noticed(Struct, frozen=True):
    """What there is after a round: `found` in it, and the flags that stand."""

    found: tuple[Found, ...]
    flags: tuple[Flag, ...]


class Watch:
    """A session's state with a task under way, as far as detectors read it."""

    def __init__(self, run: Run, kinds: Collection[str] = DETECTORS) -> None:
        self._kinds = kinds
        self._state = SessionState()
        self._ms = 1_700_000_000_000
        self._user_seq = 0
        self._batch = False
        self._results: list[frozenset[tuple[str, ...]]] = []
        goal = next((each.user for each in run.rounds if each.user), "") or "what the user asks for"
        steps = (PlanStep(_BATCH, batch=True),) if any(each.batch for each in run.rounds) else ()
        self._enter(e.TaskSet("t1", goal[:400], steps))

    def round(self, each: Round) -> Noticed:
        """The round is entered and looked at."""
        self._ms += each.ms
        if each.user:
            self._user_seq = self._message("user", flags=e.HAS_USER_INPUT)
        if each.batch != self._batch:
            self._batch = each.batch
            self._enter(e.StepMoved(_BATCH, "active" if each.batch else "done", at_ms=self._ms))
        seq = self._state.seq + 1
        ids = [f"c{seq}.{place}" for place in range(len(each.calls))]
        names = [call.tool for call in each.calls]
        self._message("assistant", calls=tuple(zip(ids, names, strict=True)))
        calls = [self._call(call, call_id) for call, call_id in zip(each.calls, ids, strict=True)]
        return self._look(seq, each, calls)

    def _call(self, call: Call, call_id: str) -> CallSeen:
        seq = self._message("tool", results=(call_id,))
        return CallSeen(call.tool, call.arguments, call.result, seq, outcome(call.result, call.is_error) == "failed")

    def _look(self, seq: int, each: Round, calls: list[CallSeen]) -> Noticed:
        state = self._state
        active = state.task.active if state.task else None
        step = active.name if active else ""
        acts = acts_of(seq, each.text, calls, round=state.round, at_ms=self._ms, step=step, earlier=self._results)
        self._results = [*self._results, *(shingles(call.result) for call in calls)][-NEWEST_RESULTS:]
        if not calls:
            self._results = [*self._results, shingles(each.text)][-NEWEST_RESULTS:]
        shown = tuple(SeenCall(seq, call.tool, call.arguments) for call in calls)
        view = Seen(state=state, reply=each.text, reply_seq=seq, calls=shown, user_seq=self._user_seq)
        looked_at = [*state.acts, *acts]
        found = tuple(row for detector in detectors_for(self._kinds) for row in detector.look(looked_at, view) if row.kind in self._kinds)
        drift = flagged(state, looked_at, view, self._kinds, "warn", state.seq + 1)
        self._enter(e.Acted(acts))
        if drift is not None:
            self._enter(drift)
        return Noticed(found, tuple(state.flags))

    def _message(self, role: Role, *, calls: tuple[tuple[str, str], ...] = (), results: tuple[str, ...] = (), flags: int = 0) -> int:
        seq = self._state.seq + 1
        name = f"m{seq}"
        node = e.Node(seq, name, name, name, "openai_chat", role, 1, calls=calls, results=results, flags=flags, at_ms=self._ms)
        return self._enter(e.MessageAdded(node))

    def _enter(self, entry: e.Entry) -> int:
        seq = self._state.seq + 1
        apply(self._state, seq, entry)
        return seq


def watched(run: Run, kinds: Collection[str] = DETECTORS) -> list[Noticed]:
    """What there is after each round of a run."""
    watch = Watch(run, kinds)
    return [watch.round(each) for each in run.rounds]
