"""Requests that are sent on as they came and never rewritten: a client's own compaction, its titles, counts and probes. What such
a request says is no turn of the conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from trimtab.core.messages import WireName
from trimtab.gateway.bodies import last_user_text, rows_of, system_texts

Passed: TypeAlias = Literal["", "other", "count", "compaction", "title", "probe", "prewarm"]
# by path below the upstream, without a leading version
_INTERFACES: dict[str, WireName] = {"/chat/completions": "openai_chat", "/responses": "openai_responses", "/messages": "anthropic"}
_COUNTS = ("/messages/count_tokens", "/responses/input_tokens")
_COMPACTIONS = ("/responses/compact",)
# what clients write to a model that is to compact their own history, or to name a chat
_COMPACTION_TEXTS = ("CONTEXT CHECKPOINT COMPACTION", "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.")
_TITLE_TEXTS = (
    "title generator",
    "generate a title",
    "generate a concise, 3-5 word title",
    "generate 1-3 broad tags",
    "suggest 3-5 relevant follow-up questions",
)
_MOST_PROBE_TOKENS = 16


def interface_of(path: str) -> WireName | None:
    """The interface that a path below the upstream speaks; None for another, which passes untouched."""
    bare = "/" + path.strip("/").removeprefix("v1/")
    return _INTERFACES.get(bare)


def passed(path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Passed:
    """Why a request is sent on as it came; "" where it is a turn of a conversation.

    Args:
        path: below the upstream. headers: names in lower case.
    """
    bare = "/" + path.strip("/").removeprefix("v1/")
    if bare in _COUNTS:
        return "count"
    if bare in _COMPACTIONS:
        return "compaction"
    if interface_of(path) is None:
        return "other"
    if body.get("max_tokens") == 0 or _of(body.get("prompt_cache_options"), "prewarm"):
        return "prewarm"
    if _kind_of_turn(headers) == "compaction" or any(text in last_user_text(body) for text in _COMPACTION_TEXTS):
        return "compaction"
    if _is_probe(body):
        return "probe"
    system = "\n".join(system_texts(body)).casefold()
    return (
        "title" if not body.get("tools") and any(text in system or text in last_user_text(body).casefold() for text in _TITLE_TEXTS) else ""
    )


def holds_thread(path: str, body: Mapping[str, Any]) -> bool:
    """Whether a request leaves its history with the server."""
    return interface_of(path) == "anthropic" and body.get("thread") is not None


def _of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _kind_of_turn(headers: Mapping[str, str]) -> str:
    """Codex says in a header what a request is for."""
    try:
        said = msgspec.json.decode(headers.get("x-codex-turn-metadata", "{}"))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ""
    return str(_of(said, "request_kind") or "")


def _is_probe(body: Mapping[str, Any]) -> bool:
    """One word and hardly any reply: a client that looks whether somebody is there."""
    most = body.get("max_tokens") or body.get("max_completion_tokens")
    rows = rows_of(body)
    alone = len(rows) == 1 and not body.get("tools")
    return alone and isinstance(most, int) and most <= _MOST_PROBE_TOKENS and len(last_user_text(body)) <= _MOST_PROBE_TOKENS
