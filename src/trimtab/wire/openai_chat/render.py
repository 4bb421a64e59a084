"""Prompt items into a Chat Completions body, for servers that take roles in any order and for those that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.core.plan import RenderItem
from trimtab.core.target import Target
from trimtab.wire.common import LEFT_OUT, decode_items, join_texts, unique_call_ids

_NEEDS_TOOLS = ("parallel_tool_calls", "tool_choice")  # C11: refused in a body without tools
_JOINED_TEXTS = ("reasoning_content", "reasoning", "refusal")
_RESULT_ROLES = ("tool", "function")


def render(target: Target, items: Sequence[RenderItem], tools: list[Any] | None, params: Mapping[str, Any]) -> dict[str, Any]:
    body = dict(params)
    messages = _strict(items) if target.strict_roles else _lenient(items)
    unique_call_ids(messages, _calls, _results, ("id", "tool_call_id"))
    body["messages"] = messages
    if tools:
        body["tools"] = list(tools)
    else:
        for key in _NEEDS_TOOLS:
            body.pop(key, None)
    return body


def _calls(message: dict[str, Any]) -> Sequence[dict[str, Any]]:
    return message.get("tool_calls") or ()


def _results(message: dict[str, Any]) -> Sequence[dict[str, Any]]:
    return (message,) if message["role"] == "tool" else ()


def _messages(item: RenderItem) -> list[dict[str, Any]]:
    messages = decode_items(item)
    # Looking for the bytes first: these two are rare, and a prompt may hold thousands of messages.
    if b'"tool_calls":[]' in item.payload or b'"arguments":""' in item.payload:
        for message in messages:
            _mend(message)
    return messages


def _mend(message: dict[str, Any]) -> None:
    """C4 and C6: an empty list of calls is refused, and empty arguments break the templates of local models."""
    if message.get("tool_calls") == []:
        del message["tool_calls"]
        if message.get("content") is None and not any(message.get(key) for key in ("function_call", "audio", "refusal")):
            message["content"] = ""
    functions = [call.get("function") for call in message.get("tool_calls") or ()] + [message.get("function_call")]
    for function in functions:
        if function and function.get("arguments") == "":
            function["arguments"] = "{}"


def _lenient(items: Sequence[RenderItem]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for item in items:
        if item.place in ("client", "message"):
            for message in _messages(item):
                _add(messages, message)
        else:
            messages.append({"role": "system", "content": item.payload.decode()})
    return messages


def _add(messages: list[dict[str, Any]], message: dict[str, Any]) -> None:
    """C1, C3: the calls of one reply are one message here; other forms have an item for each."""
    last = messages[-1] if messages else None
    if last is not None and message.get("tool_calls") and last.get("tool_calls") and message["role"] == last["role"] == "assistant":
        joined = join_texts(text for text in (last.get("content"), message.get("content")) if isinstance(text, str))
        messages[-1] = {**last, "content": joined or None, "tool_calls": [*last["tool_calls"], *message["tool_calls"]]}
    else:
        messages.append(message)


def _strict(items: Sequence[RenderItem]) -> list[dict[str, Any]]:
    system: dict[str, Any] = {}
    history = _Alternating()
    for item in items:
        if item.place == "client":
            for message in decode_items(item):
                system = _merged(system, message) if system else message
        elif item.place == "front":
            front = {"role": "system", "content": item.payload.decode()}
            system = _merged(system, front) if system else front
        elif item.place == "tail":
            history.pending.append(item.payload.decode())
        else:
            for message in _messages(item):
                history.add(message)
    history.flush()
    if not system:
        return history.messages
    return [{**system, "role": "system"}, *history.messages]


class _Alternating:
    """A history in which user and assistant alternate. Texts that wait go to the next user message, else back to
    the last user message, else into a user message of their own; what is ours and changes (a tail) may also go back
    to the last tool message. Words of the history may not: once the user speaks they would stand elsewhere, and what
    was sent before would not be the beginning of what is sent then."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.pending: list[str] = []
        self.holds_history = False

    def add(self, message: dict[str, Any]) -> None:
        role = message["role"]
        if role in ("system", "developer"):  # the only system message is the first
            self.pending.append(_text(message.get("content")))
            self.holds_history = True
            return
        if role == "user" and self.pending:
            message["content"] = _joined(self._take(), message.get("content"))
        elif role == "assistant":
            self.flush()
        # results stay directly after their calls: texts that wait go on waiting
        self._emit(message)

    def flush(self) -> None:
        roles = ("user",) if self.holds_history else ("user", *_RESULT_ROLES)
        text = self._take()
        if not text:
            return
        last = self.messages[-1] if self.messages else None
        if last is not None and last["role"] in roles:
            last["content"] = _joined(last.get("content"), text)
        else:
            self._emit({"role": "user", "content": text})

    def _take(self) -> str:
        text = join_texts(self.pending)
        self.pending.clear()
        self.holds_history = False
        return text

    def _emit(self, message: dict[str, Any]) -> None:
        if not self.messages and message["role"] == "assistant":
            self.messages.append({"role": "user", "content": LEFT_OUT})
        last = self.messages[-1] if self.messages else None
        if last is not None and last["role"] == message["role"] and message["role"] not in _RESULT_ROLES:
            self.messages[-1] = _merged(last, message)
        else:
            self.messages.append(message)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return join_texts(str(part.get("text", "")) for part in content)
    return content or ""


def _joined(first: Any, second: Any) -> Any:
    """Two `content` values as one: texts with a blank line between, lists of parts end to end."""
    if not first or not second:
        return first or (first if second is None else second)
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return _parts(first) + _parts(second)


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    merged = dict(first)
    for key, value in second.items():
        known = merged.get(key)
        if key == "content":
            merged[key] = _joined(known, value)
        elif not known:
            merged[key] = value
        elif key in _JOINED_TEXTS and value:
            merged[key] = f"{known}\n\n{value}"
        elif isinstance(known, list) and isinstance(value, list):
            merged[key] = known + value
    return merged
