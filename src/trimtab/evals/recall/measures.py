"""What a ranked list is worth to a question.

Turn level: R@k is the share of the gold turns among the first k, hit@k whether any is, all@k whether all are. Session
level ("session R@k" and so on): the same of the sessions, in the order in which their first turn comes. "evidence
1k" and "evidence 2k": the share of the gold turns among the best that fit 1,000 and 2,000 tokens, one that does not
fit being passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from math import log2

from trimtab.evals.recall.episodes import Said

KS = (5, 10, 20)
_NDCG_DEPTH = 10
_TOKENS = {"evidence 1k": 1_000, "evidence 2k": 2_000}
MEASURES = tuple(
    [f"{level}{name}@{k}" for level in ("", "session ") for k in KS for name in ("R", "hit", "all")]
    + [f"{level}NDCG@{_NDCG_DEPTH}" for level in ("", "session ")]
    + list(_TOKENS)
)


def measures(ranked: Sequence[str], gold: Collection[str], turns: Mapping[str, Said]) -> dict[str, float]:
    """Every one of MEASURES, 0 to 1.

    Args:
        ranked: ids, best first.
        gold: ids, at least one.
        turns: by id; those of `ranked` and `gold` at least.
    """
    sessions = list(dict.fromkeys(turns[each].session for each in ranked))
    found = _of_list(ranked, gold)
    found |= {f"session {name}": value for name, value in _of_list(sessions, {turns[each].session for each in gold}).items()}
    return found | {name: _within(ranked, gold, turns, most) for name, most in _TOKENS.items()}


def _of_list(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    places = [place for place, each in enumerate(ranked) if each in gold]
    found: dict[str, float] = {}
    for k in KS:
        count = sum(place < k for place in places)
        found |= {f"R@{k}": count / len(gold), f"hit@{k}": float(count > 0), f"all@{k}": float(count == len(gold))}
    gain = sum(1 / log2(place + 2) for place in places if place < _NDCG_DEPTH)
    best = sum(1 / log2(place + 2) for place in range(min(_NDCG_DEPTH, len(gold))))
    return found | {f"NDCG@{_NDCG_DEPTH}": gain / best}


def _within(ranked: Sequence[str], gold: Collection[str], turns: Mapping[str, Said], most_tokens: int) -> float:
    used = found = 0
    for each in ranked:
        tokens = turns[each].tokens
        if used + tokens <= most_tokens:
            used += tokens
            found += each in gold
    return found / len(gold)


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of each measure, over questions; empty for none."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]} if rows else {}


def spread(values: Sequence[float]) -> tuple[float, float]:
    """The bounds that leave 2.5 % of the values out on each side."""
    ordered = sorted(values)
    cut = int(len(ordered) * 0.025)
    return ordered[cut], ordered[-1 - cut]


def quantile(values: Sequence[float], share: float) -> float:
    """Between the two nearest of the values; 0.0 for none."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * share
    low = int(at)
    pairs = [*pairwise(ordered), (ordered[-1], ordered[-1])] if ordered else [(0.0, 0.0)]
    lower, upper = pairs[max(low, 0)]
    return lower + (upper - lower) * (at - low)
