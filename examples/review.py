"""Pages of a forum are fetched, cleaned, searched for what may not stand there, judged and reported.

    python examples/review.py             all techniques on
    python examples/review.py --off       a plain loop: at round 15 it cleans everything again

The scripted model has one lapse: from round 15 on it takes step 2 for not done, unless its prompt shows that it is. Cleaning a page
again voids what was found in it. It stops once its prompt corrects it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from course.running import main
from course.scripted import Call, Fault, Said, each
from course.sight import Sight, left_line
from material.pages import BANNED, make_pages
from trimtab import Step

REDOES_AT_ROUND = 15
REDONE = "clean"


class Review:
    """The example: its world, its tools, its work."""

    name = "review"
    goal = "A verdict for each of the 10 forum pages: keep or remove"
    system = "You review pages with the tools you are given. A tool that is called with an empty argument says what is left."
    first = "Ten pages of the forum wait for a review. I want to know of each whether it can stay. Pages with a finding go out."
    steps = ("fetch", "clean", "detect", "judge", "report")
    most_rounds = 90

    def __init__(self) -> None:
        self.later = {3: "All of them are public, by the way."}
        self.pages = {page.id: page for page in make_pages()}
        self.fetched: list[str] = []
        self.cleaned: Counter[str] = Counter()
        self.found: dict[str, tuple[str, ...]] = {}
        self.verdicts: dict[str, str] = {}
        self.reported: dict[str, str] = {}

    # ------------------------------------------------------------ tools

    def tools(self) -> Sequence[Callable[..., Any]]:
        return (self.fetch, self.clean, self.detect, self.judge, self.report)

    def fetch(self, page: str) -> str:
        """Fetch a page.

        Args:
            page: its name; empty to ask what is left
        """
        if not page:
            return left_line(name for name in self.pages if name not in self.fetched)
        self.fetched.append(page)
        return self.pages[page].markup

    def clean(self, page: str) -> str:
        """Take the markup out of a page; what was found in it before is void.

        Args:
            page: its name; empty to ask what is left
        """
        if not page:
            return left_line(name for name in self.fetched if name not in self.cleaned)
        self.cleaned[page] += 1
        for known in (self.found, self.verdicts, self.reported):
            known.pop(page, None)
        text = self.pages[page].text
        return f"{page}: {len(text.split())} words of text, {len(self.pages[page].markup) - len(text)} characters of markup are out"

    def detect(self, page: str) -> str:
        """Search a page for what may not stand in it.

        Args:
            page: its name; empty to ask what is left
        """
        text = []
        if page:
            self.found[page] = tuple(name for name, sentence in BANNED.items() if sentence in self.pages[page].text)
            text = [f"{page}: {', '.join(self.found[page]) or 'nothing found'}. Its text: {self.pages[page].text}"]
        return "\n".join([*text, left_line(name for name in self.cleaned if name not in self.found)])

    def judge(self, page: str, verdict: str = "") -> str:
        """Give the verdict on a page.

        Args:
            page: its name; empty to ask what is left, with what was found
            verdict: keep or remove
        """
        if page:
            self.verdicts[page] = verdict
        left = [name for name in self.found if name not in self.verdicts]
        return "\n".join([*(f"{name}: {', '.join(self.found[name]) or 'nothing found'}" for name in left[:4]), left_line(left)])

    def report(self, page: str) -> str:
        """Put a page's verdict into the report.

        Args:
            page: its name; empty to ask what is left
        """
        if page in self.verdicts:
            self.reported[page] = self.verdicts[page]
        return left_line(name for name in self.verdicts if name not in self.reported)

    # ------------------------------------------------------------ the task

    def plan(self, switches: frozenset[str]) -> Sequence[Step]:
        made = {"fetch": "fetched", "clean": "cleaned", "detect": "found", "judge": "verdicts", "report": "reported"}

        def whole(name: str) -> Callable[[Any], bool | str]:
            return lambda _: set(getattr(self, made[name])) == set(self.pages) or f"{name} is not done for all pages"

        checked = "checks" in switches
        return [Step(name, done_when=whole(name) if checked else (), about=f"{name} all pages", rounds=8) for name in self.steps]

    def work(self, step: str, sight: Sight) -> list[Call]:
        calls = each(sight, step, "page", beside=len(self.pages) if step in ("fetch", "clean") else 1)
        if step == "judge" and calls and (page := calls[0][1]["page"]):
            newest = sight.newest_of("judge")
            found = re.search(rf"^{page}: (.*)$", newest.result if newest else "", re.MULTILINE)
            return [("judge", {"page": page, "verdict": "keep" if found and found[1] == "nothing found" else "remove"})]
        return calls

    def product(self, step: str, sight: Sight) -> str:
        return ""

    def final(self, sight: Sight) -> str:
        return "All pages have their verdict in the report."

    # ------------------------------------------------------------ what can go wrong

    def faults(self) -> dict[str, Fault]:
        return {"redo": RedoesStep2()}

    def failures(self) -> dict[str, str]:
        found = {}
        again = sum(self.cleaned.values()) - len(self.cleaned)
        if 2 * again >= len(self.pages):
            found["redo"] = f"{again} of {len(self.pages)} pages were cleaned again"
        wrong = [name for name, page in self.pages.items() if self.reported.get(name) != ("remove" if page.findings else "keep")]
        if wrong:
            found["verdicts"] = f"the report is wrong on {', '.join(wrong)}"
        return found


class RedoesStep2:
    """From round 15 on it cleans all pages again, one by one, until its prompt shows that they are clean, or corrects it."""

    def __init__(self) -> None:
        self.left = [f"p{number}" for number in range(1, 11)]
        self.over = False

    def act(self, round: int, sight: Sight) -> Said | None:
        if round < REDOES_AT_ROUND or self.over:
            return None
        if REDONE in sight.finished or sight.corrected or REDONE in sight.drift or sight.anchored or not self.left:
            self.over = True
            return None
        return Said(REDONE, "The texts are not clean yet, I think.", [("clean", {"page": self.left.pop(0)})])


if __name__ == "__main__":
    sys.exit(main(Review))
