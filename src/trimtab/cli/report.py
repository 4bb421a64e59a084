"""The measures of a run: what prompts cost, what of the history they hold, what survived. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from trimtab.cli.transcript import Claim

# price of a cached prefix token against a fresh one; a tenth is what OpenAI and Anthropic charge (2026)
CACHE_DISCOUNT = 10.0


class Request(Struct, frozen=True, kw_only=True):
    """One request as it was made.

    Attributes:
        number: 1, 2, 3 ...
        raw_tokens: what the whole unmanaged request would have been, instructions and tools included.
        produced_tokens: of those, what users, tools and the model have produced, without instructions and tools.
        tokens: of the prompt that was made, tools included.
        prefix_tokens: of those, the ones that the prompt before began with as well; 0 at the first.
        budget_tokens: what the prompt was allowed; 0 for a baseline, which has no budget.
        ms: wall time from the new messages to the request body, in milliseconds.
        sections: tokens by section.
        cuts: what fired at this request.
        text: every string of the request body, one a line.
    """

    number: int
    raw_tokens: int
    produced_tokens: int
    tokens: int
    prefix_tokens: int = 0
    budget_tokens: int = 0
    ms: float = 0.0
    sections: dict[str, int] = {}
    cuts: tuple[str, ...] = ()
    text: str = ""


class Row(Struct, frozen=True, kw_only=True):
    """One line of the demo's table. Ratios are of 1; `cost_ratio` is against the unmanaged history.

    `tokens_at` maps a round to (tokens, share of the unmanaged history's); `constraints` and `facts` are (alive, all).
    """

    mode: str
    layout: str
    requests: int
    tokens_at: dict[int, tuple[int, float]]
    largest_tokens: int
    kept_ratio: float
    constraints: tuple[int, int]
    facts: tuple[int, int]
    cached_ratio: float
    cost: float
    cost_ratio: float
    ms: float


def cost(requests: Sequence[Request], discount: float = CACHE_DISCOUNT) -> float:
    """Input cost in units of one fresh token: fresh tokens whole, tokens of a repeated prefix at 1/discount."""
    return sum(request.tokens - request.prefix_tokens + request.prefix_tokens / discount for request in requests)


def cached_ratio(requests: Sequence[Request]) -> float:
    """Share of all sent tokens that repeat the prefix of the request before."""
    sent = sum(request.tokens for request in requests)
    return sum(request.prefix_tokens for request in requests) / sent if sent else 0.0


def mean_ms(requests: Sequence[Request]) -> float:
    return sum(request.ms for request in requests) / len(requests) if requests else 0.0


def at_round(requests: Sequence[Request], number: int) -> Request | None:
    return next((request for request in requests if request.number == number), None)


def alive(claims: Iterable[Claim], requests: Sequence[Request]) -> tuple[int, int]:
    """(claims that stand word for word in every prompt that needs them, claims). A request that was never made counts as lost."""
    texts = {request.number: request.text for request in requests}
    wanted = list(claims)
    kept = sum(all(claim.text in texts.get(n, "") for n in range(claim.needed[0], claim.needed[1] + 1)) for claim in wanted)
    return kept, len(wanted)


def body_text(body: Any) -> str:
    """Every string value in a request body, in order, one a line. Tool schemas and names are strings too."""
    return "\n".join(_strings(body))


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


def row(mode: str, layout: str, requests: Sequence[Request], claims: Sequence[Claim], unmanaged: Sequence[Request]) -> Row:
    """The measures of one run against the unmanaged history of the same rounds.

    `kept_ratio` is the whole last request's tokens, instructions included, over all tokens produced until then:
    an upper bound, 1 at most, of the share of the information produced that is still in the prompt.
    """
    base = cost(unmanaged)
    shown = {n: request for n in (10, 20, 30) if (request := at_round(requests, n)) is not None}
    last = requests[-1]
    return Row(
        mode=mode,
        layout=layout,
        requests=len(requests),
        tokens_at={n: (request.tokens, request.tokens / request.raw_tokens) for n, request in shown.items()},
        largest_tokens=max(request.tokens for request in requests),
        kept_ratio=min(1.0, last.tokens / last.produced_tokens) if last.produced_tokens else 0.0,
        constraints=alive([claim for claim in claims if claim.kind == "constraint"], requests),
        facts=alive([claim for claim in claims if claim.kind == "fact"], requests),
        cached_ratio=cached_ratio(requests),
        cost=cost(requests),
        cost_ratio=cost(requests) / base if base else 0.0,
        ms=mean_ms(requests),
    )
