"""What callers write as plans is read as they mean it, or refused with what is wrong, where, and what to do."""

from __future__ import annotations

from time import monotonic
from typing import Any

import pytest

from tests.session.cases import opened, user
from trimtab import Session, Step
from trimtab.errors import BadPlan, BadSetting, IllegalMove


def begun(*steps: Any, **more: Any) -> Session:
    session = opened()
    session.record(user("Go."))
    session.task("Sort the leads", steps, **more)
    return session


def problem(steps: Any) -> str:
    with opened() as session, pytest.raises(BadPlan) as caught:
        session.task("Sort the leads", steps)
    return str(caught.value)


def test_an_iterator_a_dict_and_none_are_read_as_they_are_meant() -> None:
    with opened() as session:
        task = session.task("Sort the leads", (Step(name) for name in "ab"))
        assert [step.name for step in task.state.steps] == ["a", "b"]
    with begun({"name": "a", "output": "x", "done_when": {"command": "true"}}, Step("b", inputs=None, output=None, about=None)) as session:  # type: ignore[arg-type]
        a, b = session.task().state.steps
        assert a.done_when[0].kind == "command" and (b.inputs, b.output, b.about) == ((), "", "")


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("ab", "the steps are str; give a list of them"),
        (Step("a"), "the steps are Step; give a list"),
        ([3], "step 1 is int; give a Step or a dict"),
        ([{"name": "a", "ouput": "x"}], "step 1 holds ouput; the fields of a step are name, inputs, output"),
        ([{"output": "x"}], "step 1 has no name"),
        ([Step("a", rounds="x")], "step 1 'a': its rounds is 'x'; it must be a whole number"),  # type: ignore[arg-type]
        ([Step("a"), Step("b", inputs=4)], "step 2 'b': its inputs is '4'; it must be a name or a list of names"),  # type: ignore[arg-type]
        ([Step(3)], "step 1: its name is '3'; it must be a text"),  # type: ignore[arg-type]
        ([Step("a", optional="no")], "its optional is 'no'; it must be True or False"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_plan_is_told_by_step_and_field(steps: Any, said: str) -> None:
    assert said in problem(steps)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ({"count": 2, "text": "a"}, "condition 1 is of several kinds (count, text); write one dict for each"),
        ({"command": "true", "timeout": 1}, "condition 1 holds 'timeout'; beside its kind it may hold 'of' and 'timeout_s'"),
        ({"text": "a", "off": "y"}, "holds 'off'"),
        ({"count": "3"}, "has '3' for 'count'; it must be a whole number of 1 or more"),
        ({"at_least": 2.5}, "has '2.5' for 'at_least'"),
        ({"count": True}, "has 'True' for 'count'"),
        ({"command": ["ls"]}, "for 'command'; it must be a text"),
        ({"text": " "}, "for 'text'; it must be a text that is not empty"),
        ({"text": "a", "timeout_s": -1}, "has '-1' for 'timeout_s'; it must be seconds above 0"),
        ({"text": "a", "of": 3}, "for 'of'; it must be the name of a variable"),
        ({}, "must be a callable, a question, or a dict with one of text, count"),
        (7, "condition 1 is '7'; it must be a callable"),
    ],
)
def test_a_condition_is_of_one_kind_with_a_value_that_fits(condition: Any, said: str) -> None:
    assert said in problem([Step("a", output="x", done_when=condition)])


def test_two_bounds_are_one_condition() -> None:
    with begun(Step("a", output="x", done_when={"at_least": 1, "at_most": 2})) as session:
        task = session.task()
        task.begin()
        with pytest.raises(IllegalMove, match="1 too many"):
            task.finish(product=[1, 2, 3])
        task.finish(product=[1, 2])


def test_a_name_twice_is_told_once() -> None:
    said = problem([Step("a"), Step("a")])
    assert "is there twice" in said and "break the circle" not in said


@pytest.mark.parametrize("target", ["#/$defs/nope", "https://example.com/schema", "/nope"])
def test_a_reference_that_leads_nowhere_is_told_with_the_plan(target: str) -> None:
    assert f"it refers to {target!r}, which is not in it" in problem([Step("a", output="x", schema={"$ref": target})])
    whole = {"$defs": {"row": {"type": "integer"}}, "type": "array", "items": {"$ref": "#/$defs/row"}}
    with begun(Step("a", output="x", schema=whole)) as session:
        task = session.task()
        task.begin()
        with pytest.raises(IllegalMove, match="is not of type 'integer'"):
            task.finish(product=["a"])
        task.finish(product=[1])


SLOW = "^(a+)+$"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": SLOW},
        {"$defs": {"word": {"pattern": SLOW}}, "$ref": "#/$defs/word"},
        {"patternProperties": {SLOW: {}}, "additionalProperties": False},
    ],
)
def test_a_pattern_that_never_ends_is_ended(schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trimtab.session.proving._MOST_SCHEMA_S", 1.0)
    product: Any = "a" * 40 + "b"
    with begun(Step("a", output="x", schema=schema)) as session:
        task = session.task()
        task.begin()
        started = monotonic()
        with pytest.raises(IllegalMove, match="too slow for this value"):
            task.finish(product={product: 1} if "patternProperties" in schema else product)
        assert monotonic() - started < 10


def test_a_model_brings_no_pattern_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trimtab.session.proving._MOST_SCHEMA_S", 1.0)
    with begun() as session:
        task = session.task()
        assert task.propose_plan([{"name": "a", "output": "x", "schema": {"type": "string", "pattern": SLOW}}]).ok
        task.begin()
        assert "too slow" in getattr(task.propose("a", "done", product="a" * 40 + "b"), "reason", "")
        assert task.propose("a", "done", product="aaa").ok


def test_a_check_that_changes_its_value_changes_nothing_that_is_stored() -> None:
    def check(value: list[int]) -> bool:
        value.append(99)
        return True

    with begun(Step("a", output="x", schema={"type": "array", "maxItems": 1}, done_when=check)) as session:
        task = session.task()
        task.begin()
        task.finish(product=[1])
        assert session.read("x") == [1]


def test_one_text_is_one_risk_and_a_check_must_be_callable() -> None:
    with begun(Step("a"), risks="slow", missing="the price") as session:
        assert (session.task().state.risks, session.task().state.missing) == (("slow",), ("the price",))
        with pytest.raises(BadSetting, match="checks"):
            session.task("Other", [Step("b")], checks={"foo": 3})  # type: ignore[dict-item]
