"""Settings by scenario [C7]. `Settings` values that a preset does not name keep their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trimtab.errors import NotFound
from trimtab.settings import Settings, load_settings

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "single_question": {"mode": "none"},
    "customer_service": {"mode": "compact", "recall": True},
    "coding": {"mode": "compact", "overlap_rounds": 5, "clear_keep_rounds": 3},
    "long_document": {"mode": "retrieval"},
    "role_play": {"mode": "hierarchical"},
    "several_agents": {"mode": "compact", "recall": True, "overlap_rounds": 4},
    "small_window": {"mode": "compact", "overlap_rounds": 3, "summary_max_tokens": 1_000, "budget": {"window_tokens": 8_192}},
}


def preset(name: str, **changes: Any) -> Settings:
    """The settings of a scenario, with changes on top.

    Raises:
        NotFound: no such preset; the error lists those there are.
    """
    if name not in PRESETS:
        raise NotFound("preset", name, tuple(PRESETS))
    return load_settings(preset=PRESETS[name], environment={}, code=changes).settings
