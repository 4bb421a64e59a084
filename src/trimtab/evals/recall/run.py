"""Measuring systems on data sets: every question, and what it costs."""

from __future__ import annotations

import multiprocessing
import re
import resource
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path
from time import process_time

from msgspec import Struct

from trimtab.evals.recall.episodes import Episode, Split
from trimtab.evals.recall.measures import mean, measures
from trimtab.evals.recall.sets import load
from trimtab.evals.recall.systems import System, entry
from trimtab.evals.recall.vectors import KeptVectors
from trimtab.recall.embedders import Embedder, open_embedder
from trimtab.recall.windows import windows

# how deep a ranked list is read; of a question inside its history, to the end
_DEPTH = 200
# ids of the ranked list that a question's row keeps
_KEPT = 20
_EMBED_BATCH = 1_000


class Asked(Struct, frozen=True):
    """One question. `values`: by the names of `measures.MEASURES`."""

    episode: str
    question: str
    category: str
    values: dict[str, float]
    ranked: tuple[str, ...]


class Costs(Struct, frozen=True):
    """CPU in milliseconds, without the embedder; `peak_mb` of the process, of its own where `measure_all` made it.

    `bytes_a_turn`: of the store; 0 for a system without one.
    """

    turns: int
    index_ms: float
    query_ms: float
    peak_mb: float
    bytes_a_turn: float = 0.0


class Outcome(Struct, frozen=True):
    data_set: str
    system: str
    rows: list[Asked]
    costs: Costs

    @property
    def means(self) -> dict[str, float]:
        return mean([row.values for row in self.rows])

    @property
    def by_category(self) -> dict[str, tuple[int, dict[str, float]]]:
        """(questions, means) of each category, by name."""
        ordered = sorted(self.rows, key=lambda row: row.category)
        groups = [(name, [row.values for row in rows]) for name, rows in groupby(ordered, lambda row: row.category)]
        return {name: (len(rows), mean(rows)) for name, rows in groups}


class Embedded(Struct, frozen=True):
    """What an embedder cost: texts it read (the others were kept from an earlier run) and CPU milliseconds for each."""

    texts: int
    ms_a_text: float


def measure(data_set: str, episodes: Sequence[Episode], system: str, embedder: Embedder | None = None) -> Outcome:
    """One system on one set, in this process.

    Raises:
        ConfigError: the system needs an embedder.
    """
    made = entry(system).make(embedder)
    rows: list[Asked] = []
    index_s = query_s = 0.0
    turn_count = size = 0
    for episode in episodes:
        if embedder is not None:
            # whatever is embedded from here on is there already
            embedder.embed(_texts(episode))
        started = process_time()
        made.index(episode.turns)
        index_s += process_time() - started
        for asked, ready_s, search_s in _ask_all(made, episode):
            rows.append(asked)
            index_s += ready_s
            query_s += search_s
        turn_count += len(episode.turns)
        size += getattr(made, "size_bytes", 0)
    costs = Costs(turn_count, 1_000 * index_s / turn_count, 1_000 * query_s / max(1, len(rows)), _peak_mb(), size / turn_count)
    return Outcome(data_set, system, rows, costs)


def _ask_all(system: System, episode: Episode) -> Iterator[tuple[Asked, float, float]]:
    """Each question with the seconds of CPU that indexing what is new by then took, and those of the search."""
    make_ready = getattr(system, "ready", lambda: None)
    turns = {turn.id: turn for turn in episode.turns}
    place = {turn.id: at for at, turn in enumerate(episode.turns)}
    for question in episode.questions:
        system.now = question.upto
        begun = process_time()
        make_ready()
        started = process_time()
        ranked = system.search(question.query, len(turns) if question.upto else _DEPTH)
        spent = process_time() - started
        if question.upto:
            ranked = [each for each in ranked if place[each] < question.upto][:_DEPTH]
        values = measures(ranked, question.gold, turns)
        yield Asked(episode.id, question.id, question.category, values, tuple(ranked[:_KEPT])), started - begun, spent


def _texts(episode: Episode) -> list[str]:
    return [piece for turn in episode.turns for piece in windows(turn.render())]


def _queries(episode: Episode) -> list[str]:
    # some systems strip them
    return [text for question in episode.questions for text in dict.fromkeys((question.query, question.query.strip()))]


def _peak_mb() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        # what getrusage tells, a process takes over from the one that started it
        found = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(), re.MULTILINE)
        if found is not None:
            return int(found[1]) / 1_024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)


# ------------------------------------------------------------ many


class Plan(Struct, frozen=True):
    """What is to be measured. `vectors`: the file that keeps them; "" where no embedder takes part."""

    data: Path
    split: Split
    sets: tuple[str, ...]
    systems: tuple[str, ...]
    vectors: str = ""
    jobs: int = 1


def embed_all(plan: Plan) -> tuple[Embedded, Embedded]:
    """Make what the plan's systems will ask for. What it cost: (a text of a turn, a question)."""
    kept = _opened(plan.vectors)
    if kept is None:
        return Embedded(0, 0.0), Embedded(0, 0.0)
    costs = []
    for is_query in (False, True):
        kept.made, kept.made_cpu_s = 0, 0.0
        for name in plan.sets:
            episodes = load(name, plan.data, plan.split)
            texts = [text for each in episodes for text in (_queries(each) if is_query else _texts(each))]
            for first in range(0, len(texts), _EMBED_BATCH):
                kept.embed(texts[first : first + _EMBED_BATCH], is_query)
        costs.append(Embedded(kept.made, 1_000 * kept.made_cpu_s / max(1, kept.made)))
    kept.close()
    return costs[0], costs[1]


def measure_all(plan: Plan) -> Iterator[Outcome]:
    """Each system on each set, in a process of its own, so that memory is told apart; `jobs` at a time, in order."""
    wanted = [(plan, data_set, system) for data_set in plan.sets for system in plan.systems]
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(plan.jobs, mp_context=fresh, max_tasks_per_child=1) as pool:
        yield from pool.map(_measured, wanted)


def _measured(wanted: tuple[Plan, str, str]) -> Outcome:
    plan, data_set, system = wanted
    embedder = _opened(plan.vectors) if entry(system).needs_vectors else None
    return measure(data_set, load(data_set, plan.data, plan.split), system, embedder)


def _opened(vectors: str) -> KeptVectors | None:
    embedder = open_embedder("auto") if vectors else None
    return KeptVectors(embedder, vectors) if embedder is not None else None
