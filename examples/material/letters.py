"""Thirty boxes of letters; some letters have no date."""

from __future__ import annotations

import random
from dataclasses import dataclass

SENDERS = ("Hedda", "Ignaz", "Marit", "Paolo", "Ruth", "Sven")
SENTENCES = (
    "The harvest was late and the {n} sheep are down from the hill already.",
    "Your parcel came after {n} days, with the string cut and nothing missing.",
    "The school has a new stove, for which every house gave {n} crowns.",
    "Of the {n} panes that the storm broke we have put in the half.",
    "They say that the ferry will go {n} times a week from spring on.",
)
UNDATED_BOXES = (4, 9, 14, 18, 23, 27)
BRANCH_BOX = 6


@dataclass(frozen=True)
class Letter:
    """`year` 0: it has no date."""

    id: str
    sender: str
    year: int
    text: str


def make_boxes(count: int = 30, a_box: int = 3) -> list[list[Letter]]:
    """The same call gives the same letters."""
    chance = random.Random(30)
    boxes = []
    for box in range(1, count + 1):
        letters = []
        for place in range(1, a_box + 1):
            year = 0 if place == a_box and box in UNDATED_BOXES else chance.randint(1901, 1949)
            rows = [chance.choice(SENTENCES).format(n=chance.randint(3, 60)) for _ in range(4)]
            if box == BRANCH_BOX:
                rows.append("And who was it that lit the lighthouse in that night?")
            letters.append(Letter(f"L{box}-{place}", chance.choice(SENDERS), year, " ".join(rows)))
        boxes.append(letters)
    return boxes
