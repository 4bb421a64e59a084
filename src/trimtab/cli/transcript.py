"""The demo: thirty rounds of an agent that reads, de-duplicates, completes, scores, grades and reports sales leads.

It has what makes long runs go wrong: large tool results, a long document, rules said once and early (one in
Chinese), a fact of round 9 that is needed in round 28, a decision that is taken back, a question off the topic,
a call that fails. Every text is fixed, so that measures of it can be compared between versions.
"""

from __future__ import annotations

from typing import NamedTuple

from trimtab.cli.transcript_first import FACT, first_rounds
from trimtab.cli.transcript_say import JsonObject
from trimtab.cli.transcript_second import second_rounds
from trimtab.cli.transcript_tools import SYSTEM, TOOLS

__all__ = ["CLAIMS", "CONSTRAINTS", "FACT", "SYSTEM", "TOOLS", "Claim", "demo_rounds"]

ROUNDS = 30


class Claim(NamedTuple):
    """Something that was said once and has to be in later prompts, word for word.

    Attributes:
        text: as it was said.
        said: round of the message that says it.
        needed: first and last request whose prompt must hold it.
        kind: "constraint" (always) or "fact" (when it is asked for).
    """

    text: str
    said: int
    needed: tuple[int, int]
    kind: str


CONSTRAINTS: tuple[str, ...] = (
    "报告里的金额一律用美元",
    "不要出现个人手机号",
    "Never merge two records that have different tax numbers",
    "always keep the source column",
)
CLAIMS: tuple[Claim, ...] = (
    Claim(CONSTRAINTS[0], 2, (2, ROUNDS), "constraint"),
    Claim(CONSTRAINTS[1], 2, (2, ROUNDS), "constraint"),
    Claim(CONSTRAINTS[2], 5, (5, ROUNDS), "constraint"),
    Claim(CONSTRAINTS[3], 5, (5, ROUNDS), "constraint"),
    Claim(FACT, 9, (28, 28), "fact"),
    Claim("2026-03-27", 1, (29, 29), "fact"),
    Claim("40 % size, 35 % intent and 25 % fit", 14, (29, 29), "fact"),
    Claim("grade A starts at 75 points", 21, (29, 29), "fact"),
)


def demo_rounds() -> list[list[JsonObject]]:
    """The messages that arrive before each of the thirty requests, in OpenAI chat form.

    Element k holds what is new since request k: the model's reply of the round before, then results or the
    user's words. The system prompt (`SYSTEM`) and the tools (`TOOLS`) are apart. Every call makes new objects.
    """
    rounds = [*first_rounds(), *second_rounds()]
    assert len(rounds) == ROUNDS
    return rounds
