"""Variables: large values under a name, read by parts; and meta notes: what data looks like (REQUIREMENTS M6, M7)."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import msgspec

from trimtab.core import entries as e
from trimtab.core.notes import MetaNote, Structure, Variable, VariableKind
from trimtab.core.state import SessionState
from trimtab.distill import describe
from trimtab.distill.shapes import structures_of
from trimtab.errors import BadSetting, BadSlice, IllegalMove, NotFound, ParseError
from trimtab.session.base import SessionBase
from trimtab.session.lane import Lane, Write
from trimtab.session.reading import message_text, stored_node, variable_text
from trimtab.session.settlements import refuse_adopting
from trimtab.session.slices import Part, read_part
from trimtab.stores import Body, LaneKey

MAX_NAME_CHARS = 200
AUTHORS = ("caller", "agent", "auto")
_HANDLE = re.compile(r"#(\d{1,15})(?:\.(\d{1,4}))?")
# the same of another lane: "session/lane#12", as `find` gives it
_ELSEWHERE = re.compile(r"(?P<place>[^\n]+/[^\n]+)(?P<handle>#\d{1,15}(?:\.\d{1,4})?)")
_LINE_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})


class _Value(msgspec.Struct, frozen=True, kw_only=True):
    """A value as it is stored: bytes of its own, or a place in the history."""

    text: str
    kind: VariableKind = "text"
    payload: bytes | None = None
    body_id: str = ""
    source_seq: int = 0
    call_id: str = ""


class VariablePart(SessionBase):
    """offload, read, variables, forget, meta_note."""

    def offload(self, name: str, value: Any, *, source_seq: int = 0, author: str = "caller") -> Variable:
        """Keep a value under a name, so that it need not stand in the prompt; a new version where the name exists.

        A note of its structure is written with it, under the same name.

        Args:
            name: one printable line of at most 200 characters that does not begin with "#".
            value: a text or any JSON value; or "#12", the message of that number on this branch ("#12.2" the second of
                several results in it): then nothing is copied.
            source_seq: the message that holds the value too, 0 for none; the note of its structure stands in the prompt
                once that message does not stand there whole.
            author: "caller", "agent" or "auto".
        Returns:
            the new version.
        Raises:
            BadSetting: name or author. ParseError: the value is neither text nor JSON. NotFound: no such message.
            NotSettled: an agent's value takes a fragment's side in an open conflict.
            IllegalMove: the agent's value would take the place of a finished step's product.
        """
        _check_name(name)
        if author not in AUTHORS:
            raise BadSetting("author", author, "'caller', 'agent' or 'auto'")
        with self._open_lock():
            self._lane.catch_up()
            if source_seq:
                stored_node(self._lane, source_seq)
            stored = self._value(value, source_seq)
            if author == "agent" and not stored.source_seq:
                refuse_adopting(self._lane.state, f"the variable {name!r}", stored.text)
            tokens, line, structures = self._counted(stored.text), describe(stored.text), structures_of(stored.text)

            def build(state: SessionState, seq: int) -> Write:
                if author == "agent":
                    _refuse_product(state, name)
                version = state.variables[name].version + 1 if name in state.variables else 1
                entry = e.VariableStored(
                    name, version, stored.kind, stored.body_id, len(stored.text), tokens, line, stored.source_seq, stored.call_id, author
                )
                write = Write(entries=[entry, *note_entries(state, name, structures, stored.source_seq)])
                if stored.payload is not None:
                    write.bodies.append(Body(stored.body_id, stored.payload))
                return write

            self._lane.write(build)
            return self._lane.state.variables[name]

    def read(  # noqa: PLR0913 - the ways to name a part, of which one is used
        self,
        name: str,
        *,
        version: int | None = None,
        path: str = "",
        rows: tuple[int, int] | None = None,
        lines: tuple[int, int] | None = None,
        chars: tuple[int, int] | None = None,
        around: str = "",
        sentences: int = 1,
        max_chars: int | None = None,
    ) -> Any:
        """A variable or a message of the history, whole or one part of it.

        Args:
            name: of a variable, or "#12" for a message of this branch, also one that has left ("#12.2" for the second
                of several tool results in it); "session/lane#12" for one of another lane that recall sees.
            version: of the variable; the newest by default.
            path: of JSON: "$.orders[0].id", "orders[0:5].total", "$.orders[*].id".
            rows: (first, last) from 1, both in: of a JSON array, JSON lines, CSV, TSV or a Markdown table; a table's
                head comes with them.
            lines: (first, last) from 1, both in.
            chars: (start, end) from 0, the end out.
            around: words; the sentences that hold them, with `sentences` more on both sides: "¶3 s12: ...".
            max_chars: a longer answer is cut to this, with a last line that says so.
        Returns:
            a text, or for JSON variables, paths and rows of JSON the value.
        Raises:
            NotFound: no such variable, version or message. BadSlice: no such part; it says what there is.
        """
        part = Part(path=path, rows=rows, lines=lines, chars=chars, around=around, sentences=sentences, max_chars=max_chars)
        with self._open_lock():
            self._lane.catch_up()
            if name.startswith("#"):
                text, _, _ = self._message(name, self._lane)
                return read_part(text, part)
            elsewhere = _ELSEWHERE.fullmatch(name) if name not in self._lane.state.variables else None
            if elsewhere is not None:
                text, _, _ = self._message(elsewhere["handle"], self._lane_at(elsewhere["place"]))
                return read_part(text, part)
            variable = self._variable(name, version)
            text = variable_text(self._lane, self._bodies, variable)
            return read_part(text, part, msgspec.json.decode(text) if variable.kind == "json" else None)

    def variables(self) -> tuple[Variable, ...]:
        """The newest version of each, in the order in which they were first stored."""
        with self._open_lock():
            self._lane.catch_up()
            return tuple(self._lane.state.variables.values())

    def forget(self, name: str) -> None:
        """The variable and the note of its structure are gone from now on; definitions noted under the same key stay, and
        the ledger keeps all. Raises NotFound."""
        with self._open_lock():
            self._lane.catch_up()
            old = self._variable(name, None)

            def build(state: SessionState, seq: int) -> Write | None:
                if name not in state.variables:
                    return None
                return Write(entries=[e.VariableStored(name, old.version, old.kind, "", 0, 0, ""), *note_entries(state, name, (), 0)])

            self._lane.write(build)

    def meta_note(self, key: str, *, text: str = "", value: Any = None, source_seq: int = 0) -> MetaNote:
        """Note what data looks like, or terms and definitions that were agreed; it replaces the note of that key.

        Args:
            text: definitions, terms and decisions, in your words.
            value: a text, JSON value or "#12" whose structure is noted; the value itself is not kept.
            source_seq: the message that holds it: the note stands in the prompt once that message has left; 0 for from
                now on.
        Returns:
            the note; without text and value it is deleted, and an empty one is returned.
        """
        _check_name(key)
        with self._open_lock():
            self._lane.catch_up()
            if source_seq:
                stored_node(self._lane, source_seq)
            stored = self._value(value, source_seq) if value is not None else None
            structures = structures_of(stored.text) if stored else ()
            source = stored.source_seq if stored else source_seq
            self._enter(lambda state: e.MetaNoted(key, structures, text, source) if structures or text or key in state.meta_notes else None)
            return self._lane.state.meta_notes.get(key, MetaNote(key))

    def meta_notes(self) -> tuple[MetaNote, ...]:
        """All of this branch, oldest first."""
        with self._open_lock():
            self._lane.catch_up()
            return tuple(self._lane.state.meta_notes.values())

    # ------------------------------------------------------------ inside

    def _counted(self, text: str) -> int:
        return self._requester_for(self.target).counter.count_text(text)

    def _value(self, value: Any, source_seq: int) -> _Value:
        if isinstance(value, str) and _HANDLE.fullmatch(value.strip()):
            text, seq, call_id = self._message(value.strip(), self._lane)
            return _Value(text=text, source_seq=seq, call_id=call_id)
        kind: VariableKind = "text" if isinstance(value, str) else "json"
        try:
            payload = value.encode() if isinstance(value, str) else msgspec.json.encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise ParseError(f"the value is neither text nor JSON: {error}; pass a text, or what JSON can say") from None
        body_id = self._hasher.body_id("variable", payload)
        self._bodies.remember(body_id, payload)
        return _Value(text=payload.decode(), kind=kind, payload=payload, body_id=body_id, source_seq=source_seq)

    def _lane_at(self, place: str) -> Lane:
        """The lane of "session/lane" that recall of this one sees. Raises NotFound, for a private one as for none."""
        recaller = self._recaller()
        for at in (at for at, char in enumerate(place) if char == "/"):
            key = LaneKey(self._key.tenant_id, self._key.project_id, place[:at], place[at + 1 :])
            if recaller.sees(key):
                return recaller.lane_of(key)
        raise NotFound("lane", place)

    def _message(self, handle: str, lane: Lane) -> tuple[str, int, str]:
        """(text, seq, call id) behind "#12" or "#12.2"; the call id of the one result that is meant, else ""."""
        found = _HANDLE.fullmatch(handle.strip())
        if found is None:
            raise BadSlice("name", handle, '"#12" for a message, "#12.2" for the second of its tool results, or the name of a variable')
        seq = int(found[1])
        message = self._bodies.message(stored_node(lane, seq))
        results = message.results
        if found[2] is None:
            return message_text(message), seq, results[0].call_id if len(results) == 1 else ""
        if not 1 <= int(found[2]) <= len(results):
            known = ", ".join(f"#{seq}.{n}" for n in range(1, len(results) + 1)) or f"#{seq} (the message holds no tool results)"
            raise BadSlice("name", handle, known)
        result = results[int(found[2]) - 1]
        return result.text, seq, result.call_id

    def _variable(self, name: str, version: int | None) -> Variable:
        known = self._lane.state.variables
        if name not in known:
            raise NotFound("variable", name, tuple(known))
        newest = known[name]
        if version is None or version == newest.version:
            return newest
        if isinstance(version, int) and 1 <= version < newest.version:
            # a name that was forgotten began anew with version 1: the newest of that number is meant
            for row in reversed(self._store.load(self._key)):
                entry = self._lane.decoded(row) if row.kind == "variable" and self._lane.state.contains(row.seq) else None
                if isinstance(entry, e.VariableStored) and (entry.name, entry.version) == (name, version):
                    return Variable(*(getattr(entry, field) for field in Variable.__struct_fields__))
        raise NotFound(f"version of variable {name!r}", version, tuple(range(1, newest.version + 1)))


def _check_name(name: object) -> None:
    good = isinstance(name, str) and bool(name.strip()) and len(name) <= MAX_NAME_CHARS and not name.startswith("#")
    if not good or any(unicodedata.category(char) in _LINE_CATEGORIES for char in str(name)):
        raise BadSetting("name", name, f"one printable line of at most {MAX_NAME_CHARS} characters that does not begin with '#'")


def _refuse_product(state: SessionState, name: str) -> None:
    """What a finished step was proven by stays until the step is opened again."""
    task = state.task
    step = next((row for row in task.steps if row.output == name and task.status(row.name) == "done"), None) if task is not None else None
    if step is not None and name in state.variables:
        raise IllegalMove(step.name, "changed", f"{name!r} is its product and it is done; reopen it first, and say why")


def note_entries(state: SessionState, key: str, structures: tuple[Structure, ...], source_seq: int) -> list[e.Entry]:
    """The note of a value's structure; definitions that stand under the same key stay."""
    old = state.meta_notes.get(key)
    if not structures and old is None:
        return []
    return [e.MetaNoted(key, structures, old.text if old else "", source_seq)]
