"""What the session's tests share: short ways to say a message, to open a session, and to look into its ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trimtab import Budget, Session, Settings, Target
from trimtab.core.entries import Compacted, MessageAdded, decode_entry
from trimtab.core.messages import WireName
from trimtab.session import Prompt
from trimtab.stores import LaneKey, Store
from trimtab.wire import wire_for

CHAT = Target(model="gpt-5", wire="openai_chat")
RESPONSES = Target(model="gpt-5", wire="openai_responses")
CLAUDE = Target(model="claude-sonnet-4-5", wire="anthropic")
TARGETS: dict[WireName, Target] = {"openai_chat": CHAT, "openai_responses": RESPONSES, "anthropic": CLAUDE}
KEY = LaneKey("default", "default", "s", "main")
WEATHER: dict[WireName, dict[str, Any]] = {
    "openai_chat": {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}},
    "openai_responses": {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}},
    "anthropic": {"name": "weather", "input_schema": {"type": "object", "properties": {}}},
}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def reply(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def call(call_id: str, name: str = "weather", arguments: str = "{}") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "type": "function", "function": function}]}


def result(call_id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def round_of(wire: WireName, number: int, words: int = 40) -> list[dict[str, Any]]:
    """A user's question, a call, its result and a reply, each about `words` words long, in one wire form."""
    body = " ".join(f"w{number}x{place}" for place in range(words))
    call_id = f"call_{number}"
    if wire == "openai_chat":
        return [
            user(f"question {number} {body}"),
            call(call_id),
            result(call_id, f"result {number} {body}"),
            reply(f"answer {number} {body}"),
        ]
    if wire == "openai_responses":
        return [
            user(f"question {number} {body}"),
            {"type": "function_call", "call_id": call_id, "name": "weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": call_id, "output": f"result {number} {body}"},
            reply(f"answer {number} {body}"),
        ]
    return [
        user(f"question {number} {body}"),
        {"role": "assistant", "content": [{"type": "tool_use", "id": call_id, "name": "weather", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": f"result {number} {body}"}]},
        reply(f"answer {number} {body}"),
    ]


def settings(window: int = 32_000, **changes: Any) -> Settings:
    return Settings(budget=Budget(window_tokens=window), **changes)


def opened(path: str | Path | Store = ":memory:", session_id: str = "s", **changes: Any) -> Session:
    """A session for gpt-5's chat interface with a window of 32,000 tokens, unless `changes` says otherwise."""
    changes.setdefault("settings", settings())
    changes.setdefault("target", CHAT)
    return Session.open(path, session_id, **changes)


def ask(session: Session, **changes: Any) -> Prompt:
    """A prompt that the provider's rules take."""
    prompt = session.prompt(**changes)
    wire_for(prompt.target.wire).validate(prompt.render(), prompt.target)
    assert prompt.tokens <= prompt.budget.prompt_budget_tokens
    return prompt


def told(prompt: Prompt) -> list[str]:
    """The prompt's own text, segment by segment."""
    return [prompt.text_of(segment) for segment in prompt.segments]


def text_of(prompt: Prompt) -> str:
    return "\n".join(told(prompt))


def bodies_of(store: Store, key: LaneKey = KEY) -> list[bytes]:
    """The bytes of every message of the lane, on any branch, in the order in which they came."""
    entries = [decode_entry(row.data) for row in store.load(key) if row.kind == "message"]
    nodes = [entry.node for entry in entries if isinstance(entry, MessageAdded)]
    found = store.bodies(key.tenant_id, [node.body_id for node in nodes])
    return [found[node.body_id] for node in nodes]


def compactions(store: Store, key: LaneKey = KEY) -> list[Compacted]:
    entries = [decode_entry(row.data) for row in store.load(key) if row.kind == "compacted"]
    return [entry for entry in entries if isinstance(entry, Compacted) and entry.covered != (0, 0)]
