"""Whether a value fits a JSON schema. Imports nothing of this package: it is also run as a program of its own, so that a pattern
which never comes to an end can be ended (see `proving.prove_schema`)."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import msgspec

MOST_DETAIL_CHARS = 500


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
        library.validators.validator_for(decoded, library.Draft202012Validator).check_schema(decoded)
    except library.SchemaError as error:
        return f"at {error.json_path}: {error.message[:MOST_DETAIL_CHARS]}"
    except RecursionError:
        return "it is nested too deep"
    return _unresolved(decoded)


def _unresolved(schema: Any) -> str:
    """A reference that leads nowhere. Nothing is ever fetched."""
    referencing = import_module("referencing")
    jsonschema = import_module("referencing.jsonschema")
    resource = referencing.Resource.from_contents(schema, default_specification=jsonschema.DRAFT202012)
    registry = referencing.Registry().with_resource("", resource)
    waiting: list[tuple[Any, Any]] = [(schema, registry.resolver_with_root(resource))]
    while waiting:
        value, resolver = waiting.pop()
        if isinstance(value, dict):
            target = value.get("$ref")
            if isinstance(target, str) and "$id" not in value:
                try:
                    resolver.lookup(target)
                except referencing.exceptions.Unresolvable:
                    return f"it refers to {target!r}, which is not in it; nothing is fetched"
            waiting += [(inner, resolver) for key, inner in value.items() if key not in ("const", "enum", "default", "examples")]
        elif isinstance(value, list):
            waiting += [(inner, resolver) for inner in value]
    return ""


def fits(schema: Any, value: Any) -> tuple[bool | None, str]:
    """(whether it fits, why not); None where that cannot be told."""
    # loaded when the first schema is checked: it is slow to load, and few commands need it
    library, referencing = import_module("jsonschema"), import_module("referencing")
    validator = library.validators.validator_for(schema, library.Draft202012Validator)(schema, registry=referencing.Registry())
    try:
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
