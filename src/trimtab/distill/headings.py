"""Headings over lists: what the list below one is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from trimtab.distill.sentences import Span, sentences

HeadingKind: TypeAlias = Literal["never", "rules", "condition", "other"]
# a longer one says something of its own
_LONGEST_TITLE = 60  # characters
_NEVER = re.compile(
    r"\b(?:never|don'?ts?|do not|must not|mustn'?t|may not|avoid|no-?gos?|not allowed|forbidden|prohibited|off[- ]limits|exclude|leave out|without|skip)\b"
    r"|禁止|不要|不得|切勿|避免|不许|不准|不能|请勿|禁忌|忌|别|雷区|红线",
    re.I,
)
_RULES = re.compile(
    r"\b(?:rules?|requirements?|constraints?|guidelines?|conditions?|must|always|please|polic(?:y|ies)|limits?|format|style|instructions?|remember|conventions?|"
    r"principles|wishes|expectations|do'?s|from now on|keep in mind|ground)\b"
    r"|规则|要求|约束|规范|须知|注意|原则|条件|必须|务必|格式|规定|守则|前提|限制|约定|底线|记住|请",
    re.I,
)
# a list under a condition says nothing without it
_CONDITION = re.compile(
    r"^\W*(?:if|when|whenever|before|after|for|in|once|unless|on|with|as|during|until|where)\b|^\W*(?:如果|当|若|遇到?|一旦|对于?|凡)|(?:时|前|后|的话)\s*[:：]\s*$",
    re.I,
)


class Passage(Struct, frozen=True):
    """A sentence, or a heading with its list.

    Attributes:
        start, end: in the text; of a list the heading and all its points.
        heading_end: where the heading ends; 0 for a plain sentence.
    """

    start: int
    end: int
    heading_end: int = 0


def passages(text: str, start: int, end: int) -> Iterator[Passage]:
    """The sentences of text[start:end] in order; a line that ends in a colon comes with the list right below it."""
    for first, last in sentences(text, start, end):
        heading_end = text.find("\n", first, last)
        is_list = heading_end >= 0 and text[first:heading_end].rstrip().endswith((":", "："))
        yield Passage(first, last, heading_end if is_list else 0)


def points(text: str, passage: Passage) -> list[Span]:
    """The points of a list, without their bullets."""
    return list(sentences(text, passage.heading_end + 1, passage.end))


def heading_kind(heading: str) -> HeadingKind:
    """What the points below the heading are.

    `condition`: the points say nothing without it. `never`: each point is ruled out. `rules`: each point that can be a rule is one. `other`: the heading does not
    tell; a heading that is a rule itself takes its list along, word for word.
    """
    if _CONDITION.search(heading):
        return "condition"
    if len(heading) > _LONGEST_TITLE:
        return "other"
    if _NEVER.search(heading):
        return "never"
    return "rules" if _RULES.search(heading) else "other"
