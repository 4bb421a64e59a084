"""What detectors that read texts are shown beside the acts, and what they find."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

from trimtab.core.drift import DriftKind, Tier
from trimtab.core.state import SessionState

_MOST_TEXTS = 400
# each call's arguments are asked for by several readers in turn
_MOST_KNOWN, _MOST_KNOWN_CHARS = 16, 20_000


class SeenCall(Struct, frozen=True):
    """A call of the newest exchange: the message that made it, its tool, its arguments as sent."""

    seq: int
    tool: str
    arguments: str


class Seen(Struct, frozen=True, kw_only=True):
    """The newest exchange. `reply` is the visible text of the model's message, `reply_seq` its number; `calls` are those
    that it made, so a final reply has none. `user_seq` is the newest user message: what was done before it was for another
    request."""

    state: SessionState
    reply: str = ""
    reply_seq: int = 0
    calls: tuple[SeenCall, ...] = ()
    user_seq: int = 0


class Found(Struct, frozen=True):
    """One finding: one line, and the messages that show it, oldest first."""

    kind: DriftKind
    text: str
    evidence: tuple[int, ...]
    tier: Tier = "signal"


def values_of(arguments: str) -> Iterator[tuple[str, Any]]:
    """(key, value) of the plain values in the arguments, in order; the key is the nearest one. Free text comes as ("", text)."""
    return iter(_known_values(arguments) if len(arguments) <= _MOST_KNOWN_CHARS else tuple(_values(arguments)))


@lru_cache(maxsize=_MOST_KNOWN)
def _known_values(arguments: str) -> tuple[tuple[str, Any], ...]:
    return tuple(_values(arguments))


def _values(arguments: str) -> Iterator[tuple[str, Any]]:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        yield "", arguments
        return
    waiting: deque[tuple[str, Any]] = deque([("", value)])
    for _ in range(_MOST_TEXTS):
        if not waiting:
            return
        key, value = waiting.popleft()
        if isinstance(value, dict):
            waiting += [(str(name), inner) for name, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(key, inner) for inner in value]
        else:
            yield key, value
