"""Exact strings that name one thing: identifiers, numbers, paths, addresses, dates. What the literal index holds of a text.

Whatever an exact search may be for and is no plain word: with a digit, with a sign inside (`a.b@c.de`, `src/a_b.py`, `is_open`,
`CT-88213`), with a capital after the first letter (`userId`, `HTTP`). Case aside; each once. Linear in the text.
"""

from __future__ import annotations

import re

# as long as the store finds whole (`Store.find_literal`)
MAX_LITERAL_CHARS = 512
_RUN = re.compile(r"[A-Za-z0-9_\u00c0-\u024f](?:[\w./:@#+%&=~?\\$-]*[A-Za-z0-9_\u00c0-\u024f+#])?", re.ASCII)
_NAMES = re.compile(r"\d|[^\W_][./:@#+%&=~?\\$_-]+\w|\w[A-Z]|_")
# the parts of a longer run that are looked for by themselves: "id=CT-88213", "https://a.b/c"
_PART = re.compile(r"[/=&?#:,\\]+")


def literals_of(text: str) -> tuple[str, ...]:
    """The literals of a text, lower-cased, in order, each once."""
    found: dict[str, None] = {}
    for match in _RUN.finditer(text):
        run = match.group()
        if len(run) > MAX_LITERAL_CHARS or not _NAMES.search(run):
            continue
        found[run.lower()] = None
        for part in _PART.split(run):
            part = part.strip(".-+~%$@")
            if part and part != run and _NAMES.search(part):
                found[part.lower()] = None
    return tuple(found)


def is_literal(text: str) -> bool:
    """Whether the text is one literal, so that the index knows every entry that holds it."""
    return len(text) <= MAX_LITERAL_CHARS and text.lower() in literals_of(text)
