"""Inner windows: exact slices, bounded in number and size, at sentence borders where one is near."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.recall.windows import MOST_WINDOWS, window_spans, windows

ENGLISH = "The card has an annual fee. It is charged in March! Why was it charged twice? "
CHINESE = "这张卡有年费。三月扣款！为什么扣了两次？"


@pytest.mark.parametrize("text", ["", " ", "one", "two words", ENGLISH * 8, CHINESE * 10, "word " * 160, "字" * 220])
def test_a_short_text_is_its_own_window(text: str) -> None:
    assert windows(text) == [text]


@pytest.mark.parametrize(("text", "most"), [(ENGLISH * 60, 160), (CHINESE * 60, 220), ("word " * 900, 160), ("字" * 2_000, 220)])
def test_a_long_text_is_cut_into_windows_that_overlap(text: str, most: int) -> None:
    spans = window_spans(text)
    assert len(spans) > 3
    assert spans[0][0] == 0 and spans[-1][1] == len(text)
    for (start, end), (following, following_end) in pairwise(spans):
        assert start < following < end < following_end
    sizes = [len(window.split()) if window.isascii() else len(window) for window in windows(text)]
    assert max(sizes) <= most
    assert min(sizes[:-1]) > most // 2


@pytest.mark.parametrize("text", [ENGLISH * 60, CHINESE * 60])
def test_windows_begin_and_end_with_sentences(text: str) -> None:
    found = windows(text)
    assert all(window.rstrip()[-1] in ".!?。！？" for window in found)
    assert all(window.lstrip()[0] in "TIW这三为" for window in found)


@pytest.mark.parametrize("text", ["word " * 70_000, "字" * 350_000, ENGLISH * 5_000, "QUJD" * 90_000, "\n" * 350_000 + "x"])
def test_a_huge_text_gets_a_bounded_number_spread_over_it(text: str) -> None:
    spans = window_spans(text)
    assert len(spans) <= MOST_WINDOWS
    assert spans[0][0] == 0 and spans[-1][1] == len(text)
    if len(spans) > 1:
        gaps = [right[0] - left[0] for left, right in pairwise(spans)]
        assert max(gaps) < 1.3 * len(text) / MOST_WINDOWS
        assert all(end - start <= 4_000 for start, end in spans)


def test_the_time_does_not_grow_with_the_length() -> None:
    def seconds(text: str) -> float:
        begun = time.process_time()
        window_spans(text)
        return time.process_time() - begun

    small, large = ENGLISH * 500, ENGLISH * 50_000
    # a hundred times the text: work in proportion to it would be far beyond the bound
    assert min(seconds(large) for _ in range(5)) < 10 * min(seconds(small) for _ in range(5)) + 0.01


PIECES = st.sampled_from(["word", " ", "\n", ".", "。", "字", "\u3000", "👍", "\ud800", "a" * 50, "\x00", "e\u0301", ENGLISH, CHINESE])


@given(st.lists(PIECES, max_size=400).map("".join))
def test_windows_are_slices_in_order_that_leave_nothing_out(text: str) -> None:
    spans = window_spans(text)
    assert windows(text) == [text[start:end] for start, end in spans]
    assert 1 <= len(spans) <= MOST_WINDOWS
    assert spans[0][0] == 0 and spans[-1][1] == len(text)
    assert all(start < end for start, end in spans) or text == ""
    assert all(left[0] < right[0] and left[1] <= right[1] for left, right in pairwise(spans))
    if len(spans) < MOST_WINDOWS:
        assert all(right[0] <= left[1] for left, right in pairwise(spans))
