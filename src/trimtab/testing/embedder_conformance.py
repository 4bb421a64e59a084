"""What every `Embedder` must do, as a suite for pytest.

class TestMyEmbedder(EmbedderConformance):
    def make_embedder(self):
        return MyEmbedder(...)       # what `open_embedder` would give
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from trimtab.recall.embedders import Embedder

TEXTS = (
    "When is the annual fee of the card charged?",
    "年费什么时候扣？",
    "x",
    "Ship order CT-88213 to 4 Elm Street, and bill 1,200 EUR.",
    "def read(path):\n    return open(path).read()\n",
    "The meeting moved to Thursday because the room was taken. " * 12,
)
ODD_TEXTS = ("", " \n\t", "\x00", "\ud800 half a pair \udfff", "👩‍👩‍👧‍👦", "e\u0301" * 300, "a" * 5_000, "\ufffd\ufffe\uffff", "<s></s>")


def numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 2}e", vector)


def similarity(left: bytes, right: bytes) -> float:
    return math.fsum(a * b for a, b in zip(numbers(left), numbers(right), strict=True))


class EmbedderConformance:
    """Contracts that need one embedder, opened anew for each test."""

    def make_embedder(self) -> Embedder:
        """A new embedder, always of the same id."""
        raise NotImplementedError

    def check(self, embedder: Embedder, vectors: Sequence[bytes], count: int) -> None:
        """Each is of the right size, finite, and of unit length."""
        assert len(vectors) == count
        for vector in vectors:
            assert type(vector) is bytes
            assert len(vector) == 2 * embedder.dimension
            assert all(map(math.isfinite, numbers(vector)))
            assert abs(similarity(vector, vector) - 1) < 0.01

    def test_its_id_is_the_same_each_time_and_names_the_dimension(self) -> None:
        first, second = self.make_embedder(), self.make_embedder()
        assert first.embedder_id == second.embedder_id
        assert str(first.dimension) in first.embedder_id
        assert first.embedder_id.isprintable() and first.embedder_id.strip() == first.embedder_id != ""

    def test_each_text_gets_one_vector_of_unit_length(self) -> None:
        embedder = self.make_embedder()
        self.check(embedder, embedder.embed(TEXTS), len(TEXTS))
        self.check(embedder, embedder.embed(TEXTS, query=True), len(TEXTS))

    def test_no_texts_give_no_vectors(self) -> None:
        assert self.make_embedder().embed([]) == []

    def test_odd_texts_are_accepted(self) -> None:
        embedder = self.make_embedder()
        self.check(embedder, embedder.embed(ODD_TEXTS), len(ODD_TEXTS))

    def test_a_text_of_a_megabyte_is_accepted(self) -> None:
        embedder = self.make_embedder()
        self.check(embedder, embedder.embed(["word " * 200_000, "字" * 350_000]), 2)

    def test_the_same_text_gives_the_same_bytes_alone_and_among_others(self) -> None:
        embedder = self.make_embedder()
        together = embedder.embed(TEXTS)
        assert [embedder.embed([text])[0] for text in TEXTS] == together
        assert embedder.embed(TEXTS[::-1])[::-1] == together

    def test_another_one_of_the_same_id_gives_the_same_bytes(self) -> None:
        assert self.make_embedder().embed(TEXTS) == self.make_embedder().embed(TEXTS)

    def test_different_texts_differ(self) -> None:
        assert len(set(self.make_embedder().embed(TEXTS))) == len(TEXTS)

    def test_a_question_is_nearest_to_the_text_that_shares_its_words(self) -> None:
        embedder = self.make_embedder()
        stored = embedder.embed([TEXTS[0], TEXTS[3], TEXTS[4]])
        (asked,) = embedder.embed(["which street does the order ship to"], query=True)
        scores = [similarity(asked, vector) for vector in stored]
        assert scores.index(max(scores)) == 1

    def test_several_threads_may_call_it_at_once(self) -> None:
        embedder = self.make_embedder()
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda turn: embedder.embed(TEXTS, query=turn % 2 == 1), range(8)))
        assert all(answer == answers[turn % 2] for turn, answer in enumerate(answers))
