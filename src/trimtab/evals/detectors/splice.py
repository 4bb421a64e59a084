"""Runs with exact labels: a loop, or repetition that is legal, spliced into a run that is clean.

The clean runs are those of tau-bench that met their goal, where the data is there, else made up. What is spliced in uses tools
of its own and, at times, one of the run's. All is drawn from a seed: the same number gives the same run.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from trimtab.evals.detectors.legal import LEGAL
from trimtab.evals.detectors.loops import LOOPS, a_round
from trimtab.evals.detectors.runs import Half, Round, Run
from trimtab.evals.detectors.world import Scene, Tool

_MOST_BEFORE, _MOST_AFTER = 30, 4


class Spliced(Struct, frozen=True):
    """A run into which rounds `begin` to `end` (without it) were spliced."""

    run: Run
    kind: str
    is_loop: bool
    begin: int
    end: int


def clean(seed: int, half: Half = "report") -> Run:
    """A made-up run without repetition: different matters, one after the other."""
    rng = random.Random(f"clean{seed}")
    scene = Scene(rng, half=half)
    rounds = []
    for _ in range(rng.randint(6, 24)):
        if rng.random() < 0.2:
            rounds.append(Round((), scene.said() or "Done.", scene.said()))
        else:
            tool = scene.tool()
            rounds.append(a_round(scene, scene.call(tool, tool.drawn(rng))))
    return Run(f"clean-{seed}", tuple(rounds), True)


def spliced(kind: str, number: int, bases: Sequence[Run], half: Half = "report") -> Spliced:
    """The run of this kind, number and half: into one of the bases, or into a made-up run where there are none."""
    rng = random.Random(f"{half}{kind}{number}")
    base = rng.choice(bases) if bases else clean(rng.randrange(1_000_000), half)
    at = rng.randint(0, min(len(base.rounds), _MOST_BEFORE))
    scene = Scene(rng, _borrowed(rng, base), half)
    make = LOOPS.get(kind) or LEGAL[kind]
    made = make(scene)
    before, after = base.rounds[:at], base.rounds[at : at + _MOST_AFTER]
    run = replace(base, name=f"{base.name}+{kind}-{number}", rounds=(*before, *made, *after))
    return Spliced(run, kind, kind in LOOPS, len(before), len(before) + len(made))


def all_spliced(count: int, bases: Sequence[Run], kinds: Sequence[str] = ()) -> Iterator[Spliced]:
    """So many of each kind, kind by kind."""
    for kind in kinds or (*LOOPS, *LEGAL):
        for number in range(count):
            yield spliced(kind, number, bases)


def _borrowed(rng: random.Random, base: Run) -> list[Tool]:
    """At times one of the run's own tools, by name and form of arguments."""
    calls = [call for each in base.rounds for call in each.calls if call.arguments.startswith("{")]
    if not calls or rng.random() < 0.5:
        return []
    call = rng.choice(calls)
    tool = Tool(rng, "en")
    tool.name, tool.arguments = call.tool, "id"
    keys = [key for key, value in json.loads(call.arguments).items() if isinstance(value, str)]
    tool.key = keys[0] if keys else "id"
    return [tool]
