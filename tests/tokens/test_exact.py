"""Counts equal those of other engines; no text raises; joints, loading and threads."""

from __future__ import annotations

import base64
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens.samples import MARKERS, SAMPLES
from trimtab.tokens import counter_for
from trimtab.tokens.families import FAMILIES
from trimtab.tokens.framing import JOINT_TOKENS

# o200k and cl100k: bpe-openai 0.1.4 and quicktok-v1 0.4.0, which agree; llama3 and qwen3: quicktok-v1 0.4.0 (2026-11)
REFERENCE = {
    "gpt-4o": {"english": 42, "chinese": 50, "code": 88, "json": 84, "mixed": 43, "markers": 32},
    "gpt-4": {"english": 43, "chinese": 67, "code": 86, "json": 83, "mixed": 58, "markers": 30},
    "llama-3.1-8b": {"english": 42, "chinese": 52, "code": 86, "json": 83, "mixed": 50, "markers": 30},
    "qwen3-8b": {"english": 43, "chinese": 38, "code": 86, "json": 97, "mixed": 49, "markers": 30},
}
EXACT_MODELS = ("gpt-4o", "gpt-4", "llama-3.1-8b", "qwen3-8b", "deepseek-chat", "glm-4.6", "kimi-k2", "gemma-3-4b", "mistral-large-latest")
ODD = ["\ud800", "a\udfffb", "\ud83d\ude00", "\x00", "\x00" * 50, "\ufeff", "\u202e" * 9, "🚀" * 30, "\U000e0041", "\uffff", "e\u0301" * 40]


@pytest.mark.parametrize("model", REFERENCE)
def test_counts_are_those_of_other_engines(model: str) -> None:
    counter = counter_for(model)
    assert counter.exact
    assert {name: counter.count_text(text) for name, text in SAMPLES.items()} == REFERENCE[model]


@pytest.mark.parametrize("model", EXACT_MODELS)
def test_control_markers_in_a_text_are_text(model: str) -> None:
    counter = counter_for(model)
    without = MARKERS.replace("<|", "").replace("|>", "")
    # five markers, each of them at least its own two brackets' worth
    assert counter.count_text(MARKERS) >= counter.count_text(without) + 5
    assert counter.count_text("<|im_start|>") >= 3


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("text", ODD)
def test_odd_unicode_is_counted(family: str, text: str) -> None:
    from trimtab.tokens import _counter_of

    counter = _counter_of(family)
    assert counter.count_text(text) >= 1
    assert counter.count_text("") == 0


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_counted(text: str) -> None:
    for model in ("gpt-4o", "gemma-3-4b", "claude-opus-4-8", "who-knows"):
        tokens = counter_for(model).count_text(text)
        assert (tokens == 0) == (text == "")


def test_a_pair_of_surrogates_counts_as_the_character_it_is() -> None:
    counter = counter_for("gpt-4o")
    assert counter.count_text("hi \ud83d\ude80") == counter.count_text("hi 🚀")


SCRIPTS = [
    *SAMPLES.values(),
    "=-" * 40,
    " " * 60,
    "392450197726529791147459960185",
    "看板上只保留最近一条",
    "\n    \n",
    "aaaaaaaaaaaa",
    "Donaudampfschifffahrt",
]
PIECES = st.sampled_from(SCRIPTS).flatmap(
    lambda text: st.tuples(st.integers(0, len(text)), st.integers(1, 60)).map(lambda cut: text[cut[0] : cut[0] + cut[1]])
)


@given(left=PIECES | st.text(max_size=30), right=PIECES | st.text(max_size=30), model=st.sampled_from(EXACT_MODELS))
def test_texts_joined_by_a_blank_line_cost_little_more_than_apart(left: str, right: str, model: str) -> None:
    count = counter_for(model).count_text
    assert count(f"{left}\n\n{right}") <= count(left) + count(right) + JOINT_TOKENS


def test_the_joint_bound_would_notice_a_counter_that_is_not_additive() -> None:
    count = counter_for("gpt-4o").count_text
    # the other way: two halves of one word cost more apart, so the bound is not vacuous
    assert count("strawberry jam") < count("strawb") + count("erry jam")
    assert count("a\n\nb") == count("a") + count("b") + 1


@pytest.mark.parametrize(
    "model", ["gpt-4o", "gpt-4", "llama-3.1-8b", "qwen3-8b", "deepseek-chat", "gemma-3-4b", "claude-opus-4-8", "who-knows"]
)
def test_a_megabyte_without_a_space_is_not_quadratic(model: str) -> None:
    counter = counter_for(model)
    counter.count_text("warm")
    blob = base64.b64encode(random.Random(2).randbytes(750_000)).decode()
    start = time.process_time()
    tokens = counter.count_text(blob)
    # measured 0.01 to 0.12 s; quadratic time would be minutes
    assert time.process_time() - start < 2
    assert 500_000 < tokens < 1_200_000


def test_importing_and_choosing_load_no_vocabulary() -> None:
    code = (
        "import trimtab.tokens as t; from trimtab.tokens.vocabulary import _loaded\n"
        "c = t.counter_for('gpt-4o'); assert not _loaded, _loaded; c.count_text('x'); assert list(_loaded) == ['o200k_base']"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr == ""


def test_threads_share_one_counter_and_agree() -> None:
    texts = [f"{text} {number}" for number in range(40) for text in SAMPLES.values()]
    count = counter_for("glm-4.6").count_text
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(count, texts))
    assert together == [count(text) for text in texts]
