"""The histories that broke other tools, in the three wire forms, and the checks that every prompt must pass."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trimtab import Prompt, Session, Settings, Target
from trimtab.core.entries import Entry, decode_entry
from trimtab.core.messages import Message, WireName
from trimtab.settings import Budget
from trimtab.stores import LaneKey
from trimtab.testing import StrictUpstream, check_prompt
from trimtab.tokens import Counter, count_request, counter_for

WIRES: tuple[WireName, ...] = ("openai_chat", "openai_responses", "anthropic")
MODES = ("none", "window", "compact", "retrieval", "hierarchical", "auto")
SHRINKING_MODES = MODES[1:]
LAYOUTS = ("state_first", "cache_first")
MODELS: Mapping[WireName, str] = {"openai_chat": "gpt-5", "openai_responses": "gpt-5", "anthropic": "claude-sonnet-4"}
Json = dict[str, Any]

_WORDS = [
    "harbor",
    "ledger",
    "copper",
    "window",
    "maple",
    "signal",
    "bridge",
    "carpet",
    "tunnel",
    "orange",
    "market",
    "silver",
    "garden",
    "planet",
    "rocket",
    "shadow",
    "pepper",
    "castle",
    "velvet",
    "button",
    "anchor",
    "basket",
    "candle",
    "dragon",
    "engine",
    "forest",
    "guitar",
    "hammer",
    "island",
    "jacket",
]


def words(count: int, seed: int = 0) -> str:
    """About `count` tokens of plain words; another seed gives another text."""
    return " ".join(_WORDS[(seed * 7 + index * (1 + seed % 5) + index // 13) % len(_WORDS)] for index in range(count))


def target(wire: WireName, **changes: Any) -> Target:
    return Target(**({"model": MODELS[wire], "wire": wire} | changes))


def settings(mode: str, window_tokens: int, **changes: Any) -> Settings:
    budget = changes.pop("budget", {})
    return Settings(mode=mode, budget=Budget(window_tokens=window_tokens, **budget), **changes)


class Talk:
    """Builds messages of one wire form. Each method gives a list, to be spread into a history."""

    def __init__(self, wire: WireName) -> None:
        self.wire = wire

    def user(self, text: str) -> list[Json]:
        return [{"role": "user", "content": text}]

    def system(self, text: str) -> list[Json]:
        return [{"role": "developer" if self.wire == "openai_responses" else "system", "content": text}]

    def says(self, text: str) -> list[Json]:
        if self.wire == "openai_responses":
            return [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}]}]
        if self.wire == "anthropic":
            return [{"role": "assistant", "content": [{"type": "text", "text": text}]}]
        return [{"role": "assistant", "content": text}]

    def calls(self, *ids: str, name: str = "read_file", **arguments: Any) -> list[Json]:
        """One assistant message that makes all these calls at once."""
        dumped = {call_id: json.dumps(arguments or {"path": f"src/{call_id}.py"}) for call_id in ids}
        if self.wire == "openai_responses":
            return [{"type": "function_call", "call_id": call_id, "name": name, "arguments": dumped[call_id]} for call_id in ids]
        if self.wire == "anthropic":
            blocks = [{"type": "tool_use", "id": call_id, "name": name, "input": json.loads(dumped[call_id])} for call_id in ids]
            return [{"role": "assistant", "content": blocks}]
        calls = [{"id": call_id, "type": "function", "function": {"name": name, "arguments": dumped[call_id]}} for call_id in ids]
        return [{"role": "assistant", "content": None, "tool_calls": calls}]

    def results(self, texts: Mapping[str, str]) -> list[Json]:
        """The answers: one message for all in the Messages form, else one each."""
        if self.wire == "openai_responses":
            return [{"type": "function_call_output", "call_id": call_id, "output": text} for call_id, text in texts.items()]
        if self.wire == "anthropic":
            blocks = [{"type": "tool_result", "tool_use_id": call_id, "content": text} for call_id, text in texts.items()]
            return [{"role": "user", "content": blocks}]
        return [{"role": "tool", "tool_call_id": call_id, "content": text} for call_id, text in texts.items()]

    def tool_round(self, call_id: str, text: str, **arguments: Any) -> list[Json]:
        return [*self.calls(call_id, **arguments), *self.results({call_id: text})]

    def tools(self, count: int, description_tokens: int) -> list[Json]:
        """Tool schemas with descriptions of about that many tokens."""
        made = []
        for index in range(count):
            schema = {"type": "object", "properties": {"path": {"type": "string", "description": "a path"}}}
            text = words(description_tokens, index)
            if self.wire == "anthropic":
                made.append({"name": f"tool_{index}", "description": text, "input_schema": schema})
            elif self.wire == "openai_responses":
                made.append({"type": "function", "name": f"tool_{index}", "description": text, "parameters": schema})
            else:
                made.append({"type": "function", "function": {"name": f"tool_{index}", "description": text, "parameters": schema}})
        return made


# ---------------------------------------------------------------- what a rendered body holds


def history_of(body: Mapping[str, Any]) -> list[Json]:
    """Messages or items of a body, system text left out."""
    rows: Sequence[Json] = body.get("messages") or body.get("input") or ()
    return [row for row in rows if row.get("role") not in ("system", "developer")]


def call_ids(body: Mapping[str, Any]) -> list[str]:
    ids: list[str] = []
    for row in history_of(body):
        ids += [call["id"] for call in row.get("tool_calls") or ()]
        ids += [row["call_id"]] if row.get("type") == "function_call" else []
        ids += [block["id"] for block in _blocks(row) if block.get("type") == "tool_use"]
    return ids


def results_in(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(call id, text) of every tool result, in order."""
    found: list[tuple[str, str]] = []
    for row in history_of(body):
        if row.get("role") == "tool":
            found.append((row["tool_call_id"], _plain(row["content"])))
        elif row.get("type") == "function_call_output":
            found.append((row["call_id"], _plain(row["output"])))
        found += [(block["tool_use_id"], _plain(block.get("content"))) for block in _blocks(row) if block.get("type") == "tool_result"]
    return found


def _blocks(row: Json) -> list[Json]:
    content = row.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _plain(content: Any) -> str:
    return content if isinstance(content, str) else " ".join(str(block.get("text", "")) for block in content or ())


def text_of(body: Any) -> str:
    """Every string of a body or of a part of one that a model would read, joined; escapes undone."""
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


def checked(prompt: Prompt, wire: WireName, counter: Counter | None = None) -> Json:
    """The rendered body, after everything that holds for any prompt was asserted: it is valid for its provider (by
    the validators and by the strict upstream, whose window is the model's), paired, not empty, and within its budget
    by the session's count and by a count of the finished body."""
    counter = counter or counter_for(MODELS[wire])
    body = checked_body(prompt, wire, counter)
    StrictUpstream(window_tokens=prompt.budget.window_tokens, counter=lambda sent: count_request(sent, wire, counter)).check(wire, body)
    return body


def checked_body(prompt: Prompt, wire: WireName, counter: Counter | None = None) -> Json:
    """The same for prompts that a test's own upstream takes: all that holds for any prompt but the upstream's say."""
    counter = counter or counter_for(prompt.target.model)
    body = prompt.render()
    check_prompt(body, wire, prompt.target)
    assert prompt.tokens <= prompt.budget.prompt_budget_tokens
    assert count_request(body, wire, counter) <= prompt.tokens
    assert prompt.tokens + prompt.budget.reserve_tokens <= prompt.budget.window_tokens
    assert history_of(body), "an empty prompt"
    made, answered = call_ids(body), [call_id for call_id, _ in results_in(body)]
    assert sorted(made) == sorted(answered), "a call without its result, or a result without its call"
    assert len(set(made)) == len(made)
    assert history_of(body)[0].get("role") != "tool"
    assert history_of(body)[0].get("type") != "function_call_output"
    return body


# ---------------------------------------------------------------- what the ledger holds


def entries(session: Session, *kinds: str) -> list[tuple[int, Entry]]:
    """(seq, entry) of the session's ledger, of these kinds or of all, on any branch."""
    return [(row.seq, decode_entry(row.data)) for row in session.store.load(key_of(session)) if not kinds or row.kind in kinds]


def key_of(session: Session) -> LaneKey:
    keys = session.store.sessions("default", "default")
    assert len(keys) == 1, "these tests keep one session a store"
    return keys[0]


class CountingCounter:
    """A counter that tells how often and how much it was asked to count."""

    def __init__(self, model: str = "gpt-5") -> None:
        self._inner = counter_for(model)
        self.messages = 0
        self.message_bytes = 0
        self.texts = 0
        self.text_chars = 0

    @property
    def counter_id(self) -> str:
        return self._inner.counter_id

    @property
    def exact(self) -> bool:
        return self._inner.exact

    def count_text(self, text: str) -> int:
        self.texts += 1
        self.text_chars += len(text)
        return self._inner.count_text(text)

    def count_message(self, message: Message) -> int:
        self.messages += 1
        self.message_bytes += len(message.wire)
        return self._inner.count_message(message)

    def count_tools(self, tools: list[Any] | None) -> int:
        return self._inner.count_tools(tools)
