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
├── ReadError              a part of a stored value that is not there
│   └── BadSlice
└── SessionClosed
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


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
