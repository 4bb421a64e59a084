"""Every error Trimtab raises. Each says a fact, the value it is about, and what to do.

TrimtabError
├── ConfigError            a setting is wrong
│   ├── UnknownSetting
│   └── BadSetting
├── BudgetError            the prompt cannot be made to fit
│   ├── PinnedOverflow     what must always be in does not fit
│   └── WindowUnknown      the model's window was neither given nor known
├── WireError              JSON that is not of the provider's form
│   ├── ParseError
│   ├── InvalidPrompt      a prompt that its provider would refuse
│   └── WrongTarget        a prompt asked for in another form than it was made for
├── StoreError             the ledger cannot be read or written
│   ├── NotFound
│   ├── SeqConflict        another writer was first (retryable)
│   ├── StoreBusy          the database is locked (retryable)
│   ├── CorruptEntry
│   ├── Erased             the text was erased or masked on purpose
│   └── SchemaTooNew
├── CompactionError        a compaction that was refused before it was committed
│   └── ConstraintLost
├── ModelError             a language model that was asked gave no answer (some are retryable)
├── DocumentError          a document that the library cannot take
│   ├── UnknownDocumentKind
│   ├── UnreadableDocument damaged, encrypted, binary or empty
│   ├── DocumentTooLarge
│   └── MissingExtra       its parser is not installed
├── ConflictError          what was recalled disagrees with what was decided
│   ├── Blocked            the step waits until the user or the caller settles it
│   └── NotSettled         an agent took over what nobody settled
├── TaskError              the task is not where the call takes it to be
│   ├── NoTask
│   ├── BadPlan            a plan that cannot be carried out
│   ├── IllegalMove        a step that may not go over into that state (yet)
│   ├── OffStep            the model acts on another step than the one under way
│   └── Drifted            a detector stopped the run
├── BadNeed                what recall is asked for cannot be read
├── ReadError              a part of a stored value that is not there
│   └── BadSlice
└── SessionClosed
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_MOST_SHOWN = 5


class TrimtabError(Exception):
    """Base of all errors of this package; `retryable` says whether the same call may succeed later."""

    retryable: bool = False


class ConfigError(TrimtabError):
    """A setting is wrong."""


class UnknownSetting(ConfigError):
    """A setting that does not exist; `known` lists those that do."""

    def __init__(self, key: str, known: Sequence[str], origin: str = "code") -> None:
        self.key, self.known, self.origin = key, tuple(known), origin
        super().__init__(f"unknown setting {key!r} (from {origin}); use one of: {', '.join(sorted(known))}")


class BadSetting(ConfigError):
    """A setting whose value is not allowed; `allowed` says what is."""

    def __init__(self, key: str, value: object, allowed: str, origin: str = "code") -> None:
        self.key, self.value, self.allowed, self.origin = key, value, allowed, origin
        super().__init__(f"setting {key!r} is {value!r} (from {origin}); it must be {allowed}")


class BudgetError(TrimtabError):
    """The prompt cannot be made to fit its budget."""


class PinnedOverflow(BudgetError):
    """What must always be in the prompt is larger than the budget. `largest` maps a name to its tokens."""

    def __init__(self, needed_tokens: int, budget_tokens: int, largest: Mapping[str, int]) -> None:
        self.needed_tokens, self.budget_tokens, self.largest = needed_tokens, budget_tokens, dict(largest)
        rows = ", ".join(f"{name} {tokens}" for name, tokens in self.largest.items())
        super().__init__(
            f"what must be in the prompt needs {needed_tokens} tokens and the budget is {budget_tokens}; "
            f"largest: {rows}; shorten these, unpin something, or raise the window or the safety ratio"
        )


class WindowUnknown(BudgetError):
    """The model's window was neither given nor known."""

    def __init__(self, model: str) -> None:
        self.model = model
        super().__init__(f"the window of model {model!r} is not known; pass Budget(window_tokens=...)")


class WireError(TrimtabError):
    """JSON that is not of the provider's form."""


class ParseError(WireError):
    """Input that could not be read; `path` points into it."""

    def __init__(self, problem: str, path: str = "$") -> None:
        self.problem, self.path = problem, path
        super().__init__(f"{problem} (at {path})")


class InvalidPrompt(WireError):
    """A prompt its provider would refuse. `rule` is the invariant's name, `message` the provider's wording."""

    def __init__(self, rule: str, message: str, path: str = "$") -> None:
        self.rule, self.message, self.path = rule, message, path
        super().__init__(f"{rule}: {message} (at {path})")


class WrongTarget(WireError):
    """A prompt asked for in another form than it was made for."""

    def __init__(self, made_for: str, asked_for: str) -> None:
        self.made_for, self.asked_for = made_for, asked_for
        super().__init__(f"this prompt was made for {made_for}, not {asked_for}; call prompt(target=...) for that one")


class StoreError(TrimtabError):
    """The ledger cannot be read or written."""


class NotFound(StoreError):
    """Nothing with that name; `known` may list what there is."""

    def __init__(self, what: str, name: object, known: Sequence[object] = ()) -> None:
        self.what, self.name, self.known = what, name, tuple(known)
        hint = f"; there is: {', '.join(map(str, known))}" if known else ""
        super().__init__(f"no {what} {name!r}{hint}")


class SeqConflict(StoreError):
    """Another writer appended first; load what is new and try again."""

    retryable = True

    def __init__(self, expected_seq: int, found_seq: int) -> None:
        self.expected_seq, self.found_seq = expected_seq, found_seq
        super().__init__(f"expected the ledger to end at {expected_seq}, it ends at {found_seq}; load and try again")


class StoreBusy(StoreError):
    """The database is locked by another writer."""

    retryable = True


class CorruptEntry(StoreError):
    """An entry or body that cannot be decoded or whose hash is wrong."""

    def __init__(self, where: str, problem: str) -> None:
        self.where, self.problem = where, problem
        super().__init__(f"{where} cannot be read: {problem}; the rest of the ledger is untouched, restore it from a copy")


class Erased(StoreError):
    """The text was erased or masked on purpose, so what held it cannot be rebuilt."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"not rebuildable: erased ({what})")


class SchemaTooNew(StoreError):
    """A database written by a newer version."""

    def __init__(self, found: int, supported: int) -> None:
        self.found, self.supported = found, supported
        super().__init__(f"the database has schema {found}, this version reads up to {supported}; upgrade Trimtab")


class CompactionError(TrimtabError):
    """A compaction refused before it was committed; nothing was changed."""


class ConstraintLost(CompactionError):
    """A compaction that would lose constraints; `missing` are their texts."""

    def __init__(self, missing: Sequence[str]) -> None:
        self.missing = tuple(missing)
        super().__init__(f"the compaction would lose {len(self.missing)} constraint(s): {self.missing[:3]}")


class ModelError(TrimtabError):
    """A language model that was asked gave no answer. `status` is the HTTP status, 0 where none came.

    The text names the endpoint, never the key.
    """

    def __init__(self, endpoint: str, problem: str, status: int = 0, *, retryable: bool = False) -> None:
        self.endpoint, self.problem, self.status, self.retryable = endpoint, problem, status, retryable
        answered = f"answered {status}: {problem}" if status else problem
        super().__init__(f"{endpoint}: {answered}; the history is untouched" + (", try again later" if retryable else ""))


class DocumentError(TrimtabError):
    """A document that the library cannot take; nothing of it was stored. `document` is its name."""

    def __init__(self, document: str, problem: str, advice: str) -> None:
        self.document, self.problem, self.advice = document, problem, advice
        super().__init__(f"{document or 'the document'} {problem}; {advice}")


class UnknownDocumentKind(DocumentError):
    """A kind that no reader is there for; `known` lists those there are."""

    def __init__(self, document: str, kind: str, known: Sequence[str]) -> None:
        self.kind, self.known = kind, tuple(known)
        super().__init__(document, f"is of kind {kind!r}, which is not read here", f"use one of: {', '.join(self.known)}, or convert it")


class UnreadableDocument(DocumentError):
    """Damaged, encrypted, binary, or without any text."""


class DocumentTooLarge(DocumentError):
    """More than the library takes in one piece."""

    def __init__(self, document: str, found: int, most: int, unit: str = "bytes") -> None:
        self.found, self.most, self.unit = found, most, unit
        super().__init__(document, f"has {found:,} {unit}, the most is {most:,}", "split it and add the parts")


class MissingExtra(DocumentError):
    """The parser of this kind is in an extra that is not installed."""

    def __init__(self, document: str, kind: str, extra: str) -> None:
        self.kind, self.extra = kind, extra
        super().__init__(document, f"is of kind {kind!r}, whose parser is not installed", f"pip install 'trimtab[{extra}]'")


class ConflictError(TrimtabError):
    """What was recalled disagrees with what was decided, and nobody has settled it. `conflicts` are core `Conflict`s."""

    conflicts: tuple[Any, ...]


class Blocked(ConflictError):
    """A fragment for this step says other than a confirmed decision, or answers an open question. The decision stands; no
    prompt is made until the user or the caller settles it."""

    def __init__(self, conflicts: Sequence[Any], lines: Sequence[str]) -> None:
        self.conflicts = tuple(conflicts)
        shown = "\n".join(lines[:_MOST_SHOWN])
        more = f"\n(and {len(lines) - _MOST_SHOWN} more)" if len(lines) > _MOST_SHOWN else ""
        super().__init__(
            f"the step is blocked by {len(self.conflicts)} open conflict(s):\n{shown}{more}\n"
            "call settle(conflict_id, keep='decision' or 'fragment'), or record the user's decision, or call "
            "prompt(despite_conflicts=True) to let the model put the question to the user"
        )


class NotSettled(ConflictError):
    """What an agent wanted to store takes a fragment's side in a conflict that is open."""

    def __init__(self, what: str, conflict: Any) -> None:
        self.what, self.conflicts = what, (conflict,)
        super().__init__(
            f"{what} takes over what conflict {conflict.conflict_id} leaves open; until the user or the caller settles it this stands "
            f"[{conflict.item_id}]: {conflict.item_text!r}; ask the user which one holds, or write down both sides as not settled"
        )


class TaskError(TrimtabError):
    """The task is not where the call takes it to be."""


class NoTask(TaskError):
    """No task is under way, or the one that is meant is not; `parked` are those that could be resumed."""

    def __init__(self, parked: Sequence[str] = (), meant: str = "") -> None:
        self.parked = tuple(parked)
        if meant in self.parked:
            super().__init__(f"the task {meant!r} is parked; session.resume({meant!r}) brings it back")
            return
        rest = f"; parked are: {', '.join(self.parked[:_MOST_SHOWN])}" if self.parked else ""
        super().__init__(f"no task is under way; begin one with session.task(goal, steps=[...]){rest}")


class BadPlan(TaskError):
    """A plan that cannot be carried out; `problems` names all of them, each with the step and what to do."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("the plan cannot be carried out: " + "; ".join(self.problems))


class IllegalMove(TaskError):
    """A step may not go over into that state; nothing was changed. `reason` says what is missing and what to do."""

    def __init__(self, step: str, to: str, reason: str) -> None:
        self.step, self.to, self.reason = step, to, reason
        super().__init__(f"step {step!r} cannot be {to}: {reason}" if step else f"nothing was changed: {reason}")


class OffStep(TaskError):
    """The model says it is on another step, or on none. `correction` is the message to send it, recorded with
    `by_code=True`; run nothing before."""

    def __init__(self, said: str, expected: str, correction: str) -> None:
        self.said, self.expected, self.correction = said, expected, correction
        super().__init__(f"the model is on {said or 'no step'!r} and the step under way is {expected!r}; send it `correction`")


class Drifted(TaskError):
    """A detector found drift and `steering.on_flag` is `stop`. `flags` are `trimtab.core.drift.Flag` values."""

    def __init__(self, flags: Sequence[Any]) -> None:
        self.flags = tuple(flags)
        said = "; ".join(f"{flag.kind}: {flag.text} (messages {', '.join(map(str, flag.evidence))})" for flag in self.flags)
        super().__init__(f"the run has drifted: {said}; answer with session.answer_flag(flag_id) or roll back, then go on")


class BadNeed(TrimtabError):
    """A structured query of recall that cannot be read. `field` is the part that is wrong."""

    def __init__(self, field: str, value: object, advice: str) -> None:
        self.field, self.value, self.advice = field, value, advice
        shown = repr(value)
        super().__init__(f"{field} of the need is {shown if len(shown) <= 120 else shown[:119] + '…'}; {advice}")


class ReadError(TrimtabError):
    """A part of a stored value that is not there."""


class BadSlice(ReadError):
    """A path, rows, lines, characters or words that the value does not have; `allowed` says what it has."""

    def __init__(self, what: str, value: object, allowed: str) -> None:
        self.what, self.value, self.allowed = what, value, allowed
        shown = repr(value)
        super().__init__(f"{what} {shown if len(shown) <= 120 else shown[:119] + '…'} cannot be read; allowed: {allowed}")


class SessionClosed(TrimtabError):
    """The session was closed; open it again."""
