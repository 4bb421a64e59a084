"""The conformance suite of embedders: ours pass it, and it finds what is wrong with others."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence

import pytest

from trimtab.recall.embedders import Embedder
from trimtab.testing.embedder_conformance import EmbedderConformance, similarity
from trimtab.testing.embedders import WordsEmbedder


class TestWords(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return WordsEmbedder(128)


def test_similarity_is_the_share_of_common_words() -> None:
    embedder = WordsEmbedder(512, synonyms={"vehicl": "car"})
    car, vehicle, soup = embedder.embed(["blue car", "blue vehicle", "onion soup"])
    assert car == vehicle
    assert abs(similarity(car, soup)) < 0.25
    assert embedder.calls == [(("blue car", "blue vehicle", "onion soup"), False)]


class Long(WordsEmbedder):
    """Not of unit length."""

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        return [struct.pack("<64e", *[1.0] * 63, len(text) % 99) for text in texts]


class ByPlace(WordsEmbedder):
    """The same text among others is another vector."""

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        return super().embed([f"{text} {place}" for place, text in enumerate(texts)], query)


class Strict(WordsEmbedder):
    """Cannot read lone surrogates."""

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        for text in texts:
            text.encode()
        return super().embed(texts, query)


class Seeded(WordsEmbedder):
    """Another model at each start."""

    def __init__(self) -> None:
        super().__init__()
        self._salt = random.random()

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        return super().embed([f"{text} {self._salt}" for text in texts], query)


class Constant(WordsEmbedder):
    """Reads nothing."""

    def embed(self, texts: Sequence[str], query: bool = False) -> list[bytes]:
        return super().embed(["nothing"] * len(texts), query)


WRONG: list[tuple[Callable[[], Embedder], str]] = [
    (Long, "test_each_text_gets_one_vector_of_unit_length"),
    (ByPlace, "test_the_same_text_gives_the_same_bytes_alone_and_among_others"),
    (Strict, "test_odd_texts_are_accepted"),
    (Seeded, "test_another_one_of_the_same_id_gives_the_same_bytes"),
    (Constant, "test_different_texts_differ"),
    (Constant, "test_a_question_is_nearest_to_the_text_that_shares_its_words"),
]


@pytest.mark.parametrize(("kind", "contract"), WRONG)
def test_the_suite_finds_what_is_wrong(kind: Callable[[], Embedder], contract: str) -> None:
    suite = EmbedderConformance()
    suite.make_embedder = kind  # type: ignore[method-assign]
    with pytest.raises((AssertionError, UnicodeEncodeError)):
        getattr(suite, contract)()
