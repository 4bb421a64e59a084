"""What a turn gives against what a question asks for, and whom or what it names: as far as that tells turns apart here.

A store of plain facts about one account holds many turns that are about the same thing; there the kind of information
(when, how, why, how much ...) decides. In talk it does not: many turns give nothing, long ones give four kinds at once,
and a kind that was read wrongly costs more than it brings. So the candidates say how far kinds count (`clarity`): fully
where nearly each of them gives a kind and few give more than two, not at all where they do not.

Turns that only ask answer nothing: they say nothing of how far kinds count, and stand behind what gives something.

The numbers were chosen on turns about one account in English and Chinese (tests/recall/confusable but en_gym and
zh_library, and the first halves of two sets of other authors, in which most turns give two kinds) and so that the tune halves
of LoCoMo, REALTALK, RealMem, BEAM-100K and MemDaily lose at most .005 of recall@10. Of the turns that do more than ask,
2 to 11 of 100 give no kind in the former, mostly 15 to 35 in LoCoMo, REALTALK and MemDaily; those of RealMem and BEAM give
two to four kinds each and are long.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from typing import Protocol

from trimtab.recall.intents import ASKS, GIVEN_KINDS, answers
from trimtab.recall.ranking_question import Question
from trimtab.recall.stems import stem
from trimtab.recall.tags_entities import VARIANT, entity_keys, mentioned

# So many of the best turns that do more than ask tell how far kinds count. Each is fully in favor up to the first bound,
# and fully against from the second: the share of turns without a kind, ...
SAMPLE = 60
SILENT = (0.10, 0.14)
# ... how many kinds those that have some have, and the mean length: a longer turn says more than the kinds that were read in it
SEVERAL = (2.3, 2.7)
PLAIN_TERMS = (26.0, 40.0)
# a message of more terms, or of several sentences, asks for more than a kind: it goes on with something
BRIEF_TERMS = 16
# few turns tell little: taken together with so many such as talk has
_DOUBT_TURNS, _DOUBT_SHARE = 3, 0.25

KINDS = 1.1
# of a turn that asks the same and answers nothing, in units of KINDS
ONLY_ASKS = -0.3
# Where turns differ by their kind, most share the question's words by chance, and where they stand tells nothing.
WORDS_KEPT = 0.5

# who should have said it, where a need declares that: a turn as stored often holds both sides
ROLES = 0.1

ENTITIES = 0.3
# of a turn that names another of the same sort instead
OTHER_ENTITY = -0.5
# what more than this share of the candidates name is what all of them are about
COMMON_ENTITY = 0.3
# of a turn; its first are looked at
MOST_ENTITIES = 8
_LEAST_COMMON = 3

_GIVEN = frozenset(GIVEN_KINDS)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_SENTENCE_END = re.compile(r"[.!?]+(?:\s|$)|[。！？]+|\n+")
_DATE = re.compile(r"(?:\d{4}|-)-(?P<month>\d\d)(?:-\d\d)?")
_MONTH_ALONE = re.compile(r"(?:\d{4}|-)-\d\d")
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_AMOUNT = re.compile(r"[\d.e+]+ (?P<unit>[^\d\s]{1,8})")


class Tagged(Protocol):
    """A turn with its tags "intent" and "entities"."""

    @property
    def kinds(self) -> tuple[str, ...]: ...

    @property
    def entities(self) -> Sequence[str]: ...


def clarity(question: Question, own: Sequence[float], kinds: Sequence[tuple[str, ...]], lengths: Sequence[int]) -> float:
    """0 to 1: how far kinds tell the best turns apart, by how many of them give a kind, and not too many.

    `own`: the turns' scores by themselves; `kinds`: their `tags["intent"]`; `lengths`: in terms. A turn that only asks
    tells nothing of that: in a store of plain questions and plain answers every second one does.
    """
    asking = {given: only_asks(given) for given in set(kinds)}
    best = nlargest(SAMPLE, (at for at in range(len(own)) if not asking[kinds[at]]), key=lambda at: own[at])
    if not best:
        return 0.0
    counts = [len(_GIVEN.intersection(kinds[at])) for at in best]
    silent = (counts.count(0) + _DOUBT_TURNS * _DOUBT_SHARE) / (len(best) + _DOUBT_TURNS)
    several = sum(counts) / max(1, len(counts) - counts.count(0))
    length = sum(lengths[at] for at in best) / len(best)
    sentences = max(1, len(_SENTENCE_END.findall(question.text)))
    brief = min(1.0, BRIEF_TERMS / max(1, len(question.terms))) / sentences
    return brief * _below(silent, SILENT) * _below(several, SEVERAL) * _below(length, PLAIN_TERMS)


def _below(value: float, bounds: tuple[float, float]) -> float:
    """1 up to the first bound, 0 from the second."""
    low, high = bounds
    return min(1.0, max(0.0, (high - value) / (high - low)))


def kind_parts(question: Question, turns: Sequence[Tagged], counts: Sequence[Mapping[str, int]], clear: float) -> dict[str, list[float]]:
    """Parts "kinds" and "entities" by what the question asks for; empty where it asks for neither.

    `counts`: how often each turn has which term; `clear`: `clarity`. What was declared with the question counts in full
    whatever that is.
    """
    parts: dict[str, list[float]] = {}
    weight = KINDS * (1.0 if question.kind_declared and question.kinds else clear)
    if weight > 0:
        fits = {given: _fit(question, given) for given in {turn.kinds for turn in turns}}
        parts["kinds"] = [weight * fits[turn.kinds] for turn in turns]
    weight = ENTITIES * (1.0 if question.entities else clear)
    if weight > 0:
        meetings = entity_meetings(question, [turn.entities for turn in turns], counts)
        if any(meetings):
            parts["entities"] = [weight * meeting for meeting in meetings]
    return parts


def only_asks(kinds: Collection[str]) -> bool:
    """Whether a turn with this `tags["intent"]` asks and gives nothing."""
    return _GIVEN.isdisjoint(kinds) and any(kind == "question" or kind.startswith(ASKS) for kind in kinds)


def _fit(question: Question, kinds: tuple[str, ...]) -> float:
    if only_asks(kinds):
        return ONLY_ASKS
    return answers(question.kinds, {"intent": kinds}) if question.kinds else 0.0


def entity_meetings(question: Question, entities: Sequence[Sequence[str]], counts: Sequence[Collection[str]]) -> list[float]:
    """OTHER_ENTITY to 1 for each turn: whether it names what the question names, or only another of the same sort.

    `counts`: the terms of each turn. What many turns name, as the account that all of them are about, tells nothing apart.
    """
    entities = [named[:MOST_ENTITIES] for named in entities]
    frequency: Counter[str] = Counter(entity for named in entities for entity in dict.fromkeys(named))
    words = {stem(word) for word in _WORD.findall(question.text)}
    # what shares no word with the question is not asked the slower question
    near = [entity for entity in frequency if not entity.isascii() or not words.isdisjoint(_stems(entity))]
    named = [entity for entity in mentioned(question.text, near) if not _is_plain_word(entity, frequency, counts)]
    most = max(_LEAST_COMMON, COMMON_ENTITY * len(entities))
    wanted = [entity for entity in dict.fromkeys([*question.entities, *question.named, *named]) if frequency[entity] <= most]
    keys = {entity_keys(entity) for entity in wanted} - {()}
    if not keys:
        return [0.0] * len(entities)
    # a date is the same with and without its year
    whole = {one for key in keys for one in (key if _DATE.fullmatch(key[0]) else key[:1])}
    whole |= {_in_month(key[0]) for key in keys if _is_month(key[0])}
    known = {one for key in keys for one in key}
    met = {entity: _met(entity, whole, known) for entity in frequency}
    sorts = {_sort(key[0]) for key in keys} - {""}
    # names are of one sort where somebody named both together: "Visa and Mastercard"
    beside = {entity for turn in entities if any(met[one] for one in turn) for entity in turn}
    others = {entity for entity, worth in met.items() if not worth and (entity in beside or _sort_of(entity) in sorts)}
    return [_meeting(turn, met, others) for turn in entities]


def _is_plain_word(entity: str, frequency: Mapping[str, int], counts: Sequence[Collection[str]]) -> bool:
    """Whether turns also have it as a word like any other: "Account" of a menu, in a store of what an account is about."""
    keys = [key for key in entity_keys(entity) if key.isascii() and key.isalpha()]
    return any(sum(stem(key) in terms for terms in counts) > max(2, 2 * frequency[entity]) for key in keys)


def _met(entity: str, whole: Collection[str], known: Collection[str]) -> float:
    keys = entity_keys(entity)
    if not keys:
        return 0.0
    if keys[0] in whole or _in_month(keys[0]) in whole or (_DATE.fullmatch(keys[0]) and keys[-1] in whole):
        return 1.0
    return VARIANT if any(key in known for key in keys) else 0.0


def _meeting(named: Sequence[str], met: Mapping[str, float], others: Collection[str]) -> float:
    if not named:
        return 0.0
    best = max(met[entity] for entity in named)
    if best > 0:
        return best
    return OTHER_ENTITY if any(entity in others for entity in named) else 0.0


def _sort_of(entity: str) -> str:
    keys = entity_keys(entity)
    return _sort(keys[0]) if keys else ""


@lru_cache(maxsize=20_000)
def _sort(key: str) -> str:
    """What an entity is one of: dates, sums in a unit, identifiers with the same letters; "" for a name, which may be anything."""
    if _DATE.fullmatch(key) or key in _MONTHS:
        return "date"
    amount = _AMOUNT.fullmatch(key)
    if amount is not None:
        return amount["unit"]
    return f"#{_DIGITS.sub('', key)}" if _DIGITS.search(key) else ""


@lru_cache(maxsize=20_000)
def _stems(entity: str) -> frozenset[str]:
    return frozenset(stem(word) for key in entity_keys(entity) for word in _WORD.findall(key))


def _is_month(key: str) -> bool:
    return key in _MONTHS or _MONTH_ALONE.fullmatch(key) is not None


@lru_cache(maxsize=20_000)
def _in_month(key: str) -> str:
    """The month of a date's key, in any year; "" for what is no date."""
    if key in _MONTHS:
        return f"month {_MONTHS.index(key) + 1:02}"
    date = _DATE.fullmatch(key)
    return f"month {date['month']}" if date is not None else ""
