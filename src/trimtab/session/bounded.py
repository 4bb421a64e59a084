"""Whether a value fits a JSON schema, told in bounded time: patterns are matched in linear time, a reference is followed once
for each value, and unlike items are told apart by what they hold. What no such bound is known of is told by `unbounded`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from trimtab.session.fitting import told
from trimtab.session.patterns import Unbounded, Work, found, pattern_problem

_NO_BOUND = ("$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems")


def unbounded(schema: Any) -> str:
    """Why no bound is known for the time that a check by this schema takes; "" where one is."""
    stack = [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if problem := _of_one(value, value is schema):
                return problem
            stack += value.values()
        elif isinstance(value, list):
            stack += value
    return ""


def _of_one(schema: Mapping[str, Any], is_root: bool) -> str:
    for key in _NO_BOUND:
        if key in schema:
            return f"it uses {key}, of which no time can be told; write it without"
    if "$schema" in schema and not is_root:
        return "it holds a '$schema' inside; give one at the top only"
    patterns = [schema["pattern"]] if isinstance(schema.get("pattern"), str) else []
    others = schema.get("patternProperties")
    patterns += list(others) if isinstance(others, dict) else []
    for pattern in patterns:
        if problem := pattern_problem(pattern):
            return f"its pattern {pattern[:80]!r} {problem}"
    return ""


def fits_in_bounds(schema: Any, value: Any) -> tuple[bool | None, str]:
    """(whether it fits, why not), of a schema that is not `unbounded`; None where it took too long after all."""
    library = import_module("jsonschema")
    base = library.validators.validator_for(schema, library.Draft202012Validator)
    if isinstance(schema, dict):
        # with it, the part that a reference leads to would be checked by the library's own class again
        schema = {key: inner for key, inner in schema.items() if key != "$schema"}
    try:
        return told(library.validators.extend(base, _keywords(base, library.ValidationError)), schema, value)
    except Unbounded as error:
        return None, f"a pattern of the schema {error}; use a simpler one, or a check by code"


def _keywords(base: Any, error_class: Any) -> dict[str, Callable[..., Iterator[Any]]]:
    """The keywords whose time is not bounded in the library, for one check."""
    work, seen, under_way = Work(), dict[tuple[int, int], Any](), set[tuple[int, int]]()

    def pattern(validator: Any, wanted: str, value: Any, schema: Any) -> Iterator[Any]:
        if validator.is_type(value, "string") and not found(wanted, value, work):
            yield error_class(f"{value!r} does not match {wanted!r}")

    def pattern_properties(validator: Any, rows: Mapping[str, Any], value: Any, schema: Any) -> Iterator[Any]:
        if validator.is_type(value, "object"):
            for wanted, inner in rows.items():
                for key in value:
                    if found(wanted, key, work):
                        yield from validator.descend(value[key], inner, path=key, schema_path=wanted)

    def additional_properties(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[Any]:
        patterns = schema.get("patternProperties", {})
        if validator.is_type(value, "object"):
            # the others are the library's to tell: without patterns it takes no more than a look at each
            value = {key: row for key, row in value.items() if not any(found(wanted, key, work) for wanted in patterns)}
            schema = {"properties": schema.get("properties", {})}
        yield from base.VALIDATORS["additionalProperties"](validator, allowed, value, schema) or ()

    def unique_items(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
        first: dict[Any, int] = {}
        for place, row in enumerate(value if wanted is True and validator.is_type(value, "array") else ()):
            if (known := first.setdefault(_key(row), place)) != place:
                yield error_class(f"items {known} and {place} are the same; each must be there once")
                return

    def reference(validator: Any, target: str, value: Any, schema: Any) -> Iterator[Any]:
        # the same reference for the same value again: what it found stands, and one error is enough to say so
        place = (id(schema), id(value))
        if place in under_way:
            raise RecursionError
        if place in seen:
            yield from [error_class.create_from(seen[place])] if seen[place] is not None else []
            return
        under_way.add(place)
        try:
            for error in base.VALIDATORS["$ref"](validator, target, value, schema) or ():
                seen.setdefault(place, error_class.create_from(error))
                yield error
            seen.setdefault(place, None)
        finally:
            under_way.discard(place)

    own: dict[str, Callable[..., Iterator[Any]]] = {
        "pattern": pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": additional_properties,
        "uniqueItems": unique_items,
        "$ref": reference,
    }
    return {key: keyword for key, keyword in own.items() if key in base.VALIDATORS}


def _key(value: Any) -> Any:
    """Equal for values that JSON takes to be equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, dict):
        return ("object", frozenset((key, _key(inner)) for key, inner in value.items()))
    if isinstance(value, list | tuple):
        return ("array", tuple(_key(inner) for inner in value))
    return ("flag", value) if isinstance(value, bool) else ("one", value)
