"""Facts: the values of a message that no other item of it holds, each with the clause around it, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trimtab.distill.sentences import sentences
from trimtab.distill.spans import bounded
from trimtab.distill.values import Span, Value, values

# a fact is at most so wide; a Chinese character is as wide as two Latin ones
_MAX_FACT_CHARS, _MAX_FACT_CHARS_CHINESE = 160, 80
# a clause shorter than this takes the one before it along
_LEAST_FACT_CHARS = 16
# what joins the values that found no place; the rest remains in the ledger and its index
_MAX_REST_CHARS = 1_200
_CLAUSE_END = re.compile(r"[,;:](?=\s)|[，；：、。！？]|\s[-–—]+\s|\n|(?<=[)）])\s|\s(?=[(（])|\s(?:and|but|so|then|because|which|while)\s")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
# how hard it would be to do without
_WEIGHTS = {"identifier": 5, "number": 3, "date": 3}
# "tomorrow", "last week", "一下": told of, rarely needed later
_PASSING = re.compile(
    r"(?:to|yester)(?:day|morrow|night)|(?:last|this|next) \w+|(?:one|a|half an?|an?) \w+|\d|twice|once|昨[天日晚]|今[晚早]|明[天早]|一.|半.|去年|今年",
    re.I,
)
# a row, a step, a page; a time of day; a figure of two digits
_COMMON = re.compile(r"[A-Za-z]{3,} ?\d{1,3}|第.{1,4}|\d{1,2}[:：]\d{2}|\d{1,2}")


def fact_texts(text: str, spans: Sequence[Span], taken: Sequence[str], limit: int) -> list[str]:
    """What holds every value in the spans of the text that stands in none of `taken`: at most `limit` texts, the least
    important first, because of a summary's items the newest stay longest.

    Each is an exact slice: a sentence, or of a long one the clauses around its values. Where more than `limit` would
    be needed, the first text joins the values of the least important ones with "; " (at most 1,200 characters).
    """
    held = "\n".join(taken)
    found: dict[str, int] = {}
    lost: list[Value] = []
    for start, end in bounded(spans):
        # a value may lie across what is taken for the end of a sentence
        rows = [value for value in values(text, [(start, end)]) if not _holds(held, value.text)]
        at = 0
        for first, last in sentences(text, start, end) if rows else ():
            inside: list[Value] = []
            while at < len(rows) and rows[at].start < last:
                (inside if rows[at].start >= first and rows[at].end <= last else lost).append(rows[at])
                at += 1
            # what is asked states nothing: it is the first to go
            asked = text[first:last].rstrip().endswith(("?", "？"))
            for fact, weight in _of_sentence(text, first, last, inside):
                found[fact] = max(0 if asked else weight, found.get(fact, 0))
        lost += rows[at:]
    lost_texts = [value.text for value in lost]
    ordered = sorted(found, key=lambda fact: found[fact])
    joined = "\n".join(ordered)
    lost_texts = [value for value in dict.fromkeys(lost_texts) if not _holds(joined, value)]
    spare = len(ordered) + bool(lost_texts) - limit
    if spare > 0:
        # one place goes to what joins the rest
        spare += not lost_texts
        kept = "\n".join(ordered[spare:])
        weak = (value.text for fact in ordered[:spare] for value in values(fact, [(0, len(fact))]))
        lost_texts = [value for value in dict.fromkeys((*lost_texts, *weak)) if not _holds(kept, value) and not _holds(held, value)]
        ordered = ordered[spare:]
    rest = _joined(lost_texts)
    return [rest, *ordered] if rest and limit > 0 else ordered


def _holds(held: str, value: str) -> bool:
    """Whether the value stands there by itself: 5 is not held by 15."""
    at = held.find(value)
    while at >= 0:
        last = at + len(value)
        if not (_goes_on(held[max(0, at - 1) : at], value[0]) or _goes_on(held[last : last + 1], value[-1])):
            return True
        at = held.find(value, at + 1)
    return False


def _goes_on(mark: str, edge: str) -> bool:
    return mark.isascii() and edge.isascii() and ((mark.isdigit() and edge.isdigit()) or (mark.isalpha() and edge.isalpha()))


def facts(text: str, spans: Iterable[Span], limit: int) -> list[str]:
    """The most telling clauses with values in the sentences given by `spans`: at most `limit`, in text order, each an
    exact slice. What is left over is left out."""
    found: dict[str, int] = {}
    for start, end in spans:
        for fact, weight in _of_sentence(text, start, end, values(text, [(start, end)])):
            found.setdefault(fact, weight)
    best = set(sorted(found, key=lambda fact: -found[fact])[:limit])
    return [fact for fact in found if fact in best]


def things(text: str) -> list[str]:
    """The values themselves, in order, each once."""
    return list(dict.fromkeys(value.text for value in values(text, [(0, len(text))])))


def _of_sentence(text: str, start: int, end: int, inside: Sequence[Value]) -> list[tuple[str, int]]:
    """The sentence, or the runs of its clauses that hold the values, each with its weight."""
    if not inside:
        return []
    widest = _MAX_FACT_CHARS_CHINESE if _CHINESE.search(text, start, end) else _MAX_FACT_CHARS
    if end - start <= widest and "\n" not in text[start:end]:
        return [(text[start:end], _weight(inside))]
    marks = [mark.span() for mark in _CLAUSE_END.finditer(text, start, end)]
    clauses = list(zip([start, *(last for _, last in marks)], [*(first for first, _ in marks), end], strict=True))
    runs: list[tuple[int, int, list[Value]]] = []
    at = 0
    for value in inside:
        while at + 1 < len(clauses) and clauses[at + 1][0] <= value.start:
            at += 1
        first, last = min(clauses[at][0], value.start), max(clauses[at][1], value.end)
        if runs and last - runs[-1][0] <= widest and "\n" not in text[runs[-1][0] : last]:
            runs[-1] = (runs[-1][0], max(last, runs[-1][1]), [*runs[-1][2], value])
        else:
            # "4 m" alone says nothing: what stands before it on the line
            before = at
            while before and last - min(first, clauses[before][0]) < _LEAST_FACT_CHARS and "\n" not in text[clauses[before - 1][0] : last]:
                before -= 1
            taken = runs[-1][1] if runs else start
            runs.append((max(min(first, clauses[before][0]), min(taken, first)), last, [value]))
    return [(_clipped(text, run, widest), _weight(run[2])) for run in runs]


def _clipped(text: str, run: tuple[int, int, list[Value]], widest: int) -> str:
    """The run without the marks at its ends; of one that is too long the words around its values."""
    first, last, inside = run
    if last - first > widest:
        room = max(0, widest - (inside[-1].end - inside[0].start)) // 2
        near_first, near_last = max(first, inside[0].start - room), min(last, inside[-1].end + room)
        # whole words, where the script has spaces
        while first < near_first < inside[0].start and text[near_first - 1].isascii() and not text[near_first - 1].isspace():
            near_first += 1
        while inside[-1].end < near_last < last and text[near_last].isascii() and not text[near_last].isspace():
            near_last -= 1
        first, last = near_first, near_last
    return _bare(text, first, last, inside)


def _bare(text: str, first: int, last: int, inside: Sequence[Value]) -> str:
    while first < inside[0].start and (text[first].isspace() or text[first] in ",;:，；：、。-–—"):
        first += 1
    while last > inside[-1].end and (text[last - 1].isspace() or text[last - 1] in ",;，；、-–—"):
        last -= 1
    return text[first:last]


def _weight(inside: Sequence[Value]) -> int:
    return sum(1 if _PASSING.fullmatch(value.text) else 2 if _COMMON.fullmatch(value.text) else _WEIGHTS[value.kind] for value in inside)


def _joined(texts: Sequence[str]) -> str:
    shown: list[str] = []
    room = _MAX_REST_CHARS
    for text in texts:
        room -= len(text) + 2
        if room < 0:
            break
        shown.append(" ".join(text.split()))
    return "; ".join(shown)
