"""Read an agent's history from a file: chat JSON and JSONL, Anthropic form, and the logs of three other tools.

Nothing here imports the rest of Trimtab except its errors: reading is quick and its failures are told as a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from trimtab.errors import TrimtabError

JsonObject = dict[str, Any]
Form = Literal["openai_chat", "anthropic"]

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_INSTRUCTION_ROLES = frozenset({"system", "developer"})
_ANTHROPIC_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use"})


class History(NamedTuple):
    """One session as it was found.

    Attributes:
        name: of the session, unique in its file.
        wire: the form of `messages`.
        system: the client's instructions as that form has them, or None.
        messages: without the instructions, in order.
        tools: tool schemas, or None where the file has none.
    """

    name: str
    wire: Form
    system: Any
    messages: list[JsonObject]
    tools: list[Any] | None


class HistoryError(TrimtabError):
    """A file that is no history. It says which file, where, and what was expected."""

    def __init__(self, path: Path, problem: str, line: int = 0) -> None:
        self.path, self.problem, self.line = path, problem, line
        super().__init__(f"{path}{f':{line}' if line else ''}: {problem}")


def read_histories(path: Path) -> list[History]:
    """Every session in the file, in order.

    Raises:
        HistoryError: it cannot be read, is not JSON, or holds no history.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HistoryError(path, f"cannot be read: {error}") from error
    if not text.strip():
        raise HistoryError(path, "is empty")
    values = _values(path, text)
    histories = [history for history in _histories(path, values) if history.messages]
    if not histories:
        raise HistoryError(path, 'is not a history: expected {"messages": [...]}, a list of messages, or one message a line')
    return histories


def _values(path: Path, text: str) -> list[Any]:
    """The whole file as one JSON value, or else one value a line."""
    try:
        return [json.loads(text)]
    except ValueError as error:
        whole = error
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    values = []
    for n, line in lines:
        try:
            values.append(json.loads(line))
        except ValueError as error:
            # a file whose first line is not JSON by itself was meant as one value
            raise _broken(path, whole if not values or len(lines) == 1 else error, n) from error
    return values


def _broken(path: Path, error: ValueError, line: int) -> HistoryError:
    if isinstance(error, json.JSONDecodeError):
        line = error.lineno if error.lineno > 1 else line
        return HistoryError(path, f"is not JSON: {error.msg} (column {error.colno})", line)
    return HistoryError(path, f"is not JSON: {error}", line)


def _histories(path: Path, values: Sequence[Any]) -> Iterator[History]:
    if len(values) == 1:
        yield from _from_value(path, values[0])
    elif all(_is_log_line(value) for value in values):
        yield _claude_code(path, values)
    elif all(_is_message(value) for value in values):
        yield _plain(path.stem, None, list(values), None)
    else:
        for n, value in enumerate(values, 1):
            if not isinstance(value, Mapping) or "messages" not in value:
                raise HistoryError(path, 'is neither a message nor {"messages": [...]}', n)
            yield _from_body(path, f"{path.stem}-{n}", value)


def _from_value(path: Path, value: Any) -> Iterator[History]:
    if isinstance(value, list):
        if value and all(isinstance(item, Mapping) and isinstance(item.get("traj"), list) for item in value):
            for item in value:
                yield _plain(f"{path.stem}-{item.get('task_id', 0)}-{item.get('trial', 0)}", None, list(item["traj"]), None, path)
        else:
            yield _plain(path.stem, None, value, None, path)
    elif isinstance(value, Mapping):
        if isinstance(value.get("trajectory"), list):
            yield _swe_agent(path, value)
        elif "messages" in value:
            yield _from_body(path, path.stem, value)
        elif _is_message(value):
            yield _plain(path.stem, None, [dict(value)], None)


def _from_body(path: Path, name: str, body: Mapping[str, Any]) -> History:
    messages, tools = body["messages"], body.get("tools")
    if not isinstance(messages, list):
        raise HistoryError(path, f'"messages" is {type(messages).__name__}, expected a list')
    if tools is not None and not isinstance(tools, list):
        raise HistoryError(path, f'"tools" is {type(tools).__name__}, expected a list')
    return _plain(name, body.get("system"), messages, tools, path)


def _plain(name: str, system: Any, messages: Sequence[Any], tools: list[Any] | None, path: Path | None = None) -> History:
    """A list of messages of either form; leading instructions of the chat form are taken off."""
    for n, message in enumerate(messages):
        if not _is_message(message):
            raise HistoryError(path or Path(name), f"message {n} has no known role: is this a history?")
    if system is not None or any(_has_anthropic_block(message) for message in messages):
        return History(name, "anthropic", system, [dict(message) for message in messages], tools or None)
    cleaned = [_without_nulls(message) for message in messages]
    first = next((n for n, message in enumerate(cleaned) if message["role"] not in _INSTRUCTION_ROLES), len(cleaned))
    head = cleaned[:first]
    plain = len(head) == 1 and head[0]["role"] == "system" and isinstance(head[0].get("content"), str)
    leading: Any = head[0]["content"] if plain else head or None
    return History(name, "openai_chat", leading, cleaned[first:], tools or None)


def _without_nulls(message: Mapping[str, Any]) -> JsonObject:
    # libraries dump every field of a reply; providers refuse `tool_calls: null` in a request
    return {key: value for key, value in message.items() if value is not None or key == "content"}


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("role") in _ROLES


def _has_anthropic_block(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(isinstance(block, Mapping) and block.get("type") in _ANTHROPIC_BLOCKS for block in content)


def _swe_agent(path: Path, log: Mapping[str, Any]) -> History:
    """SWE-agent .traj: the first real messages of `history`, then one bash call a step of `trajectory`."""
    opening = [m for m in log.get("history", []) if _is_message(m) and not m.get("is_demo")]
    system = next((_text(m.get("content")) for m in opening if m["role"] == "system"), None)
    messages: list[JsonObject] = [{"role": "user", "content": _text(m.get("content"))} for m in opening if m["role"] == "user"][:1]
    for n, step in enumerate(log["trajectory"]):
        call_id, command = f"call_{n:04d}", json.dumps({"command": step.get("action") or ""}, ensure_ascii=False)
        call = {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": command}}
        messages.append({"role": "assistant", "content": step.get("thought") or "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call_id, "content": step.get("observation") or ""})
    return History(path.stem, "openai_chat", system, messages, None)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text") or "" for block in content or [] if isinstance(block, Mapping))


def _is_log_line(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("type"), str) and "role" not in value and "messages" not in value


def _claude_code(path: Path, lines: Sequence[Mapping[str, Any]]) -> History:
    """Claude Code's .jsonl: one line a block; lines of one role that follow each other are one message."""
    messages: list[JsonObject] = []
    for line in lines:
        message = line.get("message")
        if line["type"] not in {"user", "assistant"} or line.get("isSidechain") or not isinstance(message, Mapping):
            continue
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])
        blocks = [block for block in blocks if block.get("type") != "text" or block.get("text")]
        if messages and messages[-1]["role"] == line["type"]:
            messages[-1]["content"] += blocks
        elif blocks:
            messages.append({"role": line["type"], "content": blocks})
    return History(path.stem, "anthropic", None, messages, None)


def batches(messages: Sequence[JsonObject]) -> tuple[list[list[JsonObject]], list[JsonObject]]:
    """(messages that are new at each request, messages after the last request).

    A request stands before every reply of the model, and one more at the end where the history ends with
    results or a user's words. Assistant messages that follow each other are one reply.
    """
    rounds: list[list[JsonObject]] = []
    new: list[JsonObject] = []
    waiting = False  # whether something has come since the last reply
    for message in messages:
        if message["role"] == "assistant" and waiting:
            rounds.append(new)
            new, waiting = [], False
        waiting = waiting or message["role"] != "assistant"
        new.append(message)
    if waiting:
        rounds.append(new)
        new = []
    return rounds, new
