"""What of a turn is made searchable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from trimtab.core.messages import Message
from trimtab.recall.tags import tags_of
from trimtab.recall.words import terms


class TurnWords(Struct, frozen=True):
    """A turn as recall sees it: three fields of a store's `Turn`, of the same names.

    Attributes:
        role: of the message that opened the turn.
        terms: search terms, joined by spaces.
        tags: see `tags_of`.
    """

    role: str
    terms: str
    tags: dict[str, list[str]]


def make_turn(messages: Sequence[Message], *, tools: bool = False) -> TurnWords:
    """Words and tags of one turn.

    Text is what user and assistant said; system text and reasoning never are. The intent is that of the user's
    words, where there are any.

    Args:
        messages: of one turn, in order.
        tools: also the names and arguments of calls and the text of results (REQUIREMENTS C8: only if asked).
    """
    text = "\n".join(piece for message in messages for piece in _pieces(message, tools) if piece)
    words = terms(text)
    asked = "\n".join(message.text for message in messages if message.role == "user" and message.text)
    tags = tags_of(text, words, asked)
    opener = next((message for message in messages if message.has_user_input), messages[0] if messages else None)
    return TurnWords(opener.role if opener else "user", " ".join(words), tags)


def _pieces(message: Message, tools: bool) -> Iterator[str]:
    if message.role in ("user", "assistant"):
        yield message.text
    if tools:
        for call in message.calls:
            yield f"{call.name} {call.arguments}"
        for result in message.results:
            yield result.text
