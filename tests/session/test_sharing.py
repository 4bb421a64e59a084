"""Several agents on one task: lanes of one session that take in what the others know."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.session.cases import opened, reply, round_of, settings, text_of, user
from trimtab import Session
from trimtab.core.entries import ItemsChanged, MessageAdded, Shared, decode_entry
from trimtab.core.summary import ItemChanges, SummaryItem
from trimtab.errors import NotFound
from trimtab.stores import LaneKey, Store, open_store
from trimtab.tools import Toolset

RULE = "Never touch the billing table."
FACT = "The invoice number is INV-20931."


def lane(store: Store | Path, name: str, **changes: Any) -> Session:
    changes.setdefault("shares", True)
    return opened(store, lane=name, **changes)


def texts(session: Session) -> list[str]:
    return [item.text for item in session.state.items.values()]


def shared_entries(store: Store, name: str) -> list[Shared]:
    rows = store.load(LaneKey("default", "default", "s", name))
    return [entry for row in rows if isinstance(entry := decode_entry(row.data), Shared)]


def test_a_lane_takes_in_rules_notes_meta_notes_and_variables_before_its_prompt() -> None:
    store = open_store(":memory:")
    with lane(store, "writer") as writer, lane(store, "researcher") as researcher:
        researcher.record(user(RULE), reply("Understood."))
        researcher.write_note("plan", "first the archive")
        researcher.meta_note("terms", text="A lead is a company that wrote to us.")
        researcher.offload("orders", [{"id": 1}, {"id": 2}])
        item = researcher.note_item("fact", FACT)
        writer.record(user("Write the report."))
        prompt = text_of(writer.prompt())
        assert RULE in prompt and FACT in prompt and "A lead is a company" in prompt
        assert "Understood." not in prompt, "a message of the other lane came over"
        assert writer.read_note("researcher/plan") == "first the archive"
        assert writer.read("researcher/orders", path="$[1].id") == 2
        mine = writer.state.items["p1-" + item.item_id]
        assert (mine.origin, mine.source_ids, mine.author) == ("s/researcher", item.source_ids, "agent")
        assert writer.lineage(mine.item_id).item.origin == "s/researcher"
        assert any(hit.ref == mine.item_id for hit in writer.find("INV-20931"))


@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_what_comes_later_is_told_in_the_next_prompt_of_both_layouts(layout: Any) -> None:
    store = open_store(":memory:")
    conf = settings(8_000, mode="compact", layout=layout)
    with lane(store, "writer", settings=conf) as writer, lane(store, "researcher") as researcher:
        for number in range(1, 20):
            writer.record(*round_of("openai_chat", number, 60))
            writer.prompt()
        assert writer.compactions()
        researcher.record(user(RULE))
        item = researcher.note_item("fact", FACT)
        writer.record(user("Go on."))
        prompt = text_of(writer.prompt())
        assert RULE in prompt and FACT in prompt
        researcher.note_item("fact", "It is INV-20932 after all.", closes=[item.item_id])
        writer.record(reply("ok"), user("And now?"))
        prompt = text_of(writer.prompt())
        assert FACT not in prompt and "INV-20932" in prompt
        # and past requests are rebuilt as they were
        assert FACT in text_of(writer.request(writer.last_request - 1))


def test_the_same_prompt_again_is_the_same_request_and_nothing_is_taken_twice() -> None:
    store = open_store(":memory:")
    with lane(store, "writer") as writer, lane(store, "researcher") as researcher:
        researcher.record(user(RULE))
        writer.record(user("Hello"))
        first = writer.prompt()
        assert writer.prompt().number == first.number
        seq = writer.state.seq
        researcher.record(reply("Nothing that anyone must know, just talk."))
        assert writer.take_in() == ()
        assert writer.state.seq == seq
    assert len(shared_entries(store, "writer")) == 1


def test_a_rule_that_is_replaced_in_one_lane_is_replaced_in_all() -> None:
    store = open_store(":memory:")
    with lane(store, "a") as a, lane(store, "b") as b, lane(store, "c") as c:
        b.record(user("We decided: the refund window is 30 days."))
        for one in (a, c):
            one.take_in()
        a.record(user("Actually, make the refund window 45 days instead of 30."))
        assert len(texts(a)) == 1, "extraction did not see the change"
        for one in (b, c, b, c):
            one.take_in()
        assert texts(a) == texts(b) == texts(c) == ["Actually, make the refund window 45 days instead of 30."]


def test_an_item_that_is_withdrawn_where_it_came_in_ends_everywhere_and_a_rollback_brings_it_back() -> None:
    store = open_store(":memory:")
    with lane(store, "a") as a, lane(store, "b") as b, lane(store, "c") as c:
        b.record(user(RULE))
        a.take_in(), c.take_in()
        a.checkpoint("before")
        (item_id,) = a.state.items
        a.withdraw(item_id)
        c.take_in(), b.take_in(), a.take_in(), c.take_in()
        assert not texts(a) and not texts(b) and not texts(c)
        a.rollback("before")
        for _ in range(2):
            b.take_in(), a.take_in(), c.take_in()
        assert texts(a) == texts(b) == texts(c) == [RULE]


def test_what_a_peer_rolls_back_leaves_again() -> None:
    store = open_store(":memory:")
    with lane(store, "a") as a, lane(store, "b") as b:
        a.checkpoint("start")
        a.record(user(RULE))
        a.write_note("n", 1)
        a.meta_note("m", text="terms")
        a.offload("v", "text of it")
        b.take_in()
        assert texts(b) == [RULE] and b.read_note("a/n") == 1
        a.rollback("start")
        b.take_in()
        assert not b.state.items and not b.state.variables and not b.state.meta_notes
        with pytest.raises(NotFound):
            b.read_note("a/n")


def test_what_two_lanes_were_told_both_stands_once() -> None:
    store = open_store(":memory:")
    with lane(store, "a") as a, lane(store, "b") as b, lane(store, "c") as c:
        for one in (a, b):
            one.record(user(RULE))
        for one in (a, b, c, a, b, c):
            one.take_in()
        assert texts(a) == texts(b) == texts(c) == [RULE]
        # and where one of them takes it back, it is over for all
        a.withdraw(next(iter(a.state.items)))
        for one in (b, c, a, b, c):
            one.take_in()
        assert texts(a) == texts(b) == texts(c) == []


def test_a_proposal_of_an_agent_is_no_rule_for_others() -> None:
    store = open_store(":memory:")
    with lane(store, "a") as a, lane(store, "b") as b:
        proposed = SummaryItem("n1", "decision", "We use Postgres.", (), author="some-model")
        a._enter(lambda state: ItemsChanged(ItemChanges((proposed,))))
        a.write_note("decision/db", "We use Postgres.")
        b.record(user("Hello"))
        assert "We use Postgres." not in text_of(b.prompt()).split("trimtab:summary")[0]
        assert b.state.items["p1-n1"].field == "fact"


def test_a_private_lane_shows_only_what_it_gives() -> None:
    store = open_store(":memory:")
    with lane(store, "a", private=True) as a, lane(store, "b") as b:
        a.record(user(RULE), user("My salary is 4,200 EUR."))
        a.write_note("diary", "secret")
        a.write_note("plan", "open")
        a.offload("v", "private text")
        assert b.take_in() == ()
        item_id = next(item.item_id for item in a.state.items.values() if item.text == RULE)
        a.share(item_id, "plan", f"#{a.state.head}")
        b.take_in()
        assert texts(b) == [RULE]
        assert sorted(b.state.notes) == [f"a/#{a.state.head}", "a/plan"]
        assert b.read_note(f"a/#{a.state.head}") == "user: My salary is 4,200 EUR."
        assert not b.state.variables
        with pytest.raises(NotFound, match="item, note or variable"):
            a.share("nothing of that name")
        with pytest.raises(NotFound):
            a.share(999)
        # it takes in what the others know all the same
        b.write_note("x", 1)
        a.take_in()
        assert a.read_note("b/x") == 1
    with lane(store, "a", private=False):
        pass
    with lane(store, "b") as b:
        b.take_in()
        assert b.read_note("a/diary") == "secret" and b.read("a/v") == "private text"
    with lane(store, "a", private=True), lane(store, "b") as b:
        b.take_in()
        assert "a/v" not in b.state.variables and texts(b) == [RULE]


def test_a_lane_of_its_own_takes_nothing_in() -> None:
    store = open_store(":memory:")
    with lane(store, "a") as a, lane(store, "b", shares=False) as b:
        a.record(user(RULE))
        b.record(user("Hello"))
        b.prompt()
        b.maintain()
        assert not b.state.items
        a.maintain()
    with opened(store, "another", shares=True) as other:
        other.take_in()
        assert not other.state.items


def test_names_do_not_collide() -> None:
    store = open_store(":memory:")
    with lane(store, "x/y") as one, lane(store, "x") as two, lane(store, "z") as three, lane(store, "#7") as four:
        one.write_note("n", "one")
        two.write_note("y/n", "two")
        three.write_note("x/n", "three's own")
        two.write_note("n", "two's n")
        four.offload("v", "four")
        three.take_in()
        values = {key: three.read_note(key) for key in three.state.notes}
        assert values == {"x/n": "three's own", "x/n (2)": "two's n", "x/y/n": "two", "x/y/n (2)": "one"}
        assert three.read("7/v") == "four"


def test_the_same_text_of_two_agents_is_stored_once(tmp_path: Path) -> None:
    # no two of its words are alike, so that nothing is gained by packing, and none is an identifier to be indexed
    letters = str.maketrans("0123456789abcdef", "ghijklmnopqrstuv")
    page = " ".join(sha256(str(number).encode()).hexdigest().translate(letters) for number in range(6_000))
    path = tmp_path / "db"
    with lane(path, "a") as a:
        a.record(user("Read it."), user(page))
        a.offload("page", page)
        first = a.store.size_bytes()
        with lane(path, "b") as b:
            b.record(user("Read it too."), user(page))
            b.take_in()
            assert b.read("a/page") == page
            assert b.store.size_bytes() - first < len(page) / 4


def test_no_message_is_counted_twice() -> None:
    store = open_store(":memory:")
    with lane(store, "a") as a, lane(store, "b") as b:
        for number in range(1, 6):
            a.record(*round_of("openai_chat", number, 20))
            b.take_in()
        rows = store.load(LaneKey("default", "default", "s", "b"))
        assert not [row for row in rows if isinstance(decode_entry(row.data), MessageAdded)]
        assert (b.state.messages, b.state.total_tokens) == (0, 0)


def test_an_agent_sees_the_notes_of_others_by_its_tools() -> None:
    store = open_store(":memory:")
    with lane(store, "a") as a, lane(store, "b") as b:
        a.checkpoint("start")
        a.write_note("plan", "first the archive")
        b.take_in()
        tools = Toolset(b)
        assert "a/plan" in tools.run("list_notes")
        assert tools.run("read_note", {"key": "a/plan"}) == "first the archive"
        a.rollback("start")
        b.take_in()
        assert "a/plan" not in tools.run("list_notes")
