"""The arithmetic of REQUIREMENTS B1 and B6, worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab import Session, Settings, Target
from trimtab.core.budget import compute_budget, half_up, prompt_budget, reserve_for
from trimtab.errors import BadSetting, WindowUnknown
from trimtab.settings import Budget


def test_worked_example_of_128_000_with_600_of_instructions() -> None:
    report = compute_budget(Budget(window_tokens=128_000), 600)
    assert report.window_tokens == 128_000
    assert report.safety_ratio == 0.6
    assert report.usable_tokens == 76_800
    assert report.reserve_tokens == 4_096
    assert report.prompt_budget_tokens == 72_704
    assert report.instructions_tokens == 600
    assert report.prompt_budget_tokens - report.instructions_tokens == 72_104
    assert report.splice_tokens == 72_104 - 68_498
    assert report.history_budget_tokens == 68_498
    assert report.trigger_tokens == 47_949
    assert report.target_tokens == 17_125
    assert report.stable_tokens is None
    assert report.warnings == ()


def test_the_sum_is_written_out_with_every_term() -> None:
    lines = compute_budget(Budget(window_tokens=128_000), 600).lines()
    assert lines == [
        "window 128,000 x safety 0.6 = 76,800",
        "- reply reserve 4,096 = prompt budget 72,704",
        "- instructions 600 - splice 3,606 = history budget 68,498",
        "trigger 47,949, target 17,125",
    ]


@pytest.mark.parametrize(
    ("window", "exact", "terms"),
    [
        # 4,096 x 0.85 = 3,481.6; / 8 = 512; 2,969 - 100 = 2,869 x 0.95 = 2,725.55; x 0.7 = 1,907.5; x 0.25 = 681.25
        (4_096, True, (3_481, 512, 2_969, 2_725, 1_908, 681)),
        # 4,096 x 0.6 = 2,457.6; 1,945 - 100 = 1,845 x 0.95 = 1,752.75; x 0.7 = 1,226.4; x 0.25 = 438
        (4_096, False, (2_457, 512, 1_945, 1_752, 1_226, 438)),
        # 8,192 x 0.85 = 6,963.2; / 8 = 1,024; 5,939 - 100 = 5,839 x 0.95 = 5,547.05; x 0.7 = 3,882.9; x 0.25 = 1,386.75
        (8_192, True, (6_963, 1_024, 5_939, 5_547, 3_883, 1_387)),
        # 8,192 x 0.6 = 4,915.2; 3,891 - 100 = 3,791 x 0.95 = 3,601.45; x 0.7 = 2,520.7; x 0.25 = 900.25
        (8_192, False, (4_915, 1_024, 3_891, 3_601, 2_521, 900)),
        # 16,384 x 0.85 = 13,926.4; / 8 = 2,048; 11,878 - 100 = 11,778 x 0.95 = 11,189.1; x 0.7 = 7,832.3; x 0.25 = 2,797.25
        (16_384, True, (13_926, 2_048, 11_878, 11_189, 7_832, 2_797)),
        # 16,384 x 0.6 = 9,830.4; 7,782 - 100 = 7,682 x 0.95 = 7,297.9; x 0.7 = 5,107.9; x 0.25 = 1,824.25
        (16_384, False, (9_830, 2_048, 7_782, 7_297, 5_108, 1_824)),
        # one above "up to 16k": 16,385 x 0.6 = 9,831 even where the counter is exact
        (16_385, True, (9_831, 2_048, 7_783, 7_298, 5_109, 1_825)),
    ],
)
def test_small_windows_by_hand(window: int, exact: bool, terms: tuple[int, ...]) -> None:
    report = compute_budget(Budget(window_tokens=window), 100, exact=exact)
    assert report.safety_ratio == (0.85 if exact and window <= 16_384 else 0.6)
    assert terms == (
        report.usable_tokens,
        report.reserve_tokens,
        report.prompt_budget_tokens,
        report.history_budget_tokens,
        report.trigger_tokens,
        report.target_tokens,
    )


@pytest.mark.parametrize(
    ("given_budget", "window", "asked", "wanted"),
    [
        (Budget(), 128_000, None, 4_096),
        (Budget(), 32_768, None, 4_096),
        (Budget(), 32_000, None, 4_000),
        (Budget(), 8_191, None, 1_023),
        (Budget(reserve_tokens=700), 128_000, None, 700),
        (Budget(reserve_tokens=0), 128_000, None, 0),
        (Budget(reserve_tokens=700), 128_000, 9_000, 9_000),
        (Budget(), 128_000, 0, 0),
    ],
)
def test_reserve_of_the_request_goes_before_the_settings_and_those_before_the_rule(
    given_budget: Budget, window: int, asked: int | None, wanted: int
) -> None:
    assert reserve_for(given_budget, window, asked) == wanted


def test_a_named_safety_ratio_goes_before_the_small_window_rule() -> None:
    assert prompt_budget(Budget(window_tokens=8_000, safety_ratio=0.7), 8_000, exact=True)[:2] == (0.7, 5_600)


def test_the_window_of_the_settings_goes_before_the_models() -> None:
    assert compute_budget(Budget(window_tokens=8_000), 0, window_tokens=200_000).window_tokens == 8_000
    assert compute_budget(Budget(), 0, window_tokens=200_000).window_tokens == 200_000


def test_no_window_at_all_is_a_typed_error_that_names_the_model() -> None:
    with pytest.raises(WindowUnknown, match="'nobody-knows'") as caught:
        compute_budget(Budget(), 0, model="nobody-knows")
    assert caught.value.model == "nobody-knows"


# ---------------------------------------------------------------- B6


def test_stable_tokens_caps_the_whole_prompt_and_the_smaller_wins() -> None:
    capped = compute_budget(Budget(window_tokens=128_000, stable_tokens=50_000), 600)
    assert capped.prompt_budget_tokens == 50_000
    assert capped.stable_tokens == 50_000
    assert capped.history_budget_tokens == 46_930  # (50,000 - 600) x 0.95
    assert capped.trigger_tokens == 32_851
    assert "capped at stable_tokens 50,000" in capped.lines()[1]
    free = compute_budget(Budget(window_tokens=128_000, stable_tokens=90_000), 600)
    assert free.prompt_budget_tokens == 72_704


def test_stable_tokens_is_off_by_default() -> None:
    assert Settings().budget.stable_tokens is None
    assert compute_budget(Budget(window_tokens=2_000_000), 0).prompt_budget_tokens == 1_195_904


def test_stable_tokens_holds_for_a_real_prompt() -> None:
    settings = Settings(mode="compact", budget=Budget(window_tokens=128_000, stable_tokens=1_500))
    with Session.open(":memory:", "s", settings=settings, target=Target(model="gpt-5")) as session:
        for number in range(30):
            session.record({"role": "user", "content": f"question {number} " + "word " * 80}, {"role": "assistant", "content": "fine"})
            prompt = session.prompt()
            assert prompt.tokens <= prompt.budget.prompt_budget_tokens == 1_500
        assert session.state.total_tokens > 2_500


# ---------------------------------------------------------------- warnings


@pytest.mark.parametrize(
    ("given_budget", "instructions", "asked", "term"),
    [
        (Budget(window_tokens=100_000), 50_000, None, "the instructions (50,000 tokens)"),
        (Budget(window_tokens=100_000), 0, 45_000, "the reply reserve (45,000 tokens)"),
        (Budget(window_tokens=100_000, safety_ratio=0.2), 0, 0, "the safety margin (80,000 tokens)"),
        (Budget(window_tokens=100_000, stable_tokens=10_000), 0, 0, "the cap stable_tokens (10000)"),
    ],
)
def test_history_under_a_fifth_of_the_window_names_the_term_that_ate_it(
    given_budget: Budget, instructions: int, asked: int | None, term: str
) -> None:
    report = compute_budget(given_budget, instructions, max_output_tokens=asked)
    assert report.history_budget_tokens < 20_000
    assert len(report.warnings) == 1
    assert "under 20 %" in report.warnings[0] and report.warnings[0].endswith(f"most went to {term}")
    assert report.lines()[-1] == report.warnings[0]


def test_history_of_exactly_a_fifth_is_not_reported() -> None:
    enough = compute_budget(Budget(window_tokens=100_000, splice_ratio=0.0), 40_000, max_output_tokens=0)
    assert enough.history_budget_tokens == 20_000 and enough.warnings == ()
    short = compute_budget(Budget(window_tokens=100_000, splice_ratio=0.0), 40_001, max_output_tokens=0)
    assert len(short.warnings) == 1


def test_a_safety_ratio_above_four_fifths_is_warned() -> None:
    assert compute_budget(Budget(window_tokens=128_000, safety_ratio=0.8), 0).warnings == ()
    warnings = compute_budget(Budget(window_tokens=128_000, safety_ratio=0.81), 0).warnings
    assert len(warnings) == 1 and "0.81 is above 0.8" in warnings[0]


def test_the_rule_for_small_windows_is_no_reason_to_warn() -> None:
    assert compute_budget(Budget(window_tokens=8_192), 0, exact=True).warnings == ()


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize(("value", "wanted"), [(0.5, 1), (1.5, 2), (2.5, 3), (2.4999, 2), (47_948.6, 47_949), (17_124.5, 17_125), (0.0, 0)])
def test_half_goes_up(value: float, wanted: int) -> None:
    assert half_up(value) == wanted


def test_instructions_larger_than_the_prompt_leave_nothing_and_nothing_negative() -> None:
    report = compute_budget(Budget(window_tokens=8_192), 20_000)
    assert (report.history_budget_tokens, report.splice_tokens, report.trigger_tokens, report.target_tokens) == (0, 0, 0, 0)
    assert compute_budget(Budget(window_tokens=1_000), 0, max_output_tokens=5_000).prompt_budget_tokens == 0


@given(
    window=st.integers(1, 3_000_000),
    instructions=st.integers(0, 3_000_000),
    asked=st.none() | st.integers(0, 200_000),
    stable=st.none() | st.integers(1, 200_000),
    exact=st.booleans(),
    splice=st.sampled_from([0.0, 0.05, 0.1]),
)
def test_the_terms_always_add_up(window: int, instructions: int, asked: int | None, stable: int | None, exact: bool, splice: float) -> None:
    report = compute_budget(
        Budget(window_tokens=window, stable_tokens=stable, splice_ratio=splice), instructions, exact=exact, max_output_tokens=asked
    )
    assert report.usable_tokens <= window
    wanted = max(0, report.usable_tokens - report.reserve_tokens)
    assert report.prompt_budget_tokens == (min(wanted, stable) if stable else wanted)
    room = max(0, report.prompt_budget_tokens - instructions)
    assert report.history_budget_tokens + report.splice_tokens == room
    assert abs(report.splice_tokens - room * splice) <= 1
    assert 0 <= report.target_tokens <= report.trigger_tokens <= report.history_budget_tokens


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("window_tokens", -1),
        ("safety_ratio", 0.0),
        ("safety_ratio", 1.01),
        ("reserve_tokens", -1),
        ("splice_ratio", 0.11),
        ("splice_ratio", -0.01),
        ("trigger_ratio", 0.0),
        ("trigger_ratio", 1.01),
        ("target_ratio", 0.0),
        ("target_ratio", 0.7),
        ("stable_tokens", 0),
    ],
)
def test_a_term_out_of_its_range_is_refused_by_name(key: str, value: float) -> None:
    with pytest.raises(BadSetting) as caught:
        Budget(**{key: value})  # type: ignore[arg-type]
    assert caught.value.key == f"budget.{key}" and caught.value.value == value
    assert caught.value.allowed in str(caught.value)
