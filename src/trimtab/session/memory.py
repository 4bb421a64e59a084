"""What is kept beside the history: meta context, brief, pins, notes, and points to go back to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from trimtab.core import entries as e
from trimtab.core.state import SessionState
from trimtab.core.summary import PINNED_FIELDS, ItemChanges
from trimtab.errors import BadSetting, NotFound, ParseError
from trimtab.session.base import SessionBase
from trimtab.session.lane import Write
from trimtab.stores import Body

MOST_FAILED_CHARS = 300


class MemoryPart(SessionBase):
    """Rules, notes, checkpoints."""

    def meta_context(self, identity: str = "", never: str | Iterable[str] = (), done_when: str | Iterable[str] = ()) -> None:
        """Who the agent is, what it never does, how it judges a step done: first in every prompt."""
        entry = e.MetaContextSet(identity, _texts(never), _texts(done_when))
        self._enter(lambda state: None if _same_meta(state, entry) else entry)

    def brief(self, text: str) -> None:
        """The task's final goal and core needs: second in every prompt."""
        self._enter(lambda state: None if state.brief == text else e.BriefSet(text))

    def pin(self, text: str, polarity: str = "must") -> str:
        """Keep a text word for word in every prompt, until `unpin`.

        Args:
            polarity: "must" or "never".
        Returns:
            the pin's id; the id of the standing pin where the same text is pinned already.
        """
        if polarity not in ("must", "never"):
            raise BadSetting("polarity", polarity, "'must' or 'never'")
        if not text.strip():
            raise BadSetting("pin", text, "a text that is not empty")
        pin_id = "p" + self._hasher.digest(f"{polarity}\n{text}".encode("utf-8", "surrogatepass"))[:10]
        self._enter(lambda state: None if pin_id in state.pins else e.Pinned(pin_id, text, polarity))
        return pin_id

    def unpin(self, pin_id: str) -> None:
        """Raises NotFound, with the pins there are."""
        with self._open_lock():
            self._lane.catch_up()
            if pin_id not in self._lane.state.pins:
                raise NotFound("pin", pin_id, tuple(self._lane.state.pins))
            self._enter(lambda state: e.Unpinned(pin_id))

    def withdraw(self, item_id: str) -> None:
        """An item that was extracted from the conversation no longer holds: a rule, a decision, a fact.

        `state.items` lists what is live. Raises NotFound, with the rules there are.
        """
        with self._open_lock():
            self._lane.catch_up()
            items = self._lane.state.items
            if item_id not in items:
                raise NotFound("item", item_id, tuple(item.item_id for item in items.values() if item.field in PINNED_FIELDS))
            # the same words may have come in twice, here and from a session that this one goes on from
            text = items[item_id].text
            pinned = items[item_id].field in PINNED_FIELDS
            same = tuple(item.item_id for item in items.values() if pinned and item.field in PINNED_FIELDS and item.text == text)
            self._enter(lambda state: e.ItemsChanged(ItemChanges(closed=same or (item_id,))))

    def write_note(self, key: str, value: Any, *, sources: Iterable[int] = ()) -> int:
        """Store any JSON value under a key. Returns its version, counted from 1; older ones stay readable.

        Args:
            sources: numbers of the messages whose conclusion this is; such results may leave the prompt at once.
        """
        source_ids = tuple(sources)
        try:
            payload = msgspec.json.encode(value)
        except (TypeError, UnicodeEncodeError, RecursionError) as error:
            raise ParseError(f"note {key!r} is not JSON: {error}") from None
        body_id = self._hasher.body_id("note", payload)
        with self._open_lock():
            self._bodies.remember(body_id, payload)

            def build(state: SessionState, seq: int) -> Write:
                version = state.notes[key].version + 1 if key in state.notes else 1
                return Write(entries=[e.NoteWritten(key, version, body_id, source_ids)], bodies=[Body(body_id, payload)])

            self._lane.write(build)
            return self._lane.state.notes[key].version

    def read_note(self, key: str, version: int | None = None) -> Any:
        """The newest version of a note on this branch, or a given one. Raises NotFound."""
        with self._open_lock():
            self._lane.catch_up()
            notes = self._lane.state.notes
            if key not in notes or not (notes[key].body_id or version):
                raise NotFound("note", key, tuple(name for name, note in notes.items() if note.body_id))
            if version is None or version == notes[key].version:
                return msgspec.json.decode(self._bodies.get(notes[key].body_id))
            for row in self._store.load(self._key):
                entry = self._lane.decoded(row) if row.kind == "note" else None
                if (
                    isinstance(entry, e.NoteWritten)
                    and (entry.key, entry.version) == (key, version)
                    and entry.body_id
                    and self._lane.state.contains(row.seq)
                ):
                    return msgspec.json.decode(self._bodies.get(entry.body_id))
            raise NotFound(f"version of note {key!r}", version, tuple(range(1, notes[key].version + 1)))

    def checkpoint(self, name: str) -> int:
        """Name this point. Returns its entry number."""
        return self._enter(lambda state: e.Checkpointed(name))

    def rollback(self, name: str, failed: str = "") -> int:
        """Go on from a checkpoint: history, task, notes, variables, pins and summary as they were. What came after stays in
        the ledger, off this branch.

        Args:
            failed: one line of what was tried since and failed; the prompts carry it from now on, beside those of earlier
                rollbacks.
        Returns:
            the number of the entry that this branch stood at, for `compare`.
        Raises:
            NotFound, with the checkpoints there are.
        """
        with self._open_lock():
            self._lane.catch_up()
            checkpoints = self._lane.state.checkpoints
            if name not in checkpoints:
                raise NotFound("checkpoint", name, tuple(checkpoints))
            left, line = self._lane.state.seq, " ".join(failed.split())[:MOST_FAILED_CHARS]
            tried = tuple(dict.fromkeys([*self._lane.state.tried, *([line] if line else [])]))
            self._enter(lambda state: e.RolledBack(checkpoints[name], name, tried))
            return left


def _texts(value: str | Iterable[str]) -> tuple[str, ...]:
    """One text is a list of one, not a list of its letters."""
    return (value,) if isinstance(value, str) else tuple(value)


def _same_meta(state: SessionState, entry: e.MetaContextSet) -> bool:
    return (state.meta.identity, state.meta.never, state.meta.done_when) == (entry.identity, entry.never, entry.done_when)
