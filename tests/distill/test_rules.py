"""Labelled sentences of many domains, and a second list with measured floors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trimtab.core.messages import Message, Role, Text
from trimtab.core.summary import PINNED_FIELDS
from trimtab.distill import extract

RULES = PINNED_FIELDS | {"preference"}


def labelled(name: str) -> Iterator[tuple[str, str]]:
    for line in Path(__file__).with_name(name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            label, _, sentence = line.partition("\t")
            yield label, sentence


def rule_items(text: str, role: Role = "user") -> list[tuple[str, str]]:
    message = Message(role=role, parts=(Text(text),), wire_format="openai_chat", wire=b"{}")
    return [(item.field, item.text) for item in extract(message, 7, (), {}).added if item.field in RULES]


@pytest.mark.parametrize(("label", "sentence"), [*labelled("labelled_en.txt"), *labelled("labelled_zh.txt")])
def test_a_sentence_gives_its_item_word_for_word_or_none(label: str, sentence: str) -> None:
    found = rule_items(sentence)
    if label == "-":
        assert found == []
    else:
        assert [text for _, text in found] == [sentence]
        assert found[0][0] in label.split("|")


@pytest.mark.parametrize(("label", "sentence"), [*labelled("labelled_en.txt"), *labelled("labelled_zh.txt")])
def test_the_same_words_of_the_assistant_give_no_rule(label: str, sentence: str) -> None:
    assert rule_items(sentence, "assistant") == []


@pytest.mark.parametrize(
    ("name", "precision_floor", "recall_floor"),
    [("heldout_en.txt", 0.97, 0.94), ("heldout_zh.txt", 0.97, 0.96)],
)
def test_a_list_that_was_written_before_the_rules_is_recognized(name: str, precision_floor: float, recall_floor: float) -> None:
    rows = [(label, rule_items(sentence)) for label, sentence in labelled(name)]
    right = sum(1 for label, found in rows if label != "-" and found)
    wrong = [found for label, found in rows if label == "-" and found]
    wanted = sum(1 for label, _ in rows if label != "-")
    assert wanted >= 50
    assert right / (right + len(wrong)) >= precision_floor
    assert right / wanted >= recall_floor
