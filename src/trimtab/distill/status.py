"""Whether a tool result says that it went well, and the lines that say so, word for word."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import msgspec

from trimtab.distill.facts import facts
from trimtab.distill.sentences import sentences
from trimtab.distill.values import values

Outcome: TypeAlias = Literal["ok", "failed", "unknown"]

# only so much of a result is read, from both ends: a status stands at the top or at the bottom
EDGE_CHARS = 3_000
_MAX_LINE_CHARS = 160
_MAX_JSON_CHARS = 2_000_000
_ERROR_WORDS = (
    *("error", "Error", "ERROR", "xception", "Traceback", "FATAL", "fatal", "ailed", "FAIL", "panic:", "ailure"),
    *("denied", "not found", "timed out", "错误", "失败", "异常", "报错", "超时", "拒绝", "未找到"),
)
_ERROR_LINE = re.compile(
    r"\b(?:errors?|exceptions?|fatal|fail|failed|failures?|traceback|panic|[A-Za-z]+(?:Error|Exception)|permission denied|access denied"
    r"|(?:command|file|module) not found|no such file|timed out)\b|错误|失败|异常|报错|超时|拒绝|未找到",
    re.I,
)
# headings above errors
_NO_FACT = re.compile(r"Traceback|[=_\- ]*(?:FAILURES?|ERRORS?|FAIL)[=_\- ]*$")
# what says that there was none; a line that says so may still tell of another
_NO_ERROR = re.compile(
    r"(?<![\d.,])\b(?:no|0|zero|without)(?: \w{1,20})? (?:errors?|failures?|exceptions?|failed)\b"
    r"|\b(?:errors?|failures?|exceptions?|failed|fail|fatal)(?:[_ -]?count)?[\"']?\s{0,3}[:=]\s{0,3}(?:0(?![\d.])|null|none|nil|false|\"\"|''|\[\]|\{\})"
    r"|error[_-](?:rate|count|margin|bar|handler|log)"
    r"|(?:没有|无|未见|未发现|未出现|未发生|零)(?:任何)?(?:错误|失败|异常|报错|超时)|0 ?[个项次条处]?(?:错误|失败|异常|报错)"
    r"|(?:错误|失败|异常|报错)(?:数|数量|次数|总数)?\s{0,3}[:：=]?\s{0,3}0(?![\d.])",
    re.I,
)
_STATUS = re.compile(
    r"(?im)^[ \t\[(<]{0,6}(?:process (?:exited|finished) with (?:exit )?code:? -?\d+|exit(?:ed)?(?: with)?[ _-]?(?:code|status)?[:= ]+-?\d+[\])>]?|http(?:/[\d.]+)? \d{3}[^\n]{0,60}|"
    r"status(?: code)?[:=] ?[^\n]{1,60}|return[ _]?code[:=] ?-?\d+|[^\n]{0,60}\b\d+ (?:passed|failed|skipped|(?:errors?|warnings?) (?:in|generated)|tests? ran)\b[^\n]{0,60}"
    r"|found \d+ (?:errors?|warnings?|issues?|vulnerabilities)\b[^\n]{0,60}|(?:ran|collected) \d+ (?:tests?|items?)\b[^\n]{0,60}|\d{1,9} rows? (?:affected|in set|returned)[^\n]{0,40}"
    r"|(?:BUILD|test result:?) (?:SUCCESS\w*|FAIL\w*|ok)\b[^\n]{0,80}|(?:退出码|退出代码|返回码|状态码|状态)[:：= ]{1,3}[^\n]{1,40}"
    r"|[^\n]{0,40}\d+ ?[个项条次]?(?:用例|测试|任务|记录)?(?:通过|成功|失败)[^\n]{0,40}|(?:ok|done|success|成功|完成|失败)[.!。！]?[ \t\r]*$)"
)
_EXIT = re.compile(
    r"(?im)^[ \t\[(<]{0,4}(?:process )?(?:exit(?:ed)?(?: with)?[ _-]?(?:code|status)?|return[ _]?code|finished with exit code|退出码|退出代码|返回码)[:：= ]{1,3}(-?\d{1,6})\b"
)
_TESTS_FAILED = re.compile(r"\b[1-9]\d{0,6} failed\b[^\n]{0,40}\bpassed\b|\bpassed\b[^\n]{0,40}\b[1-9]\d{0,6} failed\b")
_HTTP = re.compile(r"(?i)(?:\bhttp(?:/[\d.]+)?|\"?status(?:[_ ]?code)?\"?)\s*[:= ]\s*(\d{3})\b")
_GOOD_WORDS = frozenset({"ok", "success", "succeeded", "completed", "done"})
_BAD_WORDS = frozenset({"error", "failed", "failure", "fail", "denied", "rejected"})
_TEXT_BAD = re.compile(
    r"^\s*(?:[\w.]*(?:error|exception)(?:\s+[\w-]{1,12})?(?:\s*\([^()\n]{1,24}\))?\s*[:：(]|fatal\s*[:：]|traceback \(|failed (?:to|:)|(?:错误|失败|异常)\s*[:：]|permission denied|[^\n]{0,60}command not found)",
    re.I,
)
_TEXT_GOOD = re.compile(r"^\s*(?:ok|done|success(?:fully)?(?: \w+){0,6}|succeeded|成功|完成)[.!。！]?\s*$", re.I)
_TOTAL = re.compile(
    r"\"?\b(?:grand_?total|total\w*|sum|amount|balance|count|row_count|总计|合计|总额|共计)\b\"?\s*[:=：]\s*(?:\"[^\"\n]{1,60}\"|[$€£¥]?-?\d[\d,.]*(?: ?[A-Za-z%]{1,8}\b)?)",
    re.I,
)
_IDENT = re.compile(r"\"(?:\w*_)?(?:id|number|code|reference|key|email|path|url)\"\s*:\s*(?:\"[^\"\n]{3,80}\"|\d{4,})", re.I)
_ORDERS = re.compile(
    r"(?i)\b(?:must|always|never|ignore|disregard|do not|don't|should|from now on|make sure|you are|instructions?|system prompt|assistant|please|remember)\b|必须|务必|不要|不得|禁止|忽略|你是|请|一律|从现在"
)


def edges(text: str) -> str:
    """The text, or its first and last few thousand characters."""
    return text if len(text) <= 2 * EDGE_CHARS else text[:EDGE_CHARS] + "\n" + text[-EDGE_CHARS:]


def error_lines(text: str, limit: int = 2) -> list[str]:
    """The first lines that tell of an error, at most `limit`, each an exact slice of at most 160 characters."""
    starts = sorted({at for word in _ERROR_WORDS for at in _first_finds(text, word)})
    lines: list[str] = []
    for at in starts:
        line = _line_around(text, at)
        if line and line not in lines and not _NO_FACT.match(line) and _ERROR_LINE.search(_NO_ERROR.sub(" ", line)):
            lines.append(line)
        if len(lines) == limit:
            break
    return lines


def status_lines(text: str, limit: int = 2) -> list[str]:
    """Lines with an exit code, an HTTP status or a test count, from the edges of the text: the first ones and, where
    there are more than `limit`, the last, which is how it ended."""
    found = [found[0].strip() for found in _STATUS.finditer(edges(text))]
    return found if len(found) <= limit else [*found[: limit - 1], found[-1]]


def outcome(text: str, is_error: bool) -> Outcome:
    """`ok` or `failed` only where the result says so itself."""
    if is_error:
        return "failed"
    near = edges(text)
    if near.lstrip()[:1] in ("{", "["):
        return _json_outcome(text)
    exits = [int(code) for code in _EXIT.findall(near)]
    statuses = [int(code) for code in _HTTP.findall(near[:400])]
    if any(exits) or any(code >= 400 for code in statuses) or _TEXT_BAD.match(near):
        return "failed"
    if "passed" in near and " failed" in near and _TESTS_FAILED.search(near):
        return "failed"
    if "Traceback (most recent call last)" in near:
        return "failed"
    good = bool(exits) or any(200 <= code < 300 for code in statuses) or bool(_TEXT_GOOD.match(near))
    return "ok" if good else "unknown"


def _json_outcome(text: str) -> Outcome:
    """By the object's own top-level members: rows and nested values may speak of other things."""
    try:
        value = msgspec.json.decode(text) if len(text) <= _MAX_JSON_CHARS else None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return "unknown"
    if not isinstance(value, dict):
        return "unknown"
    flags = [value.get(key) for key in ("success", "ok", "succeeded")]
    codes = [value.get(key) for key in ("exit_code", "exitCode", "returncode", "return_code")]
    states = [value.get(key) for key in ("status", "status_code", "statusCode", "state", "code")]
    words = {state.lower() for state in states if isinstance(state, str)}
    numbers = [state for state in states if isinstance(state, int) and 100 <= state < 600]
    bad = any(value.get(key) for key in ("error", "errors", "exception")) or value.get("is_error") is True or value.get("isError") is True
    if (
        bad
        or False in [flag for flag in flags if isinstance(flag, bool)]
        or any(codes)
        or words & _BAD_WORDS
        or any(n >= 400 for n in numbers)
    ):
        return "failed"
    good = any(flag is True for flag in flags) or 0 in [code for code in codes if code is not None] or bool(words & _GOOD_WORDS)
    return "ok" if good or any(200 <= number < 300 for number in numbers) else "unknown"


# of a result no longer than this every value is kept
_SHORT_CHARS, _MAX_REST_CHARS = 1_200, 240
_TABLE_SAMPLE_CHARS = 2_000


def tool_facts(name: str, text: str, limit: int) -> list[str]:
    """Totals, identifiers and error lines of a tool result, at most `limit`, after the tool's name. What reads like an
    order to anyone is left out; of a short result the values in such a line stay, without its words."""
    near = edges(text)
    found: list[str] = []
    candidates = [*error_lines(near, 1), *(total[0].rstrip(",.") for _, total in zip(range(2), _TOTAL.finditer(near), strict=False))]
    if near.lstrip()[:1] not in ("[", "{") and not _is_tabular(near):
        spans = list(sentences(near, 0, len(near)))[:200]
        candidates += facts(near, [span for span in spans if not _ORDERS.search(near, *span)], limit)
    elif near.lstrip().startswith("{"):
        candidates += [ident[0] for _, ident in zip(range(2), _IDENT.finditer(near), strict=False)]
    for fact in candidates:
        line = " ".join(fact.split())
        if line and not _ORDERS.search(line) and len(found) < limit and not any(line in old for old in found):
            found.append(f"{name}: {line}" if name else line)
    is_rows = near.lstrip().startswith("[") or _is_tabular(text)
    rest = _other_values(text, found) if len(text) <= _SHORT_CHARS and not is_rows else ""
    if rest:
        found = [*found[: max(0, limit - 1)], f"{name}: {rest}" if name else rest]
    return found


def _is_tabular(text: str) -> bool:
    """Whether the lines are rows of a table: a row says nothing by itself, and its meta note says what the table is."""
    lines = [line for line in text[:_TABLE_SAMPLE_CHARS].splitlines() if line.strip()][:12]
    for mark in (",", "\t", "|", ";"):
        counts = [line.count(mark) for line in lines]
        if len(lines) >= 3 and min(counts) >= 2 and max(counts) - min(counts) <= 1:
            return True
    return False


def _other_values(text: str, found: list[str]) -> str:
    """The identifiers, numbers and dates that no line holds yet, joined."""
    shown: list[str] = []
    room = _MAX_REST_CHARS
    for value in dict.fromkeys(value.text for value in values(text, [(0, len(text))])):
        room -= len(value) + 2
        if room > 0 and not any(value in line for line in found):
            shown.append(" ".join(value.split()))
    return "; ".join(shown)


def _first_finds(text: str, word: str) -> list[int]:
    finds: list[int] = []
    at = text.find(word)
    while at >= 0 and len(finds) < 4:
        finds.append(at)
        at = text.find(word, at + 200)
    return finds


def _line_around(text: str, at: int) -> str:
    start = max(text.rfind("\n", max(0, at - _MAX_LINE_CHARS), at) + 1, at - _MAX_LINE_CHARS // 2, 0)
    end = text.find("\n", at, at + _MAX_LINE_CHARS)
    return text[start : end if end >= 0 else at + _MAX_LINE_CHARS][:_MAX_LINE_CHARS].strip()
