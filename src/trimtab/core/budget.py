"""The budget's arithmetic, each term named. Source: REQUIREMENTS B1, B6.

prompt budget  = window x safety - reply reserve, at most `stable_tokens`
history budget = (prompt budget - instructions) less the splice buffer, floored
trigger, target = shares of the history budget, rounded half up
"""

from __future__ import annotations

from math import floor

from msgspec import Struct

from trimtab.errors import WindowUnknown
from trimtab.settings import Budget

DEFAULT_SAFETY_RATIO = 0.6
SMALL_WINDOW_SAFETY_RATIO = 0.85
SMALL_WINDOW_TOKENS = 16_384  # "16k": REQUIREMENTS B1
DEFAULT_RESERVE_TOKENS = 4_096
RESERVE_WINDOW_SHARE = 8
LEAST_HISTORY_SHARE = 0.2
SUMMARY_TRIGGER_SHARE = 4


class BudgetReport(Struct, frozen=True, kw_only=True, array_like=True):
    """The arithmetic of one request, term by term, all in tokens."""

    window_tokens: int
    safety_ratio: float
    usable_tokens: int
    reserve_tokens: int
    prompt_budget_tokens: int
    instructions_tokens: int
    splice_tokens: int
    history_budget_tokens: int
    trigger_tokens: int
    target_tokens: int
    stable_tokens: int | None = None
    warnings: tuple[str, ...] = ()

    def summary_cap_tokens(self, summary_max_tokens: int) -> int:
        """The summary's cap: the setting, and never so much that the summary alone comes near the trigger."""
        return min(summary_max_tokens, self.trigger_tokens // SUMMARY_TRIGGER_SHARE)

    def lines(self) -> list[str]:
        """The sum as a person would write it down."""
        cap = f", capped at stable_tokens {self.stable_tokens:,}" if self.stable_tokens else ""
        return [
            f"window {self.window_tokens:,} x safety {self.safety_ratio:g} = {self.usable_tokens:,}",
            f"- reply reserve {self.reserve_tokens:,} = prompt budget {self.prompt_budget_tokens:,}{cap}",
            f"- instructions {self.instructions_tokens:,} - splice {self.splice_tokens:,} = history budget {self.history_budget_tokens:,}",
            f"trigger {self.trigger_tokens:,}, target {self.target_tokens:,}",
            *self.warnings,
        ]


def half_up(value: float) -> int:
    # 1e-9: 0.7 x 68,498 is not exactly representable; a true half must still go up
    return floor(value + 0.5 + 1e-9)


def _down(value: float) -> int:
    return floor(value + 1e-9)


def reserve_for(budget: Budget, window_tokens: int, max_output_tokens: int | None) -> int:
    if max_output_tokens is not None:
        return max_output_tokens
    if budget.reserve_tokens is not None:
        return budget.reserve_tokens
    return min(DEFAULT_RESERVE_TOKENS, window_tokens // RESERVE_WINDOW_SHARE)


def prompt_budget(budget: Budget, window_tokens: int, exact: bool, max_output_tokens: int | None = None) -> tuple[float, int, int, int]:
    """(safety ratio, usable tokens, reserve tokens, prompt budget tokens) before instructions are known."""
    small = exact and window_tokens <= SMALL_WINDOW_TOKENS
    safety = budget.safety_ratio if budget.safety_ratio is not None else SMALL_WINDOW_SAFETY_RATIO if small else DEFAULT_SAFETY_RATIO
    usable = _down(window_tokens * safety)
    reserve = reserve_for(budget, window_tokens, max_output_tokens)
    prompt = max(0, usable - reserve)
    if budget.stable_tokens is not None:
        prompt = min(prompt, budget.stable_tokens)
    return safety, usable, reserve, prompt


def compute_budget(
    budget: Budget,
    instructions_tokens: int,
    *,
    exact: bool = False,
    max_output_tokens: int | None = None,
    window_tokens: int | None = None,
    model: str = "",
) -> BudgetReport:
    """The arithmetic of REQUIREMENTS B1.

    Args:
        budget: the user's settings.
        instructions_tokens: client's system text, tool schemas, meta context, brief, state, plan, pins.
        exact: whether the counter is the model's own tokenizer.
        max_output_tokens: the request's own maximum output, thinking included, if it names one.
        window_tokens: the model's window where `budget` does not name one.
    Raises:
        WindowUnknown: neither names a window.
    """
    window = budget.window_tokens or window_tokens or 0
    if window <= 0:
        raise WindowUnknown(model)
    safety, usable, reserve, prompt = prompt_budget(budget, window, exact, max_output_tokens)
    room = max(0, prompt - instructions_tokens)
    history = _down(room * (1 - budget.splice_ratio))
    warnings: list[str] = []
    if safety > 0.8 and budget.safety_ratio is not None:
        warnings.append(f"safety ratio {safety:g} is above 0.8: a count that is off by a fifth overflows the window")
    if history < window * LEAST_HISTORY_SHARE:
        taken = {
            f"the safety margin ({window - usable:,} tokens)": window - usable,
            f"the reply reserve ({reserve:,} tokens)": reserve,
            f"the instructions ({instructions_tokens:,} tokens)": instructions_tokens,
            f"the cap stable_tokens ({budget.stable_tokens})": usable - reserve - prompt,
        }
        worst = max(taken, key=lambda name: taken[name])
        warnings.append(f"history gets {history:,} of {window:,} tokens, under 20 %: most went to {worst}")
    return BudgetReport(
        window_tokens=window,
        safety_ratio=safety,
        usable_tokens=usable,
        reserve_tokens=reserve,
        prompt_budget_tokens=prompt,
        instructions_tokens=instructions_tokens,
        splice_tokens=room - history,
        history_budget_tokens=history,
        trigger_tokens=half_up(history * budget.trigger_ratio),
        target_tokens=half_up(history * budget.target_ratio),
        stable_tokens=budget.stable_tokens,
        warnings=tuple(warnings),
    )
