"""Whether a statement stands on its sources: quotes word for word, numbers and names as they are, words in common."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from trimtab.core.summary import SummaryItem
from trimtab.distill.digest.transcript import Line
from trimtab.distill.facts import things
from trimtab.distill.sentences import MAX_SENTENCE_CHARS, sentences
from trimtab.distill.voices import MASK, mask

# numbers in digits or words; thousands may be set apart by commas
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CHINESE_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千万亿]{2,}")
_NUMBER_WORD = re.compile(r"\b(?:eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|dozen|hundred|thousand|million|billion)\b")  # fmt: skip
_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b")
# names with an underscore, inner capitals or inner dots are written, not said
_CODE_NAME = re.compile(r"\b(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+)\b", re.ASCII)
_WORD = re.compile(r"[a-z][a-z0-9_'-]{2,}|[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]+|[^\W\d_a-z]{3,}")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the and for with that this you your are not from has have had was were will would can could should must may but any all its our out "
        "use used uses using also into than then them they their there been being over user assistant about which when what who how why",
    )
)
_PLAIN_NUMBER = re.compile(r"[$€£¥]?[\d.,]+[%万亿元]*\Z")
_SUPPOSED = re.compile(
    r"^(?:if|suppose|supposing|assuming|imagine|what if|even if|were we|had we)\b[^.!?]*\b(?:would|could|might|should have|'d)\b|"
    r"^(?:假如|假设|假使|倘若|要是|如果)[^。！？]*(?:就会|会不会|可能|也许|就得|就只能)",
    re.I,
)
_REPORTED = re.compile(
    r"\b(?:says?|said|told|tells|claims?|claimed|writes?|wrote|states?|stated|according to|i heard|i read)\b[^.!?]{0,60}\b(?:must|never|always|have to|has to|should|only|not)\b|"
    r"(?:说|写着|写道|提示|规定|要求|听说|据说|声称)[^。！？]{0,30}(?:必须|不得|不要|不能|一律|只能|应该|务必|禁止)",
    re.I,
)
# of a sentence that quotes others so much must be the user's own
_LEAST_OWN_RATIO = 0.6
_SAME_STEM_CHARS = 5
# many statements stand on few texts, and some of these are long: what was found in them is remembered for a while
_MOST_TEXTS = 16
# a statement must share this part of its words with its sources
LEAST_SHARED_RATIO = 0.34


def is_meant(sentence: str) -> bool:
    """Whether a sentence of the user can lay anything down: not what is asked, what is only supposed, or what somebody
    or something else is said to say."""
    text = sentence.strip()
    if text.endswith(("?", "？")) or _SUPPOSED.search(text) or _REPORTED.search(text):
        return False
    seen = mask(text)
    return sum(mark != MASK for mark in seen) >= _LEAST_OWN_RATIO * len(seen)


def is_from(item: SummaryItem, seqs: Collection[int]) -> bool:
    """Whether all that an item stands on is among these messages of this lane."""
    return bool(item.source_ids) and not item.origin and all(seq in seqs for seq in item.source_ids)


@lru_cache(maxsize=_MOST_TEXTS)
def normal(text: str) -> str:
    """One spelling for what looks alike: full-width digits, capitals."""
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=_MOST_TEXTS)
def numbers(text: str) -> frozenset[str]:
    """The numbers of a normalized text, as compared: without the commas of thousands and without zeros in front."""
    found = {re.sub(r",(?=\d{3})", "", number).lstrip("0") or "0" for number in _NUMBER.findall(text)}
    return frozenset({*found, *_CHINESE_NUMBER.findall(text), *_NUMBER_WORD.findall(text)})


def literals(text: str) -> list[str]:
    """What a statement must have from its source as it is: identifiers, paths, addresses, dates, code names. Plain
    numbers are not among them, see `numbers`."""
    # as `normal` sees it, but for capitals, which tell code names: a letter that looks like another is that other
    text = unicodedata.normalize("NFKC", text)
    found = [piece.strip(".,;:()[]\"'，。") for thing in things(text) for piece in thing.split()]
    telling = [piece for piece in found if not _PLAIN_NUMBER.match(piece) and _is_telling(piece)]
    return list(dict.fromkeys([*telling, *_CODE_NAME.findall(text)]))


def _is_telling(piece: str) -> bool:
    return any(mark.isdigit() or mark in "@/\\_" for mark in piece) or _MONTH.search(piece.lower()) is not None


def unfounded(text: str, sources: Sequence[str]) -> str:
    """The first number or name in the text that none of the sources has; "" where all stand."""
    wholes = [normal(source) for source in sources]
    there = frozenset[str]().union(*(numbers(whole) for whole in wholes))
    absent = sorted(numbers(normal(text)) - there)
    if absent:
        return absent[0]
    return next((literal for literal in literals(text) if not any(stands_in(literal, whole) for whole in wholes)), "")


def stands_in(literal: str, whole: str) -> bool:
    """Whether a normalized text has the literal, not as a part of a longer one; "5GB" stands in "5 GB"."""
    loose = re.sub(r"(?<=\d)(?=[^\W\d])|(?<=[^\W\d])(?=\d)", "\0", normal(literal))
    pattern = re.escape(loose).replace("\0", r"\s?")
    before = r"(?<![a-z0-9_])" if literal[0].isalnum() else ""
    after = r"(?![a-z0-9_])" if literal[-1].isalnum() else ""
    return re.search(before + pattern + after, whole) is not None


def shared_ratio(text: str, sources: Iterable[str]) -> float:
    """Which part of the text's words is in the sources; 1.0 for a text without words."""
    wanted = words(text)
    if not wanted:
        return 1.0
    return len(wanted & frozenset[str]().union(*(words(source) for source in sources))) / len(wanted)


@lru_cache(maxsize=_MOST_TEXTS)
def words(text: str) -> frozenset[str]:
    """Beginnings of words, and pairs of characters of scripts without spaces."""
    found: set[str] = set()
    for word in _WORD.findall(normal(text)):
        if word.isascii():
            found |= set() if word in _COMMON else {word[:_SAME_STEM_CHARS]}
        else:
            found |= {word[at : at + 2] for at in range(len(word) - 1)} or {word}
    return frozenset(found)


def quoted(quote: str, line: Line) -> str:
    """The whole sentences of the user's own words that hold the quote, word for word; "" where there are none.

    A part of a sentence may say the opposite of the whole, so the whole stands for it. White space is taken as equal.
    """
    pieces = quote.split()
    if not pieces:
        return ""
    pattern = re.compile(r"\s+".join(map(re.escape, pieces)))
    for start, end in line.own:
        found = pattern.search(line.said, start, end)
        if found is not None and _at_word_ends(line.said, found):
            return _whole_sentences(line.said, start, end, found)
    return ""


def _at_word_ends(text: str, found: re.Match[str]) -> bool:
    inside = text[max(0, found.start() - 1) : found.start() + 1], text[found.end() - 1 : found.end() + 1]
    return not any(len(pair) == 2 and pair.isascii() and pair.isalnum() for pair in inside)


def _whole_sentences(text: str, start: int, end: int, found: re.Match[str]) -> str:
    touched = [span for span in sentences(text, start, end) if span[0] < found.end() and found.start() < span[1]]
    if not touched:
        return ""
    first, last = touched[0][0], touched[-1][1]
    return text[first:last] if last - first <= MAX_SENTENCE_CHARS else ""
