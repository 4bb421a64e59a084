"""The OpenAI Responses form: one item is one message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trimtab.core.messages import Message, Role, WireName
from trimtab.core.plan import RenderItem
from trimtab.core.target import Target
from trimtab.wire.openai_responses import edit, parse, stream
from trimtab.wire.openai_responses.items import is_from_model
from trimtab.wire.openai_responses.render import message_item, render, render_message
from trimtab.wire.openai_responses.validate import check_reasoning, validate
from trimtab.wire.protocol import ParsedRequest, Reply

__all__ = ["OpenAIResponses", "check_reasoning", "is_from_model"]


class OpenAIResponses:
    """See `trimtab.wire.protocol.Wire`, which says what each method does."""

    @property
    def name(self) -> WireName:
        return "openai_responses"

    def parse_request(self, body: Mapping[str, Any]) -> ParsedRequest:
        return parse.parse_request(body)

    def parse_message(self, value: Mapping[str, Any], path: str = "$") -> Message:
        return parse.parse_message(value, path)

    def parse_system(self, value: Any) -> tuple[Message, ...]:
        return parse.parse_system(value)

    def parse_reply(self, body: Mapping[str, Any]) -> Reply:
        return stream.parse_reply(body)

    def fold_stream(self, events: Iterable[Mapping[str, Any]]) -> Reply:
        return stream.fold_stream(events)

    def render(self, target: Target, items: Sequence[RenderItem], tools: list[Any] | None, params: Mapping[str, Any]) -> dict[str, Any]:
        return render(items, tools, params)

    def render_message(self, message: Message) -> tuple[bytes, ...]:
        return render_message(message)

    def make_message(self, role: Role, text: str) -> Message:
        """A message of a person, the model or the developer. A `tool` message needs a call: see `make_result`."""
        if role == "tool":
            raise ValueError("a tool message answers a call; use make_result(call_id, name, text)")
        return parse.parse_message(message_item(role, [edit.text_block(role, text)]))

    def make_result(self, call_id: str, name: str, text: str) -> Message:
        """A message that answers one call: a function's, or that of the item type called `name`. For a custom
        tool, whose calls have names of their own, use `make_result_for`."""
        return parse.parse_message(edit.result_named(call_id, name, text))

    def make_result_for(self, call: Message, text: str) -> Message:
        """A message that answers the call of an item of this form, in the item type that fits."""
        return parse.parse_message(edit.result_for(edit.item_of(call), text))

    def with_results(self, message: Message, texts: Mapping[str, str]) -> Message:
        return edit.with_results(message, texts)

    def with_text(self, message: Message, text: str) -> Message:
        return edit.with_text(message, text)

    def with_arguments(self, message: Message, arguments: Mapping[str, str]) -> Message:
        return edit.with_arguments(message, arguments)

    def with_call_ids(self, message: Message, ids: Mapping[str, str]) -> Message:
        return edit.with_call_ids(message, ids)

    def without_reasoning(self, message: Message) -> Message | None:
        return edit.without_reasoning(message)

    def unbind(self, message: Message) -> Message:
        """The message without its item id: for what a dropped reasoning item led to (R2)."""
        return edit.unbind(message)

    def validate(self, body: Mapping[str, Any], target: Target | None = None) -> None:
        validate(body)
