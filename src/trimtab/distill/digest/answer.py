"""A model's answer as values. What cannot be read is said in words that the model can act on."""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

_FENCED = re.compile(r"\A```[a-zA-Z]{0,10}[ \t]*\r?\n(.*?)\r?\n?```\Z", re.DOTALL)


class Proposal(Struct, frozen=True, forbid_unknown_fields=True):
    """One statement as the model gave it; nothing of it has been checked but its types. A key that is not here is an
    error: passed over, it could turn what the model said around ("status": "superseded")."""

    field: str
    text: str
    sources: tuple[int, ...]
    quote: str = ""
    reason: str = ""


class Answer(Struct, frozen=True):
    items: tuple[Proposal, ...]
    closes: tuple[str, ...] = ()


class BadAnswer(ValueError):
    """An answer that is not the JSON object that was asked for; the text is for the model."""


_decoder = msgspec.json.Decoder(Answer, strict=False)


def parse_answer(text: str) -> Answer:
    """The answer's JSON object; one fenced code block around it is taken off, anything else beside it is an error.

    Raises:
        BadAnswer
    """
    bare = text.strip()
    fenced = _FENCED.match(bare)
    if fenced is not None:
        bare = fenced[1].strip()
    if not bare:
        raise BadAnswer("it is empty")
    try:
        return _decoder.decode(bare)
    except msgspec.ValidationError as error:
        raise BadAnswer(f"it does not follow the schema: {error}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
        raise BadAnswer(f"it is not JSON: {str(error)[:200]}") from None
