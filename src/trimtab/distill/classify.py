"""What one sentence of an author is, and which earlier item it replaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.core.summary import PINNED_FIELDS, Field, SummaryItem
from trimtab.distill import plain_en, plain_zh, rules_en, rules_zh
from trimtab.distill.sentences import MAX_SENTENCE_CHARS, mask_quotes

_WORD = re.compile(r"[a-z']+")
_LATIN_WORD = re.compile(r"[a-z]{2,}")
_KEY_WORD = re.compile(r"[a-z][a-z0-9_-]{2,}|\d[\d,.]*|[#\u4e00-\u9fff]+")
# "two nights" and "three nights" are about the same thing
_CHINESE_NUMBER = re.compile(r"[\d一二两三四五六七八九十百千万半]+(?=[\u4e00-\u9fff])")
_NUMBER = re.compile(r"\d[\d,.]*")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_STOP_WORDS = frozenset(
    _WORD.findall(
        "the and for with that this you your are not from instead rather than make let use going please actually its it's our now then have has "
        "will all any but can should must never always only okay yes want would like into was were been they them there here what when which out "
        "get one per each about after before again also just more less most least"
    )
)
_STOP_PAIRS = frozenset(
    (
        "我们",
        "一下",
        "可以",
        "不要",
        "必须",
        "还是",
        "就用",
        "改成",
        "改为",
        "决定",
        "现在",
        "之前",
        "这个",
        "那个",
        "所有",
        "一律",
        "使用",
        "不用",
        "算了",
        "取消",
        "#个",
        "#下",
        "#起",
        "#定",
        "#律",
        "#样",
        "#点",
        "#切",
    )
)
_LONGEST_CHANGE = 200  # characters
_CHANGE = re.compile(
    r"\b(?:back to|any ?more|instead|rather than|correction|turns out|drop(?:ping)? the|lift(?:ing)? the|relax(?:ing)? the|is off|are off|not needed|fine after all|may now|can now|hold on|never ?mind|update:|sorry|new (?:date|time|plan|limit|rule))\b"
    r"|改|换|不用了|不要了|放开|可以.{0,10}了|错了|不对"
)
_RULES: frozenset[Field] = frozenset({"constraint", "negative", "format", "role"})
# of the key words of the earlier item, so that a long one is not replaced by two words in passing
_LEAST_SHARE = 0.3
_REPLACEABLE: tuple[Field, ...] = ("constraint", "format", "decision", "preference", "role")


def rule_field(sentence: str, is_system: bool) -> Field | None:
    """The field of a sentence that is a rule, a preference or a decision; None for all else."""
    if len(sentence) > MAX_SENTENCE_CHARS:
        return None
    masked = mask_quotes(sentence)
    chinese = rules_zh.HAS_CHINESE.search(masked) is not None
    if chinese:
        if rules_en.is_reported(masked.lower()):
            return None
        found = _chinese_field(masked, is_system)
        if found is not None:
            return found
    if _LATIN_WORD.search(masked.lower()):
        return _english_field(masked, is_system, chinese)
    return None


def _english_field(masked: str, is_system: bool, chinese: bool) -> Field | None:
    lower = plain_en.spelled(masked.lower().replace("’", "'"))
    field = None
    if not rules_en.TRIGGERS.isdisjoint(rules_en.words_of(lower)):
        field = rules_en.classify(lower)
    if field is not None or chinese:
        return field
    order = plain_en.without_courtesy(lower)
    if order != lower and not rules_en.TRIGGERS.isdisjoint(rules_en.words_of(order)):
        field = rules_en.classify(order)
    if field is None and order == lower:
        field = plain_en.asked_with(lower)
    if field is None:
        plain = rules_en.plain(order)
        field = plain_en.classify(plain, is_system) if plain else None
    return field


def _chinese_field(masked: str, is_system: bool) -> Field | None:
    text = plain_zh.spelled(masked)
    field = rules_zh.classify(text)
    if field is not None:
        return field
    order = plain_zh.without_courtesy(text)
    if order != text:
        field = rules_zh.classify(order)
    if field is None:
        plain = rules_zh.plain(order)
        field = plain_zh.classify(plain, is_system) if plain else None
    return field


def is_todo(sentence: str) -> bool:
    """Whether the sentence names work that is still to be done."""
    if len(sentence) > 300:
        return False
    return rules_en.is_todo(sentence) or rules_zh.is_todo(sentence) or plain_en.is_todo(sentence.lower()) or plain_zh.is_todo(sentence)


def key_words(text: str) -> set[str]:
    """What a sentence is about: words without their endings, numbers, pairs of Chinese characters."""
    keys: set[str] = set()
    lower = text.lower()
    for word in _KEY_WORD.findall(_CHINESE_NUMBER.sub("#", lower)) + _NUMBER.findall(lower):
        if word[0] == "#" or "\u4e00" <= word[0] <= "\u9fff":
            keys.update(pair for at in range(len(word) - 1) if (pair := word[at : at + 2]) not in _STOP_PAIRS)
        elif word not in _STOP_WORDS:
            keys.add(word.rstrip(".,") if word[0].isdigit() else _ENDING.sub("", word))
    return keys


def reversal_strength(sentence: str) -> int:
    """2 where the sentence says that it changes something, 1 where it may if it speaks of something known, else 0."""
    if rules_en.is_reported(sentence.lower()):
        return 0
    return max(plain_en.reversal_strength(sentence.lower().replace("’", "'")), plain_zh.reversal_strength(sentence))


def changes_something(active: Sequence[SummaryItem], field: Field | None, sentence: str) -> bool:
    """Whether the sentence is a decision because it changes one of the active items, though it may not be plain which.

    Short of a plain reference nothing is superseded; the decision stands beside the older item, and is the newer one.
    """
    if field not in (None, "constraint", "format", "preference") or len(sentence) > _LONGEST_CHANGE:
        return False
    lower = sentence.lower().replace("’", "'")
    if (
        lower.rstrip().endswith(("?", "？"))
        or rules_en.is_reported(lower)
        or not (_CHANGE.search(lower) or reversal_strength(sentence) == 2)
    ):
        return False
    keys = {key for key in key_words(sentence) if not key[0].isdigit()}
    return any(item.status == "active" and item.field in (*_REPLACEABLE, "negative") and keys & key_words(item.text) for item in active)


def superseded_by(active: Sequence[SummaryItem], field: Field | None, sentence: str) -> str:
    """The id of the one active item that a reversal plainly refers to, or "".

    Two key words in common will do for a decision, or one where the sentence says that it changes something; a rule takes
    one more, and all take a fair share of the key words of the earlier item. Of two that fit equally well it is neither.
    """
    if field is not None and field not in PINNED_FIELDS | {"preference"}:
        return ""
    strength = reversal_strength(sentence)
    if not strength:
        return ""
    keys = key_words(sentence)
    values = [*rules_en.old_values(sentence), *rules_zh.old_values(sentence)]
    old = [re.compile(rf"(?<![a-z0-9.]){re.escape(value)}(?![a-z0-9])") for value in values if value]
    matches: list[tuple[float, str]] = []
    for item in active:
        if item.status != "active" or item.field not in (*_REPLACEABLE, "negative"):
            continue
        common = keys & key_words(item.text)
        shared = len(common)
        words = sum(not key[0].isdigit() for key in common)
        named = any(value.search(item.text.lower()) for value in old)
        # a rule takes more than a decision: one that is lost by mistake is lost for good
        needed = 3 - strength + (item.field in _RULES)
        enough = shared >= max(needed, _LEAST_SHARE * len(key_words(item.text))) and words >= 1
        if enough or (named and shared and item.field == field != "negative"):
            matches.append((shared + named, item.item_id))
    matches.sort(reverse=True)
    if not matches or (len(matches) > 1 and matches[0][0] == matches[1][0]):
        return ""
    return matches[0][1]
