"""Programs: cut at classes and functions. Python by its own grammar; other languages by the words that open a
definition, and by indentation."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from trimtab.recall.library.document import Block, Extract
from trimtab.recall.library.spans import LIMIT, weigh

# the tree of a longer file would fill the memory
MAX_PARSED_CHARS = 1_000_000
_DEFINITION = re.compile(
    r"^(?P<indent>[ \t]{0,12})"
    r"(?:(?:pub(?:\([a-z]+\))?|public|private|protected|internal|static|final|abstract|async|export|default|override|virtual|inline|extern|unsafe|const|open|sealed|data|suspend)[ \t]+){0,6}"
    r"(?:(?P<word>class|interface|struct|enum|trait|impl|module|namespace|object|record|protocol|extension|type|def|func|fn|fun|function|sub|procedure|mod|create (?:or replace )?(?:table|view|function|procedure|trigger|index))"
    r"(?:[ \t]*\*?[ \t]+(?:\([^()\n]{0,120}\)[ \t]*|<[^<>\n]{0,120}>[ \t]*)?|[ \t]*<[^<>\n]{0,120}>[ \t]*)(?P<name>[\w.$:]{1,120})(?![\w.$:]|[ \t]*[*=;]|[ \t]+\w+[ \t]*[=;,)(\[])"
    r"|(?:const|let|var)?[ \t]*(?P<arrow>[\w$]+)[ \t]*=[ \t]*(?:async[ \t]*)?(?:function\b|\([^()\n]{0,200}\)[ \t]*=>|[\w$]+[ \t]*=>)"
    r"|(?=[\w$~<])(?P<method>(?!(?:if|for|while|switch|catch|return|else|do|throw|new|await|yield|case|with|using|lock|elif|unless|until|sizeof)\b)"
    r"[\w$<>\[\],:&*. \t]{0,80}?[\w$~]{1,80})[ \t]*\([^(){};]{0,400}\)[^;{}()=\n]{0,100}(?:\{[ \t]*(?://[^\n]*|/\*[^\n]*)?$|\n[ \t]*\{))",
    re.M | re.I,
)
_LAST_WORD = re.compile(r"[\w$~:.]+$")
_ABOVE = re.compile(r"[ \t]*(?://|/\*|\*|#(?!include|define|if|endif|pragma)|--|@|\[)")
_WIDE_WORDS = frozenset(
    {
        "class",
        "interface",
        "struct",
        "enum",
        "trait",
        "impl",
        "module",
        "namespace",
        "object",
        "record",
        "protocol",
        "extension",
        "mod",
        "type",
    }
)
_MOST_ABOVE_LINES, _MAX_COMMENT_CHARS = 60, 6_000
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def read_program(text: str, python: bool) -> Extract:
    """Blocks for the classes and functions of a program; what stands between them is "code"."""
    if python and len(text) <= MAX_PARSED_CHARS:
        try:
            with warnings.catch_warnings():
                # what is old-fashioned in the program is no concern of ours
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return Extract(text, _by_words(text))
        starts = _line_starts(text)
        return Extract(text, list(_inside(tree, text, starts, ())))
    return Extract(text, _by_words(text))


def _line_starts(text: str) -> list[int]:
    # the grammar ends lines at form feeds in no case, at "\n" only
    return [0, *(mark.end() for mark in re.finditer("\n", text)), len(text)]


def _inside(node: ast.Module | ast.ClassDef, text: str, starts: list[int], path: tuple[str, ...]) -> Iterator[Block]:
    kind = "class" if path else "code"
    plain = bool(path)
    if not path:
        yield Block(0, "code", path=())
    last_line = node.lineno if isinstance(node, ast.ClassDef) else 0
    for child in node.body:
        if not isinstance(child, _Definition):
            if not plain:
                yield Block(starts[child.lineno - 1], kind, path=path)
                plain = True
            last_line = child.end_lineno or child.lineno
            continue
        first = _with_comments(text, starts, child, last_line)
        last_line = child.end_lineno or child.lineno
        plain = False
        yield from _definition(child, text, starts, (first, path))
        # the lines behind the last definition belong to what is around it
    if not plain and last_line < len(starts) - 1:
        yield Block(starts[last_line], kind, path=path)


def _definition(node: _Definition, text: str, starts: list[int], place: tuple[int, tuple[str, ...]]) -> Iterator[Block]:
    first, above = place
    word = "class" if isinstance(node, ast.ClassDef) else "def"
    path = (*above, f"{word} {node.name}")
    yield Block(starts[first], "class" if word == "class" else "function", path=path)
    end = starts[node.end_lineno or node.lineno]
    if isinstance(node, ast.ClassDef) and weigh(text[starts[first] : end]) > LIMIT:
        yield from _inside(node, text, starts, path)


def _with_comments(text: str, starts: list[int], node: _Definition, last_line: int) -> int:
    """The line, from 0, where a definition begins with its decorators and the comments right above."""
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
    while first > last_line and text[starts[first - 1] : starts[first]].lstrip().startswith("#"):
        first -= 1
    return first


def _by_words(text: str) -> list[Block]:
    """Definitions stand above what is indented deeper than they are."""
    blocks = [Block(0, "code", path=())]
    above: list[tuple[int, str, bool]] = []
    for found in _DEFINITION.finditer(text):
        indent = len(found["indent"].expandtabs(4))
        while above and above[-1][0] >= indent:
            above.pop()
        if any(not wide for _, _, wide in above):
            # what is defined inside a function stays in it
            continue
        wide = (found["word"] or "").casefold() in _WIDE_WORDS
        above.append((indent, _named(found), wide))
        start = max(blocks[-1].start, _above(text, found.start()))
        block = Block(start, "class" if wide else "function", path=tuple(name for _, name, _ in above))
        blocks[-1:] = [block] if start == blocks[-1].start else [blocks[-1], block]
    return blocks


def _named(found: re.Match[str]) -> str:
    if found["word"]:
        return f"{found['word'].casefold()} {found['name']}"
    name = found["arrow"] or found["method"] or ""
    last = _LAST_WORD.search(name)
    return f"{last[0] if last else name.strip()}()"


def _above(text: str, start: int) -> int:
    """Where the comments and attributes right above a definition begin."""
    for _ in range(_MOST_ABOVE_LINES):
        before = text.rfind("\n", 0, max(0, start - 1)) + 1
        if before >= start:
            break
        line = text[before:start].strip()
        if line.endswith("*/") and not line.startswith("/*"):
            opened = text.rfind("/*", max(0, start - _MAX_COMMENT_CHARS), start)
            if opened < 0:
                break
            before = text.rfind("\n", 0, opened) + 1
        elif not _ABOVE.match(line):
            break
        start = before
    return start
