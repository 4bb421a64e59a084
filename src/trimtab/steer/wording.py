"""Small things that every reader of a model's words needs: plain forms, names with typos, JSON inside of prose."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

# readers look at the beginning of a text, never at all of a long one
MOST_CHARS = 20_000
_MOST_NAME_CHARS = 120
_MOST_STARTS = 12
_LEAST_ALIKE = 0.84
_LEAST_TYPO_CHARS = 5
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]+")
_NOT_NAME = re.compile(r"[\W_]+")
_FENCED = re.compile(r"```[a-zA-Z]{0,10}[ \t]*\r?\n(.*?)```", re.DOTALL)
_DIGITS = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_decoder = json.JSONDecoder()


def folded(text: str) -> str:
    """In lower case as patterns that ignore case read it: a word that they would find stands in it letter by letter."""
    plain_letters = text if text.isascii() else text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s")
    return plain_letters.lower()


def is_chinese(text: str) -> bool:
    """Whether most of its words are Chinese; a character counts as half a word."""
    head = text[:2_000]
    return len(_HAN.findall(head)) > 2 * len(_LATIN.findall(head))


def plain(text: str) -> str:
    """One form for names: no case, no marks, full width as half width."""
    return _NOT_NAME.sub(" ", unicodedata.normalize("NFKC", text[:MOST_CHARS]).casefold()).strip()


def quoted(text: str, most: int = 80) -> str:
    """In one line, cut short."""
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def named_in(text: str, names: Sequence[str]) -> str:
    """The one name that stands in the text, the longest where one holds the other; "" for none or several."""
    said = f" {plain(text)} "
    found = [name for name in names if _stands_in(plain(name), said)]
    outer = [name for name in found if not any(name != other and plain(name) in plain(other) for other in found)]
    return outer[0] if len(outer) == 1 else ""


def _stands_in(name: str, said: str) -> bool:
    if not name:
        return False
    # Chinese is written without spaces: a name there may touch other words
    return name in said if _HAN.search(name) else f" {name} " in said


def nearest(text: str, names: Sequence[str]) -> str:
    """The one name that the text is, but for typos; "" for none. Names that differ only in a number are never mixed up."""
    said = plain(text)[:_MOST_NAME_CHARS]
    exact = [name for name in names if plain(name) == said]
    if len(exact) == 1:
        return exact[0]
    if len(said) < _LEAST_TYPO_CHARS and not _HAN.search(said):
        return ""
    numbers = re.findall(r"\d+", said)
    scored = sorted(
        (
            (_alike(said, plain(name)[:_MOST_NAME_CHARS]), name)
            for name in names
            if re.findall(r"\d+", plain(name)) == numbers
        ),
        reverse=True,
    )  # fmt: skip
    if not scored or scored[0][0] < _LEAST_ALIKE:
        return ""
    rival = scored[1][0] if len(scored) > 1 else 0.0
    return scored[0][1] if scored[0][0] - rival >= 0.05 else ""


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def number_of(text: str) -> int:
    """A number in figures or in Chinese characters up to 99; 0 for none."""
    text = unicodedata.normalize("NFKC", text.strip())
    if text.isascii() and text.isdigit():
        return int(text) if len(text) < 5 else 0
    if not text or any(char not in _DIGITS and char != "十" for char in text):
        return 0
    if "十" not in text:
        return _DIGITS[text] if len(text) == 1 else 0
    tens, _, ones = text.partition("十")
    if len(tens) > 1 or len(ones) > 1:
        return 0
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def json_in(text: str) -> list[dict[str, Any]]:
    """The JSON objects of a text, in order, bare or in code blocks; those inside of others are not told apart."""
    head = text[:MOST_CHARS]
    found: list[dict[str, Any]] = []
    at, tried = head.find("{"), 0
    while at >= 0 and tried < _MOST_STARTS:
        tried += 1
        try:
            value, end = _decoder.raw_decode(head, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict):
                found.append(value)
        at = head.find("{", end)
    return found


def unfenced(text: str) -> str:
    """The text, or what stands in the one code block that is all of it."""
    bare = text.strip()
    inner = _FENCED.fullmatch(bare)
    return inner[1].strip() if inner else bare
