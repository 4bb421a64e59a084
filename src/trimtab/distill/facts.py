"""Facts: identifiers, amounts, dates, paths, addresses, with the sentence around them."""

from __future__ import annotations

import re
from collections.abc import Iterable

Span = tuple[int, int]

HINT = re.compile(r"[\d@/\\]")
# each name is a kind; its weight says how hard it would be to do without
_WEIGHTS = {
    "email": 5,
    "uuid": 5,
    "ident": 5,
    "path": 4,
    "url": 4,
    "number": 4,
    "date": 3,
    "amount": 3,
    "named": 4,
    "host": 3,
    "time": 2,
    "version": 2,
}
_THING = re.compile(
    # begins where no word goes on: tried at word starts only
    r"(?<![A-Za-z0-9_])(?=[\w$€£¥#~./\\])(?:(?P<url>https?://[^\s<>\"'，。）)]{4,200})"
    r"|(?P<email>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63}){1,4})"
    r"|(?P<uuid>\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b)"
    r"|(?P<date>\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|\d{4}年\d{1,2}月(?:\d{1,2}[日号])?|\d{1,2}月\d{1,2}[日号]"
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?\b"
    r"|\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\b(?: \d{4})?)"
    r"|(?P<ident>\b[A-Za-z]{1,10}[-_#]\d{2,}[\w-]{0,40}|\b[A-Z]{2,10}\d{2,}[\w-]{0,40}|#\d{2,12}\b|\b(?=[a-f]{0,6}\d)[0-9a-f]{7,40}(?<=[a-f]\d|\d[a-f]|[a-f]{2})\b)"
    r"|(?P<host>\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?\b|\b[a-z][\w.-]{1,60}:\d{2,5}\b)"
    r"|(?P<path>(?<![\w/])(?:~|\.{1,2})?/(?:[\w.@-]{1,80}/){1,20}[\w.@-]{1,80}|\b[A-Z]:\\[\w\\. -]{2,200}"
    r"|\b[\w-]{1,60}(?:/[\w.-]{1,60}){0,12}\.(?:py|js|ts|tsx|go|rs|java|c|h|cpp|sql|json|jsonl|yaml|yml|toml|csv|tsv|md|txt|xlsx?|docx?|pdf|html|css|sh|log|db|ipynb|parquet|xml)\b)"
    r"|(?P<amount>[$€£¥]\s?\d[\d,.]{0,24}\s?(?:k|m|bn|million|billion|万|亿)?\b"
    r"|(?<![\w.,])\d[\d,.]{0,24}\s?(?:USD|EUR|GBP|CNY|RMB|dollars?|euros?|pounds?|yuan|percent|kg|km|cm|mm|mg|ml|GB|MB|TB|ms|hours?|days?|weeks?|months?|years?|people|rows?|"
    r"items?|units?|users?|orders?|nights?|tokens?|points?)\b|(?<![\d.,])\d[\d,.]{0,24}\s?(?:%|万元?|亿元?|元|美元|欧元|块钱|公斤|千克|公里|米|人|天|小时|个月|年|条|行|件|台|份|次|晚))"
    r"|(?P<time>\b\d{1,2}:\d{2}(?::\d{2})?\s?(?:am|pm)?\b|\b\d{1,2}\s?(?:am|pm)\b)"
    r"|(?P<version>\bv?\d+\.\d+(?:\.\d+)+\b|\bv\d+(?:\.\d+)*\b)"
    r"|(?P<named>\b(?:account|user ?name|login|order|ticket|customer|table|branch|database|bucket|port|extension|room|flight|password hint)\s?"
    r"(?:name|number|no\.?|id|#)?\s?(?:is|:|=)\s?[\w./-]{2,60})"
    r"|(?P<number>(?<![\w.,-])\d[\d,]{5,40}\d(?![\w,])))",
    re.ASCII,
)
# the sentence around a fact is shown up to this length; beyond it the words nearest to the thing
_MAX_FACT_CHARS = 240
_MAX_THINGS = 400


def facts(text: str, sentences: Iterable[Span], limit: int) -> list[str]:
    """The most telling sentences with identifiers, amounts, dates, paths or addresses: at most `limit`, in text order,
    each an exact slice of the text. A sentence counts by its different things, the rarer kinds more."""
    scored: list[tuple[int, int, str]] = []
    seen: set[str] = set()
    budget = _MAX_THINGS
    for start, end in sentences:
        if not HINT.search(text, start, end):
            continue
        score, first = 0, None
        for thing in _THING.finditer(text, start, end):
            budget -= 1
            if budget < 0:
                break
            if thing[0] in seen:
                continue
            seen.add(thing[0])
            first = first or thing
            score += _WEIGHTS[thing.lastgroup or "version"]
        if first is not None and score >= 2:
            scored.append((score, start, _around(text, start, end, first)))
        if budget < 0:
            break
    best = sorted(scored, key=lambda row: (-row[0], row[1]))[:limit]
    return [fact for _, _, fact in sorted(best, key=lambda row: row[1])]


def things(text: str) -> list[str]:
    """The identifiers, amounts, dates, paths and addresses themselves, in order, each once."""
    return list(dict.fromkeys(found[0] for found in _THING.finditer(text)))


def _around(text: str, start: int, end: int, thing: re.Match[str]) -> str:
    if end - start <= _MAX_FACT_CHARS:
        return text[start:end]
    room = max(0, _MAX_FACT_CHARS - (thing.end() - thing.start())) // 2
    first, last = max(start, thing.start() - room), min(end, thing.end() + room)
    # whole words, where the script has spaces
    while start < first < thing.start() and text[first - 1].isascii() and not text[first - 1].isspace():
        first += 1
    while thing.end() < last < end and text[last].isascii() and not text[last].isspace():
        last -= 1
    return text[first:last].strip()
