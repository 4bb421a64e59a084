"""Detectors watch a task as its exchanges come in (REQUIREMENTS T9). They read what is new, so a crash in between loses nothing:
what was not yet seen is seen with the next message."""

from __future__ import annotations

from collections.abc import Mapping

from trimtab.core import entries as e
from trimtab.core.messages import Message
from trimtab.core.state import SessionState
from trimtab.core.units import Unit
from trimtab.distill import outcome
from trimtab.errors import Drifted, Erased
from trimtab.session.base import SessionBase
from trimtab.session.lane import Write
from trimtab.steer.acts import NEWEST_RESULTS, CallSeen, acts_of
from trimtab.steer.canonical import Shingles, shingles
from trimtab.steer.flags import flagged
from trimtab.steer.seen import Seen, SeenCall


class WatchingPart(SessionBase):
    """What is looked at after each exchange, and what a prompt waits for."""

    # of the newest results, by the message that holds them
    _shingles: Mapping[int, Shingles] = {}

    def _watch(self) -> None:
        """Called with the lock once messages were entered."""
        state = self._lane.state
        if state.task is None or state.task.ended:
            return
        if self.settings.steering.detectors:
            self._look_at_new(state)
        if self.settings.steering.checkpoints and _due(state):
            self._lane.write(lambda state, seq: Write(entries=[e.Checkpointed(milestone_name(name)) for name in _due(state)]))

    def _look_at_new(self, state: SessionState) -> None:
        """One that was left open, by a program that ended in it or by a way back, keeps nobody from looking at those after it."""
        new = [unit for unit in state.units if unit.role == "assistant" and unit.nodes[0] > state.watched_seq]
        for unit in new:
            if unit.open_calls and unit is not new[-1]:
                continue
            if unit.open_calls or not self._look(unit):
                return

    def _look(self, unit: Unit) -> bool:
        """One exchange; False where its texts are gone."""
        try:
            reply = self._bodies.message(self._lane.state.nodes[unit.key])
            calls = [self._call(reply, unit, place) for place in range(len(reply.calls))]
        except (Erased, KeyError):
            return False
        kinds, on_flag = self.settings.steering.detectors, self.settings.steering.on_flag
        earlier = self._earlier(unit)

        def build(state: SessionState, seq: int) -> Write | None:
            if state.task is None or unit.key <= state.watched_seq:
                return None
            node = state.nodes[unit.key]
            active = state.task.active
            acts = acts_of(
                unit.key, reply.text, calls, round=unit.round, at_ms=node.at_ms, step=active.name if active else "", earlier=earlier
            )
            seen = Seen(
                state=state,
                reply=reply.text,
                reply_seq=unit.key,
                calls=tuple(SeenCall(unit.key, call.tool, call.arguments) for call in calls),
                user_seq=_user_seq(state, unit.key),
            )
            drift = flagged(state, [*state.acts, *acts], seen, kinds, on_flag, seq)
            return Write(entries=[e.Acted(acts), *([drift] if drift is not None else [])])

        self._lane.write(build)
        return True

    def _call(self, reply: Message, unit: Unit, place: int) -> CallSeen:
        call = reply.calls[place]
        seq = unit.answered.get(call.call_id, 0)
        text, failed = "", False
        if seq:
            for result in self._bodies.message(self._lane.state.nodes[seq]).results:
                if result.call_id == call.call_id:
                    text, failed = result.text, outcome(result.text, result.is_error) == "failed"
        return CallSeen(call.name, call.arguments, text, seq, failed)

    def _earlier(self, unit: Unit) -> list[Shingles]:
        """Shingles of the newest results, or replies, before an exchange."""
        state = self._lane.state
        seqs = [act.result_seq or act.seq for act in state.acts if act.seq < unit.key][-NEWEST_RESULTS:]
        known = self._shingles
        self._shingles = {
            seq: known[seq] if seq in known else shingles(self._seen_text(seq, state.nodes[seq]))
            for seq in dict.fromkeys(seqs)
            if seq in state.nodes
        }
        return list(self._shingles.values())

    def _seen_text(self, seq: int, node: e.Node) -> str:
        try:
            message = self._bodies.message(node)
        except Erased:
            return ""
        return "\n".join(result.text for result in message.results) or message.text

    def _stop_drifted(self) -> None:
        """Called before a prompt. Raises Drifted; where the answer is to go back, goes back to the newest checkpoint that was made
        since the task began, if there is one and it was not gone back for the same before."""
        state = self._lane.state
        halted = [flag for flag in state.flags if flag.answer in ("stop", "rollback")]
        if not halted or state.task is None or state.task.ended:
            return
        back = [flag for flag in halted if flag.answer == "rollback"]
        own = {name: seq for name, seq in state.checkpoints.items() if seq >= state.task.seq}
        if len(back) == len(halted) and own:
            name = max(own, key=lambda name: own[name])
            line = f"{back[0].step or 'the last attempt'}: {back[0].text}"
            if line in state.tried:
                # it went back for this once: the same again would come to the same
                raise Drifted(halted)
            tried = (*state.tried, line)
            self._enter(lambda state: e.RolledBack(state.checkpoints[name], name, tried))
            return
        raise Drifted(halted)


def milestone_name(step: str) -> str:
    """Of the checkpoint that is made once the step is done."""
    return f"{step} done"


def is_in_exchange(state: SessionState) -> bool:
    """Whether a call waits for its result."""
    return state.open_unit is not None and bool(state.open_unit.open_calls)


def _due(state: SessionState) -> list[str]:
    """Milestones that were reached in the middle of an exchange that is over, in the order in which they were."""
    task = state.task
    if task is None or is_in_exchange(state):
        return []
    done = [(task.records[step.name].seq, step.name) for step in task.steps if step.milestone and task.status(step.name) == "done"]
    return [name for seq, name in sorted(done) if state.checkpoints.get(milestone_name(name), 0) < seq]


def _user_seq(state: SessionState, before: int) -> int:
    return max((unit.key for unit in state.units if unit.role == "user" and unit.opens_turn and unit.key < before), default=0)
