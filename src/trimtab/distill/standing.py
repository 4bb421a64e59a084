"""How a sentence stands to the items that are active: whether it gives one of them another value.

"Down to 3 % per position" is plain only beside "risk limit 5 % per position". Where two items fit, or hardly one, none is
meant: a rule that goes by chance is worse than one that stays too long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache

from msgspec import Struct

from trimtab.core.summary import Field, SummaryItem
from trimtab.distill.aspects import aspects, characters, keys, topic
from trimtab.distill.bans import ban_of
from trimtab.distill.changes import Change, adds, ordered_change, own_words

_MAX_CHARS, _MAX_CANDIDATES = 240, 400
# points: the old value by name, another value of one aspect, a word or two characters in common, single characters
_NAMED, _CLASH, _WORD, _MARKS = 2.0, 2.0, 1.0, 0.8
_MAX_WORDS = 3.0
# by how much the best must be better than the next, and the share of it that may be less where the next has only words
_MARGIN = 1.0
# what may be given without a word of what it is about, where one item alone has such a value
_TELLING = (
    "language",
    "naming",
    "indent",
    "file",
    "color",
    "seat",
    "transport",
    "store",
    "code",
    "average",
    "currency",
    "scale",
    "case",
    "system",
    "shape",
    "view",
    "remedy",
    "tone",
    "unit:",
)
# too much in talk to stand for anything by itself
_COMMON_UNITS = frozenset(
    (
        "unit:",
        "unit:day",
        "unit:hour",
        "unit:minut",
        "unit:week",
        "unit:month",
        "unit:year",
        "unit:time",
        "unit:天",
        "unit:年",
        "unit:个",
        "unit:次",
        "unit:小时",
        "unit:点",
        "unit:分钟",
        "unit:one",
        "unit:号",
        "unit:人",
        "unit:%",
        "unit:percent",
        "unit:money",
        "unit:元",
        "unit:euro",
        "unit:eur",
    )
)
_FIGURES = frozenset("零一二两三四五六七八九十百千万半几")
_LIMIT = re.compile(
    r"不(?:得|能|要|可)?(?:超过|低于|少于|多于|高于|超|满)|\b(?:no|not|never) (?:\w+ )?(?:more|less|fewer|longer|later|earlier|over|above|below|under|before|after|exceed)\b",
    re.I,
)
_RULES: frozenset[Field] = frozenset({"constraint", "format", "negative"})
_SHORT_CHARS, _SHORT_CHARS_ZH = 80, 26
_QUOTED = re.compile(r"[\"“][^\"“”]*[\"”]|「[^」]*」")
_HELD = re.compile(r"还是|仍|\b(?:still|back to|after all)\b", re.I)
_DIGITS = re.compile(r"\d[\d.,:]*")
# the share of an item's words that the sentence must have, where it names the old value, and where words are all there is
_LEAST_SHARE, _LEAST_SHARE_OF_CLASH, _LEAST_SHARE_OF_WORDS, _LEAST_SHARE_OF_FIGURES = 0.3, 0.25, 0.4, 0.6
# words of a bound or of politeness say nothing of what a rule is about
_BARE = frozenset(
    keys(
        "hour day week month year minute time max maximum min minimum most least limit limits cap down up within please no only at per every each about around exactly roughly"
    )
)
_NUMBERS = keys("one two three four five six seven eight nine ten eleven twelve dozen")
_BOUND = keys("max maximum min minimum most least limit cap exactly")
_BARE_ZH = re.compile(r"[最至]多|[最至]少|不?超过|以内|以上|以下|之内|不低于|上限|下限|控制在|改为|改成|调到|大约|左右|[减加降提放缩]到")


class Standing(Struct, frozen=True):
    """The item that a sentence gives another value, and how surely: `plain` where it has the old value by name, or
    another value of the same aspect and a word of what it is about."""

    item_id: str
    plain: bool


class _Fit(Struct):
    item: SummaryItem
    named: bool
    clash: int
    words: float
    share: float
    telling: bool

    @property
    def score(self) -> float:
        return _NAMED * self.named + _CLASH * min(self.clash, 2) + min(self.words, _MAX_WORDS)


class _Side(Struct, frozen=True):
    """What is compared: the key words without values, how much they weigh with the number words among them, the values
    by aspect, all key words, single Chinese characters, figures."""

    words: frozenset[str]
    size: float
    values: Mapping[str, Set[str]]
    keys: frozenset[str]
    marks: frozenset[str]
    figures: tuple[str, ...]


def changed_item(sentence: str, active: Sequence[SummaryItem]) -> Standing | None:
    """The active item that the user orders to be otherwise with this sentence, or None.

    Args:
        sentence: the user's words, as `mended` gives them.
        active: the items that may be replaced, oldest first; the newest 400 are looked at.
    """
    if not sentence.strip() or len(sentence) > _MAX_CHARS:
        return None
    candidates = active[-_MAX_CANDIDATES:]
    change = ordered_change(sentence)
    if change is None:
        return None
    ours = _side(change.text)
    fits = [fit for fit in (_fit(ours, change, item) for item in candidates) if fit.score]
    _drop_what_is_common(fits)
    good = [fit for fit in fits if _is_meant(fit, change, fits)]
    best = _single(good, fits)
    if best is None:
        return None
    return Standing(best.item.item_id, best.named or (best.clash > 0 and best.words >= _MARKS))


def restated_rule(sentence: str, active: Sequence[SummaryItem]) -> str:
    """The id of the one active rule that says the same with another value ("answers in French" after "answers in
    German"), or "". For sentences that are rules themselves; they need no word of a change."""
    if not sentence.strip() or len(sentence) > _MAX_CHARS:
        return ""
    text = own_words(sentence)
    if not text or adds(text):
        return ""
    rules = [item for item in active[-_MAX_CANDIDATES:] if item.field in _RULES and not _is_ban(item)]
    for part in text.split(", "):
        ours = _side(part)
        same = [item.item_id for item in rules if _restates(ours, _side(item.text))] if ours.values else []
        if same:
            return same[0] if len(same) == 1 else ""
    return ""


@lru_cache(maxsize=4_096)
def _side(text: str) -> _Side:
    bare = _BARE_ZH.sub(" ", _QUOTED.sub(" ", text))
    values = aspects(text)
    counted = frozenset(aspect.removeprefix("unit:") for aspect in values)
    said = frozenset(key for key in topic(bare) - _BARE - counted if not _FIGURES & set(key))
    words = said - _NUMBERS
    return _Side(words, _weight(said), values, keys(bare), characters(bare), tuple(_DIGITS.findall(text)))


def _fit(ours: _Side, change: Change, item: SummaryItem) -> _Fit:
    theirs = _side(item.text)
    named = bool(change.old & theirs.keys) or any(not word.isascii() and word in item.text for word in change.old)
    clash = [aspect for aspect in ours.values if _differs(ours.values[aspect], theirs.values.get(aspect, frozenset()), aspect)]
    telling = any(aspect.startswith(_TELLING) and aspect not in _COMMON_UNITS for aspect in clash)
    words = _weight(ours.words & theirs.words)
    if not words:
        words = _MARKS * (len(ours.marks & theirs.marks) >= 2)
    share = words / max(theirs.size, _WORD)
    # a figure that counts nothing by name: "batch size 64"; of two figures ("plan 2 for part 2") one tells it apart
    figures = (
        not clash and share >= _LEAST_SHARE_OF_FIGURES and len(ours.figures) == len(theirs.figures) == 1 and ours.figures != theirs.figures
    )
    return _Fit(item, named, len(clash) + figures, words, share, telling)


def _differs(ours: Set[str], theirs: Set[str], aspect: str) -> bool:
    """Another value: none in common, or the old one and a new one ("from two to one")."""
    if not theirs or aspect == "unit:":
        return False
    return not (ours & theirs) or (theirs < ours)


def _weight(shared: frozenset[str]) -> float:
    """English words count one each; of Chinese pairs every two characters, for pairs overlap."""
    english = sum(key.isascii() for key in shared)
    return english * _WORD + len({mark for key in shared if not key.isascii() for mark in key}) / 2


def _drop_what_is_common(fits: list[_Fit]) -> None:
    """A value by itself tells nothing where several items have such a value."""
    telling = [fit for fit in fits if fit.clash]
    if len(telling) > 1:
        for fit in telling:
            fit.telling = False


def _is_meant(fit: _Fit, change: Change, fits: Sequence[_Fit]) -> bool:
    if fit.item.field == "role" and not fit.named:
        return False
    if _is_ban(fit.item):
        # bans are lifted by words of a permission
        return False
    if (change.adds and not fit.named) or _is_held(fit, change):
        return False
    if fit.named and (fit.clash or fit.share >= _LEAST_SHARE):
        return True
    if fit.clash:
        return (fit.words >= _MARKS and fit.share >= _LEAST_SHARE_OF_CLASH) or (fit.telling and not (change.denies and change.old))
    # words alone: it is about the same thing, whose value is of no known kind
    if fit.share < _LEAST_SHARE_OF_WORDS:
        return False
    if change.weak or (change.denies and change.old) or len(change.text) > (_SHORT_CHARS if change.text.isascii() else _SHORT_CHARS_ZH):
        return False
    return fit.words >= 1.5 or (fit.words >= _MARKS and sum(other.words > 0 for other in fits) == 1)


def _is_held(fit: _Fit, change: Change) -> bool:
    """Whether the sentence ends on the item's own value ("Friday would do, 不过还是周四")."""
    theirs = _side(fit.item.text).values
    for part in change.text.split(", "):
        if _HELD.search(part):
            ours = _side(part).values
            return any(theirs.get(aspect) == found for aspect, found in ours.items())
    return False


def _single(good: Sequence[_Fit], fits: Sequence[_Fit]) -> _Fit | None:
    if not good:
        return None
    ranked = sorted(good, key=lambda fit: -fit.score)
    best = ranked[0]
    # a ban is no rival unless the sentence is more about it
    rivals = [fit for fit in fits if fit is not best and fit.score > best.score - (0.0 if _is_ban(fit.item) else _MARGIN)]
    return None if rivals else best


def _is_ban(item: SummaryItem) -> bool:
    """Whether the item forbids; a bound ("no more than five", 不超过) does not."""
    if _LIMIT.search(item.text):
        return False
    return item.field == "negative" or (item.field == "constraint" and ban_of(item.text) is not None)


def _restates(ours: _Side, theirs: _Side) -> bool:
    """Whether both say the same but for the value. What has no word beside its value must be a bound ("at most 8 people")."""
    clash = [
        aspect
        for aspect in ours.values
        if aspect in theirs.values and not ours.values[aspect] & theirs.values[aspect] and aspect != "unit:"
    ]
    # "every two weeks" counts weeks too
    if not clash or {aspect for aspect in ours.values.keys() - theirs.values.keys() if aspect not in _COMMON_UNITS} - {"rhythm"}:
        return False
    return ours.words == theirs.words and bool(ours.words or _BOUND & ours.keys & theirs.keys)
