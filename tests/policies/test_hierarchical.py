from __future__ import annotations

import pytest

from tests.policies.views import TRIGGER_TOKENS, kept_rounds, rounds_of, settings, view
from trimtab.policies.hierarchical import HierarchicalPolicy


@pytest.mark.parametrize("rounds", [1, 10, 20])
def test_the_hot_part_grows_to_twice_its_rounds(rounds: int) -> None:
    assert HierarchicalPolicy().decide(view(rounds_of(*[100] * rounds))).keep_from is None


def test_then_the_last_ten_rounds_stay_verbatim() -> None:
    units = rounds_of(*[100] * 21)
    verdict = HierarchicalPolicy().decide(view(units))
    assert kept_rounds(units, verdict.keep_from) == 10
    assert (verdict.reason, verdict.summary) == ("rounds", True)


def test_past_the_trigger_fewer_stay_if_ten_leave_no_room() -> None:
    units = rounds_of(*[900] * 12)
    verdict = HierarchicalPolicy().decide(view(units))
    assert verdict.reason == "trigger"
    kept = sum(unit.tokens for unit in units[verdict.keep_from or 0 :])
    assert kept < TRIGGER_TOKENS and 1 <= kept_rounds(units, verdict.keep_from) < 10


def test_it_never_keeps_more_than_its_hot_rounds_at_a_cut() -> None:
    units = rounds_of(*[2_000] * 3, *[20] * 30)
    verdict = HierarchicalPolicy().decide(view(units))
    assert kept_rounds(units, verdict.keep_from) <= 10


def test_cold_is_recalled_unless_switched_off() -> None:
    assert HierarchicalPolicy().recalls(settings(), 0)
    assert not HierarchicalPolicy().recalls(settings(recall=False), 0)
