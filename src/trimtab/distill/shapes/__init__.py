"""What data looks like when it is gone: fields, types, ranges, keys. No model, linear in the text's length."""

from __future__ import annotations

import msgspec

from trimtab.core.notes import Structure
from trimtab.distill.grids import Grid, find_grids
from trimtab.distill.shapes.columns import MAX_NAME_CHARS, clean, typed
from trimtab.distill.shapes.json_values import (
    MOST_ROWS,
    MOST_STRUCTURES,
    NOTHING,
    decode_json,
    decode_lines,
    embedded,
    json_structures,
    of_columns,
    tables_in,
)
from trimtab.distill.shapes.texts import code_structure, log_structure, text_structure
from trimtab.distill.textkinds import is_log

_MOST_COLUMNS = 200
# beyond this a text is not searched for JSON and tables that begin somewhere inside it
_MAX_SEARCHED_CHARS = 2_000_000

__all__ = ["NOTHING", "decode_json", "decode_lines", "structures_of", "tables_in"]


def structures_of(text: str, *, documents: bool = True) -> tuple[Structure, ...]:
    """The structures in a text, at most 8: JSON, JSON lines, CSV, Markdown and HTML tables, program text; with
    `documents` also logs and the headings of a text: these are read, not joined.

    Types, ranges and keys are exact up to 10,000 rows; of more, notes are of the first 10,000 and say "sampled".
    () where nothing is told by structure. Any text is allowed, and nothing raises.
    """
    if not text.strip():
        return ()
    value = decode_json(text)
    if value is not NOTHING:
        return json_structures(value)
    rows = decode_lines(text)
    if rows is not None:
        return json_structures(rows, "JSON lines")
    written = code_structure(text)
    if written is None and is_log(text):
        return (log_structure(text),) if documents else ()
    if written is not None and "```" not in text:
        return (written,)
    found: list[Structure] = []
    if len(text) <= _MAX_SEARCHED_CHARS and ("{" in text or "[" in text):
        found += [structure for value in embedded(text) for structure in json_structures(value)]
    if not found:
        found += [_of_grid(grid) for grid in find_grids(text)]
    if not found:
        plain = written or (text_structure(text) if documents else None)
        found += [plain] if plain else []
    return tuple(found[:MOST_STRUCTURES])


def _of_grid(grid: Grid) -> Structure:
    names, rows = grid.names[:_MOST_COLUMNS], grid.rows[:MOST_ROWS]
    columns = {name: typed(_cells(rows, at)) for at, name in enumerate(names)}
    structure = of_columns(columns, Structure(grid.kind, grid.count, title=clean(grid.title, MAX_NAME_CHARS)), len(rows))
    if structure.key and grid.count > len(rows):
        values = _cells(grid.rows, names.index(structure.key)) if structure.key in names else []
        if len(set(values)) < grid.count:
            return msgspec.structs.replace(structure, key="")
    return structure


def _cells(rows: list[list[str]], at: int) -> list[str]:
    return [row[at] if at < len(row) else "" for row in rows]
