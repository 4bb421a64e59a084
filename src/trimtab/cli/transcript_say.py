"""Messages in OpenAI chat form, as the demo's transcript needs them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]


def user(text: str) -> JsonObject:
    return {"role": "user", "content": text}


def says(text: str) -> JsonObject:
    return {"role": "assistant", "content": text}


def asks(number: int, text: str, *calls: tuple[str, Mapping[str, Any]]) -> JsonObject:
    """An assistant message of round `number` that makes the calls at once."""
    made = [
        {
            "id": f"call_{number:02d}{'abcd'[k]}Qz{(number * 7919 + k * 104_729) % 999_983:06d}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
        }
        for k, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def answered(ask: JsonObject, *results: object) -> list[JsonObject]:
    """The asking message followed by one result per call; a str goes as it is, all else as JSON."""
    texts = [result if isinstance(result, str) else json.dumps(result, ensure_ascii=False) for result in results]
    answers = [{"role": "tool", "tool_call_id": call["id"], "content": text} for call, text in zip(ask["tool_calls"], texts, strict=True)]
    return [ask, *answers]
