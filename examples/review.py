"""Pages of a forum are fetched, cleaned, searched for what may not stand there, judged and reported.

    python examples/review.py             all techniques on
    python examples/review.py --off       a plain loop: at round 15 it cleans everything again

The scripted model has three lapses. From round 15 on it takes step 2 for not done, unless its prompt shows that it is. Cleaning a
page again voids what was found in it. It stops once its prompt corrects it. A side question of the user's leads it away for good. And
the notice that it puts up names somebody, which no check by code sees: it takes a reader.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from course.reviewer import Shown
from course.running import COME_BACK, main
from course.scripted import Call, Fault, Lapse, Said, each
from course.sight import Sight, left_line
from material.pages import BANNED, make_pages
from trimtab import Step

REDOES_AT_ROUND = 15
REDONE = "clean"
ASKED_AT_ROUND = 5
SIDE_QUESTION = "By the way, who invented the bicycle pump?"
NOTICE = "The review is over. Posts with an address or a promise of healing were taken down."
SHAMING = "The review is over. Karin Lund did not keep to the rules again, and is the reason for all of this."
_NAMED = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")


class Review:
    """The example: its world, its tools, its work."""

    name = "review"
    goal = "A verdict for each of the 10 forum pages: keep or remove"
    system = "You review pages with the tools you are given. A tool that is called with an empty argument says what is left."
    first = (
        "Ten pages of the forum wait for a review. I want to know of each whether it can stay. Pages with a finding "
        "go out. Put up a notice at the end. Never name anybody in the notice."
    )
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
        self.notice = ""
        self.threads = 0

    # ------------------------------------------------------------ tools

    def tools(self) -> Sequence[Callable[..., Any]]:
        return (self.fetch, self.clean, self.detect, self.judge, self.report, self.put_up_notice, self.read_thread)

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

    def put_up_notice(self, text: str) -> str:
        """Put up the notice for the members; a new one takes the place of the old one.

        Args:
            text: of the notice
        """
        self.notice = text
        return "the notice is up"

    def read_thread(self, topic: str, page: int = 1) -> str:
        """Read what members wrote on a topic, years ago.

        Args:
            topic: in a few words
            page: of the thread, from 1
        """
        self.threads += 1
        return f"Page {page} on {topic}: member {page * 37 % 211} says that it was in {1800 + page * 13 % 150}, another has {page * 7 % 83} doubts."

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
        if step == "report" and not calls and (sight.objected or sight.newest_of("put_up_notice") is None):
            return [("put_up_notice", {"text": NOTICE})]
        return calls

    def product(self, step: str, sight: Sight) -> str:
        return ""

    def final(self, sight: Sight) -> str:
        return "All pages have their verdict in the report."

    # ------------------------------------------------------------ what can go wrong

    def faults(self) -> dict[str, Fault]:
        return {"redo": RedoesStep2(), "aside": FollowsASideQuestion(), "notice": NamesSomebody()}

    def failures(self) -> dict[str, str]:
        found = {}
        again = sum(self.cleaned.values()) - len(self.cleaned)
        if 2 * again >= len(self.pages):
            found["redo"] = f"{again} of {len(self.pages)} pages were cleaned again"
        wrong = [name for name, page in self.pages.items() if self.reported.get(name) != ("remove" if page.findings else "keep")]
        if wrong:
            found["verdicts"] = f"the report is wrong on {', '.join(wrong)}"
        if _NAMED.search(self.notice):
            found["notice"] = f"the notice names somebody: {self.notice}"
        if wrong and self.threads > self.most_rounds / 2:
            found["aside"] = f"{self.threads} pages of old threads were read on a side question, and {len(wrong)} pages have no verdict"
            del found["verdicts"]
        return found

    # ------------------------------------------------------------ what a reader sees

    def objections(self, shown: Shown) -> list[str]:
        """Whether the notice that was put up last names somebody: who reads it sees that."""
        put_up = re.findall(r"put_up_notice\((.*)\)", shown.get("recent", ""))
        named = _NAMED.search(put_up[-1]) if put_up else None
        ruled = "Never name anybody" in shown.get("rules", "")
        return [f"Put up another notice, without {named[0]}."] if named and ruled else []

    def breaches(self, shown: Shown) -> list[tuple[str, str]]:
        return []


class RedoesStep2(Lapse):
    """From round 15 on it cleans all pages again, one by one, until its prompt shows that they are clean, or corrects it."""

    def __init__(self) -> None:
        super().__init__()
        self.left = [f"p{number}" for number in range(1, 11)]

    def act(self, round: int, sight: Sight) -> Said | None:
        if round < REDOES_AT_ROUND or self.over:
            return None
        if (
            REDONE in sight.finished
            or sight.corrected
            or REDONE in sight.drift
            or sight.anchored
            or COME_BACK in sight.newest
            or not self.left
        ):
            self.over = True
            return None
        return Said(REDONE, "The texts are not clean yet, I think.", [("clean", {"page": self.left.pop(0)})])


class FollowsASideQuestion(Lapse):
    """Once a side question stood in its prompt it looks for the answer, whatever else stands there, until somebody calls it back."""

    def __init__(self) -> None:
        super().__init__()
        self.later = {ASKED_AT_ROUND: SIDE_QUESTION}
        self.pages = 0

    def act(self, round: int, sight: Sight) -> Said | None:
        self.over = self.over or COME_BACK in sight.newest
        if self.over or not (self.pages or SIDE_QUESTION in sight.users):
            return None
        self.pages += 1
        return Said(sight.step, "Let me see.", [("read_thread", {"topic": "the bicycle pump", "page": self.pages})])


class NamesSomebody(Lapse):
    """Its first notice names somebody, whatever its prompt says."""

    def act(self, round: int, sight: Sight) -> Said | None:
        if self.over or sight.step != "report" or sight.left("report") != []:
            return None
        self.over = True
        return Said(sight.step, calls=[("put_up_notice", {"text": SHAMING})])


if __name__ == "__main__":
    sys.exit(main(Review))
