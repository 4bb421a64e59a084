"""Keeping a task on course: what the model says it does, what it does, and what to ask a second model. Pure: no clock, no
file, no model. A detector of your own: an entry point in the group `trimtab.detectors`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, cast, get_args

from trimtab.core.drift import Act, DriftKind
from trimtab.errors import ConfigError
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
    found = {detector.name: detector for detector in (make() for make in _BUILT_IN)}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        detector = _installed(point)
        if detector.name in found:
            raise ConfigError(f"{_of(point)} is named {detector.name!r} as another one is; rename it, or uninstall its package")
        found[detector.name] = detector
    return tuple(found.values())


def _installed(point: EntryPoint) -> Detector:
    """What an entry point gives, once it is sure that it can look."""
    kinds = get_args(DriftKind)
    try:
        made = point.load()()
    except (ImportError, AttributeError, TypeError) as problem:
        raise ConfigError(f"{_of(point)} cannot be made: {problem}; mend or uninstall its package") from problem
    if not isinstance(getattr(made, "name", None), str) or not callable(getattr(made, "look", None)):
        raise ConfigError(f"{_of(point)} is a {type(made).__name__}; a detector has name, kind and look(acts, view)")
    if getattr(made, "kind", None) not in kinds:
        raise ConfigError(f"{_of(point)} is of the kind {getattr(made, 'kind', None)!r}; it must be one of {', '.join(kinds)}")
    return cast("Detector", made)


def _of(point: EntryPoint) -> str:
    return f"the detector {point.name!r} ({point.value}, entry point of {point.dist.name if point.dist else 'an unnamed package'})"


def detectors_for(kinds: Collection[str]) -> tuple[Detector, ...]:
    """Ours, then installed ones, of these kinds of drift.

    Raises:
        ConfigError: one that is installed cannot be loaded or made, is no detector, or has another one's name.
    """
    return tuple(detector for detector in _all() if detector.kind in kinds)
