"""Time expressions of a question as ranges, in English and Chinese: when, seen from a clock, was "last week" or "前天下午".

Questions of recall look back, so a bare "on Monday" or "3月" is the last one that was. Ranges are half open, in
milliseconds since 1970 UTC; a bound of 0 is no bound, as in a store's filter. What is no real date is no expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from trimtab.recall.times_words import AFTER, BEFORE, BETWEEN, FORMS, SINCE, UNTIL, Day

READ_CHARS = 4_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TimeFound(Struct, frozen=True):
    """An expression at text[start:end], its preposition included, and the range it means: [since_ms, until_ms)."""

    start: int
    end: int
    since_ms: int
    until_ms: int


class _Point(Struct, frozen=True):
    start: int
    end: int
    since: datetime
    until: datetime


def read_times(text: str, now_ms: int, offset_minutes: int = 0) -> list[TimeFound]:
    """Time expressions of `text` in its order, none of them overlapping another.

    Args:
        now_ms: the moment from which "yesterday" is seen.
        offset_minutes: of local time from UTC, 480 for China; days begin at local midnight.
    """
    text = text[:READ_CHARS]
    zone = timedelta(minutes=offset_minutes)
    now = (_EPOCH + timedelta(milliseconds=now_ms) + zone).replace(tzinfo=None)
    points = list(_points(text, now))
    found: list[TimeFound] = []
    at = 0
    while at < len(points):
        point = points[at]
        following = points[at + 1] if at + 1 < len(points) else None
        if following is not None and (opened := _joined(text, point, following)) is not None:
            found.append(_range(opened, following.end, (point.since, max(point.until, following.until)), zone))
            at += 2
        else:
            found.append(_bounded(text, point, zone))
            at += 1
    return found


def _points(text: str, now: datetime) -> Iterator[_Point]:
    """The plain expressions, each at its place the longest; the earlier forms of the table win a tie."""
    hits = [(match.start(), -match.end(), rank, match) for rank, form in enumerate(FORMS) for match in form.pattern.finditer(text)]
    end = 0
    for start, _, rank, match in sorted(hits, key=lambda hit: hit[:3]):
        day = FORMS[rank].read(match, now) if start >= end else None
        if day is not None:
            end = match.end()
            yield _Point(start, end, day[0], day[1])


def _joined(text: str, first: _Point, second: _Point) -> int | None:
    """Where "between A and B" or "从A到B" begins; None where the two are two."""
    between = text[first.end : second.start]
    before = text[max(0, first.start - 12) : first.start]
    opener = BETWEEN.opener.search(before)
    if not BETWEEN.joint.fullmatch(between) or (opener is None and not BETWEEN.bare.fullmatch(between)):
        return None
    return first.start - (len(before) - opener.start() if opener else 0)


def _bounded(text: str, point: _Point, zone: timedelta) -> TimeFound:
    """A point with the word before or after it that makes it a bound: since, before, 之前 ..."""
    before = text[max(0, point.start - 16) : point.start]
    after = text[point.end : point.end + 4]
    open_end, open_start = datetime.max, datetime.min
    for bound, since, until in (
        (SINCE, point.since, open_end),
        (BEFORE, open_start, point.since),
        (AFTER, point.until, open_end),
        (UNTIL, open_start, point.until),
    ):
        if (match := bound.before.search(before)) is not None:
            return _range(point.start - (len(before) - match.start()), point.end, (since, until), zone)
        if (match := bound.after.match(after)) is not None:
            return _range(point.start, point.end + match.end(), (since, until), zone)
    return _range(point.start, point.end, (point.since, point.until), zone)


def _range(start: int, end: int, day: Day, zone: timedelta) -> TimeFound:
    return TimeFound(start, end, _ms(day[0], zone), _ms(day[1], zone))


def _ms(moment: datetime, zone: timedelta) -> int:
    if moment in (datetime.min, datetime.max):
        return 0
    return max(0, (moment.replace(tzinfo=UTC) - zone - _EPOCH) // timedelta(milliseconds=1))
