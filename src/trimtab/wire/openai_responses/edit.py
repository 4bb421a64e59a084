"""Changes to single items. An item that was rewritten loses its `id`: the provider knows other content under it (R3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from trimtab.core.messages import Message
from trimtab.wire.common import decode
from trimtab.wire.openai_responses.items import ANSWERS, CALLS, REQUIRED_IDS, SELF_ANSWERED, answer_key, call_key, type_of
from trimtab.wire.openai_responses.parse import parse_message

# One transparent pixel: the answer to a computer call must be a picture, so no text can stand for one.
BLANK_PICTURE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
_CACHE_MARK = "prompt_cache_breakpoint"


def item_of(message: Message) -> dict[str, Any]:
    item: dict[str, Any] = decode(message.wire)
    return item


def _rewritten(message: Message, item: dict[str, Any]) -> Message:
    if type_of(item) not in REQUIRED_IDS:
        item.pop("id", None)
    return msgspec.structs.replace(parse_message(item), status=message.status)


def unbind(message: Message) -> Message:
    """The message without its item id: for an item whose partner left the prompt (R2)."""
    item = item_of(message)
    return _rewritten(message, item) if "id" in item and type_of(item) not in REQUIRED_IDS else message


def text_block(role: str, text: str) -> dict[str, Any]:
    """A content block of a message of that role."""
    return {"type": "output_text" if role == "assistant" else "input_text", "text": text}


def told(answer_type: str, text: str) -> Any:
    """The text in the shape that an answer of this type has."""
    if answer_type == "shell_call_output":
        return [{"stdout": text, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
    if answer_type == "computer_call_output":
        return {"type": "computer_screenshot", "image_url": BLANK_PICTURE}
    return text


def with_results(message: Message, texts: Mapping[str, str]) -> Message:
    """See `Wire.with_results`. Loaded tool definitions and approvals stay: they are no text, and later calls need them."""
    item = item_of(message)
    kind = type_of(item)
    if kind == SELF_ANSWERED and call_key(item) in texts:
        item["output"] = texts[call_key(item)]
        item.pop("error", None)
        return _rewritten(message, item)
    if kind not in ANSWERS or answer_key(item) not in texts or kind in ("tool_search_output", "mcp_approval_response"):
        return message
    text, field = texts[answer_key(item)], ANSWERS[kind].tells
    mark = _cache_mark(item.get(field))
    if kind == "local_shell_call_output" and "call_id" not in item:
        item["call_id"] = item["id"]  # its id is the call's, and goes
    item[field] = [{"type": "input_text", "text": text, _CACHE_MARK: mark}] if mark is not None else told(kind, text)
    return _rewritten(message, item)


def _cache_mark(content: Any) -> Any:
    """The last cache mark on a block of the content, or None."""
    if not isinstance(content, list):
        return None
    return next((block[_CACHE_MARK] for block in reversed(content) if isinstance(block, dict) and block.get(_CACHE_MARK)), None)


def with_text(message: Message, text: str) -> Message:
    """See `Wire.with_text`. Items without text of their own are returned as they are."""
    item = item_of(message)
    for key in ("instructions", "input"):
        if key in item and not type_of(item):
            return _rewritten(message, item | {key: text})
    if type_of(item) != "message":
        return message
    if not isinstance(item.get("content"), list):
        return _rewritten(message, item | {"content": text})
    block = text_block(item["role"], text)
    mark = _cache_mark(item["content"])
    if mark is not None:
        block[_CACHE_MARK] = mark
    return _rewritten(message, item | {"content": [block]})


def with_arguments(message: Message, arguments: Mapping[str, str]) -> Message:
    """See `Wire.with_arguments`. What a shell or a patch is asked keeps the shape that its schema requires."""
    item = item_of(message)
    kind = type_of(item)
    if call_key(item) not in arguments or not (kind in CALLS or kind == SELF_ANSWERED):
        return message
    new = arguments[call_key(item)]
    if kind in ("function_call", "custom_tool_call", "program", "mcp_approval_request", SELF_ANSWERED):
        item[CALLS[kind].asks if kind in CALLS else "arguments"] = new
    else:
        field = CALLS[kind].asks
        if kind == "computer_call" and field not in item:
            return message  # a list of actions of its own shapes
        item[field] = _asked(kind, item.get(field), new)
    return _rewritten(message, item)


def _asked(kind: str, old: Any, new: str) -> Any:
    value = decode(new)
    required = {"shell_call": "commands", "local_shell_call": "command", "apply_patch_call": "type", "computer_call": "type"}.get(kind, "")
    if not required or (isinstance(value, dict) and required in value):
        return value
    if kind == "shell_call":
        return {"commands": [new]}
    if kind == "local_shell_call":
        return {"type": "exec", "command": [new], "env": {}}
    if kind == "apply_patch_call":
        path = old.get("path", "") if isinstance(old, dict) else ""
        return {"type": "update_file", "path": path, "diff": new}
    return old


def with_call_ids(message: Message, ids: Mapping[str, str]) -> Message:
    """See `Wire.with_call_ids`. Ids that the provider gave to its own items (approvals, MCP calls) are not renamed."""
    item = item_of(message)
    kind = type_of(item)
    if kind in ("mcp_approval_request", "mcp_approval_response", SELF_ANSWERED) or not (kind in CALLS or kind in ANSWERS):
        return message
    key = call_key(item) if kind in CALLS else answer_key(item)
    if ids.get(key, key) == key:
        return message
    return _rewritten(message, item | {"call_id": ids[key]})


def without_reasoning(message: Message) -> Message | None:
    """None for a reasoning item; every other item as it is (see `unbind` for the partner of a dropped one)."""
    return None if message.has_reasoning else message


def result_for(call: Mapping[str, Any], text: str) -> dict[str, Any]:
    """An item that answers a call item, in the type that fits the call."""
    pair = CALLS[type_of(call)]
    return _answer_item(pair.answer, call_key(call), text)


def result_named(call_id: str, name: str, text: str) -> dict[str, Any]:
    """An item that answers a call by id and name. Calls without a name of their own are named by their type."""
    return _answer_item(CALLS[name].answer if name in CALLS else "function_call_output", call_id, text)


def _answer_item(answer_type: str, call_id: str, text: str) -> dict[str, Any]:
    if answer_type == "mcp_approval_response":
        return {"type": answer_type, "approval_request_id": call_id, "approve": False, "reason": text}
    item: dict[str, Any] = {"type": answer_type, "call_id": call_id}
    if answer_type == "apply_patch_call_output":
        return item | {"status": "failed", "output": text}
    if answer_type == "tool_search_output":
        return item | {"execution": "client", "status": "completed", "tools": []}
    if answer_type == "local_shell_call_output":
        return item | {"id": call_id, "output": text}
    return item | {ANSWERS[answer_type].tells: told(answer_type, text)}
