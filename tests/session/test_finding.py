"""find: by words, and by exact strings over the whole ledger."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.session.cases import call, opened, reply, result, round_of, settings, user
from trimtab import Session
from trimtab.errors import BadSetting
from trimtab.recall import query_terms, terms
from trimtab.recall.literals import literals_of
from trimtab.recall.needs import Need
from trimtab.session import literals
from trimtab.session.finding import EXACT_SCORE, _Look
from trimtab.session.reading import everything_of, stored_node
from trimtab.stores import LaneKey, StoredEntry, lane_scope, open_store


def test_an_identifier_is_found_wherever_it_stands_however_long_ago() -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        s.record(user("Look at the log."), call("c1", "logs", '{"host": "bk-eu-7"}'))
        s.record(result("c1", "INFO a\n" * 50 + "INFO trace 8f3a-77c1 done\n" + "INFO b\n" * 50), reply("Nothing special."))
        s.write_note("ticket", {"id": "OPS-4411"})
        for number in range(1, 20):
            s.record(*round_of("openai_chat", number, 60))
            prompt = s.prompt()
        assert "8f3a-77c1" not in prompt.render_bytes().decode()
        for query in ("8f3a-77c1", "what was trace 8f3a-77c1?", "8F3A-77C1"):
            hit = s.find(query)[0]
            assert hit.kind == "message" and "8f3a-77c1" in hit.text and hit.role == "tool"
        assert s.find("bk-eu-7", kinds=("message",))[0].role == "assistant"
        assert [(row.kind, row.ref) for row in s.find("OPS-4411")] == [("note", "ticket")]
        number = int(s.find("8f3a-77c1")[0].ref[1:])
        assert s.find(f"#{number}")[0].ref == f"#{number}"


def test_turns_are_found_by_words_and_items_with_their_status() -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        s.record(user("The delivery of the blue sofa was planned for a morning in spring."), reply("Noted."))
        s.record(user("All amounts must be in euros."), reply("ok"))
        for number in range(1, 20):
            s.record(*round_of("openai_chat", number, 60))
            s.prompt()
        assert "sofa" in s.find("when was the sofa delivered", kinds=("turn",))[0].text
        item = next(item for item in s.state.items.values() if "euros" in item.text)
        s.withdraw(item.item_id)
        found = s.find("amounts in euros", kinds=("item",))[0]
        assert (found.ref, found.status) == (item.item_id, "done")


def test_chinese_is_found_by_its_words() -> None:
    with opened() as s:
        s.record(user("客户希望在周五之前收到报价单。"), reply("好的。"), user("还有别的吗"))
        assert "报价单" in s.find("报价单")[0].text
        assert "报价单" in s.find("什么时候收到报价")[0].text


def test_kinds_and_limits() -> None:
    with opened() as s:
        for number in range(8):
            s.record(user(f"apples and pears {number}"))
        assert len(s.find("apples", limit=3)) == 3
        assert s.find("apples", kinds=("note",)) == ()
        assert s.find("   ") == ()
        assert s.find("apples", limit=0) == ()
        with pytest.raises(BadSetting, match="kind"):
            s.find("apples", kinds=("everything",))  # type: ignore[arg-type]


def test_what_a_rollback_left_behind_is_not_found() -> None:
    with opened() as s:
        s.record(user("start"))
        s.checkpoint("c")
        s.record(user("the secret word is xylophone-42"))
        s.rollback("c")
        assert s.find("xylophone-42") == ()


def test_a_huge_query_is_no_reason_to_stand_still() -> None:
    with opened() as s:
        s.record(user("hello"))
        for query in ("x" * 200_000, "价格" * 100_000, "a.b" * 60_000, "1" * 100_000):
            assert s.find(query) == ()


# ---------------------------------------------------------------- literals by the index


WORDS = (
    "delivery",
    "the",
    "价格",
    "是",
    "order",
    "改成",
    "CT-88213",
    "userId",
    "3.14",
    "src/a_b.py",
    "a@b.de",
    "https://a.de/x?id=7",
    "v2.0.1",
)
PLAIN = st.lists(st.one_of(st.sampled_from(WORDS), st.from_regex(r"[A-Za-z0-9_\-./:=&#]{1,14}", fullmatch=True)), min_size=1, max_size=8)
TEXT = st.builds(" ".join, PLAIN)
SPELLED = (
    "cities", "city", "using", "use", "noting", "note", "agreed", "agree", "running", "run", "carried", "carry", "o'clock", "oclock", "1,000", "1000",
    "changes", "changed", "boxes", "3.14", "C++", "user_id", "CT-88213", "ct", "don't", "is", "the", "价格表", "价格", "state-of-the-art", "12%", "a.b", "Änderung",
)  # fmt: skip
JSON = st.dictionaries(st.from_regex(r"[a-z_A-Z]{1,8}", fullmatch=True), st.one_of(TEXT, st.integers(), st.booleans()), max_size=4).map(
    json.dumps
)
CODE = st.builds(
    lambda name, text: f"def {name}(x_1):\n    return self.{name}[0] + {text!r}  # {text}\n",
    st.from_regex(r"[a-z_]{2,9}\d?", fullmatch=True),
    TEXT,
)
SAID = st.one_of(TEXT, JSON, CODE)
OPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(("user", "reply", "tool")), SAID),
        st.tuples(st.sampled_from(("prompt", "mark", "back", "edit", "reopen", "second")), TEXT),
    ),
    min_size=1,
    max_size=14,
)


class Talk:
    """Random play on one lane, by one session or another."""

    def __init__(self) -> None:
        self.store, self.marks = open_store(":memory:"), list[str]()
        self.session = self.another()

    def another(self) -> Session:
        return opened(self.store, settings=settings(4_000, mode="compact"))

    def play(self, number: int, op: str, text: str) -> None:
        s = self.session
        if op == "user":
            s.record(user(text), user(f"go on {'word ' * 100}"))
        elif op == "reply":
            s.record(reply(text))
        elif op == "tool":
            s.record(call(f"c{number}", "look_up", json.dumps({"q": text})), result(f"c{number}", f"{text} {'word ' * 100}"))
        elif op == "prompt" and s.state.units:
            s.prompt()
        elif op == "mark":
            self.marks.append(f"m{number}")
            s.checkpoint(self.marks[-1])
        elif op == "back" and self.marks:
            s.rollback(self.marks[-1])
        elif op == "edit":
            s.sync([user(f"first {text}"), reply(text)])
            self.marks = []
        elif op == "reopen":
            self.session = self.another()
        elif op == "second":
            self.another().record(user(text))

    def messages(self) -> dict[str, str]:
        """All that is said on the branch, by message."""
        lane = self.session._lane
        lane.catch_up()
        rows = [row.seq for row in self.store.load(lane.key) if row.kind == "message" and lane.state.contains(row.seq)]
        return {f"#{seq}": everything_of(self.session._bodies.message(stored_node(lane, seq))) for seq in rows}


@given(OPS)
def test_every_literal_of_every_message_of_the_branch_is_found_with_the_message(ops: list[tuple[str, str]]) -> None:
    talk = Talk()
    for number, (op, text) in enumerate(ops):
        talk.play(number, op, text)
    said = talk.messages()
    found: dict[str, set[str]] = {}
    for ref, text in said.items():
        for literal in literals_of(text):
            if literal not in found:
                found[literal] = {hit.ref for hit in talk.session.find(literal, limit=500, kinds=("message",))}
            assert ref in found[literal], literal
    assert set().union(*found.values()) <= set(said)


def test_a_literal_is_looked_up_and_a_longer_one_that_begins_with_it_ranks_below(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        s.record(user("Order CT-88213 is late."), call("c1", "orders", '{"id": "CT-88213-B"}'), result("c1", "sent"), reply("Sent."))
        for number in range(1, 20):
            s.record(*round_of("openai_chat", number, 60))
            s.prompt()
        read: list[int] = []
        load = s.store.load

        def counted(key: LaneKey, after_seq: int = 0, upto_seq: int | None = None) -> list[StoredEntry]:
            read.append(after_seq)
            return load(key, after_seq, upto_seq)

        monkeypatch.setattr(s.store, "load", counted)
        hits = s.find("ct-88213", kinds=("message",))
        assert 0 not in read, "the ledger was read through"
        assert [(hit.role, hit.why) for hit in hits] == [("user", "exact"), ("assistant", "begins with it")]
        assert hits[0].score > EXACT_SCORE > hits[1].score
        # what the index does not know is read for, and so is a phrase
        assert "CT-88213" in s.find("T-8821", kinds=("message",))[0].text and 0 in read
        assert s.find("88213 is late", kinds=("message",))[0].why == "exact"


def test_a_database_that_is_older_than_the_index_is_filled_up_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "db", settings=settings(8_000, mode="compact")) as s:
        for number in range(1, 9):
            s.record(*round_of("openai_chat", number, 20))
            s.prompt()
        s.record(call("c1", "orders", '{"id": "CT-88213"}'), result("c1", "is sent"))
        last = s.state.seq
    with sqlite3.connect(tmp_path / "db") as db:
        db.execute("INSERT INTO literals (literals) VALUES ('delete-all')")
        db.execute("UPDATE lanes SET literals_from = last_seq, literals_upto = 0")
    db.close()
    monkeypatch.setattr(literals, "_PIECE", 5)
    with opened(tmp_path / "db", settings=settings(8_000, mode="compact")) as s:
        s.record(reply("CT-99000 too"))
        assert s.store.literals_upto(s._key) == 0
        for literal in ("CT-88213", "w3x7", "w8x19", "CT-99000"):
            assert s.find(literal, kinds=("message",))[0].why == "exact"
        assert s.store.literals_upto(s._key) == s.state.seq > last
        assert len(s.store.find_literal(lane_scope(s._key), "w3x7")) == 3


def test_turns_are_found_as_recall_finds_them() -> None:
    with opened() as s:
        s.record(user("The rent for the workshop is 840 euros."), reply("Noted."))
        s.record(user("The van needs new tires."), reply("I will look for some."), user("next"))
        turn = s.find("workshop rent", kinds=("turn",))[0]
        best = s.recall("workshop rent").turns[0]
        assert (turn.ref, turn.at_ms, turn.role) == (f"#{best.first_seq}", best.at_ms, "user")
        assert turn.score == pytest.approx(best.score, abs=1e-3)
        assert "workshop" in turn.topic and "words" in turn.why
        # a need bounds and ranks
        assert s.find(Need("workshop rent", time_range=(1, 2))) == ()
        assert s.find(Need(entities=("van",)), kinds=("turn",))[0].text.startswith("user: The van")


@given(st.lists(st.sampled_from(SPELLED), min_size=1, max_size=4), st.lists(st.sampled_from(SPELLED), max_size=9))
def test_what_is_passed_over_without_reading_its_words_shares_too_few(query: list[str], text: list[str]) -> None:
    look = _Look(" ".join(query))
    wanted, has = set(query_terms(" ".join(query))), set(terms(" ".join(text)))
    share = len(wanted & has) / len(wanted) if wanted else 0.0
    assert look.shared(" ".join(text)) == (share if share >= 1 / 3 else 0.0)
