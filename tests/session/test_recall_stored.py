"""What recall needs in store: rows of turns and their vectors, through branches, rollbacks, crashes and other embedders."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.session.cases import opened, reply, round_of, settings, user
from tests.session.recalls import filled, sent, texts, use
from trimtab import Session
from trimtab.core.entries import Indexed
from trimtab.stores import Store, lane_scope, open_store
from trimtab.testing.embedders import WordsEmbedder

# ---------------------------------------------------------------- vectors


class Slow(WordsEmbedder):
    """Answers a question only when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        if query:
            assert self.go.wait(30)
        return super().embed(texts, query)


def test_an_embedder_that_is_late_leaves_a_prompt_to_words_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    use(monkeypatch, slow)
    with opened(settings=settings(8_000, mode="retrieval", recall_deadline_ms=1)) as s:
        s.record(user("The orchard has 31 pear trees, counted by the beekeeper."), reply("ok"))
        filled(s)
        s.record(user("How many pear trees are in the orchard?"))
        assert "beekeeper" in sent(s)
        assert s.state.recalled is not None and s.state.recalled.missing == "late"
        slow.go.set()


def test_what_was_said_is_found_by_likeness_once_it_has_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, WordsEmbedder(synonyms={"lorry": "truck"}))
    with opened() as s:
        s.record(user("The truck stands at the gate."), reply("ok"), user("next"))
        s.record(reply("fine"), user("other"))
        report = s.recall("lorry")
        assert "truck" in report.turns[0].text and report.missing == ""
        assert report.turns[0].parts["vectors"] > 0


def vectors(session: Session, embedder: WordsEmbedder) -> int:
    return len(list(session.store.vectors(lane_scope(session._key), embedder.embedder_id)))


def test_a_changed_embedder_makes_its_own_vectors_and_mixes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = WordsEmbedder(version="1"), WordsEmbedder(dimension=32, version="2", synonyms={"lorry": "truck"})
    use(monkeypatch, old)
    with opened(tmp_path / "db") as s:
        s.record(user("The truck stands at the gate."), reply("ok"), user("Bread is cheap."), reply("ok"), user("next"))
        assert s.maintain().embedded == 2
        assert not any("truck" in text for text in texts(s.recall("lorry"))[:1])
    use(monkeypatch, new)
    with opened(tmp_path / "db") as s:
        assert (vectors(s, old), vectors(s, new)) == (2, 0)
        assert "truck" in s.recall("lorry").turns[0].text
        assert (vectors(s, old), vectors(s, new)) == (2, 2)
        assert s.maintain().embedded == 0


def test_maintain_embeds_what_is_missing_once(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordsEmbedder()
    use(monkeypatch, embedder)
    with opened() as s:
        for number in range(40):
            s.record(user(f"Fact number{number} is here."), reply("ok"))
        s.record(user("next"))
        assert s.maintain().embedded == 40
        assert s.maintain().embedded == 0
        assert vectors(s, embedder) == 40
        # each text of a turn went to the embedder once
        told = [text for given, query in embedder.calls if not query for text in given]
        assert len(told) == len(set(told)) == 40


@pytest.mark.parametrize("how", ["inline", "thread"])
def test_maintenance_by_itself_embeds_also_after_a_rollback(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordsEmbedder()
    use(monkeypatch, embedder)
    with opened(settings=settings(maintain=how)) as s:
        s.record(user("The first fact."), reply("ok"))
        s.checkpoint("c")
        for number in range(3):
            s.record(user(f"A fact {number} to forget."))
            s.record(reply("ok"))
            _wait(s)
        assert vectors(s, embedder) == 4
        s.rollback("c")
        s.record(user("The second fact."))
        s.record(reply("ok"))
        _wait(s)
        s.record(user("The third fact."))
        s.record(reply("ok"))
        _wait(s)
        assert s.store.unembedded(lane_scope(s._key), embedder.embedder_id, 9) == []


def _wait(session: Session) -> None:
    if session._worker is not None:
        session._worker.join(30)
        assert not session._worker.is_alive()


def test_turns_of_an_abandoned_branch_hold_up_no_others_and_have_their_own_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordsEmbedder(synonyms={"lorry": "truck"})
    use(monkeypatch, embedder)
    with opened() as s:
        first = [user("Where is it?"), reply("The truck is at the gate.")]
        s.sync([*first, user("And?")])
        s.sync([first[0], reply("It is at the mill."), user("And?")])
        assert s.maintain().embedded == 2
        assert all(text for given, _ in embedder.calls for text in given)
        s.sync([*first, user("And?"), reply("So"), user("Well?")])
        assert "truck" in s.recall("lorry").turns[0].text


def test_a_crash_between_turns_and_vectors_is_made_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Crashing(WordsEmbedder):
        def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
            if len(self.calls) >= 20:
                raise KeyboardInterrupt
            return super().embed(texts, query)

    use(monkeypatch, Crashing())
    with opened(tmp_path / "db") as s:
        for number in range(40):
            s.record(user(f"Fact number{number} is here."), reply("ok"))
        s.record(user("next"))
        with pytest.raises(KeyboardInterrupt):
            s.maintain()
        done = vectors(s, WordsEmbedder())
    assert 0 < done < 40
    embedder = WordsEmbedder()
    use(monkeypatch, embedder)
    with opened(tmp_path / "db") as s:
        assert s.maintain().embedded == 40 - done
        assert vectors(s, embedder) == 40


# ---------------------------------------------------------------- when a turn becomes searchable


def test_a_turn_is_stored_with_the_message_that_opens_the_next(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as s:
        s.record(user("alpha"), reply("beta"))
        s.record(user("gamma"))
        entries = [s._lane.decoded(row) for row in s.store.load(s._key)]
        assert not any(isinstance(entry, Indexed) for entry in entries)
    with sqlite3.connect(tmp_path / "db") as db:
        assert db.execute("SELECT count(*) FROM turns").fetchone() == (1,)
    db.close()


OPS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), st.integers(1, 3)),
        st.tuples(st.just("tools"), st.just(0)),
        st.tuples(st.just("batch"), st.integers(2, 3)),
        st.tuples(st.just("prompt"), st.just(0)),
        st.tuples(st.just("mark"), st.just(0)),
        st.tuples(st.just("back"), st.integers(0, 5)),
        st.tuples(st.just("edit"), st.integers(0, 6)),
        st.tuples(st.just("recall"), st.just(0)),
        st.tuples(st.just("reopen"), st.just(0)),
        st.tuples(st.just("second"), st.just(0)),
    ),
    min_size=3,
    max_size=14,
)


class Play:
    """Random play on one lane; knows what the turns of the branch say."""

    def __init__(self, store: Store) -> None:
        self.store, self.made = store, 0
        self.session = self._open()
        self.history: list[dict[str, Any]] = []
        self.marks: list[tuple[str, int]] = []

    def _open(self) -> Session:
        return opened(self.store, settings=settings(4_000, mode="compact"))

    def word(self) -> str:
        self.made += 1
        return "zq" + "".join("bcdfghjklm"[int(digit)] + "a" for digit in f"{self.made:04}")

    def messages(self, replies: int, tools: bool = False) -> list[dict[str, Any]]:
        made = [user(f"{self.word()} {'filler ' * 30}")]
        if tools:
            made += round_of("openai_chat", 1_000 + self.made, 30)[1:3]
        return made + [reply(f"{self.word()} said") for _ in range(replies)]

    def add(self, messages: list[dict[str, Any]], session: Session | None = None) -> None:
        (session or self.session).record(*messages)
        self.history += messages

    def step(self, op: str, number: int) -> None:
        if op in ("turn", "tools"):
            self.add(self.messages(number or 1, op == "tools"))
        elif op == "batch":
            self.add([message for _ in range(number) for message in self.messages(1)])
        elif op == "prompt" and self.history:
            self.session.prompt()
        elif op == "mark":
            self.marks.append((f"c{len(self.marks)}-{self.made}", len(self.history)))
            self.session.checkpoint(self.marks[-1][0])
        elif op == "back" and self.marks:
            del self.marks[max(1, len(self.marks) - number) :]
            self.session.rollback(self.marks[-1][0])
            del self.history[self.marks[-1][1] :]
        elif op == "edit" and self.history:
            users = [at for at, message in enumerate(self.history) if message["role"] == "user"]
            at = users[max(0, len(users) - 1 - number)]
            self.history[at:] = self.messages(1)
            self.session.sync(self.history)
            self.marks = []
        elif op == "recall":
            self.session.recall("filler")
        elif op == "reopen":
            self.session = self._open()
        elif op == "second":
            self.add(self.messages(1), self._open())

    def rare_words(self) -> Iterator[str]:
        for message in self.history:
            if isinstance(message["content"], str) and message["content"].startswith("zq"):
                yield message["content"].split()[0]


@given(OPS)
@hypothesis_settings(max_examples=60)
def test_every_message_of_a_closed_turn_is_found_by_its_own_word_once(ops: list[tuple[str, int]]) -> None:
    play = Play(open_store(":memory:"))
    for op, number in ops:
        play.step(op, number)
    play.add([user("the end")])
    for word in play.rare_words():
        found = [turn for turn in play.session.recall(word, 10, scope="lane").turns if word in turn.text]
        assert len(found) == 1, (word, found)
        assert found[0].text.count(word) == 1
    everything = play.session.recall("filler said", 50, scope="lane").turns
    spans = sorted((turn.first_seq, turn.last_seq) for turn in everything)
    assert all(before[1] < after[0] for before, after in pairwise(spans))


def test_what_the_agent_dropped_is_found_though_it_left_before_older_messages_did() -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        filled(s, 6)
        s.record(*round_of("openai_chat", 18, 900))
        dropped = s.record(reply("The heron nests in the old crane."))
        s.record(*round_of("openai_chat", 19, 60)[1:])
        assert s.drop_history(seqs=[dropped.first_seq], force=True).dropped
        s.prompt()
        assert s.state.cut_seq < dropped.first_seq not in s.state.nodes
        s.record(*round_of("openai_chat", 20, 60)[1:], user("next"))
        assert [text.count("heron") for text in texts(s.recall("heron crane"))] == [1]
        stored = [seq for turn in s.store.turns(s._key, range(s.state.seq + 1)) for seq in turn.origin_ids]
        assert len(stored) == len(set(stored)) == 7 * 2 + 3, "each message that says something is in one row"


def test_an_imported_history_is_searchable_at_once() -> None:
    with opened() as s:
        s.sync([message for number in range(30) for message in (user(f"Fact number{number}."), reply("ok"))])
        last = s.state.seq
        assert all(f"number{number}." in s.recall(f"number{number}").turns[0].text for number in range(30))
        assert s.state.seq == last + 1, "one entry for the newest turn, none for those that others followed"
