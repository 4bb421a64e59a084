"""What differs from run to run in a text, as marks: times, ids, durations, and what its sender writes of the call itself.

Each result goes through here, so every pattern begins with a set of characters that few of a text's are: the engine leaps
to them. A pattern that began with an edge of a word would be tried at each character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TIME = re.compile(
    r"\d(?<=\b\d)(?:\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\d:\d\d:\d\d(?:[.,]\d+)?|(?<=1)[5-9]\d{8}(?:\d{3})?)\b"
)
# what every time has in it, led by one sign
_MAYBE_TIME = (re.compile(r"-\d\d-\d\d"), re.compile(r":\d\d:\d\d"), re.compile(r"1[5-9]\d{8}"))
# a moment to the second
_MOMENT = re.compile(r"\d(?<=\b\d)\d{3}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_ID = re.compile(
    r"[0-9a-fA-F](?<=\b[0-9a-fA-F])(?:[0-9a-fA-F]{7}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|(?<=0)x[0-9a-fA-F]+\b"
    r"|(?:(?<=[0-9])(?=[0-9]*[a-f])|(?<=[a-f])(?=[0-9a-f]*\d))[0-9a-f]{15,}\b)"
)
# of the long ones, a part that is quick to look for: of a run of sixteen with a figure in it, that figure and the longer half
_MAYBE_ID = re.compile(r"[0-9](?:[0-9a-f]{7}|(?<=[0-9a-f]{8}))")
_MAYBE_UUID = re.compile(r"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_PASSING = re.compile(r"[\dpP](?:(?<=\b\d)\d*(?:\.\d+)? ?(?i:ms|s|sec|secs|seconds|毫秒|秒)\b|(?<=\b[pP])(?i:id)[ =:]+\d+)")
# a set of figures alone is much quicker to leap to than one of all scripts' figures
_PASSING_ASCII = re.compile(_PASSING.pattern.replace(r"[\dpP]", "[0-9pP]"))
_BEFORE_PASSING = re.compile(r"\b(?:in |took |after |elapsed:? )\Z", re.I)
_MOST_BEFORE_CHARS = 10
# what the sender of a result writes of the call
_IDLE_PAIR = re.compile(
    r"[\"']?\b(?:request|trace|call|correlation|span|session)[_ -]?id\b[\"']?\s*[:=]\s*[\"']?[\w.:\-]+[\"']?|\btrace=[\w\-]+"
    r"|[\"']?\b(?:took|elapsed|duration|latency|runtime|time|zeit|timestamp|generated|started|finished|updated)(?:_?(?:ms|s|seconds|at))?\b[\"']?\s*[:=]\s*[\"']?(?:<\w+>|[\d.:,TZ+\- ]+)[\"']?",
    re.I,
)
# the key of such a pair, from its colon backwards
_IDLE_KEY_BACKWARDS = re.compile(
    r"[:=](?:\s*[\"']?\b(?:(?i:di)[_ -]?(?i:tseuqer|ecart|llac|noitalerroc|naps|noisses)"
    r"|(?:(?i:ta|sdnoces|sm|s)_?)?(?i:koot|despale|noitarud|ycnetal|emit(?:nur)?|tiez|pmatsemit|detareneg|detrats|dehsinif|detadpu))\b"
    r"|(?<==)(?i:ecart)\b)"
)


def marked(text: str) -> str:
    """White space as one space; times, durations, ids and addresses as marks."""
    if any(part.search(text) for part in _MAYBE_TIME):
        text = _TIME.sub("<time>", text)
    if "0x" in text or _MAYBE_ID.search(text) or _MAYBE_UUID.search(text):
        text = _ID.sub("<id>", text)
    text = _replaced(text, _durations(text), "<took>")
    return " ".join(_replaced(text, _idle_pairs(text), "<idle>").split())


def moments_marked(text: str) -> str:
    """White space as one space, moments to the second as a mark."""
    return " ".join((_MOMENT.sub("<time>", text) if _MAYBE_TIME[0].search(text) else text).split())


def _replaced(text: str, spans: Iterator[tuple[int, int]], mark: str) -> str:
    parts, at = list[str](), 0
    for start, end in spans:
        parts += (text[at:start], mark)
        at = end
    return "".join((*parts, text[at:])) if parts else text


def _durations(text: str) -> Iterator[tuple[int, int]]:
    """Spans of durations and numbers of processes, with the word before them."""
    for found in (_PASSING_ASCII if text.isascii() else _PASSING).finditer(text):
        start = found.start()
        if start and text[start - 1] == " " and text[start] not in "pP":
            before = _BEFORE_PASSING.search(text[max(0, start - _MOST_BEFORE_CHARS) : start])
            start -= len(before[0]) if before else 0
        yield start, found.end()


def _idle_pairs(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the pairs that say nothing. No two keys share a colon, so they stand in the order of their colons."""
    starts = [len(text) - found.end() for found in _IDLE_KEY_BACKWARDS.finditer(text[::-1])]
    at = 0
    for start in reversed(starts):
        if start < at:
            continue
        found = None
        if start > at and text[start - 1] in "\"'":
            found = _IDLE_PAIR.match(text, start - 1)
        found = found or _IDLE_PAIR.match(text, start)
        if found is not None:
            yield found.span()
            at = found.end()
