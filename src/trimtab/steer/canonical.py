"""Calls and results in a form in which what is the same compares as the same: keys sorted; ids, times and paths of this run
left out (REQUIREMENTS T9)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, TypeAlias

from msgspec import Struct

MOST_WORDS = 48
_MOST_CHARS, _MOST_SHINGLES = 20_000, 3_000
_DIGEST_BYTES = 8
_RUN = 4
Shingles: TypeAlias = frozenset[tuple[str, ...]]
# keys whose values differ from call to call and say nothing
_IDLE_KEYS = frozenset(
    {"id", "request_id", "requestid", "call_id", "trace_id", "nonce", "timestamp", "ts", "idempotency_key", "uuid", "seed"}
)
# keys that page through something
_PAGING_KEYS = frozenset(
    [
        "offset",
        "page",
        "page_number",
        "page_no",
        "pageno",
        "cursor",
        "start",
        "end",
        "from",
        "to",
        "skip",
        "limit",
        "page_size",
        "size",
        "line",
        "lines",
        "start_line",
        "end_line",
        "line_number",
        "line_start",
        "line_end",
        "view_range",
        "range",
        "rows",
        "chars",
        "page_token",
        "next_token",
        "after",
        "before",
        "index",
        "begin",
        "part",
        "chunk",
    ]
)
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b|\b1[5-9]\d{8}(?:\d{3})?\b"
)
_ID = re.compile(
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-f]*\d)(?=[0-9]*[a-f])[0-9a-f]{16,}\b"
)
_PASSING = re.compile(r"\b(?:in |took |after |elapsed:? )?\d+(?:\.\d+)? ?(?:ms|s|sec|secs|seconds|毫秒|秒)\b|\bpid[ =:]+\d+", re.I)
# of a result: what its sender writes of the call itself
_IDLE_PAIR = re.compile(
    r"[\"']?\b(?:request|trace|call|correlation|span|session)[_ -]?id\b[\"']?\s*[:=]\s*[\"']?[\w.:\-]+[\"']?|\btrace=[\w\-]+"
    r"|[\"']?\b(?:took|elapsed|duration|latency|runtime|time|zeit|timestamp|generated|started|finished|updated)(?:_?(?:ms|s|seconds|at))?\b[\"']?\s*[:=]\s*[\"']?(?:<\w+>|[\d.:,TZ+\- ]+)[\"']?",
    re.I,
)
# of an argument: a moment to the second is when it was asked, a date is what was asked for
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_WORD = re.compile(r"[a-z0-9_]+|[\u4e00-\u9fff]", re.I)


class Canonical(Struct, frozen=True, array_like=True):
    """A call's arguments: `key` of all of them, `frame` without what pages, the hashes of their words."""

    key: str
    frame: str
    words: tuple[int, ...]


def canonical(tool: str, arguments: str) -> Canonical:
    """Args: `arguments` as the model sent them; what is no JSON object is one text."""
    try:
        value = json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError):
        value = arguments
    pairs = list(_pairs("", value)) if isinstance(value, dict | list) else [("", asked_text(str(value)))]
    told = [(key, text) for key, text in pairs if key.rpartition(".")[2].lower() not in _IDLE_KEYS]
    framed = [(key, text) for key, text in told if key.rpartition(".")[2].lower() not in _PAGING_KEYS]
    words = sorted({_hash(word) for _, text in told for word in _WORD.findall(text[:_MOST_CHARS].lower())})
    return Canonical(_digest(f"{tool}\n{told}"), _digest(f"{tool}\n{framed}"), tuple(words[:MOST_WORDS]))


def _pairs(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """(path, text) of each plain value, in the order of sorted keys."""
    waiting: list[tuple[str, Any]] = [(path, value)]
    while waiting:
        here, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{here}.{key}", value[key]) for key in sorted(value, key=str, reverse=True)]
        elif isinstance(value, list):
            waiting += [(here, inner) for inner in reversed(value)]
        else:
            yield here, asked_text(value if isinstance(value, str) else json.dumps(value))


def asked_text(text: str) -> str:
    """An argument's text: white space as one space, moments as a mark. Ids in it are what is asked for."""
    return " ".join(_MOMENT.sub("<time>", text[:_MOST_CHARS]).split())


def plain_text(text: str) -> str:
    """White space as one space; times, durations, ids and addresses as marks."""
    text = _ID.sub("<id>", _TIME.sub("<time>", text[:_MOST_CHARS]))
    return " ".join(_IDLE_PAIR.sub("<idle>", _PASSING.sub("<took>", text)).split())


def result_digest(text: str) -> str:
    """ "" for no text at all."""
    return _digest(plain_text(text)) if text else ""


def words_of(text: str) -> tuple[int, ...]:
    """Hashes of the words of a text, sorted, each once, at most MOST_WORDS; of Chinese its characters."""
    return tuple(sorted({_hash(word) for word in _WORD.findall(text[:_MOST_CHARS].lower())})[:MOST_WORDS])


def shingles(text: str) -> Shingles:
    """All runs of four words; of a shorter text all of it."""
    words = _WORD.findall(plain_text(text).lower())[:_MOST_SHINGLES]
    if len(words) < _RUN:
        return frozenset({tuple(words)}) if words else frozenset()
    return frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False))


def _hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
