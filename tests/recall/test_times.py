import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.recall.times import READ_CHARS, read_times

NOW = int(datetime(2026, 3, 18, 15, 0, tzinfo=UTC).timestamp() * 1000)


def shown(text: str) -> list[str]:
    def moment(ms: int) -> str:
        return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00") if ms else ""

    return [f"{moment(found.since_ms)}..{moment(found.until_ms)}" for found in read_times(text, NOW)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "2026-03-18..2026-03-19"),
        ("yesterday evening", "2026-03-17 17:00..2026-03-18"),
        ("last night", "2026-03-17 18:00..2026-03-18 05:00"),
        ("the day before yesterday", "2026-03-16..2026-03-17"),
        ("last week", "2026-03-09..2026-03-16"),
        ("last weekend", "2026-03-14..2026-03-16"),
        ("this month", "2026-03-01..2026-04-01"),
        ("last month", "2026-02-01..2026-03-01"),
        ("last year", "2025-01-01..2026-01-01"),
        ("on Wednesday", "2026-03-11..2026-03-12"),
        ("last Friday", "2026-03-13..2026-03-14"),
        ("two days ago", "2026-03-16..2026-03-17"),
        ("a week ago", "2026-03-08..2026-03-16"),
        ("in the last 3 days", "2026-03-15 15:00..2026-03-18 15:01"),
        ("in March", "2026-03-01..2026-04-01"),
        ("in April", "2025-04-01..2025-05-01"),
        ("in April 2024", "2024-04-01..2024-05-01"),
        ("on 3 May", "2025-05-03..2025-05-04"),
        ("on March 3rd, 2026", "2026-03-03..2026-03-04"),
        ("2026-03-01", "2026-03-01..2026-03-02"),
        ("on the 20th", "2026-02-20..2026-02-21"),
        ("in 2024", "2024-01-01..2025-01-01"),
        ("since Monday", "2026-03-16.."),
        ("before March 3", "..2026-03-03"),
        ("after 2026-03-01", "2026-03-02.."),
        ("from 1 March to 5 March", "2026-03-01..2026-03-06"),
        ("between January and February", "2026-01-01..2026-03-01"),
        ("昨天", "2026-03-17..2026-03-18"),
        ("昨晚", "2026-03-17 18:00..2026-03-18 05:00"),
        ("今早", "2026-03-18..2026-03-18 12:00"),
        ("前天下午", "2026-03-16 12:00..2026-03-16 18:00"),
        ("大前天", "2026-03-15..2026-03-16"),
        ("上周", "2026-03-09..2026-03-16"),
        ("上上周", "2026-03-02..2026-03-09"),
        ("上周三", "2026-03-11..2026-03-12"),
        ("周一", "2026-03-16..2026-03-17"),
        ("三天前", "2026-03-15..2026-03-16"),
        ("十二天前", "2026-03-06..2026-03-07"),
        ("上个月", "2026-02-01..2026-03-01"),
        ("3月", "2026-03-01..2026-04-01"),
        ("五月三号", "2025-05-03..2025-05-04"),
        ("去年", "2025-01-01..2026-01-01"),
        ("去年5月", "2025-05-01..2025-06-01"),
        ("2026年1月5日", "2026-01-05..2026-01-06"),
        ("5号", "2026-03-05..2026-03-06"),
        ("3月1日以来", "2026-03-01.."),
        ("3月1日之前", "..2026-03-01"),
        ("从3月1日到3月5日", "2026-03-01..2026-03-06"),
        ("最近三天", "2026-03-15 15:00..2026-03-18 15:01"),
    ],
)
def test_expressions(text: str, expected: str) -> None:
    assert shown(text) == [expected]
    found = read_times(f"x {text} y", NOW)
    assert [f"x {text} y"[one.start : one.end].strip() for one in found] == [text]


@pytest.mark.parametrize(
    "text",
    ["the sun is out", "you may go", "2026-13-45", "on 31 February", "5号楼", "version 3.2.1", "port 8080", "30 March 99"[:0], "march on"],
)
def test_what_is_no_time(text: str) -> None:
    assert shown(text) == []


def test_several_stand_in_their_order() -> None:
    assert shown("yesterday and on 2026-01-02") == ["2026-03-17..2026-03-18", "2026-01-02..2026-01-03"]


@given(st.text(alphabet="0123456789-/. 年月日号天前上周一二三十lastweekmonthagoinMay", max_size=60), st.integers(0, 4_000_000_000_000))
def test_any_text_and_any_clock(text: str, now_ms: int) -> None:
    end = 0
    for found in read_times(text, now_ms, 480):
        assert end <= found.start < found.end <= len(text)
        assert found.since_ms >= 0 <= found.until_ms
        assert not found.until_ms or found.since_ms <= found.until_ms
        end = found.end


@pytest.mark.parametrize("piece", ["last ", "1", "一", "三天前", "in March ", "from 1 May to ", "20", "- ", "上", "the day before "])
def test_time_is_bounded(piece: str) -> None:
    before = time.process_time()
    read_times(piece * READ_CHARS, NOW)
    assert time.process_time() - before < 20
