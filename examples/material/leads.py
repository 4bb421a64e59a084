"""Sales leads as a trade fair leaves them: duplicates, gaps, and deal sizes in the currency of the exhibitor's system."""

from __future__ import annotations

import random
from dataclasses import dataclass

COMPANIES = ("Arbor", "Brisk", "Calder", "Dunmore", "Elva", "Fenwick", "Garda", "Holm", "Iver", "Juno", "Kestrel", "Lumen")
CITIES = ("Aarhus", "Bilbao", "Graz", "Leeds", "Turin")
NOTES = (
    "asked for the long data sheet and wants a call back before the end of the month",
    "came with two colleagues of the works council and took pictures of the machine",
    "knows the old model, complained about its noise, and was surprised by the new one",
    "has a budget of her own from the spring on and decides together with the plant",
    "is in talks with another supplier, whose terms of delivery he thinks too long",
)
# what one dollar is worth, as the tools say it
EUR_OF_USD = 0.9


@dataclass
class Lead:
    company: str
    city: str
    staff: int
    usd: int
    notes: str
    staff_known: bool


def make_leads(pages: int = 4, a_page: int = 4) -> list[list[Lead]]:
    """Pages of leads; every company that stands twice does so under two spellings. The same call gives the same leads."""
    chance = random.Random(5)
    rows = []
    for number in range(pages * a_page):
        place = number % len(COMPANIES)
        rows.append(
            Lead(
                company=COMPANIES[place] + (" GmbH" if number >= len(COMPANIES) else ""),
                city=CITIES[place % len(CITIES)],
                staff=20 + 37 * (place % 7),
                usd=10_000 + 1_700 * place,
                notes="; ".join(chance.choice(NOTES) for _ in range(6)),
                staff_known=chance.random() > 0.4,
            )
        )
    return [rows[at : at + a_page] for at in range(0, len(rows), a_page)]


def grade_of(staff: int, usd: int) -> str:
    """The grade that a lead of this size must get."""
    return "DCBA"[(staff >= 100) + (staff >= 200) + (usd >= 20_000)]
