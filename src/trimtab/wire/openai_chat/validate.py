"""What a Chat Completions server refuses (C1-C11), in its own words. C7 needs to know the model and C12 a counter."""

from __future__ import annotations

import binascii
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from trimtab.core.target import Target
from trimtab.wire.common import decode, invalid, split_data_uri

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def validate(body: Mapping[str, Any], target: Target | None = None) -> None:
    messages = body.get("messages")
    if not messages:
        raise invalid("C4", "Invalid 'messages': empty array. Expected an array with minimum length 1", "messages")
    for index, message in enumerate(messages):
        _check_role(index, message)
        _check_content(index, message)
        if message["role"] == "assistant":
            _check_calls(index, message)
    _check_pairs(messages)
    if body.get("parallel_tool_calls") is not None and not body.get("tools"):
        raise invalid("C11", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.")
    if target is not None and target.strict_roles:
        _check_strict(messages)


def _check_role(index: int, message: Mapping[str, Any]) -> None:
    role = message.get("role")
    if role not in _ROLES:
        supported = ", ".join(repr(known) for known in _ROLES)
        raise invalid("C9", f"Invalid value: '{role}'. Supported values are: {supported}.", f"messages.[{index}].role")


def _check_content(index: int, message: Mapping[str, Any]) -> None:
    content = message.get("content")
    if content is None:
        own = message["role"] == "assistant" and any(message.get(key) for key in ("tool_calls", "function_call", "audio", "refusal"))
        if not own:
            raise invalid("C5", "Invalid value for 'content': expected a string, got null.", f"messages.[{index}].content")
        return
    if isinstance(content, str):
        return
    for place, part in enumerate(content):
        url = part.get("image_url")
        url = url.get("url") if isinstance(url, Mapping) else url
        if part.get("type") == "image_url" and isinstance(url, str):
            _check_image(url, f"messages.[{index}].content.[{place}].image_url")


def _check_image(url: str, path: str) -> None:
    inline = split_data_uri(url)
    if inline is None and not url.startswith("data:"):
        return
    try:
        whole = inline is not None and bool(binascii.a2b_base64(inline[1], strict_mode=True))
    except (binascii.Error, ValueError):
        whole = False
    if not whole:
        raise invalid("C10", "Invalid base64 image_url", path)


def _check_calls(index: int, message: Mapping[str, Any]) -> None:
    calls = message.get("tool_calls")
    if calls is None:
        return
    if not calls:
        text = f"Invalid 'messages[{index}].tool_calls': empty array. Expected an array with minimum length 1"
        raise invalid("C4", text, f"messages.[{index}].tool_calls")
    for place, call in enumerate(calls):
        if "function" in call and not _is_json(call["function"].get("arguments")):
            path = f"messages[{index}].tool_calls[{place}].function.arguments"
            raise invalid("C6", f"Invalid '{path}': expected a string of valid JSON", path)


def _is_json(text: Any) -> bool:
    if not isinstance(text, str):
        return False
    try:
        decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False
    return True


def _unanswered(ids: Sequence[str]) -> str:
    return (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(ids)}"
    )


def _check_pairs(messages: Sequence[Mapping[str, Any]]) -> None:
    open_ids: list[str] = []
    caller, seen = 0, set[str]()
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_ids:
                text = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                raise invalid("C2", text, f"messages.[{index}].role")
            open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            raise invalid("C1", _unanswered(open_ids), f"messages.[{caller}].role")
        for call in message.get("tool_calls") or ():
            if call["id"] in seen:
                raise invalid("C3", _unanswered([call["id"]]), f"messages.[{index}].tool_calls")
            seen.add(call["id"])
            open_ids.append(call["id"])
        caller = index
    if open_ids:
        raise invalid("C1", _unanswered(open_ids), f"messages.[{caller}].role")


def _check_strict(messages: Sequence[Mapping[str, Any]]) -> None:
    previous = ""
    for index, message in enumerate(messages):
        role = message["role"]
        if role == "developer":
            raise invalid("C9", "Unexpected role developer", f"messages.[{index}].role")
        after = not previous or previous == "system"
        wrong = role == previous and role in ("user", "assistant")
        if (role == "system" and index > 0) or wrong or (role == "assistant" and after):
            raise invalid("C8", "Conversation roles must alternate user/assistant/user/assistant/...", f"messages.[{index}].role")
        previous = role
    if previous == "assistant":
        text = "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"
        raise invalid("C8", text, f"messages.[{len(messages) - 1}].role")
