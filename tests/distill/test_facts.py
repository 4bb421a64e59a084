"""Facts hold every value of a message that nothing else holds, in as few and as telling texts as may be."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from trimtab.distill.facts import fact_texts, facts, things
from trimtab.distill.values import values


def made(text: str, taken: Sequence[str] = (), limit: int = 12) -> list[str]:
    return fact_texts(text, [(0, len(text))], taken, limit)


def test_a_fact_is_the_sentence_around_its_values() -> None:
    text = "Hello there. My account is lena_k92 and the parcel came on 12 May. Thanks a lot!"
    assert made(text) == ["My account is lena_k92 and the parcel came on 12 May."]


def test_a_long_sentence_gives_the_clauses_around_its_values() -> None:
    text = (
        "we went on for quite a while about the weather and the garden and the new neighbours and their dog, the invoice was 412.00 EUR, "
        "and then nobody could remember for the life of them where the key had been put by whoever had it last time around, "
        "but it lies in locker B204"
    )
    assert made(text) == ["the invoice was 412.00 EUR", "it lies in locker B204"]
    assert all(fact in text for fact in made(text))


def test_what_another_item_holds_is_left_out() -> None:
    text = "Refunds above €200 go to a human. The case is CS-55018."
    assert made(text, ["Refunds above €200 go to a human."]) == ["The case is CS-55018."]
    assert made(text, [text]) == []


def test_a_figure_inside_a_longer_one_is_not_held() -> None:
    assert made("there were 15 of them", ["room 2157"]) == ["there were 15 of them"]


def test_the_most_telling_come_last() -> None:
    text = "We met last week. The order is W-4471902, ship to lena@shop.example by 3 March. It took 40 minutes."
    assert made(text)[0] == "We met last week."
    assert made(text)[-1] == "The order is W-4471902, ship to lena@shop.example by 3 March."


def test_lines_of_a_list_are_facts_of_their_own() -> None:
    text = "Parts:\n- pump P-300, 1,280 EUR\n- valve V-12, 90 EUR\n- hose, 4 m"
    assert sorted(made(text)) == ["hose, 4 m", "pump P-300, 1,280 EUR", "valve V-12, 90 EUR"]


def test_beyond_the_limit_one_text_joins_the_rest() -> None:
    text = "\n".join(f"- part P-{number} is on shelf {number - 200} of the store" for number in range(300, 330))
    got = made(text)
    assert len(got) == 12
    assert all(f"P-{number}" in "\n".join(got) for number in range(300, 330))
    assert got[0].count("; ") >= 18
    assert len(made("\n".join(f"- row {number * 7919} is here" for number in range(5_000)))[0]) <= 1_200


def test_chinese_facts() -> None:
    text = "你好。订单SF1390027714，退款一百二十元，下周三之前到。麻烦了。"
    assert made(text) == ["订单SF1390027714，退款一百二十元，下周三之前到。"]


def test_only_the_spans_are_read() -> None:
    text = "order A-100\n```\norder B-200\n```"
    assert fact_texts(text, [(0, 12)], (), 12) == ["order A-100"]


def test_the_middle_of_a_huge_message_is_passed_over() -> None:
    text = "first A-100 " + "word " * 40_000 + "middle B-200 " + "word " * 40_000 + "last C-300"
    joined = "\n".join(made(text))
    assert "A-100" in joined
    assert "C-300" in joined
    assert "B-200" not in joined


def test_facts_of_given_sentences_keep_the_order_of_the_text() -> None:
    text = "It took 40 minutes. Order W-1188 failed. Nothing else."
    assert facts(text, [(0, 19), (20, 40), (41, 54)], 2) == ["It took 40 minutes.", "Order W-1188 failed."]
    assert facts(text, [(0, 19), (20, 40), (41, 54)], 1) == ["Order W-1188 failed."]


def test_things_are_the_values_themselves_once() -> None:
    assert things("W-1188, W-1188 and 12 May") == ["W-1188", "12 May"]


_WORDS = [
    "the order",
    "W-4471902",
    "12 May",
    "€2,400",
    "half a teaspoon",
    ". ",
    ", ",
    "; ",
    "\n- ",
    "月底",
    "三十天",
    "。",
    "，",
    "lena_k92",
    " and ",
    "x" * 70,
    " so long as it goes ",
]


@given(st.lists(st.sampled_from(_WORDS), max_size=60).map("".join), st.lists(st.sampled_from(_WORDS), max_size=3))
def test_every_value_is_in_a_fact_or_in_what_was_taken(text: str, taken: list[str]) -> None:
    got = made(text, taken, 12)
    held = "\n".join([*taken, *got])
    assert len(got) <= 12
    if len(got) < 12 or len(got[0]) < 1_000:
        assert all(" ".join(value.text.split()) in held or value.text in held for value in values(text, [(0, len(text))]))
    exact = got if len(got) < 12 else got[1:]
    assert all(fact in text for fact in exact if "; " not in fact)
