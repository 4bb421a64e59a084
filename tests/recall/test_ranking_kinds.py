"""Kinds of information and entities in the ranking: they decide among plain facts, and stay out of talk."""

from __future__ import annotations

import random
from math import log
from pathlib import Path

import pytest
from msgspec.structs import replace

from trimtab.recall.needs import Need
from trimtab.recall.needs_questions import read_question as guess
from trimtab.recall.ranking import Candidate, rank
from trimtab.recall.ranking_kinds import ENTITIES, KINDS, OTHER_ENTITY, ROLES, clarity, entity_meetings, only_asks
from trimtab.recall.ranking_question import read_question
from trimtab.recall.ranking_shape import StoreShape
from trimtab.recall.tags import tags_of
from trimtab.recall.words import terms

SETS = Path(__file__).parent / "confusable"
FACTS = (
    "The gym account is charged on the 3rd of every month.",
    "To cancel the gym account, open Settings, click Membership, then confirm.",
    "The gym account was charged twice because the first invoice was wrong.",
    "The gym account costs 49 euros a month.",
    "Questions about the gym account go to Ms. Novak.",
    "We decided to keep the gym account for another year.",
    "The gym account accepts Visa and Mastercard.",
    "Three guests per month is the limit of the gym account.",
)


def candidates(texts: list[str] | tuple[str, ...]) -> list[Candidate]:
    found = []
    for at, text in enumerate(texts):
        tags = tags_of(text)
        kinds, entities = tuple(tags.get("intent", ())), tuple(tags.get("entities", ()))
        found.append(Candidate(at, at, 0, " ".join(terms(text)), kinds=kinds, entities=entities))
    return found


def weights(turns: list[Candidate]) -> dict[str, float]:
    known = [set(turn.terms.split()) for turn in turns]
    counts = {term: sum(term in one for one in known) for term in set().union(*known)}
    return {term: log(1 + (len(turns) - count + 0.5) / (count + 0.5)) for term, count in counts.items()}


def best(text: str, texts: list[str] | tuple[str, ...], need: Need | None = None) -> list[str]:
    turns = candidates(texts)
    ranked = rank(read_question(text, weights(turns), need), turns, StoreShape(len(turns), 8.0))
    return [texts[one.turn_id] for one in ranked]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is the gym account charged?", 0),
        ("How do I cancel the gym account?", 1),
        ("Why was the gym account charged?", 2),
        ("How much does the gym account cost?", 3),
        ("Who is responsible for the gym account?", 4),
        ("What did we decide about the gym account?", 5),
        ("What is the limit of the gym account?", 7),
    ],
)
def test_among_facts_the_kind_decides(question: str, answer: int) -> None:
    assert best(question, FACTS)[0] == FACTS[answer]


def test_a_declared_kind_takes_the_place_of_the_one_that_is_read() -> None:
    assert best("gym account", FACTS, Need("gym account", kind="where"))[-1] != FACTS[3]
    assert best("gym account", FACTS, Need("gym account", kind="how_much"))[0] == FACTS[3]
    assert not read_question("When is it charged?", {}, Need("x", kind="any")).kinds


def test_what_was_guessed_from_a_question_is_not_declared() -> None:
    need = guess("When did I say that Visa payouts are made?", 0)
    question = read_question(need.words, {}, need)
    assert question.kinds[0] == "when"
    assert not question.kind_declared
    assert not question.entities
    assert "Visa" in question.named


def test_a_declared_kind_counts_in_full_where_kinds_tell_little() -> None:
    talk = [f"well {word} you know {word}" for word in ("sun", "rain", "snow", "wind", "fog", "hail")] + ["It is 12 euros a month."]
    turns = candidates(talk)
    for need, whole in ((None, False), (Need("x", kind="how_much"), True)):
        ranked = rank(read_question("How much is the sun?", weights(turns), need), turns, StoreShape(7, 5.0))
        part = {one.turn_id: one.parts.get("kinds", 0.0) for one in ranked}
        assert part[6] == pytest.approx(KINDS if whole else 0.0)


def test_without_a_kind_or_without_tags_nothing_changes() -> None:
    turns = candidates(FACTS)
    bare = [Candidate(turn.turn_id, turn.place, turn.group, turn.terms) for turn in turns]
    shape = StoreShape(len(turns), 8.0)
    silent = read_question("gym account", weights(turns))
    assert not silent.kinds
    assert rank(silent, turns, shape) == rank(silent, bare, shape)
    asking = read_question("When is the gym account charged?", weights(turns))
    assert {"kinds", "entities"}.isdisjoint(name for one in rank(asking, bare, shape) for name in one.parts)


def test_clarity_is_full_for_facts_and_nothing_for_talk_long_turns_and_long_messages() -> None:
    question = read_question("When is it charged?", {"charg": 1.0})
    one, many = ("gives_time",), ("gives_time", "done", "limit", "promise")
    assert clarity(question, [1.0] * 40, [one] * 40, [10] * 40) == 1.0
    assert clarity(question, [1.0] * 40, [one, ()] * 20, [10] * 40) < 0.5
    assert clarity(question, [1.0] * 40, [one, (), ()] * 13 + [()], [10] * 40) == 0.0
    assert clarity(question, [1.0] * 40, [many] * 40, [10] * 40) == 0.0
    assert clarity(question, [1.0] * 40, [one] * 40, [240] * 40) == 0.0
    assert clarity(question, [1.0], [one], [10]) < 1.0
    assert clarity(question, [], [], []) == 0.0
    message = read_question("Hello there. It went well. When is it charged?", {"charg": 1.0})
    assert clarity(message, [1.0] * 40, [one] * 40, [10] * 40) == pytest.approx(1 / 3)


def test_the_best_turns_tell_not_the_whole_store() -> None:
    question = read_question("When is it charged?", {"charg": 1.0})
    own = [1.0] * 60 + [0.1] * 400
    kinds = [("gives_time",)] * 60 + [()] * 400
    assert clarity(question, own, kinds, [10] * 460) == 1.0
    assert clarity(question, own[::-1], kinds, [10] * 460) == 0.0


def test_what_only_asks_neither_lowers_clarity_nor_stands_before_an_answer() -> None:
    question = read_question("When is it charged?", {"charg": 1.0})
    facts, asked = [("gives_time",)] * 40, [("question", "asks_when")] * 40
    assert clarity(question, [0.5] * 40 + [1.0] * 40, facts + asked, [10] * 80) == 1.0
    assert clarity(question, [1.0] * 40, asked, [10] * 40) == 0.0
    assert only_asks(("question",)) and only_asks(("asks_how",))
    assert not only_asks(("question", "gives_time")) and not only_asks(("statement",)) and not only_asks(())
    texts = (*FACTS, "When is the gym account charged?", "Since when is the gym account charged?")
    assert best("When is the gym account charged?", texts)[0] == FACTS[0]


def test_what_is_asked_of_a_speaker_is_talk() -> None:
    turns = [replace(turn, speaker=("Mia", "Tom")[turn.place % 2]) for turn in candidates(FACTS)]
    shape = StoreShape(len(turns), 8.0)
    of_speaker = rank(read_question("When is Mia charged for the gym account?", weights(turns)), turns, shape)
    of_nobody = rank(read_question("When is the gym account charged?", weights(turns)), turns, shape)
    assert all("kinds" not in one.parts for one in of_speaker)
    assert any("kinds" in one.parts for one in of_nobody)


CARDS = ("Payouts to Visa take a day.", "Payouts to Mastercard take a day.", "Payouts take a day.", "It takes Visa and Mastercard.")


def test_the_exact_entity_is_first_and_another_of_its_sort_last() -> None:
    found = dict(zip(CARDS, meetings("When do payouts to Visa arrive?", CARDS), strict=True))
    assert found == {CARDS[0]: 1.0, CARDS[1]: OTHER_ENTITY, CARDS[2]: 0.0, CARDS[3]: 1.0}
    # also in lower case
    assert meetings("when do payouts to visa arrive?", CARDS) == list(found.values())


def meetings(question: str, texts: tuple[str, ...], need: Need | None = None) -> list[float]:
    turns = candidates(texts)
    return entity_meetings(read_question(question, {}, need), [turn.entities for turn in turns], [turn.terms.split() for turn in turns])


@pytest.mark.parametrize(
    ("question", "texts", "expected"),
    [
        (
            "Why did error E-1042 come up?",
            ("It was E-1042.", "It was E-2077.", "On iPhone12 too.", "Nothing."),
            [1.0, OTHER_ENTITY, 0.0, 0.0],
        ),
        ("What was due in March?", ("Paid on 12 March.", "Paid on 2026-04-01.", "Paid."), [1.0, OTHER_ENTITY, 0.0]),
        ("What was due on 12 March?", ("Paid on 2026-03-12.", "Paid on 13 March."), [1.0, OTHER_ENTITY]),
        ("3月的费用是多少？", ("3月12日扣了费。", "4月1日扣了费。", "扣了费。"), [1.0, OTHER_ENTITY, 0.0]),
        ("Why the $49 charge?", ("It was $49.", "It was $612.", "It was free."), [1.0, OTHER_ENTITY, 0.0]),
    ],
)
def test_dates_sums_and_identifiers(question: str, texts: tuple[str, ...], expected: list[float]) -> None:
    assert meetings(question, texts) == expected


def test_a_word_that_is_also_the_name_of_a_menu_is_no_entity() -> None:
    texts = ("Open Settings, Account.", *(f"the account is {word}" for word in ("old", "new", "open", "shut", "mine")))
    assert not any(meetings("How do I close the account?", texts))


def test_what_most_turns_name_tells_nothing() -> None:
    texts = tuple(f"It is at Revolut since {year}." for year in range(2001, 2021))
    assert not any(meetings("Where is the Revolut account?", texts))


def test_a_need_names_entities_and_wishes_for_roles() -> None:
    turns = candidates(CARDS)
    need = Need("payouts", entities=("Mastercard",), roles=("user",))
    ranked = rank(read_question("payouts", weights(turns), need), turns, StoreShape(4, 5.0))
    parts = {one.turn_id: one.parts for one in ranked}
    assert parts[1]["entities"] == pytest.approx(ENTITIES)
    assert parts[0]["entities"] == pytest.approx(ENTITIES * OTHER_ENTITY)
    assert {part["roles"] for part in parts.values()} == {ROLES}


def test_order_of_the_candidates_does_not_matter() -> None:
    turns = candidates(FACTS + CARDS)
    question = read_question("When are payouts to Visa made?", weights(turns))
    shape = StoreShape(len(turns), 8.0)
    shuffled = turns[:]
    random.Random(3).shuffle(shuffled)
    assert rank(question, turns, shape) == rank(question, shuffled, shape)


def questions_of(name: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    turns: list[tuple[str, str]] = []
    questions: list[tuple[str, str]] = []
    cell = ""
    for line in (SETS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            cell = line
        elif line.startswith(("- ", "? ")):
            (turns if line[0] == "-" else questions).append((cell, line[2:]))
    return turns, questions


@pytest.mark.parametrize("name", ["en_cloud", "en_wallet", "zh_logistics", "zh_wallet"])
def test_kinds_halve_the_error_of_words_alone(name: str) -> None:
    stored, questions = questions_of(name)
    random.Random(5).shuffle(stored)
    turns = candidates([text for _, text in stored])
    plain = [Candidate(turn.turn_id, turn.place, turn.group, turn.terms) for turn in turns]
    shape, known = StoreShape(len(turns), 8.0), weights(turns)

    def error(rows: list[Candidate]) -> float:
        wrong = 0.0
        for cell, text in questions:
            first = rank(read_question(text, known), rows, shape)[:3]
            wrong += sum(stored[one.turn_id][0] != cell for one in first) / 3
        return wrong / len(questions)

    assert error(turns) <= error(plain) / 2
