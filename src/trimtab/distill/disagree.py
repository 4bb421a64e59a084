"""Where a text from elsewhere says other than what was decided: another value of the same thing, or what a rule forbids.

A mention is not enough. The sentence must speak of what the item is about (by nearly all its words), assert something of
now, and give a value that cannot hold beside the item's. A false conflict stops somebody's agent; a missed one leaves the
decision standing in the prompt all the same. So where it is not plain, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from trimtab.core.conflicts import ConflictKind
from trimtab.core.summary import PINNED_FIELDS, SummaryItem
from trimtab.distill.aspects import aspects
from trimtab.distill.bans import ban_of
from trimtab.distill.quantities import Quantity, clashing, quantities
from trimtab.distill.sentences import sentences
from trimtab.distill.subjects import Subject, covered, options_of, subject_of

_MAX_TEXT_CHARS, _MAX_SENTENCES, _MAX_SENTENCE_CHARS, _MAX_ITEMS = 40_000, 300, 400, 400
# what is not said of now, or not asserted
_NOT_ASSERTED = re.compile(
    r"\?\s*$|\b(?:if|unless|whether|suppose|imagine|assume|assuming|example|e\.g|such as|would|could|might|perhaps|maybe|used to|was|were|had|did|ran|"
    r"formerly|previously|earlier|originally|no longer|last (?:year|month|week|time)|yesterday|ago|until|before \d{4}|in (?:19|20)\d\d|competit\w+|rival\w*|"
    r"other (?:companies|teams|people|projects|vendors)|some|many|most (?:people|companies|teams)|often|sometimes|typically|usually|generally|"
    r"better|propos\w*|suggest\w*|consider\w*|draft|obsolete|deprecated|superseded|either)\b|[a-z]'d\b|\bthan\b",
    re.I,
)
_NOT_ASSERTED_ZH = re.compile(
    r"[？?]\s*$|如果|若|假如|假设|倘若|例如|比如|譬如|曾|以前|之前|去年|前年|上[个]?月|上周|过去|原[来先定]|当时|昨天|竞[品争]|对手|友商|同行|有的|有些|某些|很多|许多|大多|多数|"
    r"一般|通常|往往|有时|可能|也许|或许|据说|听说|要不要|是否|能不能|吗|建议|考虑|草案|草稿|作废|废止|不再|更[好佳]|比较|(?:19|20)\d\d年|都可以|均可|除非|共[有计]?\d"
)
_NEGATED = re.compile(
    r"\b(?:not|never|no|without|avoid|cannot|can't|don't|doesn't|mustn't|isn't|aren't|won't|shouldn't|neither|nor|nothing|forbid\w*|forbidden|"
    r"prohibit\w*|banned|free of|except)\b|不|勿|禁|未|无[需须法权]|别(?!人)|避免|杜绝",
    re.I,
)
_LEAST_COVER, _LEAST_BAN_COVER = 0.75, 0.8
# aspects whose words mean something else too often to carry a conflict
_LOOSE_ASPECTS = frozenset(
    {"place", "time", "remedy", "gender", "person", "seat", "tone", "shape", "view", "bed", "chart", "gross", "average"}
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


class Disagreement(Struct, frozen=True, array_like=True):
    """A sentence of the text against an item."""

    item_id: str
    sentence: str
    kind: ConflictKind = "value"


class _Side(Struct, frozen=True):
    """One sentence, read once."""

    text: str
    subject: Subject
    quantities: tuple[Quantity, ...]
    is_negated: bool


def disagreements(text: str, items: Sequence[SummaryItem]) -> list[Disagreement]:
    """The sentences of a text that say other than an active rule or decision, or answer an open question.

    Args:
        text: a fragment; the first 40,000 characters and 300 sentences are looked at.
        items: rules, decisions and open questions; the newest 400 that are active. Of other fields nothing is compared.
    Returns:
        at most one for an item, in the order of the text.
    """
    live = [item for item in items if item.status == "active" and (item.field in PINNED_FIELDS or item.field == "question")][-_MAX_ITEMS:]
    return list(_found(text[:_MAX_TEXT_CHARS], tuple(live))) if live else []


@lru_cache(maxsize=64)
def _found(text: str, live: tuple[SummaryItem, ...]) -> tuple[Disagreement, ...]:
    """Remembered: the same fragments stand in every prompt of a turn."""
    found: dict[str, Disagreement] = {}
    for sentence in _asserted(text):
        ours = _side(sentence)
        for item in live:
            if item.item_id in found or not _touches(ours.subject, _subject(item)):
                continue
            if item.field == "question":
                if _answers(ours, item.text):
                    found[item.item_id] = Disagreement(item.item_id, sentence, "open_question")
            elif _says_other(ours, item):
                found[item.item_id] = Disagreement(item.item_id, sentence)
    return tuple(found.values())


def adopts(text: str, item: SummaryItem, sentence: str) -> bool:
    """Whether a text takes over what a fragment's sentence says against the item: in its words, or with its value. One that
    names the item's value too tells of the conflict, and adopts nothing."""
    bare = " ".join(text.split())
    if not bare or item.text in text:
        return False
    if " ".join(sentence.split()) in bare:
        return True
    # where the fragment gives no value, it does or omits what the rule is about, and so does the text
    has_value = gives_value(sentence, sentence, item.text)
    return any(
        item.field == "question" or not has_value or gives_value(row.sentence, sentence, item.text) for row in disagreements(text, [item])
    )


def gives_value(sentence: str, text: str, unlike: str) -> bool:
    """Whether the sentence gives a value that `text` has and `unlike` has not."""
    ours, theirs, others = (_side(part[:_MAX_SENTENCE_CHARS]) for part in (sentence, text, unlike))
    here, there, elsewhere = aspects(ours.text), aspects(theirs.text), aspects(others.text)
    for aspect, values in there.items():
        if not aspect.startswith("unit:") and here.get(aspect, frozenset()) & values - elsewhere.get(aspect, frozenset()):
            return True
    spans = [(one.unit, one.low, one.high) for one in others.quantities]
    own = {(one.unit, one.low, one.high) for one in theirs.quantities} - set(spans)
    return any((one.unit, one.low, one.high) in own for one in ours.quantities)


def _asserted(text: str) -> Iterator[str]:
    """The sentences that claim something of now."""
    for count, (start, end) in enumerate(sentences(text, 0, min(len(text), _MAX_TEXT_CHARS))):
        if count >= _MAX_SENTENCES:
            return
        sentence = text[start:end]
        if len(sentence) > _MAX_SENTENCE_CHARS or sentence.startswith("|"):
            continue  # a passage, a row of a table
        pattern = _NOT_ASSERTED_ZH if _CHINESE.search(sentence) else _NOT_ASSERTED
        if not pattern.search(sentence.replace("’", "'")):
            yield sentence


@lru_cache(maxsize=2_048)
def _side(text: str) -> _Side:
    return _Side(text, subject_of(text), quantities(text), _NEGATED.search(text) is not None)


def _subject(item: SummaryItem) -> Subject:
    return _side(item.text[:_MAX_SENTENCE_CHARS]).subject


def _touches(ours: Subject, theirs: Subject) -> bool:
    return not ours.words.isdisjoint(theirs.words) or not ours.pairs.isdisjoint(theirs.pairs)


def _says_other(ours: _Side, item: SummaryItem) -> bool:
    theirs = _side(item.text[:_MAX_SENTENCE_CHARS])
    if _gives_another_value(ours, theirs):
        return True
    forbids = item.field == "negative" or (item.field in ("constraint", "decision") and ban_of(item.text) is not None)
    if forbids:
        return not ours.is_negated and not theirs.quantities and _covers_all(ours, theirs)
    # what must be done, and is forbidden there
    plain = item.field in ("constraint", "decision", "format") and not theirs.quantities and not theirs.is_negated
    return plain and ours.is_negated and ban_of(ours.text) is not None and _covers_all(ours, theirs) and _is_much(theirs.subject)


def _is_much(subject: Subject) -> bool:
    return len(subject.words) >= 3 or len(subject.marks) >= 6


def _covers_all(ours: _Side, theirs: _Side) -> bool:
    cover = covered(ours.subject, theirs.subject, whole=True)
    return cover.share >= _LEAST_BAN_COVER and cover.count >= 2


def _gives_another_value(ours: _Side, theirs: _Side) -> bool:
    for values, others in _clashes(ours, theirs):
        mine, its = ours.subject.without(values | others), theirs.subject.without(values | others)
        cover = covered(mine, its)
        if cover.share >= _LEAST_COVER and (cover.count >= 2 or cover.is_plain):
            return True
    return False


def _clashes(ours: _Side, theirs: _Side) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The words of both values, for each aspect that both settle in a way that only one can hold."""
    if clashing(ours.quantities, theirs.quantities):
        yield frozenset(one.word for one in ours.quantities), frozenset(one.word for one in theirs.quantities)
    if ours.is_negated != theirs.is_negated:
        # "not in red" beside "in blue" says nothing else
        return
    here, there = _plain_aspects(ours), _plain_aspects(theirs)
    for aspect, values in there.items():
        mine = here.get(aspect, frozenset())
        if mine and not aspect.startswith("unit:") and aspect not in _LOOSE_ASPECTS and not mine & values and _differ(aspect, mine, values):
            yield frozenset(mine), frozenset(values)


def _plain_aspects(side: _Side) -> dict[str, frozenset[str]]:
    """The aspects without what only counts: in "100 words" no file, in "40 euros" no choice of a currency."""
    found = {aspect: frozenset(values) for aspect, values in aspects(side.text).items()}
    if any(one.word == "word" for one in side.quantities) and "file" in found:
        found["file"] -= {"word"}
    if any(one.unit in "€$£¥" for one in side.quantities):
        found.pop("currency", None)
    return found


def _differ(aspect: str, mine: Iterable[str], values: Iterable[str]) -> bool:
    if aspect not in ("date", "clock"):
        return True
    # "12 May" and "May 12, 2026" are one day: a difference must be in the figures
    figures = [{figure for text in side for figure in re.findall(r"\d+", text)} for side in (mine, values)]
    if not figures[0] or not figures[1]:
        return False
    return not (figures[0] <= figures[1] or figures[1] <= figures[0])


def _answers(ours: _Side, question: str) -> bool:
    """Whether the sentence makes one of the choices that the question leaves open."""
    options = options_of(question)
    if len(options) < 2 or ours.is_negated:
        return False
    named = [option for option in options if option.is_in(ours.text)]
    if len(named) != 1 or not named[0].is_chosen_in(ours.text):
        return False
    values = frozenset(word for option in options for word in option.words)
    rest = _side(question[:_MAX_SENTENCE_CHARS]).subject.without(values)
    cover = covered(ours.subject.without(values), rest)
    return cover.share >= _LEAST_COVER and (cover.count >= 2 or cover.is_plain)
