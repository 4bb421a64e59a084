"""What a large text is, in one line, and a preview of it. No model, linear in the text's length."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from trimtab.distill.grids import delimited, find_grids
from trimtab.distill.shapes.json_values import NOTHING, decode_json, decode_lines
from trimtab.distill.status import error_lines, status_lines
from trimtab.distill.textkinds import LOG_LEVEL, SAMPLE_CHARS, code_language, is_log, line_count, sample_lines

_MAX_NAMES, _MAX_NAMES_CHARS, _MAX_FIRST_CHARS, _MAX_STATUS_CHARS, _MAX_STATUS_VALUE_CHARS = 12, 160, 100, 320, 120
_BASE64 = re.compile(r"(?:data:(?P<media>[\w/+.-]{3,80});base64,)?[A-Za-z0-9+/=_\-\r\n]+\Z")
# members that say how a call went, or how much there is: they stand in a stub whatever else has to go
_STATUS_KEYS = re.compile(
    r"ok|success|succeeded|is_?error|errors?|error_?(?:message|code|count)|exception|failed|failures?|status(?:_?code)?|state|code|message|msg|detail"
    r"|exit_?code|return_?code|returncode|(?:total|row|result|item)?_?count|total(?:_?(?:rows|results|items|pages))?|has_?more|truncated|next(?:_?(?:page|cursor))?"
    r"|warnings?|状态码?|错误|消息|总数|成功|失败",
    re.I,
)
_HTML = re.compile(r"\s*<(?:!doctype html|html|head|body|div|table|p|span|ul|section|article)\b", re.I)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,200})</title>", re.I)
_DEFINITION = re.compile(
    r"^\s{0,8}(?:(?:pub|public|export|async|static|private)\s+)*(?:def|class|func|fn|function|interface|struct|impl) +(?:\([^)]{0,80}\) *)?(\w+)",
    re.M,
)


def describe(text: str) -> str:
    """One line for a stub: kind, size, names, then status and error lines word for word where there are any.

    For example `JSON array of 40 objects: id, name, amount (9,812 chars)`. "empty" for nothing.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return "empty"
    what = next((line for kind in _KINDS if (line := kind(text))), None) or _plain(text)
    notes = [note for note in dict.fromkeys([*status_lines(text), *error_lines(text)]) if note not in what]
    if what.startswith("JSON object"):
        # what its members say of how it went stands in `what`; a line of a row may be about anything
        notes = []
    line = " ".join(f"{what} ({len(text):,} chars)".split())
    if notes:
        line += "; " + _clip(" | ".join(" ".join(note.split()) for note in notes), _MAX_STATUS_CHARS)
    return line


def preview(text: str, head_chars: int, tail_chars: int) -> str:
    """The beginning and the end with a line between them that says how many characters are left out; the text itself
    where it is no longer than both. Cut at line ends where one is near."""
    if len(text) <= head_chars + tail_chars:
        return text
    head_end, tail_start = head_chars, len(text) - tail_chars
    line_end = text.rfind("\n", head_chars - head_chars // 4, head_chars)
    line_start = text.find("\n", tail_start, tail_start + tail_chars // 4)
    head_end = line_end if line_end > 0 else head_end
    tail_start = line_start + 1 if line_start >= 0 else tail_start
    return "\n".join(part for part in (text[:head_end], f"[… {tail_start - head_end:,} characters left out …]", text[tail_start:]) if part)


def _json(text: str) -> str | None:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    value = decode_json(text)
    if value is NOTHING:
        return _json_lines(text)
    if isinstance(value, list):
        return f"JSON {_array(value)}"
    return f"JSON object: {_members(value)}" if value else "empty JSON object"


def _members(value: dict[str, Any]) -> str:
    """All names as far as there is room; what says how it went or how much there is stands in any case."""
    shown = [_member(key, member) for key, member in value.items()]
    line = _names(shown)
    told = [member for key, member in zip(value, shown, strict=True) if _STATUS_KEYS.fullmatch(key)]
    for name, member in value.items():
        if isinstance(member, dict) and not _STATUS_KEYS.fullmatch(name):
            told += [f"{name}.{_member(key, inner)}" for key, inner in member.items() if _STATUS_KEYS.fullmatch(key)]
    return "; ".join([line, *[member for member in told if member not in line][:_MAX_NAMES]])


def _array(value: list[Any]) -> str:
    if not value:
        return "array, empty"
    kinds = {_kind(row) for row in value}
    kind = kinds.pop() if len(kinds) == 1 else "values"
    number = f"array of {len(value):,} {kind}{'' if len(value) == 1 or kind == 'values' else 's'}"
    if kind != "object":
        return number
    return f"{number}: {_names(list(dict.fromkeys(key for row in value[:50] for key in row)))}"


def _member(key: str, value: Any) -> str:
    if _STATUS_KEYS.fullmatch(key) and (isinstance(value, dict | str) or not value):
        return f"{key}={_clip(json.dumps(value, ensure_ascii=False), _MAX_STATUS_VALUE_CHARS)}"
    if isinstance(value, list):
        return f"{key}[{len(value):,}]" + (f" ({_names(list(value[0]))})" if value and isinstance(value[0], dict) else "")
    if isinstance(value, bool | int | float) or value is None or (isinstance(value, str) and len(value) <= 24):
        return f"{key}={_clip(json.dumps(value, ensure_ascii=False), 60)}"
    return key


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "array"
    if isinstance(value, str):
        return "string"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "value"


def _json_lines(text: str) -> str | None:
    rows = decode_lines(text)
    if rows is None:
        return None
    return f"JSON lines, {len(rows):,} objects: {_names(list(dict.fromkeys(key for row in rows[:5] for key in row)))}"


def _base64(text: str) -> str | None:
    body = text.strip()
    head = body[:SAMPLE_CHARS]
    if len(text) < 200 or head.count("\n") > len(head) // 40 or not re.search(r"\d", head) or not re.search(r"[a-z]", head):
        return None
    found = _BASE64.match(head) and _BASE64.match(body)
    if not found:
        return None
    return f"base64 ({found['media']})" if found["media"] else "base64"


def _html(text: str) -> str | None:
    if not _HTML.match(text):
        return None
    title = _TITLE.search(text, 0, 20_000)
    return f"HTML page: {_clip(title[1], _MAX_FIRST_CHARS)}" if title else "HTML"


def _diff(text: str) -> str | None:
    if not text.startswith(("diff --git", "--- ", "Index: ")):
        return None
    files = re.findall(r"^\+\+\+ (?:b/)?(\S+)", text, re.M)
    return f"diff of {len(files)} file{'s' if len(files) > 1 else ''}: {_names(files)}" if files else None


def _table(text: str) -> str | None:
    """A text that begins with a table, or with a few lines and then one."""
    if not any("|" in line and "-" in line for line in sample_lines(text)[1:6]):
        return None
    grids = find_grids(text, 0)
    if not grids or grids[0].kind != "Markdown table":
        return None
    first = f"Markdown table of {grids[0].count:,} rows: {_names(list(grids[0].names))}"
    return first + (f", and {len(grids) - 1} more tables" if len(grids) > 1 else "")


def _log(text: str) -> str | None:
    if not is_log(text):
        return None
    errors = sum(1 for level in LOG_LEVEL.findall(text) if level in ("ERROR", "FATAL", "CRITICAL"))
    first = next(line.strip() for line in sample_lines(text) if line.strip())
    return f"log of {line_count(text):,} lines" + (f", {errors:,} with errors" if errors else "") + f", from {_clip(first, 40)}"


def _csv(text: str) -> str | None:
    grid = delimited(text, 0)
    return f"{grid.kind} of {grid.count:,} rows x {len(grid.names)} columns: {_names(list(grid.names))}" if grid else None


def _code(text: str) -> str | None:
    language = code_language(text)
    if not language:
        return None
    names = list(dict.fromkeys(found[1] for _, found in zip(range(_MAX_NAMES + 1), _DEFINITION.finditer(text), strict=False)))
    return f"{language} code, {line_count(text):,} lines" + (f": {_names(names)}" if names else "")


def _plain(text: str) -> str:
    lines = line_count(text)
    first = next(line.strip() for line in text[:SAMPLE_CHARS].splitlines() if line.strip()) if text[:SAMPLE_CHARS].strip() else ""
    if len(text) <= _MAX_FIRST_CHARS:
        return f"text: {text.strip()}"
    return f"text, {lines:,} line{'s' if lines != 1 else ''}: {_clip(first, _MAX_FIRST_CHARS)}"


def _names(names: list[str]) -> str:
    shown: list[str] = []
    length = 0
    for name in names:
        word = _clip(name, 60)
        length += len(word) + 2
        if len(shown) == _MAX_NAMES or length > _MAX_NAMES_CHARS:
            return ", ".join(shown) + f" and {len(names) - len(shown):,} more"
        shown.append(word)
    return ", ".join(shown)


def _clip(text: str, limit: int) -> str:
    line = " ".join(text[: 8 * limit].split())
    return line if len(line) <= limit and len(text) <= 8 * limit else line[: limit - 1] + "…"


_KINDS: tuple[Callable[[str], str | None], ...] = (_json, _base64, _html, _diff, _table, _log, _csv, _code)
