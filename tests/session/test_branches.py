"""Checkpoints and rollbacks: a branch is what its ancestors made it, and nothing is ever lost from the ledger."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.session.cases import KEY, ask, bodies_of, opened, reply, round_of, settings, system, text_of, user
from trimtab.core.state import SessionState
from trimtab.errors import NotFound
from trimtab.session import Session
from trimtab.settings import LAYOUTS

# what says where in the ledger the state stands, not what holds
PLACE = {"seq", "spans", "branch_mark", "dirty"}


def holds(state: SessionState) -> dict[str, Any]:
    """All that a state says, copied, without its place in the ledger."""
    fields = msgspec.to_builtins(state)
    return {key: value for key, value in msgspec.json.decode(msgspec.json.encode(fields)).items() if key not in PLACE}


def fill(session: Session, first: int, rounds: int) -> None:
    for number in range(first, first + rounds):
        session.record(*round_of("openai_chat", number))
        ask(session)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_after_a_rollback_the_state_is_that_of_the_checkpoint(layout: str) -> None:
    with opened(settings=settings(8_000, layout=layout, mode="compact")) as s:
        s.pin("BEFORE")
        s.write_note("k", 1)
        fill(s, 1, 8)
        s.checkpoint("here")
        then = holds(s.state)
        s.pin("AFTER")
        s.brief("AFTER")
        s.write_note("k", 2)
        fill(s, 9, 12)
        assert s.state.epoch > then["epoch"]
        s.rollback("here")
        assert holds(s.state) == then
        assert s.read_note("k") == 1
        text = text_of(ask(s))
        assert "BEFORE" in text
        assert "AFTER" not in text
        assert "question 9 " not in text
        assert "question 8 " in text


def test_a_rollback_holds_after_reopening(tmp_path: Any) -> None:
    path = tmp_path / "a.db"
    with opened(path) as s:
        fill(s, 1, 3)
        s.checkpoint("here")
        fill(s, 4, 3)
        s.rollback("here")
        then = holds(s.state)
        prompt = ask(s)
    with opened(path) as s:
        assert {**holds(s.state), "last": None} == {**then, "last": None}
        assert ask(s).render_bytes() == prompt.render_bytes()
        assert ask(s).number == prompt.number


def test_the_same_checkpoint_serves_again_and_again() -> None:
    with opened() as s:
        fill(s, 1, 2)
        s.checkpoint("here")
        then = holds(s.state)
        for number in range(10, 15):
            fill(s, number, 1)
            s.rollback("here")
            assert holds(s.state) == then
        assert len(bodies_of(s.store)) == 8 + 20
        assert s.last_request == 7


def test_request_numbers_go_on_after_a_rollback() -> None:
    with opened() as s:
        fill(s, 1, 2)
        s.checkpoint("here")
        fill(s, 3, 2)
        s.rollback("here")
        assert ask(s).number == 5
        assert s.last_request == 5


def test_a_checkpoint_of_a_branch_that_was_left_is_not_known() -> None:
    with opened() as s:
        fill(s, 1, 1)
        s.checkpoint("one")
        fill(s, 2, 1)
        s.checkpoint("two")
        s.rollback("one")
        with pytest.raises(NotFound, match="one"):
            s.rollback("two")
        with pytest.raises(NotFound):
            s.rollback("never")


def test_a_name_that_is_used_again_means_the_newest_point() -> None:
    with opened() as s:
        fill(s, 1, 1)
        s.checkpoint("here")
        fill(s, 2, 1)
        s.checkpoint("here")
        fill(s, 3, 1)
        s.rollback("here")
        text = text_of(ask(s))
        assert "question 2 " in text
        assert "question 3 " not in text


def test_a_branch_sees_only_the_notes_of_its_ancestors() -> None:
    with opened() as s:
        s.write_note("k", "root")
        s.checkpoint("start")
        fill(s, 1, 1)
        s.write_note("k", "left")
        s.write_note("only-left", 1)
        s.rollback("start")
        fill(s, 2, 1)
        assert s.read_note("k") == "root"
        with pytest.raises(NotFound):
            s.read_note("only-left")
        assert s.write_note("k", "right") == 2
        assert (s.read_note("k", 1), s.read_note("k", 2)) == ("root", "right")


def test_system_text_goes_back_with_the_rest() -> None:
    with opened() as s:
        s.record(system("one"), user("hi"))
        s.checkpoint("here")
        ask(s, system="two")
        s.rollback("here")
        assert ask(s).render()["messages"][0] == system("one")


def test_a_key_is_free_again_on_a_branch_that_does_not_have_it() -> None:
    with opened() as s:
        s.record(user("hi"))
        s.checkpoint("here")
        assert s.record(reply("a"), key="k").count == 1
        s.rollback("here")
        assert s.record(reply("a"), key="k").count == 1
        assert len(ask(s).render()["messages"]) == 2


def test_what_was_rolled_back_is_recognized_when_the_client_sends_it() -> None:
    history = [user("a"), reply("b"), user("c"), reply("d")]
    with opened() as s:
        s.sync(history[:2])
        s.checkpoint("here")
        s.sync(history)
        s.rollback("here")
        report = s.sync(history)
        assert (report.outcome, report.added) == ("branch", 0)
        assert len(bodies_of(s.store)) == 4


def test_entries_say_at_which_message_they_stand() -> None:
    """A store reads branches by `at_node`: after a rollback it is the checkpoint's message."""
    with opened() as s:
        seqs = [s.record(user(text)).first_seq for text in ("a", "b")]
        s.checkpoint("b")
        s.record(user("c"))
        s.rollback("b")
        s.pin("x")
        rows = s.store.load(KEY)
        assert rows[-1].at_node == seqs[1]
        assert [row.at_node for row in rows if row.kind == "rollback"] == [seqs[1]]


def test_many_branches_of_branches(tmp_path: Any) -> None:
    """A tree of 40 branches, each with a note of its own; every state is found again, from disk too."""
    path = tmp_path / "a.db"
    with opened(path) as s:
        s.record(user("root"))
        s.checkpoint("c0")
        for number in range(1, 41):
            s.record(reply(f"r{number}"), user(f"u{number}"))
            s.write_note("path", number)
            s.checkpoint(f"c{number}")
            if number % 3 == 0:
                s.rollback(f"c{number - 2}")
        then = holds(s.state)
        text = text_of(ask(s))
    with opened(path) as s:
        assert text_of(ask(s)) == text
        assert s.read_note("path") == then["notes"]["path"][0] or s.read_note("path") > 0
        assert len(bodies_of(s.store)) == 81
