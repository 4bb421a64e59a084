"""What a run tells while it goes on, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from trimtab.core.drift import Flag
from trimtab.core.task import TaskState

EventKind: TypeAlias = Literal[
    "request",
    "piece",
    "reply",
    "correction",
    "call",
    "result",
    "moved",
    "refused",
    "flag",
    "rollback",
    "aside",
    "verdict",
    "retry",
    "end",
]
Status: TypeAlias = Literal["done", "answered", "given up", "parked", "drifted", "blocked", "stopped", "rounds"]


class Event(Struct, frozen=True, kw_only=True):
    """Something that happened.

    Attributes:
        kind: `request` before a model is asked (`value`: the `Prompt`); `piece` of a streamed text; `reply` once it is
            recorded; `correction` sent since the reply was for another step; `call` and `result` of a tool (`name`; `value`: the
            call, or whether it failed); `moved`, `refused` of a step (`name`; `text`: what came of it); `flag` of a detector
            (`value`: the `Flag`); `rollback` to a checkpoint (`name`; `text`: what failed; `value`: the `Flag`); `aside`, a side
            question (`name`; `text`: the answer; where none came, `value`: the error); `verdict` of the verifier (`name`; `text`:
            its reason; `value`: the entry); `retry` of a request, also without an exchange that did not fit (`text`: why); `end`
            (`value`: the `Outcome`).
        round: of this call of `run_task`, from 1.
        step: the step under way.
    """

    kind: EventKind
    round: int = 0
    step: str = ""
    name: str = ""
    text: str = ""
    value: Any = None


# what it returns is taken as a message of the user's, before the next request
OnEvent: TypeAlias = Callable[[Event], str | None]


class Outcome(Struct, frozen=True, kw_only=True):
    """How a run ended.

    Attributes:
        status: `done`: every step is finished; `answered`: a task without a plan was; `given up`: the task was ended so;
            `parked`: the user, or a tool, began another task; `drifted`: a detector stopped it, see `flags`; `blocked`: a fragment disagrees
            with a decision, see `Session.conflicts`; `stopped`: the verifier said so; or the model replied with nothing, or for
            another step than the one under way, again and again; or what must be in a prompt does not fit, see `why`;
            `rounds`: there were no more.
        reply: the last text of the model.
        rounds: requests that were answered in this call.
        why: for what is not done; for what is, the verifier's last objection, where the model handed over in spite of it.
    """

    status: Status
    reply: str = ""
    rounds: int = 0
    task: TaskState | None = None
    flags: tuple[Flag, ...] = ()
    why: str = ""

    @property
    def ok(self) -> bool:
        return self.status in ("done", "answered")
