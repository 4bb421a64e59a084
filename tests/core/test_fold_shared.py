"""Entries of the library and of shared memory: they are decoded forever, and what they do to the state."""

from __future__ import annotations

import pytest

from trimtab.core import entries as e
from trimtab.core.fold import apply
from trimtab.core.library import DocumentPiece
from trimtab.core.sharing import MOST_ENDED_HERE, MOST_HELD, Taken, origin_group
from trimtab.core.state import MOST_ROUTINE_ITEMS, SessionState
from trimtab.core.summary import ItemChanges, SummaryItem

# as they were written once; never to be edited
WRITTEN: dict[bytes, e.Entry] = {
    b'{"type":"document","name":"a.md","kind":"md","title":"T","body_id":"b","digest":"d","first_id":4,"chars":9,'
    b'"pieces":[[0,["T"],"prose",0,9,2,3,"h"]]}': e.DocumentAdded(
        "a.md", "md", "T", "b", "d", 4, 9, (DocumentPiece(0, ("T",), "prose", 0, 9, 2, 3, "h"),)
    ),
    b'{"type":"document_dropped","name":"a.md"}': e.DocumentDropped("a.md"),
    b'{"type":"shared","from_lane":"b","upto_seq":7,"items":[["i1.0","p1-i1.0"]],"gone":["i0.0"],"notes":[["k","b/k","1:x"]]}': e.Shared(
        "b", 7, items=(("i1.0", "p1-i1.0"),), gone=("i0.0",), notes=(Taken("k", "b/k", "1:x"),)
    ),
    b'{"type":"given","seqs":[12],"notes":["k"]}': e.Given(seqs=(12,), notes=("k",)),
    b'{"type":"checkpoint","name":"x"}': e.Checkpointed("x"),
    b'{"type":"rollback","to_seq":3,"name":"x"}': e.RolledBack(3, "x"),
}


@pytest.mark.parametrize("data", WRITTEN)
def test_entries_are_read_and_written_as_ever(data: bytes) -> None:
    assert e.decode_entry(data) == WRITTEN[data]
    assert e.encode_entry(WRITTEN[data]) == data


def folded(*entries: e.Entry) -> SessionState:
    state = SessionState()
    for seq, entry in enumerate(entries, 1):
        apply(state, seq, entry)
    return state


def document(name: str, first_id: int, pieces: int) -> e.DocumentAdded:
    return e.DocumentAdded(name, "txt", "", "b", "d", first_id, 9, tuple(DocumentPiece(n, (), "prose", n, n + 1) for n in range(pieces)))


def test_numbers_of_pieces_are_never_given_again() -> None:
    state = folded(document("a", 1, 3), e.DocumentDropped("a"), document("b", 4, 2), document("b", 6, 1))
    assert list(state.documents) == ["b"]
    assert (list(state.documents["b"].piece_ids), state.documents["b"].seq, state.piece_count) == ([6], 4, 6)


def item(item_id: str, field: str = "fact", origin: str = "") -> SummaryItem:
    return SummaryItem(item_id, field, f"text of {item_id}", (1,), origin=origin)  # type: ignore[arg-type]


def added(*items: SummaryItem) -> e.ItemsChanged:
    return e.ItemsChanged(ItemChanges(items))


def test_what_ends_here_is_told_to_those_it_came_from_and_what_they_end_is_not() -> None:
    came: list[e.Entry] = [e.Shared("b", 5, items=(("i1.0", "p1-i1.0"), ("i2.0", "p1-i2.0"))), added(item("p1-i1.0"), item("p1-i2.0"))]
    here = folded(*came, e.ItemsChanged(ItemChanges(closed=("p1-i1.0",))))
    assert (here.shared["b"].ended, here.shared["b"].items) == (["i1.0"], {"i1.0": "", "i2.0": "p1-i2.0"})
    there = folded(*came, e.Shared("b", 6, gone=("i1.0",)), e.ItemsChanged(ItemChanges(closed=("p1-i1.0",))))
    assert (there.shared["b"].ended, there.shared["b"].items) == ([], {"i2.0": "p1-i2.0"})
    assert there.news == ["p1-i2.0"]


def test_a_double_ends_with_what_says_the_same() -> None:
    state = folded(added(item("i1.0")), e.Shared("b", 5, doubles=(("i9.0", "i1.0"),)), e.ItemsChanged(ItemChanges(closed=("i1.0",))))
    assert (state.shared["b"].doubles, state.shared["b"].ended) == ({}, ["i9.0"])


def test_what_is_kept_of_the_past_is_bounded() -> None:
    entries: list[e.Entry] = []
    for number in range(MOST_HELD + 10):
        entries += [added(item(f"i{number}.0")), e.Shared("b", number, ended=(f"i{number}.0",))]
    assert len(folded(*entries).shared["b"].held) == MOST_HELD
    entries = []
    for number in range(MOST_ENDED_HERE + 10):
        key, here = f"i{number}.0", f"p1-i{number}.0"
        entries += [e.Shared("b", number, items=((key, here),)), added(item(here)), e.ItemsChanged(ItemChanges(closed=(here,)))]
    assert len(folded(*entries).shared["b"].ended) == MOST_ENDED_HERE


def test_facts_from_elsewhere_do_not_push_out_ones_own() -> None:
    own = [item(f"i{number}.0") for number in range(MOST_ROUTINE_ITEMS)]
    others = [item(f"p1-i{number}.0", origin="s/b") for number in range(MOST_ROUTINE_ITEMS + 5)]
    state = folded(added(*own), added(*others))
    assert sum(not origin_group(item_id) for item_id in state.items) == MOST_ROUTINE_ITEMS
    assert sum(origin_group(item_id) == "p1" for item_id in state.items) == MOST_ROUTINE_ITEMS
    assert [origin_group(name) for name in ("i1.0", "h2-i1.0", "p1-h2-i1.0")] == ["", "h2", "p1-h2"]


def test_what_was_given_adds_up() -> None:
    state = folded(e.Given(seqs=(4,), notes=("a",)), e.Given(seqs=(2, 4), notes=("b",), item_ids=("i1.0",)))
    assert state.given == e.Given(seqs=(2, 4), notes=("a", "b"), item_ids=("i1.0",))
