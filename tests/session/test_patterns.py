"""Patterns of a schema are matched as Python's own engine matches them, in time that is linear in the text."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trimtab.session.patterns import Unbounded, Work, found, pattern_problem

ATOMS = ["a", "b", r"\d", r"\w", r"\W", r"\s", "[ab]", "[^a]", "[a-c1]", "[]a]", ".", r"\.", r"\x61", "-", "{", r"\b", r"\B", "^", "$"]
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{1,}", "{,2}", "*?", "+?"]


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({}|{})".format, inner, inner),
        st.builds("(?:{}){}".format, inner, st.sampled_from(REPEATS)),
        st.builds("{}{}".format, st.sampled_from(ATOMS), st.sampled_from(REPEATS)),
        st.builds("{}{}".format, inner, inner),
        st.builds("{}|{}".format, inner, inner),
    )


PATTERNS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "^", "^(?=.*a)", "^(?!b)", "(?i)"]),
    st.recursive(st.sampled_from(ATOMS), grown, max_leaves=8),
    st.sampled_from(["", "$"]),
)


@given(PATTERNS, st.text("aAbc1 .-{\n_é", max_size=8))
def test_a_match_is_what_the_engine_of_python_finds(pattern: str, text: str) -> None:
    try:
        own = re.compile(pattern)
    except re.error:
        assume(False)
    assume(not pattern_problem(pattern))
    assert found(pattern, text, Work()) is (own.search(text) is not None)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 5_000 + "b"),
        ("(a|aa)+$", "a" * 5_000 + "b"),
        ("(.*)(.*)(.*)(.*)x", "a" * 5_000),
        (r"^\w+([-.]\w+)*@\w+([-.]\w+)*$", "a." * 5_000),
        (r"\s+$", " " * 50_000 + "x"),
        ("(x+x+)+y", "x" * 5_000),
        ("^(a?){60}a{60}$", "a" * 59),
    ],
)
def test_what_keeps_other_engines_busy_for_years_takes_no_second(pattern: str, text: str) -> None:
    started = process_time()
    assert not found(pattern, text, Work())
    assert process_time() - started < 10


def test_what_is_matched_in_too_many_ways_is_given_up() -> None:
    started = process_time()
    with pytest.raises(Unbounded, match="takes too long on this product"):
        found(".{0,900}x", "".join(chr(0x4E00 + n % 5_000) for n in range(50_000)), Work())
    assert process_time() - started < 20


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"(a)\1", "refers back"),
        ("(?<=a)b", "of which no time can be told"),
        ("a(?=b)", "of which no time can be told"),
        ("^(?=a)*b", "repeats a look-ahead"),
        ("^(?=a)b|c", "looks ahead in one of several choices"),
        ("(?:a|b{3000})", "has more than 2,000 places"),
        ("((a{50}){50}){50}", "has more than 2,000 places"),
        ("(a", "is no regular expression"),
        ("(" * 3_000 + ")" * 3_000, "is nested too deep"),
    ],
)
def test_what_has_no_bound_is_told(pattern: str, said: str) -> None:
    assert said in pattern_problem(pattern)
