"""Random histories and what happens between their requests, as small programs: lists of (step, number, number).

A program is cheap to draw and shrinks well; `play.Player` makes messages of it in any of the three wire forms.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st
from msgspec import Struct

from trimtab import Budget, Settings, Target
from trimtab.settings import LAYOUTS, MODES

Kind: TypeAlias = Literal[
    "user",
    "assistant",
    "exchange",
    "unanswered",
    "late",
    "again",
    "image",
    "thinking",
    "empty",
    "system",
    "repeat",
    "loop",
    "reused",
    "mixed",
    "unknown",
    "huge",
    "prompt",
    "other_prompt",
    "model",
    "pin",
    "unpin",
    "note",
    "meta",
    "brief",
    "step",
    "need",
    "drop",
    "scratchpad",
    "undo",
    "checkpoint",
    "rollback",
    "sync",
    "edit",
    "reopen",
]
SAID: tuple[Kind, ...] = (
    "user",
    "user",
    "user",
    "assistant",
    "exchange",
    "exchange",
    "exchange",
    "unanswered",
    "late",
    "again",
    "image",
    "thinking",
    "empty",
    "system",
    "repeat",
    "loop",
    "reused",
    "mixed",
    "unknown",
    "huge",
)
ASKED: tuple[Kind, ...] = ("prompt", "prompt", "prompt", "prompt", "other_prompt", "model", "model")
BESIDE: tuple[Kind, ...] = ("pin", "unpin", "note", "meta", "brief")
LEAVES: tuple[Kind, ...] = ("step", "need", "drop", "drop", "scratchpad", "undo")
RETURNS: tuple[Kind, ...] = ("checkpoint", "rollback", "sync", "edit", "reopen")
Step: TypeAlias = tuple[Kind, int, int]

TARGETS: dict[str, Target] = {
    "lenient": Target(model="m", wire="openai_chat", reasoning="free"),
    "strict": Target(model="m", wire="openai_chat", strict_roles=True, reasoning="free"),
    "responses": Target(model="m", wire="openai_responses", reasoning="free"),
    "responses, bound": Target(model="m", wire="openai_responses", reasoning="bound"),
    "messages": Target(model="m", wire="anthropic", reasoning="free"),
    "messages, bound": Target(model="m", wire="anthropic", reasoning="bound"),
}
targets = st.sampled_from(list(TARGETS.values()))


def steps(*kinds: tuple[Kind, ...], max_size: int = 20) -> st.SearchStrategy[list[Step]]:
    """Programs of the given kinds of steps; a kind that is named often comes often. Every second one is long:
    lists alone would mostly be short, and a short history is never cut."""
    named = [kind for group in kinds for kind in group]
    step = st.tuples(st.sampled_from(named), st.integers(0, 15), st.integers(0, 63))
    return st.lists(step, max_size=max_size // 2) | st.lists(step, min_size=max_size // 2, max_size=max_size)


all_steps = steps(SAID, ASKED, ASKED, BESIDE, LEAVES, RETURNS, max_size=20)

_OVERRIDES: dict[str, st.SearchStrategy[Any]] = {
    "window_rounds": st.none() | st.integers(1, 4),
    "hot_rounds": st.integers(1, 4),
    "overlap_rounds": st.integers(1, 4),
    "recent_rounds": st.integers(1, 3),
    "recall": st.sampled_from([None, True, False]),
    "recall_limit": st.integers(0, 5),
    "recall_max_ratio": st.sampled_from([0.05, 0.2, 1.0]),
    "clear_results": st.booleans(),
    "clear_keep_rounds": st.integers(0, 2),
    "clear_at_least_tokens": st.sampled_from([None, 0, 200]),
    "stub_result_ratio": st.sampled_from([0.01, 0.25, 1.0]),
    "summary_max_tokens": st.sampled_from([1, 60, 1_100]),
    "inject_notes": st.sampled_from([(), ("k0",), ("k0", "k1")]),
}
WINDOWS = (2_000, 3_000, 4_096, 8_192, 16_384, 32_768, 65_536)
# small ones often: that is where something must go
_LIKELY = (2_000, 2_000, 3_000, 3_000, *WINDOWS)
budgets = st.builds(
    Budget,
    window_tokens=st.sampled_from(_LIKELY),
    safety_ratio=st.sampled_from([None, None, 0.5, 1.0]),
    reserve_tokens=st.sampled_from([None, None, 0, 500]),
    splice_ratio=st.sampled_from([0.05, 0.0, 0.1]),
    stable_tokens=st.sampled_from([None, None, None, 1_500]),
)


@st.composite
def settings_for(draw: st.DrawFn, target: Target) -> Settings:
    """Settings that are allowed with the target: a tail that is replaced would break bound reasoning."""
    tails = ["auto", "append"] if target.reasoning_bound else ["auto", "replace", "append"]
    return Settings(
        mode=draw(st.sampled_from(MODES)),
        layout=draw(st.sampled_from(LAYOUTS)),
        tail_mode=draw(st.sampled_from(tails)),
        budget=draw(budgets),
        **draw(st.fixed_dictionaries({}, optional=_OVERRIDES)),
    )


class Scenario(Struct, frozen=True):
    target: Target
    settings: Settings
    program: list[Step]

    def with_settings(self, **changes: Any) -> Scenario:
        return Scenario(self.target, self.settings.merged(**changes), self.program)


@st.composite
def scenarios(
    draw: st.DrawFn, program: st.SearchStrategy[list[Step]] = all_steps, among: st.SearchStrategy[Target] = targets, **fixed: Any
) -> Scenario:
    """A target, settings allowed with it, and a program. `fixed` are settings that are not drawn."""
    target = draw(among)
    return Scenario(target, draw(settings_for(target)).merged(**fixed), draw(program))
