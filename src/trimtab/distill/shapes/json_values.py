"""JSON values: the tables in them and what each looks like."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec

from trimtab.core.notes import FieldShape, Structure
from trimtab.distill.shapes.columns import MAX_NAME_CHARS, MAX_VALUE_CHARS, MOST_FIELDS, clean, field_shape, key_of

MOST_STRUCTURES = 8
MOST_ROWS = 10_000
_MAX_DEPTH = 3
# columns that are looked at; a map that is taken for rows has thousands of "fields"
_MOST_COLUMNS = 200
_LEAST_RECORDS = 8
_MOST_CANDIDATES = 5
_PLAIN_NAME = re.compile(r"\w+")
_OPENING = re.compile(r"^[ \t]*(?:```[\w-]{0,20}[ \t]*\n\s*)?(?=[\[{])", re.M)
_COLUMN_KEYS, _ROW_KEYS = ("columns", "headers", "header", "fields", "column_names"), ("rows", "data", "values", "records")


class JsonTable(msgspec.Struct, frozen=True):
    """Rows that are objects, lists or plain values, where they are, and how their columns are called (lists only)."""

    path: str
    title: str
    rows: list[Any]
    names: tuple[str, ...] = ()


NOTHING = object()


def decode_json(text: str) -> Any:
    """The value of a text that is one JSON object or array as a whole (NaN is let pass); `NOTHING` for any other."""
    body = text.removeprefix("\ufeff").strip()
    if body[:1] not in ("{", "[") or body[-1:] not in ("}", "]"):
        return NOTHING
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        pass
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return NOTHING


def decode_lines(text: str) -> list[Any] | None:
    """The objects of JSON lines, two or more; None where a line is anything else."""
    body = text.removeprefix("\ufeff").strip()
    if not body.startswith("{"):
        return None
    lines = [line for line in body.split("\n") if line.strip()]
    if len(lines) < 2 or not all(line.strip().startswith("{") for line in lines):
        return None
    rows = [decode_json(line) for line in lines]
    return rows if all(isinstance(row, dict) for row in rows) else None


def embedded(text: str) -> Iterator[Any]:
    """JSON values that begin a line somewhere in a text; a few places are tried."""
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_MOST_CANDIDATES):
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        at = opening.end()
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict | list) and value:
            yield value


# ---------------------------------------------------------------- tables


def tables_in(value: Any, path: str = "$", title: str = "", depth: int = 0) -> Iterator[JsonTable]:
    """The tables of a value: itself, or what its members hold."""
    if isinstance(value, list):
        yield JsonTable(path, title, value)
    elif isinstance(value, dict) and depth <= _MAX_DEPTH:
        table = _columns_and_rows(value, path, title)
        if table is not None:
            yield table
            return
        for name, member in list(value.items())[:_MOST_COLUMNS]:
            if is_table(member) or isinstance(member, dict):
                yield from tables_in(member, step(path, name), name, depth + 1)


def is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict | list) for row in value[:20])


def step(path: str, name: str) -> str:
    """The path of a member: `$.orders`, `$["unit price"]`."""
    return f"{path}.{name}" if _PLAIN_NAME.fullmatch(name) else f"{path}[{json.dumps(name, ensure_ascii=False)}]"


def _columns_and_rows(value: dict[str, Any], path: str, title: str) -> JsonTable | None:
    """{"columns": [...], "rows": [[...]]}: how databases answer."""
    names = next((value[key] for key in _COLUMN_KEYS if isinstance(value.get(key), list) and value[key]), None)
    key = next((key for key in _ROW_KEYS if is_table(value.get(key))), None)
    if names is None or key is None or not isinstance(value[key][0], list) or len(names) != len(value[key][0]):
        return None
    plain = tuple(str(name.get("name", "")) if isinstance(name, dict) else str(name) for name in names)
    return JsonTable(step(path, key), title, value[key], plain)


# ---------------------------------------------------------------- structures


def json_structures(value: Any, kind: str = "JSON array") -> tuple[Structure, ...]:
    """What a value looks like: an object's own members first, then each table in it and below its rows."""
    found: list[Structure] = []
    if isinstance(value, dict):
        own = _own_fields(value)
        records = _records(value)
        if records is not None:
            return _of_table(JsonTable("$", "", records), "JSON object of objects", True)
        if own:
            shown = tuple(own[:MOST_FIELDS])
            found.append(Structure("JSON object", fields=shown, more_fields=len(own) - len(shown)))
    for table in tables_in(value):
        found += _of_table(table, kind, table.path == "$")
        if len(found) >= MOST_STRUCTURES:
            break
    return tuple(found[:MOST_STRUCTURES])


def _records(value: dict[str, Any]) -> list[Any] | None:
    """The members of an object that is a table under other keys: many objects alike."""
    members = list(value.values())
    if len(members) < _LEAST_RECORDS or not all(isinstance(member, dict) and member for member in members):
        return None
    first = set(members[0])
    return members if all(2 * len(first & set(member)) >= len(first) for member in members[:50]) else None


def _own_fields(value: dict[str, Any], prefix: str = "", depth: int = 0) -> list[FieldShape]:
    """The plain members of an object, those of objects inside under dotted names. Tables are told apart from them."""
    found: list[FieldShape] = []
    for name, member in value.items():
        dotted = f"{prefix}{name}"
        if isinstance(member, dict) and member and depth < _MAX_DEPTH:
            found += _own_fields(member, f"{dotted}.", depth + 1)
        elif not is_table(member):
            found.append(_single(dotted, member))
        if len(found) > _MOST_COLUMNS and depth:
            break
    return found


def _single(name: str, value: Any) -> FieldShape:
    shape = field_shape(name, [value])
    if isinstance(value, str):
        note = value if 0 < len(value) <= MAX_VALUE_CHARS and value.isprintable() else ""
        return FieldShape(shape.name, shape.type, clean(note, MAX_VALUE_CHARS))
    if isinstance(value, bool):
        return FieldShape(shape.name, shape.type, "true" if value else "false")
    return FieldShape(shape.name, shape.type, f"{len(value):,} {shape.note}") if isinstance(value, list) else shape


def _of_table(table: JsonTable, kind: str, whole: bool) -> tuple[Structure, ...]:
    count = len(table.rows)
    rows = table.rows[:MOST_ROWS]
    path, title = "" if whole else clean(table.path, 200), clean(table.title, MAX_NAME_CHARS)
    if rows and all(isinstance(row, dict) for row in rows):
        columns = _columns(rows)
    elif rows and all(isinstance(row, list) for row in rows) and len({len(row) for row in rows}) == 1 and rows[0]:
        names = table.names or tuple(f"column {n}" for n in range(1, len(rows[0]) + 1))
        columns = dict(zip(names[:_MOST_COLUMNS], (list(column) for column in zip(*rows, strict=True)), strict=False))
    else:
        shape = (field_shape("value", rows, count > len(rows)),) if rows else ()
        return (Structure(kind, count, shape, title=title, path=path),)
    structure = of_columns(columns, Structure(kind, count, title=title, path=path), len(rows))
    if structure.key and count > len(rows) and not _is_key(table, structure.key):
        structure = msgspec.structs.replace(structure, key="")
    return (structure, *_below(columns, table.path, kind))


def _is_key(table: JsonTable, key: str) -> bool:
    """Whether a key of the first rows is one of all."""
    if table.names:
        at = table.names.index(key) if key in table.names else -1
        values = [row[at] for row in table.rows if isinstance(row, list) and 0 <= at < len(row)]
    else:
        values = [row[key] for row in table.rows if isinstance(row, dict) and isinstance(row.get(key), str | int)]
    return len(set(map(str, values))) == len(table.rows)


def of_columns(columns: dict[str, list[Any]], bare: Structure, sample: int) -> Structure:
    """The structure with its fields and its key, from the values of its columns in the first `sample` rows."""
    sampled = bare.rows > sample
    names = list(columns)
    fields = tuple(field_shape(name, columns[name], sampled) for name in names[:MOST_FIELDS])
    key = clean(key_of(columns, sample, bare.title, sampled), MAX_NAME_CHARS)
    return msgspec.structs.replace(bare, fields=fields, key=key, more_fields=len(names) - len(fields))


def _columns(rows: Sequence[dict[str, Any]], prefix: str = "", depth: int = 0) -> dict[str, list[Any]]:
    """Values by column; those of an object inside a row under dotted names."""
    found: dict[str, list[Any]] = {}
    for name in list(dict.fromkeys(chain.from_iterable(rows)))[:_MOST_COLUMNS]:
        values = [row.get(name) for row in rows]
        if depth < 2 and dict in set(map(type, values)) and all(isinstance(value, dict) or value is None for value in values):
            inner = _columns([value or {} for value in values], f"{prefix}{name}.", depth + 1)
            found |= inner or {f"{prefix}{name}": values}
        else:
            found[f"{prefix}{name}"] = values
    return found


def _below(columns: dict[str, list[Any]], path: str, kind: str) -> Iterator[Structure]:
    """Tables inside the rows, each as one over all rows: `$.orders[*].items`."""
    for name, values in columns.items():
        if list in set(map(type, values)):
            rows = [row for value in values if isinstance(value, list) for row in value][:MOST_ROWS]
            if rows and all(isinstance(row, dict) for row in rows):
                at = f"{path}[*]"
                for part in name.split("."):
                    at = step(at, part)
                bare = Structure(kind, len(rows), title=clean(name, MAX_NAME_CHARS), path=clean(at, 200))
                yield of_columns(_columns(rows), bare, len(rows))
