"""How a text shows what it is: programs, logs, documents. Patterns and small measures that several readers share."""

from __future__ import annotations

import re

SAMPLE_CHARS, SAMPLE_LINES = 6_000, 30
LOG_LINE = re.compile(
    r"^\W{0,3}(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b)"
)
# the level of a log line stands near its beginning; "0 ERROR" further on is a count
LOG_LEVEL = re.compile(r"^[^\n]{0,60}?(?<![\w.])(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b", re.M)
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


def sample_lines(text: str) -> list[str]:
    """The first lines, whole ones: what a kind is told by."""
    lines = text.lstrip("\n")[:SAMPLE_CHARS].split("\n")
    # the last line of a sample may be cut
    return (lines[:-1] if len(text) > SAMPLE_CHARS and len(lines) > 1 else lines)[:SAMPLE_LINES]


def line_count(text: str) -> int:
    return text.count("\n") + (0 if text.endswith("\n") else 1)


def code_language(text: str) -> str:
    """The programming language that the beginning of a text looks like, "" for none."""
    sample = text[:SAMPLE_CHARS]
    scores = [(len(pattern.findall(sample)), name) for name, pattern in _CODE]
    best, name = max(scores, key=lambda score: score[0])
    return name if best >= 2 or (best and sample.startswith("#!")) else ""


def is_log(text: str) -> bool:
    lines = [line for line in sample_lines(text) if line.strip()]
    return len(lines) >= 3 and 2 * sum(1 for line in lines if LOG_LINE.match(line)) >= len(lines)
