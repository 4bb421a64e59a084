"""What detectors see and what they say, as values (REQUIREMENTS T9). FROZEN: they stand in the ledger."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

DriftKind: TypeAlias = Literal["looping", "tunnel", "goal_lost", "identity_lost", "format_lost", "early_finish"]
Tier: TypeAlias = Literal["signal", "act"]
Answer: TypeAlias = Literal["warn", "reanchor", "rollback", "stop"]
# the newest acts that the state holds, and the open flags
MOST_ACTS, MOST_FLAGS = 40, 12


class Act(Struct, frozen=True, array_like=True):
    """One call with its result, or a reply without a call, as detectors see it. Texts are not kept, only what compares.

    Attributes:
        seq: the message that made the call.
        result_seq: the message that answered it; 0 for a reply without a call.
        round: number of the model request.
        at_ms: when the call was recorded, Unix milliseconds.
        tool: "" for a reply without a call.
        key: digest of tool and arguments in canonical form: keys sorted; ids, timestamps and white space left out.
        frame: the same without what pages through something (offset, page, cursor, lines); equal to `key` where
            nothing does.
        words: hashes of the words of the arguments, or of the reply, sorted, each once; at most 48.
        result: digest of the result in canonical form; "" for none.
        fresh: share of the result's word 4-grams that no result of the window before had, 0 to 1; 1 for no result.
        error: class of the error where the result is one ("FileNotFoundError", "exit 1"), else "".
        batch: how many calls the message made.
        step: the plan's step under way, "" for none.
        changed: whether it changed something that lasts: a product, a note, a file.
        pending: whether it asks for something that is still under way, so that to ask again is no loop.
    """

    seq: int
    result_seq: int = 0
    round: int = 0
    at_ms: int = 0
    tool: str = ""
    key: str = ""
    frame: str = ""
    words: tuple[int, ...] = ()
    result: str = ""
    fresh: float = 1.0
    error: str = ""
    batch: int = 1
    step: str = ""
    changed: bool = False
    pending: bool = False


class Flag(Struct, frozen=True, array_like=True):
    """A detector's finding.

    Attributes:
        flag_id: unique in its lane.
        detector: name of the detector.
        text: one line for the state block: what was seen, how often.
        evidence: numbers of the messages that show it, oldest first; at least one.
        step: the step that was under way.
        answer: what is done about it; "warn" for the signal tier.
    """

    flag_id: str
    kind: DriftKind
    tier: Tier
    detector: str
    text: str
    evidence: tuple[int, ...]
    step: str = ""
    answer: Answer = "warn"
    seq: int = 0
