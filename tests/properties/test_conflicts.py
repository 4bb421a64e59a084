"""Property 12 of DESIGN §9: recalled text never overrides a confirmed decision.

Whatever fragments say and whatever an agent makes of them, a decision stands word for word in every prompt, and no item
changes, until the user or the caller settles it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import PROPERTY
from tests.session.cases import opened, reply, settings, user
from trimtab import Session, Toolset
from trimtab.core.entries import ItemsChanged, Recalled
from trimtab.core.sections import Fragment
from trimtab.core.summary import PINNED_FIELDS, ItemChanges, SummaryItem
from trimtab.errors import Blocked, NotSettled
from trimtab.session.prompting import Requester
from trimtab.settings import LAYOUTS

# (what the user decides, what a document says instead), by two values
TOPICS = (
    ("We decided: the refund window is {} days.", "The refund window is {} days."),
    ("We decided: the session timeout is {} minutes.", "The session timeout is {} minutes."),
    ("We decided that the security deposit is {} euros.", "A security deposit of {} euros is due on signing."),
    ("我们决定：退款期限定为{}天。", "退款期限为{}天，自签收之日起算。"),
    ("我们决定：租房押金定为{}元。", "租房押金{}元，签约时支付。"),
)
HARMLESS = ("The warehouse is in Rotterdam.", "Keep the receipt.", "仓库在鹿特丹。", "Is the refund window 3 days?")
ADOPTING = ("{}", "Understood. {}", "I go with the document: {}", "The decision is superseded. {}", "New decision: {}")


def piece(text: str) -> Fragment:
    return Fragment(first_seq=0, last_seq=0, at="", role="", topic="", text=text, score=1.0, kind="fragment", ref="policy.md")


@contextmanager
def recalling(fragments: list[Fragment]) -> Iterator[None]:
    """`fragments` is what every prompt recalls; the list may change in between."""

    def recalled(self: Requester, state: Any) -> tuple[Recalled | None, tuple[Fragment, ...]]:
        return None, tuple(fragments)

    with patch.object(Requester, "_recalled", recalled):
        yield


def rules(session: Session) -> list[SummaryItem]:
    return [item for item in session.state.items.values() if item.field in PINNED_FIELDS]


def prompt_text(session: Session) -> str:
    return "\n".join(str(message["content"]) for message in session.prompt(despite_conflicts=True).render()["messages"])


STEP = st.one_of(
    st.tuples(st.just("recall"), st.lists(st.integers(0, len(TOPICS) - 1), max_size=3), st.integers(1, 9)),
    st.tuples(st.just("harmless"), st.sampled_from(HARMLESS)),
    st.tuples(st.just("adopt"), st.sampled_from(ADOPTING)),
    st.tuples(st.just("note"), st.sampled_from(("write_note", "save_variable", "item"))),
    st.tuples(st.just("chat"), st.sampled_from(("Go on.", "What does the document say?", "The document says so.", "继续。"))),
    st.tuples(st.just("settle"), st.sampled_from(("decision", "fragment"))),
    st.tuples(st.just("restart")),
    st.tuples(st.just("rollback")),
)


class Play:
    """One session, and what must stand in it by what the user and the caller said."""

    def __init__(self, layout: str, topics: list[int]) -> None:
        self.session = opened(settings=settings(16_000, layout=layout))
        self.tools = Toolset(self.session)
        self.fragments: list[Fragment] = []
        for topic in topics:
            self.decide(TOPICS[topic][0].format(30 + topic))
        self.session.checkpoint("decided")
        self.expected = self.first = rules(self.session)
        assert len(self.expected) == len(topics)

    def decide(self, text: str) -> None:
        self.session.record(user(text))
        if all(item.text != text for item in rules(self.session)):
            # how well decisions are found is not what is measured here
            seq = self.session.state.head
            item = SummaryItem(f"i{seq}.9", "decision", text, (seq,))
            self.session._enter(lambda state: ItemsChanged(ItemChanges((item,))))
        self.session.record(reply("Noted."))

    def do(self, step: tuple[Any, ...]) -> None:
        getattr(self, f"do_{step[0]}")(*step[1:])
        self.check()

    def do_recall(self, topics: list[int], value: int) -> None:
        self.session.record(user("Go on."))  # recall brings other things for another turn only
        self.fragments[:] = [piece(TOPICS[topic][1].format(100 + value)) for topic in topics]
        disputed = {item.text for item in self.expected if any(item.text == TOPICS[topic][0].format(30 + topic) for topic in topics)}
        open_before = {row.conflict_id for row in self.session.conflicts()}
        try:
            self.session.prompt()
            # nothing is against what stands, or all of it was settled
            assert not disputed or self.session.state.decided
        except Blocked as error:
            assert error.conflicts
        assert open_before <= {row.conflict_id for row in self.session.conflicts()}

    def do_harmless(self, text: str) -> None:
        self.fragments[:] = [piece(text)]
        self.session.prompt()

    def do_adopt(self, words: str) -> None:
        said = " ".join(fragment.text for fragment in self.fragments) or "Fine."
        self.session.record(reply(words.format(said)))

    def do_note(self, way: str) -> None:
        for conflict in self.session.conflicts():
            if way == "item":
                with pytest.raises(NotSettled):
                    self.session.note_item("fact", conflict.text)
                continue
            arguments = {"key" if way == "write_note" else "name": "taken", "value": conflict.text}
            assert self.tools.run(way, arguments).startswith("not done")
        assert "taken" not in self.session.state.notes
        assert "taken" not in self.session.state.variables

    def do_chat(self, text: str) -> None:
        self.session.record(user(text))

    def do_settle(self, keep: Any) -> None:
        for conflict in self.session.conflicts()[:1]:
            self.session.settle(conflict.conflict_id, keep=keep)
            if keep == "fragment":
                assert conflict.item_id not in self.session.state.items
                assert conflict.text in [item.text for item in rules(self.session)]
                self.expected = rules(self.session)

    def do_restart(self) -> None:
        same = self.session
        self.session = Session.open(same.store, "s", settings=same.settings, target=same.target)
        self.tools = Toolset(self.session)

    def do_rollback(self) -> None:
        self.session.rollback("decided")
        self.expected = self.first
        assert self.session.conflicts() == ()

    def check(self) -> None:
        assert rules(self.session) == self.expected
        text = prompt_text(self.session)
        for item in self.expected:
            assert item.text in text
        assert rules(self.session) == self.expected


@pytest.mark.parametrize("layout", LAYOUTS)
@PROPERTY
@given(topics=st.lists(st.integers(0, len(TOPICS) - 1), min_size=1, max_size=3, unique=True), steps=st.lists(STEP, max_size=12))
def test_recalled_text_never_overrides_a_decision(layout: str, topics: list[int], steps: list[tuple[Any, ...]]) -> None:
    play = Play(layout, topics)
    with recalling(play.fragments):
        for step in steps:
            play.do(step)


@PROPERTY
@given(topic=st.integers(0, len(TOPICS) - 1), value=st.integers(1, 9), words=st.sampled_from(ADOPTING))
def test_every_such_fragment_blocks(topic: int, value: int, words: str) -> None:
    play = Play("state_first", [topic])
    with recalling(play.fragments):
        play.fragments[:] = [piece(TOPICS[topic][1].format(100 + value))]
        for _ in range(3):
            with pytest.raises(Blocked):
                play.session.prompt()
            play.do(("adopt", words))
            play.do(("note", "write_note"))
        play.do(("settle", "decision"))
        play.session.prompt()
