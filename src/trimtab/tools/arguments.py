"""What a model passed to a tool, read leniently and checked strictly. What is wrong is said so that it can be put right."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from trimtab.errors import TrimtabError
from trimtab.tools.schema import Param, ParamKind, Tool

MAX_ARGUMENTS_CHARS = 8_000_000
MAX_INTEGER = 10**12
_MAX_SHOWN_CHARS = 80
_INTEGER = re.compile(r"#?(\d{1,12})(?:\.0)?")
_PAIR = re.compile(r"\D{0,3}(\d{1,12})\s{0,3}(?:-|–|\.\.|,|:|to|到|至)\s{0,3}#?(\d{1,12})\W{0,3}")
_ALLOWED: dict[ParamKind, str] = {
    "text": "a text that is not empty",
    "texts": "a list of texts that are not empty",
    "integer": "a whole number, 0 or more",
    "integers": "a list of whole numbers",
    "pair": "a list of two whole numbers, the smaller first",
    "flag": "true or false",
    "value": "text or any JSON",
    "object": "an object",
}


class BadArgument(TrimtabError):
    """An argument that cannot be used. Internal to this room: the agent gets its words as the tool's answer."""


def read_arguments(tool: Tool, arguments: Any, named: str) -> dict[str, Any]:
    """The arguments of a call by name; those that are null or left out are not in it.

    Args:
        arguments: JSON text of an object, or the object.
        named: what the tool is called by this agent.
    Raises:
        BadArgument: what was wrong, what is allowed, and an example of a good call.
    """
    try:
        return _checked(tool.params, _decoded(arguments), "")
    except BadArgument as error:
        raise BadArgument(f"not done: {error}. Example: {named}({shown(tool.example, 400)})") from None


def _decoded(arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, str | bytes):
        if len(arguments) > MAX_ARGUMENTS_CHARS:
            raise BadArgument(f"the arguments have {len(arguments):,} characters; at most {MAX_ARGUMENTS_CHARS:,} are taken")
        if not arguments.strip():
            return {}
        try:
            arguments = msgspec.json.decode(arguments)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise BadArgument(f"the arguments are not JSON ({str(error)[:_MAX_SHOWN_CHARS]}); send one JSON object") from None
    elif isinstance(arguments, Mapping):
        try:
            msgspec.json.encode(arguments)
        except UnicodeError:
            pass  # halves of a pair are said where they stand
        except (TypeError, ValueError, RecursionError) as error:
            raise BadArgument(f"the arguments are not JSON ({str(error)[:_MAX_SHOWN_CHARS]}); send one JSON object") from None
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise BadArgument(f"the arguments are {shown(arguments)}; send one JSON object")
    return arguments


def _checked(params: Sequence[Param], given: Mapping[str, Any], path: str) -> dict[str, Any]:
    known = {param.name: param for param in params}
    unknown = [key for key in given if key not in known]
    if unknown:
        there = ", ".join(known) if known else "none"
        raise BadArgument(f"there is no argument {shown(unknown[0])}; allowed: {there}")
    values: dict[str, Any] = {}
    for param in params:
        value = given.get(param.name)
        if value is not None or (param.kind == "value" and param.name in given):
            values[param.name] = _value(param, value, f"{path}{param.name}")
        elif param.required:
            raise BadArgument(f'"{path}{param.name}" is missing; it must be {_allowed(param)}')
    return values


def _value(param: Param, value: Any, path: str) -> Any:
    if param.kind == "object":
        mapping = _object(value)
        if mapping is not None:
            return _checked(param.inner, mapping, f"{path}.")
    else:
        read = _choice(param, value) if param.kind == "choice" else _READERS[param.kind](value)
        if read is not None or param.kind == "value":
            return read
    raise BadArgument(f'"{path}" is {shown(value)}; it must be {_allowed(param)}')


def _allowed(param: Param) -> str:
    if param.kind == "choice":
        return "one of " + ", ".join(param.choices)
    return _ALLOWED[param.kind]


def _object(value: Any) -> Mapping[str, Any] | None:
    """Models write an object as JSON text now and then."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = as_json(value)
    return value if isinstance(value, Mapping) else None


def _choice(param: Param, value: Any) -> str | None:
    return value.strip() if isinstance(value, str) and value.strip() in param.choices else None


def _text(value: Any) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return clean(value).strip() or None if isinstance(value, str) else None


def _texts(value: Any) -> list[str] | None:
    if isinstance(value, str):
        listed = as_json(value) if value.lstrip().startswith("[") else re.split(r"[,，、\n]", value)
        value = listed if isinstance(listed, list) else [value]
    if not isinstance(value, list | tuple):
        return None
    texts = [_text(item) for item in value]
    return list(dict.fromkeys(text for text in texts if text)) if texts and all(texts) else None


def _integer(value: Any) -> int | None:
    if isinstance(value, str) and (found := _INTEGER.fullmatch(value.strip())):
        return int(found[1])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER else None


def _integers(value: Any) -> list[int] | None:
    if isinstance(value, str):
        value = re.split(r"[,，、\s]+", value.strip().strip("[]"))
    if isinstance(value, int | float):
        value = [value]
    if not isinstance(value, list | tuple) or not value:
        return None
    numbers = [number for item in value if (number := _integer(item)) is not None]
    return numbers if len(numbers) == len(value) else None


def _pair(value: Any) -> tuple[int, int] | None:
    if isinstance(value, str) and (found := _PAIR.fullmatch(value.strip())):
        value = [int(found[1]), int(found[2])]
    if isinstance(value, Mapping):
        value = list(value.values())
    numbers = _integers(value) if not isinstance(value, str) else None
    if numbers is None:
        return None
    first, last = numbers[0], numbers[-1]
    return (first, last) if len(numbers) <= 2 and first <= last else None


def _flag(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _any(value: Any) -> Any:
    """JSON objects and arrays that came as text become what they say; any other text stays one."""
    if isinstance(value, str):
        decoded = as_json(value) if value.lstrip()[:1] in ("{", "[") else None
        return decoded if decoded is not None else clean(value)
    return value


_READERS: dict[ParamKind, Callable[[Any], Any]] = {
    "text": _text,
    "texts": _texts,
    "integer": _integer,
    "integers": _integers,
    "pair": _pair,
    "flag": _flag,
    "value": _any,
}


def as_json(text: str) -> Any:
    """What a JSON text says; None where it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def clean(text: str) -> str:
    """Without halves of surrogate pairs, which no file and no provider takes."""
    return text.encode("utf-8", "replace").decode()


def shown(value: Any, limit: int = _MAX_SHOWN_CHARS) -> str:
    """A value as short JSON in an answer."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        text = clean(str(type(value).__name__))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
