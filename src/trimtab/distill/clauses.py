"""Clauses of a sentence, as exact slices of it: what a chatty or dictated sentence says one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trimtab.distill.sentences import Span

HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*|\d+|\x01+")
_CUT_EN = re.compile(r"[;:—–]\s+|\s-+\s+|\.{2,}\s*|…\s*|,\s+|\s\(|\)\s|[.!?]+\s+")
_CUT_ZH = re.compile(r"[，,；;：:。！!？?…]+\s*|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_CONJUNCTION = re.compile(r"\s+(?=(?:and|but|so|because|cause|cuz|plus|then|though|although|however)\s)", re.I)
# a clause that begins so belongs to the one after it
_LEADS_EN = re.compile(
    r"\s*(?:(?:and|but|so|also|oh|well|okay|ok|yeah|then) )*(?:if|when|whenever|once|unless|until|in case|should|before|after|for|as|since|because|while|although|though|"
    r"where|every time|each time|any time|suppose|supposing|assuming|imagine|given|with|without|in|on|at|to|from|during|under|by|of)\b",
    re.I,
)
_LEADS_ZH = re.compile(
    r"^\s*(?:如果|要是|假如|假设|假使|万一|一旦|遇到?|碰到|当|若|如|凡|只要|除非|无论|不管|即使|哪怕|既然|因为|由于|对于|关于|为了|鉴于|虽然|尽管)"
    r"|(?:的话|时|时候|之后|以后|之前|以前|前|后)\s*$"
)
# who speaks: the rest is what was said
_SAYS_EN = re.compile(
    r"\b(?:says?|said|told|tells|writes?|wrote|states?|stated|warns?|warned|asked|reads?|insists?|insisted|claims?|claimed|according to \w+(?: \w+)?)"
    r"(?: (?:me|us|him|her|them|that|to \w+))*\W*$",
    re.I,
)
_SAYS_ZH = re.compile(r"(?:说|写着?|写道|提示|显示|表示|规定|告诉我|通知|问|要求|强调|原话|喊)\s*$")
_LEAST_WORDS = 3
# a clause without marks longer than this is cut before "and", "but" ...
_LONG_WORDS, _LEAST_AROUND_CONJUNCTION = 9, 4


def is_chinese(text: str) -> bool:
    """Whether a third of the text or more is Chinese characters."""
    return len(HAN.findall(text)) * 3 >= len(text)


def clauses(masked: str, chinese: bool) -> list[Span]:
    """The (start, end) of each clause, trimmed, in order; one span where there is nothing to cut.

    `masked` is the sentence with its quotations blanked out. A condition stays with what follows from it, and who says
    something with what is said; pieces of less than three words (characters) stay with their neighbor.
    """
    found: list[Span] = []
    glued = False
    for start, end, mark in _pieces(masked, chinese):
        piece = masked[start:end]
        if not piece.strip():
            continue
        small = _size(piece, chinese) < _LEAST_WORDS
        if found and (glued or small or _size(masked[found[-1][0] : found[-1][1]], chinese) < _LEAST_WORDS):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        leads, says = (_LEADS_ZH.search(piece), _SAYS_ZH) if chinese else (_LEADS_EN.match(piece), _SAYS_EN)
        glued = mark in (":", "：") or leads is not None or says.search(piece) is not None
    return [_trimmed(masked, start, end) for start, end in found]


def _pieces(text: str, chinese: bool) -> Iterator[tuple[int, int, str]]:
    """(start, end, the mark after it)."""
    at = 0
    for cut in (_CUT_ZH if chinese else _CUT_EN).finditer(text):
        yield from _at_conjunctions(text, at, cut.start(), cut[0].strip(), chinese)
        at = cut.end()
    yield from _at_conjunctions(text, at, len(text), "", chinese)


def _at_conjunctions(text: str, start: int, end: int, mark: str, chinese: bool) -> Iterator[tuple[int, int, str]]:
    if not chinese and end - start > 4 * _LONG_WORDS and _size(text[start:end], chinese) > _LONG_WORDS:
        for cut in _CONJUNCTION.finditer(text, start, end):
            around = (text[start : cut.start()], text[cut.end() : end])
            if min(_size(part, chinese) for part in around) >= _LEAST_AROUND_CONJUNCTION:
                yield start, cut.start(), " "
                start = cut.end()
    yield start, end, mark


def _size(text: str, chinese: bool) -> int:
    return len(_LATIN_WORD.findall(text)) + (len(HAN.findall(text)) if chinese else 0)


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in " \t\r\n(":
        start += 1
    while end > start and text[end - 1] in " \t\r\n,;，；":
        end -= 1
    return start, end
