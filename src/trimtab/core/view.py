"""What a policy sees and what it may answer. A policy is pure and never touches messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from trimtab.core.budget import BudgetReport
from trimtab.core.plan import Reason
from trimtab.settings import Settings


class UnitView(Struct, frozen=True, array_like=True):
    """One exchange. `tokens` is what it would cost if it stayed, `small_tokens` with its results stubbed; `open`
    where it waits for results; `stays` where it opened the current turn or a step needs it, so that it is kept
    whatever a policy cuts."""

    index: int
    tokens: int
    round: int
    turn: int
    open: bool = False
    stays: bool = False
    small_tokens: int = 0


class View(Struct, frozen=True, kw_only=True):
    """The situation before a request. Scalars are free; `units()` costs time in proportion to what is live.

    Attributes:
        history_tokens: what a compaction can shrink: summary, notes, rounds, input; recalled turns not counted.
        live_rounds: rounds whose messages are still in the prompt.
        total_tokens: raw tokens of all messages of this branch, in the prompt or not.
        rounds: rounds of this branch so far.
        level: where the mode's state machine stood at the last request.
        calls_tools: whether the live history calls tools.
        clear_at_least_tokens: the watermark of `Settings.clear_at_least_tokens`, resolved.
    """

    settings: Settings
    budget: BudgetReport
    history_tokens: int
    live_rounds: int
    total_tokens: int
    rounds: int
    level: int
    calls_tools: bool
    clear_at_least_tokens: int
    units: Callable[[], Sequence[UnitView]]


class Verdict(Struct, frozen=True, kw_only=True):
    """What a policy decides.

    Attributes:
        keep_from: index of the first exchange that stays; None to cut nothing.
        reason: why now.
        summary: whether a summary stands for what left, now or if the budget forces a cut.
        clear: whether used tool results leave.
        level: where the state machine stands now.
    """

    keep_from: int | None = None
    reason: Reason = "trigger"
    summary: bool = True
    clear: bool = True
    level: int = 0


class Policy(Protocol):
    """One mode. `reshapes` is False for a mode that leaves messages whole as long as they fit."""

    def recalls(self, settings: Settings, level: int) -> bool:
        """Whether older turns are recalled, with the state machine at `level` after the last request."""
        ...

    @property
    def name(self) -> str: ...

    @property
    def reshapes(self) -> bool: ...

    def decide(self, view: View) -> Verdict: ...


# What stays after a cut leaves room below the trigger to grow again: at most this share of it.
MOST_OF_TRIGGER = 0.6


def keep_rounds(units: Sequence[UnitView], rounds: int) -> int:
    """Index of the first unit of the newest `rounds` rounds."""
    if not units:
        return 0
    first = units[-1].round - rounds + 1
    for unit in units:
        if unit.round >= first:
            return unit.index
    return units[-1].index


def keep_tokens(units: Sequence[UnitView], max_tokens: int) -> int:
    """Index of the first unit of the longest newest run within `max_tokens`, whole rounds only; the newest unit
    always stays, as it is. An older exchange counts with its results stubbed: whether they stay whole is decided
    afterwards, by what room is left, so that a larger budget never keeps fewer exchanges than a smaller one."""
    spent, start = 0, len(units)
    for unit in reversed(units):
        spent += unit.tokens if start == len(units) else min(unit.tokens, unit.small_tokens or unit.tokens)
        if spent > max_tokens and start < len(units):
            break
        start = unit.index
    while 0 < start < len(units) - 1 and units[start].round == units[start - 1].round:
        start += 1  # a reply without the message it answers is half a round
    return min(start, max(0, len(units) - 1))


def cost_within(unit: UnitView, room: int) -> int:
    """What a unit costs where this much room is left: whole if it fits so."""
    return unit.tokens if unit.tokens <= room or not unit.small_tokens else min(unit.tokens, unit.small_tokens)


def keep_at_least(units: Sequence[UnitView], max_tokens: int, rounds: int, most_tokens: int) -> int:
    """Keep what fits `max_tokens`, and at least `rounds` rounds as long as those fit `most_tokens`."""
    return min(keep_tokens(units, max_tokens), max(keep_rounds(units, rounds), keep_tokens(units, most_tokens)))
