"""Quantities as spans of numbers with a unit, so that "at least 12" and "16" agree and "two weeks" is "14 days"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from trimtab.distill.aspects import stem
from trimtab.distill.values_en import words

_UNITS_EN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS_EN = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: number for number, word in enumerate(_UNITS_EN.split())} | {
    word: number * 10 for number, word in enumerate(_TENS_EN.split(), start=2)
}
_ZH = {mark: number for number, mark in enumerate("零一二三四五六七八九")} | {"两": 2}
_ZH_TENS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
_NUMBER = (
    r"\d[\d,]*(?:\.\d+)?|\b(?:"
    + "|".join(sorted(_SMALL, key=len, reverse=True))
    + r"|a hundred|hundred|thousand)\b(?:[ -](?:hundred|thousand|"
    + "|".join(word for word in _SMALL if _SMALL[word] < 10)
    + r")\b)*|[零一二两三四五六七八九十百千万]+"
)
_UNIT_ZH = "个月|小时|分钟|工作日|个|月|年|天|日|周|秒|次|位|字|人|元|页|条|名|岁|度|台|件|份|节|章|集|层|场|间|套|笔|轮|辆|款|句|倍|米|公里|公斤|克|吨|升"
_QUANTITY = re.compile(
    rf"(?P<sign>[$€£¥]\s?)?(?P<number>{_NUMBER})\s?-?(?:(?P<scale>million|thousand|k\b|m\b|万)\s?)?"
    rf"(?P<unit>%|℃|°[CF]?|[a-z]{{2,}}(?! of\b)|{_UNIT_ZH})?",
    re.I,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|no (?:less|fewer) than|not (?:less|fewer) than|minimum(?: of)?|more than|over|above)\s*$|(?:至少|最少|不低于|不少于|超过(?<!不超过)|起码)\s*为?$",
    re.I,
)
_AT_MOST = re.compile(
    r"\b(?:at most|no (?:more|longer|later) than|not (?:more|exceed)(?: than)?|not to exceed|never (?:more|exceed)(?: than)?|maximum(?: of)?|up to|below|under|"
    r"within|less than|fewer than)\s*$|(?:不超过|不多于|不大于|不得超过|至多|最多|上限[为是]?)\s*$",
    re.I,
)
_AT_MOST_AFTER = re.compile(r"^\s?(?:以内|之内|以下|内|or (?:less|fewer)|max)", re.I)
_AT_LEAST_AFTER = re.compile(r"^\s?(?:以上|or more)", re.I)
# minutes, so that what is said in another unit can be compared
_MINUTES = {
    "minut": 1, "分钟": 1, "hour": 60, "小时": 60, "day": 1_440, "天": 1_440, "week": 10_080, "周": 10_080,
    "month": 43_200, "个月": 43_200, "year": 525_600, "年": 525_600,
}  # fmt: skip
_UNITS = {
    "percent": "%", "euro": "€", "eur": "€", "dollar": "$", "usd": "$", "pound": "£", "gbp": "£", "元": "¥", "人": "人", "名": "人",
}  # fmt: skip
_NO_UNITS = words(
    "and or of in on at to for by the is are was were per with from that which as than please times us a an am pm utc january february march april may june "
    "july august september october november december jan feb mar apr jun jul aug sep oct nov dec new of"
)
_SAME_RATIO, _MOST_RATIO = 0.04, 12
_CLOCK_OR_DATE = re.compile(r"^[:：]\d|^\s?月|^\s?号")


class Quantity(Struct, frozen=True):
    """A span of numbers of one unit; `low` == `high` for a plain figure; `word` as it was said."""

    low: float
    high: float
    unit: str
    word: str = ""

    @property
    def is_plain(self) -> bool:
        return self.low == self.high


@lru_cache(maxsize=4_096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities that have a unit, in their order. Dates, times of day and bare figures are none."""
    found = []
    text = text[:1_000]
    for match in _QUANTITY.finditer(text):
        unit = _unit_of(match["unit"], match["sign"])
        value = _number(match["number"])
        rest = text[match.end("number") :]
        if not unit or value is None or _CLOCK_OR_DATE.match(rest):
            continue
        value *= {"million": 1e6, "m": 1e6, "thousand": 1e3, "k": 1e3, "万": 1e4}.get((match["scale"] or "").lower(), 1)
        before, after = (
            text[max(0, match.start("number") - 30) : match.start("sign") if match["sign"] else match.start("number")],
            text[match.end("unit") if match["unit"] else match.end("number") :][:12],
        )
        word = unit
        if unit in _MINUTES:
            value, unit = value * _MINUTES[unit], "duration"
        if _AT_LEAST.search(before) or _AT_LEAST_AFTER.match(after):
            found.append(Quantity(value, math.inf, unit, word))
        elif unit != "duration" and (_AT_MOST.search(before) or _AT_MOST_AFTER.match(after)):
            found.append(Quantity(-math.inf, value, unit, word))
        else:
            found.append(Quantity(value, value, unit, word))
    return tuple(found)


def clashing(ours: Sequence[Quantity], theirs: Sequence[Quantity]) -> bool:
    """Whether both give one unit spans of which only one can hold. Where any two agree, they do not."""
    clash = False
    for unit in {one.unit for one in ours} & {one.unit for one in theirs}:
        mine, its = [one for one in ours if one.unit == unit], [one for one in theirs if one.unit == unit]
        if any(_agree(one, other) for one in mine for other in its):
            continue
        clash = clash or any(_near(one, other) for one in mine for other in its)
    return clash


def _agree(one: Quantity, other: Quantity) -> bool:
    if one.is_plain and other.is_plain:
        return abs(one.low - other.low) <= _SAME_RATIO * max(abs(one.low), abs(other.low))
    if not one.is_plain and not other.is_plain and (one.low == -math.inf) == (other.low == -math.inf):
        # two bounds of one kind
        return (one.low, one.high) == (other.low, other.high)
    return one.low <= other.high and other.low <= one.high


def _near(one: Quantity, other: Quantity) -> bool:
    """Durations that are far apart measure two things: seven years to keep, thirty days to pay."""
    if one.unit != "duration":
        return True
    left, right = (bound if (bound := max(abs(side.low), 1e-9)) != math.inf else abs(side.high) for side in (one, other))
    return max(left, right) <= _MOST_RATIO * max(min(left, right), 1e-9)


def _unit_of(word: str | None, sign: str | None) -> str:
    if sign and sign.strip():
        return sign.strip()
    if not word:
        return ""
    lower = word.lower()
    if lower in _NO_UNITS:
        return ""
    unit = stem(lower) if lower.isascii() and lower[0].isalpha() else lower
    return _UNITS.get(unit, _UNITS.get(lower, unit))


def _number(text: str) -> float | None:
    lower = text.lower().replace(",", "")
    if lower[:1].isdigit():
        return float(lower)
    if lower[:1].isascii():
        total = 0.0
        for word in re.split(r"[ -]", lower):
            if word in ("hundred", "thousand"):
                total = (total or 1) * (100 if word == "hundred" else 1_000)
            elif word in _SMALL:
                total += _SMALL[word]
        return total
    return _chinese(lower)


def _chinese(text: str) -> float | None:
    total = part = 0
    for mark in text:
        if mark in _ZH:
            part = _ZH[mark]
        elif mark in _ZH_TENS:
            total += (part or 1) * _ZH_TENS[mark]
            part = 0
        else:
            return None
    return float(total + part)
