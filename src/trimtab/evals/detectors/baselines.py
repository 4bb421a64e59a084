"""The loop rules that four agents ship, written anew from what they do, to stand beside the product's detectors.

Each says for every round whether its rule holds right then. They run on other texts than their own products give them: a rule
that never fires here may well fire there. Left out is what needs a model: Gemini CLI's judge.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from msgspec import Struct

from trimtab.evals.detectors.runs import Call, Round, Run

Rule: TypeAlias = Callable[[Run], list[bool]]


class _Step(Struct, frozen=True):
    """A call, or a reply without one: what it did, what came of it."""

    action: tuple[str, ...]
    result: str
    is_error: bool = False
    is_reply: bool = False


def _key(call: Call) -> str:
    """Name and arguments, keys sorted."""
    try:
        return f"{call.tool}:{json.dumps(json.loads(call.arguments), sort_keys=True)}"
    except ValueError:
        return f"{call.tool}:{call.arguments}"


# ---------------------------------------------------------------- OpenHands

_SAME_STEPS, _SAME_ERRORS, _SAME_REPLIES, _TURNS = 4, 3, 3, 6
_SDK_WINDOW = 20
_SYNTAX_ERROR = "SyntaxError"


def openhands(run: Run) -> list[bool]:
    """Four equal steps; three equal actions with errors; three equal replies with nothing in between; A-B-A-B-A-B."""
    steps: list[_Step] = []
    fired = []
    for each in run.rounds:
        steps += _steps(each, with_text=False)
        fired.append(_is_stuck(steps, any_reply=False))
    return fired


def openhands_sdk(run: Run) -> list[bool]:
    """The same over the newest 20 events since the user spoke; an action is equal only with equal words before it, and three
    replies in a row need not be equal."""
    steps: list[_Step] = []
    fired = []
    for each in run.rounds:
        if each.user:
            steps = []
        steps = [*steps, *_steps(each, with_text=True)][-_SDK_WINDOW // 2 :]  # an action and its result are two events
        fired.append(_is_stuck(steps, any_reply=True))
    return fired


def _steps(each: Round, with_text: bool) -> list[_Step]:
    if not each.calls:
        return [_Step((each.text,), "", is_reply=True)]
    thought = (each.text,) if with_text else ()
    return [_Step((_key(call), *thought), call.result, call.is_error) for call in each.calls]


def _is_stuck(steps: Sequence[_Step], any_reply: bool) -> bool:
    last = steps[-_SAME_STEPS:]
    if len(last) == _SAME_STEPS and len({(step.action, step.result) for step in last}) == 1 and not last[0].is_reply:
        return True
    last = steps[-_SAME_ERRORS:]
    are_equal = len(last) == _SAME_ERRORS and len({step.action for step in last}) == 1
    if are_equal and all(step.is_error or _SYNTAX_ERROR in step.result for step in last):
        return True
    last = steps[-_SAME_REPLIES:]
    if len(last) == _SAME_REPLIES and all(step.is_reply for step in last) and (any_reply or len({step.action for step in last}) == 1):
        return True
    last = steps[-_TURNS:]
    pairs = [(step.action, step.result) for step in last]
    return len(pairs) == _TURNS and pairs[0] != pairs[1] and pairs[::2] == [pairs[0]] * 3 and pairs[1::2] == [pairs[1]] * 3


# ---------------------------------------------------------------- Gemini CLI

_CYCLES, _LONGEST_CYCLE = 5, 5
_CHUNK, _CHUNK_TIMES, _CHUNK_GAP, _MOST_PERIODS = 50, 10, 250, 5


def gemini_cli(run: Run) -> list[bool]:
    """A cycle of 1 to 5 calls five times over within the newest 25; 50 characters ten times close together in a reply."""
    keys: deque[str] = deque(maxlen=_CYCLES * _LONGEST_CYCLE)
    fired = []
    for each in run.rounds:
        is_loop = _repeats_itself(each.text)
        for call in each.calls:
            keys.append(_key(call))
            is_loop = is_loop or _cycles(list(keys))
        fired.append(is_loop)
    return fired


def _cycles(keys: Sequence[str]) -> bool:
    for length in range(1, _LONGEST_CYCLE + 1):
        last = keys[-length * _CYCLES :]
        if len(last) == length * _CYCLES and all(last[n] == last[n % length] for n in range(len(last))):
            return True
    return False


def _repeats_itself(text: str) -> bool:
    if len(text) < _CHUNK_TIMES * _CHUNK or "```" in text:
        return False
    places: dict[str, list[int]] = {}
    for at in range(len(text) - _CHUNK + 1):
        places.setdefault(text[at : at + _CHUNK], []).append(at)
    for found in places.values():
        last = found[-_CHUNK_TIMES:]
        if len(last) == _CHUNK_TIMES and last[-1] - last[0] <= _CHUNK_GAP * (_CHUNK_TIMES - 1):
            gaps = {after - before for before, after in pairwise(last)}
            if len(gaps) <= _MOST_PERIODS:
                return True
    return False


# ---------------------------------------------------------------- Cline


def cline_soft(run: Run) -> list[bool]:
    """The third equal call in a row, and those after it."""
    return _in_a_row(run, 3)


def cline_hard(run: Run) -> list[bool]:
    """The fifth equal call in a row, and those after it."""
    return _in_a_row(run, 5)


def _in_a_row(run: Run, least: int) -> list[bool]:
    last, count, fired = "", 0, []
    for each in run.rounds:
        is_loop = False
        for call in each.calls:
            key = _key(call)
            count = count + 1 if key == last else 1
            last = key
            is_loop = is_loop or count >= least
        fired.append(is_loop)
    return fired


# ---------------------------------------------------------------- browser-use

_WINDOW, _NUDGE, _SAME_PAGES = 20, 5, 5
_SEARCH = re.compile(r"search|query|find|lookup|typed", re.I)
_TYPED = re.compile(r"I typed '(.*)' into", re.S)


def browser_use(run: Run) -> list[bool]:
    """An action that is, by its kind, equal to five of the newest 20; or the fifth equal page in a row."""
    actions: deque[tuple[str, ...]] = deque(maxlen=_WINDOW)
    pages: deque[str] = deque(maxlen=_SAME_PAGES)
    fired = []
    for each in run.rounds:
        is_loop = False
        for call in each.calls:
            action = _kind_of(call)
            actions.append(action)
            pages.append(call.result)
            is_same_page = bool(call.result) and len(pages) == _SAME_PAGES and len(set(pages)) == 1
            is_loop = is_loop or is_same_page or actions.count(action) >= _NUDGE
        fired.append(is_loop)
    return fired


def _kind_of(call: Call) -> tuple[str, ...]:
    """A search by the words it looks for, in any order; else name and arguments."""
    typed = _TYPED.search(call.arguments)
    if typed is not None:
        return ("search", *_tokens(typed[1]))
    if _SEARCH.search(call.tool):
        return (call.tool, *_tokens(" ".join(map(str, _values(call.arguments)))))
    return (_key(call),)


def _tokens(text: str) -> list[str]:
    return sorted(set(re.findall(r"\w+", text.lower())))


def _values(arguments: str) -> list[Any]:
    try:
        value = json.loads(arguments)
    except ValueError:
        return [arguments]
    return list(value.values()) if isinstance(value, dict) else [value]


def always(run: Run) -> list[bool]:
    """Fires from the third round on: what precision is without any sense, the base rate."""
    return [n >= 2 for n in range(len(run.rounds))]


BASELINES: Mapping[str, Rule] = {
    "OpenHands": openhands,
    "OpenHands SDK": openhands_sdk,
    "Gemini CLI": gemini_cli,
    "Cline, soft": cline_soft,
    "Cline, hard": cline_hard,
    "browser-use": browser_use,
}
