"""What the model did, as detectors see it: `Act` values from calls, their results and replies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from trimtab.core.drift import Act
from trimtab.steer.canonical import Shingles, canonical, plain_text, result_digest, shingles, words_of

# a result is new as far as none of so many before it said the same
NEWEST_RESULTS = 8
_ERROR_NAME = re.compile(
    r"\b([A-Za-z_][\w.]*(?:Error|Exception|Timeout))\b|\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return code)[ :=]+(-?[1-9]\d{0,4})\b|\b(?:http |status(?: code)?[ :=]+)([45]\d\d)\b",
    re.I,
)
_ERROR_WORD = re.compile(r"not found|denied|timed? ?out|invalid|failed|refused|cannot|unable|no such|失败|错误|超时|拒绝|不存在|无效", re.I)
_PATH = re.compile(r"(?:[A-Za-z]:)?(?:/[\w.\-]+)+/?|\bline \d+\b|:\d+(?::\d+)?\b")
_WRITES = re.compile(
    r"(?:^|[_\-.])(?:write|edit|create|update|save|insert|delete|remove|apply|patch|commit|send|book|cancel|submit|replace|add|put|append|upload|store|extract|set|move|rename)",
    re.I,
)
_MOST_ERROR_CHARS = 120


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
        error_class(call.result) if call.failed else "",
        batch,
        step,
        not call.failed and _WRITES.search(call.tool) is not None,
    )


def _fresh(text: str, earlier: Sequence[Shingles]) -> float:
    """Share of the text's word 4-grams that no text before had; 1 for no text."""
    own = shingles(text)
    if not own:
        return 1.0
    return round(len(own.difference(*earlier[-NEWEST_RESULTS:])) / len(own), 3)


def error_class(text: str) -> str:
    """What kind of error a result tells of: its name and the line that says it, without places and times."""
    for line in text[:8_000].splitlines()[::-1]:
        if found := _ERROR_NAME.search(line):
            name = found[1] or (f"exit {found[2]}" if found[2] else f"status {found[3]}")
            return f"{name}: {_PATH.sub('<at>', plain_text(line))[:_MOST_ERROR_CHARS]}"
    lines = [line for line in text[:8_000].splitlines() if line.strip()]
    line = next((line for line in lines if _ERROR_WORD.search(line)), lines[0] if lines else "")
    return f"error: {_PATH.sub('<at>', plain_text(line))[:_MOST_ERROR_CHARS]}"
