"""Thirty boxes of letters are sorted onto shelves, one box a step.

    python examples/sorting.py            all techniques on
    python examples/sorting.py --off      a plain loop: it follows the lighthouse until there are no rounds left
    python examples/sorting.py --off --fault rule

The scripted model has two lapses. From round 20 on it looks into a side story, and does not come back before its prompt says that
something is wrong. And where the rule for letters without a date, which the user confirmed early on, does not stand in its prompt,
it makes up another one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from course.running import main
from course.scripted import Call, Fault, NoLapse, Said
from course.sight import Sight, left_line
from material.letters import make_boxes
from trimtab import Step

STRAYS_AT_ROUND = 20
UNDATED = "undated"
RULE = f"That is right, confirmed: a letter without a date goes onto the shelf '{UNDATED}', whoever wrote it."


class Sorting:
    """The example: its world, its tools, its work."""

    name = "sorting"
    goal = "All letters of 30 boxes on their shelves"
    system = "You sort letters with the tools you are given, by the decade they were written in, as in 1920s."
    first = "Thirty boxes of letters came out of the attic. They belong onto shelves, a decade each. Box by box, please."
    steps = tuple(f"box {number}" for number in range(1, 31))
    most_rounds = 130

    def __init__(self) -> None:
        self.later = {3: RULE}
        self.boxes = make_boxes()
        self.shelves: dict[str, str] = {}
        self.searches = 0

    # ------------------------------------------------------------ tools

    def tools(self) -> Sequence[Callable[..., Any]]:
        return (self.open_box, self.file_letter, self.search_archive)

    def open_box(self, box: int) -> str:
        """Open a box and read its letters.

        Args:
            box: its number, from 1
        """
        rows = [f"{row.id} from {row.sender}, {row.year or 'no date'}: {row.text}" for row in self.boxes[box - 1]]
        return "\n".join([*rows, left_line(row.id for row in self.boxes[box - 1] if row.id not in self.shelves)])

    def file_letter(self, letter: str, shelf: str) -> str:
        """Put a letter onto a shelf.

        Args:
            letter: as the box has it
            shelf: name of the shelf
        """
        self.shelves[letter] = shelf
        return f"{letter} is filed"

    def search_archive(self, topic: str, page: int = 1) -> str:
        """Search the town's archive.

        Args:
            topic: words to look for
            page: of what was found, from 1
        """
        self.searches += 1
        place, year = (page * 37) % 211, 1800 + (page * 13) % 150
        return f"Folio {place} of {year}, on {topic}: entry {page * 7 % 83} names keeper number {page * 11 % 97} and {page * 3 % 59} barrels of oil."

    # ------------------------------------------------------------ the task

    def plan(self, switches: frozenset[str]) -> Sequence[Step]:
        def whole(box: int) -> Callable[[Any], bool | str]:
            return lambda _: all(row.id in self.shelves for row in self.boxes[box - 1]) or f"letters of box {box} are not filed"

        checked = "checks" in switches
        return [Step(name, done_when=whole(place) if checked else (), rounds=4) for place, name in enumerate(self.steps, 1)]

    def work(self, step: str, sight: Sight) -> list[Call]:
        box = int(step.removeprefix("box "))
        opened = next((row for row in reversed(sight.exchanges) if row.tool == "open_box" and row.arguments["box"] == box), None)
        if opened is None:
            return [("open_box", {"box": box})]
        filed = {row.arguments["letter"] for row in sight.exchanges if row.tool == "file_letter"}
        listed = opened.result.rpartition("left: ")[2]
        left = [letter for letter in listed.split(", ") if letter != "nothing" and letter not in filed]
        return [("file_letter", {"letter": letter, "shelf": self._shelf(letter, opened.result, sight)}) for letter in left]

    def _shelf(self, letter: str, text: str, sight: Sight) -> str:
        """By decade; without a date as the rule in the prompt says, else by a rule that it makes up."""
        found = re.search(rf"^{letter} from (\w+), (\d{{4}}|no date)", text, re.MULTILINE)
        if found is None:
            return "unknown"
        if found[2] != "no date":
            return f"{found[2][:3]}0s"
        return UNDATED if f"the shelf '{UNDATED}'" in sight.text else f"letters of {found[1]}"

    def product(self, step: str, sight: Sight) -> str:
        return ""

    def final(self, sight: Sight) -> str:
        return "All thirty boxes are empty; every letter is on its shelf."

    # ------------------------------------------------------------ what can go wrong

    def faults(self) -> dict[str, Fault]:
        return {"branch": FollowsTheLighthouse(), "rule": NoLapse()}

    def failures(self) -> dict[str, str]:
        found = {}
        letters = [row for box in self.boxes for row in box]
        lost = [row for row in letters if row.id not in self.shelves]
        if lost and self.searches > self.most_rounds / 2:
            found["branch"] = f"{self.searches} searches for a lighthouse; {len(lost)} of {len(letters)} letters are still in their boxes"
        elif lost:
            found["unsorted"] = f"{len(lost)} of {len(letters)} letters are still in their boxes"
        other = [row.id for row in letters if not row.year and self.shelves.get(row.id, UNDATED) != UNDATED]
        if other:
            found["rule"] = f"letters without a date are by another rule on other shelves: {', '.join(other)}"
        return found


class FollowsTheLighthouse:
    """From round 20 on it follows a side story, each time with something new to read, until its prompt says that this is none."""

    def __init__(self) -> None:
        self.pages = 0
        self.over = False

    def act(self, round: int, sight: Sight) -> Said | None:
        if round < STRAYS_AT_ROUND or self.over or sight.all_finished:
            return None
        if self.pages and (sight.drift or sight.anchored or sight.corrected):
            self.over = True
            return None
        self.pages += 1
        return Said(sight.step, "Who lit that lighthouse?", [("search_archive", {"topic": "the lighthouse", "page": self.pages})])


if __name__ == "__main__":
    sys.exit(main(Sorting))
