"""What was learned of kinds: that it completes the cues, is small and quick, and leaves alone what it does not know."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.recall.intents import GIVEN_KINDS, cue_weights, given_kinds
from trimtab.recall.intents_learned import (
    MOST_WORDS,
    NOTHING,
    Head,
    Language,
    completed,
    features,
    language_of,
    learned,
    read_learned,
    write_learned,
)

ROOT = Path(__file__).parents[2]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
CHOSEN = {"en": ("en_cloud", "en_phone", "en_wallet"), "zh": ("zh_logistics", "zh_phone", "zh_wallet")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_weights_were_made_of_the_sentences_that_are_here(language: Language) -> None:
    paths = [*sorted((ROOT / "training/kinds").glob(f"train_{language}_*.txt"))]
    paths += [ROOT / f"tests/recall/confusable/{name}.txt" for name in CHOSEN[language]]
    digest = hashlib.sha256("".join(path.read_text("utf-8") for path in paths).encode()).hexdigest()
    head = learned(language).head
    assert head.digest == digest, "the sentences changed: run `make train`"
    assert head.language == language
    assert {*GIVEN_KINDS, NOTHING} >= set(head.labels)


@pytest.mark.parametrize("language", LANGUAGES)
def test_weights_are_small_and_can_be_read(language: Language) -> None:
    content = (ROOT / f"src/trimtab/recall/weights/kinds_{language}.bin").read_bytes()
    assert len(content) <= 60_000, "what reading takes goes with it: 5 ms on a quiet machine"
    read_learned(content)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The hinge had rusted, so the gate came off.", "gives_reason"),
        ("They took 56 off my card.", "gives_amount"),
        ("Then let's take the green one and be done with it.", "decision"),
        ("I tore the old label off and taped a new one on the box.", "done"),
        ("门锁坏了，所以关不上。", "gives_reason"),
        ("旧桌子早上抬走了。", "done"),
        ("那就绿的，别再想了。", "decision"),
    ],
)
def test_what_a_short_turn_is_mainly_about(text: str, kind: str) -> None:
    assert given_kinds(text)[0] == kind


def test_small_talk_without_a_cue_gives_nothing() -> None:
    for text in ("Thanks a lot, that helps.", "Hello, me again.", "Good morning to all of you.", "I love that song.", "哈哈，好的。"):
        assert given_kinds(text) == []


def test_a_long_text_keeps_what_the_cues_found() -> None:
    words = ["we", "paid", "#", "dollars", "."] * (MOST_WORDS // 5 + 1)
    assert completed(["limit"], [words], {}) == ["limit"]
    assert completed(["limit"], [], {}) == ["limit"]
    assert completed([], [["the", "belt", "had", "worn", "through", "."]], {}) == []


def test_a_kind_that_was_not_learned_stays_first() -> None:
    assert given_kinds("The result of the test was a score of 4.")[0] == "gives_result"


def test_the_language_is_that_of_most_words() -> None:
    assert language_of([["the", "card", "卡"]]) == "zh"
    assert language_of([["the", "visa", "card", "卡"]]) == "en"


def test_a_file_is_read_as_it_was_written() -> None:
    head = Head("en", ("done", "limit", NOTHING), (0.0, 0.5, -0.5), 0.01, {"limit": (-1.0, 2.0, 0.0)}, "x")
    read = read_learned(write_learned(head, {"wleft": [300, -200, 0], "bone more": [-1, 7, 2]}))
    assert read.head == head
    done = read.probabilities(["wleft"], {})
    assert max(done, key=lambda label: done[label]) == "done"
    assert sum(done.values()) == pytest.approx(1.0)
    assert read.probabilities(["wleft"], {"limit": 6.0})["limit"] > done["limit"]
    assert read.probabilities(["unknown"], {"other": 3.0}) == pytest.approx(read.probabilities([], {}))


@given(st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_any_text_gives_known_kinds_each_once(text: str) -> None:
    kinds = given_kinds(text)
    assert len(kinds) == len(set(kinds)) <= 4
    assert set(kinds) <= set(GIVEN_KINDS)


def test_it_takes_less_than_a_third_of_a_millisecond_a_turn() -> None:
    text = "I moved the card to the other account on the third, and they took twelve dollars off it for the change."
    sentences, cues = cue_weights(text)
    best = min(_seconds(sentences, cues) for _ in range(5))
    assert best < 0.003, "0.2 ms on a quiet machine"


def _seconds(sentences: list[list[str]], cues: dict[str, float]) -> float:
    started = time.process_time()
    for _ in range(50):
        learned("en").probabilities(features(sentences, "en"), cues)
    return (time.process_time() - started) / 50
