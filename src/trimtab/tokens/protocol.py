"""What a counter must offer."""

from __future__ import annotations

from typing import Any, Protocol

from trimtab.core.messages import Message


class Counter(Protocol):
    """Counts tokens as one model would. Pure and thread-safe; nothing is fetched.

    Attributes:
        counter_id: stable name of vocabulary and rules, with a version; stored counts are keyed by it.
        exact: whether it is the model's own tokenizer.
    """

    @property
    def counter_id(self) -> str: ...

    @property
    def exact(self) -> bool: ...

    def count_text(self, text: str) -> int:
        """Tokens of the text alone, control markers in it counted as ordinary text. 0 for an empty text.
        Inexact counters return an upper bound."""
        ...

    def count_message(self, message: Message) -> int:
        """Tokens of one message: parts, names, arguments, media by rule, and framing (MESSAGE_OVERHEAD)."""
        ...

    def count_tools(self, tools: list[Any] | None) -> int:
        """Tokens of the tool schemas as sent. 0 for None or an empty list."""
        ...
