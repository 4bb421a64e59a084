"""What a tool returned as text, as values: JSON, JSON lines, and the tables and objects in a text as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trimtab.distill.grids import find_grids
from trimtab.distill.shapes import NOTHING, decode_json, decode_lines
from trimtab.distill.shapes.json_values import embedded

MAX_DEPTH = 12
# beyond this a text is not searched for JSON that begins somewhere inside it
_MAX_SEARCHED_CHARS = 2_000_000


def json_of(value: Any) -> Any:
    """The value of a text that is JSON or JSON lines (a list); any other text, and any other value, as it is."""
    if not isinstance(value, str):
        return value
    decoded = decode_json(value)
    if decoded is NOTHING:
        decoded = decode_lines(value)
    return value if decoded is None else decoded


def tables_of(text: str) -> list[list[dict[str, Any]]]:
    """What is written in a text as a table or as JSON, each as rows by name; a single object is a table of one row."""
    found: list[list[dict[str, Any]]] = [[dict(zip(grid.names, row, strict=False)) for row in grid.rows] for grid in find_grids(text)]
    if len(text) <= _MAX_SEARCHED_CHARS and ("{" in text or "[" in text):
        for value in embedded(text):
            found += [[value]] if isinstance(value, dict) else []
            found += tables_in(value)
    return [rows for rows in found if rows]


def tables_in(value: Any, depth: int = 0) -> Iterator[list[dict[str, Any]]]:
    """The lists of objects in a JSON value, wherever they stand."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        rows = [row for row in value if isinstance(row, dict)]
        if rows:
            yield rows
    for child in value.values() if isinstance(value, dict) else value[:1] if isinstance(value, list) else ():
        yield from tables_in(child, depth + 1)
