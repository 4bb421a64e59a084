"""A session that goes on from another one."""

from __future__ import annotations

import pytest

from tests.session.cases import opened, reply, round_of, settings, user
from trimtab.errors import BadSetting, NotFound
from trimtab.stores import open_store

RULE = "Never touch the billing table."


def test_rules_summary_notes_pins_and_brief_come_over_with_their_origin() -> None:
    store = open_store(":memory:")
    with opened(store, "first", settings=settings(8_000, mode="compact")) as first:
        first.brief("Clean the leads.")
        first.meta_context("A careful clerk", never="guess")
        first.pin("All prices in euros.")
        first.write_note("owner", "Ann")
        first.write_note("owner", "Bob")
        first.record(user(RULE), reply("Understood."))
        for number in range(1, 20):
            first.record(*round_of("openai_chat", number, 60))
            first.prompt()
    with opened(store, "second", settings=settings(8_000, mode="compact", inject_notes=("owner",))) as second:
        entry = second.inherit("first")
        assert (entry.session_id, entry.lane_id) == ("first", "main")
        assert second.read_note("owner") == "Bob"
        assert (second.state.brief, second.state.meta.identity) == ("Clean the leads.", "A careful clerk")
        second.record(user("Go on."))
        text = second.prompt().render_bytes().decode()
        for part in (RULE, "All prices in euros.", "Bob", "Clean the leads.", "Done so far", "called weather"):
            assert part in text
        assert "question 3" not in text, "messages of the other session came over"
        item = next(item for item in second.state.items.values() if item.text == RULE)
        assert item.origin == "first/main"
        assert second.lineage(item.item_id).item.origin == "first/main"
        # and they outlive this session's own cuts
        for number in range(1, 20):
            second.record(*round_of("openai_chat", number, 60))
            prompt = second.prompt()
        assert second.compactions()
        assert RULE in prompt.render_bytes().decode()


def test_a_third_session_keeps_the_first_origin() -> None:
    store = open_store(":memory:")
    with opened(store, "a") as a:
        a.record(user(RULE))
    with opened(store, "b") as b:
        b.inherit("a")
        b.record(user("No emojis, please."))
    with opened(store, "c") as c:
        c.inherit("b")
        origins = {item.text: item.origin for item in c.state.items.values()}
        assert origins[RULE] == "a/main"
        assert origins["No emojis, please."] == "b/main"


def test_the_first_prompt_of_both_layouts_holds_the_rules() -> None:
    for layout in ("state_first", "cache_first"):
        store = open_store(":memory:")
        with opened(store, "a") as a:
            a.record(user(RULE))
        with opened(store, "b", settings=settings(layout=layout)) as b:
            b.record(user("hello"))
            b.prompt()
            b.inherit("a")
            assert RULE in b.prompt().render_bytes().decode(), layout


def test_what_cannot_be_inherited_is_said() -> None:
    store = open_store(":memory:")
    with opened(store, "a") as a:
        a.record(user(RULE))
        with pytest.raises(BadSetting, match="another session"):
            a.inherit("a")
        with pytest.raises(NotFound, match="session 'nobody'"):
            a.inherit("nobody")
    with opened(store, "b") as b:
        b.inherit("a")
        with pytest.raises(BadSetting, match="already"):
            b.inherit("a")


def test_what_the_other_session_learns_later_stays_there() -> None:
    store = open_store(":memory:")
    with opened(store, "a") as a, opened(store, "b") as b:
        a.record(user(RULE))
        b.inherit("a")
        a.record(user("You must answer in German."))
        assert [item.text for item in b.state.items.values()] == [RULE]
