"""Counters that run the model's own tokenizer."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import cache

from trimtab.tokens.estimate import EstimateCounter
from trimtab.tokens.families import Family
from trimtab.tokens.framing import FramedCounter
from trimtab.tokens.vocabulary import clean_text, count_with

# the reconstruction takes 3 to 10 seconds a megabyte; above this a text is bounded instead (measured 2026-11)
CTOK_MOST_CHARS = 50_000


class ExactCounter(FramedCounter):
    """A vocabulary that is the model's own."""

    @property
    def exact(self) -> bool:
        return True

    def count_text(self, text: str) -> int:
        return count_with(self._family.vocabulary, text)


@cache
def find_ctok() -> bool:
    """Whether the reconstruction of Claude's tokenizer is installed (it declares Python 3.12)."""
    return importlib.util.find_spec("ctok") is not None


class ClaudeCounter(FramedCounter):
    """Claude by `ctok`. Texts too long for it (it is slow) are bounded by the estimate."""

    def __init__(self, family: Family) -> None:
        super().__init__(family)
        self._bound = EstimateCounter(family)
        self._frame_tokens: int | None = None
        self._token_count: Callable[[str, str], int] | None = None

    @property
    def exact(self) -> bool:
        return True

    def count_text(self, text: str) -> int:
        if not text:
            return 0
        if len(text) > CTOK_MOST_CHARS:
            return self._bound.count_text(text)
        if self._token_count is None or self._frame_tokens is None:
            count: Callable[[str, str], int] = importlib.import_module("ctok").token_count
            # it counts a message with one text; a lone letter is one token, the rest is the frame
            self._frame_tokens = count("a", self._family.ctok) - 1
            self._token_count = count
        return max(1, self._token_count(clean_text(text), self._family.ctok) - self._frame_tokens)
