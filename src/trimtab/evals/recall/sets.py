"""The data sets by name, and the recall that is asked of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct

from trimtab.errors import BadSetting
from trimtab.evals.recall.episodes import Episode, Split, of_split
from trimtab.evals.recall.memories import madial, memdaily
from trimtab.evals.recall.talks import beam, locomo, realmem, realtalk

# folder below the data, and how it is read
_READERS: Mapping[str, tuple[str, Callable[[Path], list[Episode]]]] = {
    "locomo": ("locomo", locomo),
    "realtalk": ("realtalk", realtalk),
    "realmem": ("realmem", realmem),
    "beam-100K": ("beam/100K", beam),
    "memdaily-x20": ("memdaily", partial(memdaily, noise=20)),
    "madial-zh": ("madial", partial(madial, language="zh")),
    "madial-en": ("madial", partial(madial, language="en")),
}
SETS = tuple(_READERS)


class Goal(Struct, frozen=True):
    """What the project set itself, on the report split: recall@10, and the share of evidence within 2,000 tokens."""

    recall: float
    evidence: float | None = None


GOALS: Mapping[str, Goal] = {
    "locomo": Goal(0.78, 0.91),
    "realtalk": Goal(0.61),
    "realmem": Goal(0.36),
    "beam-100K": Goal(0.60),
    "memdaily-x20": Goal(0.92),
    "madial-zh": Goal(0.72),
    "madial-en": Goal(0.72),
}


def load(name: str, data: Path, split: Split = "all") -> list[Episode]:
    """The episodes of a set; those of one split only.

    Args:
        data: the folder that holds a folder for each set.

    Raises:
        BadSetting: no such set, or its files are not there.
    """
    if name not in _READERS:
        raise BadSetting("set", name, f"one of: {', '.join(SETS)}")
    where, read = _READERS[name]
    try:
        episodes = of_split(read(data / where), split)
    except FileNotFoundError as missing:
        raise BadSetting("data", str(data), f"a folder that holds {where} (missing: {missing.filename})") from missing
    if not any(episode.questions for episode in episodes):
        raise BadSetting("data", str(data), f"a folder that holds {where} with conversations of the split {split!r}")
    return episodes
