from collections.abc import Mapping, Sequence
from math import log
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from trimtab.recall.ranking import LEAST_WORD_SHARE, MOST_WORD_SHARE, Candidate, Ranked, rank, word_share
from trimtab.recall.ranking_question import Question, read_question
from trimtab.recall.ranking_shape import ShapeSums, StoreShape, distant_places, overlap
from trimtab.recall.words import terms

PLAIN = StoreShape(turn_count=100, mean_length=6.0)
TALK = StoreShape(turn_count=100, mean_length=6.0, neighbor_overlap=0.25, distant_overlap=0.1, neighbor_share=0.9)
NAMES = [f"name{letter}" for letter in "abcdefghijklmnopqrst"]


def stored(*texts: str, **fields: object) -> list[Candidate]:
    return [Candidate(at + 1, at, 0, " ".join(terms(text)), **fields) for at, text in enumerate(texts)]  # type: ignore[arg-type]


def asked(text: str, candidates: Sequence[Candidate]) -> Question:
    count = len(candidates)
    having = [set(one.terms.split()) for one in candidates]
    weights: dict[str, float] = {}
    for term in terms(text):
        among = sum(term in one for one in having)
        if among:
            weights[term] = log(1 + (count - among + 0.5) / (among + 0.5))
    return read_question(text, weights)


def shape_of(candidates: Sequence[Candidate]) -> StoreShape:
    return StoreShape(len(candidates), max(1.0, sum(len(one.terms.split()) for one in candidates) / max(1, len(candidates))))


def order(found: Sequence[Ranked]) -> list[int]:
    return [one.turn_id for one in found]


words = st.lists(st.sampled_from(NAMES), min_size=1, max_size=12).map(" ".join)


@st.composite
def stores(draw: st.DrawFn, vectors: bool = True) -> list[Candidate]:
    texts = draw(st.lists(words, min_size=1, max_size=12))
    likeness = st.one_of(st.none(), st.floats(-1, 1)) if vectors else st.none()
    return [
        Candidate(
            at + 1, at, at // 4, text, draw(likeness), draw(st.sampled_from(["user", "assistant"])), draw(st.sampled_from(["", "Ann"]))
        )
        for at, text in enumerate(texts)
    ]


@given(stores(), words, st.randoms())
def test_the_order_of_the_candidates_does_not_matter(candidates: list[Candidate], text: str, random: object) -> None:
    question = asked(text, candidates)
    shuffled = list(candidates)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rank(question, shuffled, TALK) == rank(question, candidates, TALK)


@given(stores(), words)
def test_all_come_back_once_best_first_and_scores_are_the_sum_of_their_parts(candidates: list[Candidate], text: str) -> None:
    found = rank(asked(text, candidates), candidates, TALK)
    assert sorted(order(found)) == [one.turn_id for one in candidates]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        assert one.score == pytest.approx(sum(one.parts.values()), abs=1e-8)
        assert all(one.parts.values())


@given(stores(vectors=False), words, st.floats(-1, 1))
def test_vectors_that_tell_nothing_apart_change_nothing(candidates: list[Candidate], text: str, same: float) -> None:
    question = asked(text, candidates)
    assert rank(question, [replace(one, vector=same) for one in candidates], TALK) == rank(question, candidates, TALK)


@given(st.lists(words, min_size=2, max_size=10), st.data())
def test_a_turn_that_gains_a_word_of_the_question_never_falls(texts: list[str], data: st.DataObject) -> None:
    """Each filler word stands in one turn only, so that nothing but the question's words differs."""
    filled = [[word if word in NAMES[:5] else f"f{at}x{place}" for place, word in enumerate(text.split())] for at, text in enumerate(texts)]
    at = data.draw(st.integers(0, len(filled) - 1))
    question = read_question(" ".join(NAMES[:5]), dict.fromkeys(NAMES[:5], 1.0))
    gained = [list(text) for text in filled]
    place = data.draw(st.integers(0, len(filled[at]) - 1))
    if gained[at][place] not in NAMES:
        gained[at][place] = data.draw(st.sampled_from(NAMES[:5]))
    before, after = (
        order(rank(question, [Candidate(n + 1, n, n, " ".join(text)) for n, text in enumerate(turns)], PLAIN)).index(at + 1)
        for turns in (filled, gained)
    )
    assert after <= before


@given(stores(), words)
def test_the_share_of_words_stays_within_its_bounds(candidates: list[Candidate], text: str) -> None:
    question = asked(text, candidates)
    assert LEAST_WORD_SHARE <= word_share(question, [1.0] * 10, 1.0) <= MOST_WORD_SHARE
    assert LEAST_WORD_SHARE <= word_share(question, [1.0] + [0.0] * 9, 0.0) <= MOST_WORD_SHARE


def test_a_long_question_listens_more_to_vectors() -> None:
    short, long = (read_question(" ".join(NAMES[:count]), dict.fromkeys(NAMES[:count], 2.0)) for count in (3, 20))
    scores = [1.0] + [0.6] * 9
    assert word_share(long, scores, 0.3) < word_share(short, scores, 0.3)


def test_nothing_stored_or_nothing_in_common() -> None:
    assert rank(read_question("hello", {}), [], PLAIN) == []
    candidates = stored("one thing", "another thing")
    assert order(rank(read_question("", {}), candidates, replace(PLAIN, turn_count=2))) == [2, 1]


def test_a_place_given_twice_counts_once() -> None:
    candidates = stored("the deploy failed", "lunch was good")
    question = asked("deploy", candidates)
    assert rank(question, candidates * 2, PLAIN) == rank(question, candidates, PLAIN)


def test_of_equal_turns_the_newer_comes_first() -> None:
    candidates = stored("port is 8080", "port is 8080", "port is 8080")
    assert order(rank(asked("which port", candidates), candidates, PLAIN)) == [3, 2, 1]


def test_words_in_the_order_of_the_question_beat_the_same_words_apart() -> None:
    candidates = stored("session login needs management", "login needs session management", "nothing of the kind here")
    found = rank(asked("session management", candidates), candidates, shape_of(candidates))
    assert order(found)[0] == 2
    assert found[0].parts["phrases"] > 0


def test_an_exact_identifier_comes_first() -> None:
    candidates = stored("order CT-88214 was sent", "order CT-88213 was sent", "the order was sent to the order desk")
    assert order(rank(asked("what of order CT-88213?", candidates), candidates, shape_of(candidates)))[0] == 2


def test_an_answer_that_lacks_the_words_is_found_by_its_neighbor_only_where_turns_hang_together() -> None:
    candidates = stored("lunch was good", "where did you buy the guitar?", "in Leeds", "nice weather", "see you")
    question = asked("where was the guitar bought", candidates)
    found = order(rank(question, candidates, TALK))
    assert found[0] == 2
    assert found.index(3) < min(found.index(4), found.index(5))
    assert "neighbors" not in rank(question, candidates, PLAIN)[0].parts
    assert all(one.parts.get("words", 0) == 0 for one in rank(question, candidates, PLAIN) if one.turn_id != 2)


def test_neighbors_of_another_session_do_not_help() -> None:
    candidates = [replace(one, group=one.place) for one in stored("lunch was good", "where did you buy the guitar?", "in Leeds")]
    found = {one.turn_id: one.parts for one in rank(asked("guitar", candidates), candidates, TALK)}
    assert "words" not in found[3]


def test_a_long_turn_takes_less_from_its_neighbors() -> None:
    parts: list[Mapping[str, float]] = []
    for answer in ("in Leeds", "in Leeds " + "there is plenty more to say of it " * 40):
        candidates = stored("lunch", "where did you buy the guitar?", answer)
        found = rank(asked("guitar", candidates), candidates, TALK)
        parts.append(next(one.parts for one in found if one.turn_id == 3))
    assert parts[1]["words"] < parts[0]["words"] / 2


def test_the_speaker_who_is_named_is_lifted_and_two_names_lift_nobody() -> None:
    candidates = [replace(one, speaker=name) for one, name in zip(stored("likes tea", "likes tea"), ("Ann Lee", "Bo Ray"), strict=True)]
    assert order(rank(asked("what does Ann like", candidates), candidates, PLAIN))[0] == 1
    assert all("speaker" not in one.parts for one in rank(asked("do Ann, Bob like tea", candidates[:1]), [candidates[1]], PLAIN))
    both = [replace(candidates[0], speaker="Ann"), replace(candidates[1], speaker="Bea")]
    assert all("speaker" not in one.parts for one in rank(asked("do Ann and Bea like tea", both), both, PLAIN))
    chinese = [replace(candidates[0], speaker="小明"), candidates[1]]
    assert order(rank(asked("小明喜欢什么", chinese), chinese, PLAIN))[0] == 1


@pytest.mark.parametrize(
    ("question", "with_date", "without"),
    [("when did we ship", "we did ship yesterday", "we did ship gladly"), ("我们什么时候出发", "我们昨天出发", "我们一起出发")],
)
def test_a_question_for_a_time_prefers_turns_with_one(question: str, with_date: str, without: str) -> None:
    candidates = stored(with_date, without)
    found = rank(asked(question, candidates), candidates, PLAIN)
    assert order(found)[0] == 1
    assert "dates" in found[0].parts


def test_what_the_user_said_counts_more_where_replies_are_long() -> None:
    candidates = stored("the budget is 300", "the budget is 300")
    candidates[1] = replace(candidates[1], role="assistant")
    question = asked("budget", candidates)
    assert order(rank(question, candidates, PLAIN)) == [2, 1]
    assert order(rank(question, candidates, replace(PLAIN, user_length=20.0, reply_length=90.0))) == [1, 2]


def test_a_question_about_the_work_at_hand_prefers_what_is_new() -> None:
    candidates = [
        replace(one, place=one.place * 90, group=one.place) for one in stored("the parser test fails", "the parser test fails now")
    ]
    found = rank(asked("what did we do about the parser last time", candidates), candidates, TALK)
    recency = {one.turn_id: one.parts["recency"] for one in found}
    assert recency[2] > recency[1]
    other = rank(asked("the parser", candidates), candidates, TALK)
    assert {one.turn_id: one.parts.get("recency", 0.0) for one in other}[2] < recency[2]


def test_a_rare_word_of_the_best_turn_leads_to_another() -> None:
    filler = [f"地铁站{letter}附近有一家饭馆" for letter in "甲乙丙丁戊己庚辛"]
    candidates = stored("我住的小区叫绿洲家园", *filler, "绿洲家园环境真好")
    found = rank(asked("我住的小区是哪个", candidates), candidates, shape_of(candidates))
    assert order(found)[:2] == [1, 10]
    assert found[1].parts["links"] > 0


def test_terms_beyond_the_limit_leave_the_rarest() -> None:
    weights = {f"w{at:03}": 1.0 + at for at in range(100)}
    kept = read_question(" ".join(weights), weights).weights
    assert len(kept) == 64
    assert min(kept.values()) == 37.0
    assert read_question("unknown word", {"word": 2.0}).weights == {"word": 2.0}


def test_the_shape_of_a_store_is_kept_turn_by_turn() -> None:
    sums = ShapeSums()
    assert sums.shape() == StoreShape(0)
    sums.add(["red", "fox"], "user")
    sums.add(["red", "fox", "ran", "off", "red"], "assistant", before=["red", "fox"])
    sums.add(["blue"], "user", before=["red", "fox"], distant=["red", "fox"])
    shape = sums.shape()
    assert (shape.turn_count, shape.mean_length, shape.user_length, shape.reply_length) == (3, 8 / 3, 1.5, 5.0)
    assert (shape.neighbor_overlap, shape.distant_overlap, shape.neighbor_share) == (0.5, 0.0, 2 / 3)
    assert shape.coherence == 1.0
    assert replace(shape, neighbor_overlap=0.0).coherence == 0.0
    assert replace(shape, user_length=5.0).reply_excess == 0.0
    assert overlap([], ["red"]) == 0.0


def test_distant_places_lie_all_over_what_came_before() -> None:
    assert distant_places(0) == distant_places(1) == ()
    count = 400
    drawn = [other for place in range(count) for other in distant_places(place)]
    assert all(0 <= other < place for place in range(count) for other in distant_places(place))
    # no turn stands for the rest: the oldest, which most others may be held against, is drawn a few times
    assert max(drawn.count(other) for other in set(drawn)) < len(drawn) // 50
    assert len(set(drawn)) > count // 2


def test_a_turn_is_held_against_several_others() -> None:
    sums = ShapeSums()
    sums.add(["red", "fox"], "user", distant=["red", "hen"])
    sums.add_distant(["red", "fox"], ["blue"])
    assert sums.shape().distant_overlap == 0.25
    assert sums.shape().turn_count == 1


def test_a_thousand_candidates_are_ranked_in_time_that_grows_with_them() -> None:
    took = []
    for count in (250, 1_000):
        candidates = [Candidate(at, at, at // 20, " ".join(NAMES[(at + n) % 20] for n in range(60))) for at in range(count)]
        question = asked(" ".join(NAMES), candidates)
        started = process_time()
        assert len(rank(question, candidates, replace(TALK, turn_count=count))) == count
        took.append(process_time() - started)
    assert took[1] < 20 * took[0] + 0.1
