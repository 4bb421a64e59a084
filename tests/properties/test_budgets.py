"""Property 11 of DESIGN §9: a larger budget never keeps less raw history."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.profiles import PROPERTY
from tests.properties.histories import BESIDE, SAID, WINDOWS, Scenario, scenarios, steps
from tests.properties.play import Player
from trimtab.core.target import Target
from trimtab.errors import PinnedOverflow
from trimtab.settings import Budget, Settings

# more windows than elsewhere: small differences between two budgets are where an order could turn round
MORE_WINDOWS = sorted({*WINDOWS, 2_200, 2_500, 3_500, 5_000, 6_000, 10_000, 12_000})


def _raw_tokens(scenario: Scenario, window_tokens: int) -> int | None:
    """Tokens of the messages that stand whole in the first prompt under that window; None where none fits."""
    budget = type(scenario.settings.budget)(
        **{name: getattr(scenario.settings.budget, name) for name in scenario.settings.budget.__struct_fields__ if name != "window_tokens"},
        window_tokens=window_tokens,
    )
    player = Player(scenario.with_settings(budget=budget)).play()
    try:
        player._make_askable()
        prompt = player.session.prompt()
    except PinnedOverflow:
        return None
    finally:
        state = player.session.state
        nodes = dict(state.nodes)
        player.close()
    whole = [segment for segment in prompt.segments if segment.place == "message" and segment.action == "keep"]
    return sum(nodes[segment.origin[0]].tokens for segment in whole)


# two stubs of Chinese text are larger than they were counted on: fewer rounds stay then, not the last message alone
LARGE_STUBS = Scenario(
    target=Target(model="m", wire="openai_chat"),
    settings=Settings(mode="none", budget=Budget(safety_ratio=0.5)),
    program=[("exchange", 8, 1), ("user", 0, 0), ("user", 0, 0), ("user", 0, 0), ("user", 0, 0)],
)


@PROPERTY
@example(LARGE_STUBS, [2_000, 2_500])
@given(scenarios(steps(SAID, SAID, BESIDE, max_size=16)), st.lists(st.sampled_from(MORE_WINDOWS), min_size=2, max_size=2, unique=True))
def test_11_a_larger_budget_never_keeps_less(scenario: Scenario, windows: list[int]) -> None:
    # a stub limit outside of target and trigger, or no clearing at all, is a trade of the user's own: there a result
    # that the larger budget takes whole may cost older messages their place
    own = scenario.settings.budget
    ratio = min(max(scenario.settings.stub_result_ratio, own.target_ratio), own.trigger_ratio)
    scenario = scenario.with_settings(stub_result_ratio=ratio, clear_results=True)
    small, large = sorted(windows)
    less, more = _raw_tokens(scenario, small), _raw_tokens(scenario, large)
    if less is not None:
        assert more is not None, f"it fits a window of {small} and not one of {large}"
        assert more >= less, f"window {small} keeps {less} tokens as they were, window {large} only {more}"
