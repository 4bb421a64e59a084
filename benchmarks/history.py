"""A made-up agent history of any length: user, assistant, tool; about 115 o200k tokens a message; always the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

Json = dict[str, Any]

SYSTEM = "You are an operations assistant. You answer briefly, look things up with tools, and quote identifiers exactly."
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "search_orders",
            "description": "Find orders by customer, city or state. Returns at most a few rows.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}, "page": {"type": "integer"}},
                "required": ["query"],
            },
        },
    }
]
_VOCABULARY = (
    "shipment invoice carrier depot pallet customer region delay report weekly account ledger morning warehouse route driver "
    "window pickup quantity label scanner return credit balance notice contract supplier batch freight customs harbor terminal "
    "schedule volume margin season forecast stock order line item transit branch office team review summary figure table chart"
)
WORDS = _VOCABULARY.split()
CITIES = ("Lyon", "Porto", "Gdansk", "Turin", "Bergen", "Izmir", "Malmo", "Leipzig", "Osaka", "Chengdu")


def _prose(random: Random, words: int) -> str:
    """Statements of what was: nobody's rule, however many there are."""
    sentences = []
    for _ in range(0, words, 12):
        first, second, third = (random.choice(WORDS) for _ in range(3))
        sentences.append(f"The {first} {second} in {random.choice(CITIES)} came to {random.randrange(1, 900)} and the {third} was late.")
    return " ".join(sentences)


def _rows(random: Random, count: int) -> str:
    rows = [
        {"order": f"A-{random.randrange(10**6):06}", "city": random.choice(CITIES), "units": random.randrange(1, 400)} for _ in range(count)
    ]
    return json.dumps({"rows": rows, "total": random.randrange(10, 900)})


def steps(seed: int = 7) -> Iterator[list[Json]]:
    """Pairs of messages that follow the opening message; after each pair a request is due.

    In turn: the assistant calls a tool and the result comes back; the assistant answers and the user goes on.
    """
    random = Random(seed)
    number = 0
    while True:
        number += 1
        call_id = f"call_{number:06}"
        query = f"{random.choice(CITIES)} {random.choice(WORDS)} {random.randrange(1000)}"
        call = {
            "id": call_id,
            "type": "function",
            "function": {"name": "search_orders", "arguments": json.dumps({"query": query, "page": 1})},
        }
        yield [
            {"role": "assistant", "content": _prose(random, 48), "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": _rows(random, 4)},
        ]
        yield [
            {"role": "assistant", "content": _prose(random, 84)},
            {"role": "user", "content": _prose(random, 72)},
        ]


def opening(seed: int = 7) -> Json:
    return {"role": "user", "content": _prose(Random(seed + 1), 72)}
