"""Turns that speak of the same things in nearly the same words, and differ in what they tell of them.

Measured are the nearest by vectors alone, and the whole search, which also knows which kind of information a turn gives
and a question asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from trimtab.errors import BadSetting
from trimtab.evals.recall.episodes import Said
from trimtab.evals.recall.measures import mean
from trimtab.evals.recall.retriever import Retriever, VectorsOnly, WordsOnly
from trimtab.recall.embedders import Embedder

_KS = (3, 5, 10)
_FIRST = 3


class _Turn(Struct, frozen=True):
    id: str
    role: str
    text: str


class _Asked(Struct, frozen=True):
    id: str
    text: str
    gold: list[str]


class _Set(Struct, frozen=True):
    turns: list[_Turn]
    questions: list[_Asked]


class Row(Struct, frozen=True):
    """Means over the questions.

    Attributes:
        precision: gold among the first 3, divided by 3. A question with two gold turns cannot have more than 2/3.
        reachable: the same divided by 3 or by the number of gold turns, whichever is less: 1 can always be reached.
        recall: share of the gold turns among the first k, by k.
    """

    system: str
    precision: float
    reachable: float
    recall: dict[str, float]


class Report(Struct, frozen=True):
    """`ceiling`: the highest precision that any order could have. `rows`: vectors alone first, the whole search second."""

    turns: int
    questions: int
    ceiling: float
    rows: list[Row]

    @property
    def errors(self) -> tuple[float, float]:
        """1 - precision: (vectors alone, the whole search)."""
        return 1 - self.rows[0].precision, 1 - self.rows[1].precision

    @property
    def reachable_errors(self) -> tuple[float, float]:
        """The same of what can be reached."""
        return 1 - self.rows[0].reachable, 1 - self.rows[1].reachable

    @property
    def recall_holds(self) -> bool:
        """Whether the whole search finds as much within the first 3, 5 and 10 as vectors alone."""
        alone, whole = self.rows[0].recall, self.rows[1].recall
        return all(whole[k] >= alone[k] - 1e-9 for k in alone)


def confusable(path: Path, embedder: Embedder) -> Report:
    """Measure a file `{"turns": [{"id", "role", "text"}], "questions": [{"id", "text", "gold"}]}`.

    Raises:
        BadSetting: the file is not like that, or names gold that is no turn.
    """
    found = _read(path)
    turns = [Said(turn.id, "s", turn.role, "", "", turn.text) for turn in found.turns]
    systems = (("vectors alone", VectorsOnly(embedder)), ("vectors, words and tags", Retriever(embedder)), ("words and tags", WordsOnly()))
    rows = []
    for name, system in systems:
        system.index(turns)
        rows.append(_row(name, [(question.gold, system.search(question.text, max(_KS))) for question in found.questions]))
    ceiling = sum(min(_FIRST, len(question.gold)) / _FIRST for question in found.questions) / len(found.questions)
    return Report(len(turns), len(found.questions), ceiling, rows)


def _read(path: Path) -> _Set:
    form = '{"turns": [{"id", "role", "text"}, ...], "questions": [{"id", "text", "gold": [ids]}, ...]}'
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Set)
    except msgspec.MsgspecError as error:
        raise BadSetting("confusable", str(path), f"a file {form} ({error})") from error
    known = {turn.id for turn in found.turns}
    wrong = [question.id for question in found.questions if not question.gold or not known.issuperset(question.gold)]
    if wrong or not found.questions:
        raise BadSetting(
            "confusable", str(path), f"a file {form} whose gold are ids of turns (not so: {', '.join(wrong[:5]) or 'no questions'})"
        )
    return found


def _row(system: str, answers: Sequence[tuple[list[str], list[str]]]) -> Row:
    values = []
    for gold, ranked in answers:
        wanted = set(gold)
        right = len(wanted.intersection(ranked[:_FIRST]))
        recalls = {f"R@{k}": len(wanted.intersection(ranked[:k])) / len(wanted) for k in _KS}
        values.append({"precision": right / _FIRST, "reachable": right / min(_FIRST, len(wanted)), **recalls})
    means = mean(values)
    return Row(system, means.pop("precision"), means.pop("reachable"), means)
