"""Markdown by its tokens: headings, lists by item, tables, code blocks, quotes. Positions are the file's own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from trimtab.recall.library.document import Block, Extract
from trimtab.recall.library.plain import read_plain

# beyond this the headings are told by their signs alone; the tokens of so long a text would fill the memory
MAX_PARSED_CHARS = 1_000_000
_ATX = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_FRONT = re.compile(r"---[ \t]*\n(?:[^\n]{0,2000}\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TITLE = re.compile(r"^title:[ \t]*[\"']?([^\n\"']{1,200})", re.M)
_KINDS = {
    "paragraph_open": "prose",
    "table_open": "table",
    "blockquote_open": "quote",
    "fence": "code",
    "code_block": "code",
    "html_block": "prose",
}
_SIGNS = re.compile(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)|`|!?\[([^\]]*)\]\([^)]*\)")


def read_markdown(text: str) -> Extract:
    if len(text) > MAX_PARSED_CHARS:
        return read_plain(text, _atx_level)
    front = _FRONT.match(text)
    body = front.end() if front else 0
    starts = _line_starts(text, body)
    blocks = [Block(0)] if front else []
    blocks += _blocks(MarkdownIt("commonmark").enable("table").disable("inline").parse(text[body:]), text, starts)
    named = _TITLE.search(front[0]) if front else None
    first = next((block.title for block in blocks if block.level), "")
    return Extract(text, blocks, named[1].strip() if named else first)


def _blocks(tokens: list[Token], text: str, starts: list[int]) -> Iterator[Block]:
    """Blocks of the outermost level, and the items of its lists."""
    for at, token in enumerate(tokens):
        if not token.map:
            continue
        start = starts[token.map[0]]
        if token.type == "heading_open" and token.level == 0:
            yield Block(start, "heading", int(token.tag[1]), _SIGNS.sub(r"\1", tokens[at + 1].content))
        elif token.type == "list_item_open" and token.level == 1:
            yield Block(start, "list")
        elif token.level == 0 and token.type in _KINDS:
            head_end = starts[min(token.map[0] + 2, len(starts) - 1)] if token.type == "table_open" else 0
            yield Block(start, _KINDS[token.type], head_end=head_end)


def _line_starts(text: str, at: int) -> list[int]:
    starts = [at]
    for mark in re.finditer(r"\n", text[at:]):
        starts.append(at + mark.end())
    return [*starts, len(text)]


def _atx_level(start: int, line: str) -> int:
    found = _ATX.match(line)
    return len(found[1]) if found else 0
