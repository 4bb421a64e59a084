"""What users have today: the whole history every time, or the last few messages of it. Exact counts of whole requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from trimtab.cli.report import Request, body_text

SLIDING_MESSAGES = 10


class Piece(Struct, frozen=True):
    """One message with its tokens and its text."""

    message: dict[str, Any]
    tokens: int
    text: str


class Rounds(Struct, frozen=True):
    """A history cut into rounds: tokens and text of what stands before it (tools and instructions), pieces by round."""

    head_tokens: int
    head_text: str
    rounds: list[list[Piece]]

    def raw_tokens(self) -> list[int]:
        """Tokens of the whole unmanaged request, by round."""
        totals, total = [], self.head_tokens
        for pieces in self.rounds:
            total += sum(piece.tokens for piece in pieces)
            totals.append(total)
        return totals


def sliding_start(pieces: Sequence[Piece], last: int = SLIDING_MESSAGES) -> int:
    """Where the last `last` messages begin without a result that has lost its call.

    Results at the cut are left out with their call; if that would leave nothing, their exchange stays whole.
    """
    start = max(0, len(pieces) - last)
    cut = start
    while cut < len(pieces) and _is_result(pieces[cut].message):
        cut += 1
    if cut < len(pieces):
        return cut
    while start > 0 and _is_result(pieces[start].message):
        start -= 1
    return start


def _is_result(message: dict[str, Any]) -> bool:
    content = message.get("content")
    blocks = isinstance(content, list) and any(isinstance(block, dict) and block.get("type") == "tool_result" for block in content)
    return message["role"] == "tool" or blocks


def _replayed(history: Rounds, start_of: Callable[[Sequence[Piece]], int]) -> list[Request]:
    """One request a round that holds the pieces from `start_of(all pieces so far)` on."""
    requests: list[Request] = []
    pieces: list[Piece] = []
    before = 0  # pieces at the request before, and where it began
    began = 0
    for number, (new, raw) in enumerate(zip(history.rounds, history.raw_tokens(), strict=True), 1):
        pieces += new
        start = start_of(pieces)
        same = pieces[start:before] if start == began else []
        prefix = history.head_tokens + sum(piece.tokens for piece in same) if requests else 0
        kept = pieces[start:]
        text = "\n".join([history.head_text, *(piece.text for piece in kept)])
        tokens = history.head_tokens + sum(piece.tokens for piece in kept)
        made = raw - history.head_tokens
        requests.append(Request(number=number, raw_tokens=raw, produced_tokens=made, tokens=tokens, prefix_tokens=prefix, text=text))
        before, began = len(pieces), start
    return requests


def unmanaged(history: Rounds) -> list[Request]:
    """Everything, every time. The whole prompt before is a prefix of the next."""
    return _replayed(history, lambda pieces: 0)


def sliding(history: Rounds, last: int = SLIDING_MESSAGES) -> list[Request]:
    """Instructions, tools and the last messages. Once it slides, only instructions and tools are a stable prefix."""
    return _replayed(history, lambda pieces: sliding_start(pieces, last))


def piece(message: dict[str, Any], tokens: int) -> Piece:
    return Piece(message, tokens, body_text(message))
