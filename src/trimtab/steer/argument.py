"""The argument in which each tool call says which step it serves: put into tool schemas, read, and taken off again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from trimtab.core.messages import WireName

ARGUMENT, INSTEAD = "step", "task_step"
# the same for every tool and every step: tools stand before everything else, and must not change with the plan's progress
_SCHEMA: dict[str, Any] = {
    "type": "string",
    "description": "Name of the plan's step under way that this call serves, as the task state has it.",
}
_INPUT = {"openai_chat": "parameters", "openai_responses": "parameters", "anthropic": "input_schema"}


def _function(tool: dict[str, Any], wire_format: WireName) -> dict[str, Any] | None:
    """The part of a tool that holds its name and schema; None for a tool of the provider's own."""
    if wire_format == "openai_chat":
        inner = tool.get("function")
        return inner if tool.get("type", "function") == "function" and isinstance(inner, dict) else None
    if wire_format == "openai_responses":
        return tool if tool.get("type") == "function" else None
    return tool if "input_schema" in tool and tool.get("type", "custom") == "custom" else None


def _schema_of(function: dict[str, Any], wire_format: WireName) -> dict[str, Any] | None:
    """Its object schema; None where an argument cannot be added to it."""
    schema = function.get(_INPUT[wire_format])
    if schema is None:
        return {"type": "object", "properties": {}}
    plain = isinstance(schema, dict) and schema.get("type", "object") == "object" and isinstance(schema.get("properties", {}), dict)
    return schema if plain and not any(key in schema for key in ("$ref", "oneOf", "anyOf", "allOf")) else None


def names_for(tools: Sequence[dict[str, Any]], wire_format: WireName) -> dict[str, str]:
    """By tool, the name of the argument that is added to it: another where the tool has a `step` of its own. Take the tools
    as the user gave them."""
    names: dict[str, str] = {}
    for tool in tools:
        function = _function(tool, wire_format)
        schema = _schema_of(function, wire_format) if function is not None else None
        if function is None or schema is None or not isinstance(function.get("name"), str):
            continue
        own = schema.get("properties", {})
        if INSTEAD not in own or ARGUMENT not in own:
            names[function["name"]] = INSTEAD if ARGUMENT in own else ARGUMENT
    return names


def with_argument(tools: Sequence[dict[str, Any]], wire_format: WireName) -> list[dict[str, Any]]:
    """The tools with the argument required, first among their own; the given ones are not changed. What is no function
    stays as it is."""
    names = names_for(tools, wire_format)
    return [_added(tool, names, wire_format) for tool in tools]


def _added(tool: dict[str, Any], names: dict[str, str], wire_format: WireName) -> dict[str, Any]:
    function = _function(tool, wire_format)
    if function is None or function.get("name") not in names:
        return tool
    schema = _schema_of(function, wire_format) or {}
    name = names[function["name"]]
    changed = schema | {
        "properties": {name: _SCHEMA} | schema.get("properties", {}),
        "required": [name, *schema.get("required", ())],
    }
    inner = function | {_INPUT[wire_format]: changed}
    return tool | {"function": inner} if wire_format == "openai_chat" else inner


def said_in(arguments: str, name: str) -> object:
    """What the argument says; None where it is not there or the arguments are no JSON object."""
    value = _object(arguments)
    return None if value is None else value.get(name)


def without_argument(arguments: str, name: str) -> str:
    """The arguments as the tool itself takes them. What is no JSON object, or has no such argument, stays as it is."""
    value = _object(arguments)
    if value is None or name not in value:
        return arguments
    return json.dumps({key: inner for key, inner in value.items() if key != name}, ensure_ascii=False, separators=(",", ":"))


def _object(arguments: str) -> dict[str, Any] | None:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
