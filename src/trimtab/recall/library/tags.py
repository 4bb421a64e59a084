"""HTML as a row of tags and texts, in linear time whatever is unclosed; the standard library's parser needs minutes for
300 kB of "<!--". Attributes are passed over: the library needs none of them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Literal

Token = tuple[Literal["open", "close", "text"], str]

_NAME = re.compile(r"</?([A-Za-z][^\s/>]{0,60})")
_MAX_TAG_CHARS = 4_000
_TAG = re.compile(r"(?:[^<>\"']|\"[^\"]{0,4000}\"|'[^']{0,4000}')*>")
# their inside is no markup; of the first three it is text for people
_WORDED = ("title", "textarea", "xmp")
_HIDDEN = ("script", "style", "template", "iframe", "noframes", "noscript", "svg", "math", "canvas", "select", "object")
_ENDS = {name: re.compile(rf"</{name}\b[^>]{{0,100}}>", re.I) for name in (*_WORDED, *_HIDDEN)}
# characters that may be read in vain, beside the text's own length, before quotes are no longer minded
_SPARE_CHARS = 1_000_000


def tokens(text: str) -> Iterator[Token]:
    """Names of tags in lower case, texts with their entities resolved. Comments and declarations are left out."""
    scan = _Scan(text)
    at = 0
    while at < len(text):
        sign = text.find("<", at)
        sign = len(text) if sign < 0 else sign
        if sign > at:
            yield "text", unescaped(text[at:sign])
        if sign == len(text):
            return
        name, at = scan.markup(sign)
        if not name:
            continue
        if name == "<":
            yield "text", "<"
        elif name[0] == "/":
            yield "close", name[1:]
        else:
            yield "open", name
            start, end, at = scan.content(name, at)
            if name in _WORDED:
                yield "text", unescaped(text[start:end])
            if at > start:
                yield "close", name


class _Scan:
    """Where markup ends. What was sought in vain once is not sought again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spare = len(text) + _SPARE_CHARS
        self.missing: set[str] = set()

    def markup(self, at: int) -> tuple[str, int]:
        """(name, end) of the tag at `at`: "/p" for one that closes, "" for a comment, "<" where it is no markup."""
        if self.text.startswith("<!--", at):
            return self._past("-->", at + 2, at)
        if self.text.startswith(("<!", "<?"), at):
            return self._past(">", at, at)
        name = _NAME.match(self.text, at)
        if not name:
            return "<", at + 1
        end = self._tag_end(name.end())
        written = ("/" if self.text[at + 1] == "/" else "") + name[1].lower()
        return (written, end) if end else ("<", at + 1)

    def content(self, name: str, at: int) -> tuple[int, int, int]:
        """(start, end of what is inside, where to go on) of an element whose inside is no markup; nothing of another one."""
        if name not in _ENDS or name in self.missing:
            return at, at, at
        found = _ENDS[name].search(self.text, at)
        if found:
            return at, found.start(), found.end()
        self.missing.add(name)
        # a script that never ends hides the rest, as in a browser
        return (at, len(self.text), len(self.text)) if name in ("script", "style") else (at, at, at)

    def _past(self, mark: str, start: int, at: int) -> tuple[str, int]:
        end = -1 if mark in self.missing else self.text.find(mark, start)
        if end < 0:
            self.missing.add(mark)
            return "<", at + 1
        return "", end + len(mark)

    def _tag_end(self, start: int) -> int:
        """Behind the ">" that is in no quotes, else behind the next one; 0 for none."""
        if self.spare > 0:
            found = _TAG.match(self.text, start, start + _MAX_TAG_CHARS)
            if found:
                return found.end()
            self.spare -= _MAX_TAG_CHARS
        name, end = self._past(">", start, start)
        return 0 if name else end


def unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:
        # a number of thousands of digits is no character
        return text
