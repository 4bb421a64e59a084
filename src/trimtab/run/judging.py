"""What a run makes of the verifier's verdicts (REQUIREMENTS T7, T8): they are told once, said to the model, and heeded at the end."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from trimtab.core.entries import Judged
from trimtab.core.task import FINISHED, StepStatus, TaskState
from trimtab.errors import IllegalMove
from trimtab.run.standing import user_spoke_last, was_judged
from trimtab.run.work import Work

# objections to one step, or of milestones, that hold the run up: no two models quarrel for ever
MOST_OBJECTIONS = 3


class Ruling(Struct, frozen=True):
    """What a verdict means for a run: why it stops, or what the model is to be told; "" for neither."""

    stop: str = ""
    text: str = ""


class Judging:
    """Watches which steps are finished, and the newest verdict."""

    def __init__(self, work: Work) -> None:
        self.work = work
        standing, finished = self._standing, _finished(work.task.state)
        # an objection that a process before this one may not have seen to is told again
        self._told = standing if standing is None or standing.verdict != "correct" else None
        self._held: Judged | None = None
        self._objections: Counter[str] = Counter()
        newest = max((seq for _, status, seq in finished if status == "done"), default=0)
        # a finished step without a verdict is one that a process before this one did not come to
        self._finished = finished if not newest or was_judged(work.session, newest) else frozenset()

    @property
    def stopped(self) -> str:
        """Why the verifier stopped the run before this one; "" where it did not, or the user said something since."""
        verdict = self._standing
        if verdict is None or verdict.verdict != "terminate" or not self.work.session.settings.steering.verifier:
            return ""
        return "" if user_spoke_last(self.work.session) else _why(verdict)

    async def look(self) -> Ruling:
        """Where steps were finished since, the summarizer and the verifier have their turn. A step that the verifier objects to is
        under way again, a few times at most."""
        finished, known = _finished(self.work.task.state), self._finished
        self._finished = finished
        if finished - known:
            self._told = None
            await self.work.session.amaintain()
        # where maintenance runs by itself, a verdict may also come late
        verdict = self._standing
        if verdict is None or verdict == self._told:
            return Ruling()
        self._told = verdict
        self.work.tell("verdict", name=verdict.verdict, text=verdict.reason, value=verdict)
        if verdict.verdict == "terminate":
            return Ruling(stop=_why(verdict))
        return Ruling(text=self._objected(verdict)) if verdict.verdict == "correct" else Ruling()

    def holds_up(self) -> bool:
        """Whether a hand-over waits, since the verifier objects: once for each verdict. The model is told."""
        verdict = self._standing
        if verdict is None or not self.objection or verdict == self._held or self._objections[_about(verdict)] > MOST_OBJECTIONS:
            return False
        self._held = verdict
        self.work.say(self.work.words.held_up.format(self.objection))
        return True

    @property
    def objection(self) -> str:
        """What the verifier said last, where it was not content and no step has moved since."""
        verdict = self._standing
        return "; ".join((verdict.reason, *verdict.corrections)) if verdict is not None and verdict.verdict == "correct" else ""

    @property
    def _standing(self) -> Judged | None:
        verdict = self.work.session.state.judged
        return verdict if verdict is not None and verdict.kind != "interruption" else None

    def _objected(self, verdict: Judged) -> str:
        """What the model is told; "" where it was told often enough."""
        words, tool = self.work.words, self.work.desk.update_task
        self._objections[_about(verdict)] += 1
        if self._objections[_about(verdict)] > MOST_OBJECTIONS:
            return ""
        subject = words.of_step.format(verdict.step) if verdict.step else words.of_all
        text = words.objects.format(subject, verdict.reason, "\n".join(f"- {row}" for row in verdict.corrections))
        again = bool(verdict.step) and self._begun_again(verdict)
        return f"{text}\n{(words.again if again else words.by_itself).format(tool)}"

    def _begun_again(self, verdict: Judged) -> bool:
        """The step is under way again, unless another is meanwhile."""
        try:
            self.work.task.reopen(verdict.step, verdict.reason)
            self.work.task.begin(verdict.step)
        except IllegalMove:
            return False
        return True


def _why(verdict: Judged) -> str:
    return verdict.reason or "the verifier said so"


def _about(verdict: Judged) -> str:
    return verdict.step or verdict.kind


def _finished(task: TaskState) -> frozenset[tuple[str, StepStatus, int]]:
    """Each finished step with the entry that finished it: one that was reopened is finished anew."""
    return frozenset((name, record.status, record.seq) for name, record in task.records.items() if record.status in FINISHED)
