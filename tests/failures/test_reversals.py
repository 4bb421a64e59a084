"""What was taken back comes back, what was chosen is forgotten, what is finished is listed as open: over compactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from tests.failures.shapes import Talk, checked, entries, settings, target, text_of, words
from trimtab import Session
from trimtab.core.entries import Compacted
from trimtab.core.messages import WireName
from trimtab.core.summary import SummaryItem
from trimtab.stores import SqliteStore

WIRE: WireName = "openai_chat"
SAY = Talk(WIRE)


@contextmanager
def talk() -> Iterator[Session]:
    given = settings("compact", 3_500, overlap_rounds=1, summary_max_tokens=400)
    with closing(SqliteStore(":memory:")) as store, Session.open(store, "s", settings=given, target=target(WIRE)) as session:
        yield session


def turn(session: Session, user: str, answer: str = "noted") -> str:
    """One turn; all text of the prompt that was sent for it."""
    session.record(*SAY.user(user))
    sent = text_of(checked(session.prompt(system="You help.", max_output_tokens=300), WIRE))
    session.record(*SAY.says(answer))
    return sent


def compactions(session: Session) -> int:
    return sum(isinstance(entry, Compacted) for _, entry in entries(session))


def until(session: Session, cuts: int, first: int = 0) -> list[str]:
    """Long turns about nothing until so many compactions were made; the texts of the prompts."""
    sent: list[str] = []
    for number in range(first, first + 200):
        if compactions(session) >= cuts:
            return sent
        sent.append(turn(session, f"read on {number} " + words(180, number), "so it goes " + words(180, number + 3)))
    pytest.fail(f"only {compactions(session)} of {cuts} compactions")


def items(session: Session, *fields: str) -> list[SummaryItem]:
    return [item for item in session.state.items.values() if item.field in fields]


def test_list_view_not_kanban_after_ten_compactions() -> None:
    with talk() as session:
        turn(session, "Let's go with a kanban board for the tasks.")
        turn(session, "Actually, list view, not kanban.")
        sent = until(session, 10)
        assert all("list view, not kanban" in text for text in sent)
        assert "a kanban board for the tasks" not in turn(session, "so what shall it look like?")
        assert not any("kanban board" in item.text for item in items(session, "decision", "constraint", "todo", "question"))


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("Let's go with Postgres for the store.", "Forget Postgres, use SQLite.", "Postgres for the store"),
        ("我们决定存储用Postgres。", "不用Postgres了，用SQLite。", "我们决定存储用Postgres"),
    ],
)
def test_a_reversal_after_a_compaction_supersedes_and_names_the_older_item(before: str, after: str, gone: str) -> None:
    with talk() as session:
        turn(session, before)
        (old,) = items(session, "decision")
        until(session, 1)
        turn(session, after)
        (new,) = [item for item in items(session, "decision", "constraint", "negative") if "SQLite" in item.text]
        assert new.supersedes == old.item_id
        sent = until(session, 3, 300)
        assert all("SQLite" in text for text in sent)
        assert gone not in sent[-1]


@pytest.mark.parametrize(
    ("ban", "lift"),
    [
        ("Never use emojis in your answers.", "You may use emojis again."),
        ("Never use emojis in your answers.", "Forget the no-emoji rule."),
        ("回答里不要用表情符号。", "现在可以用表情符号了。"),
    ],
)
def test_a_lifted_ban_is_in_no_later_prompt(ban: str, lift: str) -> None:
    with talk() as session:
        turn(session, ban)
        assert ban in until(session, 1)[-1]
        turn(session, lift)
        assert not items(session, "negative")
        # the words stay in the recent rounds; once these were cut, nothing carries them
        assert all(ban not in text for text in until(session, 3, 300)[-2:])


def test_what_was_not_named_stays_forbidden() -> None:
    with talk() as session:
        turn(session, "Never use emojis in your answers.")
        turn(session, "You may use tables again, I changed my mind.")
        assert "Never use emojis in your answers." in until(session, 2)[-1]


@pytest.mark.parametrize(
    ("todo", "done"),
    [
        ("I still need to write the changelog for 1.9.", "I wrote the changelog for 1.9 today."),
        ("I still need to write the changelog for 1.9.", "done: changelog 1.9"),
        ("1.9的更新日志还没写，先记着。", "1.9的更新日志写完了。"),
    ],
)
def test_a_finished_item_is_never_listed_as_open(todo: str, done: str) -> None:
    with talk() as session:
        turn(session, todo)
        assert len(items(session, "todo")) == 1
        until(session, 1)
        turn(session, done)
        assert items(session, "todo") == []
        before = compactions(session)
        until(session, before + 1, 300)
        # within an epoch the front stands as it was sent, and the message that says it is done stands below it
        sent = until(session, before + 4, 400)
        assert sent
        assert all("To do:" not in text for text in sent)


@pytest.mark.parametrize("choice", ["Yes, go with B.", "Let's use the second one."])
def test_a_choice_is_told_with_what_it_was(choice: str) -> None:
    offer = "Two ways to go:\n\nA) nightly batch over the whole table\nB) change stream with a queue\n\nWhich one?"
    with talk() as session:
        turn(session, "How shall we feed the index?", offer)
        turn(session, choice)
        (item,) = items(session, "decision")
        assert (item.text, item.reason) == (choice, "B: change stream with a queue")
        sent = until(session, 3)[-1]
        assert choice in sent
        assert "change stream with a queue" in sent


def test_numbers_and_names_outlive_their_message() -> None:
    with talk() as session:
        turn(session, "Our account is lena_k92, the order W-4471902 was 412.00 EUR and the fitter comes on 3 March.")
        sent = until(session, 2)[-1]
        assert all(value in sent for value in ("lena_k92", "W-4471902", "412.00 EUR", "3 March"))
