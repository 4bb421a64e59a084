"""Parts of a large value: by path, by rows, lines or characters, or the sentences around some words. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import msgspec

from trimtab.distill.grids import find_grids
from trimtab.distill.sentences import sentences as sentence_spans
from trimtab.distill.shapes import NOTHING, decode_json, decode_lines, tables_in
from trimtab.errors import BadSlice

MOST_HITS = 40
MAX_SENTENCE_CHARS = 600
_MOST_STEPS = 50
_MOST_ROWS = 10_000_000
_MOST_NAMED = 20
_STEP = re.compile(
    r"\.?(?:(?P<name>[^\s.\[\]\"'*]+(?: [^\s.\[\]\"'*]+)*)|\[\"(?P<double>(?:[^\"\\]|\\.)*)\"\]|\['(?P<single>[^']*)'\]|(?P<all>\*|\[\*\])"
    r"|\[(?P<index>-?\d{1,9})\]|\[(?P<first>-?\d{0,9}):(?P<last>-?\d{0,9})\])"
)
_PARAGRAPH = re.compile(r"\n[ \t\r　]*(?:\n[ \t\r　]*)+")
_LINE = re.compile(r"\n[\s　]*")


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of a value is asked for; at most one of path, rows, lines, chars, around."""

    path: str = ""
    rows: tuple[int, int] | None = None
    lines: tuple[int, int] | None = None
    chars: tuple[int, int] | None = None
    around: str = ""
    sentences: int = 1
    max_chars: int | None = None

    def check(self) -> None:
        """Raises BadSlice."""
        named = [name for name in ("path", "rows", "lines", "chars", "around") if getattr(self, name)]
        if len(named) > 1:
            raise BadSlice(" and ".join(named), tuple(getattr(self, name) for name in named), "one of path, rows, lines, chars, around")
        for name in ("path", "around"):
            if not isinstance(getattr(self, name), str):
                raise BadSlice(name, getattr(self, name), "a text")
        if not _is_count(self.sentences, 0):
            raise BadSlice("sentences", self.sentences, "a number of 0 or more")
        if self.max_chars is not None and not _is_count(self.max_chars, 1):
            raise BadSlice("max_chars", self.max_chars, "a number of 1 or more")


def read_part(value: str, part: Part, whole: Any = None) -> Any:
    """The part of a text that is asked for; the whole of it (or `whole`, its decoded value) where none is.

    Returns:
        a text; a JSON value for a path, for rows of JSON, and for `whole`. With `max_chars` what is longer comes as the
        beginning of its text with a last line that says how much is missing.
    Raises:
        BadSlice: what there is instead.
    """
    part.check()
    if part.path:
        found = by_path(decoded(value), part.path)
    elif part.rows is not None:
        found = by_rows(value, part.rows)
    elif part.lines is not None:
        found = by_lines(value, part.lines)
    elif part.chars is not None:
        found = by_chars(value, part.chars)
    elif part.around:
        found = by_words(value, part.around, part.sentences)
    else:
        found = value if whole is None else whole
    return found if part.max_chars is None else _clipped(found, part.max_chars)


def decoded(text: str) -> Any:
    """Raises BadSlice where the text is no JSON."""
    value = decode_json(text)
    if value is NOTHING:
        value = decode_lines(text)
    if value is None:
        raise BadSlice("path", "of a text", "rows, lines, chars or around: the value is not JSON")
    return value


def _clipped(found: Any, max_chars: int) -> Any:
    text = found if isinstance(found, str) else msgspec.json.encode(found).decode()
    if len(text) <= max_chars:
        return found
    mark = f"\n[… {len(text):,} characters in all; ask for a smaller part …]"
    return text[: max(0, max_chars - len(mark))] + mark if len(mark) < max_chars else text[:max_chars]


# ---------------------------------------------------------------- JSON


def by_path(value: Any, path: str) -> Any:
    """`$.orders[0].id`, `orders[0:5].total`, `$["unit price"]`, `$.orders[*].id`. With `*` or a range it is the list
    of all that is there; rows that lack the member are passed over."""
    at = 1 if path.startswith("$") else 0
    found: list[Any] = [value]
    many = False
    for _ in range(_MOST_STEPS):
        if at == len(path):
            return found if many else found[0]
        step = _STEP.match(path, at)
        if step is None:
            raise BadSlice(
                "path", path, f'steps like .name, ["a name"], [0], [0:5] and [*]; it is none of them from {path[at : at + 20]!r} on'
            )
        many = many or bool(step["all"]) or step["first"] is not None
        found = _stepped(found, step, path)
        at = step.end()
    raise BadSlice("path", path[:80], f"at most {_MOST_STEPS} steps")


def _stepped(values: Sequence[Any], step: re.Match[str], path: str) -> list[Any]:
    taken: list[Any] = []
    for value in values:
        taken += _taken(value, step)
    reaches = any(isinstance(value, dict | list) if step["all"] else isinstance(value, list) for value in values)
    if taken or not values or (reaches and (step["all"] or step["first"] is not None)):
        return taken
    sample = next((value for value in values if isinstance(value, dict | list)), None)
    raise BadSlice("path", path[: step.end()], _what_there_is(sample))


def _taken(value: Any, step: re.Match[str]) -> list[Any]:
    name = _name(step)
    if name is not None:
        return [value[name]] if isinstance(value, dict) and name in value else []
    if step["all"]:
        return list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
    if not isinstance(value, list):
        return []
    if step["index"] is not None:
        index = int(step["index"])
        return [value[index]] if -len(value) <= index < len(value) else []
    return value[int(step["first"]) if step["first"] else None : int(step["last"]) if step["last"] else None]


def _name(step: re.Match[str]) -> str | None:
    if step["double"] is not None:
        try:
            return str(msgspec.json.decode(f'"{step["double"]}"'))
        except (msgspec.DecodeError, UnicodeEncodeError):
            return str(step["double"])
    return step["single"] if step["single"] is not None else step["name"]


def _what_there_is(value: Any) -> str:
    if isinstance(value, dict):
        names = ", ".join(str(name)[:60] for name in list(value)[:_MOST_NAMED])
        rest = f" and {len(value) - _MOST_NAMED:,} more" if len(value) > _MOST_NAMED else ""
        return f"the keys there: {names}{rest}" if value else "nothing: the object there is empty"
    if isinstance(value, list):
        return f"an index in 0..{len(value) - 1}, a range or [*]" if value else "nothing: the list there is empty"
    return "no further step: what stands there is a plain value"


# ---------------------------------------------------------------- rows, lines, characters


def by_rows(text: str, rows: tuple[int, int]) -> Any:
    """Rows from 1, both ends in, of a JSON array (as a list), or of JSON lines and tables as they are written, a
    table's head before them. The last may lie beyond the end."""
    value = decode_json(text)
    if value is not NOTHING:
        table = value if isinstance(value, list) else _only_table(value)
        first, last = _bounds("rows", rows, len(table))
        return table[first - 1 : last]
    written = [line for line in text.removeprefix("\ufeff").split("\n") if line.strip()]
    if decode_lines(text) is not None:
        first, last = _bounds("rows", rows, len(written))
        return "\n".join(line.rstrip("\r") for line in written[first - 1 : last])
    grids = find_grids(text, _MOST_ROWS)
    if not grids:
        raise BadSlice("rows", rows, "lines, chars or around: the value is no table")
    grid = grids[0]
    first, last = _bounds("rows", rows, grid.count)
    return "\n".join(part for part in (grid.head, *grid.texts[first - 1 : last]) if part)


def _only_table(value: Any) -> list[Any]:
    tables = list(tables_in(value))
    if len(tables) == 1:
        return tables[0].rows
    if not tables:
        raise BadSlice("rows", "of an object", f"path: the value has no rows; {_what_there_is(value)}")
    paths = ", ".join(f"{table.path}[0:{min(len(table.rows), 40)}]" for table in tables[:_MOST_NAMED])
    raise BadSlice("rows", "of an object with several tables", f"path: {paths}")


def by_lines(text: str, lines: tuple[int, int]) -> str:
    """Lines from 1, both ends in."""
    written = text.split("\n")
    first, last = _bounds("lines", lines, len(written) - (1 if len(written) > 1 and not written[-1] else 0))
    return "\n".join(written[first - 1 : last])


def by_chars(text: str, chars: tuple[int, int]) -> str:
    """Characters from 0, the end out."""
    start, end = _pair("chars", chars, f"0..{len(text):,}")
    if not 0 <= start <= end or start > len(text):
        raise BadSlice("chars", (start, end), f"0..{len(text)}, the start first")
    return text[start:end]


def _bounds(what: str, pair: tuple[int, int], count: int) -> tuple[int, int]:
    first, last = _pair(what, pair, f"1..{count}")
    if count == 0:
        raise BadSlice(what, pair, "nothing: there are none")
    if not 1 <= first <= count or last < first:
        raise BadSlice(what, (first, last), f"{what} 1..{count}, the first before the last")
    return first, min(last, count)


def _pair(what: str, pair: object, allowed: str) -> tuple[int, int]:
    if isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(end, int) and not isinstance(end, bool) for end in pair):
        return int(pair[0]), int(pair[1])
    raise BadSlice(what, pair, f"two whole numbers in {allowed}")


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


# ---------------------------------------------------------------- sentences


def by_words(text: str, words: str, around: int) -> str:
    """The sentences that hold the words, upper and lower case alike, each with `around` sentences before and after:
    `¶3 s12: ...`, both counted from 1 through the whole text. Groups that do not touch stand apart."""
    wanted = re.compile(re.escape(words.strip()), re.IGNORECASE)
    hits = [found.span() for found in wanted.finditer(text)] if words.strip() else []
    if not hits:
        raise BadSlice("around", words, "words that stand in the value just so (upper and lower case are alike)")
    spans = list(sentence_spans(text, 0, len(text))) or [(0, len(text))]
    starts = [start for start, _ in spans]
    # a hit that lies between two sentences belongs to the one before it
    at = {max(0, bisect_right(starts, start) - 1): (start, end) for start, end in reversed(hits)}
    chosen = sorted(at)
    shown = sorted({n for hit in chosen[:MOST_HITS] for n in range(max(0, hit - around), min(len(spans), hit + around + 1))})
    breaks = _paragraph_breaks(text)
    lines: list[str] = []
    for place, n in enumerate(shown):
        if place and shown[place - 1] != n - 1:
            lines.append("…")
        lines.append(f"¶{bisect_right(breaks, spans[n][0]) + 1} s{n + 1}: {_sentence(text, spans[n], at.get(n))}")
    if len(chosen) > MOST_HITS:
        lines.append(f"[{len(chosen) - MOST_HITS:,} more sentences with these words]")
    return "\n".join(lines)


def _paragraph_breaks(text: str) -> list[int]:
    """Where paragraphs after the first begin: after empty lines, where there are any, else at every line."""
    body = len(text) - len(text.lstrip())
    pattern = _PARAGRAPH if _PARAGRAPH.search(text.strip()) else _LINE
    return [found.end() for found in pattern.finditer(text, body)]


def _sentence(text: str, span: tuple[int, int], hit: tuple[int, int] | None) -> str:
    """One line; of a very long sentence the part around the hit."""
    start, end = span
    if end - start <= MAX_SENTENCE_CHARS:
        return " ".join(text[start:end].split())
    middle = hit[0] if hit else start
    first = max(start, min(middle - MAX_SENTENCE_CHARS // 2, end - MAX_SENTENCE_CHARS))
    last = min(end, first + MAX_SENTENCE_CHARS)
    return ("…" if first > start else "") + " ".join(text[first:last].split()) + ("…" if last < end else "")
