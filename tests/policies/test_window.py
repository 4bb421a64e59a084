from __future__ import annotations

import pytest

from tests.policies.views import TRIGGER_TOKENS, kept_rounds, rounds_of, settings, view
from trimtab.policies.window import CHAT_ROUNDS, TOOL_ROUNDS, WindowPolicy, rounds_kept


def test_five_rounds_for_tool_work_and_twenty_for_chat() -> None:
    units = rounds_of(100)
    assert rounds_kept(view(units, calls_tools=True)) == TOOL_ROUNDS == 5
    assert rounds_kept(view(units)) == CHAT_ROUNDS == 20
    assert rounds_kept(view(units, settings=settings(window_rounds=3), calls_tools=True)) == 3


@pytest.mark.parametrize("rounds", [1, 5])
def test_nothing_leaves_while_all_rounds_are_in_the_window(rounds: int) -> None:
    verdict = WindowPolicy().decide(view(rounds_of(*[5_000] * rounds), calls_tools=True))
    assert verdict.keep_from is None and not verdict.summary


def test_the_last_n_rounds_stay_once_enough_is_eligible() -> None:
    units = rounds_of(*[600] * 7)
    verdict = WindowPolicy().decide(view(units, calls_tools=True))
    assert kept_rounds(units, verdict.keep_from) == 5
    assert (verdict.reason, verdict.summary) == ("left_window", False)
    assert verdict.keep_from is not None and units[verdict.keep_from].round == 3


def test_a_round_too_small_to_be_worth_a_break_waits_for_more() -> None:
    policy = WindowPolicy()
    assert policy.decide(view(rounds_of(*[540] + [100] * 5), calls_tools=True)).keep_from is None
    assert policy.decide(view(rounds_of(*[541] + [100] * 5), calls_tools=True)).keep_from == 2


def test_the_window_never_grows_to_twice_its_rounds() -> None:
    policy = WindowPolicy()
    assert policy.decide(view(rounds_of(*[20] * 9), calls_tools=True)).keep_from is None
    units = rounds_of(*[20] * 10)
    assert kept_rounds(units, policy.decide(view(units, calls_tools=True)).keep_from) == 5


def test_past_the_trigger_even_a_small_round_leaves() -> None:
    units = rounds_of(*[20] + [2_000] * 5)
    assert sum(unit.tokens for unit in units) > TRIGGER_TOKENS
    assert WindowPolicy().decide(view(units, calls_tools=True)).keep_from == 2


def test_recall_is_off_unless_asked_for() -> None:
    assert not WindowPolicy().recalls(settings(), 0)
    assert WindowPolicy().recalls(settings(recall=True), 0)
