"""What a careless or hostile caller can hand over, and what must hold all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.session.cases import CHAT, CLAUDE, call, opened, reply, result, round_of, settings, user
from trimtab import Session, Settings, Target
from trimtab.errors import TrimtabError
from trimtab.stores import open_store

SURROGATE = "half \ud800 a pair"
BAD_CALLS: dict[str, Callable[[Session], Any]] = {
    "usage without a number": lambda s: s.usage(None),  # type: ignore[arg-type]
    "key": lambda s: s.record(user("x"), key=5),  # type: ignore[arg-type]
    "checkpoint": lambda s: s.checkpoint(5),  # type: ignore[arg-type]
    "note key": lambda s: s.write_note(5, "v"),  # type: ignore[arg-type]
    "note sources": lambda s: s.write_note("k", 1, sources=["12"]),  # type: ignore[list-item]
    "item reason": lambda s: s.note_item("fact", "t", reason=5),  # type: ignore[arg-type]
    "item author": lambda s: s.note_item("fact", "t", author=None),  # type: ignore[arg-type]
    "item sources": lambda s: s.note_item("fact", "t", [2.0]),  # type: ignore[list-item]
    "drop why": lambda s: s.drop_history(seqs=[3], why=5, force=True),  # type: ignore[arg-type]
    "need seq": lambda s: s.need(2.0, by="x"),  # type: ignore[arg-type]
    "needed_by": lambda s: s.record(user("x"), needed_by=5),  # type: ignore[arg-type]
    "meta note": lambda s: s.meta_note("k", text=5),  # type: ignore[arg-type]
    "meta note source": lambda s: s.meta_note("k", text="t", source_seq=2.0),  # type: ignore[arg-type]
    "offload source": lambda s: s.offload("v", "text", source_seq=2.0),  # type: ignore[arg-type]
    "brief": lambda s: s.brief(5),  # type: ignore[arg-type]
    "identity": lambda s: s.meta_context(identity=5),  # type: ignore[arg-type]
    "window": lambda s: s.overflowed(window_tokens="5"),  # type: ignore[arg-type]
    "surrogate note key": lambda s: s.write_note(SURROGATE, "v"),
    "surrogate item": lambda s: s.note_item("fact", SURROGATE),
    "surrogate step": lambda s: s.begin_step(SURROGATE),
    "surrogate pin": lambda s: s.pin(SURROGATE),
    "surrogate brief": lambda s: s.brief(SURROGATE),
    "surrogate meta note": lambda s: s.meta_note("k", text=SURROGATE),
}


@pytest.mark.parametrize("name", list(BAD_CALLS))
def test_nothing_is_stored_that_cannot_be_read_again(name: str) -> None:
    store = open_store(":memory:")
    with opened(store) as s:
        s.record(user("Never email a lead on a Sunday."), reply("ok"), user("go on"))
        before = s.prompt().render_bytes()
        try:
            BAD_CALLS[name](s)
        except (TrimtabError, TypeError, ValueError, AttributeError):
            assert s.prompt().render_bytes() == before
        s.prompt()
    with opened(store) as again:
        again.prompt()
        assert "Never email a lead on a Sunday." in again.prompt().render_bytes().decode()


def test_undoing_a_cut_leaves_what_was_dropped_since_where_it_is() -> None:
    with opened(settings=settings(8_000, mode="compact", clear_at_least_tokens=0)) as s:
        number = 0
        while not s.compactions():
            number += 1
            s.record(*round_of("openai_chat", number, 60))
            s.prompt()
        for _ in range(2):
            number += 1
            s.record(*round_of("openai_chat", number, 20))
            s.prompt()
        dropped = s.drop_history(seqs=[next(unit.key for unit in s.state.units if unit.calls)]).dropped
        assert dropped
        s.record(user("go on"))
        s.prompt()
        s.undo_compaction()
        assert set(dropped) <= set(s.state.holes)
        prompt = s.prompt()
        held = {seq: row.action for row in prompt.decisions for seq in range(row.first_seq, row.last_seq + 1)}
        shown = {segment.origin[0] for segment in prompt.segments if segment.place == "message"}
        assert {held[seq] for seq in dropped} == {"drop"} and not shown.intersection(dropped)


@pytest.mark.parametrize("target", [CHAT, CLAUDE, Target(model="gpt-5", wire="openai_responses", reasoning="bound")])
@pytest.mark.parametrize("tail", ["auto", "append"])
@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_a_variable_is_in_no_prompt_of_another_step(target: Target, tail: str, layout: str) -> None:
    with opened(target=target, settings=settings(layout=layout, tail_mode=tail)) as s:
        s.offload("secret", "the word is xylophone " * 40)
        s.record(user("rank them"))
        s.begin_step("rank", reads=["secret"])
        assert "xylophone" in s.prompt().render_bytes().decode()
        s.record(reply("ranked"), user("mail them"))
        assert "xylophone" in s.prompt().render_bytes().decode()
        s.begin_step("mail")
        assert "xylophone" not in s.prompt().render_bytes().decode().replace("variable secret", "")
        s.record(reply("mailed"), user("end"))
        assert "xylophone" not in s.prompt().render_bytes().decode()


def test_the_first_prompt_gives_a_variable_its_share() -> None:
    for chosen, target in ((settings(32_000), CHAT), (Settings(), Target(model="gpt-4o", wire="openai_chat"))):
        with opened(settings=chosen, target=target) as s:
            s.offload("small", "a few words " * 100)
            s.offload("large", "word " * 200_000)
            s.record(user("read"))
            s.begin_step("one", reads=["small"])
            assert "a few words " * 99 in s.prompt().render_bytes().decode()
        with opened(settings=chosen, target=target) as s:
            s.offload("large", "word " * 200_000)
            s.record(user("read"))
            s.begin_step("one", reads=["large"])
            prompt = s.prompt()
            assert 0.4 < prompt.sections["variables"] / prompt.budget.history_budget_tokens <= 0.52


def test_an_inherited_item_says_nothing_about_messages_of_this_session() -> None:
    store = open_store(":memory:")
    with opened(store, "a") as a, opened(store, "b") as b:
        a.record(user("Never email a lead on a Sunday."), call("c1"), result("c1", "rows"), user("go on"))
        a.note_item("fact", "Spring was quiet", [4])
        b.record(user("look"), call("c1"), result("c1", "other rows " * 200), user("go on"))
        b.inherit("a")
        assert b.state.concluded == {}
        constraints = next(segment for segment in b.prompt().segments if segment.section == "constraints")
        assert constraints.origin_ids == ()


def test_clearing_the_scratchpad_works_where_reasoning_is_bound() -> None:
    target = Target(model="gpt-5", wire="openai_responses", reasoning="bound")
    with opened(target=target, settings=settings(clear_keep_rounds=50)) as s:
        for number in range(3):
            s.record(*round_of("openai_responses", number, 80))
        s.record(user("and now?"))
        before = s.prompt().tokens
        report = s.clear_scratchpad()
        s.record(reply("ok"), user("next"))
        after = s.prompt()
        assert report.freed_tokens > 0 and after.tokens < before
        assert after.render_bytes().decode().count("left out") == 3


def test_what_is_freed_is_what_it_takes_now_and_is_freed_once() -> None:
    with opened(settings=settings(mode="compact", clear_keep_rounds=0, clear_at_least_tokens=0)) as s:
        s.record(user("read"), call("c1"), result("c1", "word " * 3_000), reply("read"), user("go on"))
        s.prompt()
        s.record(reply("ok"), user("and now"))
        assert s.prompt().tokens < 600
        seq = next(unit.key for unit in s.state.units if unit.calls)
        first = s.drop_history(seqs=[seq])
        assert first.dropped and first.freed_tokens < 400
        assert s.drop_history(seqs=[seq]).dropped == ()


def test_a_note_with_the_words_of_a_rule_does_not_stand_for_it() -> None:
    with opened() as s:
        s.record(user("Never email a lead on a Sunday."))
        s.note_item("fact", "Never email a lead on a Sunday.")
        lineage = s.lineage("Never email a lead on a Sunday.")
        assert lineage.item.field == "negative" and lineage.sources[0].role == "user"


def test_undoing_a_cut_that_also_dropped_brings_back_only_what_the_mode_cut() -> None:
    with opened(settings=settings(8_000, mode="compact", clear_at_least_tokens=100_000)) as s:
        dropped: tuple[int, ...] = ()
        number = 0
        while not s.compactions():
            number += 1
            s.record(*round_of("openai_chat", number, 60))
            s.prompt()
            if number == 2:
                dropped = s.drop_history(seqs=[next(unit.key for unit in s.state.units if unit.calls)]).dropped
        assert dropped
        s.undo_compaction()
        prompt = s.prompt()
        held = {seq: row.action for row in prompt.decisions for seq in range(row.first_seq, row.last_seq + 1)}
        assert {held[seq] for seq in dropped} == {"drop"}
        assert not {segment.origin[0] for segment in prompt.segments if segment.place == "message"}.intersection(dropped)


def test_withdrawing_a_rule_withdraws_it_wherever_it_came_from() -> None:
    store = open_store(":memory:")
    with opened(store, "a") as a:
        a.record(user("Never email a lead on a Sunday."))
    with opened(store, "b") as b:
        b.inherit("a")
    with opened(store, "c") as c:
        c.inherit("a")
        c.inherit("b")
        c.record(user("hello"))
        rule = next(item for item in c.state.items.values() if item.field == "negative")
        c.withdraw(rule.item_id)
        assert "Sunday" not in c.prompt().render_bytes().decode()
