"""Whether a value fits a JSON schema. Imports nothing of this package: it is also run as a program of its own, so that a pattern
which never comes to an end can be ended (see `proving.prove_schema`)."""

from __future__ import annotations

import sys
from importlib import import_module
from types import TracebackType
from typing import Any

import msgspec

MOST_DETAIL_CHARS = 500
_SLOW_KEYWORDS = frozenset(
    {"pattern", "patternProperties", "$ref", "$dynamicRef", "$recursiveRef", "uniqueItems", "unevaluatedProperties", "unevaluatedItems"}
)


class _TooDeep:
    """What the library keeps its references in panics where Python's stack ends while it is at work; that is no more than "too deep"."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None and kind.__name__ == "PanicException":
            raise RecursionError from error


def schema_problem(schema: str) -> str:
    """What is wrong with a JSON schema; "" for nothing."""
    try:
        decoded = msgspec.json.decode(schema)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return f"it is not JSON ({error})"
    if not isinstance(decoded, dict | bool):
        return "it must be a JSON object"
    library = import_module("jsonschema")
    try:
        with _TooDeep():
            library.validators.validator_for(decoded, library.Draft202012Validator).check_schema(decoded)
    except library.SchemaError as error:
        return f"at {error.json_path}: {error.message[:MOST_DETAIL_CHARS]}"
    except RecursionError:
        return "it is nested too deep"
    return _unresolved(decoded)


def _unresolved(schema: Any) -> str:
    """A reference that leads nowhere, or to what is no schema. Nothing is ever fetched; the schemas of schemas themselves are there."""
    referencing = import_module("referencing")
    jsonschema = import_module("referencing.jsonschema")
    resource = referencing.Resource.from_contents(schema, default_specification=jsonschema.DRAFT202012)
    registry = import_module("jsonschema_specifications").REGISTRY.with_resource("", resource)
    waiting: list[tuple[Any, Any]] = [(schema, registry.resolver_with_root(resource))]
    while waiting:
        value, resolver = waiting.pop()
        if isinstance(value, dict):
            target = value.get("$ref")
            if isinstance(value.get("$id"), str) and value is not schema:
                # what stands in it refers from there
                resolver = resolver.in_subresource(jsonschema.DRAFT202012.create_resource(value))
            if isinstance(target, str):
                try:
                    leads_to = resolver.lookup(target).contents
                except referencing.exceptions.Unresolvable:
                    return f"it refers to {target!r}, which is not in it; nothing is fetched"
                if not isinstance(leads_to, dict | bool):
                    return f"it refers to {target!r}, which is no schema"
            waiting += [(inner, resolver) for key, inner in value.items() if key not in ("const", "enum", "default", "examples")]
        elif isinstance(value, list):
            waiting += [(inner, resolver) for inner in value]
    return ""


def may_take_long(schema: Any) -> bool:
    """Whether a check by it may take more than its size and the value's tell: patterns are matched by going back, references may
    double at each level, each item may be held against each."""
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if not _SLOW_KEYWORDS.isdisjoint(value):
                return True
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return False


def fits(schema: Any, value: Any) -> tuple[bool | None, str]:
    """(whether it fits, why not); None where that cannot be told. What it takes has no bound where `may_take_long`."""
    # loaded when the first schema is checked: it is slow to load, and few commands need it
    library, referencing = import_module("jsonschema"), import_module("referencing")
    validator_class = library.validators.validator_for(schema, library.Draft202012Validator)
    validator = validator_class(schema, registry=referencing.Registry())
    try:
        with _TooDeep():
            error = library.exceptions.best_match(validator.iter_errors(value))
    except referencing.exceptions.Unresolvable as missing:
        return None, f"the schema refers to {missing.ref!r}, which is not in it; nothing is fetched"
    except RecursionError:
        return None, "schema or value is nested too deep"
    if error is None:
        return True, ""
    hint = "; it is text and not JSON" if isinstance(value, str) and error.validator == "type" else ""
    return False, f"at {error.json_path}: {error.message[:MOST_DETAIL_CHARS]}{hint}"


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(fits(*msgspec.json.decode(sys.stdin.buffer.read()))))
