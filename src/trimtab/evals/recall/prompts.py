"""Whether what answers a question stands in the prompt that is sent, not only in a list of hits.

A session is fed with a talk of LoCoMo, message by message, with a prompt for each message of the user as an agent would
ask for one. Then each question is asked and taken back, so that none sees another. What the session took for rules stands
outside the history's budget: the window is that much larger.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, TypeVar

from msgspec import Struct

from trimtab.core.target import Target
from trimtab.evals.recall.episodes import Episode, Question, Said
from trimtab.session import Session
from trimtab.settings import Budget, Settings

MODES = ("hierarchical", "window", "compact")
HISTORY_TOKENS = (2_000, 4_000, 8_000)
MOST_QUESTIONS = 200
_T = TypeVar("_T")
_BEFORE = "before the question"
_WIDE_TOKENS = 64_000
_TARGET = Target(model="gpt-4o")


class Row(Struct, frozen=True):
    """One mode under one budget.

    Attributes:
        whole: share of the questions all of whose evidence stands word for word in the prompt.
        share: share of a question's evidence that does, in the mean.
        tokens: of a prompt, in the mean.
    """

    mode: str
    history_tokens: int
    questions: int
    whole: float
    share: float
    tokens: float
    seconds: float


class _Shown(Struct, frozen=True):
    share: float
    tokens: int


def prompts(
    episodes: Sequence[Episode], modes: Sequence[str] = MODES, budgets: Sequence[int] = HISTORY_TOKENS, most: int = MOST_QUESTIONS
) -> Iterator[Row]:
    """Each mode under each budget.

    Args:
        most: of more questions so many are asked, evenly spread over all.
    """
    asked = evenly([(episode.id, question) for episode in episodes for question in episode.questions], most)
    for history_tokens in budgets:
        for mode in modes:
            started = perf_counter()
            shown: list[_Shown] = []
            for episode in episodes:
                questions = [question for name, question in asked if name == episode.id]
                if questions:
                    shown += _asked(episode, questions, mode, history_tokens)
            count = len(shown)
            whole = sum(one.share == 1 for one in shown) / count
            share = sum(one.share for one in shown) / count
            tokens = sum(one.tokens for one in shown) / count
            yield Row(mode, history_tokens, count, whole, share, tokens, perf_counter() - started)


def evenly(values: Sequence[_T], most: int) -> list[_T]:
    """At most so many of the values, as far apart as they can be."""
    if len(values) <= most:
        return list(values)
    return [values[number * len(values) // most] for number in range(most)]


def _asked(episode: Episode, questions: Sequence[Question], mode: str, history_tokens: int) -> Iterator[_Shown]:
    settings = _settings(mode, history_tokens + _instructions(episode))
    turns = {turn.id: turn for turn in episode.turns}
    with Session.open(":memory:", episode.id, settings=settings, target=_TARGET) as session:
        for turn in episode.turns:
            session.record({"role": turn.role, "content": turn.render()})
            if turn.role == "user":
                session.prompt(despite_conflicts=True)
            session.maintain()
        session.checkpoint(_BEFORE)
        for question in questions:
            session.record({"role": "user", "content": question.query})
            prompt = session.prompt(despite_conflicts=True)
            yield _shown(list(_texts(prompt.render()["messages"])), [turns[each] for each in question.gold], prompt.tokens)
            session.rollback(_BEFORE)


def _settings(mode: str, window_tokens: int) -> Settings:
    """The whole window is for rules and history: no margin, no reserve."""
    return Settings(mode=mode, budget=Budget(window_tokens=window_tokens, safety_ratio=1.0, reserve_tokens=0, splice_ratio=0.0))


def _instructions(episode: Episode) -> int:
    """Tokens of the rules that the whole talk leaves behind: they stand outside the history's budget, in every mode."""
    with Session.open(":memory:", episode.id, settings=_settings("window", _WIDE_TOKENS), target=_TARGET) as session:
        session.record(*({"role": turn.role, "content": turn.render()} for turn in episode.turns))
        return session.prompt(despite_conflicts=True).budget.instructions_tokens


def _shown(texts: Sequence[str], gold: Sequence[Said], tokens: int) -> _Shown:
    sent = _plain("\n".join(texts))
    return _Shown(sum(_plain(turn.text) in sent for turn in gold) / len(gold), tokens)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _texts(part: Any) -> Iterator[str]:
    """All text of a request's messages."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, list | dict):
        for each in part.values() if isinstance(part, dict) else part:
            yield from _texts(each)
