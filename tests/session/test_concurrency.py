"""Several threads and several openers of one session (REQUIREMENTS W9): nothing is lost, no number is given twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.session.cases import KEY, WEATHER, ask, bodies_of, compactions, opened, reply, round_of, settings, text_of, user
from trimtab.core.entries import RequestSent, decode_entry
from trimtab.errors import SeqConflict, StoreBusy
from trimtab.session import Session
from trimtab.stores import Store, open_store

COMPACT = settings(4_000, mode="compact")


def together(works: list[Callable[[], None]]) -> None:
    """All at once; the first error of any is raised here."""
    errors: list[BaseException] = []
    ready = threading.Barrier(len(works))

    def run(work: Callable[[], None]) -> None:
        try:
            ready.wait(timeout=30)
            work()
        except Exception as error:  # noqa: BLE001 - an error of a thread must reach the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


def check_ledger(store: Store) -> None:
    """Entries without gaps, one chain of parents, request numbers once each, no range compacted twice."""
    rows = store.load(KEY)
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    assert [row.parent_seq for row in rows] == list(range(len(rows)))
    numbers = [entry.number for row in rows if row.request and isinstance(entry := decode_entry(row.data), RequestSent)]
    assert numbers == list(range(1, len(numbers) + 1))
    covered = [entry.covered for entry in compactions(store)]
    assert all(last < first for (_, last), (first, _) in pairwise(covered)), covered


def said(store: Store) -> list[str]:
    return [str(msgspec.json.decode(body)["content"]) for body in bodies_of(store)]


def test_two_openers_with_two_threads_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with opened(path, settings=COMPACT) as one, opened(path, settings=COMPACT) as two:
        numbers: dict[str, list[int]] = {"one": [], "two": []}

        def work(session: Session, name: str) -> Callable[[], None]:
            def run() -> None:
                for number in range(50):
                    session.record(user(f"{name} {number} " + "word " * 30), reply(f"to {name} {number} " + "word " * 30))
                    numbers[name].append(session.prompt().number)

            return run

        together([work(one, "one"), work(two, "two")])
        assert numbers["one"] == sorted(set(numbers["one"]))
        assert numbers["two"] == sorted(set(numbers["two"]))
    with opened(path, settings=COMPACT) as s:
        check_ledger(s.store)
        assert compactions(s.store)
        texts = said(s.store)
        assert len(texts) == 200
        for name in ("one", "two"):
            mine = [text.split(" word")[0] for text in texts if text.startswith(f"{name} ")]
            assert mine == [f"{name} {number}" for number in range(50)]
        for number in range(1, s.last_request + 1):
            assert s.request(number).render()["messages"]


def test_one_session_is_used_by_four_threads() -> None:
    with opened(settings=COMPACT) as s:

        def work(name: str) -> Callable[[], None]:
            def run() -> None:
                for number in range(25):
                    s.record(user(f"{name} {number} " + "word " * 30), reply(f"to {name} {number}"))
                    prompt = s.prompt()
                    assert prompt.tokens <= prompt.budget.prompt_budget_tokens
                    assert prompt.render()["messages"]
                    assert prompt.decisions
                    assert s.request(prompt.number).render_bytes() == prompt.render_bytes()
                    s.write_note(name, number)

            return run

        together([work(name) for name in ("a", "b", "c", "d")])
        check_ledger(s.store)
        assert len(said(s.store)) == 200
        assert [s.read_note(name) for name in ("a", "b", "c", "d")] == [24] * 4


def test_sessions_on_one_store_do_not_disturb_each_other(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a.db", "process")
    sessions = [opened(store, f"s{number}", settings=COMPACT) for number in range(4)]

    def work(session: Session) -> Callable[[], None]:
        def run() -> None:
            for number in range(25):
                session.record(*round_of("openai_chat", number))
                assert ask(session).number == number + 1

        return run

    together([work(session) for session in sessions])
    for number, session in enumerate(sessions):
        with opened(session_id=f"s{number}", settings=COMPACT) as alone:
            work(alone)()
            assert alone.prompt().render_bytes() == session.prompt().render_bytes()
        session.close()
    assert len(store.sessions("default", "default")) == 4
    store.close()


@contextmanager
def four(tmp_path: Path) -> Iterator[list[Session]]:
    with ExitStack() as stack:
        yield [stack.enter_context(opened(tmp_path / "a.db")) for _ in range(4)]


def test_one_key_by_four_writers_is_one_message(tmp_path: Path) -> None:
    counts: list[int] = []

    def pay(session: Session) -> None:
        counts.append(session.record(user("pay"), key="k").count)

    with four(tmp_path) as sessions:
        together([partial(pay, session) for session in sessions])
        assert sorted(counts) == [0, 0, 0, 1]
        assert said(sessions[0].store) == ["pay"]


def test_the_same_history_by_four_clients_at_once_is_stored_once(tmp_path: Path) -> None:
    history = [message for number in range(5) for message in round_of("openai_chat", number)]

    def resend(session: Session) -> None:
        for _ in range(2):
            session.sync(history)

    with four(tmp_path) as sessions:
        together([partial(resend, session) for session in sessions])
        assert len(bodies_of(sessions[0].store)) == len(history)


# ---------------------------------------------------------------- an opener that was away


@contextmanager
def pair(tmp_path: Path, **changes: Any) -> Iterator[tuple[Session, Session]]:
    with opened(tmp_path / "a.db", **changes) as one, opened(tmp_path / "a.db", **changes) as two:
        yield one, two


def test_a_prompt_has_what_another_opener_recorded(tmp_path: Path) -> None:
    with pair(tmp_path) as (one, two):
        one.record(user("one"))
        assert ask(one).number == 1
        two.record(user("two"))
        assert "two" in text_of(ask(two))
        assert "two" in text_of(ask(one))
        assert ask(one).number == ask(two).number == 2
        assert one.last_request == two.last_request == 2


def test_a_history_that_another_opener_stored_is_known(tmp_path: Path) -> None:
    with pair(tmp_path) as (one, two):
        history = [user("a"), reply("b")]
        one.sync(history)
        assert two.sync(history).outcome == "same"
        two.sync([*history, user("c")])
        assert one.sync([*history, user("c")]).outcome == "same"
        assert len(said(one.store)) == 3


def test_the_answer_is_the_newest_request_not_the_own_last_one(tmp_path: Path) -> None:
    with pair(tmp_path) as (one, two):
        one.record(user("one"))
        ask(one)
        two.record(user("two"), key="k")
        newest = ask(two)
        assert one.record(user("two"), key="k").count == 0
        prompt = ask(one)
        assert (prompt.number, prompt.render_bytes()) == (newest.number, newest.render_bytes())


def test_a_pin_of_another_opener_holds(tmp_path: Path) -> None:
    with pair(tmp_path) as (one, two):
        one.record(user("one"))
        ask(one)
        pin = two.pin("THE-PIN")
        assert "THE-PIN" in text_of(ask(one))
        one.unpin(pin)
        one.record(user("next"))
        assert "THE-PIN" not in text_of(ask(two))


def test_a_note_of_another_opener_can_be_read(tmp_path: Path) -> None:
    with pair(tmp_path) as (one, two):
        assert one.write_note("k", 1) == 1
        assert two.read_note("k") == 1
        assert two.write_note("k", 2) == 2
        assert one.read_note("k") == 2
        two.checkpoint("here")
        one.rollback("here")


def test_rollbacks_of_another_opener_are_followed(tmp_path: Path) -> None:
    with pair(tmp_path) as (one, two):
        one.record(user("root"))
        one.checkpoint("here")
        two.record(user("left"))
        ask(two)
        one.rollback("here")
        two.record(user("right"))
        text = text_of(ask(one))
        assert "right" in text
        assert "left" not in text
        assert text_of(ask(two)) == text


# ---------------------------------------------------------------- another writer at the very moment of a commit


class Crossed:
    """A store in which something else happens just before the next commit."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.before: Callable[[], object] | None = None

    def commit(self, *arguments: Any) -> None:
        act, self.before = self.before, None
        if act is not None:
            act()
        self._store.commit(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


@contextmanager
def crossed(tmp_path: Path, **changes: Any) -> Iterator[tuple[Session, Any, Session]]:
    """(a session, its store, another opener of the same session)"""
    inner = open_store(tmp_path / "a.db", "process")
    store: Any = Crossed(inner)
    with opened(store, **changes) as one, opened(tmp_path / "a.db", **changes) as two:
        yield one, store, two
    inner.close()


@pytest.mark.parametrize("before", [0, 4, 8])
def test_a_history_that_another_stores_at_the_same_moment_is_stored_once(before: int, tmp_path: Path) -> None:
    history = [message for number in range(3) for message in round_of("openai_chat", number)]
    with crossed(tmp_path) as (one, store, two):
        if before:
            one.sync(history[:before])
        store.before = lambda: two.sync(history)
        one.sync(history)
        assert store.before is None
        assert len(said(one.store)) == len(history)
        assert text_of(ask(one)) == text_of(ask(two))


def test_two_edits_at_the_same_moment_are_two_branches(tmp_path: Path) -> None:
    history = [user("a"), reply("b"), user("c"), reply("d")]
    with crossed(tmp_path) as (one, store, two):
        one.sync(history)
        store.before = lambda: two.sync([*history[:2], user("TWO")])
        one.sync([*history[:2], user("ONE")])
        messages = ask(one).render()["messages"]
        assert messages == [*history[:2], user("ONE")]
        assert ask(two).render()["messages"] == messages


def test_two_requests_at_the_same_moment_do_not_both_compact(tmp_path: Path) -> None:
    with crossed(tmp_path, settings=COMPACT) as (one, store, two):
        for number in range(40):
            one.record(*round_of("openai_chat", number))
            store.before = two.prompt
            mine, theirs = ask(one), ask(two)
            assert mine.render_bytes() == theirs.render_bytes()
        assert compactions(one.store)
        check_ledger(one.store)


def test_a_refusal_of_the_newest_prompt_counts_whoever_made_it(tmp_path: Path) -> None:
    with crossed(tmp_path) as (one, _, two):
        for number in range(8):
            one.record(*round_of("openai_chat", number))
        refused = ask(two)
        one.overflowed("context_length_exceeded")
        assert ask(one).tokens < refused.tokens


# ---------------------------------------------------------------- a commit that fails


class Losing:
    """A store whose next commits fail as if another writer were first, or the database locked."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.errors: list[Exception] = []

    def commit(self, *arguments: Any) -> None:
        if self.errors:
            raise self.errors.pop()
        self._store.commit(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
@pytest.mark.parametrize("conflicts", [1, 3])
def test_a_prompt_that_had_to_be_planned_again_is_stored_whole(conflicts: int, layout: str, tmp_path: Path) -> None:
    """What the first, lost plan had made new must still be written by the one that wins."""
    path = tmp_path / "a.db"
    chosen = settings(4_000, mode="compact", layout=layout)
    inner = open_store(path, "process")
    losing: Any = Losing(inner)
    kept: list[bytes] = []
    with opened(losing, settings=chosen) as s:
        s.meta_context(identity="clerk", never=["Never below cost."])
        for number in range(1, 12):
            s.record(*round_of("openai_chat", number))
            losing.errors = [SeqConflict(0, 0)] * conflicts
            kept.append(ask(s, tools=[WEATHER["openai_chat"]], max_output_tokens=300).render_bytes())
            assert losing.errors == []
    inner.close()
    with opened(path, settings=chosen) as s:
        assert [s.request(number).render_bytes() for number in range(1, 12)] == kept


def test_a_prompt_asked_for_again_after_a_locked_database_is_stored_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    inner = open_store(path, "process")
    losing: Any = Losing(inner)
    with opened(losing, settings=COMPACT) as s:
        s.pin("THE-PIN")
        s.record(*round_of("openai_chat", 1))
        losing.errors = [StoreBusy("locked")]
        with pytest.raises(StoreBusy) as caught:
            s.prompt(tools=[WEATHER["openai_chat"]])
        assert caught.value.retryable
        kept = ask(s, tools=[WEATHER["openai_chat"]])
        assert kept.number == 1
        losing.errors = [StoreBusy("locked")]
        with pytest.raises(StoreBusy):
            s.record(user("lost?"))
        assert s.record(user("not lost")).count == 1
    inner.close()
    with opened(path, settings=COMPACT) as s:
        assert s.request(1).render_bytes() == kept.render_bytes()
        assert said(s.store)[-1] == "not lost"
        assert "lost?" not in said(s.store)
        check_ledger(s.store)
