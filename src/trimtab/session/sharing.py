"""Several agents on one task: each lane takes in what the other lanes of its session came to know (REQUIREMENTS M9).

No message goes from one lane to another. What is taken in stands in this lane's own ledger, so that planning depends on
nothing else and every prompt can be rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from trimtab.core import entries as e
from trimtab.core.entries import Entry
from trimtab.core.sharing import Peer, Taken
from trimtab.core.state import SessionState
from trimtab.errors import CorruptEntry, Erased, NotFound, SchemaTooNew
from trimtab.session.base import SessionBase
from trimtab.session.lane import Lane, Write
from trimtab.session.reading import message_text, stored_node, variable_text
from trimtab.session.sharing_changes import (
    GIVEN_MESSAGE,
    Ended,
    Known,
    ended_in,
    offered_meta_notes,
    offered_notes,
    offered_variables,
    taken_items,
    taken_values,
)
from trimtab.stores import Body, LaneKey

# what one lane gives may set free what another had to say; more rounds than this settle nothing more
_MOST_PASSES = 4


class SharingPart(SessionBase):
    """share, take_in."""

    _others: dict[LaneKey, Lane] | None = None
    _looked: object = None

    def share(self, *what: int | str) -> None:
        """Give something to the other lanes of this session by name: what a private lane keeps to itself otherwise.

        A message comes to them as the note "LANE/#12", with its words as they stand; an item, a note, a meta note or a
        variable as it would come from a lane that is not private.

        Args:
            what: the number of a message (12 or "#12"), an item's id, a key or a name.
        Raises:
            NotFound: there is none of that name on this branch.
        """
        with self._open_lock():
            self._lane.catch_up()
            entries = [self._given(one) for one in what]
            for entry in entries:
                self._enter(lambda state, entry=entry: entry if _adds(state.given, entry) else None)  # type: ignore[misc]

    def _given(self, what: int | str) -> e.Given:
        state = self._lane.state
        number = str(what).removeprefix("#")
        if isinstance(what, int) or (what.startswith("#") and number.isdecimal()):
            return e.Given(seqs=(stored_node(self._lane, int(number)).seq,))
        if what in state.items:
            return e.Given(item_ids=(what,))
        notes, variables, meta_notes = ((what,) if what in there else () for there in (state.notes, state.variables, state.meta_notes))
        if not (notes or variables or meta_notes):
            known = (*state.items, *state.notes, *state.variables, *state.meta_notes)
            raise NotFound("item, note or variable", what, known[-20:])
        return e.Given(notes=notes, variables=variables, meta_notes=meta_notes)

    def take_in(self) -> tuple[str, ...]:
        """Bring this lane up to what the other lanes of its session know. Done before each prompt and in `maintain` where
        the session was opened with `shares=True`.

        Returns:
            the lanes that had something new.
        """
        with self._open_lock():
            told: dict[str, None] = {}
            for _ in range(_MOST_PASSES):
                others = self._known_others()
                mark = (self._lane.state.seq, [(one.lane, one.state.seq, one.is_private) for one in others])
                if mark == self._looked:
                    break
                before = self._lane.state.seq
                told |= dict.fromkeys(other.lane for other in others if self._took(other, ended_in(others)))
                if self._lane.state.seq == before:
                    self._looked = mark
                    break
            return tuple(told)

    def _take_in_shared(self) -> None:
        if self.settings.sharing == "session":
            self.take_in()

    def _known_others(self) -> list[Known]:
        """The other lanes of this session as they are now, by name."""
        lanes = self._others = self._others if self._others is not None else {}
        key = self._key
        found = []
        for other in self._store.lanes(key.tenant_id, key.project_id, key.session_id):
            if other == key:
                continue
            try:
                if other not in lanes:
                    lanes[other] = Lane(self._store, other)
                else:
                    lanes[other].catch_up()
            except (CorruptEntry, SchemaTooNew):
                continue  # what was taken of it before stays; its own agent is told
            found.append(Known(other.lane_id, lanes[other].state, self._store.is_private(other)))
        return found

    # ------------------------------------------------------------ one lane

    def _took(self, other: Known, ended: Sequence[Ended]) -> bool:
        """Take in what one lane has; whether there was anything."""
        before = self._lane.state.seq
        self._lane.write(lambda state, seq: self._from(state, other, ended))
        return self._lane.state.seq != before

    def _from(self, state: SessionState, other: Known, ended: Sequence[Ended]) -> Write | None:
        """What is to be written to take in what one lane has; None for nothing."""
        origin = f"{self._key.session_id}/{other.lane}"
        record, changes = taken_items(state, other, origin, self._key.lane_id, ended)
        peer = state.shared.get(other.lane) or Peer(0)
        record = msgspec.structs.replace(
            record,
            notes=taken_values(other.lane, peer.notes, offered_notes(other), state.notes),
            meta_notes=taken_values(other.lane, peer.meta_notes, offered_meta_notes(other), state.meta_notes),
            variables=taken_values(other.lane, peer.variables, offered_variables(other), state.variables),
        )
        if not changes and not any(getattr(record, field) for field in record.__struct_fields__[2:]):
            return None
        write = Write(entries=[record])
        if changes:
            write.entries.append(e.ItemsChanged(changes))
        lane = self._lanes_of(other.lane)
        write.entries += self._note_entries(state, lane, peer, record.notes, write)
        write.entries += self._meta_note_entries(lane, peer, record.meta_notes)
        write.entries += self._variable_entries(state, lane, peer, record.variables, write)
        return write

    def _lanes_of(self, lane_id: str) -> Lane:
        assert self._others is not None
        return self._others[msgspec.structs.replace(self._key, lane_id=lane_id)]

    def _note_entries(self, state: SessionState, lane: Lane, peer: Peer, rows: Sequence[Taken], write: Write) -> Iterator[Entry]:
        for row in rows:
            name = row.name or peer.notes[row.key].name
            version = state.notes[name].version + 1 if name in state.notes else 1
            if not row.name:
                yield e.NoteWritten(name, version, "")
                continue
            try:
                body_id, payload = self._note_of(lane, row)
            except Erased:
                continue
            self._bodies.remember(body_id, payload)
            # stored once for all lanes; that this lane holds it too is noted
            write.bodies.append(Body(body_id, payload))
            yield e.NoteWritten(name, version, body_id)

    def _note_of(self, lane: Lane, row: Taken) -> tuple[str, bytes]:
        """(body id, JSON) of a note, or of a message as a note."""
        if row.mark != GIVEN_MESSAGE:
            body_id = lane.state.notes[row.key].body_id
            return body_id, self._bodies.get(body_id)
        message = self._bodies.message(stored_node(lane, int(row.key.removeprefix("#"))))
        payload = msgspec.json.encode(f"{message.role}: {message_text(message)}")
        return self._hasher.body_id("note", payload), payload

    @staticmethod
    def _meta_note_entries(lane: Lane, peer: Peer, rows: Sequence[Taken]) -> Iterator[Entry]:
        for row in rows:
            note = lane.state.meta_notes.get(row.key) if row.name else None
            # what it describes is not in this lane's history: the note always stands
            yield e.MetaNoted(row.name, note.structures, note.text) if note is not None else e.MetaNoted(peer.meta_notes[row.key].name)

    def _variable_entries(self, state: SessionState, lane: Lane, peer: Peer, rows: Sequence[Taken], write: Write) -> Iterator[Entry]:
        for row in rows:
            name = row.name or peer.variables[row.key].name
            old = state.variables.get(name)
            version = old.version + 1 if old is not None else 1
            if not row.name:
                if old is not None:
                    yield e.VariableStored(name, old.version, old.kind, "", 0, 0, "")
                continue
            variable = lane.state.variables[row.key]
            try:
                payload = variable_text(lane, self._bodies, variable).encode("utf-8", "replace")
            except Erased:
                continue
            body_id = self._hasher.body_id("variable", payload)
            self._bodies.remember(body_id, payload)
            write.bodies.append(Body(body_id, payload))
            fields = msgspec.structs.asdict(variable)
            yield e.VariableStored(**fields | {"name": name, "version": version, "body_id": body_id, "source_seq": 0, "call_id": ""})


def _adds(given: e.Given, entry: e.Given) -> bool:
    return any(set(getattr(entry, field)) - set(getattr(given, field)) for field in e.Given.__struct_fields__)
