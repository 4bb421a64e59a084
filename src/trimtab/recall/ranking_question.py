"""What a question shows: its terms with their weights, whether it asks for a time, whether it means the work at hand."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from msgspec import Struct
from msgspec.structs import replace

from trimtab.recall.intents import asked_kinds
from trimtab.recall.needs import Need
from trimtab.recall.tags import entities
from trimtab.recall.words import MAX_QUERY_TERMS, terms

K1 = 1.2
# what one term can be worth at most, in units of its weight
_MOST_A_TERM = K1 + 1

_WHEN = re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bhow long ago\b|什么时候|哪天|哪一天|何时|几点|什么时间")
_AT_HAND = re.compile(
    r"\blast (?:time|session)\b|\bearlier\b|\bprevious(?:ly)?\b|\bnow\b|\blatest\b|\brecent(?:ly)?\b|\bcurrent(?:ly)?\b|\bagain\b"
    r"|\bstill\b|\btoday\b|\bas we discussed\b|上次|刚才|之前|最近|现在|目前|最新"
)


class Question(Struct, frozen=True):
    """A question as ranking sees it.

    `terms` in their order, with repetitions; `weights`: the inverse document frequency of each that the scope has,
    `log(1 + (turns - df + .5) / (df + .5))`, at most MAX_QUERY_TERMS of them. `kinds`: of information that it asks for,
    the first first (`intents.ASKED_KINDS`); `entities`, `roles`: what a need declares that the answer should name, and who
    should have said it; `named`: what its own text names.
    """

    text: str
    terms: tuple[str, ...]
    weights: Mapping[str, float]
    asks_when: bool = False
    at_hand: bool = False
    kinds: tuple[str, ...] = ()
    kind_declared: bool = False
    entities: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    @property
    def most_score(self) -> float:
        """The BM25 score that a turn with every term, each many times, would come near to."""
        return _MOST_A_TERM * sum(self.weights.values())


def read_question(text: str, weights: Mapping[str, float], need: Need | None = None) -> Question:
    """`weights` as the store has them; terms without one are left out, and of too many the most common.

    `need`: what was declared beside the text, or guessed from it. Its kind "any" is none at all; without a kind it is read
    from the text.
    """
    need = need or Need()
    found = [term for term in terms(text) if weights.get(term, 0.0) > 0]
    kept = sorted(dict.fromkeys(found), key=lambda term: (-weights[term], term))[:MAX_QUERY_TERMS]
    lower = text.lower()
    return Question(
        text=lower,
        terms=tuple(found),
        # in the order of the words themselves: sums of floats depend on it
        weights={term: weights[term] for term in sorted(kept)},
        asks_when=_WHEN.search(lower) is not None,
        at_hand=_AT_HAND.search(lower) is not None,
        kinds=_kinds(text, need),
        kind_declared=need.kind not in ("", "any") and not need.guessed,
        entities=() if need.guessed else need.entities,
        roles=need.roles,
        named=tuple(dict.fromkeys([*(need.entities if need.guessed else ()), *entities(text)])),
    )


def _kinds(text: str, need: Need) -> tuple[str, ...]:
    if need.kind == "any":
        return ()
    if need.kind and not need.guessed:
        return (need.kind,)
    # the words of a guessed need may have lost what showed its kind
    return tuple(dict.fromkeys([need.kind, *asked_kinds(text)] if need.kind else asked_kinds(text)))


def names_in(question: Question, speakers: Collection[str]) -> set[str]:
    """The one speaker that the question names, by the first of their names; nobody where it names more or none."""
    named = _named(question, speakers)
    return named if len(named) == 1 else set()


def without_names(question: Question, speakers: Collection[str]) -> Question:
    """The question without the first names of speakers among its weights; there may be none left.

    In talk every turn is by or to the one who is named, and their name stands where they are spoken to: in the other's turns.
    """
    names = {term for speaker in _named(question, speakers) for term in terms(speaker.split()[0])}
    weights = {term: weight for term, weight in question.weights.items() if term not in names}
    return replace(question, weights=weights) if len(weights) < len(question.weights) else question


def _named(question: Question, speakers: Collection[str]) -> set[str]:
    return {speaker for speaker in speakers if speaker and _is_named(speaker.lower().split()[:1], question.text)}


def _is_named(first: list[str], text: str) -> bool:
    if not first or len(first[0]) + (not first[0].isascii()) < 3 or first[0] in ("user", "assistant"):
        return False
    if not first[0].isascii():
        return first[0] in text
    return re.search(rf"\b{re.escape(first[0])}\b", text) is not None
