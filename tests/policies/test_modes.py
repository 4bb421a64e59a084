"""Which policy a mode's name gives, and what they share."""

from __future__ import annotations

import pytest

from tests.policies.views import rounds_of, settings, view
from trimtab.core.view import keep_at_least, keep_rounds, keep_tokens
from trimtab.errors import NotFound
from trimtab.policies import PRESETS, policy_for, preset
from trimtab.settings import MODES


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_has_its_policy(mode: str) -> None:
    assert policy_for(mode).name == mode
    assert policy_for(mode) is policy_for(mode)


def test_an_unknown_mode_names_those_there_are() -> None:
    with pytest.raises(NotFound, match="hierarchical"):
        policy_for("clever")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_names_a_mode_that_exists(name: str) -> None:
    assert policy_for(preset(name).mode).name == preset(name).mode


@pytest.mark.parametrize("mode", MODES)
def test_no_policy_cuts_what_is_new_and_small(mode: str) -> None:
    verdict = policy_for(mode).decide(view(rounds_of(100, 100)))
    assert verdict.keep_from is None


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("size", [200, 600, 3_000])
def test_every_cut_keeps_the_newest_exchange_and_begins_a_round(mode: str, size: int) -> None:
    units = rounds_of(*[size] * 60)
    verdict = policy_for(mode).decide(view(units, level=2))
    assert verdict.keep_from is not None and 0 < verdict.keep_from <= len(units) - 1
    first = units[verdict.keep_from]
    assert first.round != units[verdict.keep_from - 1].round or verdict.keep_from == len(units) - 1


def test_none_keeps_everything_whole_and_clears_nothing() -> None:
    verdict = policy_for("none").decide(view(rounds_of(*[3_000] * 60)))
    assert (verdict.keep_from, verdict.clear) == (None, False)
    assert not policy_for("none").reshapes and all(policy_for(mode).reshapes for mode in MODES[1:])
    assert not policy_for("none").recalls(settings(), 0)


def test_keep_rounds_finds_the_first_exchange_of_the_newest_rounds() -> None:
    units = rounds_of(10, 10, 10, 10)
    assert [keep_rounds(units, rounds) for rounds in (1, 2, 4, 9)] == [6, 4, 0, 0]
    assert keep_rounds([], 3) == 0


def test_keep_tokens_keeps_whole_rounds_and_never_nothing() -> None:
    units = rounds_of(100, 200, 300)
    # 300 fit; 480 hold the reply of round 2 too, but not the message it answers: half a round does not stay
    assert [keep_tokens(units, tokens) for tokens in (600, 500, 499, 480, 300)] == [0, 2, 4, 4, 4]
    assert keep_tokens(units, 0) == 5
    assert keep_tokens([], 10) == 0


def test_keep_at_least_gives_the_rounds_only_what_most_allows() -> None:
    units = rounds_of(100, 100, 100, 100)
    assert keep_at_least(units, 100, 3, 400) == 2
    assert keep_at_least(units, 100, 3, 200) == 4
    assert keep_at_least(units, 400, 1, 400) == 0
