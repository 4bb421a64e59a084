"""The labelled turns, and what `extract` makes of one.

There are two halves: `rules`, which whoever writes rules reads, and `blind`, which was written without sight of the
rules and which whoever writes rules knows by its figures alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from trimtab.core.messages import Message, Role, Text, ToolResult
from trimtab.core.summary import Field, ItemChanges, SummaryItem
from trimtab.distill import extract

Half: TypeAlias = Literal["blind", "rules"]
Language: TypeAlias = Literal["en", "zh"]
LabelField: TypeAlias = Literal[
    "constraint",
    "negative",
    "role",
    "format",
    "preference",
    "decision",
    "reversal",
    "question",
    "todo",
    "identifier",
    "number",
    "date",
]
HALVES: tuple[Half, ...] = ("rules", "blind")
LANGUAGES: tuple[Language, ...] = ("en", "zh")


class Label(Struct, frozen=True, forbid_unknown_fields=True):
    """What a reader finds in a turn: a clause of it without its final full stop, or the exact string of a value."""

    field: LabelField
    text: str


class Earlier(Struct, frozen=True, forbid_unknown_fields=True):
    """An item that was active before the turn."""

    id: str
    field: Field
    text: str


class Turn(Struct, frozen=True, forbid_unknown_fields=True):
    """One message with its labels; `supersedes` names the earlier items that it changes."""

    id: str
    domain: str
    style: str
    role: Role
    text: str
    labels: tuple[Label, ...] = ()
    before: tuple[Earlier, ...] = ()
    supersedes: tuple[str, ...] = ()


def turns(half: Half, language: Language) -> Iterator[Turn]:
    """The turns of one half in one language, in the order of the file."""
    text = files(__package__).joinpath(f"{half}_{language}.jsonl").read_text("utf-8")
    decoder = msgspec.json.Decoder(Turn)
    # not splitlines(): a text may hold other line breaks
    for line in text.split("\n"):
        if line.strip():
            yield decoder.decode(line)


def message_of(role: Role, text: str) -> Message:
    """A message of one text; for the role `tool` the result of a call."""
    part = ToolResult("c1", (Text(text),)) if role == "tool" else Text(text)
    return Message(role=role, parts=(part,), wire_format="openai_chat", wire=b"{}")


def changes_of(turn: Turn) -> ItemChanges:
    """What `extract` makes of the turn, with what was active before it."""
    before = [SummaryItem(item.id, item.field, item.text, (number,)) for number, item in enumerate(turn.before, 1)]
    return extract(message_of(turn.role, turn.text), len(before) + 1, before, {"c1": "tool"})
