"""Twenty articles are read, and each figure of the report must be from its own article.

    python examples/articles.py           all techniques on
    python examples/articles.py --off     a plain loop: it mixes up the sources after article 8

The scripted model has one lapse: after article 8 it writes no figure down any more, and at the end takes each from its prompt. Where
an article is not in it, the model takes the figure that it saw last. See `research_articles.py` for articles of full length, and
an agent that keeps its own context clean.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from course.reviewer import NothingToSay
from course.running import main
from course.scripted import Call, Fault, NoLapse, each
from course.sight import Sight, left_line
from material.articles import make_articles
from trimtab import Step
from trimtab.run import idempotent

WRITES_DOWN_UP_TO = 8
BATCH = 5


class Articles(NothingToSay):
    """The example: its world, its tools, its work."""

    name = "articles"
    goal = "The storage capacity of 20 sites, each from its own article"
    system = "You read articles and report figures. A tool that is called with an empty argument says what is left."
    first = "Twenty articles on energy stores wait to be read. I want a line for each with its storage capacity. Ready when you are."
    steps = (*(f"read {first}-{first + BATCH - 1}" for first in range(1, 21, BATCH)), "report")
    most_rounds = 140

    def __init__(self) -> None:
        self.later = {4: "Nice, these are the right articles."}
        self.articles = {article.id: article for article in make_articles()}
        self.fetched: set[int] = set()
        self.saved: dict[int, int] = {}
        self.lines: dict[int, int] = {}

    # ------------------------------------------------------------ tools

    def tools(self) -> Sequence[Callable[..., Any]]:
        return (self.fetch_article, self.save_figure, self.add_line)

    @idempotent
    def fetch_article(self, id: str) -> str:
        """Fetch an article.

        Args:
            id: its number; empty to ask what is left
        """
        if not id:
            return left_line(str(number) for number in self.articles if number not in self.fetched)
        self.fetched.add(int(id))
        return self.articles[int(id)].text

    def save_figure(self, id: str, mwh: int) -> str:
        """Write the figure of an article down.

        Args:
            id: number of the article
        """
        self.saved[int(id)] = mwh
        return f"saved: article {id}"

    def add_line(self, id: str, mwh: int = 0) -> str:
        """Put a line into the report.

        Args:
            id: number of the article; empty to ask what is left, with the figures that were written down
        """
        if id:
            self.lines[int(id)] = mwh
        left = [number for number in self.articles if number not in self.lines]
        known = [f"written down: article {number}: {self.saved[number]} MWh" for number in left[:3] if number in self.saved]
        return "\n".join([*known, left_line(map(str, left))])

    # ------------------------------------------------------------ the task

    def plan(self, switches: frozenset[str]) -> Sequence[Step]:
        made = []
        for name in self.steps[:-1]:
            numbers = _numbers(name)
            output = f"figures_{numbers[0]}_{numbers[-1]}" if "products" in switches else ""
            schema = {"type": "object", "minProperties": BATCH, "additionalProperties": {"type": "integer"}} if output else None
            made.append(Step(name, output=output, schema=schema, about="fetch them and take their figures", rounds=4, batch=True))
        outputs = tuple(step.output for step in made if step.output)
        check = (self._sources_are_right,) if "checks" in switches else ()
        return [*made, Step(self.steps[-1], inputs=outputs, reads=outputs, done_when=check, about="one line for each article", rounds=25)]

    def _sources_are_right(self, _: Any) -> bool | str:
        for article in self.articles.values():
            said = self.lines.get(article.id, 0)
            if f"{said} MWh" not in article.text:
                return f"article {article.id} does not say {said} MWh; read it again"
        return True

    def work(self, step: str, sight: Sight) -> list[Call]:
        if step == self.steps[-1]:
            return self._lines(sight)
        numbers = [str(number) for number in _numbers(step)]
        seen = self._texts_in if sight.wants_product(step) else self._calls_in
        unread = [number for number in numbers if number not in seen(sight)]
        if unread:
            return [("fetch_article", {"id": number}) for number in unread]
        saved = {row.arguments["id"] for row in sight.exchanges if row.tool == "save_figure"}
        return [
            ("save_figure", {"id": number, "mwh": self._figure(number, sight)})
            for number in numbers
            if int(number) <= WRITES_DOWN_UP_TO and number not in saved
        ]

    def _calls_in(self, sight: Sight) -> set[str]:
        return {row.arguments["id"] for row in sight.exchanges if row.tool == "fetch_article"}

    def _texts_in(self, sight: Sight) -> set[str]:
        """Articles whose figure is in the prompt: what a product is made of."""
        return set(re.findall(r"^article (\d+) \(.*? is \d+ MWh", sight.text, re.MULTILINE))

    def _lines(self, sight: Sight) -> list[Call]:
        """The next line; after a refusal the article that it names is read first."""
        named = re.search(r"article (\d+) does not say", sight.newest)
        if named is not None:
            return [("fetch_article", {"id": named[1]})]
        last = sight.exchanges[-1] if sight.exchanges else None
        if last is not None and last.tool == "fetch_article" and len(sight.newest.split("article ")) == 2:
            return [("add_line", {"id": last.arguments["id"], "mwh": self._figure(last.arguments["id"], sight)})]
        calls = each(sight, "add_line", "id")
        if calls and calls[0][1]["id"]:
            return [("add_line", {"id": calls[0][1]["id"], "mwh": self._figure(calls[0][1]["id"], sight)})]
        return calls

    def _figure(self, number: str, sight: Sight) -> int:
        """As the prompt has it of this article; where it does not, what the prompt has last of any."""
        own = [rf"^article {number} \(.*? is (\d+) MWh", rf"written down: article {number}: (\d+) MWh", rf'"{number}": ?(\d+)']
        found = next((match for pattern in own if (match := re.search(pattern, sight.text, re.MULTILINE))), None)
        seen = re.findall(r"(\d+) MWh", sight.text) or re.findall(r'"\d+": ?(\d+)', sight.text)
        return int(found[1]) if found else int(seen[-1]) if seen else 500

    def product(self, step: str, sight: Sight) -> str:
        if step == self.steps[-1]:
            return ""
        return json.dumps({str(number): self._figure(str(number), sight) for number in _numbers(step)})

    def final(self, sight: Sight) -> str:
        return "The report has a line for each of the articles."

    # ------------------------------------------------------------ what can go wrong

    def faults(self) -> dict[str, Fault]:
        return {"sources": NoLapse()}

    def failures(self) -> dict[str, str]:
        wrong = [number for number, article in self.articles.items() if self.lines.get(number) != article.mwh]
        return {"sources": f"the report is wrong on article {', '.join(map(str, wrong))}"} if wrong else {}


def _numbers(step: str) -> list[int]:
    first, last = step.removeprefix("read ").split("-")
    return list(range(int(first), int(last) + 1))


if __name__ == "__main__":
    sys.exit(main(Articles))
