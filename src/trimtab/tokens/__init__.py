"""Counting tokens, offline: exact where the model's vocabulary can be had, else an upper bound.

`counter_for(model)` chooses by the model's name. Nothing is loaded until the first count.
"""

from __future__ import annotations

from functools import cache, lru_cache

from trimtab.tokens.estimate import EstimateCounter
from trimtab.tokens.exact import ClaudeCounter, ExactCounter, find_ctok
from trimtab.tokens.families import FAMILIES, family_of
from trimtab.tokens.framing import MESSAGE_OVERHEAD
from trimtab.tokens.protocol import Counter
from trimtab.tokens.request import count_request
from trimtab.tokens.windows import window_for

__all__ = ["MESSAGE_OVERHEAD", "Counter", "count_request", "counter_for", "window_for"]


@lru_cache(maxsize=1_024)
def counter_for(model: str) -> Counter:
    """The counter of a model, by its name in any provider's spelling; the same object for models counted alike.
    A name that is not known gives an upper bound over current vocabularies. Never raises."""
    return _counter_of(family_of(model).name)


@cache
def _counter_of(family_name: str) -> Counter:
    family = FAMILIES[family_name]
    if not family.bound:
        return ExactCounter(family)
    return ClaudeCounter(family) if family.ctok and find_ctok() else EstimateCounter(family)
