"""Words of the goal: lost where the newest acts share none of them and the run's own start did; counted only where it may be so."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev

from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.drift import Act
from trimtab.core.state import SessionState
from trimtab.core.task import PlanStep, StepRecord, TaskState
from trimtab.steer.canonical import words_of
from trimtab.steer.goal import NEWEST, START, GoalWords
from trimtab.steer.seen import Seen

GOAL = "report on leads"
PLAN = (PlanStep("fetch", about="every company of the list"), PlanStep("score"), PlanStep("write", output="table"))
WORDS = ("report", "leads", "fetch", "company", "score", "table", "weather", "music", "games", "holiday")


def acted(texts: Sequence[str]) -> list[Act]:
    return [Act(seq, tool="search", words=words_of(text)) for seq, text in enumerate(texts, 1)]


def view(done: Sequence[str] = ()) -> Seen:
    records = {step.name: StepRecord("done" if step.name in done else "open") for step in PLAN}
    return Seen(state=SessionState(task=TaskState("t", GOAL, PLAN, records)))


def lost(acts: Sequence[Act], done: Sequence[str]) -> bool:
    """As it is said: the newest acts share no word with a step that is left, far from how the run began."""
    texts = [
        frozenset(words_of(" ".join((GOAL, step.name, step.about, step.output)))) for step in PLAN if step.name not in done
    ]  # fmt: skip
    scores = [max((sum(word in words for word in act.words) / max(1, len(act.words)) for words in texts), default=1.0) for act in acts]
    start, newest = scores[:START], scores[-NEWEST:]
    far = (fmean(newest) - fmean(start)) / max(pstdev(start), 0.05)
    return fmean(start) >= 0.15 and far <= -2.5 and max(newest) == 0


def test_the_goal_is_lost_where_the_newest_acts_speak_of_something_else() -> None:
    texts = [*["fetch leads"] * START, *["weather music"] * NEWEST]
    acts = acted(texts)
    found = GoalWords(words_of).look(acts, view())
    assert [(row.kind, row.evidence) for row in found] == [("goal_lost", tuple(act.seq for act in acts[-NEWEST:]))]
    assert GoalWords(words_of).look(acts[:-1], view()) == [], "too few to tell"
    assert GoalWords(words_of).look(acted([*texts[:-1], "one more company"]), view()) == []
    assert GoalWords(words_of).look(acts, view([step.name for step in PLAN])) == [], "nothing is left"


@given(
    st.lists(st.lists(st.sampled_from(WORDS[:8]), max_size=4), min_size=START, max_size=START + 4),
    st.lists(st.lists(st.sampled_from(WORDS[5:]), max_size=3), min_size=NEWEST, max_size=NEWEST),
    st.lists(st.sampled_from([step.name for step in PLAN]), max_size=2),
)
def test_it_is_lost_where_the_figures_say_so(begun: list[list[str]], newest: list[list[str]], done: list[str]) -> None:
    acts = acted([" ".join(words) for words in (*begun, *newest)])
    assert bool(GoalWords(words_of).look(acts, view(done))) is lost(acts, done)
