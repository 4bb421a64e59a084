"""The measures, on numbers small enough to check by hand."""

from __future__ import annotations

import pytest

from trimtab.cli.report import Request, alive, at_round, body_text, cached_ratio, cost, mean_ms, row
from trimtab.cli.transcript import Claim


def request(number: int, tokens: int, prefix: int = 0, raw: int = 1_000, text: str = "") -> Request:
    return Request(
        number=number, raw_tokens=raw, produced_tokens=raw - 100, tokens=tokens, prefix_tokens=prefix, ms=2.0 * number, text=text
    )


def test_cost_counts_a_repeated_prefix_at_a_tenth() -> None:
    # 100 fresh; 50 fresh + 100 cached / 10; 30 fresh + 150 cached / 10
    assert cost([request(1, 100), request(2, 150, 100), request(3, 180, 150)]) == pytest.approx(100 + 60 + 45)


def test_cost_without_a_discount_is_the_sum_of_all_tokens() -> None:
    assert cost([request(1, 100), request(2, 150, 100)], discount=1) == pytest.approx(250)


def test_cost_of_nothing_is_nothing() -> None:
    assert cost([]) == 0


def test_cached_ratio_is_the_share_of_sent_tokens() -> None:
    assert cached_ratio([request(1, 100), request(2, 300, 100)]) == pytest.approx(0.25)
    assert cached_ratio([]) == 0


def test_mean_ms() -> None:
    assert mean_ms([request(1, 1), request(2, 1)]) == pytest.approx(3.0)
    assert mean_ms([]) == 0


def test_at_round_finds_by_number() -> None:
    requests = [request(1, 10), request(2, 20)]
    assert at_round(requests, 2) is requests[1]
    assert at_round(requests, 3) is None


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["rule", "rule", "rule x"], 1),
        (["", "rule", "rule"], 1),  # not needed yet at request 1
        (["rule", "", "rule"], 0),  # gone for one request is gone
        (["rule", "rule"], 0),  # the last request was never made
        (["Rule", "Rule", "Rule"], 0),  # word for word
    ],
)
def test_a_claim_is_alive_only_if_every_prompt_that_needs_it_has_it(texts: list[str], kept: int) -> None:
    requests = [request(number, 10, text=text) for number, text in enumerate(texts, 1)]
    assert alive([Claim("rule", 1, (2, 3), "constraint")], requests) == (kept, 1)


def test_body_text_holds_every_string_once_in_order() -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "a\n金额"}]}], "n": 3, "none": None}
    assert body_text(body) == "user\ntext\na\n金额"


def test_a_row_compares_with_the_unmanaged_history() -> None:
    base = [request(n, 100 * n, 100 * (n - 1), raw=100 * n) for n in range(1, 11)]
    managed = [request(n, 100, 50 if n > 1 else 0, raw=100 * n, text="rule" if n > 4 else "") for n in range(1, 11)]
    claims = [Claim("rule", 4, (5, 10), "constraint"), Claim("fact", 1, (3, 3), "fact")]
    made = row("auto", "cache_first", managed, claims, base)
    assert made.tokens_at == {10: (100, 0.1)}
    assert made.kept_ratio == pytest.approx(100 / 900)
    assert (made.constraints, made.facts) == ((1, 1), (0, 1))
    # unmanaged: 10 x 100 fresh + (0 + 100 + ... + 900) / 10; managed: 100 + 9 x (50 + 5)
    assert made.cost_ratio == pytest.approx((100 + 9 * 55) / (1_000 + 450))
    assert made.largest_tokens == 100
    assert row("none", "-", base, claims, base).cost_ratio == 1
