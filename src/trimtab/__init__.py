"""Trimtab decides what a long-running LLM agent sees on each request, under a hard token budget, and proves it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trimtab.actions import Retrieved, rebuild, retrieve, summarize, trim
    from trimtab.core.budget import BudgetReport
    from trimtab.core.conflicts import Conflict
    from trimtab.core.plan import Decision, Segment
    from trimtab.core.target import Target
    from trimtab.errors import Blocked, BudgetError, ConfigError, PinnedOverflow, StoreError, TrimtabError, WireError
    from trimtab.policies import preset
    from trimtab.recall.needs import Need
    from trimtab.run import run_task
    from trimtab.session import Prompt, RecordReport, Session, Step, SyncReport
    from trimtab.settings import Budget, ResolvedSettings, Settings, load_settings
    from trimtab.tools import Toolset

__version__ = "0.1.0"

__all__ = [
    "Blocked",
    "Budget",
    "BudgetError",
    "BudgetReport",
    "ConfigError",
    "Conflict",
    "Decision",
    "Need",
    "PinnedOverflow",
    "Prompt",
    "RecordReport",
    "ResolvedSettings",
    "Retrieved",
    "Segment",
    "Session",
    "Settings",
    "Step",
    "StoreError",
    "SyncReport",
    "Target",
    "Toolset",
    "TrimtabError",
    "WireError",
    "load_settings",
    "preset",
    "rebuild",
    "retrieve",
    "run_task",
    "summarize",
    "trim",
]

# where each name lives; a room is loaded when its first name is asked for, so that the command line starts quickly
_ROOMS = {
    "trimtab.actions": ("Retrieved", "rebuild", "retrieve", "summarize", "trim"),
    "trimtab.core.budget": ("BudgetReport",),
    "trimtab.core.conflicts": ("Conflict",),
    "trimtab.core.plan": ("Decision", "Segment"),
    "trimtab.core.target": ("Target",),
    "trimtab.errors": ("Blocked", "BudgetError", "ConfigError", "PinnedOverflow", "StoreError", "TrimtabError", "WireError"),
    "trimtab.policies": ("preset",),
    "trimtab.recall.needs": ("Need",),
    "trimtab.run": ("run_task",),
    "trimtab.session": ("Prompt", "RecordReport", "Session", "Step", "SyncReport"),
    "trimtab.settings": ("Budget", "ResolvedSettings", "Settings", "load_settings"),
    "trimtab.tools": ("Toolset",),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'trimtab' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
