"""What an answer shows of something long, and how it says where the rest is."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from trimtab.tokens import counter_for
from trimtab.tools.paging import chars_rest, fit_text, page

count = counter_for("gpt-5").count_text


def test_short_text_is_whole() -> None:
    assert fit_text("short", 200, count, lambda chars: "never") == "short"


def test_long_text_says_how_to_go_on_and_the_pages_join() -> None:
    text = "".join(f"Sentence {number} has its own number. " for number in range(2_000))
    read, at = "", 0
    while at < len(text):
        shown = fit_text(text[at:], 1_500, count, lambda chars, at=at: chars_rest(at, chars, len(text)))  # type: ignore[misc]
        assert count(shown) <= 1_500
        found = re.search(r"\n\[chars (\d+)\.\.(\d+) of [\d,]+; ask for chars \[(\d+), (\d+)\]\]$", shown)
        if found is None:
            read += shown
            break
        assert (int(found[1]), int(found[3])) == (at, int(found[2]))
        read += shown[: found.start()]
        at = int(found[2])
    assert read == text


def test_rows_say_how_to_go_on() -> None:
    lines = [f'{{"id":{number},"name":"row {number}"}}' for number in range(1, 301)]
    shown = page(lines, None, 400, count)
    found = re.search(r"\[rows 1\.\.(\d+) of 300; ask for rows \[(\d+), (\d+)\]\]$", shown)
    assert found is not None
    last = int(found[1])
    assert (int(found[2]), int(found[3])) == (last + 1, 2 * last)
    assert shown.splitlines()[:-1] == lines[:last]
    assert page(lines, (299, 300), 400, count).splitlines() == lines[298:]
    assert page(lines, (290, 900), 400, count).splitlines() == lines[289:]
    assert "there are 300 rows" in page(lines, (301, 310), 400, count)
    assert page([], None, 400, count) == ""


@given(st.lists(st.text(max_size=400), max_size=40), st.integers(200, 400), st.integers(0, 60), st.integers(0, 60))
def test_no_page_is_longer_than_asked(lines: list[str], max_tokens: int, first: int, more: int) -> None:
    assert count(page(lines, (first, first + more), max_tokens, count)) <= max_tokens
    assert count(fit_text("".join(lines), max_tokens, count, lambda chars: chars_rest(0, chars, 1))) <= max_tokens
