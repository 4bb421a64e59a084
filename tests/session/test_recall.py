"""recall: what a session finds, from outside a prompt and for a step's prompt; what is stored for it through all that happens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.session.cases import opened, reply, round_of, settings, user
from tests.session.recalls import filled, sent, texts
from trimtab import Session
from trimtab.errors import BadNeed, BadSetting
from trimtab.recall.needs import Need
from trimtab.session import clock
from trimtab.stores import Store, open_store

DAY_MS = 86_400_000
NOW_MS = int(datetime(2026, 3, 20, 12, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time, which the test moves by setting its one element."""
    at = [NOW_MS]
    monkeypatch.setattr(clock, "now_ms", lambda: at[0])
    return at


# ---------------------------------------------------------------- from outside


def test_a_question_in_plain_words_finds_the_turn_with_all_there_is_to_know_of_it() -> None:
    with opened() as s:
        s.record(user("The rent for the workshop is 840 euros a month."), reply("Noted."))
        s.record(user("The van needs new tires."), reply("I will look for some."))
        report = s.recall("How much is the rent for the workshop?", explain=True)
    best = report.turns[0]
    assert best.text == "user: The rent for the workshop is 840 euros a month.\nassistant: Noted."
    assert (best.rank, best.session_id, best.lane_id, best.role) == (1, "s", "main", "user")
    assert best.first_seq < best.last_seq and best.at_ms > 0 and best.why_not == ""
    assert best.score == pytest.approx(sum(best.parts.values()), abs=0.01) and best.parts["words"] > 0
    assert best.tags["topic"]
    assert (report.missing, report.searched) == ("off", 2)
    assert report.need.kind == "how_much" and report.need.guessed


def test_a_turn_is_found_as_soon_as_it_is_answered_and_one_that_is_under_way_is_not_cut_in_two() -> None:
    with opened() as s:
        s.record(user("Is the gazebo ready?"))
        assert s.recall("gazebo").turns == ()
        s.record(reply("The gazebo is painted."))
        assert len(s.recall("gazebo").turns) == 1
        s.record(user("And the pergola?"), *round_of("openai_chat", 1, 3)[1:3])
        assert s.recall("pergola").turns == ()
        s.record(reply("The pergola too."))
        assert texts(s.recall("pergola")) == ["user: And the pergola?\nassistant: The pergola too."]


def test_the_time_of_a_question_bounds_the_turns(now: list[int]) -> None:
    with opened() as s:
        now[0] = NOW_MS - 10 * DAY_MS
        s.record(user("The fee is 12 euros."), reply("Noted."))
        now[0] = NOW_MS - DAY_MS
        s.record(user("The fee is 15 euros."), reply("Noted."))
        now[0] = NOW_MS
        s.record(user("The fee is 18 euros."), reply("Noted."))
        assert ["15" in text for text in texts(s.recall("What did I say about the fee yesterday?"))] == [True]
        since = datetime.fromtimestamp((NOW_MS - 11 * DAY_MS) / 1000, UTC)
        bounds = [since.date().isoformat(), (since + timedelta(days=3)).date().isoformat()]
        assert ["12" in text for text in texts(s.recall({"words": "fee", "time_range": bounds}))] == [True]
        assert ["12" in text for text in texts(s.recall({"time_range": bounds}))] == [True]
        assert s.recall({"words": "fee", "time_range": [1, 2]}).turns == ()


def test_before_we_switched_is_before_the_decision(now: list[int]) -> None:
    with opened() as s:
        now[0] = NOW_MS - 5 * DAY_MS
        s.record(user("The export took 40 minutes."), reply("That is slow."))
        now[0] = NOW_MS - 4 * DAY_MS
        s.record(user("We decided to switch to Parquet for the export files."), reply("Good."))
        assert any(item.field == "decision" for item in s.state.items.values())
        now[0] = NOW_MS - DAY_MS
        s.record(user("The export took 3 minutes."), reply("Much better."))
        now[0] = NOW_MS
        before = texts(s.recall("How long did the export take before we switched to Parquet?"))
        after = texts(s.recall("How long did the export take after we switched to Parquet?"))
    assert any("40 minutes" in text for text in before) and not any("3 minutes" in text for text in before)
    assert any("3 minutes" in text for text in after) and not any("40 minutes" in text for text in after)


def test_roles_are_a_wish() -> None:
    with opened() as s:
        s.record(user("The harbor opens at six."), reply("Good."))
        s.record(user("Fine."), reply("The harbor closes at nine."))
        assert len(s.recall(Need("harbor", roles=("assistant",))).turns) == 2


def test_what_says_nothing_is_refused_and_a_scope_that_does_not_exist() -> None:
    with opened() as s:
        nothing: list[Any] = ["", "   ", {}]
        for query in nothing:
            with pytest.raises(BadNeed):
                s.recall(query)
        with pytest.raises(BadNeed, match="weight"):
            s.recall({"words": "x", "weight": 1})
        with pytest.raises(BadSetting, match="lane, session, project"):
            s.recall("x", scope="world")
        assert s.recall("nothing at all").turns == ()


def test_explain_tells_why_others_lost() -> None:
    with opened() as s:
        for number in range(6):
            s.record(user(f"The lighthouse keeper number {number} has {number} oars."), reply("ok"))
        s.record(user("The lighthouse keeper has a dog called Rex."), reply("ok"))
        s.record(user("The lighthouse keeper has a dog called Rex."), reply("ok"))
        report = s.recall("lighthouse keeper dog Rex", 2, explain=True)
    assert "Rex" in report.turns[0].text
    assert len(report.turns) == 2 and [turn.rank for turn in (*report.turns, *report.lost)] == list(range(1, 3 + len(report.lost)))
    assert f"repeats {report.turns[0].last_seq}" in [turn.why_not for turn in report.lost]
    assert "rank" in [turn.why_not for turn in report.lost]
    assert all(turn.why_not == "" for turn in report.turns)
    with opened() as s:
        s.record(user("One thing."), reply("ok"))
        assert s.recall("thing").lost == ()


# ---------------------------------------------------------------- branches and lanes


def test_what_a_rollback_left_behind_is_not_found_and_takes_no_place() -> None:
    with opened() as s:
        s.record(user("The anchor weighs 90 kilos."), reply("ok"), user("go on"))
        s.checkpoint("c")
        for number in range(8):
            s.record(reply("done"), user(f"The anchor weighs {number} kilos, the anchor weighs it."))
        s.rollback("c")
        s.record(reply("ok"), user("And now?"))
        assert texts(s.recall("How much does the anchor weigh?", 3)) == ["user: The anchor weighs 90 kilos.\nassistant: ok"]


def test_a_turn_whose_newer_twin_is_on_another_branch_is_found() -> None:
    with opened() as s:
        first = [user("Where do we keep the spare propeller these days?"), reply("In the boat shed behind the harbor office, left.")]
        again = [first[0], reply("In the boat shed behind the harbor office, left!")]
        s.sync([*first, user("Thanks")])
        s.sync([*again, user("Thanks")])
        assert texts(s.recall("spare propeller")) == [f"user: {again[0]['content']}\nassistant: {again[1]['content']}"]
        s.sync([*first, user("Thanks"), reply("Welcome"), user("Bye")])
        assert texts(s.recall("spare propeller")) == [f"user: {first[0]['content']}\nassistant: {first[1]['content']}"]


def test_an_answer_that_went_on_after_a_rollback_is_found_once() -> None:
    with opened() as s:
        s.record(user("Tell me of the quokka."), reply("The quokka is a marsupial."))
        s.checkpoint("c")
        s.record(user("Thanks."), reply("ok"))
        s.rollback("c")
        s.record(reply("A quokka weighs four kilos."), user("Thanks."))
        for query in ("quokka", "quokka marsupial", "quokka kilos"):
            assert sum("marsupial" in text for text in texts(s.recall(query))) == 1


def two_sessions(store: Store) -> Iterator[Session]:
    for name, lane, private, text in (
        ("s", "main", False, "The tunnel is 410 meters long."),
        ("s", "helper", False, "The tunnel has two lamps a meter."),
        ("s", "hidden", True, "The tunnel code is 7711."),
        ("other", "main", False, "The tunnel was dug by hand."),
    ):
        session = Session.open(store, name, lane=lane, private=private, settings=settings())
        session.record(user(text), reply("ok"), user("next"))
        yield session


def test_the_scope_is_the_lane_the_session_or_the_project_and_private_lanes_are_their_own() -> None:
    main, helper, hidden, _ = two_sessions(open_store(":memory:"))
    places = {
        scope: sorted((turn.session_id, turn.lane_id) for turn in main.recall("tunnel", scope=scope).turns)
        for scope in ("lane", "session", "project", "")
    }
    assert places["lane"] == [("s", "main")]
    assert places["session"] == places[""] == [("s", "helper"), ("s", "main")]
    assert places["project"] == [("other", "main"), ("s", "helper"), ("s", "main")]
    assert ("s", "hidden") in [(turn.session_id, turn.lane_id) for turn in hidden.recall("tunnel").turns]
    assert "tunnel has two lamps" in helper.recall("lamps", scope="lane").turns[0].text


def test_an_abandoned_branch_of_another_lane_is_not_shown() -> None:
    store = open_store(":memory:")
    main, helper = (Session.open(store, "s", lane=lane, settings=settings()) for lane in ("main", "helper"))
    helper.record(user("start"))
    helper.checkpoint("c")
    helper.record(reply("The well is 30 meters deep."), user("next"))
    assert len(main.recall("well").turns) == 1
    helper.rollback("c")
    assert main.recall("well").turns == ()
    helper.record(reply("The well is 20 meters deep."), user("next"))
    assert texts(main.recall("well")) == ["user: start\nassistant: The well is 20 meters deep."]


def test_a_prompt_brings_what_another_lane_said_before_anything_has_left_its_own() -> None:
    store = open_store(":memory:")
    helper = Session.open(store, "s", lane="helper", settings=settings(mode="retrieval"))
    helper.record(user("The spillway opens at 62 meters."), reply("ok"), user("next"))
    with opened(store, settings=settings(mode="retrieval")) as s:
        s.record(user("At what level does the spillway open?"))
        assert "62 meters" in sent(s)
    with opened(store, lane="third", settings=settings(mode="retrieval", recall_scope="lane")) as s:
        s.record(user("At what level does the spillway open?"))
        assert "62 meters" not in sent(s)


# ---------------------------------------------------------------- for a step


@pytest.mark.parametrize("mode", ["compact", "hierarchical", "retrieval"])
def test_a_step_brings_what_it_declared_for_its_prompts_only(mode: Any) -> None:
    with opened(settings=settings(8_000, mode=mode)) as s:
        s.record(user("The boiler inspection was moved, as the plumber was ill and the cat slept on the papers."), reply("I see."))
        filled(s)
        assert "plumber was ill" not in sent(s)
        s.begin_step("plan", needs=["Why was the boiler inspection moved?"])
        assert "plumber was ill" in sent(s)
        number = s.last_request
        assert "plumber was ill" in sent(s) and s.last_request == number
        s.record(reply("Planned."))
        assert "plumber was ill" in sent(s)
        s.begin_step("other")
        assert "plumber was ill" not in sent(s)
        s.begin_step("plan", needs=[{"words": "boiler inspection", "kind": "why"}])
        assert "plumber was ill" in sent(s)
        s.end_step()
        assert "plumber was ill" not in sent(s)


def test_a_step_of_an_agent_whose_question_has_left_brings_what_it_needs() -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        s.record(user("The kiln fires at 1,240 degrees, said the potter with the green hat."), reply("ok"))
        filled(s)
        s.begin_step("fire", needs=["potter kiln"])
        assert "green hat" in sent(s)
        for number in range(30, 50):
            s.record(*round_of("openai_chat", number, 60)[1:])
            assert "green hat" in sent(s)


def test_what_the_model_says_it_needs_is_brought() -> None:
    with opened(settings=settings(8_000, mode="retrieval")) as s:
        s.record(user("The password hint is the name of my first parrot, the gray one."), reply("ok"))
        filled(s)
        s.record(user("Write the letter."))
        assert "gray one" not in sent(s)
        s.record(reply("I look it up.\nNeed: the password hint with the parrot\n"))
        assert "gray one" in sent(s)
        s.record(user("Never mind."))
        assert "gray one" not in sent(s)
