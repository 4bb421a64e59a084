"""Outcomes against each other: floors and goals, and how sure a difference is."""

from __future__ import annotations

import random
from collections.abc import Sequence

from msgspec import Struct

from trimtab.evals.recall.measures import spread
from trimtab.evals.recall.run import Outcome
from trimtab.evals.recall.sets import GOALS

PRODUCT, FIXED_RULES = "product", ("f1", "f2")
RECALL, EVIDENCE = "R@10", "evidence 2k"
_SEED = 20


class Verdict(Struct, frozen=True):
    """What the product has of a measure on a set, the better of the two fixed rules there, and the goal."""

    data_set: str
    measure: str
    value: float
    floor: float
    goal: float

    @property
    def holds(self) -> bool:
        # of equal means the last bits may differ
        return self.value >= self.floor - 1e-9


def verdicts(outcomes: Sequence[Outcome]) -> list[Verdict]:
    """Of every set on which the product and both fixed rules were measured."""
    found = []
    for data_set in dict.fromkeys(outcome.data_set for outcome in outcomes):
        means = {outcome.system: outcome.means for outcome in outcomes if outcome.data_set == data_set}
        goal = GOALS[data_set]
        if not {PRODUCT, *FIXED_RULES} <= means.keys():
            continue
        for measure, aim in ((RECALL, goal.recall), (EVIDENCE, goal.evidence)):
            if aim is not None:
                floor = max(means[rule][measure] for rule in FIXED_RULES)
                found.append(Verdict(data_set, measure, means[PRODUCT][measure], floor, aim))
    return found


class Difference(Struct, frozen=True):
    """By how much one system is above another on a set, in the mean over questions, and the bounds of 95 % of the resamplings."""

    data_set: str
    better: str
    other: str
    measure: str
    mean: float
    low: float
    high: float


def difference(one: Outcome, other: Outcome, times: int, measure: str = RECALL) -> Difference:
    """Paired bootstrap: episodes are drawn with replacement, and in each of them its questions.

    Raises:
        ValueError: the two are not of the same questions, or `times` is below 1.
    """
    if [row.question for row in one.rows] != [row.question for row in other.rows] or times < 1:
        raise ValueError(f"{one.system} and {other.system} on {one.data_set}: a paired bootstrap needs the same questions, and times >= 1")
    by_episode: dict[str, list[float]] = {}
    for mine, theirs in zip(one.rows, other.rows, strict=True):
        by_episode.setdefault(mine.episode, []).append(mine.values[measure] - theirs.values[measure])
    episodes = list(by_episode.values())
    rng = random.Random(_SEED)
    means = []
    for _ in range(times):
        drawn = [value for values in rng.choices(episodes, k=len(episodes)) for value in rng.choices(values, k=len(values))]
        means.append(sum(drawn) / len(drawn))
    whole = [value for values in episodes for value in values]
    return Difference(one.data_set, one.system, other.system, measure, sum(whole) / len(whole), *spread(means))


def bootstrap(outcomes: Sequence[Outcome], times: int, other: str = "f2") -> list[Difference]:
    """The product against another system, on every set where both were measured."""
    found = {(outcome.data_set, outcome.system): outcome for outcome in outcomes}
    pairs = ((found[name, PRODUCT], found.get((name, other))) for name, system in found if system == PRODUCT)
    return [difference(one, against, times) for one, against in pairs if against is not None]
