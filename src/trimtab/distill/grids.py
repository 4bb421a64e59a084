"""Tables that are written as text: CSV, TSV, Markdown and HTML. Where they are, their names, their rows.

Linear in the text's length. What cannot be read as a table is none; nothing raises.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator

from msgspec import Struct

MOST_GRIDS = 8
# rows whose cells are kept; the rest is counted
MOST_ROWS = 200_000
_DELIMITERS = ((",", "CSV"), ("\t", "TSV"), (";", "CSV (;)"))
_SAMPLE_ROWS, _LEAST_LINES, _MAX_NAME_CHARS, _MAX_TITLE_CHARS = 20, 3, 60, 60
_SAMPLE_CHARS = 20_000
# a quoted cell of more lines than this is a quote that was never closed
_MAX_CELL_LINES = 200
_MOST_BLOCKS = 40
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\r?$")
_PIPE = re.compile(r"(?<!\\)\|")
_BLOCK_END = re.compile(r"\n[ \t]*\r?\n|\n?```[^\n]{0,20}\n?")
_NOT_A_NAME = re.compile(r"[-+$€£¥]?\d[\d.,:%/-]*|")
_HTML_TABLE = re.compile(r"<table\b", re.I)
_HTML_ROW = re.compile(r"<tr\b[^>]{0,500}>", re.I)
_HTML_CELL = re.compile(r"<t[hd]\b[^>]{0,500}>", re.I)
_HTML_TAG = re.compile(r"<[^<>]{0,1000}>")


class Grid(Struct, frozen=True):
    """One table.

    Attributes:
        kind: "CSV", "TSV", "CSV (;)", "Markdown table" or "HTML table".
        names: of its columns; "column 1", "column 2" ... where it has no head.
        rows: cells of the first rows, without the head.
        count: how many rows there are.
        head: the head as it is written, "" for none.
        texts: each of `rows` as it is written.
        title: what stands above it, "" for nothing.
    """

    kind: str
    names: tuple[str, ...]
    rows: list[list[str]]
    count: int
    head: str = ""
    texts: tuple[str, ...] = ()
    title: str = ""


def find_grids(text: str, most_rows: int = MOST_ROWS) -> list[Grid]:
    """The tables of a text, at most 8, in their order; of each at most `most_rows` rows with their cells."""
    found = _markdown(text, most_rows) if "|" in text and "-" in text else []
    if not found and "<" in text:
        found = _html(text, most_rows)
    if not found:
        whole = delimited(text, most_rows)
        found = [whole] if whole else _blocks(text, most_rows)
    return found[:MOST_GRIDS]


# ---------------------------------------------------------------- CSV and its kin


def delimited(text: str, most_rows: int = MOST_ROWS) -> Grid | None:
    """The whole text as CSV, TSV or semicolons; None where it is none of them."""
    body = text.removeprefix("\ufeff").lstrip("\r\n")
    if body.count("\n", 0, _SAMPLE_CHARS) < _LEAST_LINES - 1:
        return None
    for mark, kind in _DELIMITERS:
        if mark in body[:_SAMPLE_CHARS] and _is_delimited(body, mark):
            return _read(body, mark, kind, most_rows)
    return None


def _is_delimited(body: str, mark: str) -> bool:
    first = body[: body.find("\n")].rstrip()
    if first.endswith((".", "。", "：", mark)) or first.lstrip()[:1] in ("{", "["):
        return False
    cut = len(body) > _SAMPLE_CHARS
    rows = [row for _, (row, _) in zip(range(_SAMPLE_ROWS), _rows(body[:_SAMPLE_CHARS], mark, csv.QUOTE_MINIMAL), strict=False) if row]
    # the last row of a sample may be cut
    rows = rows[:-1] if cut and len(rows) > 1 else rows
    if len(rows) < _LEAST_LINES or len(rows[0]) < 2:
        return False
    alike = sum(1 for row in rows if len(row) == len(rows[0]))
    return alike >= 0.9 * len(rows) and max(len(cell.strip()) for cell in rows[0]) <= _MAX_NAME_CHARS


def _read(body: str, mark: str, kind: str, most_rows: int) -> Grid | None:
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        grid = _read_as(body, mark, kind, most_rows, quoting)
        if grid is not None:
            return grid
    return None


def _read_as(body: str, mark: str, kind: str, most_rows: int, quoting: int) -> Grid | None:
    """None where the quotes of the text do not pair."""
    rows: list[list[str]] = []
    texts: list[str] = []
    names: tuple[str, ...] = ()
    head, count = "", 0
    for row, written in _rows(body, mark, quoting):
        if row is None:
            return None
        if not row:
            continue
        if not names:
            names, has_head = _names(row)
            if has_head:
                head = written
                continue
        count += 1
        if count <= most_rows:
            rows.append(row)
            texts.append(written)
    return Grid(kind, names, rows, count, head, tuple(texts))


def _rows(body: str, mark: str, quoting: int) -> Iterator[tuple[list[str] | None, str]]:
    """(cells, the row as written); (None, "") at last where the text cannot be read so."""
    if '"' not in body:
        for line in body.split("\n"):
            written = line.removesuffix("\r")
            yield (written.split(mark) if written else []), written
        return
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in io.StringIO(body, newline="\n"):
            taken.append(line)
            if len(taken) > _MAX_CELL_LINES:
                raise csv.Error("a quote that is never closed")
            yield line

    reader = csv.reader(lines(), delimiter=mark, quoting=quoting)  # type: ignore[arg-type]
    while True:
        try:
            row = next(reader, None)
        except csv.Error:
            yield None, ""
            return
        if row is None:
            return
        yield row, "".join(taken).rstrip("\r\n")
        taken.clear()


def _names(row: list[str]) -> tuple[tuple[str, ...], bool]:
    """The columns' names, and whether the row is a head: a head has no numbers and no empty cells but at its ends."""
    cells = [cell.strip() for cell in row]
    if any(_NOT_A_NAME.fullmatch(cell) for cell in cells[1:]) or (_NOT_A_NAME.fullmatch(cells[0]) and cells[0]):
        return tuple(f"column {n}" for n in range(1, len(cells) + 1)), False
    return tuple(cell or f"column {n}" for n, cell in enumerate(cells, 1)), True


def _blocks(text: str, most_rows: int) -> list[Grid]:
    """Tables between paragraphs, where a person pasted them."""
    found: list[Grid] = []
    at = 0
    for _, gap in zip(range(_MOST_BLOCKS), [*_BLOCK_END.finditer(text), None], strict=False):
        block = text[at : gap.start() if gap else len(text)]
        grid = delimited(block, most_rows) or (delimited(block.partition("\n")[2], most_rows) if block.count("\n") > _LEAST_LINES else None)
        if grid is not None:
            found.append(grid)
        if gap:
            at = gap.end()
    return found


# ---------------------------------------------------------------- Markdown


def _markdown(text: str, most_rows: int) -> list[Grid]:
    lines = text.removeprefix("\ufeff").split("\n")
    found: list[Grid] = []
    at = 1
    while at < len(lines) and len(found) < MOST_GRIDS:
        if "-" in lines[at] and "|" in lines[at - 1] and ("|" in lines[at] or lines[at].strip(" -:\r") == "") and _RULE.match(lines[at]):
            end = at + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            rows = [_cells(line) for line in lines[at + 1 : min(end, at + 1 + most_rows)]]
            names = tuple(cell or f"column {n}" for n, cell in enumerate(_cells(lines[at - 1]), 1))
            texts = tuple(line.rstrip("\r") for line in lines[at + 1 : at + 1 + len(rows)])
            head = "\n".join(line.rstrip("\r") for line in lines[at - 1 : at + 1])
            found.append(Grid("Markdown table", names, rows, end - at - 1, head, texts, _title(lines, at - 2)))
            at = end
        at += 1
    return found


def _cells(line: str) -> list[str]:
    row = line.strip().removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    if "\\" in row:
        return [cell.strip().replace("\\|", "|") for cell in _PIPE.split(row)]
    return [cell.strip() for cell in row.split("|")]


def _title(lines: list[str], at: int) -> str:
    """A short heading or a line that ends in a colon, right above or with one empty line between."""
    for line in reversed(lines[max(0, at - 1) : at + 1]):
        words = line.strip()
        if words:
            named = words.startswith("#") or words.endswith((":", "：")) or (words.startswith("**") and words.endswith("**"))
            title = words.strip("#*:： ")
            return title if named and len(title) <= _MAX_TITLE_CHARS else ""
    return ""


# ---------------------------------------------------------------- HTML


def _html(text: str, most_rows: int) -> list[Grid]:
    starts = [found.start() for _, found in zip(range(MOST_GRIDS), _HTML_TABLE.finditer(text), strict=False)]
    found: list[Grid] = []
    for start, stop in zip(starts, [*starts[1:], len(text)][: len(starts)], strict=True):
        end = text.find("</table", start, stop)
        rows = [_html_cells(row) for row in _HTML_ROW.split(text[start : end if end >= 0 else stop])[1:]]
        rows = [row for row in rows if row]
        if rows and len(rows[0]) > 1:
            names, has_head = _names(rows[0])
            body = rows[1:] if has_head else rows
            texts = tuple("\t".join(row) for row in body[:most_rows])
            found.append(Grid("HTML table", names, body[:most_rows], len(body), "\t".join(rows[0]) if has_head else "", texts))
    return found


def _html_cells(row: str) -> list[str]:
    return [" ".join(html.unescape(_HTML_TAG.sub(" ", cell)).split()) for cell in _HTML_CELL.split(row)[1:]]
