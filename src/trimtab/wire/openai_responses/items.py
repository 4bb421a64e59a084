"""The item types that come in pairs, and the names of their fields. One row here is all a new pair needs.

Source of the list: the input item union of the OpenAI Python SDK 3.57.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Pair(Struct, frozen=True):
    """A kind of call and the kind of item that answers it.

    Attributes:
        call, answer: item types.
        asks: field of the call that says what to do.
        tells: field of the answer that holds its content.
        awaited: whether the provider refuses a request in which the call is not answered yet. A program runs over
            several responses, and an approval may stay open.
        id_prefix: what the id of the call begins with; "" where it is not known.
    """

    call: str
    answer: str
    asks: str
    tells: str
    awaited: bool = True
    id_prefix: str = ""


PAIRS: tuple[Pair, ...] = (
    Pair("function_call", "function_call_output", "arguments", "output", id_prefix="fc"),
    Pair("custom_tool_call", "custom_tool_call_output", "input", "output", id_prefix="ctc"),
    Pair("local_shell_call", "local_shell_call_output", "action", "output"),
    Pair("shell_call", "shell_call_output", "action", "output"),
    Pair("apply_patch_call", "apply_patch_call_output", "operation", "output"),
    Pair("computer_call", "computer_call_output", "action", "output"),
    Pair("tool_search_call", "tool_search_output", "arguments", "tools"),
    Pair("program", "program_output", "code", "result", awaited=False),
    Pair("mcp_approval_request", "mcp_approval_response", "arguments", "approve", awaited=False),
)
CALLS: dict[str, Pair] = {pair.call: pair for pair in PAIRS}
ANSWERS: dict[str, Pair] = {pair.answer: pair for pair in PAIRS}
# these call and answer in one item, under their own id
SELF_ANSWERED = "mcp_call"
# ids that the schema requires, so that an edited item keeps them
REQUIRED_IDS: frozenset[str] = frozenset({"mcp_call", "mcp_approval_request", "item_reference", "local_shell_call", "program"})

SYSTEM_ROLES: frozenset[str] = frozenset({"developer", "system"})


def type_of(item: Mapping[str, Any]) -> str:
    """The item's type; items that only have a role are messages, those that only have an id are references."""
    kind = item.get("type")
    if isinstance(kind, str):
        return kind
    if "role" in item:
        return "message"
    return "item_reference" if set(item) <= {"id", "type"} and "id" in item else ""


def call_key(item: Mapping[str, Any]) -> str:
    """The id under which a call is answered; "" where the provider answers it by itself."""
    key = item.get("id") if type_of(item) in ("mcp_approval_request", SELF_ANSWERED) else item.get("call_id")
    return key if isinstance(key, str) else ""


def answer_key(item: Mapping[str, Any]) -> str:
    """The id of the call that an item answers; "" where it names none."""
    field = {"mcp_approval_response": "approval_request_id"}.get(type_of(item), "call_id")
    key = item.get(field)
    if key is None and type_of(item) == "local_shell_call_output":
        key = item.get("id")  # the schema has no call_id for this one type
    return key if isinstance(key, str) else ""


def answers(call_type: str, answer_type: str) -> bool:
    """Whether an item of the one type may answer a call of the other."""
    if CALLS[call_type].answer == answer_type:
        return True
    # Codex answers its local shell as if it were a function
    return call_type == "local_shell_call" and answer_type == "function_call_output"


def is_from_model(item: Mapping[str, Any]) -> bool:
    """Whether the model produced the item: what may stand after the reasoning that led to it."""
    kind = type_of(item)
    if kind == "message":
        return item.get("role") == "assistant"
    if kind in CALLS or kind == SELF_ANSWERED:
        return True
    return kind not in ANSWERS and kind not in ("reasoning", "additional_tools", "configuration_update", "compaction_trigger")
