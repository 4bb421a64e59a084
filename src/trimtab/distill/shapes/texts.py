"""What program text, logs and documents look like: definitions with their lines, levels, headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from trimtab.core.notes import FieldShape, Structure
from trimtab.distill.shapes.columns import MAX_NAME_CHARS, MOST_FIELDS, clean
from trimtab.distill.textkinds import LOG_LEVEL, code_language, line_count

_DEFINITION = re.compile(
    r"^[ \t]{0,8}(?:(?:pub(?:\([a-z]{1,8}\))?|public|private|protected|export|default|async|static|final|abstract|override)[ \t]+){0,5}"
    r"(?:(?P<word>def|class|func|fn|function|interface|struct|enum|trait|impl|type)[ \t]+(?:\([^)\n]{0,80}\)[ \t]*)?(?P<name>[\w$]{1,80})"
    r"|(?:const|let)[ \t]+(?P<arrow>[\w$]{1,80})[ \t]*=[ \t]*(?:async[ \t]*)?(?:\([^)\n]{0,200}\)|\w{1,40})[ \t]*=>)"
    r"|^(?i:CREATE[ \t]+(?:OR REPLACE[ \t]+)?(?P<sql>TABLE|VIEW|INDEX|FUNCTION)[ \t]+(?:IF NOT EXISTS[ \t]+)?(?P<sql_name>[\w.\"`]{1,80}))",
    re.M,
)
_WORDS = {"def": "function", "func": "function", "fn": "function"}
_HEADING = re.compile(
    r"^(?:#{1,6}[ \t]+(?P<md>[^\n]{1,120})|(?P<zh>第[一二三四五六七八九十百零\d]{1,5}[章节部分条][^\n]{0,40}|[一二三四五六七八九十]{1,3}、[^\n。]{1,40}))$",
    re.M,
)
_TIME = re.compile(r"\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")


def code_structure(text: str) -> Structure | None:
    """Definitions in their order, each with its kind and its line."""
    language = code_language(text)
    if not language:
        return None
    fields: list[FieldShape] = []
    total = 0
    for found, line in _numbered(text, _DEFINITION):
        total += 1
        if len(fields) < MOST_FIELDS:
            name = found["name"] or found["arrow"] or (found["sql_name"] or "").strip('"`')
            word = found["word"] or (found["sql"] or "").lower() or "function"
            fields.append(FieldShape(clean(name, MAX_NAME_CHARS), _WORDS.get(word, word), f"line {line}"))
    return Structure(f"{language} code", line_count(text), tuple(fields), more_fields=total - len(fields)) if fields else None


def log_structure(text: str) -> Structure:
    """How many lines of which level, and from when to when."""
    levels = Counter(level for level in LOG_LEVEL.findall(text))
    fields = [FieldShape("level", "string", ", ".join(f"{level} {count:,}" for level, count in levels.most_common(6)))] if levels else []
    edges = [_TIME.search(text[:2_000]), *list(_TIME.finditer(text[-2_000:]))[-1:]]
    times = [found[0] for found in edges if found]
    if len(times) == 2:
        fields.insert(0, FieldShape("time", "date", f"{times[0]}..{times[1]}"))
    return Structure("log", line_count(text), tuple(fields))


def text_structure(text: str) -> Structure | None:
    """The headings of a document; None where it has none."""
    fields: list[FieldShape] = []
    total = 0
    for found, line in _numbered(text, _HEADING):
        total += 1
        if len(fields) < MOST_FIELDS:
            fields.append(FieldShape(clean((found["md"] or found["zh"]).rstrip("# \r"), MAX_NAME_CHARS), "heading", f"line {line}"))
    return Structure("text", line_count(text), tuple(fields), more_fields=total - len(fields)) if fields else None


def _numbered(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], int]]:
    line, at = 1, 0
    for found in pattern.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        yield found, line
