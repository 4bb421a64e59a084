"""Data that is kept beside the history: variables hold large values, meta notes hold what a value looks like."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

VariableKind: TypeAlias = Literal["text", "json"]


class FieldShape(Struct, frozen=True, array_like=True):
    """One field of a table or an object.

    Attributes:
        name: its name, or its path inside the row ("address.city").
        type: `int`, `number`, `string`, `bool`, `date`, `null`, `list`, `object`, or several joined by `|`.
        note: what else is known in a few characters: a range ("1..980"), the values where they are few ("new|paid").
    """

    name: str
    type: str
    note: str = ""


class Structure(Struct, frozen=True, array_like=True):
    """What a value looks like, without the value (REQUIREMENTS M6).

    Attributes:
        kind: "JSON array", "JSON object", "JSON lines", "CSV", "TSV", "Markdown table", "Python code", "text" ...
        rows: of a table; lines of code or text; 0 where nothing is counted.
        fields: in their own order; of code its definitions.
        key: the field whose values tell rows apart, "" where none does.
        more_fields: how many fields there are besides.
        title: what it is about, where that can be told ("orders").
        path: where in the value the rows are ("$.data.orders"), "" for the value itself.
    """

    kind: str
    rows: int = 0
    fields: tuple[FieldShape, ...] = ()
    key: str = ""
    more_fields: int = 0
    title: str = ""
    path: str = ""


class MetaNote(Struct, frozen=True, array_like=True):
    """The structure of one value, or a definition that was agreed.

    Attributes:
        key: name of the variable, or what the caller calls it.
        structures: one, or several where a value holds several tables.
        text: terms, definitions and decisions of the step, in the caller's words.
        source_seq: the message that holds the value; 0 where it is nowhere in the history. The note stands in the
            prompt once that message does not stand there whole, and from the beginning where there is none.
        seq: the entry that wrote it.
    """

    key: str
    structures: tuple[Structure, ...] = ()
    text: str = ""
    source_seq: int = 0
    seq: int = 0


class Variable(Struct, frozen=True, array_like=True):
    """A value under a name (REQUIREMENTS M7).

    Attributes:
        version: 1, 2, 3 ... of this name.
        kind: `text`, or `json` where a JSON value was given; a text that is JSON stays a text.
        body_id: where the bytes are; "" where they are a tool result in the history (`source_seq`, `call_id`).
        tokens: by the counter of the session at that time.
        line: one line that says what it is.
        author: who stored it: `caller`, `agent` or `auto`.
    """

    name: str
    version: int
    kind: VariableKind
    body_id: str
    chars: int
    tokens: int
    line: str
    source_seq: int = 0
    call_id: str = ""
    author: str = "caller"

    @property
    def stub(self) -> str:
        """What stands in a prompt for the whole value."""
        return f"[variable {self.name}: {self.line}; about {self.tokens:,} tokens]"
