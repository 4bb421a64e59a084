"""OpenAI Chat Completions, and every server that speaks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trimtab.core.messages import Message, Role, WireName
from trimtab.core.plan import RenderItem
from trimtab.core.target import Target
from trimtab.wire.openai_chat import edit, parse
from trimtab.wire.openai_chat.render import render
from trimtab.wire.openai_chat.stream import fold_stream
from trimtab.wire.openai_chat.translate import render_message
from trimtab.wire.openai_chat.validate import validate
from trimtab.wire.protocol import ParsedRequest, Reply


class OpenAIChat:
    """The Chat Completions form; see `trimtab.wire.protocol.Wire` for what each method promises."""

    name: WireName = "openai_chat"

    def parse_request(self, body: Mapping[str, Any]) -> ParsedRequest:
        return parse.parse_request(body)

    def parse_message(self, value: Mapping[str, Any], path: str = "$") -> Message:
        return parse.parse_message(value, path)

    def parse_system(self, value: Any) -> tuple[Message, ...]:
        return parse.parse_system(value)

    def parse_reply(self, body: Mapping[str, Any]) -> Reply:
        return parse.parse_reply(body)

    def fold_stream(self, events: Iterable[Mapping[str, Any]]) -> Reply:
        return fold_stream(events)

    def render(self, target: Target, items: Sequence[RenderItem], tools: list[Any] | None, params: Mapping[str, Any]) -> dict[str, Any]:
        return render(target, items, tools, params)

    def render_message(self, message: Message) -> tuple[bytes, ...]:
        return render_message(message)

    def make_message(self, role: Role, text: str) -> Message:
        return parse.parse_message({"role": role, "content": text})

    def make_result(self, call_id: str, name: str, text: str) -> Message:
        if not call_id:  # only the legacy form has calls without an id
            return parse.parse_message({"role": "function", "name": name, "content": text})
        return parse.parse_message({"role": "tool", "tool_call_id": call_id, "content": text})

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

    def validate(self, body: Mapping[str, Any], target: Target | None = None) -> None:
        validate(body, target)
