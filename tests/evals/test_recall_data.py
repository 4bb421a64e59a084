"""The data sets are read as the shared harness reads them, and the floors hold on the quick ones."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from msgspec.structs import replace

from trimtab.errors import BadSetting
from trimtab.evals.recall.compare import verdicts
from trimtab.evals.recall.prompts import evenly
from trimtab.evals.recall.run import measure
from trimtab.evals.recall.sets import SETS, load
from trimtab.evals.recall.vectors import KeptVectors
from trimtab.recall.embedders import open_embedder

pytestmark = pytest.mark.data

# (episodes, turns, questions, of the tune split)
COUNTS = {
    "locomo": (5, 2_760, 997, 2),
    "realtalk": (5, 3_309, 358, 2),
    "realmem": (4, 5_777, 538, 2),
    "beam-100K": (10, 2_432, 179, 4),
    "memdaily-x20": (600, 112_224, 600, 200),
    "madial-zh": (1, 171, 80, 0),
    "madial-en": (1, 160, 80, 0),
}


@pytest.fixture(scope="module")
def harness(data_dir: Path) -> Iterator[ModuleType]:
    """The loaders of the shared harness."""
    path = data_dir.parent / "eval" / "datasets.py"
    if not path.is_file():
        pytest.skip(f"the shared harness is not beside the data sets: {path}")
    before = os.environ.get("BENCH_DATA")
    os.environ["BENCH_DATA"] = str(data_dir)
    spec = importlib.util.spec_from_file_location("shared_datasets", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setitem(sys.modules, "shared_datasets", module)
        spec.loader.exec_module(module)
        yield module
    os.environ.pop("BENCH_DATA") if before is None else os.environ.update(BENCH_DATA=before)


# the harness leaves the files it reads to the garbage collector
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", SETS)
def test_sets_are_read_as_the_harness_reads_them(name: str, data_dir: Path, harness: ModuleType) -> None:
    mine, theirs = load(name, data_dir), harness.load(name)
    assert [(episode.id, episode.language) for episode in mine] == [(episode.id, episode.lang) for episode in theirs]
    for one, other in zip(mine, theirs, strict=True):
        assert [(t.id, t.session, t.role, t.speaker, t.time, t.text) for t in one.turns] == [
            (t.id, t.session, t.role, t.speaker, t.time, t.text) for t in other.turns
        ]
        assert [(q.id, q.category, q.query, q.gold, q.upto) for q in one.questions] == [
            (q.id, q.category, q.query, q.gold, q.upto) for q in other.questions
        ]


@pytest.mark.parametrize("name", SETS)
def test_the_splits_are_those_of_the_data(name: str, data_dir: Path) -> None:
    episodes = load(name, data_dir)
    turns, questions = (sum(len(part) for part in parts) for parts in zip(*((e.turns, e.questions) for e in episodes), strict=True))
    assert (len(episodes), turns, questions, sum(episode.is_tuned_on for episode in episodes)) == COUNTS[name]


def test_what_is_not_there_is_named(data_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="one of: locomo"):
        load("nonsense", data_dir)
    with pytest.raises(BadSetting, match="locomo10"):
        load("locomo", tmp_path)
    with pytest.raises(BadSetting, match="conversations of the split"):
        load("realmem", tmp_path)


@pytest.fixture(scope="module")
def kept() -> Iterator[KeptVectors]:
    embedder = open_embedder("auto")
    if embedder is None:
        pytest.skip("no embedder is installed")
    vectors = KeptVectors(embedder, ":memory:")
    yield vectors
    vectors.close()


@pytest.mark.parametrize("name", ["madial-zh", "madial-en", "locomo"])
def test_the_floors_hold(name: str, data_dir: Path, kept: KeptVectors) -> None:
    """60 questions of a talk of LoCoMo, and both languages of MADial; `trimtab eval recall --check` measures the rest."""
    episode = load(name, data_dir, "report")[0]
    asked = episode.questions if name.startswith("madial") else evenly(episode.questions, 60)
    found = verdicts([measure(name, [replace(episode, questions=asked)], system, kept) for system in ("f1", "f2", "product")])
    assert [verdict for verdict in found if not verdict.holds] == []
