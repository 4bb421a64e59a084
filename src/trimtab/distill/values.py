"""Values: the identifiers, numbers and dates that a reader of a text would call so, as exact slices. English and Chinese.

Every pattern has bounded repeats and begins only where no token goes on, so the work is linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from trimtab.distill import values_en, values_zh
from trimtab.distill.cues import Cue, windows

Span: TypeAlias = tuple[int, int]
Kind: TypeAlias = Literal["identifier", "number", "date"]
_Found: TypeAlias = tuple[int, int, Kind]

# of one text at most so many values are told; what holds more is a table or a log
MAX_VALUES = 2_000
_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
_EXTENSION = (
    r"(?:py|pyi|js|jsx|mjs|ts|tsx|go|rs|java|kt|swift|rb|php|c|cc|h|hpp|cpp|cs|sql|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|csv|tsv|md|rst|"
    r"txt|xlsx?|docx?|pptx?|pdf|html?|css|scss|sh|bash|ps1|bat|log|db|sqlite|ipynb|parquet|avro|xml|zip|gz|tgz|tar|whl|jar|deb|exe|dll|png|jpe?g|"
    r"gif|svg|webp|mp3|mp4|mov|wav|psd|ai|key|pem|crt|bak|tex|bib|ics|eml|srt|epub|stl|dwg|step)"
)
_DOMAIN_END = (
    r"(?:com|org|net|edu|gov|io|ai|dev|app|co|uk|de|fr|es|it|nl|ch|at|se|no|fi|pl|cn|jp|kr|tw|hk|us|ca|au|eu|info|biz|me|tv|"
    r"example|internal|local|localhost|test|lan|corp|cloud|onion)"
)
# what stands after a name of a thing is an identifier even where it looks like any word ("branch main", "user lena")
_NAMED = re.compile(
    r"\b(?:accounts?|user ?names?|users?|logins?|branch|table|column|database|schema|bucket|hosts?|servers?|repo(?:sitory)?|channel|topic|queue|"
    r"volume|cluster|namespace|container|profile|tenant|workspace|project|pod|ticket|case|order|invoice|booking|reservation|customer|policy|"
    r"contract|flight|gate|seat|room|locker|slot|port|extension|tracking|reference|ref|serial|model|sku|part|licen[cs]e|plate|passport|code|pin|"
    r"handle|nickname|character|hero|ship|file|name)"
    r" ?(?:names?|numbers?|no\.?|nr\.?|id|code|#)?(?: (?:is|was|called|named)|:| ?=)? (?:the )?[\"'“‘`]?"
    r"(?P<named>(?=[A-Za-z_@#]*\d|[a-z]{2,20}[\"'”’`]|[a-z][a-z.-]{1,30}/[a-z]|[A-Z][\w-]{2,30}\b)[\w@#][\w@#./-]{0,60})",
    re.I | re.ASCII,
)
_CALLED = re.compile(
    r"\b(?:branch|called|named|user|username|login|account|host|server|alias|tag|topic|database|schema|bucket|repo)(?: name)?(?: is|:| ?=)? "
    r"[\"'“‘`]?(?P<named>main|master|develop|dev|staging|prod|production|root|admin|trunk|release|latest|stable|nightly|default|[A-Z][\w-]{1,30})\b"
    r"|\b(?P<named_before>main|master|develop|staging|prod|production|trunk|release)(?= (?:branch|database|cluster|schema|bucket|namespace)\b)"
    r"|\b(?:on|to|into|from|onto) (?P<branch>main|master|develop|staging|prod)\b",
    re.ASCII,
)
_WEB = re.compile(
    r"(?<![A-Za-z0-9])(?:[a-z][a-z0-9+.-]{1,14}://[^\s<>\"'`，。；、）」』】]{2,300}|www\.[^\s<>\"'`，。；、）」』】]{3,200})"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}",
    re.ASCII,
)
_PLACE = re.compile(
    # a path from the root, from home, from here; of Windows; a drive's path may hold any script
    r"(?<![\w/.~:<])(?:~|\.{1,2})?/(?:[\w.@%+~=-]{1,100}/){0,20}[\w.@%+~=-]{1,100}/?"
    r"|(?<![A-Za-z0-9])[A-Za-z]:[\\/][^\s:*?\"<>|，。；、）]{1,200}|\\\\[\w.-]{1,60}\\[^\s:*?\"<>|，。；]{1,200}"
    r"|(?<![\w/.-])[\w.@-]{1,80}(?:/[\w.@-]{1,80}){1,20}/?",
    re.ASCII,
)
_FILE = re.compile(r"(?<![\w.-])[\w-]{1,80}(?:\.[\w-]{1,60}){0,6}\." + _EXTENSION + r"(?![\w-])", re.ASCII)
_MARKED = re.compile(
    r"(?=[@#§$%+(-])(?:"
    r"(?<![\w@./])@[A-Za-z_][\w.-]{0,40}(?:/[\w.-]{1,60})?|(?<![\w&#])#[\w][\w-]{0,40}"
    r"|§{1,2} ?\d[\w.]{0,12}(?: ?\([\w]{1,4}\)){0,3}(?: [A-Z][A-Za-z]{1,6}\b)?"
    r"|(?<![\w-])--[A-Za-z][\w-]{0,40}(?:=[^\s,;，。]{1,80})?|(?<![^\s(`\"'])-[A-Za-z]{1,2}(?![\w'’-])"
    r"|(?<![\w$])\$\{?[A-Z_][A-Z0-9_]{1,40}\}?|%[A-Z_]{2,40}%"
    r"|(?<![\w+])\+\d{1,3}(?:[ -]?\(?\d{1,5}\)?){2,6}|(?<![\w(])\(\d{2,5}\) ?\d{2,4}[ -]?\d{2,6})",
    re.ASCII,
)
_FUNCTION = re.compile(r"\b[A-Za-z_][\w.]{0,80}\(\)", re.ASCII)
_NUMBERED = re.compile(
    r"\b(?:(?:[Ss]ection|[Aa]rt(?:icle|\.)?|[Cc]lause|[Pp]aragraph|[Cc]hapter|[Aa]nnex|[Aa]ppendix|[Ss]chedule|[Rr]ule|[Ee]xhibit|[Ff]igure|[Tt]able|[Pp]age|"
    r"[Ll]ine|[Ss]tep|[Oo]ption|[Vv]ersion|[Gg]rade|[Tt]ier|[Ll]evel|[Gg]ate|[Pp]latform|[Tt]rack|[Bb]ay|[Ll]ot|[Rr]ow|[Ss]eat|[Rr]oom|[Uu]nit|[Pp]hase|"
    r"[Ss]print|[Pp]uzzle|[Pp]roblem|[Ee]xercise|[Qq]uestion|[Rr]ound|[Nn]o\.|[Nn]r\.) ?"
    r"(?:\d[\w.]{0,12}(?<!\.)(?:\([\w]{1,4}\)){0,3}|[A-HJ-Z](?:\d{1,4})?(?![\w'’-]))"
    r"|\d{1,4} [A-Z][A-Za-z]{1,5} \d{1,5}/\d{2,4}\b|[A-Z][A-Za-z]{0,5}[ -]?\d{1,5}/\d{2,4}\b"
    r"|[A-Z]{1,6} ?\d{2,}[A-Z]?(?![\w.,]?\d)(?:[-/]\w{1,20}){0,4}\b)",
    re.ASCII,
)
_CODE_SPAN = re.compile(r"`([^`\s][^`\n]{0,80})`")
_TOKEN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_]{0,80}(?:[-./:#+·][A-Za-z0-9_]{1,80}){0,12})", re.ASCII)
# letters behind a number that measure something: such a token is a quantity, not a name
_QUANTITY = re.compile(
    r"[\d.,:/-]+(?:"
    + values_en.GLUED_UNIT
    + r"|st|nd|rd|th|am|pm|[kmbx]|bn|mio|s|m|h|d|w|y|yo|yrs?|hrs?|mins?|secs?|wks?|pcs?|pp|p)?(?:/\w{1,6})?",
    re.I,
)
_ISO_DATE = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[-/]\d{1,2}[-/]\d{4}|\d{1,2}(?::\d{2}){1,2}")
# 44-1180 is no range
_UNEVEN = re.compile(r"\d{1,2}-\d{4,}|\d{4,}-\d{1,2}")
_BULLET = re.compile(r"(?:\A|\n)[ \t]*(?:\(?)\Z")
_BULLET_END = re.compile(r"[.)、](?!\d)")
_EXTENT = re.compile(r"\d{1,6}(?:x\d{1,6}){1,2}(?:cm|mm|m|px|in|ft)?")
_PLAIN_PAIR = re.compile(r"[A-Za-z]+(?:[-/.:+][A-Za-z]+)*")
_TWO_WORDS = re.compile(
    r"(?:and/or|either/or|n/a|w/o?|i/o|\w{1,4}/(?:h|s|l|dl|kg|m2|m3|day|week|month|year|hour|min)|he/she|his/her|him/her|s/he|yes/no|on/off|24/7)",
    re.I,
)
_DOTTED_END = re.compile(r"\.(?:" + _DOMAIN_END + "|" + _EXTENSION + r")$")
# h.lin, lena.krause; a full stop without a space behind it looks alike and is taken along
_INITIAL = re.compile(r"[a-z]\.[a-z]{3,30}|[a-z]{4,30}\.[a-z]{4,30}")
_CAMEL = re.compile(r"[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*")
_CAMEL_NAMES = re.compile(r"(?:Mc|Mac|O|De|La|Le|Di|Fitz)[A-Z][a-z]+s?$")
_RANK = {"identifier": 0, "date": 1, "number": 2}
_TRAILING = ".,;:!?'’\")]}*_"


class Value(Struct, frozen=True):
    """One value: `text` is the slice from `start` to `end` of the text that was read."""

    kind: Kind
    text: str
    start: int
    end: int


def values(text: str, spans: Sequence[Span]) -> list[Value]:
    """The values in the (start, end) spans of the text, in text order, at most MAX_VALUES.

    None overlaps another: an order number is one identifier, not also the number and the year in it.
    """
    found: list[_Found] = []
    lower = text.lower()
    # a few capitals are two characters in lower case
    lower = lower if len(lower) == len(text) else text
    for start, end in spans:
        near = windows(lower, start, end)
        rows = [*_identifiers(text, start, end, near), *_dates_and_numbers(text, lower, near)]
        if _CHINESE.search(text, start, end):
            rows += _chinese(text, start, end)
        found += _distinct(rows)
        if len(found) >= MAX_VALUES:
            break
    return [Value(kind, text[first:last], first, last) for first, last, kind in found[:MAX_VALUES]]


def _dates_and_numbers(text: str, lower: str, near: Mapping[Cue, Sequence[Span]]) -> Iterator[_Found]:
    for start, end in near[Cue.DATE]:
        for first, last in values_en.dates(text, lower, start, end):
            yield first, last, "date"
    for start, end in near[Cue.NUMBER]:
        for first, last in values_en.numbers(lower, start, end):
            if not _counts_line(text, first, last):
                yield first, last, "number"


def _chinese(text: str, start: int, end: int) -> Iterator[_Found]:
    for first, last in values_zh.identifiers(text, start, end):
        yield first, last, "identifier"
    for first, last in values_zh.dates(text, start, end):
        yield first, last, "date"
    for first, last in values_zh.numbers(text, start, end):
        if not _counts_line(text, first, last):
            yield first, last, "number"


def _counts_line(text: str, first: int, last: int) -> bool:
    """Whether the figure is the number of a list's line."""
    return last - first <= 2 and _BULLET_END.match(text, last) is not None and _BULLET.search(text, max(0, first - 20), first) is not None


def _distinct(found: list[_Found]) -> list[_Found]:
    """Those that overlap no other: the longer stands, a number only where there is nothing of another kind."""
    kept: list[_Found] = []
    for row in sorted(found, key=lambda row: (row[0], -row[1], _RANK[row[2]])):
        while kept and row[0] < kept[-1][1] and row[2] != "number" and kept[-1][2] == "number":
            kept.pop()
        if not kept or row[0] >= kept[-1][1]:
            kept.append(row)
    return kept


def _identifiers(text: str, start: int, end: int, near: Mapping[Cue, Sequence[Span]]) -> Iterator[_Found]:
    yield from _marked(text, near[Cue.MARK])
    for first, last in near[Cue.SECTION]:
        for found in _NUMBERED.finditer(text, first, last):
            yield found.start(), found.start() + len(found[0].rstrip(".,")), "identifier"
    for first, last in near[Cue.NAMED]:
        for pattern in (_NAMED, _CALLED):
            for found in pattern.finditer(text, first, last):
                group = found.lastgroup or "named"
                if _is_name(found[group]):
                    yield found.start(group), found.start(group) + len(found[group].rstrip("./-")), "identifier"
    for found in _TOKEN.finditer(text, start, end):
        token = found[0]
        if token.isalpha():
            if not (token.islower() or token[1:].islower() or token.isupper()) and _is_camel(token):
                yield found.start(), found.end(), "identifier"
        elif _is_code(token):
            yield found.start(), found.end(), "identifier"
    for found in _FILE.finditer(text, start, end) if text.find(".", start, end) >= 0 else ():
        yield found.start(), found.end(), "identifier"


def _marked(text: str, stretches: Sequence[Span]) -> Iterator[_Found]:
    for start, end in stretches:
        for found in _WEB.finditer(text, start, end):
            yield found.start(), found.start() + len(found[0].rstrip(_TRAILING)), "identifier"
        for pattern in (_MARKED, _FUNCTION):
            for found in pattern.finditer(text, start, end):
                yield found.start(), found.start() + len(found[0].rstrip(".,")), "identifier"
        for found in _PLACE.finditer(text, start, end):
            if _is_place(found[0]):
                yield found.start(), found.start() + len(found[0].rstrip(".,-")), "identifier"
        for found in _CODE_SPAN.finditer(text, start, end):
            yield found.start(1), found.end(1), "identifier"


def _is_place(token: str) -> bool:
    if "/" not in token.strip("/") or token.startswith(("/", "~", ".")):
        return not token.startswith("//") and len(token) > 2
    # "and/or" is no path; "fix/oom-build", "src/app.ts" and "a/b/c" are
    return (
        not _TWO_WORDS.fullmatch(token)
        and not _QUANTITY.fullmatch(token)
        and (token.count("/") > 1 or not token.replace("/", "").isalpha())
    )


def _is_name(word: str) -> bool:
    if "/" in word and _TWO_WORDS.fullmatch(word):
        return False
    if any(mark in word for mark in "0123456789_@#/"):
        return True
    return word in values_en.CALLED or (word[:1].isupper() and word.lower() not in values_en.STOP_WORDS)


def _is_camel(token: str) -> bool:
    return len(token) > 3 and _CAMEL.fullmatch(token) is not None and not _CAMEL_NAMES.match(token)


def _is_code(token: str) -> bool:
    """Whether a token with digits or marks in it is a name or a number of something."""
    if _ISO_DATE.fullmatch(token) or _EXTENT.fullmatch(token):
        return False
    if _QUANTITY.fullmatch(token):
        # 3.9.18 and 4.12.0 are versions; 220-2411907733 is an account
        digits = sum(mark.isdigit() for mark in token)
        return (token.count(".") >= 2 and "," not in token) or digits >= 7 or (digits >= 5 and _UNEVEN.fullmatch(token) is not None)
    if "_" in token:
        return len(token.strip("_")) > 1
    if any(mark.isdigit() for mark in token):
        return not values_en.COMPOUND.fullmatch(token)
    if "." in token:
        if _INITIAL.fullmatch(token):
            return True
        return _DOTTED_END.search(token) is not None or (token.count(".") > 1 and len(token) > 7)
    return (
        "::" in token
        or ("#" in token and len(token) > 3 and not token.endswith("#"))
        or bool(_PLAIN_PAIR.fullmatch(token) and _has_camel(token))
    )


def _has_camel(token: str) -> bool:
    return any(_is_camel(part) for part in re.split(r"[-/.:+]", token))
