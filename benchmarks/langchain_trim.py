"""What a request costs with LangChain's `trim_messages`: it is given the whole history at each request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from statistics import median
from time import process_time
from typing import NamedTuple

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
    trim_messages,
)
from langchain_core.messages.utils import count_tokens_approximately
from msgspec.json import decode, encode
from splintr import Tokenizer

from benchmarks.history import SYSTEM, Json, opening, steps

Count = Callable[[Sequence[AnyMessage]], int]
FRAMING_TOKENS = 3  # a message's role and separators in OpenAI's chat form


def to_langchain(message: Json, number: int) -> AnyMessage:
    name = f"m{number}"
    if message["role"] == "user":
        return HumanMessage(message["content"], id=name)
    if message["role"] == "tool":
        return ToolMessage(message["content"], tool_call_id=message["tool_call_id"], id=name)
    calls = [
        {"name": call["function"]["name"], "args": decode(call["function"]["arguments"]), "id": call["id"]}
        for call in message.get("tool_calls", ())
    ]
    return AIMessage(message["content"], tool_calls=calls, id=name)


def exact_count() -> Count:
    """o200k tokens, each message counted once in its life: the cheapest exact counter that one can give LangChain."""
    encode_ordinary = Tokenizer.from_pretrained("o200k_base").encode_ordinary
    memo: dict[str, int] = {}

    def count_one(message: AnyMessage) -> int:
        text = str(message.content)
        if isinstance(message, AIMessage) and message.tool_calls:
            text += encode(message.tool_calls).decode()
        return FRAMING_TOKENS + len(encode_ordinary(text))

    def count(messages: Sequence[AnyMessage]) -> int:
        total = 0
        for message in messages:
            known = memo.get(message.id or "")
            if known is None:
                known = memo[message.id or ""] = count_one(message)
            total += known
        return total

    return count


COUNTERS: dict[str, Callable[[], Count]] = {"approximate": lambda: count_tokens_approximately, "exact, memo": exact_count}


class RequestCost(NamedTuple):
    """Median CPU milliseconds: of `trim_messages` alone, and with the kept messages turned into OpenAI's form."""

    trim_ms: float
    body_ms: float
    kept: int


def request_cost(size: int, budget_tokens: int, counter: str, repeats: int) -> RequestCost:
    """What it costs to trim `size` messages and two new ones to the budget.

    The lists are made beforehand, and the first call, which fills the memo, is not counted.
    """
    count = COUNTERS[counter]()
    flat: list[Json] = [opening()]
    for pair in islice(steps(), size // 2 + repeats + 1):
        flat += pair
    messages: list[AnyMessage] = [SystemMessage(SYSTEM, id="system"), *(to_langchain(message, n) for n, message in enumerate(flat))]
    trims, bodies, kept = [], [], messages[:0]
    for repeat in range(repeats + 1):
        history = messages[: size + 2 * (repeat + 1)]
        started = process_time()
        kept = trim_messages(history, max_tokens=budget_tokens, token_counter=count, strategy="last", start_on="human", include_system=True)
        trimmed = process_time()
        convert_to_openai_messages(kept)
        trims.append((trimmed - started) * 1_000)
        bodies.append((process_time() - started) * 1_000)
        if not kept or kept[-1].id != history[-1].id:
            raise AssertionError("trim_messages did not keep the newest message")
    return RequestCost(median(trims[1:]), median(bodies[1:]), len(kept))
