"""Two points of a session side by side: checkpoints, the head of a branch that a rollback left, or now (REQUIREMENTS T5)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from trimtab.core.state import SessionState
from trimtab.core.summary import SummaryItem
from trimtab.core.task import StepRecord
from trimtab.errors import NotFound
from trimtab.session.base import SessionBase


class Comparison(Struct, frozen=True, kw_only=True):
    """How a second point differs from a first.

    Attributes:
        common_seq: the newest entry that both stand on.
        messages: how many messages each has after it.
        items_added, items_gone: what only the second, or only the first, holds for true.
        notes, variables, pins: keys whose newest version differs, or that only one has.
        steps: steps of the task that stand otherwise, with both records; None where one has no such step.
        goals: the goal of each one's task; "" for none.
    """

    common_seq: int
    messages: tuple[int, int]
    items_added: tuple[SummaryItem, ...]
    items_gone: tuple[SummaryItem, ...]
    notes: tuple[str, ...]
    variables: tuple[str, ...]
    pins: tuple[str, ...]
    steps: tuple[tuple[str, StepRecord | None, StepRecord | None], ...]
    goals: tuple[str, str]


class BranchPart(SessionBase):
    """compare."""

    def compare(self, first: str | int, second: str | int = "head") -> Comparison:
        """What differs between two points.

        Args:
            first, second: a checkpoint's name, an entry's number (`rollback` returns the one that it left), or "head" for
                where this branch stands.
        Raises:
            NotFound: no such point, with the checkpoints there are.
        """
        with self._open_lock():
            self._lane.catch_up()
            before, after = self._state_at(first), self._state_at(second)
            common = _common_seq(before, after)
            return Comparison(
                common_seq=common,
                messages=(self._messages_after(before, common), self._messages_after(after, common)),
                items_added=tuple(item for key, item in after.items.items() if key not in before.items),
                items_gone=tuple(item for key, item in before.items.items() if key not in after.items),
                notes=_differing(before.notes, after.notes),
                variables=_differing(before.variables, after.variables),
                pins=_differing(before.pins, after.pins),
                steps=_steps(before, after),
                goals=(_goal(before), _goal(after)),
            )

    def _state_at(self, point: str | int) -> SessionState:
        state = self._lane.state
        if point == "head":
            return state
        seq = state.checkpoints.get(point, 0) if isinstance(point, str) else point
        if not 0 < seq <= self._lane.last_seq:
            raise NotFound("checkpoint", point, (*state.checkpoints, "head"))
        return self._lane.fold_to(seq)

    def _messages_after(self, state: SessionState, seq: int) -> int:
        return sum(1 for row in self._store.load(self._key, seq, state.seq) if row.kind == "message" and state.contains(row.seq))


def _common_seq(first: SessionState, second: SessionState) -> int:
    for low, high in reversed(first.spans):
        for other_low, other_high in reversed(second.spans):
            if max(low, other_low) <= min(high, other_high):
                return min(high, other_high)
    return 0


def _differing(first: Mapping[str, object], second: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(sorted(key for key in {*first, *second} if first.get(key) != second.get(key)))


def _steps(first: SessionState, second: SessionState) -> tuple[tuple[str, StepRecord | None, StepRecord | None], ...]:
    a = first.task.records if first.task is not None else {}
    b = second.task.records if second.task is not None else {}
    return tuple((name, a.get(name), b.get(name)) for name in dict.fromkeys([*a, *b]) if a.get(name) != b.get(name))


def _goal(state: SessionState) -> str:
    return state.task.goal if state.task is not None else ""
