import base64
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.recall.stems import stem
from trimtab.recall.words import MAX_QUERY_TERMS, MAX_RUN_CHARS, query_terms, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("The cat and THE dog", ["cat", "dog"]),
        ("red red", ["red", "red"]),
        ("Order CT-88213.", ["order", "ct-88213", "ct", "88213"]),
        ("see a_b.c/d!", ["see", "a_b.c/d", "b", "c", "d"]),
        ("mail Bob.Lee+x@acme.io,", ["mail", "bob.lee+x@acme.io", "bob", "lee", "x", "acme", "io"]),
        ("costs $1,200,500.50 or 15%", ["cost", "1200500.50", "15"]),
        ("1,2 and 100,2000 and alice,123", ["1", "2", "100", "2000", "alic", "123"]),
        ("C++, C# and f#.", ["c++", "c#", "f#"]),
        ("don't touch Alice's 'quoted' _words_", ["dont", "touch", "alic", "quot", "word"]),
        ("--flag=value -- ... _", ["flag=value", "flag", "valu"]),
        ("不要看板！好。", ["不要", "要看", "看板", "好"]),
        ("订单CT-88213已发", ["订单", "ct-88213", "ct", "88213", "已发"]),
        ("ＣＴ－８８２１３　１，２００", ["ct-88213", "ct", "88213", "1200"]),
        ("サーバー再起", ["サー", "ーバ", "バー", "ー再", "再起"]),
        ("서버 재시작", ["서버", "재시", "시작"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("naïve हिन्दी Привет", ["naïve", "हिन्दी", "привет"]),
        ("a\x00red \ud800 blue", ["red", "blue"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    "forms",
    [
        "plan plans planned planning",
        "create creates created creating",
        "change changes changed changing",
        "make makes making",
        "use uses used using",
        "study studies studied studying",
        "box boxes",
        "cache caches cached caching",
        "agree agrees agreed agreeing",
        "note notes noted noting",
        "call calls called calling",
        "stop stops stopped stopping",
        "price prices priced pricing",
        "process processes processed processing",
    ],
)
def test_forms_of_a_word_meet(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "words", ["note not", "string str", "bring br", "status statu", "analysis analysi", "red r", "bus bu", "class clas", "need ned"]
)
def test_different_words_do_not_meet(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 2


@given(st.text())
def test_terms_are_lower_case_have_no_space_and_nothing_to_encode_wrongly(text: str) -> None:
    for term in terms(text):
        assert term
        assert term.split() == [term]
        assert term == term.lower()
        term.encode()


@given(st.text(), st.text())
def test_a_line_break_separates(one: str, two: str) -> None:
    assert terms(one + "\n" + two) == terms(one) + terms(two)


identifiers = st.from_regex(r"[A-Z]{2,4}-[0-9]{3,6}|[a-z]{3,6}_[a-z]{3,6}\.py|[a-z]{3,8}@[a-z]{3,8}\.com", fullmatch=True)


@given(identifiers, st.sampled_from(["{}", "the {}, please", "订单{}已发货", "({})", "see {}.", "“{}”", "**{}**"]))
def test_an_identifier_is_one_term_wherever_it_stands(identifier: str, frame: str) -> None:
    assert identifier.lower() in terms(frame.format(identifier))


@given(
    st.text(alphabet="不要看板需求文档", min_size=2, max_size=2),
    st.text(alphabet="不要看板需求文档，。 ab"),
    st.text(alphabet="不要看板需求文档，。 ab"),
)
def test_two_chinese_characters_are_found_anywhere(word: str, before: str, after: str) -> None:
    assert word in terms(before + word + after)


def test_a_wall_of_base64_gives_no_terms_and_its_neighbors_stay() -> None:
    wall = base64.b64encode(random.Random(1).randbytes(750_000)).decode()
    assert len(wall) == 1_000_000
    assert terms(f"before {wall} after") == ["befor", "after"]
    assert terms("x" * MAX_RUN_CHARS) == ["x" * MAX_RUN_CHARS]
    assert terms("x" * (MAX_RUN_CHARS + 1)) == []


@pytest.mark.parametrize(
    "text", ["a." * 200_000, "_" * 400_000, "看" * 300_000, "1," * 200_000, "a_b " * 100_000, "'" * 400_000, "c+" * 200_000]
)
def test_terms_grow_no_faster_than_text(text: str) -> None:
    assert len(terms(text)) <= len(text)


def test_query_terms_are_unique_and_the_most_telling_stand_first() -> None:
    question = "what did we decide about the billing billing table for CT-88213 看板"
    assert query_terms(question) == ["ct-88213", "88213", *_by_length(["decid", "bill", "table", "看板", "ct"])]


def _by_length(words: Sequence[str]) -> list[str]:
    return sorted((stem(word) for word in words), key=lambda word: -(len(word) if word.isascii() else 3 * len(word)))


def test_query_terms_are_limited() -> None:
    text = " ".join(f"word{'abcdefghij'[n % 10]}{'abcdefghij'[n // 10]}" for n in range(100)) + " ID-1"
    found = query_terms(text)
    assert len(found) == MAX_QUERY_TERMS
    assert found[0] == "id-1"
    assert query_terms(text, 1) == ["id-1"]


@given(st.text())
def test_query_terms_are_the_terms(text: str) -> None:
    assert set(query_terms(text, 10_000)) == set(terms(text))
    assert query_terms(text) == query_terms(text, 10_000)[:MAX_QUERY_TERMS]
