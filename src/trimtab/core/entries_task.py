"""Entries about the task: its plan, its steps, what detectors and verifiers said. Part of the closed union of
`entries.py`, and as FROZEN."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from trimtab.core.drift import Act, Flag
from trimtab.core.task import Author, PlanStep, Proof, StepStatus


class TaskSet(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="task"):
    """A task begins. One that was under way is parked, as it stands."""

    task_id: str
    goal: str
    steps: tuple[PlanStep, ...] = ()
    author: Author = "caller"


class PlanChanged(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="plan"):
    """Another plan for the same task. Records of steps that stay (same name) stay; those of steps that go, go."""

    steps: tuple[PlanStep, ...]
    why: str = ""
    author: Author = "caller"


class StepMoved(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="step_moved"):
    """A step went over into another state, by a legal transition that was checked before this was written.

    Attributes:
        also: steps that are open again with it, since they stand on it.
        proofs: what showed that it is done.
        version: of the product's variable.
        at_ms: Unix milliseconds.
    """

    step: str
    to: StepStatus
    author: Author = "caller"
    why: str = ""
    proofs: tuple[Proof, ...] = ()
    version: int = 0
    also: tuple[str, ...] = ()
    at_ms: int = 0


class ProposalRefused(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="refused"):
    """What the model proposed was not accepted; nothing else changed."""

    step: str
    to: str
    reason: str
    proofs: tuple[Proof, ...] = ()


class TaskNoted(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="task_noted"):
    """What is missing, and what may go wrong; replaces what stood there."""

    missing: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()


class TaskEnded(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="task_ended"):
    """`done` (every step finished), `given up`, or `parked` in favor of another one."""

    how: Literal["done", "given up", "parked"]
    why: str = ""


class TaskResumed(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="task_resumed"):
    """A parked task is under way again; one that was is parked."""

    task_id: str


class Acted(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="acted"):
    """What the model did with its last messages, as detectors see it."""

    acts: tuple[Act, ...]


class DriftFlagged(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="drift"):
    """Detectors found something, or what they had found is over.

    Attributes:
        ended: ids of flags that no longer hold.
    """

    flags: tuple[Flag, ...] = ()
    ended: tuple[str, ...] = ()


class Judged(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="judged"):
    """A verifier or a milestone check has spoken; "none": its answer was malformed or did not come, no verdict.

    Attributes:
        kind: `verifier`, `milestone` (three questions), `interruption` (what a message off the task is).
        step: the step it was about.
        corrections: what to do instead, one line each; the next prompts show them until the step moves.
    """

    kind: Literal["verifier", "milestone", "interruption"]
    verdict: Literal["continue", "correct", "terminate", "input", "side_question", "new_task", "none"]
    model: str = ""
    step: str = ""
    reason: str = ""
    corrections: tuple[str, ...] = ()
    evidence: tuple[int, ...] = ()
    calls: int = 0


class Asserted(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="asserted"):
    """The model said which step it is on, and code compared.

    Attributes:
        said: the step it named; "" where it named none.
        expected: the step under way.
        seq: the message that said so.
    """

    ok: bool
    said: str = ""
    expected: str = ""
    why: str = ""
    seq: int = 0
