"""Lists in a text: its options, suggestions or points by number. English and Chinese; linear in the length of the text.

A list is numbered, lettered or bulleted, one item a line, or stands in a row: "(A) x, (B) y", "Option A is x; option B is y",
"first, x; second, y", 方案一是…，方案二是…
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field

READ_CHARS = 20_000
MAX_ITEM_CHARS = 300

_NOUN = (
    r"(?:option|suggestion|proposal|idea|alternative|approach|solution|recommendation|choice|variant|version|plan|route|design|draft"
    r"|方案|选项|建议|办法|想法|思路|做法|选择|推荐|候选|提议|计划|版本)"
)
_LABEL = r"(?:\d{1,2}|[A-Ha-h]|[一二三四五六七八九十])"
_LINE = re.compile(
    rf"^(?P<indent>[ \t]*)(?:#{{1,6}}[ \t]+|>[ \t]*)?(?:[-*•·][ \t]+)?(?:\*\*|__)?(?:"
    rf"(?P<noun>{_NOUN})[ \t]*(?P<named>{_LABEL})(?![A-Za-z0-9])[ \t]*[.)）:：、,，—–-]?"
    rf"|[(（]?(?P<label>{_LABEL})(?:[)）](?=\s|\S)|[.．:：](?=\s|[^\x00-\x7f]|\*)|、))"
    r"(?:\*\*|__)?[ \t]*(?P<text>\S.*)$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^(?P<indent>[ \t]*)[-*•·][ \t]+(?P<text>\S.*)$")
_FIRSTS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ROW = re.compile(
    rf"(?<![A-Za-z0-9])(?:[(（](?P<a>{_LABEL})[)）]|{_NOUN}[ \t]?(?P<b>{_LABEL})(?![A-Za-z0-9])|(?P<c>\d{{1,2}})(?:[.)](?=\s)|[)）、])"
    rf"|(?:the )?(?P<d>{'|'.join(_FIRSTS)})(?:ly)?(?:(?: {_NOUN}| one)?(?= (?:is|would|could)\b)|(?: {_NOUN})?(?=[,:]))"
    rf"|第(?P<e>[一二三四五六七八九十])(?:个|种|条|点|项|套|是|，|：)(?:{_NOUN})?|(?P<f>[A-H])(?:方案|计划|选项))"
    r"[ \t]*(?:is|are|would be|could be|是|为|：|:|，|,|=)?[ \t]*",
    re.IGNORECASE,
)
_ROW_END = re.compile(r"[;；。\n]|[.?!](?:\s|$)|[,，]\s*(?:and|or|以及|或者?)?\s*$")
_HAN_DIGITS = "一二三四五六七八九十"
_MARKS = re.compile(r"\*\*|__|`")
_ENDS = re.compile(r"^(?:is\b|are\b|是|为)\s*|\s*(?:\b(?:and|or)|以及|或者?)$", re.IGNORECASE)


class _Lines(Struct):
    """A list whose items are lines."""

    sort: str
    indent: int
    items: list[str] = field(default_factory=list)


def item_at(text: str, ordinal: int) -> str:
    """The item of that number, 1 for the first and -1 for the last, in the first list of the text that has so many, of at
    least two; lists that say what they are or are numbered come before bullets. "" where there is none."""
    for items in lists_of(text):
        if ordinal and len(items) >= 2 and -len(items) <= ordinal <= len(items):
            return items[ordinal - 1 if ordinal > 0 else ordinal]
    return ""


def lists_of(text: str) -> list[list[str]]:
    """The items of each list; those that name their options first, then numbered ones, those in a row, bullets."""
    text = text[:READ_CHARS]
    lines = _line_lists(text)
    by_sort = {sort: [found.items for found in lines if found.sort == sort] for sort in ("named", "label", "bullet")}
    return [*by_sort["named"], *by_sort["label"], *_row_lists(text), *by_sort["bullet"]]


def _line_lists(text: str) -> list[_Lines]:
    found: list[_Lines] = []
    open_lists: dict[tuple[str, int], _Lines] = {}
    for line in text.splitlines():
        match = _LINE.match(line) or _BULLET.match(line)
        if match is None:
            # a paragraph ends bullets, which have no numbers to go on with
            if line.strip():
                _close(open_lists, "bullet", len(line) - len(line.lstrip()))
            continue
        labels = match.groupdict()
        label = labels.get("named") or labels.get("label") or ""
        sort, indent = "named" if labels.get("noun") else "label" if label else "bullet", len(match["indent"].expandtabs(4))
        known = open_lists.get((sort, indent))
        number = _number(label) if label else len(known.items) + 1 if known is not None else 1
        if known is None or number != len(known.items) + 1:
            if number != 1:
                continue
            known = open_lists[sort, indent] = _Lines(sort, indent)
            found.append(known)
        known.items.append(_clean(match["text"]))
        if sort != "bullet":
            _close(open_lists, "bullet", indent)
    return found


def _close(open_lists: dict[tuple[str, int], _Lines], sort: str, indent: int) -> None:
    for key in [key for key in open_lists if key[0] == sort and key[1] >= indent]:
        del open_lists[key]


def _row_lists(text: str) -> Iterator[list[str]]:
    marks = [(match, _number(match[match.lastgroup or "a"])) for match in _ROW.finditer(text)]
    items: list[str] = []
    for at, (match, number) in enumerate(marks):
        if number != len(items) + 1:
            if len(items) > 1:
                yield items
            items = []
        if number == len(items) + 1:
            end = marks[at + 1][0].start() if at + 1 < len(marks) else len(text)
            cut = _ROW_END.search(text, match.end(), end)
            items.append(_clean(text[match.end() : cut.start() if cut else end]))
    if len(items) > 1:
        yield items


def _number(label: str) -> int:
    lower = label.lower()
    if lower.isdigit():
        return int(lower)
    if lower in _HAN_DIGITS:
        return _HAN_DIGITS.index(lower) + 1
    return _FIRSTS.index(lower) + 1 if lower in _FIRSTS else ord(lower) - ord("a") + 1


def _clean(text: str) -> str:
    line = _ENDS.sub("", " ".join(_MARKS.sub("", text).split()).strip(" ,，;；")).strip(" ,，;；")
    return line if len(line) <= MAX_ITEM_CHARS else line[: MAX_ITEM_CHARS - 1] + "…"
