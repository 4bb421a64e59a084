"""Keeping a task on course: what the model says it does, what it does, and what to ask a second model. Pure: no clock, no
file, no model. A detector of your own: an entry point in the group `trimtab.detectors`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Protocol

from trimtab.core.drift import Act
from trimtab.steer.canonical import words_of
from trimtab.steer.constraints import Constraints
from trimtab.steer.finish import EarlyFinish
from trimtab.steer.form import FormLost
from trimtab.steer.goal import GoalWords
from trimtab.steer.identity import IdentityLost
from trimtab.steer.loops import Looping
from trimtab.steer.repeats import Repeats
from trimtab.steer.seen import Found, Seen
from trimtab.steer.tunnel import Tunnel

ENTRY_POINT_GROUP = "trimtab.detectors"

__all__ = ["Detector", "detectors_for"]


class Detector(Protocol):
    """Looks at what was done, and says what it finds. The same acts and view give the same findings.

    Attributes:
        name: unique.
        kind: of drift that it mainly finds; `settings.steering.detectors` switches by it.
    """

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    def look(self, acts: Sequence[Act], view: Seen) -> list[Found]:
        """Args: `acts`, the newest last, that of the newest exchange included; `view`, that exchange's words."""
        ...


_BUILT_IN: tuple[Callable[[], Detector], ...] = (
    Looping,
    Repeats,
    Tunnel,
    Constraints,
    lambda: GoalWords(words_of),
    IdentityLost,
    FormLost,
    EarlyFinish,
)


@cache
def _all() -> tuple[Detector, ...]:
    installed: list[Detector] = [point.load()() for point in entry_points(group=ENTRY_POINT_GROUP)]
    return (*(make() for make in _BUILT_IN), *installed)


def detectors_for(kinds: Collection[str]) -> tuple[Detector, ...]:
    """Ours, then installed ones, of these kinds of drift."""
    return tuple(detector for detector in _all() if detector.kind in kinds)
