"""One column of values: its type, its range, its few values; and the column that tells rows apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.core.notes import FieldShape

MOST_FIELDS = 40
MOST_VALUES, MAX_VALUE_CHARS, MAX_NAME_CHARS = 6, 24, 60
_TYPES: Mapping[type, str] = {bool: "bool", int: "int", float: "number", str: "string", type(None): "null", list: "list", dict: "object"}
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?|\d{4}/\d\d/\d\d|\d{4}年\d{1,2}月\d{1,2}日"
)
_INT = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,18})(?:\.\d{1,18})?(?:[eE][-+]?\d{1,3})?")
_INT_LETTERS, _NUMBER_LETTERS, _BOOL_LETTERS = frozenset("-0123456789"), frozenset("-+0123456789.,eE"), frozenset("trufalseTRUFALSE")
_LEADING_ZERO = re.compile(r"[-+]?0\d")
_KEY_NAMES = (
    re.compile(r"_?id|uuid|guid", re.I),
    re.compile(r".*(?:_id|Id|ID|编号|单号)"),
    re.compile(r".*(?:code|key|number|sku|email|isbn)|.*[_ ]?no\.?|#|.*(?:代码|编码|号码|学号|工号|序号|号|名称|邮箱)", re.I),
)


def clean(text: str, limit: int) -> str:
    """One line of at most `limit` characters that can be stored: white space collapsed, lone surrogates replaced."""
    line = " ".join(text[: 4 * limit].split())
    line = line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"
    return line.encode("utf-8", "replace").decode()


def field_shape(name: str, values: Sequence[Any], sampled: bool = False) -> FieldShape:
    """What a column holds. `values` are decoded JSON values, None where a row has none. Where they are only the first
    of many, notes say "sampled"."""
    kinds = {_TYPES.get(kind, "string") for kind in set(map(type, values))}
    present = [value for value in values if value is not None] if "null" in kinds else values
    kinds.discard("null")
    if kinds == {"int", "number"}:
        kinds = {"number"}
    kind = "|".join(sorted(kinds))
    note = ""
    if kind in ("int", "number"):
        note = _range([value for value in present if value == value])
    elif kind == "string":
        kind, note = _strings(present)
    elif kind == "list":
        note = _list_note(present)
    if note and sampled:
        note = f"sampled {note}"
    missing = len(present) < len(values) or not values
    return FieldShape(clean(name, MAX_NAME_CHARS), "|".join(part for part in (kind, "null" if missing else "") if part), note)


def _range(numbers: Sequence[int | float]) -> str:
    if not numbers:
        return ""
    low, high = min(numbers), max(numbers)
    return _short(low) if low == high else f"{_short(low)}..{_short(high)}"


def _short(number: int | float) -> str:
    if isinstance(number, float):
        return f"{number:.12g}"
    if abs(number) < 10**20:
        return str(number)
    # so many digits are no quantity that anyone compares
    return f"{'-' if number < 0 else ''}about 1e{int(number.bit_length() * 0.30103)}"


def _strings(values: Sequence[str]) -> tuple[str, str]:
    if values and _DATE.fullmatch(values[0]) and all(map(_DATE.fullmatch, values)):
        same = {len(value) for value in values}
        low, high = min(values), max(values)
        alike = len(same) == 1 and "年" not in low and {value[4] for value in (low, high)} in ({"-"}, {"/"})
        return "date", (low if low == high else f"{low}..{high}") if alike else ""
    distinct = set(values)
    if len(distinct) <= MOST_VALUES and (len(distinct) < len(values) or len(values) == 1):
        if all(0 < len(value) <= MAX_VALUE_CHARS and "|" not in value and value.isprintable() for value in distinct):
            return "string", "|".join(sorted(distinct))
        return "string", ""
    if len(distinct) == len(values) and len({len(value) for value in values}) == 1 and 0 < len(values[0]) <= 20:
        low, high = min(distinct), max(distinct)
        return "string", f"{low}..{high}" if (low + high).isprintable() and re.search(r"\d", low) else ""
    return "string", ""


def _list_note(lists: Sequence[list[Any]]) -> str:
    first = next((value[0] for value in lists if value), None)
    if first is None:
        return "empty"
    return "of objects" if isinstance(first, dict) else f"of {_TYPES.get(type(first), 'string')}"


def typed(cells: Sequence[str]) -> list[Any]:
    """A column of texts as the values they all stand for: numbers, truth values, else texts; None for empty cells.
    What begins with a zero is a code and no number."""
    values = [cell.strip() or None for cell in cells]
    present = [value for value in values if value is not None]
    if not present:
        return values
    # the characters of all cells at once tell most columns apart, far faster than cell by cell
    letters = set("".join(present))
    if letters <= _INT_LETTERS and all(map(_INT.fullmatch, present)):
        return [int(value) if value is not None else None for value in values]
    if letters <= _NUMBER_LETTERS and all(map(_NUMBER.fullmatch, present)):
        if any(map(_LEADING_ZERO.match, (value for value in present if "." not in value))):
            return list(values)
        return [float(value.replace(",", "")) if value is not None else None for value in values]
    if letters <= _BOOL_LETTERS and {value.lower() for value in present} <= {"true", "false"}:
        return [value.lower() == "true" if value is not None else None for value in values]
    return list(values)


def key_of(columns: Mapping[str, Sequence[Any]], rows: int, title: str = "", sampled: bool = False) -> str:
    """The column whose values are all there and all different: by its name, else the first column; "" for none."""
    if not rows:
        return ""
    singular = title.lower().removesuffix("s")
    ranked = sorted(enumerate(columns), key=lambda row: (_key_rank(row[1], singular), row[0]))
    for at, name in ranked:
        by_name = _key_rank(name, singular) < len(_KEY_NAMES) + 1
        if not by_name and (at > 0 or rows < 2 or sampled):
            continue
        if _tells_apart(columns[name]):
            return name
    return ""


def _key_rank(name: str, singular: str) -> int:
    last = name.rpartition(".")[2]
    if "." in name or "[" in name:
        return len(_KEY_NAMES) + 1
    if _KEY_NAMES[0].fullmatch(last):
        return 0
    if singular and last.lower() in (f"{singular}_id", f"{singular}id"):
        return 1
    return next((n + 1 for n, pattern in enumerate(_KEY_NAMES) if pattern.fullmatch(last)), len(_KEY_NAMES) + 1)


def _tells_apart(values: Sequence[Any]) -> bool:
    if not set(map(type, values)) <= {int, str}:
        return False
    return len(set(values)) == len(values)
