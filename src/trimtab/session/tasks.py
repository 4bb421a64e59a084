"""The task of a session: who moves its steps, and on what proof (REQUIREMENTS T2-T5). Checks run without the lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from trimtab.core import entries as e
from trimtab.core.drift import Flag
from trimtab.core.entries import Entry
from trimtab.core.state import SessionState
from trimtab.core.task import Author, PlanStep, Proof, TaskState
from trimtab.core.transitions import moved, replanned, validated
from trimtab.distill import describe
from trimtab.distill.shapes import structures_of
from trimtab.errors import BadPlan, BadSetting, IllegalMove, NoTask, NotFound, NotSettled, ParseError, TaskError
from trimtab.session import clock
from trimtab.session.interrupting import InterruptingPart
from trimtab.session.lane import Write
from trimtab.session.planned import Step, planned, read_plan
from trimtab.session.proving import as_json, prove
from trimtab.session.settlements import refuse_adopting
from trimtab.session.task import Accepted, Move, NoProduct, Refused, Task
from trimtab.session.variables import VariablePart, note_entries
from trimtab.session.watching import is_in_exchange, milestone_name
from trimtab.stores import Body

# a check is made again where what it looked at was changed meanwhile
_PROVE_TRIES = 3


class TaskPart(VariablePart, InterruptingPart):
    """task, tasks, resume, flags, answer_flag."""

    _checks: Mapping[str, Callable[..., Any]] = {}

    def task(
        self,
        goal: str = "",
        steps: Iterable[Step | Mapping[str, Any] | str] = (),
        *,
        missing: Iterable[str] | None = None,
        risks: Iterable[str] | None = None,
        checks: Mapping[str, Callable[..., Any]] | None = None,
        anew: bool = False,
    ) -> Task:
        """Begin a task, or go on with one; without a goal, the one under way.

        The same goal and steps again write nothing, so a process that starts anew calls it as the first one did and stands
        where that stood; the goal alone finds its task too. The same goal with other steps is another plan for it. Another goal
        parks the task under way.

        Args:
            goal: what is to be reached, in one line or few.
            steps: the plan; empty where the model is to propose one, see `Task.propose_plan`.
            missing: what is still to be learned. risks: what may go wrong. Both stand in the state block; they are noted as
                the task begins, later see `Task.note`.
            checks: callables that conditions name, for plans that were read from a file.
            anew: begin it once more where it has ended; what it stored stays.
        Raises:
            NoTask: no goal was given and none is under way.
            BadPlan: all that is wrong with the steps.
        """
        if not isinstance(goal, str):
            raise BadSetting("goal", goal, "a text: what is to be reached")
        if not goal.strip():
            if steps:
                raise BadPlan(["the goal is empty; say in one line what is to be reached"])
            return self._task_under_way()
        no_check = [name for name, check in (checks or {}).items() if not callable(check)]
        if no_check:
            raise BadSetting("checks", no_check[0], "the name of a callable")
        made, named = planned(steps, {**self._checks, **(checks or {})})
        self._checks = {**self._checks, **named, **(checks or {})}
        self._refuse_unjudged(made)
        task_id = (
            "t" + self._hasher.digest(goal.encode("utf-8", "surrogatepass") + b"\n" + repr(made).encode("utf-8", "surrogatepass"))[:10]
        )

        begun: list[bool] = []

        def build(state: SessionState, seq: int) -> Write | None:
            entries = _again(state, f"{task_id}.{seq}", goal.strip(), made) if anew else []
            entries = entries or _beginning(state, task_id, goal.strip(), made)
            begun[:] = [any(isinstance(entry, e.TaskSet) for entry in entries)]
            return Write(entries=entries) if entries else None

        with self._open_lock():
            self._lane.catch_up()
            self._lane.write(build)
            task = Task(self, self._state_of_task().task_id)
        if any(begun) and (missing is not None or risks is not None):
            task.note(missing=missing, risks=risks)
        return task

    def tasks(self) -> tuple[TaskState, ...]:
        """Tasks that were parked, the one parked last at the end."""
        with self._open_lock():
            self._lane.catch_up()
            return tuple(self._lane.state.parked.values())

    def resume(self, task_id: str) -> Task:
        """Go on with a parked task where it stood; the one under way is parked. Raises NotFound, with those there are."""
        with self._open_lock():
            self._lane.catch_up()
            if task_id not in self._lane.state.parked:
                raise NotFound("parked task", task_id, tuple(self._lane.state.parked))
            self._enter(lambda state: e.TaskResumed(task_id) if task_id in state.parked else None)
            return Task(self, task_id)

    def flags(self) -> tuple[Flag, ...]:
        """What detectors found and nobody answered, oldest first."""
        with self._open_lock():
            self._lane.catch_up()
            return tuple(self._lane.state.flags)

    def answer_flag(self, flag_id: str) -> None:
        """A flag needs nothing more: it leaves the prompts. Raises NotFound, with those there are."""
        with self._open_lock():
            self._lane.catch_up()
            known = tuple(flag.flag_id for flag in self._lane.state.flags)
            if flag_id not in known:
                raise NotFound("flag", flag_id, known)
            self._enter(lambda state: e.DriftFlagged(ended=(flag_id,)))

    # ------------------------------------------------------------ for Task

    def _task_under_way(self) -> Task:
        with self._open_lock():
            self._lane.catch_up()
            return Task(self, self._state_of_task().task_id)

    def _state_of_task(self, task_id: str = "") -> TaskState:
        """Raises NoTask. What was parked meanwhile is found, but does not move."""
        state = self._lane.state
        task = state.task if state.task is not None and task_id in ("", state.task.task_id) else state.parked.get(task_id)
        if task is None:
            raise NoTask(tuple(state.parked), task_id)
        return task

    def _refuse_unjudged(self, steps: Sequence[PlanStep]) -> None:
        if self._verifier is not None and self.settings.steering.verifier:
            return
        asked = [f"step {step.name!r}: {row.text!r}" for step in steps for row in step.done_when if row.kind == "verifier"]
        if asked:
            raise BadPlan(
                [f"{row} is a question that only a verifier can answer, and none is set; give a check by code, or set one" for row in asked]
            )

    def _move(self, task_id: str, move: Move) -> e.StepMoved:
        """Check a move and enter it, with the product and all that goes with it, in one transaction.

        Raises:
            NoTask, IllegalMove; ParseError, BadSetting, NotSettled for a product that cannot be stored.
        """
        for _ in range(_PROVE_TRIES):
            entered = self._tried(task_id, move)
            if entered is not None:
                return entered
        raise IllegalMove(move.step, move.to, "what its conditions look at keeps changing; try again once that has ended")

    def _tried(self, task_id: str, move: Move) -> e.StepMoved | None:
        """None where what was checked has changed before the move could be entered."""
        with self._open_lock():
            self._lane.catch_up()
            task, state = self._state_of_task(task_id), self._lane.state
            step = task.step(move.step)
            versions = {name: variable.version for name, variable in state.variables.items()}
            if step is not None and not isinstance(move.product, NoProduct) and not step.output:
                raise IllegalMove(move.step, move.to, "it has no output in the plan, so there is no place for a product")
            proofs: tuple[Proof, ...] = ()
            due = step is not None and move.to == "done" and task.status(step.name) == "active"
            values = self._looked_at(step, move) if step is not None and due else {}
        if step is not None and due:
            proofs = self._proved(step, values)
        entered: list[e.StepMoved] = []

        def build(state: SessionState, seq: int) -> Write | None:
            entered.clear()
            if state.task is None or state.task.task_id != task_id:
                raise NoTask(tuple(state.parked), task_id)
            now = {name: variable.version for name, variable in state.variables.items()}
            if due and (state.task.step(move.step) != step or any(now.get(name) != versions.get(name) for name in values)):
                return None
            write = self._product(state, step, move) if due and step is not None else Write()
            now |= {row.name: row.version for row in write.entries if isinstance(row, e.VariableStored)}
            entry = moved(
                state.task, move.step, move.to, author=move.author, why=move.why, variables=now, proofs=proofs, at_ms=clock.now_ms()
            )
            entered.append(entry)
            write.entries += [entry, *self._with(state, state.task, entry)]
            return write

        with self._open_lock():
            self._lane.write(build)
        return entered[0] if entered else None

    def _looked_at(self, step: PlanStep, move: Move) -> dict[str, Any]:
        names = {row.of or step.output for row in step.done_when} | {step.output}
        values: dict[str, Any] = {}
        for name in sorted(names - {""}):
            if name == step.output and not isinstance(move.product, NoProduct):
                values[name] = move.product
            elif name in self._lane.state.variables:
                values[name] = self.read(name)
        return values

    def _proved(self, step: PlanStep, values: Mapping[str, Any]) -> tuple[Proof, ...]:
        """What the checks say, and what the verifier says where a condition asks for it."""
        proofs = list(prove(step, values, self._checks))
        ahead = len(proofs) - len(step.done_when)
        for place, condition in enumerate(step.done_when, ahead):
            if condition.kind == "verifier":
                shown = values.get(condition.of or step.output, "")
                proofs[place] = self.prove_by_verifier(step, condition, shown if isinstance(shown, str) else repr(shown))
        return tuple(proofs)

    def _product(self, state: SessionState, step: PlanStep, move: Move) -> Write:
        """The entries that store the product; none where none was given."""
        if isinstance(move.product, NoProduct):
            return Write()
        value = self._value(as_json(move.product) if step.schema else move.product, 0)
        author = "agent" if move.author == "agent" else "caller"
        if author == "agent":
            refuse_adopting(state, f"the product of step {step.name!r}", value.text)
        known = state.variables.get(step.output)
        stored = e.VariableStored(
            step.output,
            known.version + 1 if known is not None else 1,
            value.kind,
            value.body_id,
            len(value.text),
            self._counted(value.text),
            describe(value.text),
            value.source_seq,
            value.call_id,
            author,
        )
        write = Write(entries=[stored, *note_entries(state, step.output, structures_of(value.text), value.source_seq)])
        if value.payload is not None:
            write.bodies.append(Body(value.body_id, value.payload))
        return write

    def _with(self, state: SessionState, task: TaskState, entry: e.StepMoved) -> list[Entry]:
        """What goes with a move: what the step reads and needs, and a checkpoint after a milestone; where that was reached by a call
        whose result is still to come, the checkpoint is made once it is recorded, see `WatchingPart`."""
        step = task.step(entry.step)
        if step is None:
            return []
        if entry.to == "active":
            return [e.StepBegun(step.name, step.reads, step.needs)]
        entries: list[Entry] = [e.StepBegun("")] if state.step == step.name else []
        if entry.to == "done" and step.milestone and self.settings.steering.checkpoints and not is_in_exchange(state):
            entries.append(e.Checkpointed(milestone_name(step.name)))
        return entries

    def _refuse(self, task_id: str, refused: e.ProposalRefused) -> None:
        """The next prompts say why. The same refusal again is entered again: that it was tried twice is a fact."""
        self._enter(lambda state: refused if state.task is not None and state.task.task_id == task_id else None)

    def _proposed(self, task_id: str, move: Move) -> Accepted | Refused:
        """What an agent proposes never raises; why it was not accepted is entered."""
        try:
            return Accepted(self._move(task_id, move))
        except (TaskError, ParseError, NotFound, BadSetting, NotSettled) as error:
            return self._refused(task_id, move.step, move.to, error.reason if isinstance(error, IllegalMove) else str(error))

    def _refused(self, task_id: str, step: str, to: str, reason: str) -> Refused:
        self._refuse(task_id, e.ProposalRefused(step, to, reason))
        return Refused(step, to, reason)

    def _replan(self, task_id: str, steps: Sequence[Step], why: str, author: Author) -> None:
        made, named = planned(steps, self._checks)
        self._checks = {**self._checks, **named}
        self._refuse_unjudged(made)

        def make(state: SessionState) -> Entry | None:
            if state.task is None or state.task.task_id != task_id:
                raise NoTask(tuple(state.parked), task_id)
            if state.task.steps == made:
                return None
            return replanned(state.task, made, author, known_variables=tuple(state.variables), why=why)

        with self._open_lock():
            self._lane.catch_up()
            self._enter(make)

    def _proposed_plan(self, task_id: str, value: Any, why: str) -> Accepted | Refused:
        try:
            self._replan(task_id, read_plan(value), why, "agent")
        except (TaskError, NotFound) as error:
            return self._refused(task_id, "", "plan", str(error))
        return Accepted(None)

    def _end(self, task_id: str, how: Literal["done", "given up", "parked"], why: str) -> None:
        def make(state: SessionState) -> Entry | None:
            task = state.task
            if task is None or task.task_id != task_id:
                raise NoTask(tuple(state.parked), task_id)
            if task.ended:
                return None
            if how == "done" and not task.finished:
                left = [step.name for step in task.steps if not step.optional and task.status(step.name) not in ("done", "skipped")]
                raise IllegalMove(
                    left[0] if left else "", "done", f"the task is not done; open steps are: {', '.join(left) or 'no plan yet'}"
                )
            return e.TaskEnded(how, why)

        with self._open_lock():
            self._lane.catch_up()
            self._enter(make)


def _again(state: SessionState, task_id: str, goal: str, steps: tuple[PlanStep, ...]) -> list[Entry]:
    """The entry that begins a task of this goal once more, where the last one has ended; with its plan where none is given."""
    task = state.task
    if task is None or not task.ended or task.goal != goal:
        return []
    validated(steps, tuple(state.variables))
    return [e.TaskSet(task_id, goal, steps or task.steps)]


def _beginning(state: SessionState, task_id: str, goal: str, steps: tuple[PlanStep, ...]) -> list[Entry]:
    """The entries that bring the state to this task; none where it stands there."""
    task = state.task
    if task is not None and task.goal == goal and (not steps or steps in (task.given, task.steps)):
        return []
    parked = task_id if task_id in state.parked else next((key for key, row in reversed(state.parked.items()) if row.goal == goal), "")
    if parked and (not steps or parked == task_id or state.parked[parked].steps == steps):
        return [e.TaskResumed(parked)]
    if task is not None and not task.ended and task.goal == goal and steps:
        entry = replanned(task, steps, "caller", known_variables=tuple(state.variables))
        return [entry] if entry.steps != task.steps else []
    validated(steps, tuple(state.variables))
    return [e.TaskSet(task_id, goal, steps)]
