"""Headers travel on as they came, but for those of one hop, those that are made anew, and ours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trimtab.gateway.forwarding import sent_back, sent_on
from trimtab.gateway.tenants import NO_KEY, key_of, tenant_of

SECRET = b"0123456789abcdef"
NAMES = st.sampled_from(["Anthropic-Beta", "X-Other", "Connection", "Host", "Content-Length", "TE", "x-trimtab-session", "Accept"])


def test_what_is_of_one_hop_stays_and_all_else_goes() -> None:
    rows = [
        ("Host", "127.0.0.1"),
        ("Connection", "keep-alive, X-Mine"),
        ("X-Mine", "1"),
        ("anthropic-beta", "a,b"),
        ("Content-Length", "3"),
        ("Accept-Encoding", "gzip"),
        ("X-Trimtab-Session", "s"),
        ("Authorization", "Bearer k"),
    ]
    assert sent_on(rows) == [("anthropic-beta", "a,b"), ("Authorization", "Bearer k")]


def test_a_reply_gets_ours_and_no_one_elses_of_that_name() -> None:
    rows = [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked"), ("X-Trimtab-Session", "forged"), ("request-id", "r")]
    own = [("x-trimtab-session", "s")]
    assert sent_back(rows, own) == [("Content-Type", "text/event-stream"), ("request-id", "r"), ("x-trimtab-session", "s")]


@given(st.lists(st.tuples(NAMES, st.text(max_size=8))))
def test_order_and_case_are_kept_and_nothing_is_made_up(rows: list[tuple[str, str]]) -> None:
    for made in (sent_on(rows), sent_back(rows)):
        left = iter(rows)
        assert all(row in left for row in made), "a subsequence"
        assert not any(name.lower() in ("connection", "host", "content-length", "te") for name, _ in made)


def test_a_tenant_is_known_by_its_key_and_nothing_else() -> None:
    keys = [{"authorization": "Bearer k1"}, {"x-api-key": "k1"}, {"api-key": "k1"}, {"authorization": "bearer  k1 "}]
    assert {key_of(headers) for headers in keys} == {"k1"}
    assert len({tenant_of(headers, SECRET) for headers in keys}) == 1
    assert tenant_of({"x-api-key": "k2"}, SECRET) != tenant_of(keys[0], SECRET) != tenant_of(keys[0], b"another-secret-16")
    long = "sk-" + "secret" * 8
    assert not any(long[at : at + 6] in tenant_of({"x-api-key": long}, SECRET) for at in range(len(long) - 5))
    assert tenant_of({}, SECRET) == tenant_of({"authorization": "Basic abc"}, SECRET) == NO_KEY
