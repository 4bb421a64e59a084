"""What a tool is, declared once, and its schema in the form of each interface."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from msgspec import Struct

from trimtab.errors import BadSetting

ToolWire: TypeAlias = Literal["openai_chat", "openai_responses", "anthropic", "mcp"]
Language: TypeAlias = Literal["en", "zh"]
ParamKind: TypeAlias = Literal["text", "texts", "integer", "integers", "pair", "flag", "choice", "value", "object"]
TOOL_WIRES: tuple[ToolWire, ...] = get_args(ToolWire)
LANGUAGES: tuple[Language, ...] = get_args(Language)

_INTEGERS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
_TYPES: dict[ParamKind, dict[str, Any]] = {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "integer": {"type": "integer"},
    "integers": _INTEGERS,
    "pair": _INTEGERS,
    "flag": {"type": "boolean"},
    "choice": {"type": "string"},
    # JSON travels as text: an open type is no schema that every provider takes, and none in strict mode
    "value": {"type": "string"},
    "object": {"type": "object"},
}


class Param(Struct, frozen=True, kw_only=True):
    """One argument of a tool.

    Attributes:
        kind: `pair` is [first, last]; `value` any JSON, as text in the schema; `object` has `inner` arguments.
        en, zh: what it means, in a few words.
    """

    name: str
    kind: ParamKind = "text"
    en: str = ""
    zh: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    inner: tuple[Param, ...] = ()


class Tool(Struct, frozen=True, kw_only=True):
    """One tool.

    Attributes:
        en, zh: what it does and when to use it.
        example: arguments of a good call; shown where a call was wrong.
        reads: it changes nothing.
    """

    name: str
    en: str
    zh: str
    params: tuple[Param, ...] = ()
    example: dict[str, Any] = {}
    reads: bool = False


def render(tool: Tool, wire: str, language: Language, prefix: str = "") -> dict[str, Any]:
    """The tool's schema as the interface takes it; for `openai_responses` in strict form.

    Raises:
        BadSetting: no such wire.
    """
    name, description = prefix + tool.name, getattr(tool, language)
    strict = wire == "openai_responses"
    parameters = _object(tool.params, language, strict)
    if wire == "openai_chat":
        return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
    if wire == "openai_responses":
        return {"type": "function", "name": name, "description": description, "parameters": parameters, "strict": True}
    if wire == "anthropic":
        return {"name": name, "description": description, "input_schema": parameters}
    if wire == "mcp":
        hints = {"readOnlyHint": tool.reads, "destructiveHint": False, "openWorldHint": False}
        return {"name": name, "description": description, "inputSchema": parameters, "annotations": hints}
    raise BadSetting("wire", wire, "one of " + ", ".join(TOOL_WIRES))


def _object(params: tuple[Param, ...], language: Language, strict: bool) -> dict[str, Any]:
    """Strict mode wants every property required: what may be left out may be null there instead."""
    properties = {param.name: _property(param, language, strict) for param in params}
    required = [param.name for param in params if strict or param.required]
    made: dict[str, Any] = {"type": "object", "properties": properties}
    if required or strict:
        made["required"] = required
    return made | {"additionalProperties": False}


def _property(param: Param, language: Language, strict: bool) -> dict[str, Any]:
    made = dict(_object(param.inner, language, strict) if param.inner else _TYPES[param.kind])
    if param.choices:
        made["enum"] = list(param.choices)
    if strict and not param.required:
        made["type"] = [made["type"], "null"]
        if "enum" in made:
            made["enum"].append(None)
    meaning = getattr(param, language)
    return made | ({"description": meaning} if meaning else {})
