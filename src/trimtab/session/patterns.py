"""Regular expressions of a schema, matched in time that is linear in the text, whoever wrote them (REQUIREMENTS T2).

Python's own engine backtracks: a short pattern such as `^(a+)+$` can keep it busy for years, and nothing ends it. Here all ways
through a pattern are followed at once, so that each character is looked at once; what cannot be matched so is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

# places of a pattern, once its counted repeats are written out
MOST_PLACES = 2_000
# places looked at while ways through are worked out, in one check; well under a second
MOST_WORK = 1_500_000
_MOST_KEPT = 20_000
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|0[0-7]{0,2}|[0-3][0-7]{2}|.)", re.DOTALL)
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_GROUP = re.compile(r"\((?:\?:|\?P<\w+>|(?!\?))")
# from Python 3.14 on, a text without characters has no edge of a word; before, nothing at all
_EMPTY_HAS_NO_EDGE = re.search(r"\B", "") is not None
_ASSERTIONS = {"^": "start", "$": "end", r"\A": "start", r"\Z": "very end", r"\b": "edge", r"\B": "no edge"}
# a pattern that the engine of Python cannot be slow with: begins at the start, one repeat, no choices and no groups
_PLAIN = re.compile(
    r"\^(?:[^\\()|*+?{}\[\]]|\\[dDsSwWtnr.\-/]|\[\^?(?:\\.|[^\]\\])+\]|\{\d{1,3}\})*(?:[*+?]|\{\d{1,6},\d{0,6}\})?[^\\()|*+?{}\[\]]*",
    re.DOTALL,
)

Test: TypeAlias = Callable[[str], Any]
# a tree: ("char", test), ("at", kind), ("all", rows), ("any", rows), ("times", row, least, most or None)
Tree: TypeAlias = tuple[Any, ...]


class Unbounded(ValueError):
    """A pattern whose match is not bounded in time; says why, to follow "its pattern ...". It goes no further than `session/bounded.py`."""


class Work:
    """What is left of the work that one check may take."""

    def __init__(self, left: int = MOST_WORK) -> None:
        self.left = left

    def spend(self, places: int) -> None:
        """Raises Unbounded once it is used up."""
        self.left -= places
        if self.left < 0:
            raise Unbounded("takes too long on this product")


def pattern_problem(pattern: str) -> str:
    """Why a pattern is refused, to follow "its pattern ..."; "" where it is not."""
    try:
        _compiled(pattern)
    except Unbounded as error:
        return str(error)
    return ""


def found(pattern: str, text: str, work: Work) -> bool:
    """Whether the pattern occurs in the text, as `re.search` has it. Raises Unbounded."""
    return _compiled(pattern)(text, work)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Callable[[str, Work], bool]:
    try:
        own = re.compile(pattern)
        if _PLAIN.fullmatch(pattern):
            return lambda text, work: own.search(text) is not None
        parts = [(_Machine(tree), wanted) for tree, wanted in _Reader(pattern).read()]
    except (re.error, OverflowError) as error:
        raise Unbounded(f"is no regular expression ({error})") from None
    except RecursionError:
        raise Unbounded("is nested too deep") from None
    return lambda text, work: all(machine.found(text, work) is wanted for machine, wanted in parts)


class _Reader:
    """Reads how a pattern is built. What a single character may be is left to Python's engine."""

    def __init__(self, pattern: str) -> None:
        self.flags = re.IGNORECASE if pattern.startswith("(?i)") else re.RegexFlag(0)
        self.text = pattern[4:] if self.flags else pattern
        self.at = 0

    def read(self) -> list[tuple[Tree, bool]]:
        """What must be found, and (False) what must not: look-aheads at the start are patterns of their own."""
        start: Tree = ("at", "start")
        ahead: list[tuple[Tree, bool]] = []
        if self.text.startswith(("^(?=", "^(?!")):
            self.at = 1
            while self.text.startswith(("(?=", "(?!"), self.at):
                wanted = self.text[self.at + 2] == "="
                self.at += 3
                ahead.append((("all", [start, self._choice()]), wanted))
                self.at += 1
                self._refuse_repeat()
        tree = self._choice()
        if ahead and tree[0] == "any":
            raise Unbounded("looks ahead in one of several choices; write it without")
        return [*ahead, (("all", [start, tree]) if ahead else tree, True)]

    def _refuse_repeat(self) -> None:
        if self.text[self.at : self.at + 1] in ("*", "+", "?", "{"):
            raise Unbounded("repeats a look-ahead; write it without")

    def _choice(self) -> Tree:
        rows = [self._row()]
        while self.text.startswith("|", self.at):
            self.at += 1
            rows.append(self._row())
        return rows[0] if len(rows) == 1 else ("any", rows)

    def _row(self) -> Tree:
        rows: list[Tree] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            rows.append(self._repeated(self._one()))
        return ("all", rows)

    def _one(self) -> Tree:
        sign = self.text[self.at]
        if sign == "(":
            return self._group()
        form = {"[": _CLASS, "\\": _ESCAPE}.get(sign)
        match = form.match(self.text, self.at) if form else None
        piece = match[0] if match else sign
        self.at += len(piece)
        if piece in _ASSERTIONS:
            return ("at", _ASSERTIONS[piece])
        if sign == "\\" and piece[1] in "123456789" and len(piece) == 2:
            raise Unbounded(f"refers back ({piece}); write it without")
        written = piece if match or piece == "." else re.escape(piece)
        return ("char", re.compile(written, self.flags).fullmatch)

    def _group(self) -> Tree:
        match = _GROUP.match(self.text, self.at)
        if match is None:
            raise Unbounded(f"uses {self.text[self.at : self.at + 4]!r}, of which no time can be told; write it without, or check by code")
        self.at = match.end()
        tree = self._choice()
        self.at += 1
        return tree

    def _repeated(self, tree: Tree) -> Tree:
        least: int
        most: int | None
        sign = self.text[self.at : self.at + 1]
        if sign and sign in "*+?":
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
            self.at += 1
        elif sign == "{" and (count := _COUNT.match(self.text, self.at)) and count[0] not in ("{}", "{,}"):
            least = int(count[1] or 0)
            most = least if not count[2] else int(count[3]) if count[3] else None
            self.at = count.end()
        else:
            return tree
        if self.text.startswith("+", self.at):
            raise Unbounded("uses a possessive repeat; write it without")
        self.at += self.text.startswith("?", self.at)
        return ("times", tree, least, most)


class _Machine:
    """Follows all ways through a pattern at once. What was worked out for a set of places and a character is kept."""

    def __init__(self, tree: Tree) -> None:
        # each place: ("char", test, next), ("at", kind, next), ("split", next, next) or ("found",)
        self._places: list[tuple[Any, ...]] = [("found",)]
        self._start = self._build(tree, 0)
        self._looks_around = any(place[0] == "at" for place in self._places)
        self._open: dict[tuple[frozenset[int], int], frozenset[int]] = {}
        self._next: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def _add(self, *place: Any) -> int:
        if len(self._places) >= MOST_PLACES:
            raise Unbounded(f"has more than {MOST_PLACES:,} places with its repeats written out; use maxLength, or smaller counts")
        self._places.append(place)
        return len(self._places) - 1

    def _build(self, tree: Tree, then: int) -> int:
        """The place at which the tree begins, where `then` is the one that follows it."""
        match tree:
            case ("all", rows):
                for row in reversed(rows):
                    then = self._build(row, then)
                return then
            case ("any", rows):
                first = self._build(rows[-1], then)
                for row in reversed(rows[:-1]):
                    first = self._add("split", self._build(row, then), first)
                return first
            case ("times", row, least, most):
                return self._times(row, least, most, then)
        return self._add(*tree, then)

    def _times(self, row: Tree, least: int, most: int | None, then: int) -> int:
        if max(least, most or 0) > MOST_PLACES:
            self._places += [("found",)] * MOST_PLACES
        after = then
        if most is None:
            then = self._add("split", after, after)
            self._places[then] = ("split", self._build(row, then), after)
        for _ in range((most or least) - least):
            then = self._add("split", self._build(row, then), after)
        for _ in range(least):
            then = self._build(row, then)
        return then

    def found(self, text: str, work: Work) -> bool:
        places, size = frozenset({self._start}), len(text)
        for at in range(size + 1):
            around = self._around(text, at, size) if self._looks_around else 0
            opened = self._open.get((places, around))
            if opened is None:
                opened = self._opened(places, around, work)
            if 0 in opened:
                return True
            if at < size:
                key = (opened, text[at])
                following = self._next.get(key)
                places = following if following is not None else self._followed(key, work)
        return False

    @staticmethod
    def _around(text: str, at: int, size: int) -> int:
        """What can be told of a place between two characters, as bits: start, end, very end, edge of a word, no edge."""
        before = at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")
        after = at < size and (text[at].isalnum() or text[at] == "_")
        is_end = at == size or (at == size - 1 and text[at] == "\n")
        no_edge = before == after and (size > 0 or _EMPTY_HAS_NO_EDGE)
        return (at == 0) | is_end << 1 | (at == size) << 2 | (before != after) << 3 | no_edge << 4

    def _opened(self, places: frozenset[int], around: int, work: Work) -> frozenset[int]:
        """The places that are reached without another character."""
        holds = {"start": around & 1, "end": around & 2, "very end": around & 4, "edge": around & 8, "no edge": around & 16}
        seen: set[int] = set()
        stack = list(places)
        while stack:
            number = stack.pop()
            if number in seen:
                continue
            seen.add(number)
            place = self._places[number]
            if place[0] == "split":
                stack += place[1:]
            elif place[0] == "at" and holds[place[1]]:
                stack.append(place[2])
        work.spend(len(seen))
        kept = frozenset(number for number in seen if self._places[number][0] in ("char", "found"))
        self._keep(self._open, (places, around), kept)
        return kept

    def _followed(self, key: tuple[frozenset[int], str], work: Work) -> frozenset[int]:
        """The places after a character; a match may begin there too."""
        opened, sign = key
        work.spend(len(opened))
        tests = [self._places[number] for number in opened]
        following = frozenset({self._start, *(place[2] for place in tests if place[1](sign))})
        self._keep(self._next, key, following)
        return following

    @staticmethod
    def _keep(kept: dict[Any, frozenset[int]], key: Any, value: frozenset[int]) -> None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[key] = value
