"""What a language model must offer to distill history. An object of the user's own will do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

# `refused`: the model or its provider would not answer
Finish: TypeAlias = Literal["stop", "length", "refused", "other"]


class ChatMessage(Struct, frozen=True, array_like=True):
    """One message of a request to a model: plain text, no tools."""

    role: Literal["system", "user", "assistant"]
    text: str


class Completion(Struct, frozen=True, kw_only=True):
    """An answer. Token counts are the provider's; 0 where it tells none."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    finish: Finish = "stop"


class ChatModel(Protocol):
    """A chat model.

    Attributes:
        name: who is named as the author of what it finds; its tokenizer is chosen by this name.
        window_tokens: the most it takes, its answer included.
    """

    @property
    def name(self) -> str: ...

    @property
    def window_tokens(self) -> int: ...

    async def complete(self, messages: Sequence[ChatMessage], *, max_output_tokens: int, schema: dict[str, Any] | None) -> Completion:
        """Answer the messages (one system text first, then user texts).

        Args:
            schema: the JSON schema that the answer's text should follow. It may be passed over: the answer is
                checked in any case.
        Raises:
            Exception: whatever is raised counts as "no answer" and costs nothing but its record.
        """
        ...
