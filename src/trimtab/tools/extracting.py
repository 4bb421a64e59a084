"""The key information of a value: chosen fields of JSON and tables, the sentences around chosen words of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from trimtab.distill.facts import things
from trimtab.errors import BadSlice
from trimtab.recall import terms
from trimtab.session.slices import by_path, by_words
from trimtab.tools.tables import MAX_DEPTH, tables_in

# how many values of a field are taken
MAX_VALUES = 500
# hits of one word that are taken; a word with more is no key
MAX_HITS = 8
_MAX_OFFERED = 24
_NUMBERING = re.compile(r"¶\d+ s\d+: ?")
_PATH_MARK = re.compile(r"[.\[$]")


class KeyInfo(Struct, frozen=True, kw_only=True):
    """What was found.

    Attributes:
        fields: by field or word.
        rows: of the table in it, each with the fields that it has.
        missing: fields and words that are not there.
        offered: what could have been asked for, where something is missing.
    """

    fields: dict[str, Any] = {}
    rows: tuple[dict[str, Any], ...] = ()
    missing: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.fields or self.rows)


# ---------------------------------------------------------------- JSON and tables


def from_json(value: Any, fields: Sequence[str]) -> KeyInfo:
    """Fields of a JSON value: by path, from its own top, from the rows of the table in it that knows most of them,
    else from wherever the name stands."""
    found: dict[str, Any] = {}
    names: list[str] = []
    for name in fields:
        if isinstance(value, dict) and name in value:
            found[name] = value[name]
        elif _PATH_MARK.search(name) and (hit := _read_path(value, name)) is not None:
            found[name] = hit
        else:
            names.append(name)
    rows = _taken(_best_table(tables_in(value), names), names)
    missing = []
    for name in names:
        if any(name in row for row in rows):
            continue
        values = [hit for _, hit in zip(range(MAX_VALUES), _everywhere(value, name.lower(), 0), strict=False)]
        if values:
            found[name] = values[0] if len(values) == 1 else values
        else:
            missing.append(name)
    return KeyInfo(fields=found, rows=rows, missing=tuple(missing), offered=_names_in(value) if missing else ())


def from_table(tables: Sequence[list[dict[str, Any]]], fields: Sequence[str]) -> KeyInfo:
    """The columns of the one table, of several, that knows most of them."""
    rows = _taken(_best_table(tables, fields), fields)
    missing = tuple(name for name in fields if not any(name in row for row in rows))
    offered = tuple(dict.fromkeys(name for table in tables for name in (table[0] if table else ()))) if missing else ()
    return KeyInfo(rows=rows, missing=missing, offered=offered[:_MAX_OFFERED])


def merged(first: KeyInfo, then: KeyInfo) -> KeyInfo:
    """Both together, where `then` was asked for what `first` lacked."""
    return KeyInfo(fields=then.fields, rows=first.rows, missing=then.missing, offered=first.offered or then.offered)


def _taken(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """Each row with those of the names that it has; rows that have none are left out."""
    taken = ({name: value for name in names if (value := _in_row(row, name)) is not None} for row in rows)
    return tuple(row for row in taken if row)


def _read_path(value: Any, path: str) -> Any:
    try:
        hit = by_path(value, path)
    except BadSlice:
        return None
    return None if hit == [] else hit


def _best_table(tables: Iterable[list[dict[str, Any]]], names: Sequence[str]) -> list[dict[str, Any]]:
    """The table whose rows know most of the names."""
    best: list[dict[str, Any]] = []
    most = 0
    for rows in tables:
        known = {name for name in names if any(_in_row(row, name) is not None for row in rows[:MAX_VALUES])}
        if len(known) > most:
            best, most = rows, len(known)
    return best


def _in_row(row: dict[str, Any], name: str) -> Any:
    """A field of a row: by its name, whatever the case, or by a dotted path. None where there is none."""
    if name in row:
        return row[name]
    if "." in name:
        here: Any = row
        for part in name.removeprefix("$.").split("."):
            here = here.get(part) if isinstance(here, dict) else None
        return here
    return next((row[key] for key in row if key.lower() == name.lower()), None)


def _everywhere(value: Any, name: str, depth: int) -> Iterator[Any]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, dict):
        for key, child in value.items():
            if key.lower() == name:
                yield child
            yield from _everywhere(child, name, depth + 1)
    elif isinstance(value, list):
        for child in value:
            yield from _everywhere(child, name, depth + 1)


def _names_in(value: Any) -> tuple[str, ...]:
    names: dict[str, None] = {}
    waiting = [(value, 0)]
    while waiting and len(names) < _MAX_OFFERED:
        here, depth = waiting.pop(0)
        children = here.items() if isinstance(here, dict) else [("", child) for child in here[:3]] if isinstance(here, list) else []
        for key, child in children:
            names.setdefault(key)
            waiting += [(child, depth + 1)] if depth < MAX_DEPTH else []
    return tuple(name for name in names if name)[:_MAX_OFFERED]


# ---------------------------------------------------------------- text


def from_text(text: str, words: Sequence[str]) -> KeyInfo:
    """For each word the sentences it stands in, numbered; their identifiers, amounts, dates and the like as `values`,
    those of the sentences before and after them in the same paragraph as `near`.

    A phrase that stands nowhere as such is looked for by its single words.
    """
    found: dict[str, Any] = {}
    missing = []
    for word in words:
        lines = _hits(text, word, 0) or _by_terms(text, word)
        if not lines:
            missing.append(word)
            continue
        found[word] = {"sentences": lines[:MAX_HITS]}
        values = _things(lines[:MAX_HITS], ())
        if values:
            found[word]["values"] = values
        if beside := _things(_beside(text, word, lines[:MAX_HITS]), (*values, word)):
            found[word]["near"] = beside
        if len(lines) > MAX_HITS:
            found[word]["more_hits"] = len(lines) - MAX_HITS
    return KeyInfo(fields=found, missing=tuple(missing), offered=_offered(text) if missing else ())


def _things(lines: Iterable[str], but: Sequence[str]) -> list[str]:
    text = "\n".join(_NUMBERING.sub("", line) for line in lines)
    return [value for value in things(text) if value not in but][: 2 * MAX_HITS]


def _beside(text: str, word: str, lines: Sequence[str]) -> list[str]:
    """Neighbors of the sentences: what stands in another paragraph is about something else."""
    paragraphs = {line.partition(" ")[0] for line in lines}
    return [line for line in _hits(text, word, 1) if line not in lines and line.partition(" ")[0] in paragraphs]


def _hits(text: str, word: str, around: int) -> list[str]:
    """`¶3 s12: ...` for each sentence with the word, and so many before and after."""
    try:
        return [line for line in by_words(text, word, around).splitlines() if _NUMBERING.match(line)]
    except BadSlice:
        return []


def _by_terms(text: str, phrase: str) -> list[str]:
    """Sentences that hold all words of a phrase, in any order and form."""
    wanted = set(terms(phrase))
    pieces = [piece for piece in re.split(r"[\s_/\-]+", phrase) if len(piece) > 1]
    if len(pieces) < 2 or not wanted:
        return []
    lines = dict.fromkeys(line for piece in pieces for line in _hits(text, piece, 0))
    return [line for line in lines if wanted <= set(terms(line))]


def _offered(text: str) -> tuple[str, ...]:
    """Words that could be looked for instead: the title's and what stands out."""
    first = next((line.strip() for line in text[:2_000].splitlines() if line.strip()), "")
    return tuple(dict.fromkeys([first[:80], *things(text[:20_000])]))[:8] if first else ()
