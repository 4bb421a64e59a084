"""The state machine of C6: two axes, one step at a time, an overlap, hysteresis."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.views import HISTORY_TOKENS, TRIGGER_TOKENS, kept_rounds, rounds_of, settings, view
from trimtab.policies.auto import CLEAR, COMPACT, FULL, HIERARCHICAL, LIVE_ROUNDS, STEPS, AutoPolicy, next_level

levels = st.sampled_from([FULL, CLEAR, COMPACT, HIERARCHICAL])
situations = st.tuples(st.integers(0, 5 * HISTORY_TOKENS), st.integers(0, 100))


@given(level=levels, situation=situations)
def test_one_step_up_one_down_or_none(level: int, situation: tuple[int, int]) -> None:
    after = next_level(level, *situation, HISTORY_TOKENS)
    assert abs(after - level) <= 1 and FULL <= after <= HIERARCHICAL


@given(levels, st.lists(situations, min_size=2, max_size=30))
def test_the_same_situation_never_flutters(level: int, path: list[tuple[int, int]]) -> None:
    for situation in path:
        level = next_level(level, *situation, HISTORY_TOKENS)
    steady = [level]
    for _ in range(8):
        steady.append(next_level(steady[-1], *path[-1], HISTORY_TOKENS))
    moves = [later - earlier for earlier, later in pairwise(steady) if later != earlier]
    assert len(set(moves)) <= 1, f"up and down again without anything new: {steady}"
    assert steady[-1] == steady[-2] == steady[-3], f"it does not come to rest: {steady}"


@pytest.mark.parametrize(
    ("level", "tokens", "rounds", "wanted"),
    [
        (FULL, 3_790, 8, FULL),  # 0.35 of 10,830 is 3,790.5
        (FULL, 3_791, 8, CLEAR),
        (FULL, 0, 9, CLEAR),
        (FULL, 50_000, 100, CLEAR),  # never a jump
        (CLEAR, 7_581, 20, CLEAR),
        (CLEAR, 7_582, 20, COMPACT),
        (CLEAR, 5_000, 21, COMPACT),
        (CLEAR, 50_000, 100, COMPACT),
        (COMPACT, 15_162, 40, COMPACT),
        (COMPACT, 15_163, 40, HIERARCHICAL),
        (COMPACT, 5_000, 41, HIERARCHICAL),
        (HIERARCHICAL, 50_000, 100, HIERARCHICAL),
    ],
)
def test_the_way_up_on_either_axis(level: int, tokens: int, rounds: int, wanted: int) -> None:
    assert next_level(level, tokens, rounds, HISTORY_TOKENS) == wanted


@pytest.mark.parametrize(
    ("level", "tokens", "rounds", "wanted"),
    [
        (CLEAR, 2_165, 3, FULL),  # 0.2 of 10,830 is 2,166
        (CLEAR, 2_166, 3, CLEAR),
        (CLEAR, 2_165, 4, CLEAR),
        (COMPACT, 4_331, 9, CLEAR),  # 0.4: 4,332
        (COMPACT, 4_332, 9, COMPACT),
        (COMPACT, 4_331, 10, COMPACT),
        (HIERARCHICAL, 9_746, 23, COMPACT),  # 0.9: 9,747
        (HIERARCHICAL, 9_747, 23, HIERARCHICAL),
        (HIERARCHICAL, 9_746, 24, HIERARCHICAL),
        (HIERARCHICAL, 0, 0, COMPACT),  # never a jump
    ],
)
def test_the_way_down_needs_both_axes_and_lies_well_below(level: int, tokens: int, rounds: int, wanted: int) -> None:
    assert next_level(level, tokens, rounds, HISTORY_TOKENS) == wanted


def test_each_way_down_lies_below_its_way_up() -> None:
    for step in STEPS.values():
        assert step.down_ratio < step.up_ratio * 0.7 and step.down_rounds < step.up_rounds * 0.7


def test_a_growing_history_passes_every_level_in_order() -> None:
    policy, level, seen = AutoPolicy(), FULL, [FULL]
    for rounds in range(1, 60):
        units = rounds_of(*[300] * rounds)
        level = policy.decide(view(units, level=level)).level
        seen.append(level)
    assert [level for level, before in zip(seen[1:], seen, strict=False) if level != before] == [CLEAR, COMPACT, HIERARCHICAL]


def test_full_touches_nothing_and_clear_only_results() -> None:
    policy = AutoPolicy()
    full = policy.decide(view(rounds_of(*[100] * 5)))
    assert (full.level, full.clear, full.keep_from) == (FULL, False, None)
    clear = policy.decide(view(rounds_of(*[1_500] * 6), level=FULL))
    assert (clear.level, clear.clear, clear.keep_from) == (CLEAR, True, None)


def test_compact_waits_for_the_trigger_or_for_rounds() -> None:
    policy = AutoPolicy()
    many = rounds_of(*[50] * LIVE_ROUNDS[COMPACT])
    assert policy.decide(view(many, level=COMPACT)).keep_from is None
    more = rounds_of(*[50] * (LIVE_ROUNDS[COMPACT] + 1))
    assert policy.decide(view(more, level=COMPACT)).reason == "rounds"
    large = rounds_of(*[900] * 10)
    assert sum(unit.tokens for unit in large) > TRIGGER_TOKENS
    verdict = policy.decide(view(large, level=COMPACT))
    assert (verdict.reason, verdict.summary) == ("trigger", True)


@pytest.mark.parametrize("level", [COMPACT, HIERARCHICAL])
def test_a_cut_by_rounds_leaves_the_overlap_and_does_not_come_again_at_once(level: int) -> None:
    policy = AutoPolicy()
    units = rounds_of(*[50] * 30)
    start = policy.decide(view(units, level=level)).keep_from
    assert start is not None and kept_rounds(units, start) == settings().overlap_rounds == 6
    left = units[start:]
    again = policy.decide(view(left, level=level, rounds=30, total_tokens=1_500))
    assert again.keep_from is None


def test_the_overlap_stays_verbatim_beneath_the_summary() -> None:
    units = rounds_of(*[500] * 18)
    verdict = AutoPolicy().decide(view(units, level=COMPACT))
    assert kept_rounds(units, verdict.keep_from) == 6
    wider = AutoPolicy().decide(view(units, level=COMPACT, settings=settings(overlap_rounds=4)))
    assert kept_rounds(units, wider.keep_from) == 4


def test_recall_joins_at_the_last_level_unless_said_otherwise() -> None:
    policy = AutoPolicy()
    assert [policy.recalls(settings(), level) for level in range(4)] == [False, False, False, True]
    assert all(policy.recalls(settings(recall=True), level) for level in range(4))
    assert not any(policy.recalls(settings(recall=False), level) for level in range(4))
