"""Headings that show by their number: "3.2 Results", "Article 5", 第三条, 一、, （二）. English and Chinese."""

from __future__ import annotations

import re

from msgspec import Struct

MAX_HEADING_CHARS = 90
_HAN = "一二三四五六七八九十百千零〇两"
_CHINESE = re.compile(
    rf"第[ \t]?[{_HAN}\d]{{1,7}}[ \t]?(?P<unit>[编篇部分章节条款])(?=[ \t\u3000:：、.．【（(]|$|[^{_HAN}\d的第之至和及或，。；])"
)
_CHINESE_LEVELS = {"编": 1, "篇": 1, "部": 1, "分": 1, "章": 2, "节": 3, "条": 4, "款": 5}
_HAN_ITEM = re.compile(rf"[{_HAN}]{{1,4}}、")
_HAN_INNER = re.compile(rf"[（(][{_HAN}]{{1,4}}[）)]")
_ENGLISH = re.compile(
    r"(?P<unit>Part|Title|Chapter|Section|Article|Clause|Appendix|Annex|Schedule|Exhibit)[ \t]+(?:\d{1,3}(?:\.\d{1,3})*[A-Za-z]?|[IVXLC]{1,7}|[A-Z])"
    r"(?=[ \t]*[:.\-–—]|[ \t]*$|[ \t]{1,4}[A-Z(])",
    re.I,
)
_ENGLISH_LEVELS = {
    "part": 1,
    "title": 1,
    "appendix": 1,
    "annex": 1,
    "schedule": 1,
    "exhibit": 1,
    "chapter": 2,
    "section": 3,
    "article": 3,
    "clause": 4,
}
_SIGN = re.compile(r"§§?[ \t]?\d{1,5}[a-z]?")
_DOTTED = re.compile(
    r"(?P<number>\d{1,3}(?:[.．]\d{1,3}){0,5})(?:[.．、)]?[ \t\u3000]+|[.．、](?=[^\W\d])|(?<=[.．]\d)(?=[\u4e00-\u9fff])|(?<=[.．]\d\d)(?=[\u4e00-\u9fff]))"
)
# a line of a table of contents: dots or a wide gap, then the page
_CONTENTS = re.compile(r"(?:\.[ .]{2,}|…{1,}|·{3,}|[ \t\u3000]{3,})[ \t]*\d{1,4}[ \t]*$")
_SENTENCE_END = (".", "。", "；", ";", "，", ",", "！", "？", "!", "?", "：", ":")


class Numbered(Struct, frozen=True):
    """A line that begins with the number of a heading or clause.

    Attributes:
        level: 1 to 5 for words (Part, Chapter, 第三条), 6 for 一、, 7 for （一）, 10 and more for 1., 1.1, 1.1.1.
        label: the number itself, as written.
        title: what stands in a path: the line if it is a heading, the label if a clause goes on after it.
        number: of dotted numbers, else ().
        heading: the line holds nothing but the heading.
    """

    level: int
    label: str
    title: str
    number: tuple[int, ...] = ()
    heading: bool = True


def numbered(line: str) -> Numbered | None:
    """The line as a numbered heading or clause; None where it is neither, or a line of a table of contents."""
    text = line.strip()
    if not text or _CONTENTS.search(text[-200:]):
        return None
    short = len(text) <= MAX_HEADING_CHARS and not text.endswith(_SENTENCE_END)
    found = _CHINESE.match(text) or _ENGLISH.match(text)
    if found:
        levels = _CHINESE_LEVELS if found["unit"] in _CHINESE_LEVELS else _ENGLISH_LEVELS
        return Numbered(levels[found["unit"].casefold()], found[0], text if short else found[0], (), short)
    for pattern, level in ((_SIGN, 4), (_HAN_ITEM, 6), (_HAN_INNER, 7)):
        found = pattern.match(text)
        if found:
            return Numbered(level, found[0], text if short else found[0], (), short)
    found = _DOTTED.match(text)
    if not found:
        return None
    number = tuple(int(part) for part in re.split(r"[.．]", found["number"]))
    return Numbered(9 + len(number), found["number"], text if short else found["number"], number, short)


def follows(last: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Whether a dotted number goes on from the last one: one or two further at some depth, or one level deeper.

    A wrapped line that begins with "3.14 million" does not.
    """
    if not last:
        return number[-1] <= 1 and max(number) <= 20
    if number[:-1] == last[: len(number) - 1] and len(number) <= len(last):
        return 0 < number[-1] - last[len(number) - 1] <= 2
    return (number[:-1] == last and number[-1] <= 1) or (
        len(number) == len(last) + 1 and number[:-2] == last[:-1] and number[-2:] == (last[-1] + 1, 1)
    )
