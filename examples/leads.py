"""Leads of a trade fair are read, de-duplicated, completed, scored and graded.

    python examples/leads.py              all techniques on
    python examples/leads.py --off        a plain loop: it forgets the goal
    python examples/leads.py --off --fault currency
    python examples/leads.py --switch state --fault goal

The scripted model has two lapses. From round 12 on it does not know what it is for, unless its prompt says so, and makes a list
by city. And it reports amounts in the currency that it saw last, unless its prompt says which one is wanted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from course.reviewer import NothingToSay
from course.running import main
from course.scripted import Call, Fault, Lapse, NoLapse, Said, each
from course.sight import Sight, left_line
from material.leads import CITIES, EUR_OF_USD, Lead, grade_of, make_leads
from trimtab import Step

FORGETS_AT_ROUND = 12
_TOOLS = {
    "read": ("read_page", "page"),
    "merge": ("merge_duplicates", "company"),
    "complete": ("look_up", "company"),
    "score": ("score", "company"),
    "report": ("report", "company"),
}


class Leads(NothingToSay):
    """The example: its world, its tools, its work."""

    name = "leads"
    goal = "A graded list of the May leads, one letter for each company"
    system = "You clean sales leads with the tools you are given. A tool that is called with an empty argument says what is left."
    first = "I have four pages of raw leads from the fair in May. What I need from them is a graded list. Report all amounts in EUR."
    steps = tuple(_TOOLS)
    most_rounds = 90

    def __init__(self) -> None:
        self.later = {4: "The pages look good so far. Thanks!"}
        self.pages = make_leads()
        self.rows: dict[str, Lead] = {}
        self.read: set[int] = set()
        self.scores: dict[str, str] = {}
        self.reported: dict[str, tuple[str, float, str]] = {}
        self.cities: list[str] = []

    # ------------------------------------------------------------ tools

    def tools(self) -> Sequence[Callable[..., Any]]:
        return (self.read_page, self.merge_duplicates, self.look_up, self.score, self.report, self.list_by_city)

    def read_page(self, page: str) -> str:
        """Read one page of raw leads into the table.

        Args:
            page: its number; empty to ask what is left
        """
        shown = self.pages[int(page) - 1] if page else []
        if page:
            self.read.add(int(page))
        self.rows |= {lead.company: lead for lead in shown}
        text = [f"{lead.company}, {lead.city}, {_staff(lead)}, deal size {lead.usd:,} USD. {lead.notes}" for lead in shown]
        return "\n".join([*text, left_line(str(number) for number in range(1, len(self.pages) + 1) if number not in self.read)])

    def merge_duplicates(self, company: str) -> str:
        """Merge the spellings of a company into one row.

        Args:
            company: its name; empty to ask what is left
        """
        self.rows.pop(f"{company} GmbH", None)
        twice = [name.removesuffix(" GmbH") for name in self.rows if name.endswith(" GmbH")]
        return "\n".join([*([f"{company} is one row now"] if company else []), left_line(twice)])

    def look_up(self, company: str) -> str:
        """Complete what is missing of a company from the register.

        Args:
            company: its name; empty to ask what is left
        """
        text = []
        if company in self.rows:
            lead = self.rows[company]
            lead.staff_known = True
            text = [f"{company}: {lead.staff} staff, {lead.city}. Register entry: {lead.notes}. Turnover is booked in USD."]
        return "\n".join([*text, left_line(name for name, lead in self.rows.items() if not lead.staff_known)])

    def score(self, company: str) -> str:
        """Score a company by its size and its deal, which gives its grade.

        Args:
            company: its name; empty to ask what is left
        """
        text = []
        if company in self.rows:
            lead = self.rows[company]
            self.scores[company] = grade_of(lead.staff, lead.usd)
            text = [f"{company}: grade {self.scores[company]}, {lead.usd} USD (1 USD is {EUR_OF_USD} EUR)"]
        return "\n".join([*text, left_line(name for name in self.rows if name not in self.scores)])

    def report(self, company: str, grade: str = "", amount: float = 0.0, currency: str = "") -> str:
        """Put a line into the report.

        Args:
            company: its name; empty to ask what is left, with the grades
            currency: of the amount, as three letters
        """
        if company:
            self.reported[company] = (grade, amount, currency)
        left = [name for name in self.scores if name not in self.reported]
        text = [f"{name}: grade {self.scores[name]}, {self.rows[name].usd} USD" for name in left[:3] if name in self.rows]
        return "\n".join([*text, left_line(left)])

    def list_by_city(self, city: str) -> str:
        """Add the companies of a city to a list by city.

        Args:
            city: its name; empty to ask what is left
        """
        if city:
            self.cities.append(city)
        companies = [name for name, lead in self.rows.items() if lead.city == city]
        text = [f"{city}: {', '.join(companies)}"] if city else []
        return "\n".join([*text, left_line(name for name in CITIES if name not in self.cities)])

    # ------------------------------------------------------------ the task

    def plan(self, switches: frozenset[str]) -> Sequence[Step]:
        checks: dict[str, Callable[[Any], bool | str]] = {
            "read": lambda _: len(self.read) == len(self.pages) or "there are pages left",
            "merge": lambda _: not any(name.endswith(" GmbH") for name in self.rows) or "there are companies left that stand twice",
            "complete": lambda _: all(lead.staff_known for lead in self.rows.values()) or "there are companies without their staff",
            "score": lambda _: self.scores.keys() == self.rows.keys() or "there are companies without a grade",
            "report": lambda _: self.scores.keys() == self.reported.keys() or "there are companies that are not in the report",
        }
        about = ("all pages", "one row for each company", "no gaps", "a grade for each company", "one line for each company")
        return [
            Step(name, done_when=checks[name] if "checks" in switches else (), about=line, rounds=8)
            for name, line in zip(self.steps, about, strict=True)
        ]

    def work(self, step: str, sight: Sight) -> list[Call]:
        tool, argument = _TOOLS[step]
        calls = each(sight, tool, argument, beside=2 if step == "score" else 1)
        if step == "report" and calls and calls[0][1]["company"]:
            return [(tool, self._line(calls[0][1]["company"], sight))]
        return calls

    def _line(self, company: str, sight: Sight) -> dict[str, Any]:
        """Grade and amount as the newest result has them, in the currency that the prompt asks for, else in the one it saw."""
        newest = sight.newest_of("report")
        found = re.search(rf"^{company}: grade ([A-D]), (\d+) USD", newest.result if newest else "", re.MULTILINE)
        grade, usd = (found[1], int(found[2])) if found else ("", 0)
        if re.search(r"amounts in EUR", sight.text):
            return {"company": company, "grade": grade, "amount": round(usd * EUR_OF_USD, 2), "currency": "EUR"}
        return {"company": company, "grade": grade, "amount": usd, "currency": "USD"}

    def product(self, step: str, sight: Sight) -> str:
        return ""

    def final(self, sight: Sight) -> str:
        return "The graded list is in the report, one line for each company."

    # ------------------------------------------------------------ what can go wrong

    def faults(self) -> dict[str, Fault]:
        return {"goal": ForgetsTheGoal(), "currency": NoLapse()}

    def failures(self) -> dict[str, str]:
        found = {}
        leads = {lead.company: lead for page in self.pages for lead in page if not lead.company.endswith(" GmbH")}
        graded = {name for name, (grade, _, _) in self.reported.items() if name in leads and grade == _grade(leads[name])}
        if graded != leads.keys():
            found["goal"] = f"{len(leads) - len(graded)} of {len(leads)} companies have no grade in the report, or a wrong one"
        other = [name for name, (_, amount, currency) in self.reported.items() if (currency, amount) != ("EUR", _eur(leads[name]))]
        if other:
            found["currency"] = f"{len(other)} amounts are not in EUR: {', '.join(other[:3])}"
        return found


class ForgetsTheGoal(Lapse):
    """From round 12 on, where neither the goal nor a plan with what is to be done now stands in the prompt: a list by city."""

    def act(self, round: int, sight: Sight) -> Said | None:
        knows = "graded list" in sight.text.casefold() or "[now]" in sight.plan or sight.all_finished
        if round < FORGETS_AT_ROUND or knows:
            return None
        calls = each(sight, "list_by_city", "city")
        return Said(calls=calls, text="Now the list by city.") if calls else Said(text="The list by city is complete. The task is done.")


def _staff(lead: Lead) -> str:
    return f"{lead.staff} staff" if lead.staff_known else "staff unknown"


def _grade(lead: Lead) -> str:
    return grade_of(lead.staff, lead.usd)


def _eur(lead: Lead) -> float:
    return round(lead.usd * EUR_OF_USD, 2)


if __name__ == "__main__":
    sys.exit(main(Leads))
