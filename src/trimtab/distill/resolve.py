"""Which earlier item a sentence replaces or lifts. Never by a guess between two that fit equally well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from trimtab.core.summary import PINNED_FIELDS, Field, SummaryItem
from trimtab.distill.aspects import aspects, characters, conflicts, keys
from trimtab.distill.bans import ban_of, is_lifted, permission_of
from trimtab.distill.changes import is_change, is_supposed, is_unchanged, names_a_change, old_words, own_words, turns_back
from trimtab.distill.choices import choice_text, picked
from trimtab.distill.settle import settled
from trimtab.distill.standing import changed_item, restated_rule

__all__ = [
    "changed_item",
    "choice_text",
    "is_change",
    "lifts",
    "names_a_change",
    "picked",
    "restated_rule",
    "settled",
    "superseded",
    "turns_back",
]

_REPLACEABLE = PINNED_FIELDS | {"preference"}
_BANNING: frozenset[Field] = frozenset({"negative", "constraint", "format", "preference"})
_MAX_SENTENCE_CHARS, _MAX_CONTEXT_CHARS = 1_000, 400
# so many of the newest replaceable items are looked at
_MAX_CANDIDATES = 400
# points: the old value by name; a key word in common; one aspect with two values; a character or a word around it
_NAMED, _SHARED, _CONFLICT, _ECHO = 4.0, 1.0, 2.0, 0.4
_MAX_SHARED = 4
# what a reversal must reach, and by how much it must be better than the next
_LEAST, _MARGIN = 0.8, 0.3
# what a sentence with words of a change must reach that is not taken for a reversal: one aspect with two values and a word, or two words
_PLAIN = 2.0
# a reversal that names nothing means the newest decision, where that was made just now
_RECENT_ITEMS = 12
# what a reversal may replace for a word in common; of a rule it must have the old value, another value, or a share of its words
_CHOSEN: frozenset[Field] = frozenset({"decision", "preference"})
_LEAST_SHARE = 0.4
# when something is; said again, it stands
_DAYS = ("weekday", "date", "clock")


class _Match(Struct):
    """How well an item fits: `score` in points; `words` of the sentence that name it (a context does not); `kept` where
    the sentence says its day again, `worded` where more than a value speaks for it, `close` where another value or a good part of its words does."""

    item: SummaryItem
    score: float
    words: float
    named: bool
    kept: bool
    worded: bool
    close: bool
    clash: bool


def superseded(sentence: str, field: Field, active: Sequence[SummaryItem], *, is_reversal: bool, context: str = "") -> str:
    """The id of the one active item that the sentence takes the place of, or "".

    Args:
        sentence: the user's words.
        field: what the sentence itself is taken for.
        active: the active items before it, oldest first.
        is_reversal: whether the sentence as a whole is taken for a change. Otherwise only the old value by name will do,
            or words of a change with two key words or another value of the same aspect.
        context: the message around it; its words count less, and name nothing that was forbidden.
    """
    if not sentence.strip() or len(sentence) > _MAX_SENTENCE_CHARS or is_supposed(sentence):
        return ""
    if is_unchanged(sentence):
        return ""
    banned = lifts(sentence, active, context=context)
    if banned:
        return banned
    candidates = _candidates(sentence, active)
    if not own_words(sentence) and not sentence.rstrip().endswith(("?", "？")):
        # what others did, what is weighed or remembered, replaces no rule
        candidates = [item for item in candidates if item.field in _CHOSEN]
    matches = sorted(_matches(sentence, candidates, context), key=lambda match: -match.score)
    is_changed = is_change(sentence)
    matches = [match for match in matches if _fits(match, field, is_reversal, is_changed)]
    if matches:
        best = matches[0]
        rivals = [other for other in matches[1:] if best.score - other.score < _MARGIN]
        return "" if rivals else best.item.item_id
    return _unnamed(sentence, candidates, active) if is_reversal else ""


def lifts(sentence: str, active: Sequence[SummaryItem], *, context: str = "") -> str:
    """The id of the one active ban that the sentence lifts ("emojis are fine again", 可以用表情了), or "".

    The sentence must permit or withdraw, and its own words must name what was forbidden.
    """
    if not sentence.strip() or len(sentence) > _MAX_SENTENCE_CHARS:
        return ""
    permission = permission_of(sentence, context[:_MAX_CONTEXT_CHARS])
    if permission is None:
        return ""
    matches: list[tuple[float, str]] = []
    for item in _candidates(sentence, active):
        ban = ban_of(item.text) if item.field in _BANNING else None
        covered = is_lifted(ban, permission) if ban is not None else 0.0
        if covered:
            matches.append((covered, item.item_id))
    matches.sort(reverse=True)
    if not matches or (len(matches) > 1 and matches[0][0] == matches[1][0]):
        return ""
    return matches[0][1]


def _candidates(sentence: str, active: Sequence[SummaryItem]) -> list[SummaryItem]:
    found = [item for item in active if item.status == "active" and item.field in _REPLACEABLE and item.text.strip() != sentence.strip()]
    return found[-_MAX_CANDIDATES:]


def _matches(sentence: str, candidates: Iterable[SummaryItem], context: str) -> Iterator[_Match]:
    around = context[:_MAX_CONTEXT_CHARS] + " " + context[-_MAX_CONTEXT_CHARS:]
    ours, marks, settled_here = keys(sentence), characters(sentence), aspects(sentence)
    theirs_around = keys(around) - ours
    old = old_words(sentence)
    for item in candidates:
        theirs = keys(item.text)
        shared = ours & theirs
        named = bool(old & theirs) or _old_by_name(old, item.text)
        words = _SHARED * min(len(shared), _MAX_SHARED)
        if named and not shared:
            words += _SHARED
        settled_there = aspects(item.text)
        clash = _CONFLICT * min(conflicts(settled_here, settled_there), 2)
        kept = not clash and any(
            aspect in settled_there and settled_there[aspect] <= settled_here.get(aspect, frozenset()) for aspect in _DAYS
        )
        echo = _ECHO * min(len(marks & characters(item.text)), 3) if not shared else 0.0
        around_it = 2 * _ECHO * min(len(theirs_around & theirs), 2)
        score = words + clash + echo + around_it + (_NAMED if named else 0.0) + (0.2 if item.field == "decision" else 0.0)
        if words or clash or echo or around_it:
            adds = any(settled_there.get(aspect, settled_here[aspect]) < settled_here[aspect] for aspect in settled_here)
            close = bool(clash) or adds or len(shared) >= _LEAST_SHARE * len(theirs) or echo >= 2 * _ECHO
            yield _Match(item, score, words + clash + echo, named, kept and not named, bool(words or echo), close, bool(clash))


def _fits(match: _Match, field: Field, is_reversal: bool, is_changed: bool) -> bool:
    item = match.item
    if match.kept:
        # "Thursday it is after all" beside "meeting on Thursday" says what stands
        return False
    if item.field == "negative" or (item.field == "constraint" and ban_of(item.text) is not None):
        # what was forbidden is lifted by lifts(), or replaced by a sentence that names it and forbids otherwise
        return is_reversal and match.words >= 2 and field == "negative"
    if is_reversal:
        # a rule is replaced by words of the sentence itself; a decision also by what stands around it
        if item.field not in _CHOSEN and not (match.named or (match.close and (is_changed or match.clash))):
            return False
        return match.words >= _LEAST or (item.field == "decision" and match.score >= 2 * _LEAST)
    if (
        match.named
        and match.words >= _SHARED
        and (match.close or item.field in _CHOSEN)
        and (item.field == field or match.score >= _NAMED + 2 * _SHARED)
    ):
        return True
    if field == "decision" == item.field:
        return is_changed and match.worded and match.words >= _SHARED
    return is_changed and match.worded and match.close and match.words >= _PLAIN


def _unnamed(sentence: str, candidates: Sequence[SummaryItem], active: Sequence[SummaryItem]) -> str:
    """The newest decision, for a change that names nothing of what it changes ("scratch that"). What names an old value
    that no item has, or a value of another kind, means something else; and no rule goes by a guess."""
    if not is_change(sentence) or old_words(sentence) or aspects(sentence):
        return ""
    decisions = [item for item in candidates if item.field == "decision"]
    recent = {item.item_id for item in active[-_RECENT_ITEMS:]}
    return decisions[-1].item_id if decisions and decisions[-1].item_id in recent else ""


def _old_by_name(old: set[str], text: str) -> bool:
    """Single Chinese characters and figures, which are no key words."""
    return any(len(word) == 1 and not word.isascii() and word in text for word in old)
