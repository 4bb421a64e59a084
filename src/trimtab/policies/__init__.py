"""One file, one mode. A policy of your own: an entry point in the group `trimtab.policies`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points

from trimtab.core.view import Policy
from trimtab.errors import NotFound
from trimtab.policies.auto import AutoPolicy
from trimtab.policies.compact import CompactPolicy
from trimtab.policies.hierarchical import HierarchicalPolicy
from trimtab.policies.none import NonePolicy
from trimtab.policies.presets import PRESETS, preset
from trimtab.policies.retrieval import RetrievalPolicy
from trimtab.policies.window import WindowPolicy

_BUILT_IN: dict[str, Callable[[], Policy]] = {
    "none": NonePolicy,
    "window": WindowPolicy,
    "compact": CompactPolicy,
    "retrieval": RetrievalPolicy,
    "hierarchical": HierarchicalPolicy,
    "auto": AutoPolicy,
}
ENTRY_POINT_GROUP = "trimtab.policies"

__all__ = ["PRESETS", "policy_for", "preset"]


@cache
def policy_for(mode: str) -> Policy:
    """The policy of a mode: ours, else an installed one of that name.

    Raises:
        NotFound: no such mode; the error lists those there are.
    """
    if mode in _BUILT_IN:
        return _BUILT_IN[mode]()
    found = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    if mode not in found:
        raise NotFound("mode", mode, (*_BUILT_IN, *found))
    policy: Policy = found[mode].load()()
    return policy
