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


# of the labelled sentences this share must come out exactly: whole, and of the right field. What the classifier takes
# otherwise is one sentence in twenty: "Patients under 12 must never receive aspirin." is read as a fact
LEAST_EXACT_RATIO = 0.94


def is_exact(label: str, sentence: str) -> bool:
    found = rule_items(sentence)
    return found == [] if label == "-" else len(found) == 1 and found[0][1] == sentence and found[0][0] in label.split("|")


@pytest.mark.parametrize("name", ["labelled_en.txt", "labelled_zh.txt"])
def test_sentences_give_their_items_word_for_word_or_none(name: str) -> None:
    rows = list(labelled(name))
    wrong = [(label, sentence, rule_items(sentence)) for label, sentence in rows if not is_exact(label, sentence)]
    assert len(rows) > 80 and len(wrong) <= (1 - LEAST_EXACT_RATIO) * len(rows), wrong


@pytest.mark.parametrize(("label", "sentence"), [*labelled("labelled_en.txt"), *labelled("labelled_zh.txt")])
def test_the_same_words_of_the_assistant_give_no_rule(label: str, sentence: str) -> None:
    assert rule_items(sentence, "assistant") == []


@pytest.mark.parametrize(
    ("name", "precision_floor", "recall_floor"),
    [("heldout_en.txt", 0.97, 0.94), ("heldout_zh.txt", 0.97, 0.94)],
)
def test_a_list_that_was_written_before_the_rules_is_recognized(name: str, precision_floor: float, recall_floor: float) -> None:
    rows = [(label, rule_items(sentence)) for label, sentence in labelled(name)]
    right = sum(1 for label, found in rows if label != "-" and found)
    wrong = [found for label, found in rows if label == "-" and found]
    wanted = sum(1 for label, _ in rows if label != "-")
    assert wanted >= 50
    assert right / (right + len(wrong)) >= precision_floor
    assert right / wanted >= recall_floor
