"""Views of a situation, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trimtab.core.budget import compute_budget
from trimtab.core.view import UnitView, View
from trimtab.settings import Budget, Settings

# (24,000 x 0.6 - 3,000) x 0.95 = 10,830; trigger 7,581; target 2,708 (2,707.5, half up)
HISTORY_TOKENS, TRIGGER_TOKENS, TARGET_TOKENS = 10_830, 7_581, 2_708


def rounds_of(*tokens: int) -> list[UnitView]:
    """One round for each number: a user message of a tenth of it, then a reply of the rest; one turn each."""
    units: list[UnitView] = []
    for number, size in enumerate(tokens, start=1):
        units.append(UnitView(len(units), size // 10, number, number))
        units.append(UnitView(len(units), size - size // 10, number, number))
    return units


def view(units: Sequence[UnitView], **changes: Any) -> View:
    """A view in which everything of the branch is live, unless `changes` say otherwise."""
    settings = changes.pop("settings", Settings(budget=Budget(window_tokens=24_000)))
    total = sum(unit.tokens for unit in units)
    rounds = units[-1].round - units[0].round + 1 if units else 0
    values: dict[str, Any] = {
        "settings": settings,
        "budget": compute_budget(settings.budget, 0),
        "history_tokens": total,
        "live_rounds": rounds,
        "total_tokens": total,
        "rounds": rounds,
        "level": 0,
        "calls_tools": False,
        "clear_at_least_tokens": 541,
        "units": lambda: units,
    }
    return View(**(values | changes))


def settings(**changes: Any) -> Settings:
    return Settings(budget=Budget(window_tokens=24_000), **changes)


def kept_rounds(units: Sequence[UnitView], keep_from: int | None) -> int:
    """How many rounds stay; all of them for None."""
    return len({unit.round for unit in units[keep_from or 0 :]})
