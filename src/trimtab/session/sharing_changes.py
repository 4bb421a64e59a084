"""What a lane takes in from another one, worked out from the states of both (REQUIREMENTS M9).

It is a comparison, not a log that is read on: what the other one has now against what was taken from it before. So what it
replaced, closed, rolled back or no longer shows leaves here too, and nothing can come in twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct

from trimtab.core import entries as e
from trimtab.core.sharing import Peer, Taken, prefix_of
from trimtab.core.state import SessionState
from trimtab.core.summary import PINNED_FIELDS, ItemChanges, SummaryItem

# who an agent is and what the system text of one agent makes of it is no other agent's business
_OWN_FIELDS = frozenset({"role"})
# whose words can be rules
_RULE_AUTHORS = frozenset({"code", "user"})
# offloaded by itself: a tool result, which is nobody's knowledge yet
_BY_ITSELF = "auto"
# mark of a message that comes as a note; those of notes have a colon
GIVEN_MESSAGE = "message"


class Ended(Struct, frozen=True):
    """An item of `lane` that was closed or replaced in the lane `by`."""

    lane: str
    item_id: str
    by: str


class Known(Struct, frozen=True):
    """One lane of the session: its name, its state, and whether it shows only what it gave by name."""

    lane: str
    state: SessionState
    is_private: bool = False


def ended_in(others: Iterable[Known]) -> list[Ended]:
    """What every other lane has ended of any lane's items. A private lane ends what it ends for itself alone."""
    return [
        Ended(lane, item_id, other.lane)
        for other in others
        if not other.is_private
        for lane, peer in other.state.shared.items()
        for item_id in peer.ended
    ]


# ---------------------------------------------------------------- what a lane gives


def offered_items(other: Known) -> list[SummaryItem]:
    """Its own live items, and of what it took in from others nothing."""
    state = other.state
    foreign = {item_id for peer in state.shared.values() for item_id in peer.items.values()}
    given = frozenset(state.given.item_ids)
    return [
        item
        for item in state.items.values()
        if item.item_id not in foreign and item.field not in _OWN_FIELDS and (not other.is_private or item.item_id in given)
    ]


def offered_notes(other: Known) -> dict[str, str]:
    """Key -> mark of its notes, and of the messages that it gave ("#12")."""
    state, given = other.state, other.state.given
    foreign = {taken.name for peer in state.shared.values() for taken in peer.notes.values()}
    notes = {
        key: f"{note.version}:{note.body_id}"
        for key, note in state.notes.items()
        if note.body_id and key not in foreign and (not other.is_private or key in given.notes)
    }
    return notes | {f"#{seq}": GIVEN_MESSAGE for seq in given.seqs if state.contains(seq)}


def offered_meta_notes(other: Known) -> dict[str, str]:
    state, given = other.state, other.state.given
    foreign = {taken.name for peer in state.shared.values() for taken in peer.meta_notes.values()}
    by_itself = {name for name, variable in state.variables.items() if variable.author == _BY_ITSELF}
    return {
        key: str(note.seq)
        for key, note in state.meta_notes.items()
        if key in given.meta_notes or (key not in foreign and key not in by_itself and not other.is_private)
    }


def offered_variables(other: Known) -> dict[str, str]:
    state, given = other.state, other.state.given
    foreign = {taken.name for peer in state.shared.values() for taken in peer.variables.values()}
    return {
        name: f"{variable.version}:{variable.body_id}:{variable.source_seq}"
        for name, variable in state.variables.items()
        if name in given.variables or (name not in foreign and variable.author != _BY_ITSELF and not other.is_private)
    }


# ---------------------------------------------------------------- what is taken of it


def taken_items(state: SessionState, other: Known, origin: str, me: str, ended: Iterable[Ended]) -> tuple[e.Shared, ItemChanges]:
    """The record of what comes and goes, without notes and the like, and the changes of the items that follow from it.

    Args:
        origin: of the other lane's items, as they are to say.
        me: this lane.
        ended: see `ended_in`, of all other lanes.
    """
    peer = state.shared.get(other.lane) or Peer(len(state.shared) + 1)
    offered = {item.item_id: item for item in offered_items(other)}
    over = {row.item_id for row in ended if row.lane == other.lane}
    gone = tuple(key for key in {**peer.items, **peer.doubles} if key not in offered)
    fresh, doubles = _sorted_out(state, peer, [item for key, item in offered.items() if key not in over])
    closing = [*(peer.items[key] for key in gone if peer.items.get(key)), *(mine := _ended_here(state, other.lane, me, ended))]
    added = [_renamed(item, peer, origin) for item in fresh]
    back = _standing_again(state, peer, other.lane, me, ended)
    record = e.Shared(
        from_lane=other.lane,
        upto_seq=other.state.seq,
        items=tuple((old.item_id, new.item_id) for old, new in zip(fresh, added, strict=True)),
        doubles=doubles,
        gone=gone,
        ended=tuple(mine),
        restored=tuple(item.item_id for item in back),
    )
    heirs = {item.supersedes for item in added}
    live = [item_id for item_id in closing if item_id in state.items]
    changes = ItemChanges(
        added=(*added, *back),
        superseded=tuple(item_id for item_id in live if item_id in heirs),
        closed=tuple(item_id for item_id in live if item_id not in heirs),
    )
    return record, changes


def _sorted_out(state: SessionState, peer: Peer, items: Iterable[SummaryItem]) -> tuple[list[SummaryItem], tuple[tuple[str, str], ...]]:
    """Items that are new here, and those that say what stands here already."""
    said = {_words(item): item.item_id for item in state.items.values()}
    fresh: list[SummaryItem] = []
    doubles: list[tuple[str, str]] = []
    for item in items:
        if item.item_id in peer.items or peer.doubles.get(item.item_id) in state.items:
            continue
        here = said.get(_words(item))
        if here is not None:
            doubles.append((item.item_id, here))
        else:
            fresh.append(item)
            said[_words(item)] = prefix_of(peer.number) + item.item_id
    return fresh, tuple(doubles)


def _words(item: SummaryItem) -> tuple[str, str]:
    return _field_here(item), item.text


def _field_here(item: SummaryItem) -> str:
    """What an agent or a model proposed is a fact to others, never a rule."""
    return "fact" if item.field in PINNED_FIELDS and item.author not in _RULE_AUTHORS else item.field


def _renamed(item: SummaryItem, peer: Peer, origin: str) -> SummaryItem:
    prefix = prefix_of(peer.number)
    return msgspec.structs.replace(
        item,
        item_id=prefix + item.item_id,
        field=_field_here(item),
        origin=item.origin or origin,
        supersedes=peer.items.get(item.supersedes, "") if item.supersedes else "",
    )


def _ended_here(state: SessionState, by: str, me: str, ended: Iterable[Ended]) -> list[str]:
    """Items that stand here and that the lane `by` ended. A question that is in dispute here stays open (REQUIREMENTS R5)."""
    disputed = {conflict.item_id for conflict in state.conflicts.values() if conflict.kind == "open_question"}
    here = (_here(state, row, me) for row in ended if row.by == by)
    return [item_id for item_id in here if item_id in state.items and item_id not in disputed]


def _here(state: SessionState, row: Ended, me: str) -> str:
    if row.lane == me:
        return row.item_id
    peer = state.shared.get(row.lane)
    return peer.items.get(row.item_id, "") if peer is not None else ""


def _standing_again(state: SessionState, peer: Peer, by: str, me: str, ended: Iterable[Ended]) -> list[SummaryItem]:
    """What the other lane had ended here, and has no longer: it rolled back."""
    still = {row.item_id if row.lane == me else _id_here(state, row) for row in ended if row.by == by}
    return [item for item_id, item in peer.held.items() if item_id not in still and item_id not in state.items]


def _id_here(state: SessionState, row: Ended) -> str:
    peer = state.shared.get(row.lane)
    return prefix_of(peer.number) + row.item_id if peer is not None else ""


def taken_values(lane: str, known: Mapping[str, Taken], offered: Mapping[str, str], names: Iterable[str]) -> tuple[Taken, ...]:
    """Notes, meta notes or variables of a lane that are new, changed or gone.

    Args:
        known: what was taken of it before.
        offered: key -> mark.
        names: what is in use here.
    """
    used = set(names)
    changed = []
    for key, mark in offered.items():
        old = known.get(key)
        if old is None or old.mark != mark:
            name = old.name if old is not None else _free_name(lane, key, used)
            used.add(name)
            changed.append(Taken(key, name, mark))
    return (*changed, *(Taken(key, "") for key in known if key not in offered))


def _free_name(lane: str, key: str, used: set[str]) -> str:
    """ "writer/plan"; with a number where that is in use. No name begins with "#", which stands for messages."""
    return next(name for name in _names(f"{lane}/{key}".lstrip("#"), len(used)) if name not in used)


def _names(name: str, most: int) -> Iterator[str]:
    yield name
    yield from (f"{name} ({number})" for number in range(2, most + 3))
