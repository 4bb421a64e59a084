"""Pages of a shop's forum, with their markup; some hold what may not stand there."""

from __future__ import annotations

import random
from dataclasses import dataclass

TOPICS = (
    "a kettle",
    "a bread knife",
    "a desk lamp",
    "a garden hose",
    "a bicycle pump",
    "a rice cooker",
    "a wool blanket",
    "a toolbox",
    "a tent",
    "a scarf",
)
SENTENCES = (
    "I have had it since {month} and use it about {n} times a week.",
    "The handle came loose after {n} weeks, which the shop put right without a word.",
    "My neighbor has the larger one and says that it is not worth the difference.",
    "It arrived in {month}, well packed, with {n} screws too many.",
    "For that price I would take it again, if in another color.",
    "The manual is short, and its page {n} is about another model.",
)
MONTHS = ("January", "March", "May", "July", "October")
# what may not stand in a page, by the name of the finding
BANNED = {"address": "Write to me at k.lund@mail.example and I tell you more.", "cure": "It also cured my back pain within a day."}


@dataclass(frozen=True)
class Page:
    id: str
    markup: str
    text: str
    findings: tuple[str, ...]


def make_pages(count: int = 10) -> list[Page]:
    """The same call gives the same pages; about every second one has a finding."""
    chance = random.Random(11)
    pages = []
    for number in range(1, count + 1):
        rows = [chance.choice(SENTENCES).format(month=chance.choice(MONTHS), n=chance.randint(2, 30)) for _ in range(14)]
        findings = tuple(name for name in BANNED if chance.random() < 0.4)
        for name in findings:
            rows.insert(chance.randint(2, 12), BANNED[name])
        body = "".join(f"<p>{row}</p>" for row in rows)
        markup = f'<html><body class="post-{number}"><h1>About {TOPICS[(number - 1) % len(TOPICS)]}</h1>{body}</body></html>'
        pages.append(Page(f"p{number}", markup, " ".join(rows), findings))
    return pages
