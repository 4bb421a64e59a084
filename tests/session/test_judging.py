"""A second model judges: its verdicts are entered, and its failing costs nothing but the record of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.session.cases import opened, reply, settings, user
from trimtab import Session
from trimtab.core import entries as e
from trimtab.core.task import Condition, PlanStep
from trimtab.errors import NoTask, OffStep
from trimtab.llm import ChatMessage
from trimtab.settings import Steering, Summarizer
from trimtab.steer.milestones import parse_stock, verdict_of
from trimtab.steer.risk import risk_of
from trimtab.steer.verdicts import BadVerdict, parse_verdict
from trimtab.testing import models

GOOD = '{"reason": "total is missing", "verdict": "correct", "corrections": ["Add the total."]}'
STEPS = (PlanStep("fetch rows", output="rows"), PlanStep("write report", after=("fetch rows",), output="report"))


class Saying(models.ScriptedModel):
    """Gives the same answers in turn."""

    def __init__(self, *answers: str) -> None:
        super().__init__()
        self.answers = answers

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


def begun(model: Any, **steering: Any) -> Session:
    limits = Summarizer(timeout_s=1.0) if model is not None else None
    session = opened(settings=settings(steering=Steering(**steering), verifier=limits), verifier=model)
    session.record(user("Report the rows, never in USD."), reply("I will."))
    session._enter(lambda state: e.TaskSet("t1", "Report the rows by region", STEPS))
    session._enter(lambda state: e.StepMoved("fetch rows", "active"))
    return session


def test_verdict_is_entered_after_one_repair() -> None:
    model = Saying("Sure! It is fine.", GOOD)
    session = begun(model)
    judged = session.verify()
    assert (judged.verdict, judged.step, judged.calls, judged.corrections) == ("correct", "fetch rows", 2, ("Add the total.",))
    assert session.state.judged == judged
    assert "could not be used" in model.asked[1][-1].text and "Report the rows by region" in model.asked[0][-1].text


@pytest.mark.parametrize(
    "kind", [models.Silent, models.Truncated, models.TooLong, models.BrokenJson, models.Raising, models.Empty, models.Hanging]
)
def test_malformed_answer_is_no_verdict(kind: type[models.ScriptedModel]) -> None:
    session = begun(kind())
    judged = session.verify()
    assert judged.verdict == "none" and judged.reason and judged.calls <= 2
    assert session.state.judged == judged


def test_no_verifier_enters_nothing() -> None:
    session = begun(None)
    before = session.state.seq
    assert session.verify().verdict == "none"
    assert session.state.seq == before
    session._enter(lambda state: e.TaskEnded("parked"))
    with pytest.raises(NoTask):
        session.verify()


def test_finished_step_is_judged_once_in_maintenance() -> None:
    model = Saying(GOOD)
    session = begun(model)
    session.maintain()
    assert model.asked == []
    session._enter(lambda state: e.StepMoved("fetch rows", "done"))
    session.maintain()
    session.maintain()
    assert len(model.asked) == 1 and session.state.judged is not None and session.state.judged.step == "fetch rows"


def test_condition_is_proved_by_the_verifier() -> None:
    condition = Condition("verifier", "all regions?", value="Are all regions there?")
    assert begun(Saying('{"reason": "yes", "holds": true}')).prove_by_verifier(STEPS[0], condition, "rows").ok is True
    assert begun(Saying("true")).prove_by_verifier(STEPS[0], condition, "rows").ok is None


def test_self_check_gives_corrections() -> None:
    answer = {"remaining": "half", "off_plan": [], "broken": [{"constraint": "never in USD", "why": "totals are"}], "next": "convert"}
    session = begun(Saying(json.dumps(answer)))
    judged = session.self_check()
    assert (judged.kind, judged.verdict, judged.corrections) == ("milestone", "correct", ("never in USD: totals are", "convert"))
    answer["broken"] = []
    assert verdict_of(parse_stock(json.dumps(answer), ())).verdict == "continue"


@pytest.mark.parametrize("text", ["", "continue", '{"verdict": "continue"}', GOOD.replace("correct\"", "go\"", 1), GOOD.replace('["Add the total."]', "[]"), GOOD + " ok", GOOD.replace('"correct"', '"continue"')])  # fmt: skip
def test_malformed_or_contradictory_answers(text: str) -> None:
    with pytest.raises(BadVerdict):
        parse_verdict(text)


def test_side_question_leaves_the_main_line_alone() -> None:
    session = begun(None)
    session.pin("Never in USD", "never")
    before = session.state.seq
    with session.aside("What is the capital of Peru?") as other:
        assert any(pin.text == "Never in USD" for pin in other.state.pins.values())
        assert other.state.task is None
    assert session.state.seq == before and session.sort_message("New task: book a flight").kind == "new_task"


def test_assertion_is_checked_before_anything_runs() -> None:
    session = begun(None, assertion="line")
    assert session.asserted("Step: fetch rows") is not None
    with pytest.raises(OffStep) as caught:
        session.asserted("Step: write report")
    assert "fetch rows" in caught.value.correction
    assert session.state.asserted is not None and not session.state.asserted.ok


def test_short_task_with_checkable_result_needs_nothing() -> None:
    session = begun(None)
    assert session.state.task is not None
    assert not risk_of(session.state.task).recommended
