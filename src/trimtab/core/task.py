"""The task as values that the scheduler's code owns: goal, plan, where each step stands (REQUIREMENTS T2-T5).

A model only proposes. What may become of a step is decided by `trimtab.core.transitions`, and entered as `StepMoved`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

ConditionKind: TypeAlias = Literal["schema", "callable", "command", "count", "text", "verifier"]
StepStatus: TypeAlias = Literal["open", "active", "done", "skipped"]
Author: TypeAlias = Literal["caller", "agent", "code"]
# states of a step in which nothing is left to do
FINISHED: frozenset[StepStatus] = frozenset({"done", "skipped"})


class Condition(Struct, frozen=True, omit_defaults=True):
    """What must be shown before a step is done.

    Attributes:
        text: its words, for prompts and reasons.
        of: the variable that is looked at; "" for the step's output.
        value: JSON of the schema; name of the callable; the command line; the text that must occur; the question that
            the verifier is asked.
        least, most: bounds of a `count` of rows; `most` 0 for none.
        timeout_s: of a command.
    """

    kind: ConditionKind
    text: str
    of: str = ""
    value: str = ""
    least: int = 0
    most: int = 0
    timeout_s: float = 60.0


class PlanStep(Struct, frozen=True, omit_defaults=True):
    """One step of a plan.

    Attributes:
        name: unique in its plan.
        after: names of the steps that must be finished before it begins.
        inputs: names of variables that must be there before it begins.
        output: name of the variable that holds its product; "" where it makes none.
        schema: JSON schema of the product, as JSON; "" for any.
        done_when: all must be shown before it is done.
        reads: variables whose values stand in its prompts whole.
        needs: what recall brings for it: each the JSON of a `recall.Need`.
        about: what is to be done, in one line.
        rounds: how many rounds it should take; 0 where nobody said.
        optional: may be skipped.
        batch: does the same thing again and again by design: no loop.
        milestone: a checkpoint is made when it is done.
    """

    name: str
    after: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    output: str = ""
    schema: str = ""
    done_when: tuple[Condition, ...] = ()
    reads: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    about: str = ""
    rounds: int = 0
    optional: bool = False
    batch: bool = False
    milestone: bool = False


class Proof(Struct, frozen=True, array_like=True):
    """What a check found. `ok` None: it gave no verdict (no callable of that name, no verifier, a malformed answer)."""

    text: str
    ok: bool | None
    detail: str = ""


class StepRecord(Struct, frozen=True, array_like=True):
    """Where a step stands.

    Attributes:
        begun: how often it was begun; above 1 after it was reopened.
        begun_round, begun_ms: round and Unix milliseconds at which it was last begun.
        rounds, ms: spent on it, up to the last time it was finished.
        version: version of the product's variable when it was done, and while it is open again that which was not good enough;
            of a step under way for the first time the version that was there before; 0 for none.
        line: what came of it, in one line.
        seq: the entry that last moved it.
    """

    status: StepStatus = "open"
    begun: int = 0
    begun_round: int = 0
    begun_ms: int = 0
    rounds: int = 0
    ms: int = 0
    version: int = 0
    line: str = ""
    seq: int = 0


class Refusal(Struct, frozen=True, array_like=True):
    """A proposal that was not accepted, and why; the next prompts show it until the step moves."""

    step: str
    to: str
    reason: str
    seq: int = 0


class TaskState(Struct, frozen=True):
    """A task under way.

    Attributes:
        task_id: unique in its lane.
        records: by step name; every step of the plan has one.
        refused: the newest refusals, oldest first.
        missing: what the task still has to learn, in the caller's or agent's words.
        risks: what may go wrong, likewise.
        plan_version: 1, 2, 3 ... of the plan.
        ended: "" while it is under way, else `done` or `given up`.
        line: why it ended.
        callers: names of the steps that the caller planned; an agent may not drop or loosen them.
        given: the plan as the caller gave it last, whatever an agent made of it since.
        seq: the entry that began it, or last resumed it.
    """

    task_id: str
    goal: str
    steps: tuple[PlanStep, ...] = ()
    records: dict[str, StepRecord] = {}
    refused: tuple[Refusal, ...] = ()
    missing: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    plan_version: int = 1
    ended: str = ""
    line: str = ""
    callers: frozenset[str] = frozenset()
    given: tuple[PlanStep, ...] = ()
    seq: int = 0

    def step(self, name: str) -> PlanStep | None:
        return next((step for step in self.steps if step.name == name), None)

    def status(self, name: str) -> StepStatus:
        return self.records[name].status if name in self.records else "open"

    @property
    def active(self) -> PlanStep | None:
        """The step under way; at most one is."""
        return next((step for step in self.steps if self.status(step.name) == "active"), None)

    @property
    def next(self) -> PlanStep | None:
        """The first step that is open and waits for nothing."""
        return next((step for step in self.steps if self.status(step.name) == "open" and not self.waits_for(step)), None)

    def waits_for(self, step: PlanStep) -> tuple[str, ...]:
        """The steps that must be finished before it begins and are not. For a skipped one count those that it waited for:
        what is skipped makes nothing that comes after it begin early."""
        waiting: dict[str, None] = {}
        seen: set[str] = set()
        stack = list(reversed(step.after))
        while stack:
            name = stack.pop()
            status = self.status(name)
            if name in seen:
                continue
            seen.add(name)
            if status not in FINISHED:
                waiting[name] = None
            elif status == "skipped" and (skipped := self.step(name)) is not None:
                stack += reversed(skipped.after)
        return tuple(waiting)

    @property
    def finished(self) -> bool:
        """Whether nothing is left but what may be skipped."""
        return bool(self.steps) and all(step.optional or self.status(step.name) in FINISHED for step in self.steps)
