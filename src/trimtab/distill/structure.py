"""What a large text is, in one line, and a preview of it. No model, linear in the text's length."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from trimtab.distill.status import error_lines, status_lines

_SAMPLE_CHARS, _SAMPLE_LINES = 6_000, 30
_MAX_NAMES, _MAX_NAMES_CHARS, _MAX_FIRST_CHARS, _MAX_STATUS_CHARS = 12, 160, 100, 200
_BASE64 = re.compile(r"(?:data:(?P<media>[\w/+.-]{3,80});base64,)?[A-Za-z0-9+/=_\-\r\n]+\Z")
_LOG_LINE = re.compile(
    r"^\W{0,3}(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b)"
)
_LEVEL_ERRORS = re.compile(r"\b(?:ERROR|FATAL|CRITICAL)\b")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_HTML = re.compile(r"\s*<(?:!doctype html|html|head|body|div|table|p|span|ul|section|article)\b", re.I)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,200})</title>", re.I)
_CODE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Python", re.compile(r"^(?:\s*(?:async )?def \w+\(|\s*class \w+.*:|from [\w.]+ import |import \w+(?:\.\w+)*$)", re.M)),
    ("Go", re.compile(r"^(?:package \w+$|func (?:\(|\w+\())", re.M)),
    ("Rust", re.compile(r"^\s*(?:pub )?(?:fn \w+|impl\b|use \w+::|mod \w+)", re.M)),
    ("Java or C#", re.compile(r"^\s*(?:public|private|protected) (?:static |final |abstract )*(?:class|void|int|String|\w+ \w+\()", re.M)),
    ("JavaScript", re.compile(r"^\s*(?:export |async )*(?:function\b|const \w+ ?=|let \w+ ?=|class \w+.*\{|import .* from ['\"])", re.M)),
    ("C", re.compile(r"^#(?:include|define) ", re.M)),
    ("SQL", re.compile(r"^\s*(?:SELECT|INSERT INTO|CREATE TABLE|UPDATE|ALTER TABLE)\b", re.M)),
    ("shell", re.compile(r"^(?:#!/bin/|set -e|export \w+=)", re.M)),
)
_DEFINITION = re.compile(
    r"^\s{0,8}(?:(?:pub|public|export|async|static|private)\s+)*(?:def|class|func|fn|function|interface|struct|impl) +(?:\([^)]{0,80}\) *)?(\w+)",
    re.M,
)


def describe(text: str) -> str:
    """One line for a stub: kind, size, names, then status and error lines word for word where there are any.

    For example `JSON array of 40 objects: id, name, amount (9,812 chars)`. "empty" for nothing.
    """
    if not text.strip():
        return "empty"
    what = next((line for kind in _KINDS if (line := kind(text))), None) or _plain(text)
    notes = [note for note in dict.fromkeys([*status_lines(text), *error_lines(text)]) if note not in what]
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
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return _json_lines(text)
    if isinstance(value, list):
        return f"JSON {_array(value)}"
    return f"JSON object: {_names([_member(key, member) for key, member in value.items()])}" if value else "empty JSON object"


def _array(value: list[Any]) -> str:
    if not value:
        return "array, empty"
    kinds = {_kind(row) for row in value[:200]}
    kind = kinds.pop() if len(kinds) == 1 else "values"
    number = f"array of {len(value):,} {kind}{'' if len(value) == 1 or kind == 'values' else 's'}"
    if kind != "object":
        return number
    return f"{number}: {_names(list(dict.fromkeys(key for row in value[:50] for key in row)))}"


def _member(key: str, value: Any) -> str:
    if isinstance(value, list):
        return f"{key}[{len(value):,}]" + (f" ({_names(list(value[0]))})" if value and isinstance(value[0], dict) else "")
    if isinstance(value, bool | int | float) or value is None or (isinstance(value, str) and len(value) <= 24):
        return f"{key}={msgspec.json.encode(value).decode()}"
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
    lines = [line for line in _sample(text) if line.strip()]
    rows: list[Any] = []
    for line in lines[:5]:
        try:
            rows.append(msgspec.json.decode(line))
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return None
    if len(rows) < 2 or not all(isinstance(row, dict) for row in rows):
        return None
    return f"JSON lines, {_line_count(text):,} objects: {_names(list(dict.fromkeys(key for row in rows for key in row)))}"


def _base64(text: str) -> str | None:
    head = text.strip()[:_SAMPLE_CHARS]
    found = _BASE64.match(head)
    if (
        found is None
        or len(text) < 200
        or head.count("\n") > len(head) // 40
        or not re.search(r"\d", head)
        or not re.search(r"[a-z]", head)
    ):
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
    return f"diff of {len(files)} files: {_names(files)}" if files else None


def _table(text: str) -> str | None:
    lines = _sample(text)
    for at, line in enumerate(lines[1:6], 1):
        if "|" in lines[at - 1] and "-" in line and _TABLE_RULE.match(line):
            rows = text.count("\n|") - (2 if at > 1 else 1) + (0 if text.lstrip().startswith("|") or at > 1 else 1)
            names = [name.strip() for name in lines[at - 1].strip().strip("|").split("|")]
            return f"Markdown table of {max(rows, 0):,} rows: {_names(names)}"
    return None


def _log(text: str) -> str | None:
    lines = [line for line in _sample(text) if line.strip()]
    if len(lines) < 3 or 2 * sum(1 for line in lines if _LOG_LINE.match(line)) < len(lines):
        return None
    errors = sum(1 for _ in _LEVEL_ERRORS.finditer(text))
    return f"log of {_line_count(text):,} lines" + (f", {errors:,} with errors" if errors else "") + f", from {_clip(lines[0].strip(), 40)}"


def _csv(text: str) -> str | None:
    lines = [line for line in _sample(text) if line.strip()]
    if len(lines) < 3:
        return None
    for mark, name in ((",", "CSV"), ("\t", "TSV"), (";", "CSV (;)")):
        widths = [_width(line, mark) for line in lines[:20]]
        if widths[0] >= 2 and widths.count(widths[0]) >= 0.9 * len(widths) and not lines[0].rstrip().endswith((".", "。", mark)):
            names = [cell.strip().strip('"') for cell in lines[0].split(mark)]
            if max(map(len, names)) <= 60:
                return f"{name} of {_line_count(text) - 1:,} rows x {widths[0]} columns: {_names(names)}"
    return None


def _width(line: str, mark: str) -> int:
    outside = re.sub(r'"[^"]*"', "", line) if '"' in line else line
    return outside.count(mark) + 1


def _code(text: str) -> str | None:
    sample = text[:_SAMPLE_CHARS]
    scores = [(len(pattern.findall(sample)), name) for name, pattern in _CODE]
    best, name = max(scores, key=lambda score: score[0])
    if best < 2 and not (best and sample.startswith("#!")):
        return None
    names = list(dict.fromkeys(found[1] for _, found in zip(range(_MAX_NAMES + 1), _DEFINITION.finditer(text), strict=False)))
    return f"{name} code, {_line_count(text):,} lines" + (f": {_names(names)}" if names else "")


def _plain(text: str) -> str:
    lines = _line_count(text)
    first = next(line.strip() for line in text[:_SAMPLE_CHARS].splitlines() if line.strip()) if text[:_SAMPLE_CHARS].strip() else ""
    if len(text) <= _MAX_FIRST_CHARS:
        return f"text: {text.strip()}"
    return f"text, {lines:,} line{'s' if lines != 1 else ''}: {_clip(first, _MAX_FIRST_CHARS)}"


def _sample(text: str) -> list[str]:
    lines = text.lstrip("\n")[:_SAMPLE_CHARS].split("\n")
    # the last line of a sample may be cut
    return (lines[:-1] if len(text) > _SAMPLE_CHARS and len(lines) > 1 else lines)[:_SAMPLE_LINES]


def _line_count(text: str) -> int:
    return text.count("\n") + (0 if text.endswith("\n") else 1)


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
