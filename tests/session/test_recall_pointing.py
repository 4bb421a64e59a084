"""recall of what is pointed at: the second option, just now, what was said then; and of what other lanes have just said."""

from __future__ import annotations

import sys

import pytest

from tests.session.cases import opened, reply, user
from tests.session.recalls import texts, use
from trimtab import Session
from trimtab.errors import NotFound
from trimtab.recall.needs import Need
from trimtab.session.searching import Searcher
from trimtab.stores import Batch, LaneKey, Scope, SqliteStore, Turn, open_store
from trimtab.testing.embedders import WordsEmbedder
from trimtab.tools import Toolset

GARDEN = "For the garden we could take:\n1. A pond\n2. A hedge\n3. A gazebo"
KITCHEN = "For the kitchen:\n- White tiles\n- Cork"


def talked() -> Session:
    s = opened()
    s.record(user("Let us plan the garden."), reply(GARDEN))
    s.record(user("Now the kitchen."), reply(KITCHEN))
    s.record(user("The van needs tires. My list: 1. front 2. rear"), reply("I will look."))
    return s


# ---------------------------------------------------------------- the n-th of several


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("What was the second option you gave?", "Cork"),
        ("What was the third option you gave?", "A gazebo"),
        ("What was the second option for the garden that you gave?", "A hedge"),
        ("What was the last option you listed for the garden?", "A gazebo"),
        ("What was the second option you gave for the bathroom?", "Cork"),
    ],
)
def test_the_option_that_a_question_means(question: str, item: str) -> None:
    with talked() as s:
        best = s.recall(question).turns[0]
        assert best.item == item and item in best.text
        assert best.score == pytest.approx(sum(best.parts.values()), abs=0.01)


def test_the_option_in_chinese() -> None:
    with opened() as s:
        s.record(user("花园怎么办?"), reply("方案一：挖池塘\n方案二：种树篱"))
        s.record(user("车要换轮胎。"), reply("好的。"))
        assert s.recall("你给的第二个方案是什么").turns[0].item == "种树篱"


def test_whose_list_is_for_the_question_to_say() -> None:
    with talked() as s:
        assert s.recall(Need(words="list", ordinal=2, roles=("user",))).turns[0].item == "rear"
        assert s.recall(Need(words="garden", ordinal=1)).turns[0].item == "A pond"
        assert [turn.item for turn in s.recall(Need(words="garden", ordinal=9)).turns if turn.item] == []


def test_of_lists_that_fit_alike_the_newest_is_meant() -> None:
    with talked() as s:
        s.record(user("The garden again."), reply("Garden:\n1. Roses\n2. Herbs"))
        s.record(user("Fine."), reply("Good."))
        assert s.recall("What was the second option for the garden that you gave?").turns[0].item == "Herbs"


def test_an_agent_is_told_the_item() -> None:
    with talked() as s:
        found = s.find("What was the second option for the garden that you gave?", kinds=["turn"])
        assert found[0].item == "A hedge"
        assert "the one that is meant: A hedge" in Toolset(s).run("query_memory", {"query": "What was the second garden option you gave?"})


# ---------------------------------------------------------------- just now, and then


@pytest.mark.parametrize("question", ["What did we discuss just now?", "刚才说的是什么？"])
def test_just_now_is_the_newest(question: str) -> None:
    with talked() as s:
        assert [text.splitlines()[0] for text in texts(s.recall(question))] == [
            "user: The van needs tires. My list: 1. front 2. rear",
            "user: Now the kitchen.",
            "user: Let us plan the garden.",
        ]
        assert s.recall(question).turns[0].parts == {"newest": 1.0}


def test_a_time_alone_gives_the_newest_of_then_however_long_ago() -> None:
    store = SqliteStore(":memory:")
    rows = [Turn(at, at, at, at * 1_000, "user", f"word{at}") for at in range(1, 201)]
    store.commit(LaneKey("t", "p", "s"), Batch(turns=rows), 0)
    found = Searcher(store).search(Scope("t", "p"), Need(time_range=(3_000, 8_000)), 3)
    assert [match.turn.turn_id for match in found.matches] == [7, 6, 5]
    assert found.turn_count == 200


# ---------------------------------------------------------------- explained


def test_what_was_refused_is_among_the_lost_with_why() -> None:
    with talked() as s:
        s.checkpoint("here")
        s.record(user("The garden has moles."), reply("Oh."))
        s.record(user("Really."), reply("Yes."))
        s.rollback("here")
        report = s.recall("garden", explain=True)
        whys = {turn.text.splitlines()[0] if turn.text else "": turn.why_not for turn in report.lost}
        assert "another branch" in whys.values() and "shares nothing" in whys.values()
        assert not any("moles" in text for text in texts(report))


# ---------------------------------------------------------------- other lanes


def test_the_last_turn_of_a_lane_that_finished_is_seen_by_others_once_it_is_maintained() -> None:
    store = open_store(":memory:")
    with Session.open(store, "s", lane="b") as other:
        lane = Session.open(store, "s", lane="a")
        lane.record(user("The gazebo is painted green."), reply("Noted."))
        lane.maintain()
        assert texts(other.recall("gazebo")) == ["user: The gazebo is painted green.\nassistant: Noted."]
        lane.close()
        before = store.head(LaneKey("default", "default", "s", "a"))
        lane.close()
        assert store.head(LaneKey("default", "default", "s", "a")) == before
    store.close()


def test_a_literal_of_another_lane_is_found_and_can_be_read() -> None:
    store = open_store(":memory:")
    with Session.open(store, "s", lane="a") as lane, Session.open(store, "s", lane="b") as other:
        lane.record(user("The order is CT-88213."), reply("Noted: CT-88213 is paid."))
        found = {row.ref: row.text for row in other.find("CT-88213")}
        assert set(found) == {"s/a#2", "s/a#4"}
        assert other.read("s/a#2") == "The order is CT-88213."
        assert other.read("s/a#2", chars=(4, 9)) == "order"
        tools = Toolset(other)
        assert "s/a#2" in tools.run("query_memory", {"query": "CT-88213"})
        assert "The order is CT-88213." in tools.run("read_variable", {"name": "s/a#2"})
        with pytest.raises(NotFound):
            other.read("s/a#99")
        with pytest.raises(NotFound):
            other.read("s/none#2")
    store.close()


def test_a_private_lane_is_neither_found_nor_read() -> None:
    store = open_store(":memory:")
    with Session.open(store, "s", lane="a", private=True) as lane, Session.open(store, "s", lane="b") as other:
        lane.record(user("The order is CT-88213."), reply("Noted."))
        assert other.find("CT-88213") == ()
        with pytest.raises(NotFound):
            other.read("s/a#2")
        assert lane.read("s/a#2") == lane.read("#2") == "The order is CT-88213."
        assert [row.ref for row in lane.find("CT-88213", kinds=["message"])] == ["#2"]
    store.close()


def test_where_recall_does_not_look_nothing_is_read() -> None:
    store = open_store(":memory:")
    with Session.open(store, "one") as first, Session.open(store, "two") as second:
        first.record(user("The order is CT-88213."))
        assert second.find("CT-88213") == ()
        with pytest.raises(NotFound):
            second.read("one/main#2")
        # a variable of such a name is the variable
        second.offload("one/main#2", "mine")
        assert second.read("one/main#2") == "mine"
    store.close()


# ---------------------------------------------------------------- without numpy


def test_an_embedder_without_numpy_leaves_recall_by_words_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, WordsEmbedder())
    with talked() as s:
        s.maintain()
        monkeypatch.delitem(sys.modules, "trimtab.recall.vectors", raising=False)
        monkeypatch.setitem(sys.modules, "numpy", None)
        report = s.recall("garden")
        assert "garden" in report.turns[0].text
        assert "numpy" in report.missing and "pip install 'trimtab[local]'" in report.missing
        s.prompt()
