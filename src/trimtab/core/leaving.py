"""The three tests that decide whether a working message leaves (REQUIREMENTS M3).

1. Some step is known to need it: it stays whole.
2. What it says has been distilled: its conclusion stays where it was written down, and the message leaves at once.
3. It can be had again: a reference stays. This always holds, because the ledger keeps every message; what the test
   decides is when: not before the model has had its use of the result.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from trimtab.core.state import SessionState

Fate: TypeAlias = Literal["keep", "conclude", "refer"]


def needed(state: SessionState) -> frozenset[int]:
    """Seqs of the messages that some step is declared to need."""
    return frozenset(seq for seqs in state.needs.values() for seq in seqs) if state.needs else frozenset()


def fate(state: SessionState, seq: int, round_: int, keep_rounds: int, wanted: frozenset[int]) -> Fate:
    """What may become of a tool result.

    Args:
        round_: the round it came in.
        keep_rounds: the newest rounds whose results the model may still be working with.
        wanted: the messages that steps need, see `needed`.
    """
    if seq in wanted:
        return "keep"
    if seq in state.concluded and round_ < state.round:
        return "conclude"
    used = round_ <= state.round - keep_rounds or seq <= state.used_seq
    return "refer" if used else "keep"
