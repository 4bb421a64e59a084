"""A second model judges: its verdicts are entered, and its failing costs nothing but the record of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.session.cases import opened, reply, settings, user
from trimtab import Session
from trimtab.core import entries as e
from trimtab.core.task import Condition, PlanStep, StepStatus
from trimtab.errors import NoTask, OffStep, ParseError
from trimtab.llm import ChatMessage
from trimtab.session.judging import _MOST_DUE
from trimtab.settings import Steering, Summarizer
from trimtab.steer.interruptions import Sorted
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


MORE = tuple(PlanStep(name, after=(), output=name[-1]) for name in ("part a", "part b", "part c", "part d"))
FINE = '{"reason": "nothing", "verdict": "continue", "corrections": []}'
STOP = '{"reason": "it breaks the rule", "verdict": "terminate", "corrections": []}'
STOCK = '{"remaining": "half", "off_plan": [], "broken": [], "next": "go on"}'
BROKEN = '{"remaining": "half", "off_plan": [], "broken": [{"constraint": "never in USD", "why": "totals are"}], "next": "convert"}'


class Auditor(models.ScriptedModel):
    """Answers each of the two questions for itself, by step where that is given."""

    def __init__(self, verdict: str = FINE, stock: str = STOCK, **by_step: str) -> None:
        super().__init__()
        self.verdict, self.stock, self.by_step = verdict, stock, by_step

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        if "You take stock" in messages[0].text:
            return self.stock
        return next((said for step, said in self.by_step.items() if f"part {step}\noutput" in messages[-1].text), self.verdict)

    @property
    def questions(self) -> list[str]:
        """What was asked, in order: the step that was shown, and "?" before it for the three questions."""
        found = []
        for system, shown in self.asked:
            step = next((row.name for row in (*STEPS, *MORE) if f"{row.name}\noutput" in shown.text), "")
            found.append(("?" if "You take stock" in system.text else "") + step.removeprefix("part "))
        return found


def parts(model: Any, path: Any = ":memory:", **steering: Any) -> Session:
    """A session with a plan of four parts, none of them begun."""
    session = opened(path, settings=settings(steering=Steering(**steering), verifier=Summarizer(timeout_s=1.0)), verifier=model)
    if session.state.task is None:
        session.record(user("Report the rows, never in USD."), reply("I will."))
        session._enter(lambda state: e.TaskSet("t1", "Report the rows by region", MORE))
    return session


def finish(session: Session, *steps: str) -> None:
    for step in steps:
        move(session, f"part {step}", "active")
        session.offload(step, f"the product of {step}")
        move(session, f"part {step}", "done")


def move(session: Session, step: str, to: StepStatus) -> None:
    session._enter(lambda state: e.StepMoved(step, to))


def judged(session: Session) -> tuple[str, str, str]:
    assert session.state.judged is not None
    return session.state.judged.kind, session.state.judged.verdict, session.state.judged.step


def test_a_milestone_and_a_verdict_are_both_asked_for_and_the_finished_step_is_shown() -> None:
    model = Auditor()
    session = parts(model, milestones=1)
    finish(session, "a")
    move(session, "part b", "active")
    session.maintain()
    assert model.questions == ["?a", "a"]
    assert all("the product of a" in shown.text for _, shown in model.asked)
    session.maintain()
    assert len(model.asked) == 2


@pytest.mark.parametrize("milestones", [0, 1, 2])
def test_a_verifier_that_terminates_is_heard_at_a_milestone_too(milestones: int) -> None:
    session = parts(Auditor(STOP), milestones=milestones)
    finish(session, "a")
    session.maintain()
    assert judged(session) == ("verifier", "terminate", "part a")


@pytest.mark.parametrize(
    ("verdict", "stock", "stands"),
    [
        (FINE, STOCK, ("verifier", "continue", "part a")),
        (FINE, BROKEN, ("milestone", "correct", "")),
        (GOOD, BROKEN, ("verifier", "correct", "part a")),
        (STOP, BROKEN, ("verifier", "terminate", "part a")),
        ("?", STOCK, ("milestone", "continue", "")),
    ],
)
def test_the_gravest_of_both_answers_stands(verdict: str, stock: str, stands: tuple[str, str, str]) -> None:
    session = parts(Auditor(verdict, stock), milestones=1)
    finish(session, "a")
    session.maintain()
    assert judged(session) == stands
    rows = [session._lane.decoded(row) for row in session.store.load(session._key) if row.kind == "judged"]
    assert sorted(row.kind for row in rows if isinstance(row, e.Judged)) == ["milestone", "verifier"]


def test_every_finished_step_is_judged_also_where_several_are_due() -> None:
    model = Auditor()
    session = parts(model)
    finish(session, "b", "a", "c")
    session.maintain()
    assert model.questions == ["b", "a", "c"] and judged(session)[2] == "part c"


@pytest.mark.parametrize(("first", "then", "asked"), [("a", "bc", ["?b"]), ("abc", "d", ["?b", "?d"]), ("abcd", "", ["?d"]), ("a", "", [])])
def test_a_milestone_is_not_missed_where_the_count_jumps_over_it(first: str, then: str, asked: list[str]) -> None:
    model = Auditor()
    session = parts(model, milestones=2, verifier=False)
    for steps in (first, then, ""):
        finish(session, *steps)
        session.maintain()
    assert model.questions == asked


def test_what_follows_an_objection_is_judged_once_something_moved() -> None:
    model = Auditor(a=GOOD)
    session = parts(model)
    finish(session, "a", "b")
    session.maintain()
    session.maintain()
    assert model.questions == ["a"] and judged(session) == ("verifier", "correct", "part a")
    model.by_step = {}
    session._enter(lambda state: e.StepMoved("part a", "open", also=("part b",)))
    finish(session, "a", "b")
    session.maintain()
    assert model.questions == ["a", "a", "b"]


def test_what_was_judged_is_known_to_the_next_process(tmp_path: Path) -> None:
    with parts(Auditor(), tmp_path / "db", milestones=1) as session:
        finish(session, "a")
        session.maintain()
    model = Auditor()
    with parts(model, tmp_path / "db", milestones=1) as session:
        move(session, "part b", "active")
        session.maintain()
        assert model.asked == []
        move(session, "part b", "done")
        session.maintain()
        assert model.questions == ["?b", "b"]


def test_a_step_that_was_judged_by_call_is_not_judged_again() -> None:
    model = Auditor()
    session = parts(model, milestones=1)
    finish(session, "a", "b")
    session.verify("part a")
    session.maintain()
    assert model.questions == ["a", "?b", "b"]


def test_a_question_that_was_broken_off_is_put_again() -> None:
    async def broken_off() -> None:
        task = asyncio.ensure_future(session.amaintain())
        while not hanging.asked:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    hanging, model = models.Hanging(), Auditor()
    session = parts(hanging)
    finish(session, "a", "b")
    asyncio.run(broken_off())
    session._verifier = model
    session.maintain()
    assert model.questions == ["a", "b"]


def test_more_than_a_few_at_once_wait_for_the_next_time() -> None:
    plan = tuple(PlanStep(f"step {number}") for number in range(_MOST_DUE + 2))
    session = opened(settings=settings(verifier=Summarizer(timeout_s=1.0)), verifier=(model := Saying(FINE)))
    session._enter(lambda state: e.TaskSet("t1", "Report", plan))
    for step in plan:
        move(session, step.name, "done")
    counts = []
    for _ in range(3):
        session.maintain()
        counts.append(len(model.asked))
    assert counts == [_MOST_DUE, _MOST_DUE + 2, _MOST_DUE + 2]


def test_the_three_questions_by_call_show_what_was_finished_and_before_that_what_is_under_way() -> None:
    model = Auditor()
    session = parts(model)
    move(session, "part a", "active")
    session.self_check()
    move(session, "part a", "done")
    move(session, "part b", "active")
    session.self_check()
    session.verify()
    assert model.questions == ["?a", "?a", "b"]


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


def test_a_message_is_sorted_as_a_text_and_as_a_dict() -> None:
    session = begun(None)
    text = "Can penguins fly?"
    part = {"type": "text", "text": text}
    forms: list[Any] = [text, user(text), {"role": "user", "content": [part]}]
    assert [session.sort_message(form).kind for form in forms] == ["side_question"] * 3
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]}
    assert (session.sort_message(image).kind, session.sort_message("").why) == ("input", "it has no text")
    session.record(reply("Row 7 is Penguins Ltd."))
    assert session.sort_message(text).kind == "input"


@pytest.mark.parametrize("value", [None, 5, ["x"], b"x", reply("Paris."), {}, {"role": "tool", "tool_call_id": "c", "content": "x"}])
def test_what_no_user_said_is_neither_sorted_nor_answered(value: Any) -> None:
    session = begun(None)
    with pytest.raises(ParseError):
        session.sort_message(value)
    with pytest.raises(ParseError):
        session.aside(value)


def test_a_side_question_without_words_opens_no_lane() -> None:
    session = begun(None)
    for text in ("", " \n", user("")):
        with pytest.raises(ParseError, match="pass what the user asks"):
            session.aside(text)
    assert [key.lane_id for key in session.store.lanes("default", "default", "s")] == ["main"]
    with session.aside(user("What is the capital of Peru?")) as other:
        assert "capital of Peru" in other.prompt().render_bytes().decode()


def test_a_model_is_asked_where_code_is_not_sure() -> None:
    model = Saying('{"reason": "the task is on birds", "kind": "input"}')
    session = begun(model)
    assert session.sort_message("Can penguins fly?") == Sorted("input", "the task is on birds")
    assert len(model.asked) == 1 and session.sort_message("How many rows are there?").sure and len(model.asked) == 1


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
