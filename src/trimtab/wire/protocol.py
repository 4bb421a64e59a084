"""What a wire form must offer. One file per form implements it; `trimtab.wire.wire_for(name)` finds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from trimtab.core.messages import Message, Role, Status, WireName
from trimtab.core.plan import RenderItem
from trimtab.core.target import Target


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens as the provider reports them. `input_tokens` is the whole prompt, cached parts included."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


class Reply(Struct, frozen=True, kw_only=True):
    """What came back: one message, or several items in the Responses form."""

    messages: tuple[Message, ...]
    usage: Usage | None = None
    status: Status = "complete"
    stop_reason: str = ""
    reply_id: str = ""


class ParsedRequest(Struct, frozen=True, kw_only=True):
    """A request body taken apart. `system` are the client's instructions (leading system messages, `system`,
    `instructions`), `messages` the history, `tools` the raw tool list, `params` everything else, untouched."""

    system: tuple[Message, ...]
    messages: tuple[Message, ...]
    tools: list[Any] | None
    params: dict[str, Any]


class Wire(Protocol):
    """One provider interface. Everything here is pure."""

    @property
    def name(self) -> WireName: ...

    def parse_request(self, body: Mapping[str, Any]) -> ParsedRequest:
        """Take a whole request body apart. Raises ParseError with a path."""
        ...

    def parse_message(self, value: Mapping[str, Any], path: str = "$") -> Message:
        """One element of the history. Unknown fields and unknown part types are kept. Raises ParseError."""
        ...

    def parse_system(self, value: Any) -> tuple[Message, ...]:
        """The `system` argument of a request (a string, or what the form allows) as system messages."""
        ...

    def parse_reply(self, body: Mapping[str, Any]) -> Reply:
        """A whole (not streamed) response body. Only the first choice is taken."""
        ...

    def fold_stream(self, events: Iterable[Mapping[str, Any]]) -> Reply:
        """Fold a stream's events into the reply they amount to. A stream that ends early gives status
        `aborted` and what had come so far; calls whose arguments are not whole are left out."""
        ...

    def render(self, target: Target, items: Sequence[RenderItem], tools: list[Any] | None, params: Mapping[str, Any]) -> dict[str, Any]:
        """The request body. `items` are in prompt order; see `RenderItem.place` and DESIGN §4 for the columns.

        `client` payloads are this form's own JSON of a system message; `front` and `tail` payloads are UTF-8
        text; a `message` payload is a JSON array of this form's messages (or items), already valid as a list.
        """
        ...

    def render_message(self, message: Message) -> tuple[bytes, ...]:
        """The message in this form: its own bytes where it came in this form, else translated from its parts."""
        ...

    def make_message(self, role: Role, text: str) -> Message: ...

    def make_result(self, call_id: str, name: str, text: str) -> Message:
        """A message that answers one call."""
        ...

    def with_results(self, message: Message, texts: Mapping[str, str]) -> Message:
        """The message with the content of the named results (by call id) replaced by text; media in them goes.
        All else stays as it is, cache marks and unknown fields included."""
        ...

    def with_text(self, message: Message, text: str) -> Message:
        """The message with its own visible text (and media) replaced by one text; calls, results, reasoning stay."""
        ...

    def with_arguments(self, message: Message, arguments: Mapping[str, str]) -> Message:
        """The message with the arguments of the named calls replaced; the new ones are valid JSON objects."""
        ...

    def with_call_ids(self, message: Message, ids: Mapping[str, str]) -> Message:
        """The message with call ids renamed, in calls and in results."""
        ...

    def without_reasoning(self, message: Message) -> Message | None:
        """The message without its reasoning; None where nothing would be left. In Responses, an item whose
        partner is gone loses its `id`."""
        ...

    def validate(self, body: Mapping[str, Any], target: Target | None = None) -> None:
        """Raise InvalidPrompt where the provider would refuse the body (C1-C10, R1-R6, A1-A12)."""
        ...
