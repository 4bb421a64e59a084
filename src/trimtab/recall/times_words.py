"""The forms that a time can have in words, and how each is read. The table of `times.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct

Day = tuple[datetime, datetime]
Reader = Callable[["re.Match[str]", datetime], "Day | None"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HAN_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_HAN_DIGITS = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_NUMBER_WORDS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "couple": 2, "a couple of": 2, "a few": 3, "few": 3, "several": 4, "几": 3, "半": 1,
}  # fmt: skip
# the hours of a part of the day, from midnight; the last of them may reach into the next day
_PARTS = {
    "morning": (0, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 29), "noon": (11, 14),
    "早上": (0, 12), "上午": (0, 12), "早": (0, 12), "凌晨": (0, 7), "中午": (11, 14), "下午": (12, 18), "晚上": (17, 29), "晚": (17, 29),
}  # fmt: skip

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_AFTER_A_BOUND = "|".join(f"(?<=\\b{word} )" for word in ("since", "between", "from", "to", "and", "before", "after", "until"))
_YEAR = r"(?P<year>(?:19|20)\d{2})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WEEKDAY = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_COUNT = r"(?P<count>\d{1,3}|an?(?: couple of| few)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|couple of|few)"
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"
_HAN_COUNT = r"(?P<count>\d{1,3}|[一二两三四五六七八九十几半]{1,3})"
_HAN_UNIT = r"(?:个)?(?P<unit>分钟|小时|钟头|天|日|周|星期|礼拜|月|年)"
_HAN_PART = r"(?P<part>早上|上午|凌晨|中午|下午|晚上|早|晚)"
_HAN_NUMBER = r"\d{1,2}|[一二三四五六七八九十]{1,3}"
_UNITS = {
    "minute": 1, "hour": 60, "day": 1440, "week": 10_080, "month": 43_830, "year": 525_960,
    "分钟": 1, "小时": 60, "钟头": 60, "天": 1440, "日": 1440, "周": 10_080, "星期": 10_080, "礼拜": 10_080, "月": 43_830, "年": 525_960,
}  # fmt: skip
_DAY_MINUTES = 1_440


class Form(Struct, frozen=True):
    """A pattern and what it means; `read` gives None where the match is no real time."""

    pattern: re.Pattern[str]
    read: Reader


class Bound(Struct, frozen=True):
    """What turns a point into a bound: words that end right before it, or begin right after it."""

    before: re.Pattern[str]
    after: re.Pattern[str]


class Between(Struct, frozen=True):
    """`opener` before the first of two, `joint` between them; `bare` is a joint that needs no opener."""

    opener: re.Pattern[str]
    joint: re.Pattern[str]
    bare: re.Pattern[str]


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_NEVER = re.compile(r"(?!)")
SINCE = Bound(_words(r"\b(?:ever )?since (?:the )?$|自从?$"), _words(r"以来|起"))
BEFORE = Bound(_words(r"\b(?:before|prior to|earlier than) (?:the )?$"), _words(r"之前|以前"))
AFTER = Bound(_words(r"\b(?:after|later than) (?:the )?$"), _words(r"之后|以后"))
UNTIL = Bound(_words(r"\b(?:until|till|up to) (?:the )?$|截至$"), _NEVER)
BETWEEN = Between(
    _words(r"\b(?:between|from) (?:the )?$|从$|自$|在$"),
    _words(r"\s?(?:and|to|until|till|-|–|—|到|至|和|与) ?"),
    _words(r"\s?(?:to|–|—|到|至) ?"),
)


def number(word: str) -> int:
    """A count in digits or words; 1 for "a", 3 for "a few"."""
    word = word.lower().removesuffix(" of").strip()
    if word.isdigit():
        return int(word)
    if word in _NUMBER_WORDS:
        return _NUMBER_WORDS[word]
    if word in ("a couple", "couple"):
        return 2
    if "十" in word:
        tens, ones = word.split("十", 1)
        return _HAN_DIGITS.get(tens, 1) * 10 + _HAN_DIGITS.get(ones, 0)
    return _HAN_DIGITS.get(word, 1)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _days(start: datetime, count: int = 1) -> Day:
    return start, start + timedelta(days=count)


def _date(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day)
    except ValueError:
        return None


def _month_start(year: int, month: int) -> datetime:
    return datetime(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def _month(year: int, month: int) -> Day | None:
    return (_month_start(year, month), _month_start(year, month + 1)) if 1 <= month <= 12 else None


def _part(day: Day, part: str | None) -> Day:
    if not part:
        return day
    first, last = _PARTS[part.lower()]
    return day[0] + timedelta(hours=first), day[0] + timedelta(hours=last)


def _groups(match: re.Match[str]) -> dict[str, str]:
    return {name: value for name, value in match.groupdict().items() if value}


def _full_date(match: re.Match[str], now: datetime) -> Day | None:
    """A date with its parts in digits or month names; without a year the last one that was."""
    found = _groups(match)
    month_word = found["month"].lower()[:3]
    month = _MONTHS.index(month_word) + 1 if month_word in _MONTHS else number(found["month"])
    years = [int(found["year"])] if "year" in found else [now.year, now.year - 1]
    if "lastyear" in found:
        years = [now.year - (2 if found["lastyear"] == "前年" else 1)]
    for year in years:
        span = _month(year, month)
        if "day" in found:
            start = _date(year, month, number(found["day"]))
            span = _part(_days(start), found.get("part")) if start else None
        if span is not None and (span[0] <= now or len(years) == 1):
            return span
    return None


def _day_of_month(match: re.Match[str], now: datetime) -> Day | None:
    day = number(match["day"])
    for month in (now.month, now.month - 1):
        start = _month_start(now.year, month)
        date = _date(start.year, start.month, day)
        if date is not None and date <= now:
            return _days(date)
    return None


def _year(match: re.Match[str], now: datetime) -> Day:
    year = int(match["year"])
    return datetime(year, 1, 1), datetime(year + 1, 1, 1)


def _weekday(match: re.Match[str], now: datetime) -> Day:
    """The last such day before today; of a named week, that week's."""
    found = _groups(match)
    name = found["weekday"].lower()
    wanted = _HAN_WEEKDAYS[name] if name in _HAN_WEEKDAYS else _WEEKDAYS.index(name[:3])
    today = _midnight(now)
    which = found.get("which", "")
    if which.startswith(("上", "这", "本")):
        day = today - timedelta(days=today.weekday()) + timedelta(days=wanted - 7 * which.count("上"))
    else:
        day = today - timedelta(days=(today.weekday() - wanted) % 7 or 7)
    return _part(_days(day), found.get("part"))


_DAYS_BACK = {
    "today": 0,
    "yesterday": 1,
    "the day before yesterday": 2,
    "今天": 0,
    "今": 0,
    "昨天": 1,
    "昨": 1,
    "昨日": 1,
    "前天": 2,
    "大前天": 3,
}


def _near_day(match: re.Match[str], now: datetime) -> Day:
    found = _groups(match)
    back = _DAYS_BACK.get(found.get("near", "").lower(), 0)
    return _part(_days(_midnight(now) - timedelta(days=back)), found.get("part") or found.get("today"))


def _last_night(match: re.Match[str], now: datetime) -> Day:
    return _part(_days(_midnight(now) - timedelta(days=1)), "night")


def _period(match: re.Match[str], now: datetime) -> Day | None:
    """This or the last week, month, quarter, year, weekend; 上上周 is the one before the last."""
    which, unit = match["which"].lower(), match["unit"].lower()
    back = which.count("上") or (1 if which in ("last", "previous", "the previous", "去", "昨") else 2 if which == "前" else 0)
    today = _midnight(now)
    week = today - timedelta(days=today.weekday() + 7 * back)
    if unit in ("week", "周", "星期", "礼拜"):
        return _days(week, 7)
    if unit in ("weekend", "周末"):
        # of this week only once it has come
        late = back == 0 and today.weekday() < 5
        return _days(week + timedelta(days=-2 if late else 5), 2)
    if unit in ("month", "月"):
        return _month_start(now.year, now.month - back), _month_start(now.year, now.month - back + 1)
    if unit in ("quarter", "季度"):
        first = (now.month - 1) // 3 * 3 + 1 - 3 * back
        return _month_start(now.year, first), _month_start(now.year, first + 3)
    return datetime(now.year - back, 1, 1), datetime(now.year - back + 1, 1, 1)


def _ago(match: re.Match[str], now: datetime) -> Day | None:
    """The day, or for larger units a stretch of one unit around the moment: nobody counts weeks by the day."""
    unit, count = _UNITS[match["unit"].lower()], number(match["count"])
    minutes = unit // 2 if match["count"] == "半" else unit * count
    if unit == _DAY_MINUTES:
        return _days(_midnight(now) - timedelta(days=count))
    moment = now - timedelta(minutes=minutes)
    if unit < _DAY_MINUTES:
        return moment - timedelta(minutes=max(10, minutes // 2)), min(now, moment + timedelta(minutes=max(10, minutes // 2)))
    around = timedelta(minutes=unit // 2)
    return _midnight(moment - around), _midnight(moment + around) + timedelta(days=1)


def _lately(match: re.Match[str], now: datetime) -> Day | None:
    """The last so many days, up to now."""
    count = number(match["count"]) if match["count"] else 1
    return now - timedelta(minutes=_UNITS[match["unit"].lower()] * count), now + timedelta(minutes=1)


FORMS: tuple[Form, ...] = (
    Form(re.compile(rf"(?<![\d-]){_YEAR}(?P<sign>[-/.])(?P<month>\d{{1,2}})(?P=sign)(?P<day>\d{{1,2}})(?![\d-])"), _full_date),
    Form(re.compile(rf"(?<!\d){_YEAR}-(?P<month>\d{{2}})(?![\d-])"), _full_date),
    Form(_words(rf"\b(?:on )?(?:the )?{_DAY} (?:of )?{_MONTH}\b\.?(?:,? {_YEAR})?\b"), _full_date),
    Form(_words(rf"\b(?:on )?{_MONTH}\.? (?:the )?{_DAY}\b(?:,? {_YEAR})?"), _full_date),
    Form(_words(rf"\b(?:in |last |during )?{_MONTH},? (?:of )?{_YEAR}\b"), _full_date),
    Form(_words(rf"(?:\b(?:in|last|during) |{_AFTER_A_BOUND}){_MONTH}\b(?! \d)"), _full_date),
    Form(_words(rf"\b(?:in|during) {_YEAR}\b"), _year),
    Form(_words(r"\bon the (?P<day>\d{1,2})(?:st|nd|rd|th)\b"), _day_of_month),
    Form(_words(r"\b(?P<near>the day before yesterday|yesterday|today)(?: (?P<part>morning|afternoon|evening|night))?\b"), _near_day),
    Form(_words(r"\bthis (?P<part>morning|afternoon|evening)\b"), _near_day),
    Form(_words(r"\blast night\b"), _last_night),
    Form(_words(rf"\b(?:on |last |this past )?{_WEEKDAY}(?: (?P<part>morning|afternoon|evening|night))?\b"), _weekday),
    Form(_words(r"\b(?P<which>last|this|the previous|previous) (?P<unit>weekend|week|month|quarter|year)\b"), _period),
    Form(_words(rf"\b{_COUNT} {_UNIT} (?:ago|back|earlier)\b"), _ago),
    Form(_words(rf"\b(?:in|over|during|within) the (?:last|past) (?:{_COUNT} )?{_UNIT}\b"), _lately),
    Form(
        re.compile(
            rf"(?<!\d)(?:{_YEAR}|(?P<lastyear>去年|前年))年?的?(?P<month>{_HAN_NUMBER})月(?:份)?(?:(?P<day>{_HAN_NUMBER})[日号]?{_HAN_PART}?)?"
        ),
        _full_date,
    ),
    Form(re.compile(rf"(?<!\d)(?P<month>{_HAN_NUMBER})月(?:份)?(?:(?P<day>{_HAN_NUMBER})[日号]{_HAN_PART}?)?"), _full_date),
    Form(re.compile(rf"(?<!\d){_YEAR}年(?!\d)"), _year),
    Form(re.compile(r"(?<![\d月])(?P<day>\d{1,2})[号](?![楼仓线库柜院])"), _day_of_month),
    Form(re.compile(rf"(?P<near>大前天|前天|昨天|昨日|今天){_HAN_PART}?|今(?P<today>早|晚)"), _near_day),
    Form(re.compile(r"昨晚|昨夜"), _last_night),
    Form(re.compile(rf"(?P<which>上上|上个?|这个?|本)?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天]){_HAN_PART}?"), _weekday),
    Form(re.compile(r"(?P<which>上上个?|上个?|这个?|本)(?P<unit>周末|周|星期|礼拜|月|季度)"), _period),
    Form(re.compile(r"(?P<which>去|今|前)(?P<unit>年)"), _period),
    Form(re.compile(rf"{_HAN_COUNT}{_HAN_UNIT}(?:之前|以前|前)"), _ago),
    Form(re.compile(rf"(?:最近|过去|近)(?:的)?{_HAN_COUNT}{_HAN_UNIT}(?:里|内)?"), _lately),
)
