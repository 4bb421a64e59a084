"""What replaces what, what lifts a ban, what was chosen, what is done."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.messages import Message, Role, Text
from trimtab.core.summary import FIELDS, Field, SummaryItem
from trimtab.distill.resolve import choice_text, is_change, lifts, settled, superseded

Row = tuple[Field, str]


def items(*rows: Row) -> list[SummaryItem]:
    return [SummaryItem(f"i{number}", field, text, (number,)) for number, (field, text) in enumerate(rows)]


def message(text: str, role: Role = "assistant") -> Message:
    return Message(role=role, parts=(Text(text),), wire_format="openai_chat", wire=b"{}")


# what stands beside the item that is meant; nothing below speaks of it
BESIDE: list[Row] = [
    ("constraint", "All parcels must be insured."),
    ("negative", "Never share the payroll file."),
    ("decision", "We hire Moreno for the lighting."),
    ("constraint", "所有合同须经法务审核"),
    ("negative", "不要透露供货底价"),
]


@pytest.mark.parametrize(
    ("field", "old", "sentence"),
    [
        ("decision", "We'll stay two nights in Porto.", "Actually, make that three nights"),
        ("decision", "Let's go with Postgres for the store.", "Forget Postgres, use SQLite"),
        ("decision", "Dessert will be the cheesecake.", "lemon tart instead of the cheesecake"),
        ("decision", "Show the tasks on a kanban board.", "list view, not kanban"),
        ("constraint", "The report must be at most 5 pages.", "it can be 10 pages now rather than 5"),
        ("constraint", "The deadline is Wednesday.", "The deadline is Thursday now"),
        ("constraint", "Cap the node pool at 12 nodes", "bump that cap to 16 nodes"),
        ("constraint", "Keep it under 100 words", "Let's go up to 250 words"),
        ("constraint", "Trains only", "Flying is fine by me now"),
        ("constraint", "The budget is 400 EUR.", "forget everything about the budget"),
        ("format", "Answers in French", "back to English please"),
        ("format", "变量名一律小驼峰", "小驼峰不要了，跟社区走，下划线"),
        ("decision", "存储就用Postgres。", "不用Postgres了，用SQLite"),
        ("decision", "订周二的航班。", "周二的航班取消，改周四飞"),
        ("decision", "6月3号出发", "改成6月5号走"),
        ("constraint", "证据目录一页打完", "一页放不下，两页也行吧"),
        ("constraint", "告警找老张", "告警直接叫我就行，不用再找老张了"),
        ("preference", "措辞偏委婉", "委婉啥呀，直接点写"),
    ],
)
def test_a_reversal_names_the_item_it_replaces(field: Field, old: str, sentence: str) -> None:
    active = items(*BESIDE[:3], (field, old), *BESIDE[3:])
    assert superseded(sentence, "decision", active, is_reversal=True) == "i3"


@pytest.mark.parametrize("sentence", ["Use Redis instead of Memcached.", "Redis for the cache, not Memcached"])
def test_the_old_value_by_name_is_enough_without_the_word_of_a_classifier(sentence: str) -> None:
    active = items(*BESIDE, ("decision", "Cache with Memcached."))
    assert superseded(sentence, "decision", active, is_reversal=False) == "i5"


@pytest.mark.parametrize(
    "sentence",
    [
        "Write the summary in short sentences.",
        "Every number needs its unit.",
        "Let's call the ship Heron.",
        "送货前打个电话",
        "标题不超过30个字",
    ],
)
def test_a_rule_that_changes_nothing_replaces_nothing(sentence: str) -> None:
    active = items(
        *BESIDE, ("format", "Sentences short and plain."), ("decision", "The hero is called Mira."), ("format", "回答不超过200字")
    )
    assert superseded(sentence, "constraint", active, is_reversal=False) == ""


def test_never_by_guess_where_two_fit_equally() -> None:
    active = items(("decision", "Book the Tuesday flight."), ("decision", "Book the Tuesday hotel."))
    assert superseded("make it Thursday instead of Tuesday", "decision", active, is_reversal=True) == ""
    assert superseded("the flight on Thursday instead of Tuesday", "decision", active, is_reversal=True) == "i0"


def test_a_reversal_that_names_nothing_means_the_newest_decision() -> None:
    active = items(("decision", "Paint it green."), ("constraint", "No noise after ten."), ("decision", "Lasagne on Saturday"))
    assert superseded("nah, curry instead", "decision", active, is_reversal=True) == "i2"
    later = [*active, *items(*[("fact", f"fact {number}") for number in range(20)])]
    assert superseded("nah, curry instead", "decision", later, is_reversal=True) == ""


def test_what_stays_as_it_is_replaces_nothing() -> None:
    active = items(("decision", "Fly out on 3 June"), ("decision", "6月3号出发"))
    assert superseded("yep still the 3rd, nothing's changed", "decision", active[:1], is_reversal=True) == ""
    assert superseded("没变没变，还是三号走", "decision", active[1:], is_reversal=True) == ""


BANS: list[Row] = [
    ("negative", "No emojis"),
    ("negative", "Do not use Latin terms."),
    ("negative", "Never send emails to the client."),
    ("negative", "No red-eye flights"),
    ("negative", "Don't roll dice for me"),
    ("negative", "No new dependencies"),
    ("negative", "不用表情符号"),
    ("negative", "草案中不得提及和解事宜"),
    ("negative", "股票一概不碰"),
    ("negative", "别用饼图，我们总监见了就烦"),
]


@pytest.mark.parametrize(
    ("sentence", "lifted"),
    [
        ("you may use emojis again", 0),
        ("emojis are fine now", 0),
        ("Forget the no-emoji rule", 0),
        ("The ban on emojis has been removed.", 0),
        ("you know what, emojis are fine", 0),
        ("Latin terms may be used after all", 1),
        ("emails are okay after all, you can send them to the client", 2),
        ("OK you can roll for me now", 4),
        ("New dependencies are OK after all, but nothing GPL", 5),
        ("算了，表情符号加上也行", 6),
        ("可以用表情了", 6),
        ("之前说的不要表情作废", 6),
        ("上周的要求作废，和解一事现在可以写进去", 7),
        ("股票也可以配一点", 8),
        ("饼图解禁，新总监爱看", 9),
    ],
)
def test_a_permission_lifts_the_ban_it_names(sentence: str, lifted: int) -> None:
    active = items(*BESIDE, *BANS)
    assert lifts(sentence, active) == f"i{len(BESIDE) + lifted}"
    assert superseded(sentence, "decision", active, is_reversal=True) == f"i{len(BESIDE) + lifted}"


@pytest.mark.parametrize(
    "sentence",
    [
        "Don't use emojis again",
        "Emojis are not fine",
        "Can you use emojis?",
        "if emojis were allowed again we could talk",
        "my boss said emojis are fine",
        "You may send the report now",
        "You can book the flights now",
        "stop using emojis",
        "Never use emojis again, please",
        "the client is fine with it now",
        "Actually, make it shorter",
        "表情以后也不要用",
        "要不要用表情呢？",
        "如果可以用表情就好了",
        "客户说可以了",
        "别用表情",
    ],
)
def test_nothing_else_lifts_a_ban(sentence: str) -> None:
    active = items(*BESIDE, *BANS)
    assert lifts(sentence, active) == ""
    assert superseded(sentence, "decision", active, is_reversal=True) == ""


def test_only_active_items_are_named() -> None:
    gone = [SummaryItem("i1", "negative", "No emojis", (1,), "superseded"), SummaryItem("i2", "decision", "Use Redis.", (2,), "done")]
    assert lifts("emojis are fine again", gone) == ""
    assert superseded("Postgres instead of Redis", "decision", gone, is_reversal=True) == ""


LABELLED = "Two ways:\n\nA) **Garden room**, 90 EUR a night\nB) Sea view, 140 EUR a night\n\nWhich one do you prefer?"
NUMBERED = (
    "I found three hotels:\n1. Hotel Lind, 80 EUR\n2. Hotel Bergblick: 95 EUR, pool\n3. Pension Rosa (60 EUR)\nShall I book one of them?"
)
CHINESE = "有两个方案：\n方案一：用Redis做缓存，改动小\n方案二：直接上Kafka，扩展性好\n你选哪个？"
INLINE = "We could go with (a) a refund of 18 USD, or (b) a replacement toaster."
ASKED = "The flight at 9:40 is the cheapest. Shall I book the flight at 9:40?"


@pytest.mark.parametrize(
    ("sentence", "offer", "chosen"),
    [
        ("Yes, go with B.", LABELLED, "B: Sea view, 140 EUR a night"),
        ("B please", LABELLED, "B: Sea view, 140 EUR a night"),
        ("the first one", LABELLED, "A: Garden room, 90 EUR a night"),
        ("the garden one", LABELLED, "A: Garden room, 90 EUR a night"),
        ("就用B", LABELLED, "B: Sea view, 140 EUR a night"),
        ("book the second one", NUMBERED, "2: Hotel Bergblick: 95 EUR, pool"),
        ("Option 3 it is", NUMBERED, "3: Pension Rosa (60 EUR)"),
        ("订第二个", NUMBERED, "2: Hotel Bergblick: 95 EUR, pool"),
        ("the last one", NUMBERED, "3: Pension Rosa (60 EUR)"),
        ("那就方案二", CHINESE, "二: 直接上Kafka，扩展性好"),
        ("选第一个", CHINESE, "一: 用Redis做缓存，改动小"),
        ("b please", INLINE, "b: a replacement toaster"),
        ("the former", "Should we use Postgres or SQLite?", "Postgres"),
        ("yes", ASKED, "book the flight at 9:40"),
        ("yes, do that", ASKED, "book the flight at 9:40"),
        ("按你说的来", "要我帮你约周四下午三点吗？", "帮你约周四下午三点"),
        ("yes, do that", "**Option 1:** Rewrite it\n**Option 2:** Add a cache\n\nI recommend option 2.", "2: Add a cache"),
    ],
)
def test_a_choice_is_told_in_the_words_of_the_offer(sentence: str, offer: str, chosen: str) -> None:
    assert choice_text(sentence, [message("Hi", "user"), message(offer)]) == chosen


@pytest.mark.parametrize(
    ("sentence", "offer"),
    [
        ("yes", NUMBERED),
        ("no", ASKED),
        ("yes, book the 11:20 one instead", ASKED),
        ("go with D", LABELLED),
        ("the fifth one", NUMBERED),
        ("I like it", LABELLED),
        ("go with B", "I have no idea."),
        ("yes", "Should we use Postgres or SQLite?"),
    ],
)
def test_a_choice_that_cannot_be_told_is_left_open(sentence: str, offer: str) -> None:
    assert choice_text(sentence, [message(offer)]) == ""


def test_only_the_assistant_offers() -> None:
    assert choice_text("go with B", [message(LABELLED, "user")]) == ""
    assert choice_text("go with B", []) == ""


TODOS: list[Row] = [
    ("todo", "still need to write the changelog for 1.9"),
    ("todo", "rotate the staging key before Friday"),
    ("todo", "renew passport before 10 July"),
    ("todo", "1.9 的更新日志还没写，先记着"),
    ("todo", "7月10日前换护照"),
    ("question", "where is my order?"),
]


@pytest.mark.parametrize(
    ("text", "role", "closed"),
    [
        ("I wrote the changelog for 1.9 this morning.", "user", [0]),
        ("done: changelog 1.9", "user", [0]),
        ("finished the changelog", "user", [0]),
        ("- [x] rotate the staging key\n- [ ] renew passport", "user", [1]),
        ("The staging key was rotated and the passport renewed.", "user", [1, 2]),
        ("passport renewed!", "user", [2]),
        ("更新日志写完了", "user", [3]),
        ("护照换好了", "user", [4]),
        ("The changelog is not finished yet", "user", []),
        ("once the changelog for 1.9 is written we release", "user", []),
        ("I will rotate the staging key", "user", []),
        ("更新日志还没写完", "user", []),
        ("The staging server was updated.", "user", []),
        ("It ships tomorrow.", "assistant", [5]),
        ("Which order do you mean?", "assistant", []),
        ("It ships tomorrow.", "user", []),
        ("", "assistant", []),
    ],
)
def test_what_is_done_is_closed(text: str, role: Role, closed: list[int]) -> None:
    assert settled(text, items(*TODOS), role) == [f"i{number}" for number in closed]


def test_one_word_in_common_closes_nothing_where_two_could_be_meant() -> None:
    active = items(("todo", "write the changelog for 1.9"), ("todo", "translate the changelog for Japan"))
    assert settled("finished the changelog", active, "user") == []


def test_words_of_a_change_are_seen() -> None:
    assert all(is_change(text) for text in ("Actually, make it 5", "forget the rule", "改成周四", "还是用A吧"))
    assert not any(is_change(text) for text in ("The sky is blue.", "请用表格回答"))


_WORDS = st.sampled_from(
    ["no", "not", "emojis", "use", "again", "actually", "instead of", "Redis", "5", "pages", "the", "may", "forget", "done", "[x]", "A)", "B:", "1.", "yes", "?",
     "不要", "表情", "改成", "可以", "了", "方案", "一", "，", "。", "完", "第二个", "\n", "Thursday", "or", "either"]
)  # fmt: skip
_SENTENCE = st.lists(_WORDS, max_size=14).map(" ".join) | st.text(max_size=60)
_ITEMS = st.lists(st.tuples(st.sampled_from(FIELDS), _SENTENCE, st.sampled_from(["active", "superseded", "done"])), max_size=6)


@given(_SENTENCE, st.sampled_from(FIELDS), _ITEMS, st.booleans(), _SENTENCE)
def test_ids_are_of_active_items_and_the_same_each_time(
    sentence: str, field: Field, rows: Sequence[tuple[Field, str, str]], is_reversal: bool, context: str
) -> None:
    active = [SummaryItem(f"i{number}", kind, text, (number,), status) for number, (kind, text, status) in enumerate(rows)]  # type: ignore[arg-type]
    known = {item.item_id for item in active if item.status == "active"} | {""}
    named = superseded(sentence, field, active, is_reversal=is_reversal, context=context)
    lifted = lifts(sentence, active, context=context)
    assert {named, lifted} <= known
    assert named == superseded(sentence, field, active, is_reversal=is_reversal, context=context)
    closed = settled(sentence, active, "assistant")
    assert set(closed) <= known
    assert len(closed) == len(set(closed))
    open_again = [item for item in active if item.item_id not in closed]
    assert settled(sentence, open_again, "assistant") == [] or len(open_again) < len(active)


@given(_SENTENCE, st.lists(st.tuples(st.sampled_from(["user", "assistant"]), _SENTENCE), max_size=4))
def test_choices_never_fail_and_stay_short(sentence: str, rows: Sequence[tuple[Role, str]]) -> None:
    chosen = choice_text(sentence, [message(text, role) for role, text in rows])
    assert len(chosen) <= 170
    assert "\n" not in chosen
