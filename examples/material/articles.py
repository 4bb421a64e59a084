"""Short articles on energy stores, all of the same kind of thing, so that whoever mixes up sources gets the figures wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass

SITES = ("Lisbon", "Aarhus", "Turin", "Leeds", "Graz", "Tampere", "Bilbao", "Ghent", "Lyon", "Rostock")
QUARTERS = ("harbor", "valley")
SENTENCES = (
    "The operator explained that the access road had taken {n} weeks longer than planned.",
    "According to the yearly review the cooling loop is inspected every {n} days by an outside team.",
    "A group of engineers argued that the control room would be shared with a neighboring town.",
    "A local newspaper reported that the salt tank was rebuilt after the storm of 20{n}.",
    "Visitors were told that the training of the staff had been the hardest part.",
    "The city council admitted that the second transformer cost {n} percent less than the first estimate.",
)


@dataclass(frozen=True)
class Article:
    id: int
    site: str
    mwh: int
    text: str


def make_articles(count: int = 20) -> list[Article]:
    """The same call gives the same articles; no two figures are equal."""
    chance = random.Random(20)
    figures = chance.sample(range(120, 990), count)
    articles = []
    for number in range(1, count + 1):
        site = f"{SITES[(number - 1) % len(SITES)]} {QUARTERS[(number - 1) // len(SITES)]}"
        rows = [chance.choice(SENTENCES).format(n=chance.randint(11, 29)) for _ in range(6)]
        rows.insert(3, f"The storage capacity of the {site} site is {figures[number - 1]} MWh.")
        articles.append(Article(number, site, figures[number - 1], f"article {number} ({site}): " + " ".join(rows)))
    return articles
