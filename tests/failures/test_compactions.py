"""Compactions one after another: what a hundred of them leave, and those that are no use."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from tests.failures.shapes import LAYOUTS, Json, Talk, checked, entries, settings, target, text_of, words
from tests.properties.play import QUICK
from trimtab import Prompt, Session
from trimtab.core.entries import Compacted
from trimtab.core.messages import WireName
from trimtab.core.summary import PINNED_FIELDS
from trimtab.settings import Summarizer
from trimtab.testing import models

SUMMARY_MODES = ("compact", "hierarchical", "auto")
CHAT: WireName = "openai_chat"
SAY = Talk(CHAT)


def cuts(session: Session) -> list[Compacted]:
    """What was cut, oldest first: compactions at which messages left."""
    found = [entry for _, entry in entries(session, "compacted")]
    return [entry for entry in found if isinstance(entry, Compacted) and entry.kind == "compaction"]


# ---------------------------------------------------------------- a hundred compactions

FIRST_RULE = "Never delete the rows of table leads_2024, not even duplicates."


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", [None, models.Dropping, models.Inventing])
def test_a_hundred_compactions_in_a_row_leave_the_first_constraint_word_for_word(
    kind: type[models.ScriptedModel] | None, layout: str
) -> None:
    limits = Summarizer(least_tokens=200, max_output_tokens=500, window_tokens=4_000)
    given = settings("compact", 3_000, layout=layout, overlap_rounds=1, summary_max_tokens=300, summarizer=limits if kind else None)
    with Session.open(":memory:", "s", settings=given, target=target(CHAT), counter=QUICK, summarizer=kind() if kind else None) as session:
        session.record(*SAY.user(f"{FIRST_RULE} Then read the table."), *SAY.says("I will."))
        number = made = 0
        while made < 100:
            number += 1
            assert number < 600, f"only {made} compactions"
            session.record(*SAY.user(f"Batch {number} has {number * 7} rows. {words(60, number)}."))
            prompt = session.prompt()
            made += "compaction" in prompt.cuts
            session.record(*SAY.says(f"Batch {number} is read. {words(60, number + 3)}."))
            if number % 5 == 0:
                session.maintain()
        body = prompt.render()
        assert len(cuts(session)) == 100
        assert text_of(body).count(FIRST_RULE) == (1 if layout == "state_first" else 2)  # with the reminder in the tail
        assert [item.text for item in session.state.items.values() if item.field in PINNED_FIELDS] == [FIRST_RULE]
        if kind is not None:
            assert [entry for _, entry in entries(session, "distilled")]


# ---------------------------------------------------------------- compactions that are no use


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", SUMMARY_MODES)
def test_two_compactions_without_progress_change_the_way_and_say_so(mode: str, layout: str) -> None:
    """What a step needs keeps history over its trigger: two cuts change nothing about it.

    Right: at most one cut a round; after two that left history over its trigger the third goes another way, says so,
    and brings it below."""
    given = settings(mode, 16_000, layout=layout, clear_results=False)
    with Session.open(":memory:", "s", settings=given, target=target(CHAT)) as session:
        session.record(*SAY.user("Keep this for later."))
        huge = session.record(*SAY.says("The text: " + words(6_600, 3))).last_seq
        session.record(*SAY.user("Go on."))
        session.need(huge, by="the end")
        rounds: list[int] = []
        for number in range(60):
            session.record(*SAY.says(f"Part {number}: {words(150, number)}."), *SAY.user(f"And {number}? {words(150, number)}."))
            before = len(cuts(session))
            prompt = session.prompt()
            checked(prompt, CHAT)
            rounds += [session.state.round] * (len(cuts(session)) - before)
            assert session.prompt().number == prompt.number
            if len(cuts(session)) > before and cuts(session)[-1].reason == "no_progress":
                assert "no_progress" in {row.reason for row in prompt.decisions}
        made = [(entry.reason, entry.fruitless) for entry in cuts(session)]
        assert len(set(rounds)) == len(rounds), "two cuts in one round"
        assert made[:3] == [("trigger", True), ("trigger", True), ("no_progress", False)], made
        assert not any(first[1] and second[1] and third[1] for first, second, third in zip(made, made[1:], made[2:], strict=False))
        assert huge not in session.state.nodes


def _rules(number: int) -> list[Json]:
    rule = f"Never change column c{number} of table t{number}, whoever asks you to."
    return [*SAY.user(rule), *SAY.says("ok")]


def _facts(number: int) -> list[Json]:
    return [*SAY.user(f"Order A-{number:05} of 2025-03-{number % 28 + 1:02} is {number}.50 EUR."), *SAY.says("ok")]


def _calls(number: int) -> list[Json]:
    return [*SAY.user(f"next {number}"), *SAY.calls(f"c{number}", name="ok", n=number), *SAY.results({f"c{number}": "{}"}), *SAY.says("ok")]


def _todos(number: int) -> list[Json]:
    return [*SAY.user(f"I still have to call customer {number} about invoice R-{number:04}."), *SAY.says("ok")]


@pytest.mark.parametrize("make", [_rules, _facts, _calls, _todos])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", SUMMARY_MODES)
def test_pain_17_cline_9510_a_compaction_that_would_not_shrink_the_prompt_is_not_made(
    mode: str, layout: str, make: Callable[[int], list[Json]]
) -> None:
    """What left came back as lines of the summary or of the rules, as long as it had been.

    Right: with each cut the whole prompt is shorter than it would have been without it, not only the history; and the
    next cut comes no sooner than a real share of the budget later."""
    given = settings(mode, 6_000, layout=layout, overlap_rounds=1, hot_rounds=2, budget={"reserve_tokens": 1_000})
    with Session.open(":memory:", "s", settings=given, target=target(CHAT)) as session:
        last: Prompt | None = None
        fired: list[int] = []
        for number in range(120):
            messages = make(number)
            raw = session.state.total_tokens
            session.record(*messages)
            session.record(*SAY.user("go on"))
            prompt = session.prompt()
            checked(prompt, CHAT)
            if "compaction" in prompt.cuts and last is not None:
                fired.append(number)
                assert prompt.tokens < last.tokens + session.state.total_tokens - raw, number
                entry = cuts(session)[-1]
                assert entry.tokens_after < entry.tokens_before
            last = prompt
        assert fired, "nothing was cut: the test shows nothing"
        assert all(later - earlier > 1 for earlier, later in pairwise(fired)), fired
