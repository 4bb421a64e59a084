"""What the words of a turn say to a question: BM25 with its neighbors' help, phrases, dates, and words that link turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from heapq import nsmallest
from math import fsum, log

from msgspec import Struct

from trimtab.recall.ranking_places import Places, sharing
from trimtab.recall.ranking_question import K1, Question
from trimtab.recall.ranking_shape import StoreShape
from trimtab.recall.stems import stem

B = 0.75
# turns whose terms stay counted: about 1 KB for a short one
_REMEMBERED = 4_096
# how much of a neighbor's term a turn is credited with that has it less, one and two places away
_BORROWED = ((-1, 0.5), (-2, 0.25), (1, 0.5), (2, 0.25))

# Links lead from so many of the best turns, by their terms that at most this share of the turns have. Only short
# turns are linked: long ones share rare words by chance.
LINK_SOURCES = 3
LINK_TERMS = 12
LINK_COMMON = 0.05
LINK_FULL_WEIGHT = 4.0
LINK_HALF_LENGTH = 30
LINK_MOST_LENGTH = 120

_DAYS = "yesterday today tomorrow tonight ago last next week weekend month year day monday tuesday wednesday thursday friday"
_MONTHS = "saturday sunday january february march april june july august september october november december"
_DATE_TERMS = frozenset(stem(word) for word in f"{_DAYS} {_MONTHS}".split()) | {"昨天", "今天", "明天", "前天", "上周", "下周"}


class WordSigns(Struct, frozen=True):
    """Per candidate, in their order: how often it has which term, lengths, BM25 scores, phrases from 0 to about 1, whether
    it has a date that the question asks for."""

    counts: Sequence[Mapping[str, int]]
    lengths: Sequence[int]
    scores: Sequence[float]
    phrases: Sequence[float]
    dated: Sequence[bool]


def word_signs(question: Question, terms: Sequence[str], places: Places, shape: StoreShape) -> WordSigns:
    counted = [_counted(one) for one in terms]
    counts = [count for count, _ in counted]
    lengths = [length for _, length in counted]
    own = [_own_scores(question.weights, count, length, shape.mean_length) for count, length in counted]
    pairs = _pairs(question)
    phrases = [_phrases(pairs, scores, text) if len(scores) > 1 else 0.0 for scores, text in zip(own, terms, strict=True)]
    dated = [_has_date(text) for text in terms] if question.asks_when else [False] * len(terms)
    return WordSigns(counts, lengths, _with_neighbors(own, lengths, places), phrases, dated)


@lru_cache(maxsize=_REMEMBERED)
def _counted(terms: str) -> tuple[Counter[str], int]:
    """Not to be changed: it is remembered, as the same turns come again with each question."""
    count = Counter(terms.split())
    return count, count.total()


def _own_scores(weights: Mapping[str, float], count: Mapping[str, int], length: int, mean_length: float) -> dict[str, float]:
    """BM25 of each of the question's terms that the turn has."""
    base = K1 * (1 - B + B * length / mean_length)
    found = {}
    for term, weight in weights.items():
        if term in count:
            times = count[term]
            found[term] = weight * times * (K1 + 1) / (times + base)
    return found


def _with_neighbors(own: Sequence[Mapping[str, float]], lengths: Sequence[int], places: Places) -> list[float]:
    """Each turn's score, where it may borrow a term from its neighbors: what is asked is often said in two turns."""
    # exact, as the order of the terms is not fixed
    totals = [fsum(scores.values()) if scores else 0.0 for scores in own]
    if places.coherence <= 0:
        return totals
    around = [(places.at_distance(distance), share) for distance, share in _BORROWED]
    for number, length in enumerate(lengths):
        lenders = [(own[other], share) for others, share in around if (other := others[number]) is not None]
        scores = _borrowed(own[number], lenders, places.coherence * sharing(length)) if lenders else None
        if scores is not None:
            totals[number] = fsum(scores.values())
    return totals


def _borrowed(own: Mapping[str, float], lenders: Sequence[tuple[Mapping[str, float], float]], weight: float) -> dict[str, float] | None:
    """Scores by term with what neighbors have more of; None where they have not."""
    scores: dict[str, float] | None = None
    known = own
    for theirs, share in lenders:
        factor = weight * share
        for term, score in theirs.items():
            borrowed = factor * score
            if borrowed > known.get(term, 0.0):
                if scores is None:
                    known = scores = dict(own)
                scores[term] = borrowed
    return scores


def _pairs(question: Question) -> dict[tuple[str, str], float]:
    """Neighboring terms of the question with their share of its weight."""
    whole = sum(question.weights.values())
    pairs = {}
    for one, other in zip(question.terms, question.terms[1:], strict=False):
        weight = min(question.weights.get(one, 0.0), question.weights.get(other, 0.0))
        if weight > 0 and one != other:
            pairs[one, other] = weight / whole
    return pairs


def _phrases(pairs: Mapping[tuple[str, str], float], scores: Mapping[str, float], terms: str) -> float:
    there = [(f" {one} {other} ", weight) for (one, other), weight in pairs.items() if one in scores and other in scores]
    if not there:
        return 0.0
    text = f" {terms} "
    return sum(weight for pair, weight in there if pair in text)


@lru_cache(maxsize=_REMEMBERED)
def _has_date(terms: str) -> bool:
    return any(term in _DATE_TERMS or any(map(str.isdigit, term)) for term in terms.split())


def linked(question: Question, signs: WordSigns, scores: Sequence[float]) -> list[float]:
    """0 to 1 for each turn: how far the best turns lead to it by rare terms that are not in the question."""
    links = [0.0] * len(scores)
    short = {number: signs.counts[number] for number, length in enumerate(signs.lengths) if 0 < length <= LINK_MOST_LENGTH}
    # of equal scores the newer, as in the order that is made of them
    sources = nsmallest(LINK_SOURCES, range(len(scores)), key=lambda number: (-round(scores[number], 6), -number))
    best = scores[sources[0]]
    if best <= 0 or len(short) < 2:
        return links
    having = _having({term for source in sources for term in short.get(source, ())}, short)
    for source in sources:
        weights = _linking(short.get(source, ()), question, having, len(short))
        reach = (scores[source] / best) ** 2 * _brevity(signs.lengths[source]) / LINK_FULL_WEIGHT
        shared: dict[int, list[float]] = {}
        for term, weight in weights.items():
            for number in having[term]:
                shared.setdefault(number, []).append(weight)
        shared.pop(source, None)
        for number, found in shared.items():
            link = reach * fsum(found) * _brevity(signs.lengths[number])
            links[number] = max(links[number], min(1.0, link))
    return links


def _having(terms: Set[str], turns: Mapping[int, Mapping[str, int]]) -> dict[str, list[int]]:
    """Which of the turns have each of the terms."""
    having: dict[str, list[int]] = {term: [] for term in terms}
    for number, count in turns.items():
        for term in terms & count.keys():
            having[term].append(number)
    return having


def _linking(terms: Iterable[str], question: Question, having: Mapping[str, Sequence[int]], turn_count: int) -> dict[str, float]:
    """The rarest of a turn's terms that another turn has too, the question does not have, with their weights."""
    most = max(3, LINK_COMMON * turn_count)
    asked = set(question.terms)
    common = {term: len(having[term]) for term in terms}
    rare = [term for term in terms if 1 < common[term] <= most and term not in asked]
    rare.sort(key=lambda term: (common[term], term))
    return {term: log(1 + (turn_count - common[term] + 0.5) / (common[term] + 0.5)) for term in rare[:LINK_TERMS]}


def _brevity(length: int) -> float:
    return 1 / (1 + length / LINK_HALF_LENGTH)
