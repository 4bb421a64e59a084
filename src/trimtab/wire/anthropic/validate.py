"""What the Messages interface refuses (A1-A5, A7, A8, A11, A12), in its own words.

A6 (reasoning of the latest turn unchanged), A9 and A10 (bound to its prefix) need the reply it came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.core.target import Target
from trimtab.wire.anthropic.edit import REASONING_BLOCKS
from trimtab.wire.anthropic.marks import MAX_MARKS, body_holders
from trimtab.wire.common import invalid

_CALLS_IN_ASSISTANT = ("server_tool_use", "mcp_tool_use")


def validate(body: Mapping[str, Any], target: Target | None = None) -> None:
    messages = body.get("messages")
    if not messages:
        raise invalid("A4", "messages: at least one message is required", "messages")
    if messages[0].get("role") != "user":
        raise invalid("A4", 'messages: first message must use the "user" role', "messages.0.role")
    _check_texts(body.get("system"), "system")
    server_calls, seen = set[str](), set[str]()
    for index, message in enumerate(messages):
        _check_message(index, message, last=index + 1 == len(messages))
        _check_server_tools(index, message, server_calls)
        _check_unique(index, message, seen)
        _check_calls(index, messages)
        _check_results(index, messages)
    if (body.get("thinking") or {}).get("type") == "enabled" and (
        target is None or (target.reasoning_first and not target.reasoning_bound)
    ):
        _check_reasoning_first(messages)
    marks = len(body_holders(body))
    if marks > MAX_MARKS:
        raise invalid("A11", f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {marks}.")


def _content(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    content = message.get("content")
    return content if isinstance(content, list | tuple) else ()


def _ids(message: Mapping[str, Any], kind: str, key: str) -> list[str]:
    return [block.get(key) or "" for block in _content(message) if block.get("type") == kind]


def _check_message(index: int, message: Mapping[str, Any], last: bool) -> None:
    path = f"messages.{index}"
    role = message.get("role")
    if role not in ("user", "assistant", "system"):
        raise invalid("A4", f"messages: Unexpected role \"{role}\". Allowed roles are 'user' or 'assistant'", f"{path}.role")
    if not message.get("content") and not (last and role == "assistant"):
        raise invalid("A5", "messages: text content blocks must be non-empty", f"{path}.content")
    _check_texts(message.get("content"), path + ".content")
    for place, block in enumerate(_content(message)):
        kind, where = block.get("type"), f"{path}.content.{place}"
        if kind == "thinking" and not block.get("signature"):
            raise invalid("A7", f"{where}: Invalid `signature` in `thinking` block", where)
        if kind == "thinking" and not isinstance(block.get("thinking"), str):
            raise invalid("A7", f"{where}: each thinking block must contain thinking", where)
        if kind == "compaction" and (place or block.get("content") == ""):
            raise invalid("A12", f"{where}: a `compaction` block must be the first block of its message and not empty", where)


def _check_texts(content: Any, path: str) -> None:
    if not isinstance(content, list | tuple):
        return
    for place, block in enumerate(content):
        if block.get("type") == "text" and not block.get("text"):
            raise invalid("A5", "messages: text content blocks must be non-empty", f"{path}.{place}.text")
        if block.get("type") == "tool_result":
            _check_texts(block.get("content"), f"{path}.{place}.content")


def _check_server_tools(index: int, message: Mapping[str, Any], known: set[str]) -> None:
    for place, block in enumerate(_content(message)):
        kind = block.get("type") or ""
        if kind in _CALLS_IN_ASSISTANT:
            known.add(block.get("id") or "")
        elif kind.endswith("_tool_result") and block.get("tool_use_id") not in known:
            where = f"messages.{index}.content.{place}"
            text = (
                f"{where}: unexpected `tool_use_id` found in `{kind}` blocks: {block.get('tool_use_id')}. "
                f"Each `{kind}` block must have a corresponding `server_tool_use` block before it."
            )
            raise invalid("A2", text, where)


def _check_unique(index: int, message: Mapping[str, Any], seen: set[str]) -> None:
    for call_id in _ids(message, "tool_use", "id"):
        if call_id in seen:
            raise invalid("A3", f"messages.{index}: `tool_use` ids must be unique", f"messages.{index}.content")
        seen.add(call_id)


def _check_calls(index: int, messages: Sequence[Mapping[str, Any]]) -> None:
    called = _ids(messages[index], "tool_use", "id")
    if not called:
        return
    following = messages[index + 1] if index + 1 < len(messages) else {}
    answered = set(_ids(following, "tool_result", "tool_use_id")) if following.get("role") == "user" else set()
    missing = [call_id for call_id in called if call_id not in answered]
    blocks = _content(following)
    head = {block.get("tool_use_id") for block in blocks[: len(answered)] if block.get("type") == "tool_result"}
    late = [call_id for call_id in called if call_id not in head]
    if missing or late:
        text = (
            f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(missing or late)}. "
            "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        )
        raise invalid("A1" if missing else "A3", text, f"messages.{index}")


def _check_results(index: int, messages: Sequence[Mapping[str, Any]]) -> None:
    if not _ids(messages[index], "tool_result", "tool_use_id"):
        return
    open_ids = _ids(messages[index - 1], "tool_use", "id") if index and messages[index - 1].get("role") == "assistant" else []
    for place, block in enumerate(_content(messages[index])):
        if block.get("type") != "tool_result":
            continue
        where = f"messages.{index}.content.{place}"
        if block.get("tool_use_id") not in open_ids:
            text = (
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {block.get('tool_use_id')}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
            raise invalid("A2", text, where)
        open_ids.remove(block["tool_use_id"])


def _check_reasoning_first(messages: Sequence[Mapping[str, Any]]) -> None:
    """The turn that the last results belong to starts with reasoning. Its later messages need none of their own:
    without interleaved thinking the model reasons once, before its first call."""
    if not _ids(messages[-1], "tool_result", "tool_use_id"):
        return
    latest = first = len(messages) - 2
    while first >= 2 and _ids(messages[first - 1], "tool_result", "tool_use_id") and messages[first - 2].get("role") == "assistant":
        first -= 2
    if any(_starts_with_reasoning(messages[index]) for index in (latest, first)):
        return
    found = (_content(messages[latest]) or ({},))[0].get("type")
    text = (
        f"messages.{latest}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, "
        "a final `assistant` message must start with a thinking block (preceding the lastmost set of `tool_use` and `tool_result` blocks)."
    )
    raise invalid("A8", text, f"messages.{latest}.content.0.type")


def _starts_with_reasoning(message: Mapping[str, Any]) -> bool:
    kinds = [block.get("type") for block in _content(message) if block.get("type") != "compaction"]
    return bool(kinds) and kinds[0] in REASONING_BLOCKS
