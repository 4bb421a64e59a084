"""Several lanes of one session, in any order of doing and looking: each knows what all that are not private know, once."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import PROPERTY
from tests.session.cases import opened, user
from trimtab import Session
from trimtab.stores import SqliteStore, Store, open_store

LANES = ("a", "b", "c")
_FOREIGN = re.compile(r"p\d+-")

acts = st.lists(
    st.tuples(
        st.sampled_from(LANES),
        st.sampled_from(
            ("fact", "note", "meta", "variable", "message", "close", "close", "take", "take", "restart", "hide", "show", "mark", "back")
        ),
        st.integers(0, 5),
    ),
    max_size=40,
)


class Team:
    """Three lanes, and what is done to them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.open: dict[str, Session] = {name: self.lane(name) for name in LANES}
        self.private: set[str] = set()
        self.marked: set[str] = set()

    def lane(self, name: str, **changes: Any) -> Session:
        return opened(self.store, lane=name, shares=True, **changes)

    def do(self, name: str, act: str, number: int) -> None:
        session = self.open[name]
        if act == "fact":
            session.note_item("fact", f"fact {number}")
        elif act == "note":
            session.write_note(f"note {number}", [name, number, session.state.seq])
        elif act == "meta":
            session.meta_note(f"meta {number}", text=f"{name} {session.state.seq}")
        elif act == "variable":
            session.offload(f"variable {number}", f"{name} {session.state.seq}")
        elif act == "message":
            session.record(user(f"Never open box {number}."))
        elif act == "take":
            session.take_in()
        elif act == "restart":
            self.open[name] = self.lane(name)
        elif act in ("hide", "show"):
            self.open[name] = self.lane(name, private=act == "hide")
            (self.private.add if act == "hide" else self.private.discard)(name)
        elif act == "mark":
            session.checkpoint("mark")
            self.marked.add(name)
        elif act == "back" and name in self.marked:
            session.rollback("mark")
        elif act == "close":
            self.close(name, session, number)

    def close(self, name: str, session: Session, number: int) -> None:
        # what a private lane ends of others it ends for itself: the union would not hold for it
        ids = [item_id for item_id in session.state.items if name not in self.private or not _FOREIGN.match(item_id)]
        if ids:
            session.withdraw(ids[number % len(ids)])

    def settle(self) -> None:
        for _ in range(4):
            for session in self.open.values():
                session.take_in()


def own(session: Session) -> set[tuple[str, str]]:
    return {(item.field, item.text) for item in session.state.items.values() if not _FOREIGN.match(item.item_id)}


def values_of(session: Session, known: Session, prefix: str) -> dict[str, Any]:
    """Notes, meta notes and variables of one lane as another one has them."""
    notes = {key: known.read_note(prefix + key) for key, note in session.state.notes.items() if "/" not in key and note.body_id}
    metas = {key: known.state.meta_notes[prefix + key].text for key in session.state.meta_notes if "/" not in key}
    variables = {key: known.read(prefix + key) for key in session.state.variables if "/" not in key}
    return {"notes": notes, "meta": metas, "variables": variables}


@PROPERTY
@given(acts)
def test_every_lane_knows_what_all_know_that_are_not_private(script: list[tuple[str, str, int]]) -> None:
    store = open_store(":memory:")
    assert isinstance(store, SqliteStore)
    team = Team(store)
    for step in script:
        team.do(*step)
    team.settle()
    for name, session in team.open.items():
        seen = [other for other in LANES if other == name or other not in team.private]
        expected = set().union(*(own(team.open[other]) for other in seen))
        have = [(item.field, item.text) for item in session.state.items.values()]
        # what a private lane ended of others ended for itself alone, also where it was not private then
        over = {item_id for peer in session.state.shared.values() for item_id in peer.ended} if name in team.private else set()
        assert set(have) == expected or (over and own(session) <= set(have) < expected)
        foreign = [row for row in session.state.items.values() if _FOREIGN.match(row.item_id)]
        assert len({row.text for row in foreign}) == len(foreign), "something came in twice"
        for other in seen:
            if other != name:
                assert values_of(team.open[other], session, f"{other}/") == values_of(team.open[other], team.open[other], "")
        for hidden in team.private - {name}:
            assert not [key for key, note in session.state.notes.items() if key.startswith(f"{hidden}/") and note.body_id]
            assert not [key for key in (*session.state.variables, *session.state.meta_notes) if key.startswith(f"{hidden}/")]
    # nothing is left to say, also after a restart
    seqs = {name: session.state.seq for name, session in team.open.items()}
    for name in LANES:
        team.open[name] = team.lane(name)
        assert team.open[name].take_in() == ()
    assert {name: session.state.seq for name, session in team.open.items()} == seqs
