"""A state machine on two axes, history tokens and rounds; one step a request, with hysteresis, never a jump [C6].

0 full           everything verbatim
1 clear          used tool results leave
2 compact        older rounds become a summary; the overlap stays verbatim beneath it
3 hierarchical   the summary is at its limit: older turns are recalled too
"""

from __future__ import annotations

from msgspec import Struct

from trimtab.core.view import Verdict, View, keep_rounds
from trimtab.policies.compact import compaction_start
from trimtab.settings import Settings


class Step(Struct, frozen=True):
    """When to go up to a level, and below what to come down from it again.

    Attributes:
        up_ratio: of total tokens to the history budget.
        up_rounds: or this many rounds of the branch.
        down_ratio, down_rounds: both must hold to come down; well below the way up, so that it never flutters.
    """

    up_ratio: float
    up_rounds: int
    down_ratio: float
    down_rounds: int


FULL, CLEAR, COMPACT, HIERARCHICAL = range(4)
STEPS = {
    CLEAR: Step(0.35, 8, 0.2, 4),
    COMPACT: Step(0.7, 20, 0.4, 10),
    HIERARCHICAL: Step(1.4, 40, 0.9, 24),
}
# at these rounds a compaction is due even under the token trigger
LIVE_ROUNDS = {COMPACT: 24, HIERARCHICAL: 18}


def next_level(level: int, total_tokens: int, rounds: int, history_budget_tokens: int) -> int:
    """One step up, one down, or none."""
    share = total_tokens / max(1, history_budget_tokens)
    up = STEPS.get(level + 1)
    if up is not None and (share > up.up_ratio or rounds > up.up_rounds):
        return level + 1
    down = STEPS.get(level)
    if down is not None and share < down.down_ratio and rounds < down.down_rounds:
        return level - 1
    return level


class AutoPolicy:
    name = "auto"
    reshapes = True

    def recalls(self, settings: Settings, level: int) -> bool:
        return level >= HIERARCHICAL if settings.recall is None else settings.recall

    def decide(self, view: View) -> Verdict:
        level = next_level(view.level, view.total_tokens, view.rounds, view.budget.history_budget_tokens)
        clear = level >= CLEAR
        if level < COMPACT:
            return Verdict(clear=clear, level=level)
        many = view.live_rounds > LIVE_ROUNDS[level]
        if many or view.history_tokens > view.budget.trigger_tokens:
            start = compaction_start(view, view.settings.overlap_rounds)
            if many:
                start = max(start, keep_rounds(view.units(), view.settings.overlap_rounds))
            return Verdict(keep_from=start, reason="rounds" if many else "trigger", level=level)
        return Verdict(level=level)
