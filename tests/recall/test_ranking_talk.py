from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from trimtab.recall.ranking import Candidate, rank
from trimtab.recall.ranking_question import Question, read_question, without_names
from trimtab.recall.ranking_shape import StoreShape
from trimtab.recall.words import terms

PLAIN = StoreShape(turn_count=100, mean_length=6.0)
TALK = replace(PLAIN, neighbor_overlap=0.25, distant_overlap=0.1, neighbor_share=0.9)
ASSISTANT = replace(TALK, user_length=10.0, reply_length=90.0)
GUITAR = ("lunch was good", "where did you buy the guitar?", "in Leeds", "the guitar was cheap")


def talk(*texts: str, speakers: str = "ABAB") -> list[Candidate]:
    return [
        Candidate(at + 1, at, 0, " ".join(terms(text)), speaker=speaker, kinds=("question",) if "?" in text else ())
        for at, (text, speaker) in enumerate(zip(texts, speakers, strict=False))
    ]


def asked(text: str) -> Question:
    return read_question(text, dict.fromkeys(terms(text), 1.0))


def parts(candidates: list[Candidate], question: str, shape: StoreShape = TALK) -> dict[int, Mapping[str, float]]:
    return {one.turn_id: one.parts for one in rank(asked(question), candidates, shape)}


def test_what_follows_the_question_of_another_answers_and_the_question_itself_does_not() -> None:
    found = parts(talk(*GUITAR), "where was the guitar bought")
    assert found[3]["answers"] > 0
    assert found[2]["asks"] < 0
    assert "asks" not in found[3] and "asks" not in found[4]
    # two turns later, with the other's in between, it may still be the answer, but less likely
    later = parts(talk("lunch was good", "where did you buy the guitar?", "good that you ask", "in Leeds", speakers="ABAA"), "guitar")
    assert 0 < later[4]["answers"] < later[3]["answers"]


def test_who_goes_on_after_their_own_question_does_not_answer_it() -> None:
    assert "answers" not in parts(talk(*GUITAR, speakers="BBBB"), "where was the guitar bought")[3]


@pytest.mark.parametrize("shape", [PLAIN, ASSISTANT])
def test_only_talk_among_equals_is_read_so(shape: StoreShape) -> None:
    assert not any({"answers", "asks"} & one.keys() for one in parts(talk(*GUITAR), "where was the guitar bought", shape).values())


def test_even_talk_is_what_hangs_together_with_turns_of_a_length() -> None:
    assert TALK.even_talk == TALK.coherence == 1.0
    assert PLAIN.even_talk == ASSISTANT.even_talk == 0.0
    assert 0 < replace(TALK, user_length=10.0, reply_length=15.0).even_talk < 1


def test_a_long_turn_answers_what_was_asked_before_it_less() -> None:
    long = (GUITAR[0], GUITAR[1], "in Leeds " + "there is plenty more to say of it " * 40)
    assert parts(talk(*long), "guitar")[3]["answers"] < parts(talk(*GUITAR), "guitar")[3]["answers"] / 2


def test_the_name_of_a_speaker_is_no_word_to_look_for() -> None:
    candidates = talk("hello Ann, good to see you Ann", "I went to Leeds", "nice")
    candidates = [replace(one, speaker=name) for one, name in zip(candidates, ("Bo Ray", "Ann Lee", "Bo Ray"), strict=True)]
    found = rank(asked("where in Leeds did Ann go"), candidates, PLAIN)
    assert found[0].turn_id == 2
    assert {one.turn_id for one in found if one.parts.get("words")} == {2}
    # where nothing else is asked, and there are no vectors, it has to do
    alone = rank(asked("Ann"), candidates, PLAIN)
    assert {one.turn_id for one in alone if one.parts.get("words")} == {1}


def test_a_question_without_the_names_of_speakers() -> None:
    question = read_question("what did Ann Lee cook for Bo", {"ann": 1.0, "lee": 1.0, "cook": 2.0})
    assert without_names(question, {"Ann Lee", ""}).weights == {"lee": 1.0, "cook": 2.0}
    assert without_names(question, {"Cy", "user"}) is question
    assert without_names(read_question("Ann?", {"ann": 1.0}), {"Ann"}).weights == {}
