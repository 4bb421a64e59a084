"""Calls and results in a form in which what is the same compares as the same: keys sorted; ids, times and paths of this run
left out (REQUIREMENTS T9)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeAlias

from msgspec import Struct

from trimtab.steer.marks import marked, moments_marked

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
# in lower case; the last two are small letters whose capitals are I and S
_WORD = re.compile(r"[a-z0-9_\u0131\u017f]+|[\u4e00-\u9fff]")
_ASCII_WORDS = "".join(sign if sign.isalnum() or sign == "_" else " " for sign in map(str.lower, map(chr, range(128))))
# texts and words are met again and again: in the next exchange, in the next result
_MOST_KNOWN_TEXTS, _MOST_KNOWN_WORDS, _MOST_KNOWN_WORD_CHARS = 16, 4_096, 32


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
    words = sorted({_hash(word) for _, text in told for word in words_in(text[:_MOST_CHARS])})
    key = _digest(f"{tool}\n{told}")
    return Canonical(key, _digest(f"{tool}\n{framed}") if len(framed) < len(told) else key, tuple(words[:MOST_WORDS]))


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
    """An argument's text: white space as one space, moments as a mark: they say when it was asked, a date what was asked
    for. Ids in it are what is asked for."""
    return moments_marked(text[:_MOST_CHARS])


def plain_text(text: str) -> str:
    """White space as one space; times, durations, ids and addresses as marks."""
    return _plain(text[:_MOST_CHARS])


@lru_cache(maxsize=_MOST_KNOWN_TEXTS)
def _plain(text: str) -> str:
    return marked(text)


def result_digest(text: str) -> str:
    """ "" for no text at all."""
    return _digest(plain_text(text)) if text else ""


def words_of(text: str) -> tuple[int, ...]:
    """Hashes of the words of a text, sorted, each once, at most MOST_WORDS; of Chinese its characters."""
    return tuple(sorted({_hash(word) for word in words_in(text[:_MOST_CHARS])})[:MOST_WORDS])


def words_in(text: str) -> list[str]:
    """The words of a text in lower case, in order; of Chinese its characters."""
    return text.translate(_ASCII_WORDS).split() if text.isascii() else _WORD.findall(text.lower())


def shingles(text: str) -> Shingles:
    """All runs of four words; of a shorter text all of it."""
    return _shingles(text[:_MOST_CHARS])


@lru_cache(maxsize=_MOST_KNOWN_TEXTS)
def _shingles(text: str) -> Shingles:
    words = words_in(_plain(text))[:_MOST_SHINGLES]
    if len(words) < _RUN:
        return frozenset({tuple(words)}) if words else frozenset()
    return frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False))


def _hash(word: str) -> int:
    return _known_hash(word) if len(word) <= _MOST_KNOWN_WORD_CHARS else _new_hash(word)


def _new_hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


_known_hash = lru_cache(maxsize=_MOST_KNOWN_WORDS)(_new_hash)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
