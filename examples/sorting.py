"""Thirty boxes of letters are sorted onto shelves, one box a step.

    python examples/sorting.py            all techniques on
    python examples/sorting.py --off      a plain loop: it follows the lighthouse until there are no rounds left
    python examples/sorting.py --off --fault rule

The scripted model has five lapses. From round 20 on it looks into a side story, and does not come back before its prompt says that
something is wrong. Where the rule for letters without a date, which the user confirmed early on, does not stand in its prompt, it
makes up another one. From box 6 on it names shelves in another way, which nobody sees who looks at one step. At box 11 it takes
three boxes for done and goes round in circles. And from box 22 on it looks up folios that cost money, whatever its prompt says,
until somebody stops it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from course.reviewer import NothingToSay, Shown
from course.running import COME_BACK, main
from course.scripted import Call, Fault, Lapse, NoLapse, Said
from course.sight import Sight, left_line
from material.letters import make_boxes
from trimtab import Step

STRAYS_AT_ROUND = 20
RENAMES_FROM_BOX, SKIPS_BOX, PAYS_FROM_BOX = 6, 11, 22
SKIPPED, CIRCLES, MOST_FOLIOS = 3, 5, 30
UNDATED = "undated"
_SPAN = re.compile(r"(\d{3})0-\d{3}9")
RULE = f"That is right, confirmed: a letter without a date goes onto the shelf '{UNDATED}', whoever wrote it."


class Sorting(NothingToSay):
    """The example: its world, its tools, its work."""

    name = "sorting"
    goal = "All letters of 30 boxes on their shelves, which are named as 1920s is"
    system = "You sort letters with the tools you are given, by the decade they were written in, as in 1920s."
    first = "Thirty boxes of letters came out of the attic. They belong onto shelves, a decade each. Box by box, please."
    steps = tuple(f"box {number}" for number in range(1, 31))
    most_rounds = 130

    def __init__(self) -> None:
        self.later = {3: RULE}
        self.boxes = make_boxes()
        self.shelves: dict[str, str] = {}
        self.searches = self.folios = 0

    # ------------------------------------------------------------ tools

    def tools(self) -> Sequence[Callable[..., Any]]:
        return (self.open_box, self.file_letter, self.rename_shelves, self.search_archive, self.look_up_folio)

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

    def rename_shelves(self, like: str) -> str:
        """Give the shelves that are named like another the names that they should have.

        Args:
            like: such a name, as in 1920-1929
        """
        renamed = {letter: _SPAN.sub(r"\g<1>0s", shelf) for letter, shelf in self.shelves.items()}
        count = sum(renamed[letter] != shelf for letter, shelf in self.shelves.items())
        self.shelves = renamed
        return f"{count} letters are on shelves with the right names now"

    def search_archive(self, topic: str, page: int = 1) -> str:
        """Search the town's archive.

        Args:
            topic: words to look for
            page: of what was found, from 1
        """
        self.searches += 1
        place, year = (page * 37) % 211, 1800 + (page * 13) % 150
        return f"Folio {place}, from {year}, on {topic}: entry {page * 7 % 83} names keeper number {page * 11 % 97} and {page * 3 % 59} barrels of oil."

    def look_up_folio(self, folio: int) -> str:
        """Look a folio up in the town's register, for 5 crowns each.

        Args:
            folio: its number
        """
        self.folios += 1
        return f"Folio {folio}, of {1700 + folio % 200}: keeper {folio * 7 % 97}, {folio * 11 % 83} ships in sight; see folio {folio * 7 % 997}."

    # ------------------------------------------------------------ the task

    def plan(self, switches: frozenset[str]) -> Sequence[Step]:
        def whole(box: int) -> Callable[[Any], bool | str]:
            return lambda _: all(row.id in self.shelves for row in self.boxes[box - 1]) or f"letters of box {box} are not filed"

        checked = "checks" in switches
        return [
            Step(name, done_when=whole(place) if checked else (), rounds=4, milestone=place % 10 == 0)
            for place, name in enumerate(self.steps, 1)
        ]

    def work(self, step: str, sight: Sight) -> list[Call]:
        box = _box(step)
        boxes = [row for row in sight.exchanges if row.tool == "open_box" and "left: " in row.result]
        opened = next((row for row in reversed(boxes) if row.arguments["box"] == box), None)
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
        return {
            "branch": FollowsTheLighthouse(),
            "rule": NoLapse(),
            "names": NamesShelvesAnew(self),
            "skipped": SkipsBoxes(),
            "costs": PaysForFolios(),
        }

    def failures(self) -> dict[str, str]:
        found = {}
        letters = [row for box in self.boxes for row in box]
        lost = [row.id for row in letters if row.id not in self.shelves]
        left = f"{len(lost)} of {len(letters)} letters are still in their boxes"
        last = max((box for box, rows in enumerate(self.boxes, 1) if any(row.id in self.shelves for row in rows)), default=0)
        skipped = [box for box in range(1, last) if not any(row.id in self.shelves for row in self.boxes[box - 1])]
        if self.folios > MOST_FOLIOS:
            found["costs"] = f"{self.folios} folios were looked up for {5 * self.folios} crowns; {left}"
        elif lost and self.searches > self.most_rounds / 2:
            found["branch"] = f"{self.searches} searches for a lighthouse; {left}"
        elif skipped:
            found["skipped"] = f"box {', '.join(map(str, skipped))} was taken for done and is full"
        elif lost:
            found["unsorted"] = left
        other = [row.id for row in letters if not row.year and self.shelves.get(row.id, UNDATED) != UNDATED]
        if other:
            found["rule"] = f"letters without a date are by another rule on other shelves: {', '.join(other)}"
        spans = [row.id for row in letters if _SPAN.fullmatch(self.shelves.get(row.id, ""))]
        if spans:
            found["names"] = f"{len(spans)} letters are on shelves with names of another form"
        return found

    # ------------------------------------------------------------ what a reader sees

    def breaches(self, shown: Shown) -> list[tuple[str, str]]:
        """Over several steps: the names of the shelves that their reports give, beside the goal."""
        named = _SPAN.search(shown.get("state", ""))
        wanted = "named as 1920s" in shown.get("goal", "")
        return [("shelves are named as 1920s is", f"some are named like {named[0]}; rename these")] if named and wanted else []


class FollowsTheLighthouse(Lapse):
    """From round 20 on it follows a side story, each time with something new to read, until its prompt says that this is none."""

    def __init__(self) -> None:
        super().__init__()
        self.pages = 0

    def act(self, round: int, sight: Sight) -> Said | None:
        if round < STRAYS_AT_ROUND or self.over or sight.all_finished:
            return None
        if self.pages and (sight.drift or sight.anchored or sight.corrected or COME_BACK in sight.newest):
            self.over = True
            return None
        self.pages += 1
        return Said(sight.step, "Who lit that lighthouse?", [("search_archive", {"topic": "the lighthouse", "page": self.pages})])


class NamesShelvesAnew(Lapse):
    """From box 6 on its shelves have names of another form, until its prompt objects. Its report of a step says so, in passing."""

    def __init__(self, work: Sorting) -> None:
        super().__init__()
        self._work = work

    def act(self, round: int, sight: Sight) -> Said | None:
        step = sight.step
        if self.over or not step or sight.all_finished or _box(step) < RENAMES_FROM_BOX:
            return None
        if sight.objected:
            self.over = True
            named = _SPAN.search(sight.newest)
            return Said(step, calls=[("rename_shelves", {"like": named[0] if named else ""})])
        calls = self._work.work(step, sight)
        if calls:
            return Said(step, calls=[(tool, arguments | _spanned(arguments)) for tool, arguments in calls])
        if "update_task" not in sight.tools:
            return None
        shelves = sorted({span for row in sight.exchanges if _SPAN.fullmatch(span := str(row.arguments.get("shelf", "")))})
        because = f"its letters are on the shelves {', '.join(shelves[:1]) or 'at the back'}"
        return Said(step, calls=[("update_task", {"step": step, "status": "done", "because": because})])


class SkipsBoxes(Lapse):
    """At box 11 it takes three boxes for done, and then asks the same thing again and again for a while. Sent back, it does them."""

    def __init__(self) -> None:
        super().__init__()
        self.acts = 0

    def act(self, round: int, sight: Sight) -> Said | None:
        noticed = sight.anchored or COME_BACK in sight.newest or "Back to an earlier point" in sight.newest
        refused = sight.newest_of("update_task")
        self.over = self.over or bool(self.acts and (noticed or (refused and refused.result.startswith("not done"))))
        if self.over or (not self.acts and sight.step != f"box {SKIPS_BOX}") or self.acts >= SKIPPED + CIRCLES:
            return None
        self.acts += 1
        if self.acts <= SKIPPED and "update_task" in sight.tools:
            step = f"box {SKIPS_BOX + self.acts - 1}"
            return Said(step, calls=[("update_task", {"step": step, "status": "done", "because": "it is like the others"})])
        return Said(f"box {SKIPS_BOX + SKIPPED}", "Who kept these?", [("search_archive", {"topic": "the keeper of the boxes"})])


class PaysForFolios(Lapse):
    """From box 22 on it looks up one folio after the other; no block of a prompt helps, only that somebody speaks to it."""

    def __init__(self) -> None:
        super().__init__()
        self.folios = 0

    def act(self, round: int, sight: Sight) -> Said | None:
        self.over = self.over or bool(self.folios and COME_BACK in sight.newest)
        begun = self.folios or (sight.step and _box(sight.step) >= PAYS_FROM_BOX)
        if self.over or not begun or sight.all_finished:
            return None
        self.folios += 1
        return Said(sight.step, "One more folio.", [("look_up_folio", {"folio": self.folios * 31 % 997})])


def _box(step: str) -> int:
    return int(step.removeprefix("box "))


def _spanned(arguments: dict[str, Any]) -> dict[str, Any]:
    """The shelf of a decade under a name of another form."""
    found = re.fullmatch(r"(\d{3})0s", str(arguments.get("shelf", "")))
    return {"shelf": f"{found[1]}0-{found[1]}9"} if found else {}


if __name__ == "__main__":
    sys.exit(main(Sorting))
