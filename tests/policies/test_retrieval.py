from __future__ import annotations

import pytest

from tests.policies.views import TARGET_TOKENS, kept_rounds, rounds_of, settings, view
from trimtab.policies.retrieval import RetrievalPolicy


@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_few_small_rounds_stay(rounds: int) -> None:
    assert RetrievalPolicy().decide(view(rounds_of(*[100] * rounds))).keep_from is None


def test_at_twice_the_rounds_it_goes_back_to_them() -> None:
    units = rounds_of(*[100] * 6)
    verdict = RetrievalPolicy().decide(view(units))
    assert kept_rounds(units, verdict.keep_from) == 3
    assert (verdict.reason, verdict.summary) == ("rounds", False)


def test_past_the_trigger_large_rounds_leave_at_once() -> None:
    units = rounds_of(4_000, 4_000, 1_000)
    verdict = RetrievalPolicy().decide(view(units))
    assert verdict.reason == "trigger" and kept_rounds(units, verdict.keep_from) == 1
    assert sum(unit.tokens for unit in units[verdict.keep_from or 0 :]) <= TARGET_TOKENS


def test_recall_is_its_nature_and_can_be_switched_off() -> None:
    assert RetrievalPolicy().recalls(settings(), 0)
    assert not RetrievalPolicy().recalls(settings(recall=False), 0)
