"""Prompt items into a Messages body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.core.plan import RenderItem
from trimtab.core.target import Target
from trimtab.wire.anthropic.marks import MAX_MARKS, holders, keep_last
from trimtab.wire.common import LEFT_OUT, decode_items, unique_call_ids


def render(target: Target, items: Sequence[RenderItem], tools: list[Any] | None, params: Mapping[str, Any]) -> dict[str, Any]:
    # A client may send neighbours of one role, and they go out as they came while we add nothing in front;
    # servers that are not the provider's own may insist on alternation, so ours are always merged.
    history = _History(merge=target.strict_roles or any(item.place == "front" for item in items))
    client: list[Any] = []
    front: list[str] = []
    marked: list[dict[str, Any]] = []
    for item in items:
        if item.place == "front":
            front.append(item.payload.decode())
        elif item.place == "tail":
            history.add_tail(item.payload.decode())
        else:
            messages = decode_items(item)
            if b'"cache_control":' in item.payload:
                marked += [block for message in messages for block in holders(message.get("content"))]
            if item.place == "client":
                client += [message.get("content") for message in messages]
            else:
                for message in messages:
                    history.add(message)
    body = dict(params)
    system = _system(client, front)
    if system is not None:
        body["system"] = system
    body["messages"] = history.finished()
    unique_call_ids(body["messages"], _calls, _results, ("id", "tool_use_id"))
    _add_tools(body, tools)
    allowed = MAX_MARKS - bool(body.get("cache_control")) - len(list(holders(body.get("tools"))))
    if len(marked) > allowed:
        _limit_marks(body, marked)
    return body


def _add_tools(body: dict[str, Any], tools: list[Any] | None) -> None:
    if tools:
        body["tools"] = list(tools)
    else:
        body.pop("tool_choice", None)  # refused in a body without tools


def _limit_marks(body: dict[str, Any], marked: list[dict[str, Any]]) -> None:
    # the caller's tools are not ours to change in place
    if body.get("tools"):
        body["tools"] = [dict(tool) if isinstance(tool, Mapping) else tool for tool in body["tools"]]
    keep_last([*holders(body.get("tools")), *marked], MAX_MARKS - bool(body.get("cache_control")))


def _system(client: list[Any], front: list[str]) -> Any:
    """The client's own value where nothing is added to it; else its blocks and one block per text."""
    if not front and len(client) < 2:
        return client[0] if client else None
    blocks = [block for value in client for block in _blocks(value)]
    return blocks + [_text(text) for text in front if text]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [_text(content)] if content else []
    return list(content or ())


def _of_type(message: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    content = message.get("content")
    return [block for block in content if block.get("type") == kind] if isinstance(content, list) else []


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    return _of_type(message, "tool_use") if message["role"] == "assistant" else []


def _results(message: dict[str, Any]) -> list[dict[str, Any]]:
    return _of_type(message, "tool_result") if message["role"] == "user" else []


class _History:
    """The messages, with neighbours of one role made one where that is asked for or the pairs need it."""

    def __init__(self, merge: bool) -> None:
        self._messages: list[dict[str, Any]] = []
        self._merge = merge
        self._only_tail = False  # the last message is nothing but our tail: what the user says next belongs to it

    def add(self, message: dict[str, Any]) -> None:
        last = self._messages[-1] if self._messages else None
        if last is not None and last["role"] == message["role"] != "system" and (self._merge or self._only_tail or _belongs(last, message)):
            self._messages[-1] = _merged(last, message)
        else:
            self._messages.append(message)
        self._only_tail = False

    def add_tail(self, text: str) -> None:
        if not text:
            return
        last = self._messages[-1] if self._messages else None
        if last is not None and last["role"] == "user":
            last["content"] = [*_blocks(last.get("content")), _text(text)]
        else:
            self._messages.append({"role": "user", "content": [_text(text)]})
            self._only_tail = True

    def finished(self) -> list[dict[str, Any]]:
        if self._messages and self._messages[0]["role"] == "user":
            return self._messages
        return [{"role": "user", "content": LEFT_OUT}, *self._messages]


def _belongs(last: dict[str, Any], message: dict[str, Any]) -> bool:
    """A1: all parallel calls in one message, all their results in the next one."""
    return bool(_results(message) if message["role"] == "user" else _calls(last))


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    blocks = _blocks(first.get("content")) + _blocks(second.get("content"))
    if first["role"] == "user":
        blocks.sort(key=lambda block: block.get("type") != "tool_result")  # A3; the sort keeps the order of equals
    return {**second, **first, "content": blocks}
