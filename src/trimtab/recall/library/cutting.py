"""From a reader's borders to pieces: neighbors under one heading are joined, what is too long is cut.

A block goes on to the start of the next, and a piece is a run of blocks, so nothing between them can be lost.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from trimtab.recall.library.document import Block, Extract, Piece, is_lined
from trimtab.recall.library.spans import CODE, LIMIT, PROSE, ROWS, cut_span, weigh

# sections, functions below this weight are joined with the next of the same parent
_TINY = LIMIT // 6
_LOOSE = frozenset({"prose", "list", "quote"})
_WHOLE = frozenset({"function", "class", "code"})
_MAX_TITLE_CHARS = 200
_MAX_LEAD_IN_CHARS = 300
_MAX_HEADER_CHARS = 600


class _Run(Struct):
    """Blocks that will be one piece. `leads`: its end announces what follows. `tiny`: every section in it is one small run.
    `depth`: of the deepest path that was joined into it."""

    start: int
    end: int
    kind: str
    path: tuple[str, ...]
    weight: int
    header: str = ""
    leads: bool = False
    tiny: bool = False
    depth: int = 0


def cut(extract: Extract, name: str, kind: str) -> tuple[Piece, ...]:
    """The pieces of a text, in order. Their texts are slices of `extract.text`."""
    lined = is_lined(kind)
    counted = not extract.pages and kind not in ("html", "docx", "pdf")
    pieces: list[Piece] = []
    line, at = 1, 0
    for run in _joined(_runs(extract)):
        start, end = _trimmed(extract.text, run.start, run.end)
        if counted:
            line, at = line + extract.text.count("\n", at, start), start
        page = bisect_right(extract.pages, start)
        pieces.append(
            Piece(
                len(pieces), run.path, run.kind, extract.text[start:end], start, end, page, line if counted else 0, run.header, name, lined
            )
        )
    return tuple(pieces)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without white space at the ends, the indentation of a first line included."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _runs(extract: Extract) -> Iterator[_Run]:
    """One run for each block or part of a block; headings begin the run of what they stand above."""
    text, blocks = extract.text, _from_the_start(extract.blocks)
    above: list[tuple[int, str]] = []
    waiting: _Run | None = None
    for at, block in enumerate(blocks):
        end = blocks[at + 1].start if at + 1 < len(blocks) else len(text)
        start, stop = _trimmed(text, block.start, end)
        if start == stop:
            continue
        if block.level:
            above = [*((level, title) for level, title in above if level < block.level), (block.level, _title(block, text[start:stop]))]
        path = block.path if block.path is not None else tuple(title for _, title in above)
        if waiting and (block.start - waiting.start > LIMIT // 2):
            yield _weighed(text, waiting)
            waiting = None
        begins = waiting.start if waiting else start
        if block.level and block.kind == "heading" and weigh(text[start:stop]) <= LIMIT // 2:
            waiting = _Run(begins, stop, "prose", path, 0)
            continue
        waiting = None
        yield from _parts(text, block, (begins, start, stop), path)
    if waiting:
        yield _weighed(text, waiting)


def _weighed(text: str, run: _Run) -> _Run:
    run.weight = weigh(text[run.start : run.end])
    return run


def _from_the_start(blocks: list[Block]) -> list[Block]:
    return blocks if blocks and blocks[0].start == 0 else [Block(0), *blocks]


def _title(block: Block, text: str) -> str:
    return " ".join((block.title or text).split())[:_MAX_TITLE_CHARS]


def _parts(text: str, block: Block, span: tuple[int, int, int], path: tuple[str, ...]) -> Iterator[_Run]:
    """The block with the headings above it as a run, or as several where it is too long; of a table by rows, under its
    head again. `span`: start of the headings, start and end of the block."""
    begins, start, stop = span
    kind = "prose" if block.kind == "heading" else block.kind
    weight = weigh(text[begins:stop])
    if weight <= LIMIT:
        leads = kind == "prose" and stop - start <= _MAX_LEAD_IN_CHARS and text[stop - 1] in ":："
        yield _Run(begins, stop, kind, path, weight, block.header, leads)
        return
    header = text[start : block.head_end].strip() if block.head_end > start else ""
    header = header if len(header) <= _MAX_HEADER_CHARS else ""
    borders = ROWS if kind == "table" else CODE if kind in _WHOLE else PROSE
    room = max(LIMIT // 2, LIMIT - weigh(header))
    for first, last in cut_span(text, begins, stop, borders, room):
        if text[first:last].strip():
            again = block.header or (header if first >= block.head_end else "")
            yield _Run(first, last, kind, path, weigh(text[first:last]), again)


def _joined(runs: Iterable[_Run]) -> Iterator[_Run]:
    """Neighbors under one heading are joined; then small sections of one parent, each of them as a whole."""
    return _merged(_sections(runs), _siblings)


def _sections(runs: Iterable[_Run]) -> Iterator[_Run]:
    for path, section in groupby(runs, key=lambda run: run.path):
        members = list(_merged(section, _together))
        for run in members:
            run.depth = len(path)
            run.tiny = len(members) == 1 and run.weight < _TINY and not run.header
        yield from members


def _merged(runs: Iterable[_Run], belong: Callable[[_Run, _Run], bool]) -> Iterator[_Run]:
    """Runs that follow each other and belong together as one."""
    held: _Run | None = None
    for run in runs:
        if held is None or not belong(held, run):
            if held is not None:
                yield held
            held = run
        else:
            held = _with(held, run)
    if held is not None:
        yield held


def _together(held: _Run, run: _Run) -> bool:
    return held.weight + run.weight <= LIMIT and not run.header and (held.leads or _alike(held, run))


def _alike(held: _Run, run: _Run) -> bool:
    return (held.kind in _LOOSE and run.kind in _LOOSE) or (
        held.kind in _WHOLE and run.kind in _WHOLE and max(held.weight, run.weight) < _TINY
    )


def _siblings(held: _Run, run: _Run) -> bool:
    if not (held.tiny and run.tiny) or held.weight + run.weight > LIMIT:
        return False
    # prose above a section goes with it; what stands around a class does not go with the class
    alike = held.kind in _LOOSE and run.kind in _LOOSE
    alike = alike or (held.kind in _WHOLE and run.kind in _WHOLE and held.depth == run.depth)
    return alike and len(_shared(held.path, run.path)) >= max(held.depth, run.depth) - 1


def _with(held: _Run, run: _Run) -> _Run:
    kind = held.kind
    if held.leads and run.kind not in _LOOSE:
        kind = run.kind if run.weight >= held.weight else held.kind
    elif held.kind != run.kind:
        kind = "prose" if held.kind in _LOOSE else "code"
    tiny, depth = held.tiny and run.tiny, max(held.depth, run.depth)
    return _Run(held.start, run.end, kind, _shared(held.path, run.path), held.weight + run.weight, held.header, run.leads, tiny, depth)


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return one[:count]
