"""The classifier: data and weights belong together, and plain sentences are what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from trimtab.distill.classify import LABELS, Group, Language, judge
from trimtab.distill.model import Head, model, read_model, write_model
from trimtab.distill.voices import mask
from trimtab.evals.extraction.sentences import training_digest

TRAINING = Path(__file__).parents[2] / "training/extraction"
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def groups(sentence: str, is_system: bool = False) -> list[Group]:
    return [verdict.group for verdict in judge(mask(sentence), is_system)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_weights_were_made_of_the_sentences_that_are_here(language: Language) -> None:
    assert model(language).head.digest == training_digest(TRAINING, language), "the sentences changed: run `make train`"
    assert model(language).head.labels == LABELS


@pytest.mark.parametrize("language", LANGUAGES)
def test_weights_are_small_and_can_be_read(language: Language) -> None:
    path = Path(__file__).parents[2] / f"src/trimtab/distill/weights/{language}.bin"
    assert path.stat().st_size <= 320_000, "what reading takes goes with it: 30 ms on a quiet machine"
    assert read_model(path.read_bytes()).head.language == language


def test_what_is_written_is_read_back() -> None:
    head = Head("en", ("none", "constraint"), (0.5, -0.5), 0.25, 400, "d")
    read = read_model(write_model(head, {"a": ([-3, 3], 100), ("b", "c"): ([1, -1], 400), ("S",): ([2, 2], 1)}))
    assert read.head == head
    # two features of squared length 1 + 4; the labels differ by twice the bias and the weights
    found = read.probabilities(read.weight(["a", ("b", "c")]))
    assert found["constraint"] == pytest.approx(1 / (1 + 2.718281828 ** (1 - 0.25 * 4 / 5**0.5)), rel=1e-6)
    assert read.weight(["unknown"]) == read.weight([("x", "y")]) != 0


@pytest.mark.parametrize(
    "sentence",
    [
        "Never touch the billing table.",
        "Do not include internal links in the mail.",
        "You must always run the linter before you commit.",
        "No emojis, please.",
        "Answer only in French.",
        "All amounts must be in euros.",
        "Make sure the hotel has a lift.",
        "aisle seats only",
        "shellfish is out",
        "keep it under 100 words",
        "if the amount exceeds 10,000, never approve it automatically",
        "不要修改数据库结构。",
        "请务必先备份再升级。",
        "回答一律用中文。",
        "总花费控制在八千以内",
        "周末谁都不许发版",
    ],
)
def test_rules_are_rules(sentence: str) -> None:
    assert groups(sentence) == ["rule"]


@pytest.mark.parametrize(
    "sentence",
    [
        "I never made bread before.",
        "It must have been the cache.",
        "The log says: you must restart the server.",
        "The table has four columns.",
        "My kids loved the puppet show.",
        "Your garden looks wonderful this year.",
        "Contract freight transit figure line transit account line shipment.",
        "thanks, that's perfect",
        "我从来没去过敦煌。",
        "一定是缓存的问题。",
        "手册上写着：必须重启。",
        "那家店的环境特别好。",
        "谢谢，没有别的问题了。",
        "表格里有四列。",
    ],
)
def test_ordinary_sentences_are_nothing(sentence: str) -> None:
    assert "rule" not in groups(sentence)


@pytest.mark.parametrize("sentence", ["Let's go with option B.", "yes, book the second one", "就用第二个方案。", "好，订周二那班。"])
def test_choices_are_decisions(sentence: str) -> None:
    assert groups(sentence) == ["decision"]


def test_the_empty_and_the_endless_say_nothing() -> None:
    assert judge("", False) == [] and judge("\x01" * 40, False) == []
    assert judge("never do it " * 200, False) == []
