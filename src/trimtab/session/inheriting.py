"""A session that goes on from another one: its summary, rules, notes, meta notes and variables (REQUIREMENTS M9)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from trimtab.core import entries as e
from trimtab.core.entries import Entry
from trimtab.core.state import SessionState
from trimtab.core.summary import ItemChanges, SummaryItem
from trimtab.errors import BadSetting, NotFound
from trimtab.session.base import SessionBase
from trimtab.session.lane import Lane, Write
from trimtab.session.reading import variable_text
from trimtab.stores import Body, LaneKey


class InheritPart(SessionBase):
    """inherit."""

    def inherit(self, session_id: str, *, lane: str = "main", project: str | None = None) -> e.Inherited:
        """Take over what another session of the same tenant knows, as of now; its messages stay where they are.

        Rules, decisions and the other live items of its summary come with the name of their session as `origin`;
        notes, meta notes, variables and pins come with their values, brief and meta context where this session has
        none. The same session can be inherited from once.

        Args:
            session_id, lane, project: which session; the project is this session's own by default.
        Returns:
            the entry that records it; `upto_seq` is how far the other session had come.
        Raises:
            NotFound: no such session, with those there are.
            BadSetting: this very session, or one that was inherited from already.
        """
        key = LaneKey(self._key.tenant_id, project or self._key.project_id, session_id, lane)
        if key == self._key:
            raise BadSetting("inherit", session_id, "another session than this one")
        with self._open_lock():
            self._lane.catch_up()
            if any(_source(entry) == (key.project_id, session_id, lane) for entry in self._lane.state.inherited):
                raise BadSetting("inherit", session_id, "a session that this one has not inherited from already")
            other = Lane(self._store, key)
            if not other.last_seq:
                rows = self._store.sessions(key.tenant_id, key.project_id)
                known = sorted({row.session_id for row in rows if not row.session_id.startswith("@")} - {self._key.session_id})
                raise NotFound("session", session_id, tuple(known))
            entry = e.Inherited(session_id, lane, other.state.seq, key.project_id)

            def build(state: SessionState, seq: int) -> Write:
                write = Write(entries=[entry])
                write.entries += _rules(state, other.state)
                items = tuple(_renamed(item, f"{session_id}/{lane}", len(state.inherited) + 1) for item in other.state.items.values())
                if items:
                    write.entries.append(e.ItemsChanged(ItemChanges(items)))
                write.entries += self._notes_of(state, other.state, write)
                write.entries += self._variables_of(state, other, write)
                return write

            self._lane.write(build)
            return entry

    def _notes_of(self, state: SessionState, other: SessionState, write: Write) -> Iterator[Entry]:
        for key, note in other.notes.items():
            if note.body_id:
                write.bodies.append(Body(note.body_id, self._bodies.get(note.body_id)))
                version = state.notes[key].version + 1 if key in state.notes else 1
                yield e.NoteWritten(key, version, note.body_id)
        for meta in other.meta_notes.values():
            # what it describes is not in this session's history: from here on the note always stands
            yield e.MetaNoted(meta.key, meta.structures, meta.text)

    def _variables_of(self, state: SessionState, other: Lane, write: Write) -> Iterator[Entry]:
        for variable in other.state.variables.values():
            payload = variable_text(other, self._bodies, variable).encode("utf-8", "replace")
            body_id = self._hasher.body_id("variable", payload)
            self._bodies.remember(body_id, payload)
            write.bodies.append(Body(body_id, payload))
            fields = msgspec.structs.asdict(variable) | {"body_id": body_id, "source_seq": 0, "call_id": ""}
            fields["version"] = state.variables[variable.name].version + 1 if variable.name in state.variables else 1
            yield e.VariableStored(**fields)


def _source(entry: e.Inherited) -> tuple[str, str, str]:
    return entry.project_id, entry.session_id, entry.lane_id


def _rules(state: SessionState, other: SessionState) -> Iterator[Entry]:
    if other.brief and not state.brief:
        yield e.BriefSet(other.brief)
    if (other.meta.identity, other.meta.never, other.meta.done_when) != ("", (), ()) and not (state.meta.identity or state.meta.never):
        yield e.MetaContextSet(other.meta.identity, other.meta.never, other.meta.done_when)
    for pin in other.pins.values():
        if pin.pin_id not in state.pins:
            yield e.Pinned(pin.pin_id, pin.text, pin.polarity)


def _renamed(item: SummaryItem, origin: str, number: int) -> SummaryItem:
    """The item under an id that is this lane's own; what it superseded stayed behind."""
    return msgspec.structs.replace(item, item_id=f"h{number}-{item.item_id}", origin=item.origin or origin, supersedes="")
