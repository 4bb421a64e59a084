"""Entries about what is kept beside the history. Part of the closed union of `entries.py`, and as FROZEN."""

from __future__ import annotations

from msgspec import Struct

from trimtab.core.notes import Structure, VariableKind
from trimtab.core.summary import ItemChanges


class MetaContextSet(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="meta_context"):
    identity: str = ""
    never: tuple[str, ...] = ()
    done_when: tuple[str, ...] = ()


class BriefSet(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="brief"):
    text: str


class Pinned(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="pinned"):
    pin_id: str
    text: str
    polarity: str = "must"


class Unpinned(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="unpinned"):
    pin_id: str


class NoteWritten(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="note"):
    """A version of a note. The value's JSON is kept under `body_id`; "" means the note was deleted.

    Attributes:
        source_ids: messages whose conclusion it holds; these may leave.
    """

    key: str
    version: int
    body_id: str
    source_ids: tuple[int, ...] = ()


class ItemsChanged(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="items"):
    """Summary items added, superseded or closed."""

    changes: ItemChanges


class RecalledHit(Struct, frozen=True, array_like=True):
    """One thing that recall brought: a stretch of this lane for kind `turn`; `ref` names what is elsewhere."""

    first_seq: int
    last_seq: int
    score: float
    topic: str = ""
    kind: str = "turn"
    ref: str = ""


class Recalled(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="recalled"):
    """What recall brought for the turn that `for_seq` opened, best first.

    Attributes:
        cut_seq: what had left the prompt then; searched again once more has.
        step: the step it was for, where one declared a need.
    """

    for_seq: int
    query: str
    hits: tuple[RecalledHit, ...]
    cut_seq: int = 0
    step: str = ""


class Indexed(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="indexed"):
    """Turns up to `upto_seq` were made searchable before they left the prompt."""

    upto_seq: int


class VariableStored(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="variable"):
    """A version of a variable; see `Variable`. Where `body_id` is "" and `source_seq` 0, the name is forgotten."""

    name: str
    version: int
    kind: VariableKind
    body_id: str
    chars: int
    tokens: int
    line: str
    source_seq: int = 0
    call_id: str = ""
    author: str = "caller"


class MetaNoted(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="meta_note"):
    """The structure of a value or agreed definitions, under a key; without either the note is deleted."""

    key: str
    structures: tuple[Structure, ...] = ()
    text: str = ""
    source_seq: int = 0


class StepBegun(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="step"):
    """Another step of the task: what the last one needed may leave. `name` "" where no step follows.

    Attributes:
        reads: names of the variables that stand in its prompts whole.
    """

    name: str
    reads: tuple[str, ...] = ()


class NeedDeclared(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="need"):
    """These messages stay whole until the step has been and gone. No messages: the need is over."""

    by: str
    seqs: tuple[int, ...] = ()


class HistoryDropped(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="dropped"):
    """Exchanges that the agent or the caller needs no more, by the seq they begin with. They leave with the next
    epoch, or once enough is to go."""

    keys: tuple[int, ...]
    why: str = ""
    author: str = "agent"
    forced: bool = False


class ScratchpadCleared(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="scratchpad"):
    """Tool results up to here have been used: they leave with the next request, unless a step needs them."""

    upto_seq: int


class Distilled(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="distilled"):
    """The record of one run of a summarizing model over a stretch of history; what it changed is an entry before it.

    Attributes:
        first_seq, last_seq: the messages it was given.
        outcome: `done`, `refused` (its answer was not good enough), `failed` (it gave none).
        detail: why, where it is not `done`.
        calls: requests to the model, repairs included.
        restored: rules and open points of that stretch that the answer left out; they stand all the same.
        rejected: what of the answer was not taken, and why.
        cost: in the price table's currency; 0 where no prices are set.
    """

    first_seq: int
    last_seq: int
    outcome: str
    model: str
    detail: str = ""
    calls: int = 0
    duration_ms: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    added: int = 0
    superseded: int = 0
    closed: int = 0
    restored: int = 0
    rejected: tuple[str, ...] = ()


class Inherited(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="inherited"):
    """This session began with what another one knew: its summary, notes, meta notes and variables up to `upto_seq`."""

    session_id: str
    lane_id: str
    upto_seq: int
    project_id: str = ""
