"""What all tests share: hypothesis profiles (profiles.py) and the way to the shared data sets."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from tests import profiles  # noqa: F401  (loads the hypothesis profile before any test module is read)
from trimtab.recall.embedders import open_embedder
from trimtab.session import base

ROOT = Path(__file__).resolve().parent.parent
DATA_REQUIRED = os.environ.get("TRIMTAB_REQUIRE_DATA") == "1"


def find_data() -> Path | None:
    """The folder of the shared data sets: TRIMTAB_DATA, else `../shared/data` beside the repository, else None."""
    named = os.environ.get("TRIMTAB_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_dir() -> Path:
    folder = find_data()
    if folder is None:
        pytest.skip("the shared data sets are not here: set TRIMTAB_DATA to their folder")
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where the data sets must be there (TRIMTAB_REQUIRE_DATA=1), a test that reads them may not skip."""
    report = yield
    reads_data = item.get_closest_marker("data") is not None or "data_dir" in getattr(item, "fixturenames", ())
    if DATA_REQUIRED and reads_data and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} skipped, but TRIMTAB_REQUIRE_DATA=1: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def no_model_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions recall by words unless a test names an embedder in its settings: the weights of the default one are large."""
    monkeypatch.setattr(base, "open_embedder", lambda name: None if name == "auto" else open_embedder(name))
