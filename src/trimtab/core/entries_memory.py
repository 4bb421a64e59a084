"""Entries about what is kept beside the history. Part of the closed union of `entries.py`, and as FROZEN."""

from __future__ import annotations

from msgspec import Struct

from trimtab.core.conflicts import Conflict, Keep, SettledBy
from trimtab.core.library import DocumentPiece
from trimtab.core.notes import Structure, VariableKind
from trimtab.core.sharing import Taken
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
    """One thing that recall brought: a stretch of this lane for kind `turn`; `ref` names what is elsewhere: the JSON of
    [session, lane] for a turn of another lane, of [document, number] for a `fragment`."""

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
        missing: why vectors took no part in it; "" where they did.
    """

    for_seq: int
    query: str
    hits: tuple[RecalledHit, ...]
    cut_seq: int = 0
    step: str = ""
    missing: str = ""


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


class Checkpointed(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="checkpoint"):
    name: str


class RolledBack(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="rollback"):
    """The branch goes on from `to_seq`; what came after stays in the ledger.

    Attributes:
        tried: lines of what was tried and failed, oldest first, those of earlier rollbacks too; prompts carry them.
    """

    to_seq: int
    name: str = ""
    tried: tuple[str, ...] = ()


class StepBegun(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="step"):
    """Another step of the task: what the last one needed may leave. `name` "" where no step follows.

    Attributes:
        reads: names of the variables that stand in its prompts whole.
        needs: what recall is to bring for it: each the JSON of a `recall.Need`.
    """

    name: str
    reads: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


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


class ConflictFound(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="conflict"):
    """Fragments for the turn that `for_seq` opened say other than rules, decisions or open questions. No item changes."""

    conflicts: tuple[Conflict, ...]
    for_seq: int = 0


class ConflictSettled(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="settled"):
    """The user or the caller has decided; what that changes of the items is an entry of its own.

    Attributes:
        seq: the user's message that decided, 0 for the caller.
    """

    conflict_id: str
    keep: Keep
    by: SettledBy = "caller"
    seq: int = 0


class Inherited(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="inherited"):
    """This session began with what another one knew: its summary, notes, meta notes and variables up to `upto_seq`."""

    session_id: str
    lane_id: str
    upto_seq: int
    project_id: str = ""


class DocumentAdded(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="document"):
    """A document is in the project's library, instead of the one that had its name before.

    Attributes:
        body_id: of the text that was extracted; positions of pieces count its characters.
        digest: of the bytes that were given.
        first_id: turn id of the first piece's search row; those of the others follow.
    """

    name: str
    kind: str
    title: str
    body_id: str
    digest: str
    first_id: int
    chars: int
    pieces: tuple[DocumentPiece, ...]


class DocumentDropped(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="document_dropped"):
    """The document of that name is in the library no more."""

    name: str


class Shared(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="shared"):
    """This lane took in what another lane of its session had come to know by `upto_seq`. What it holds comes in entries
    of the usual kinds right after this one, in the same transaction; ids and keys are in `trimtab.core.sharing`.

    Attributes:
        items: (the peer's id, the id here) of what is added.
        doubles: (the peer's id, the id here) of what was known already.
        gone: the peer's ids of items that it no longer has.
        ended: ids here of items that the peer closed or replaced.
        restored: ids here of such items that stand again, since the peer took that back.
    """

    from_lane: str
    upto_seq: int
    items: tuple[tuple[str, str], ...] = ()
    doubles: tuple[tuple[str, str], ...] = ()
    gone: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    notes: tuple[Taken, ...] = ()
    meta_notes: tuple[Taken, ...] = ()
    variables: tuple[Taken, ...] = ()


class Given(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="given"):
    """This lane gives these to the other lanes of its session, also where it is private."""

    seqs: tuple[int, ...] = ()
    item_ids: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    meta_notes: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
