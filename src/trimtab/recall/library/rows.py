"""CSV and TSV: cut by rows, each part under the head of the table. JSON: cut at the outermost commas that are near enough."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from trimtab.distill.grids import delimited
from trimtab.recall.library.document import Block, Extract
from trimtab.recall.library.spans import LIMIT, weigh

_SAMPLE_CHARS = 20_000
# a quoted cell of more lines than this is a quote that was never closed
_MAX_CELL_LINES = 200
_MAX_HEADER_CHARS = 600
_MAX_KEY_CHARS, _MAX_DEPTH = 60, 6
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}\[\],:]', re.S)


def read_rows(text: str) -> Extract:
    """A table: as many whole rows a block as fit, quoted line ends kept together."""
    sample = text[: text.rfind("\n", 0, _SAMPLE_CHARS) + 1] if len(text) > _SAMPLE_CHARS else text
    grid = delimited(sample, 0)
    header = grid.head.strip() if grid and grid.head else ""
    repeated = header if len(header) <= _MAX_HEADER_CHARS else ""
    room = max(LIMIT // 2, LIMIT - weigh(repeated))
    blocks: list[Block] = []
    begun, weight = 0, 0
    for start, end in _row_spans(text):
        row = weigh(text[start:end])
        if weight and weight + row > room:
            blocks.append(Block(begun, "table", header=repeated if blocks else ""))
            begun, weight = start, 0
        weight += row
    blocks.append(Block(begun, "table", header=repeated if blocks else ""))
    return Extract(text, blocks)


def _row_spans(text: str) -> Iterator[tuple[int, int]]:
    start = at = lines = 0
    open_quote = False
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end + 1
        open_quote ^= bool(text.count('"', at, end) % 2)
        lines += 1
        at = end
        if not open_quote or lines > _MAX_CELL_LINES:
            yield start, at
            start, lines, open_quote = at, 0, False
    if start < at:
        yield start, at


class _Comma(Struct, frozen=True):
    depth: int
    at: int
    path: tuple[str, ...]


def read_json(text: str) -> Extract:
    """JSON or JSON lines, well-formed or not: blocks of about a piece's length; the path are the keys and places."""
    blocks = [Block(0, "json", path=())]
    stack: list[str] = []
    last = key = ""
    best: _Comma | None = None
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if best and (token.end() - blocks[-1].start > LIMIT or weigh(text[blocks[-1].start : token.end()]) > LIMIT):
            blocks.append(Block(best.at, "json", path=best.path))
            best = None
        if sign in "{[":
            stack.append("" if sign == "{" else "0")
        elif sign in "}]":
            del stack[-1:]
            best = _better(best, _Comma(len(stack), token.end(), _path(stack)), blocks[-1].start) if not stack else best
        elif sign == ":":
            key = last
            stack[-1:] = [key] if stack else []
        elif sign == ",":
            stack[-1:] = [_next(stack[-1])] if stack else []
            best = _better(best, _Comma(len(stack), token.end(), _path(stack)), blocks[-1].start)
        else:
            last = sign[1 : _MAX_KEY_CHARS + 1].rstrip('"')
    return Extract(text, blocks)


def _better(best: _Comma | None, comma: _Comma, start: int) -> _Comma:
    """The outermost; of one depth the last; one in the first third of a piece gives way to a deeper one."""
    if best is None or comma.depth <= best.depth or best.at - start < LIMIT // 6:
        return comma
    return best


def _next(place: str) -> str:
    return str(int(place) + 1) if place.isdecimal() else ""


def _path(stack: list[str]) -> tuple[str, ...]:
    return tuple(f"[{name}]" if name.isdecimal() else name for name in stack[:_MAX_DEPTH] if name)
