"""One line for a finished exchange: what was called, and what came of it as far as the result shows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trimtab.core.messages import ToolCall, ToolResult
from trimtab.distill.status import error_lines, outcome
from trimtab.distill.structure import describe

_MAX_CALLS = 4
_MAX_ARGUMENTS_CHARS, _MAX_VALUE_CHARS, _MAX_OUTCOME_CHARS = 120, 48, 160


def action_line(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> str:
    """`called search(q=x) -> ok: ...`, `-> failed: <first error line>`, or `-> returned: ...` where the result does not
    say how it went. Several calls stand after one another; "" for no call."""
    if not calls:
        return ""
    by_id = {result.call_id: result for result in results}
    parts = [f"{call.name}({_arguments(call.arguments)}) -> {_outcome(by_id.get(call.call_id))}" for call in calls[:_MAX_CALLS]]
    if len(calls) > _MAX_CALLS:
        parts.append(f"and {len(calls) - _MAX_CALLS} more calls")
    return "called " + "; ".join(parts)


def _arguments(arguments: str) -> str:
    try:
        decoded = msgspec.json.decode(arguments) if len(arguments) < 100_000 else None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        decoded = None
    if not isinstance(decoded, dict):
        return _clip(arguments, _MAX_VALUE_CHARS) if arguments.strip() not in ("", "{}") else ""
    shown: list[str] = []
    length = 0
    for key, value in decoded.items():
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        pair = f"{_clip(key, _MAX_VALUE_CHARS)}={_clip(text, _MAX_VALUE_CHARS)}"
        length += len(pair) + 2
        if length > _MAX_ARGUMENTS_CHARS:
            return ", ".join([*shown, "…"])
        shown.append(pair)
    return ", ".join(shown)


def _outcome(result: ToolResult | None) -> str:
    if result is None:
        return "no result recorded"
    text = result.text
    state = outcome(text, result.is_error)
    if state == "failed":
        lines = error_lines(text, 1)
        why = lines[0] if lines else next((line for line in text[:2_000].splitlines() if line.strip()), "")
        return f"failed: {_clip(why, _MAX_OUTCOME_CHARS)}" if why else "failed"
    word = "ok" if state == "ok" else "returned"
    if not text.strip():
        return f"{word}, empty" if not result.parts else word
    return f"{word}: {_clip(describe(text), _MAX_OUTCOME_CHARS)}"


def _clip(text: str, limit: int) -> str:
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"
