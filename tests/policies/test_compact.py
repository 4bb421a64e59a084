from __future__ import annotations

from itertools import pairwise

import pytest

from tests.policies.views import TARGET_TOKENS, TRIGGER_TOKENS, kept_rounds, rounds_of, settings, view
from trimtab.policies.compact import CompactPolicy


def test_the_hand_made_view_has_the_numbers_it_says() -> None:
    budget = view(rounds_of(1)).budget
    assert (budget.trigger_tokens, budget.target_tokens) == (TRIGGER_TOKENS, TARGET_TOKENS)


def test_up_to_the_trigger_nothing_is_cut() -> None:
    units = rounds_of(*[300] * 20)
    assert CompactPolicy().decide(view(units, history_tokens=TRIGGER_TOKENS)).keep_from is None
    assert CompactPolicy().decide(view(units, history_tokens=TRIGGER_TOKENS + 1)).keep_from is not None


def test_a_summary_stands_for_what_leaves() -> None:
    verdict = CompactPolicy().decide(view(rounds_of(*[1_000] * 10)))
    assert (verdict.reason, verdict.summary) == ("trigger", True)


@pytest.mark.parametrize("size", [60, 200, 400, 900, 2_000])
def test_what_stays_leaves_room_below_the_trigger_to_grow_again(size: int) -> None:
    units = rounds_of(*[size] * (9_000 // size))
    verdict = CompactPolicy().decide(view(units))
    assert verdict.keep_from is not None
    kept = sum(unit.tokens for unit in units[verdict.keep_from :])
    summary = 1_100
    assert kept_rounds(units, verdict.keep_from) >= 1
    assert kept + summary <= max(0.6 * TRIGGER_TOKENS, TARGET_TOKENS) or kept_rounds(units, verdict.keep_from) == 1


@pytest.mark.parametrize("overlap", [1, 3, 6])
def test_the_overlap_stays_where_it_has_room(overlap: int) -> None:
    units = rounds_of(*[480] * 18)
    verdict = CompactPolicy().decide(view(units, settings=settings(overlap_rounds=overlap)))
    # beside a full summary the target holds 3 rounds of 480
    assert kept_rounds(units, verdict.keep_from) == max(3, overlap)


def test_a_larger_budget_never_keeps_less() -> None:
    units = rounds_of(*[200, 900, 50, 400, 1_500, 30, 700, 80, 600, 1_000, 20, 350] * 3)
    kept = []
    for window in range(16_000, 60_000, 1_000):
        made = settings().merged(budget=settings().budget.__class__(window_tokens=window))
        verdict = CompactPolicy().decide(view(units, settings=made))
        kept.append(sum(unit.tokens for unit in units[verdict.keep_from or 0 :]))
    assert all(less <= more for less, more in pairwise(kept))
    assert kept[0] < kept[-1]


def test_one_giant_round_stays_alone() -> None:
    units = rounds_of(*[100] * 5, 9_000)
    verdict = CompactPolicy().decide(view(units))
    assert verdict.keep_from is not None and units[verdict.keep_from].round == 6
