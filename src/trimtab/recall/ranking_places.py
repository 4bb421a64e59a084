"""What a turn's place adds to its score: the turns around it, its session, how new it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

from trimtab.recall.ranking_question import Question
from trimtab.recall.ranking_shape import StoreShape

# A turn of this many terms shares half as much with its neighbors as one of a word (LoCoMo has 16 a turn, BEAM 240).
HALF_SHARED_TERMS = 80
# what the first and the second turn after it add to a turn, by their own scores; those before add through words only
FOLLOWING = (0.1, 0.1)
SESSION_BEST = 0.3
SESSION_MEAN = 0.3
# How new a turn is, by the likeness of the question to the NEWEST turns against all, and by words such as "last time".
RECENCY = 0.3
RECENCY_AT_HAND = 0.3
RECENCY_HALF_LIFE_TURNS = 150
NEWEST = 20


class Places:
    """Where candidates stand, by their number in the list: `places` rise, `groups` belong to them."""

    def __init__(self, places: Sequence[int], groups: Sequence[int], shape: StoreShape) -> None:
        self.places = places
        self.groups = groups
        self.turn_count = max(shape.turn_count, places[-1] + 1)
        self.coherence = shape.coherence
        self._number = {place: number for number, place in enumerate(places)}

    def at_distance(self, distance: int) -> list[int | None]:
        """For each turn the number of the one so many places later (or earlier, if negative) in the same session, if it is there."""
        groups, find = self.groups, self._number.get
        others = [find(place + distance) for place in self.places]
        return [other if other is not None and groups[other] == group else None for other, group in zip(others, groups, strict=True)]

    def sessions(self) -> Iterator[tuple[list[int], int]]:
        """Each session's candidates and about how many turns it has: as far as its candidates lie apart."""
        members: dict[int, list[int]] = {}
        for number, group in enumerate(self.groups):
            members.setdefault(group, []).append(number)
        for numbers in members.values():
            yield numbers, self.places[numbers[-1]] - self.places[numbers[0]] + 1


def sharing(length: int) -> float:
    """How far a turn's meaning is also in the turns around it: 1 for the shortest, half at HALF_SHARED_TERMS."""
    return 1 / (1 + length / HALF_SHARED_TERMS)


def add_places(own: Sequence[float], lengths: Sequence[int], places: Places, question: Question) -> dict[str, list[float]]:
    """Parts "neighbors", "session" and "recency" on top of each candidate's own score; empty where places tell nothing."""
    if places.coherence <= 0:
        return {}
    weights = [places.coherence * sharing(length) for length in lengths]
    following = [0.0] * len(own)
    for distance, share in enumerate(FOLLOWING, start=1):
        for number, other in enumerate(places.at_distance(distance)):
            if other is not None:
                following[number] += share * own[other]
    session = [0.0] * len(own)
    for numbers, size in places.sessions():
        scores = [own[number] for number in numbers]
        share = SESSION_BEST * max(scores) + SESSION_MEAN * sum(scores) / size
        for number in numbers:
            session[number] = share
    recency = places.coherence * _recency(own, places, question)
    newest = places.turn_count - 1
    return {
        "neighbors": [weight * score for weight, score in zip(weights, following, strict=True)],
        "session": [weight * score for weight, score in zip(weights, session, strict=True)],
        "recency": [recency * 0.5 ** ((newest - place) / RECENCY_HALF_LIFE_TURNS) for place in places.places],
    }


def _recency(own: Sequence[float], places: Places, question: Question) -> float:
    """How much being new counts. Turns that are no candidates are taken for ones with a score of nothing."""
    count = places.turn_count
    newest = [score for score, place in zip(own, places.places, strict=True) if place >= count - NEWEST]
    mean = sum(own) / count
    spread = sqrt(max(0.0, sum(score * score for score in own) / count - mean * mean))
    likeness = (sum(newest) / min(NEWEST, count) - mean) / spread if spread > 1e-9 else 0.0
    return RECENCY * min(1.0, max(0.0, likeness)) + (RECENCY_AT_HAND if question.at_hand else 0.0)
