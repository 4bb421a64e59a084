"""Goal lost by words (REQUIREMENTS T9): the newest acts have less in common with what is still to be done than this run's own
first acts had; and a term that was agreed is defined otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from statistics import fmean, pstdev

from trimtab.core.drift import Act
from trimtab.core.task import FINISHED, PlanStep
from trimtab.steer.seen import Found, Seen
from trimtab.steer.wording import plain, quoted

# the run's own start, and the newest acts that are held against it
START, NEWEST = 10, 5
_LEAST_START, _MOST_Z, _LEAST_SPREAD = 0.15, -2.5, 0.05
# plans have some dozens of steps
_MOST_KNOWN_STEPS = 256
_DEFINES = re.compile(
    r"[\"'“`「](?P<term>[^\"'”`」\n]{2,40})[\"'”`」] (?:means|is defined as|stands for|refers to) (?P<what>[^.;\n]{4,160})"
    r"|[“\"「](?P<term_zh>[^”\"」\n]{1,20})[”\"」](?:是指|指的是|定义为|指)(?P<what_zh>[^。；\n]{3,80})",
    re.I,
)  # fmt: skip
# of a definition, a part that is quick to look for
_MAYBE_DEFINES = re.compile(r"[\"'”`」](?: (?i:means|is defined as|stands for|refers to) |是指|指的是|定义为|指)")


class GoalWords:
    """Detector: see the module. `hashed` gives the hashes of a text's words, as `Act.words` holds them."""

    name, kind = "goal_words", "goal_lost"

    def __init__(self, hashed: Callable[[str], Iterable[int]]) -> None:
        self._hashed = lru_cache(maxsize=_MOST_KNOWN_STEPS)(lambda text: frozenset(hashed(text)))

    def look(self, acts: Sequence[Act], view: Seen) -> list[Found]:
        found = _redefined(view)
        task = view.state.task
        if task is None or task.ended or len(acts) < START + NEWEST:
            return found
        rest = [step for step in task.steps if task.status(step.name) not in FINISHED]
        said = frozenset[int]().union(*(act.words for act in acts[-NEWEST:]))
        # as a rule the newest acts have a word in common with what is left, and nothing has to be counted
        if not rest or any(not said.isdisjoint(self._hashed(_words_of(step, task.goal))) for step in rest):
            return found
        texts = [self._hashed(_words_of(step, task.goal)) for step in rest]
        start = [max(_share(act.words, words) for words in texts) for act in acts[:START]]
        if fmean(start) < _LEAST_START or -fmean(start) / max(pstdev(start), _LEAST_SPREAD) > _MOST_Z:
            return found
        text = f"the last {NEWEST} acts share no word with what is left of the plan (this run's start: {fmean(start):.2f})"
        return [*found, Found("goal_lost", text, tuple(act.seq for act in acts[-NEWEST:]))]


def _words_of(step: PlanStep, goal: str) -> str:
    return " ".join((goal, step.name, step.about, step.output, *step.inputs))


def _share(words: Sequence[int], of: frozenset[int]) -> float:
    return len(of.intersection(words)) / len(words) if words else 0.0


def definitions_in(text: str) -> dict[str, str]:
    """What is defined in the text, by term in plain form."""
    if not _MAYBE_DEFINES.search(text):
        return {}
    rows = _DEFINES.finditer(text[:8_000])
    return {plain(row["term"] or row["term_zh"]): plain(row["what"] or row["what_zh"]) for row in rows}


def _redefined(view: Seen) -> list[Found]:
    """A definition of the reply that has no word of the agreed one."""
    said = definitions_in(view.reply)
    for item in view.state.items.values() if said else ():
        if item.status != "active" or item.origin or max(item.source_ids, default=0) >= view.reply_seq:
            continue
        for term, what in definitions_in(item.text).items():
            if term in said and not _tokens(what) & _tokens(said[term]):
                text = f"defines {term!r} otherwise than agreed ({quoted(item.text)!r})"
                return [Found("goal_lost", text, (*sorted(item.source_ids), view.reply_seq))]
    return []


def _tokens(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]{3,}|[\u4e00-\u9fff]", text)) - {"the", "and", "all", "any", "的"}
