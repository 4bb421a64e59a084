"""What the model did, as detectors see it: `Act` values from calls, their results and replies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from trimtab.core.drift import Act
from trimtab.steer.canonical import Shingles, canonical, plain_text, result_digest, shingles, words_of
from trimtab.steer.telling import error_class, is_pending, tells_denial, tells_failure

# a result is new as far as none of so many before it said the same
NEWEST_RESULTS = 8
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u4e00-\u9fff]+")
_WRITING = frozenset(
    [
        "write",
        "edit",
        "create",
        "update",
        "save",
        "insert",
        "delete",
        "remove",
        "apply",
        "patch",
        "commit",
        "send",
        "book",
        "cancel",
        "submit",
        "replace",
        "add",
        "put",
        "append",
        "upload",
        "store",
        "extract",
        "set",
        "move",
        "rename",
        "reserve",
        "pay",
        "buy",
        "order",
        "modify",
        "change",
        "post",
        "publish",
        "deploy",
        "install",
        "merge",
        "push",
        "note",
    ]
)


class CallSeen(Struct, frozen=True):
    """A call with its result. `failed`: whether the result says that it went wrong."""

    tool: str
    arguments: str
    result: str = ""
    result_seq: int = 0
    failed: bool = False


def acts_of(  # noqa: PLR0913 - one round, whole
    reply_seq: int,
    text: str,
    calls: Sequence[CallSeen],
    *,
    round: int,
    at_ms: int,
    step: str = "",
    earlier: Sequence[Shingles] = (),
) -> tuple[Act, ...]:
    """One act for each call of a message; of a message without any one act, whose words are its text's.

    Args:
        reply_seq: number of the message. text: its visible text.
        round: number of the model request. at_ms: Unix milliseconds.
        step: of the plan, under way.
        earlier: `shingles` of the newest results before, at most NEWEST_RESULTS count.
    """
    if not calls:
        said = plain_text(text)
        return (
            Act(
                reply_seq,
                0,
                round,
                at_ms,
                "",
                result_digest(said),
                result_digest(said),
                words_of(said),
                fresh=_fresh(text, earlier),
                step=step,
            ),
        )
    return tuple(_act(reply_seq, call, round, at_ms, step, earlier, len(calls)) for call in calls)


def _act(seq: int, call: CallSeen, round: int, at_ms: int, step: str, earlier: Sequence[Shingles], batch: int) -> Act:  # noqa: PLR0913
    told = canonical(call.tool, call.arguments)
    failed = call.failed or tells_failure(call.result)
    pending = not call.failed and is_pending(call.tool, call.arguments, call.result)
    denied = failed or (not pending and not is_writing(call.tool) and tells_denial(call.result))
    return Act(
        seq,
        call.result_seq,
        round,
        at_ms,
        call.tool,
        told.key,
        told.frame,
        told.words,
        result_digest(call.result),
        _fresh(call.result, earlier),
        error_class(call.result, call.arguments) if denied else "",
        batch,
        step,
        not failed and is_writing(call.tool),
        pending,
    )


def _fresh(text: str, earlier: Sequence[Shingles]) -> float:
    """Share of the text's word 4-grams that no text before had; 1 for no text."""
    own = shingles(text)
    if not own:
        return 1.0
    return round(len(own.difference(*earlier[-NEWEST_RESULTS:])) / len(own), 3)


def is_writing(tool: str) -> bool:
    """Whether the tool's name begins with a verb that changes something, a prefix of one word aside: `db.insert`, `writeFile`."""
    words = [word.lower() for word in _WORD.findall(tool)]
    return bool(words) and (words[0] in _WRITING or (len(words) > 1 and words[1] in _WRITING and any(sign in tool for sign in "./:")))
