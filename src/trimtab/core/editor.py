"""What planning needs done to messages: it says which edit, the session's editor makes the bytes and counts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from trimtab.core.entries import Node


class Edit(Struct, frozen=True, array_like=True):
    """How a message stands in the prompt. All False: as it came in (translated where its wire form differs).

    Attributes:
        clear: tool results become one line that says what they were.
        preview: that line is followed by the head and the tail of the result (first insertion of a large one).
        strip: without its reasoning.
        max_tokens: shortened to about this; 0 for no limit.
        tools: (call id, tool name) of the results in it, for the line that stands for them.
        saved: where the conclusion of a cleared result is written down, "" for nowhere.
        as_text: a result whose call is gone, shown as text.
    """

    clear: bool = False
    preview: bool = False
    strip: bool = False
    max_tokens: int = 0
    as_text: bool = False
    tools: tuple[tuple[str, str], ...] = ()
    saved: str = ""


VERBATIM = Edit()


class Made(Struct, frozen=True, array_like=True):
    """Bytes that exist now: where they are stored and what they cost."""

    segment_id: str
    tokens: int
    changed: bool = False


class Editor(Protocol):
    """Pure in its answers; it remembers the bytes it made so that they can be stored with the plan."""

    def make(self, node: Node, edit: Edit) -> Made | None:
        """The message under an edit; None where nothing would be left of it."""
        ...

    def text(self, text: str) -> Made:
        """A text of ours."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a text alone; nothing is made."""
        ...

    def once(self, key: tuple[Any, ...], make: Callable[[], str]) -> str:
        """A text that costs time to make, made once for its key."""
        ...

    def repair(self, caller: Node, call_id: str) -> Made:
        """The fixed answer to a call of `caller` that never got one."""
        ...
