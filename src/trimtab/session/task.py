"""A task as its callers hold it: a name and a session; what it is stands in the session's state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

from trimtab.core import entries as e
from trimtab.core.task import Author, StepStatus, TaskState
from trimtab.errors import BadSetting
from trimtab.session.planned import Step
from trimtab.steer.proposals import status_said, step_said
from trimtab.steer.risk import Risk, risk_of

if TYPE_CHECKING:
    from trimtab.session.tasks import TaskPart


class NoProduct:
    """Stands for a product that was not given."""


NO_PRODUCT = NoProduct()


class Move(Struct, frozen=True, kw_only=True):
    """A move that somebody wants."""

    step: str
    to: StepStatus
    author: Author = "caller"
    why: str = ""
    product: Any = NO_PRODUCT


class Accepted(Struct, frozen=True):
    """A proposal that was accepted; `moved` is None for a plan."""

    moved: e.StepMoved | None
    ok: Literal[True] = True


class Refused(Struct, frozen=True):
    """A proposal that was not accepted. `reason` says what is missing; the next prompts show it."""

    step: str
    to: str
    reason: str
    ok: Literal[False] = False


Answer: TypeAlias = Accepted | Refused


class Task:
    """What `Session.task` returns. Every change is entered in the ledger at once; nothing is kept here."""

    def __init__(self, session: TaskPart, task_id: str) -> None:
        self._session, self.task_id = session, task_id

    @property
    def state(self) -> TaskState:
        """As the session's state has it. Raises NoTask once it is gone by a rollback."""
        return self._session._state_of_task(self.task_id)

    # ------------------------------------------------------------ moves

    def begin(self, step: str = "") -> e.StepMoved:
        """Begin a step; by default the next that may begin. Raises IllegalMove."""
        state = self.state
        following = state.next if state.active is None else None
        return self._moved(step or (following.name if following else ""), "active")

    def finish(self, step: str = "", *, product: Any = None, why: str = "") -> e.StepMoved:
        """Finish a step, by default the one under way: its conditions are checked, and a product is stored as its output.

        Raises:
            IllegalMove: a condition does not hold or is not proven, or its product is not there; nothing was stored.
        """
        active = self.state.active
        return self._moved(step or (active.name if active else ""), "done", why, product)

    def put_back(self, step: str = "", why: str = "") -> e.StepMoved:
        """The step under way is open again. Raises IllegalMove."""
        active = self.state.active
        return self._moved(step or (active.name if active else ""), "open", why)

    def reopen(self, step: str, why: str) -> e.StepMoved:
        """A finished step is open again, with those done since that stand on it. Raises IllegalMove."""
        return self._moved(step, "open", why)

    def skip(self, step: str, why: str = "") -> e.StepMoved:
        """Leave a step out. Raises IllegalMove."""
        return self._moved(step, "skipped", why)

    def propose(self, step: str, to: str, because: str = "", *, product: Any = None, author: Author = "agent") -> Answer:
        """What a model proposes; it never raises. A refusal is entered, and the next prompts show its reason.

        Args:
            step: its name, or its number in the plan, as models give it.
            to: `active`, `done`, `open` or `skipped`, or a word for one of them ("begin", "finished", 完成).
        """
        given = NO_PRODUCT if product is None else product
        status = status_said(str(to))
        if status is None:
            reason = f"status {str(to)[:80]!r} is unknown; it is one of active, done, open, skipped"
            return self._session._refused(self.task_id, str(step), str(to)[:80], reason)
        named = step_said(str(step), self.state.steps)
        return self._session._proposed(self.task_id, Move(step=named, to=status, author=author, why=str(because), product=given))

    def _moved(self, step: str, to: StepStatus, why: str = "", product: Any = None) -> e.StepMoved:
        return self._session._move(self.task_id, Move(step=step, to=to, why=why, product=NO_PRODUCT if product is None else product))

    # ------------------------------------------------------------ the plan

    def replan(self, steps: Sequence[Step], why: str = "") -> None:
        """Another plan; steps of the same name stay where they stand. Raises BadPlan."""
        self._session._replan(self.task_id, steps, why, "caller")

    def propose_plan(self, value: Any, why: str = "") -> Answer:
        """A model's plan, as JSON or text; it never raises. See `replan`, which it may not use to drop what is done."""
        return self._session._proposed_plan(self.task_id, value, why)

    def note(self, missing: Iterable[str] | None = None, risks: Iterable[str] | None = None) -> None:
        """What is still to be learned, and what may go wrong; None leaves what stands."""
        state = self.state
        missing, risks = ((value,) if isinstance(value, str) else value for value in (missing, risks))
        entry = e.TaskNoted(state.missing if missing is None else tuple(missing), state.risks if risks is None else tuple(risks))
        same = (entry.missing, entry.risks) == (state.missing, state.risks)
        self._session._enter(lambda _: None if same else entry)

    def end(self, how: Literal["done", "given up"] = "done", why: str = "") -> None:
        """The task is over. Raises IllegalMove for `done` while needed steps are open; BadSetting for another `how`."""
        if how not in ("done", "given up"):
            raise BadSetting("how", how, "'done' or 'given up'")
        self._session._end(self.task_id, how, why)

    def park(self, why: str = "") -> None:
        """Put it aside as it stands; see `Session.resume`."""
        self._session._end(self.task_id, "parked", why)

    def risk(self) -> Risk:
        """Whether it is likely to lose its course, and which techniques to switch on."""
        return risk_of(self.state)
