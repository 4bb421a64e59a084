"""Tools that a run offers: plain Python callables, or dicts, with the schema that a model is shown."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Struct

from trimtab.core.messages import WireName
from trimtab.errors import BadSetting

F = TypeVar("F", bound=Callable[..., Any])
_MARK = "__trimtab_idempotent__"
_HEADS = re.compile(r"^[ \t]*(?:Args|Arguments|Parameters|Returns|Raises|Yields|Examples?|Notes?):[ \t]*$", re.MULTILINE)
_ARGS = re.compile(r"^[ \t]*(?:Args|Arguments|Parameters):[ \t]*$", re.MULTILINE)
_ARG = re.compile(r"^[ \t]*(\w+)[ \t]*(?:\([^)]*\))?:[ \t]*(.+)$")
_REQUIRED = ("name", "run")
_NOUNS = frozenset({"name", "run", "description", "parameters", "idempotent"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class BadCall(Exception):
    """Arguments that the tool does not take; its text says which, for the model."""


class RunTool(Struct, frozen=True, kw_only=True):
    """One tool of a run.

    Attributes:
        run: called with the arguments by name; may be a coroutine function. What it returns is the result: text as it is,
            anything else as JSON; a generator, or an object that neither JSON nor a text of its own can show, is an error. What it
            raises is the result too, also `SystemExit`; only `KeyboardInterrupt` and cancellation end the run.
        parameters: JSON schema of the arguments, an object; empty for none.
        takes: the arguments as a type, where they are checked before the call; None where `parameters` was given as JSON.
        idempotent: that it ran twice does no harm: calls of it run beside each other, and one that a crash cut off is run again.
    """

    name: str
    run: Callable[..., Any]
    description: str = ""
    parameters: dict[str, Any] = {}
    takes: type[Struct] | None = None
    idempotent: bool = False

    def arguments(self, text: str) -> dict[str, Any]:
        """The arguments of a call as the callable takes them. Raises BadCall."""
        try:
            value = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError) as error:
            raise BadCall(f"its arguments are not JSON ({error}); send an object like {self._example()}") from None
        if not isinstance(value, dict):
            raise BadCall(f"its arguments are {type(value).__name__}; send an object like {self._example()}")
        if self.takes is None:
            return value
        try:
            made = msgspec.convert(value, self.takes, strict=False)
        except msgspec.ValidationError as error:
            raise BadCall(f"{error}; send an object like {self._example()}") from None
        return {key: getattr(made, key) for key in self.takes.__struct_fields__ if key in value}

    def schema(self, wire: WireName) -> dict[str, Any]:
        """The tool as the interface takes it."""
        parameters = self.parameters or {"type": "object", "properties": {}}
        if wire == "anthropic":
            return {"name": self.name, "description": self.description, "input_schema": parameters}
        inner = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", **inner} if wire == "openai_responses" else {"type": "function", "function": inner}

    def _example(self) -> str:
        names = self.parameters.get("properties", {})
        return "{" + ", ".join(f'"{name}": ...' for name in names) + "}"


def idempotent(tool: F) -> F:
    """Decorator: that this tool runs twice does no harm. Calls of it run beside each other, and one that a crash cut off is
    run again. Raises BadSetting for what cannot be marked."""
    try:
        setattr(tool, _MARK, True)
    except AttributeError:
        raise BadSetting("tools", tool, "a function, or a method where its class is written; else a dict with idempotent=True") from None
    return tool


def read_tool(value: Any) -> RunTool:
    """A tool from a callable, whose schema is made from its signature and docstring, or from a dict with name, run, and
    description, parameters, idempotent where wanted.

    Raises:
        BadSetting: what cannot be offered to a model.
    """
    if isinstance(value, RunTool):
        return value
    if isinstance(value, Mapping):
        return _from_mapping(value)
    if not callable(value):
        raise BadSetting("tools", value, "callables, or dicts with name and run")
    return _from_callable(value)


def _from_mapping(value: Mapping[str, Any]) -> RunTool:
    lacking, unknown = [key for key in _REQUIRED if key not in value], sorted(set(value) - _NOUNS)
    if lacking or unknown or not callable(value["run"]):
        raise BadSetting("tools", dict(value), "a dict with name, run (a callable) and perhaps description, parameters, idempotent")
    made = _from_callable(value["run"], str(value["name"])) if "parameters" not in value else None
    parameters = dict(value["parameters"]) if made is None else made.parameters
    return RunTool(
        name=_named(str(value["name"])),
        run=value["run"],
        description=str(value.get("description", made.description if made else "")),
        parameters=parameters,
        takes=made.takes if made else None,
        idempotent=bool(value.get("idempotent", made.idempotent if made else False)),
    )


def _from_callable(run: Callable[..., Any], name: str = "") -> RunTool:
    name = _named(name or getattr(run, "__name__", type(run).__name__))
    text = inspect.getdoc(run) or ""
    about = _arguments_in(text)
    target = run if inspect.isroutine(run) else type(run).__call__
    hints = get_type_hints(target, include_extras=True)
    fields: list[Any] = []
    for param in inspect.signature(run).parameters.values():
        if param.kind not in (param.POSITIONAL_OR_KEYWORD, param.KEYWORD_ONLY):
            raise BadSetting(f"tools.{name}", str(param), "a parameter with a name: a model sends its arguments by name")
        kind: Any = hints.get(param.name, Any if param.default is param.empty else type(param.default))
        kind = Annotated[kind, msgspec.Meta(description=about[param.name])] if param.name in about else kind
        fields.append((param.name, kind) if param.default is param.empty else (param.name, kind, _default(param.default)))
    takes = msgspec.defstruct(name, fields, kw_only=True, forbid_unknown_fields=True)
    return RunTool(
        name=name,
        run=run,
        description=" ".join(_HEADS.split(text, maxsplit=1)[0].split()),
        parameters=_schema_of(takes),
        takes=takes,
        idempotent=bool(getattr(run, _MARK, False)),
    )


def _default(value: Any) -> Any:
    """Mutable defaults are made anew for each call; the schema shows those that are JSON."""
    return msgspec.field(default_factory=lambda: value) if isinstance(value, list | dict | set) and value else value


def _named(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise BadSetting("tools.name", name, "letters, digits, _ and -, at most 64, beginning with a letter")
    return name


def _schema_of(takes: type[Struct]) -> dict[str, Any]:
    """The schema of its fields: the outer type's own name says nothing to a model."""
    (outer,), inner = msgspec.json.schema_components([takes], ref_template="#/$defs/{name}")
    own = inner.pop(outer["$ref"].rpartition("/")[2])
    made = {"type": "object", "properties": own.get("properties", {}), "required": own.get("required", []), "additionalProperties": False}
    return made | ({"$defs": inner} if inner else {})


def _arguments_in(text: str) -> dict[str, str]:
    """What the docstring says of each argument, under "Args:"."""
    parts = _ARGS.split(text, maxsplit=1)
    about: dict[str, str] = {}
    name = ""
    for line in _HEADS.split(parts[1], maxsplit=1)[0].splitlines() if len(parts) > 1 else ():
        found = _ARG.match(line)
        if found is not None:
            name = found[1]
            about[name] = found[2].strip()
        elif name and line.strip():
            about[name] += " " + line.strip()
    return about
