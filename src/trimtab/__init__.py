"""Trimtab decides what a long-running LLM agent sees on each request, under a hard token budget, and proves it."""

from trimtab.actions import Retrieved, rebuild, retrieve, summarize, trim
from trimtab.core.budget import BudgetReport
from trimtab.core.plan import Decision, Segment
from trimtab.core.target import Target
from trimtab.errors import BudgetError, ConfigError, PinnedOverflow, StoreError, TrimtabError, WireError
from trimtab.policies import preset
from trimtab.session import Prompt, RecordReport, Session, SyncReport
from trimtab.settings import Budget, ResolvedSettings, Settings, load_settings

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "BudgetError",
    "BudgetReport",
    "ConfigError",
    "Decision",
    "PinnedOverflow",
    "Prompt",
    "RecordReport",
    "ResolvedSettings",
    "Retrieved",
    "Segment",
    "Session",
    "Settings",
    "StoreError",
    "SyncReport",
    "Target",
    "TrimtabError",
    "WireError",
    "load_settings",
    "preset",
    "rebuild",
    "retrieve",
    "summarize",
    "trim",
]
