"""What is wrong with a plan is told once, with the step and what to do."""

from __future__ import annotations

import pytest

from trimtab.core.plan_check import MOST_COUNTED, problems_of
from trimtab.core.task import Condition, PlanStep


def looks_at(name: str, kind: str = "text") -> Condition:
    return Condition(kind, "holds", of=name, value="x")  # type: ignore[arg-type]


def test_a_name_twice_is_no_circle() -> None:
    said = problems_of([PlanStep("a"), PlanStep("a", after=("a",))], ())
    assert said == ["step 'a' is there twice; give each step a name of its own"]


@pytest.mark.parametrize("kind", ["text", "callable"])
def test_a_condition_may_look_at_what_a_tool_stores_meanwhile(kind: str) -> None:
    steps = [PlanStep("a", output="x", done_when=(looks_at("stored", kind),))]
    assert problems_of(steps, ()) == problems_of(steps, ("stored",)) == problems_of(steps, None) == []


def test_a_condition_may_look_at_what_another_step_makes_that_does_not_wait_for_it() -> None:
    first, beside = PlanStep("a", output="x", done_when=(looks_at("y"),)), PlanStep("b", output="y")
    assert problems_of([first, beside], ()) == []
    later = PlanStep("b", output="y", after=("a",))
    assert "which step 'b' makes, and that comes after it" in problems_of([first, later], ())[0]


@pytest.mark.parametrize(
    "step",
    [
        PlanStep("a", rounds=-1),
        PlanStep("a", rounds=10**30),
        PlanStep("a", output="x", done_when=(Condition("count", "rows", least=MOST_COUNTED + 1),)),
        PlanStep("a", done_when=(Condition("command", "runs", value="true", timeout_s=float("inf")),)),
        PlanStep("a", done_when=(Condition("command", "runs", value="true", timeout_s=float("nan")),)),
    ],
)
def test_what_is_counted_has_bounds(step: PlanStep) -> None:
    assert len(problems_of([step], ())) == 1
