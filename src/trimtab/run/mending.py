"""A model's reply as servers send it, made into one that can be recorded: it speaks for itself alone, and its calls have ids.

Some servers leave ids out. And whatever role a reply claims, a model wrote it: taken for the user's, its words would be rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

import msgspec

from trimtab.core.messages import WireName
from trimtab.wire import Reply, wire_for
from trimtab.wire.common import rewrite, to_mapping

_CALL_ITEMS = ("function_call", "custom_tool_call")

Name = Callable[[], str]


def mended_body(body: Mapping[str, Any], wire: WireName, number: int) -> dict[str, Any]:
    """A whole response body of that form; `number` is the request's."""
    name = partial(_named, number, count(1))
    if wire == "openai_chat":
        choices = [
            choice | {"message": _message(choice["message"], wire, name)} if _has_message(choice) else choice for choice in body["choices"]
        ]
        return {**body, "choices": choices}
    if wire == "openai_responses":
        return {**body, "output": [_message(item, wire, name) for item in body["output"] or ()]}
    return _mapped(body, wire, name)


def mended_message(value: Mapping[str, Any], wire: WireName, number: int) -> dict[str, Any]:
    """A single message that stands for a whole reply."""
    return _mapped(value, wire, partial(_named, number, count(1)))


def mended_events(events: Sequence[Any], number: int) -> list[Mapping[str, Any]]:
    """A stream's events. Chunks of chat completions fold without a role or an id: see `named`."""
    name = partial(_named, number, count(1))
    made: list[Mapping[str, Any]] = []
    for value in events:
        event = to_mapping(value)
        if event.get("type") == "content_block_start" and _is(block := event.get("content_block"), ("tool_use",)):
            event = {**event, "content_block": _with_id(block, "id", name)}
        elif event.get("type") == "response.output_item.done":
            event = {**event, "item": _message(event.get("item"), "openai_responses", name)}
        elif isinstance(response := event.get("response"), Mapping) and isinstance(response.get("output"), list):
            items = [_message(item, "openai_responses", name) for item in response["output"]]
            event = {**event, "response": {**response, "output": items}}
        made.append(event)
    return made


def named(reply: Reply, number: int) -> Reply:
    """A reply that was folded from chunks, with ids."""
    name = partial(_named, number, count(1))

    def change(value: dict[str, Any]) -> bool:
        calls = value.get("tool_calls") or []
        value.update(_chat(value, name))
        return bool(calls != value.get("tool_calls", []))

    chat = wire_for("openai_chat")
    messages = [rewrite(row, change, chat.parse_message) if row.wire_format == chat.name else row for row in reply.messages]
    return msgspec.structs.replace(reply, messages=tuple(messages))


def _named(number: int, places: Any) -> str:
    """Of the request and the call's place, so that the same run gives the same ids."""
    return f"call_{number}_{next(places)}"


def _has_message(choice: Any) -> bool:
    return isinstance(choice, Mapping) and isinstance(choice.get("message"), Mapping)


def _message(value: Any, wire: WireName, name: Name) -> Any:
    """What is no object is left to the form, which says what is wrong with it."""
    return _mapped(value, wire, name) if isinstance(value, Mapping) else value


def _mapped(value: Mapping[str, Any], wire: WireName, name: Name) -> dict[str, Any]:
    if wire == "openai_chat":
        return _chat(value, name)
    return _blocks(value, name) if wire == "anthropic" else _item(value, name)


def _chat(value: Mapping[str, Any], name: Name) -> dict[str, Any]:
    if value.get("role", "assistant") != "assistant":
        value = {"role": "assistant", "content": _text(value.get("content")), "tool_calls": value.get("tool_calls")}
    calls = value.get("tool_calls")
    if not isinstance(calls, Sequence) or isinstance(calls, str) or not calls:
        return {key: item for key, item in value.items() if key != "tool_calls" or item}
    return {**value, "tool_calls": [_with_id(call, "id", name) for call in calls]}


def _blocks(value: Mapping[str, Any], name: Name) -> dict[str, Any]:
    content = value.get("content")
    if value.get("role", "assistant") != "assistant":
        if isinstance(content, list):
            content = [block for block in content if isinstance(block, Mapping) and block.get("type") in ("text", "tool_use")]
        value = {**value, "role": "assistant", "content": content or ""}
    if not isinstance(content, list):
        return dict(value)
    blocks = [_with_id(block, "id", name) if _is(block, ("tool_use",)) else block for block in content]
    return {**value, "content": blocks}


def _item(value: Mapping[str, Any], name: Name) -> dict[str, Any]:
    if value.get("role", "assistant") != "assistant":
        text = {"type": "output_text", "text": _text(value.get("content")), "annotations": []}
        return {"type": "message", "role": "assistant", "content": [text]}
    made: dict[str, Any] = _with_id(value, "call_id", name) if _is(value, _CALL_ITEMS) else dict(value)
    return made


def _is(block: Any, kinds: tuple[str, ...]) -> bool:
    return isinstance(block, Mapping) and block.get("type") in kinds


def _with_id(call: Any, key: str, name: Name) -> Any:
    """With an id of its own where it has none."""
    made = name()
    if not isinstance(call, Mapping):
        return call
    known = call.get(key)
    return dict(call) if isinstance(known, str) and known else {**call, key: made}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))
