"""Identifiers, numbers and dates as exact slices."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.distill.values import MAX_VALUES, Value, values


def found(text: str) -> list[Value]:
    return values(text, [(0, len(text))])


def of(kind: str, text: str) -> list[str]:
    return [value.text for value in found(text) if value.kind == kind]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the order number is W-4471902, thanks", "W-4471902"),
        ("where's my order? 88213-AC", "88213-AC"),
        ("case CS-55018 again", "CS-55018"),
        ("see PROJ-12 and #482", "#482"),
        ("upgrade to v2.8.1 tonight", "v2.8.1"),
        ("kernel 5.15.0-91 is out", "5.15.0-91"),
        ("commit 9fe31c0 broke it", "9fe31c0"),
        ("it is in /srv/app/billing now", "/srv/app/billing"),
        ("look at src/parser/lexer.py please", "src/parser/lexer.py"),
        ("on branch fix/oom-build", "fix/oom-build"),
        (r"saved as C:\Users\lena\notes.txt", r"C:\Users\lena\notes.txt"),
        ("docs at https://docs.example.org/run?x=1.", "https://docs.example.org/run?x=1"),
        ("write to m.okafor@posteo.example, please", "m.okafor@posteo.example"),
        ("call me on +44 20 7946 0958", "+44 20 7946 0958"),
        ("my account is lena_k92", "lena_k92"),
        ("ping @rowan-dev", "@rowan-dev"),
        ("db-3.internal:5432 is down", "db-3.internal:5432"),
        ("it runs on web-03", "web-03"),
        ("the camelCase name fetchRows is wrong", "fetchRows"),
        ("snake_case for user_id", "user_id"),
        ("os.path.join(a) fails", "os.path.join"),
        ("init() hangs", "init()"),
        ("push with --dry-run first", "--dry-run"),
        ("set --level=debug", "--level=debug"),
        ("under § 540 and Section 8(2)", "§ 540"),
        ("under § 540 and Section 8(2)", "Section 8(2)"),
        ("file AZ 14/2291", "AZ 14/2291"),
        ("flight TP 571", "TP 571"),
        ("use the `billing` schema", "billing"),
        ("merge it to main now", "main"),
        ("NOTICE.txt is missing", "NOTICE.txt"),
        ("见 备忘录_租赁.docx", "备忘录_租赁.docx"),
        ("案号（2024）京01民初131号。", "（2024）京01民初131号"),
        ("文号是京办〔2025〕118号", "京办〔2025〕118号"),
        ("按第八条办", "第八条"),
        ("同意第7.2条修改稿", "第7.2条"),
        ("快递单号SF1020304050607", "SF1020304050607"),
        ("玩家名：托瓦德。", "托瓦德"),
        ("跑在web-03上", "web-03"),
    ],
)
def test_identifiers(text: str, wanted: str) -> None:
    assert any(wanted in name for name in of("identifier", text)), of("identifier", text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("there's 4 of us", "4 of us"),
        ("a class of 26 pupils", "26 pupils"),
        ("give me three options", "three options"),
        ("€2,400 a month", "€2,400"),
        ("12 % of it", "12 %"),
        ("a 2.5 GB file", "2.5 GB"),
        ("half a teaspoon of salt", "half a teaspoon"),
        ("about 2-3 weeks", "2-3 weeks"),
        ("within thirty days", "thirty days"),
        ("fifty five guests", "fifty five guests"),
        ("one decimal is enough", "one decimal"),
        ("118 passed, 3 failed", "118 passed"),
        ("5.9 mmol/L today", "5.9 mmol/L"),
        ("1.2 million rows", "1.2 million rows"),
        ("cap at 5k", "5k"),
        ("150 over 95", "150 over 95"),
        ("四个人住", "四个"),
        ("三十天之内", "三十天"),
        ("一天一千六百大卡", "一千六百大卡"),
        ("才37块", "37块"),
        ("预算八千元", "八千元"),
        ("不超过100毫升", "100毫升"),
        ("涨了42.7%", "42.7%"),
        ("四千八买的", "四千八"),
        ("百分之三十的人", "百分之三十"),
        ("几十条差评", "几十条"),
        ("预算一晚三千台幣左右", "三千台幣"),
    ],
)
def test_numbers(text: str, wanted: str) -> None:
    assert any(wanted in name for name in of("number", text)), of("number", text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("due 12 May", "12 May"),
        ("on 17 September 2024", "17 September 2024"),
        ("by 2025-03-04", "2025-03-04"),
        ("on March third", "March third"),
        ("the fifth of October", "the fifth of October"),
        ("see you Friday", "Friday"),
        ("next Friday at 9 am", "next Friday"),
        ("next Friday at 9 am", "9 am"),
        ("from 02:00 to 04:00", "02:00"),
        ("at half past nine", "half past nine"),
        ("by the end of the month", "end of the month"),
        ("it opened in 1926", "1926"),
        ("in autumn", "autumn"),
        ("the day after tomorrow", "day after tomorrow"),
        ("until Q3 2025", "Q3 2025"),
        ("8月3日出发", "8月3日"),
        ("十月五号到", "十月五号"),
        ("2026年3月1日", "2026年3月1日"),
        ("下周三开会", "下周三"),
        ("后天来取", "后天"),
        ("月底之前", "月底"),
        ("礼拜五见", "礼拜五"),
        ("上午九点开始", "上午九点"),
        ("凌晨两点到四点", "凌晨两点"),
        ("国庆去", "国庆"),
        ("去年八月十五号", "去年八月十五号"),
        ("次月十日付款", "次月十日"),
    ],
)
def test_dates(text: str, wanted: str) -> None:
    assert any(wanted in name for name in of("date", text)), of("date", text)


@pytest.mark.parametrize(
    "text",
    [
        "The garden was quiet and the old house stood there as it always had been.",
        "Please use the table and/or the list, whichever the reader likes.",
        "She may sit down, he will march on.",
        "No one told that one apart from the other.",
        "我觉得这样挺好的，一般人看不出来，一直都是这么写的。",
        "千万别忘了，统一一下说法，十分感谢。",
        "他说得有一点道理。",
    ],
)
def test_ordinary_words_are_no_values(text: str) -> None:
    assert found(text) == []


def test_one_thing_is_one_value() -> None:
    assert [(value.kind, value.text) for value in found("Invoice INV-2024-0917 of 17 September 2024: €14.50")] == [
        ("identifier", "INV-2024-0917"),
        ("date", "17 September 2024"),
        ("number", "€14.50"),
    ]


def test_numbers_of_list_lines_are_no_values() -> None:
    assert [value.text for value in found("1. drain it\n2. tell support\n3) 5 nodes")] == ["5 nodes"]


def test_only_the_spans_are_read() -> None:
    text = "order A-100 and `order B-200`"
    assert [value.text for value in values(text, [(0, 11)])] == ["A-100"]


_TEXT = st.text(st.characters(codec="utf-8"), max_size=300) | st.lists(
    st.sampled_from(
        [
            "1",
            ",",
            ".",
            "/",
            "-",
            "@",
            "a",
            "B",
            " ",
            "one",
            " May",
            "三",
            "第",
            "号",
            "点",
            "%",
            "(",
            ")",
            "_",
            ":",
            "\n",
            "$",
            "#",
            "İ",
            "half a ",
        ]
    ),
    max_size=80,
).map("".join)


@given(_TEXT)
def test_values_are_exact_slices_in_order_that_do_not_overlap(text: str) -> None:
    rows = found(text)
    assert all(value.text == text[value.start : value.end] and value.text.strip() for value in rows)
    assert all(before.end <= after.start for before, after in itertools.pairwise(rows))
    assert rows == found(text)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1",
        "a.",
        "/a",
        "1-",
        "a@",
        "1,234.5-",
        "一二三四",
        "第1",
        "1 ",
        "two hundred and ",
        "a_",
        "(1",
        "half of the ",
        "2024年",
        "半",
        "$",
        "`a",
        "文_",
        "1:",
        "-a",
        "+1 ",
        "下个",
    ],
)
def test_work_is_linear_and_bounded(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    started = time.perf_counter()
    rows = found(text)
    # quadratic work on 200,000 characters takes minutes
    assert time.perf_counter() - started < 20
    assert len(rows) <= MAX_VALUES
