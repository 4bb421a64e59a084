"""What callers write as plans is read as they mean it, or refused with what is wrong, where, and what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.session.cases import opened, user
from trimtab import Session, Step
from trimtab.errors import BadPlan, BadSetting, IllegalMove
from trimtab.session.fitting import fits
from trimtab.session.planned import planned
from trimtab.session.proving import prove_schema


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


# the library's engine takes years for this one
SLOW = "^(a+)+$"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def in_pairs(depth: int) -> dict[str, Any]:
    """A schema whose references double at each level."""
    rows: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(depth)}
    return {"$ref": "#/$defs/d0", "$defs": {**rows, f"d{depth}": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("schema", "product"),
    [
        ({"type": "string", "pattern": SLOW}, "a" * 40 + "b"),
        ({"$defs": {"word": {"pattern": SLOW}}, "$ref": "#/$defs/word"}, "a" * 40 + "b"),
        ({"patternProperties": {SLOW: {}}, "additionalProperties": False}, {"a" * 40 + "b": 1}),
        ('{"\\u0070attern": "^(a+)+$"}', "a" * 40 + "b"),
        ({"items": {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": SLOW}}, ["a" * 40 + "b"]),
        (in_pairs(40), 1),
        ({"uniqueItems": True}, [{"n": [n]} for n in range(20_000)]),
    ],
)
def test_a_check_by_schema_that_never_ends_is_ended(schema: Any, product: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trimtab.session.proving._MOST_SCHEMA_S", 1.0)
    proof = prove_schema("x fits", schema if isinstance(schema, str) else json.dumps(schema), product)
    assert proof.ok is None and "took longer than 1 s and was ended" in proof.detail


@pytest.mark.parametrize(
    ("schema", "product", "ok"),
    [
        ({"type": "string", "pattern": SLOW}, "aaa", True),
        ({"type": "string", "pattern": SLOW}, "b", False),
        (in_pairs(3), 1, True),
        (in_pairs(3), "a", False),
        ({"uniqueItems": True}, [1, 2], True),
        ({"uniqueItems": True}, [1, 1.0], False),
        ({"type": "array", "items": {"type": "integer"}}, [1], True),
    ],
)
def test_one_that_may_take_long_says_the_same_apart(schema: Any, product: Any, ok: bool) -> None:
    assert prove_schema("x fits", json.dumps(schema), product).ok is ok is fits(schema, product)[0]


def test_a_model_brings_no_schema_that_hangs_and_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trimtab.session.proving._MOST_SCHEMA_S", 1.0)
    with begun() as session:
        task = session.task()
        assert "the caller's to name" in getattr(task.propose_plan([{"name": "a", "done_when": ({"command": "true"},)}]), "reason", "")
        assert task.propose_plan([{"name": "a", "output": "x", "schema": {"type": "string", "pattern": SLOW}}]).ok
        task.begin()
        assert "too slow for this value" in getattr(task.propose("a", "done", product="a" * 40 + "b"), "reason", "")
        assert task.propose("a", "done", product="aaa").ok


def test_a_reference_inside_of_a_part_with_a_name_of_its_own_is_found() -> None:
    inner = {"$id": "https://example.com/inner", "$defs": {"c": {"type": "integer"}}, "properties": {"q": {"$ref": "#/$defs/c"}}}
    whole = {"$id": "https://example.com/outer", "$defs": {"b": inner}, "$ref": "inner"}
    with begun(Step("a", output="x", schema=whole), Step("b", output="y", schema={"$ref": DRAFT})) as session:
        task = session.task()
        task.begin()
        with pytest.raises(IllegalMove, match="is not of type 'integer'"):
            task.finish(product={"q": "a"})
        task.finish(product={"q": 1})
    assert "which is no schema" in problem([Step("a", output="x", schema={"$ref": "#/required", "required": ["b"]})])


async def waits(text: str) -> bool:
    return bool(text)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (waits, "condition 1 is waits, an async function"),
        ({"check": waits}, "condition 1 is waits, an async function"),
        (lambda: True, "which cannot be called with the product alone"),
        ({"check": 3}, "has '3' for 'check'; it must be a callable, or the name of one"),
        ({"count": None}, "has 'None' for 'count'"),
        ({"text": "a", "timeout_s": float("inf")}, "for 'timeout_s'"),
        ({"count": 10**30}, "for 'count'"),
        ({"text": "a", "of": "later"}, "condition 1 looks at 'later', which step 'b' makes, and that comes after it"),
    ],
)
def test_what_can_be_known_with_the_plan_is_told_with_it(condition: Any, said: str) -> None:
    assert said in problem([Step("a", output="x", done_when=condition), Step("b", output="later")])


def test_null_is_what_a_model_leaves_out_of_a_condition() -> None:
    with begun({"name": "a", "output": "x", "done_when": {"text": "a", "count": None, "of": None}}) as session:
        assert [row.kind for row in session.task().state.steps[0].done_when] == ["text"]


def test_a_check_that_is_named_must_be_there_where_it_is_known_which_are() -> None:
    steps = [Step("a", output="x", done_when={"check": "foo"})]
    with pytest.raises(BadPlan, match="condition 1 names the check 'foo', which is not there; pass checks="):
        planned(steps, {})
    assert planned(steps)[0] == planned(steps, {"foo": len})[0]


def test_a_check_that_returns_a_coroutine_proves_nothing_and_leaves_none_open() -> None:
    with begun(Step("a", output="x", done_when=lambda text: waits(text))) as session:
        task = session.task()
        task.begin()
        with pytest.raises(IllegalMove, match="returned coroutine; it must return True"):
            task.finish(product="x")


def test_names_and_words_of_a_file_are_read_as_a_models_are() -> None:
    with begun("collect", {"名称": "score", "输入": "x"}, Step("x", output="x", after=())) as session:
        assert [step.name for step in session.task().state.steps] == ["collect", "score", "x"]


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


@pytest.mark.parametrize("calls", range(0, 60, 3))
def test_a_reference_in_a_circle_gives_no_verdict_however_deep_the_stack_is(calls: int) -> None:
    def deep(left: int) -> tuple[bool | None, str]:
        return deep(left - 1) if left else fits({"$ref": "#"}, 1)

    assert deep(calls) == (None, "schema or value is nested too deep")
