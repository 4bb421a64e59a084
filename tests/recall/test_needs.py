from datetime import UTC, datetime

import pytest

from trimtab.errors import BadNeed
from trimtab.recall.needs import KINDS, Need
from trimtab.recall.needs_questions import read_question

# a Wednesday
NOW = int(datetime(2026, 3, 18, 15, 0, tzinfo=UTC).timestamp() * 1000)
DAY_MS = 86_400_000


def day(month: int, number: int) -> int:
    return int(datetime(2026, month, number, tzinfo=UTC).timestamp() * 1000)


def test_of_takes_words_a_need_a_mapping_and_json() -> None:
    need = Need(words="billing", entities=("visa",), kind="when")
    assert Need.of(need) is need
    assert Need.of("  the billing date ") == Need(words="the billing date")
    assert Need.of({"words": "billing", "entities": ["visa"], "kind": "when"}) == need
    assert Need.of('{"words": "billing", "entities": "visa", "kind": "when"}') == need
    assert Need.of("{not json} but words").words == "{not json} but words"


def test_a_range_may_be_dates() -> None:
    need = Need.of({"words": "x", "time_range": ["2026-03-01", "2026-03-05T00:00:00+00:00"]})
    assert need.time_range == (day(3, 1), day(3, 5))
    assert Need.of({"words": "x", "time_range": ["2026-03-01", None]}).time_range == (day(3, 1), 0)


@pytest.mark.parametrize(
    ("asked", "field", "says"),
    [
        ({"words": "x", "kind": "whence"}, "kind", "how_much"),
        ({"words": "x", "roles": ["robot"]}, "roles", "assistant"),
        ({"words": "x", "time_range": [5, 3]}, "time_range", "since first"),
        ({"words": "x", "time_range": ["soon", 3]}, "time_range", "2026-03-01"),
        ({"words": "x", "time_range": [1]}, "time_range", "length 2"),
        ({"words": "x", "time": "now"}, "time", "time_range"),
        ({"words": 7}, "words", "str"),
        ({"words": "x", "entities": [3]}, "entities", "str"),
        ({}, "need", "words"),
        ("", "need", "words"),
        (3, "need", "mapping"),
        ('{"step": "draft"}', "need", "words"),
    ],
)
def test_what_is_wrong_is_said(asked: object, field: str, says: str) -> None:
    with pytest.raises(BadNeed) as caught:
        Need.of(asked)  # type: ignore[arg-type]
    assert caught.value.field.startswith(field)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("What did I say last week about the budget?", day(3, 9), day(3, 16)),
        ("when we spoke on Monday, which port did you suggest?", day(3, 16), day(3, 17)),
        ("What did you tell me two days ago about Redis?", day(3, 16), day(3, 17)),
        ("what did we decide between 2026-03-01 and 2026-03-05 about caching", day(3, 1), day(3, 6)),
        ("What did you say before 1 March?", 0, day(3, 1)),
        ("What have I said since Monday?", day(3, 16), 0),
        ("What did we talk about this morning?", day(3, 18), day(3, 18) + DAY_MS // 2),
        # what was done is told of then or the day after
        ("Which files did we delete yesterday?", day(3, 17), day(3, 19)),
        ("昨天聊的那个预算是多少", day(3, 17), day(3, 18)),
        ("上周我说过的费用", day(3, 9), day(3, 16)),
        ("三天前你建议的方案", day(3, 15), day(3, 16)),
        ("前天下午我们讨论了什么", day(3, 16) + DAY_MS // 2, day(3, 16) + 18 * 3_600_000),
        ("我们2026年1月到2月聊过什么", day(1, 1), day(3, 1)),
    ],
)
def test_when_it_was_said_is_a_bound(question: str, since: int, until: int) -> None:
    assert read_question(question, NOW).time_range == (since, until)


@pytest.mark.parametrize(
    "question",
    [
        "What is due on 3 May?",
        "What did I book for 3 May?",
        "Why did the build fail yesterday?",
        "3月有什么安排",
        "五月三号要交什么",
        "What did I mention recently about the dog?",
        "How do I bind a card?",
        "What did we do in January, and what did we do in February?",
    ],
)
def test_a_date_that_is_asked_about_is_no_bound(question: str) -> None:
    need = read_question(question, NOW)
    assert need.time_range is None
    for word in ("3 May", "3月", "五月三号", "yesterday"):
        assert word not in question or word in need.words


def test_local_midnight_bounds_the_day() -> None:
    need = read_question("我昨天说了什么", NOW, offset_minutes=480)
    assert need.time_range == (day(3, 17) - 8 * 3_600_000, day(3, 18) - 8 * 3_600_000)


@pytest.mark.parametrize(
    ("question", "ordinal", "kind", "roles"),
    [
        ("What was the second option you gave?", 2, "option", ("assistant",)),
        ("Why is your 3rd suggestion better?", 3, "option", ("assistant",)),
        ("Repeat your last answer", -1, "", ("assistant",)),
        ("第二个方案的费用", 2, "option", ("assistant",)),
        ("你说的第三个建议是什么", 3, "option", ("assistant",)),
        ("What was my first question?", 1, "", ("user",)),
        ("Who lives on the second floor?", 0, "who", ()),
        ("Tell me more about the first of your suggestions", 1, "option", ("assistant",)),
        ("the second one you suggested, what does it cost?", 2, "option", ("assistant",)),
        ("Take the third of the options", 3, "option", ("assistant",)),
        ("What was the third item on my list?", 3, "option", ("user",)),
        ("你刚才说的第二个呢？", 2, "option", ("assistant",)),
        ("你推荐的最后一个多少钱？", -1, "option", ("assistant",)),
        ("你给第二个孩子买了什么？", 0, "", ("assistant",)),
    ],
)
def test_ordinals(question: str, ordinal: int, kind: str, roles: tuple[str, ...]) -> None:
    need = read_question(question, NOW)
    assert (need.ordinal, need.kind, need.roles) == (ordinal, kind, roles)


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        ("Which database did we use before we switched to Postgres?", "Postgres", ""),
        ("What was the layout prior to the move to React?", "React", ""),
        ("换成B之前的部署流程", "B", ""),
        ("改用新网关之后的费用", "", "新网关"),
        ("What did you propose after we deployed version 2?", "", "deployed version 2"),
        ("What happens after we deploy?", "", ""),
        ("What did you say before 1 March?", "", ""),
    ],
)
def test_before_and_after(question: str, before: str, after: str) -> None:
    need = read_question(question, NOW)
    assert (need.before, need.after) == (before, after)
    assert need.words
    assert not before or before not in need.words


@pytest.mark.parametrize(
    ("question", "roles", "recent"),
    [
        ("What did I say about the port?", ("user",), False),
        ("You told me a path, which one?", ("assistant",), False),
        ("What did we discuss?", (), False),
        ("我说过的预算是多少", ("user",), False),
        ("刚才你说的那个文件在哪", ("assistant",), True),
        ("上次说的费用", (), True),
        ("What did Marta say last time?", (), True),
        ("我们说的费用", (), False),
    ],
)
def test_who_spoke(question: str, roles: tuple[str, ...], recent: bool) -> None:
    need = read_question(question, NOW)
    assert (need.roles, need.recent) == (roles, recent)


def test_words_are_what_the_question_is_about() -> None:
    assert read_question("上次说的费用", NOW).words == "费用"
    assert read_question("What did you tell me two days ago about Redis?", NOW).words == "Redis?"
    # where nothing would be left, the question stands
    assert read_question("What did I say yesterday?", NOW).words


def test_entities_are_names_and_quoted_things() -> None:
    assert read_question('When did I tell Marta about "the trip" and CT-88213?', NOW).entities == ("the trip", "Marta", "CT-88213")
    # the day that became a bound is none
    assert read_question("What did I say on Monday about Redis?", NOW).entities == ("Redis",)


@pytest.mark.parametrize(
    "text", ["", "?", "hello", "9999999 years ago I said x", "on 31 February 9999 I said", "我" * 5_000, "did I " * 2_000]
)
def test_any_text_gives_a_need(text: str) -> None:
    need = read_question(text, NOW)
    assert need.kind in ("", *KINDS)
    assert need.time_range is None or need.time_range[0] >= 0
