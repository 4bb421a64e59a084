"""A detector of another package is taken up by its entry point; one that cannot look says so before anything is looked at."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.session.cases import opened, reply, settings, user
from trimtab import Step
from trimtab import steer as course
from trimtab.errors import ConfigError
from trimtab.settings import DETECTORS, Steering
from trimtab.steer import detectors_for

SHOUTING = """
from trimtab.steer.seen import Found

class Shouting:
    name, kind = "shouting", "format_lost"

    def look(self, acts, view):
        return [Found("format_lost", "it is shouted", (view.reply_seq,))] if view.reply.isupper() else []

class Mute:
    name, kind = "mute", "looping"

class Strange:
    name, kind = "strange", "boredom"

    def look(self, acts, view):
        return []

class Named(Strange):
    name, kind = "loops", "looping"

class Needing(Strange):
    def __init__(self, model):
        self.model = model
"""


@pytest.fixture(autouse=True)
def _looked_for_anew() -> Iterator[None]:
    course._all.cache_clear()
    yield
    course._all.cache_clear()
    sys.modules.pop("shouting_detector", None)


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """A package with this entry point, as an installer leaves it."""
    about = folder / "shouting-1.0.dist-info"
    about.mkdir()
    (folder / "shouting_detector.py").write_text(SHOUTING, "utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text(f"[{course.ENTRY_POINT_GROUP}]\nshouting = {value}\n", "utf-8")
    monkeypatch.syspath_prepend(str(folder))


def test_an_installed_detector_raises_flags_beside_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "shouting_detector:Shouting")
    ours = len(course._BUILT_IN)
    assert [detector.name for detector in detectors_for(DETECTORS)][ours:] == ["shouting"]
    assert "shouting" not in [detector.name for detector in detectors_for(["looping"])]
    with opened(settings=settings(steering=Steering())) as session:
        session.task("Report on the leads", [Step("fetch")]).begin()
        session.record(user("Go."), reply("I look for leads."))
        assert session.flags() == ()
        session.record(user("And?"), reply("THERE ARE NONE."))
        assert [(flag.detector, flag.kind, flag.text) for flag in session.flags()] == [("shouting", "format_lost", "it is shouted")]
        assert "it is shouted" in str(session.prompt().render())


def test_its_kind_switches_it_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "shouting_detector:Shouting")
    with opened(settings=settings(steering=Steering(detectors=("looping",)))) as session:
        session.task("Report on the leads", [Step("fetch")]).begin()
        session.record(user("Go."), reply("THERE ARE NONE."))
        assert session.flags() == ()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("no_such_package:Detector", "cannot be made: No module named 'no_such_package'"),
        ("shouting_detector:Absent", "cannot be made: module 'shouting_detector' has no attribute 'Absent'"),
        ("shouting_detector:Needing", "cannot be made: .*missing 1 required positional argument: 'model'"),
        ("shouting_detector:Mute", "is a Mute; a detector has name, kind and look"),
        ("shouting_detector:Strange", "is of the kind 'boredom'; it must be one of looping, tunnel"),
        ("shouting_detector:Named", "is named 'loops' as another one is"),
    ],
)
def test_a_broken_one_says_what_it_is_and_whose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, said: str) -> None:
    install(tmp_path, monkeypatch, value)
    with pytest.raises(ConfigError, match=said) as raised:
        detectors_for(DETECTORS)
    assert f"'shouting' ({value}, entry point of shouting)" in str(raised.value)
