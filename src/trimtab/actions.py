"""The four actions, each usable alone on a plain list of messages: trim, summarize, retrieve, rebuild [C1].

None of them keeps anything: they work on a ledger in memory. For a conversation that goes on, use `Session`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from trimtab.core.messages import WireName
from trimtab.core.sections import pinned_items, rules_text
from trimtab.core.summary import PINNED_FIELDS, render_summary
from trimtab.core.target import Target
from trimtab.errors import BadSetting
from trimtab.recall import make_turn, query_terms
from trimtab.session import Prompt, Session
from trimtab.session.incoming import read_messages
from trimtab.settings import Budget, Settings
from trimtab.stores import Batch, LaneKey, SqliteStore, Turn, lane_scope
from trimtab.tokens import counter_for

_HISTORY_KEY: Mapping[WireName, str] = {"openai_chat": "messages", "openai_responses": "input", "anthropic": "messages"}
_ONCE = "once"


class Retrieved(Struct, frozen=True, kw_only=True):
    """A turn that was found. `first` and `last` are indexes into the messages; `score` is larger for better."""

    first: int
    last: int
    score: float
    messages: tuple[Any, ...]


def trim(
    messages: Sequence[Any], max_tokens: int, *, model: str = "", wire: WireName = "openai_chat", tools: list[Any] | None = None
) -> list[Any]:
    """The newest messages that fit, and valid as a list: system text stays, pairs of call and result stay together,
    the message that opened the current turn stays, and what is too large alone is shortened.

    Args:
        max_tokens: of the whole result, by the model's counter; `tools` are counted too.
    Returns:
        messages in the wire form; for `anthropic` without system text, which is no message there.
    Raises:
        PinnedOverflow: not even the shortest form fits.
        ParseError: which message could not be read.
    """
    if max_tokens <= 0:
        raise BadSetting("max_tokens", max_tokens, "above 0")
    budget = Budget(window_tokens=max_tokens, safety_ratio=1.0, reserve_tokens=0, splice_ratio=0.0, trigger_ratio=1.0, target_ratio=0.999)
    settings = Settings(mode="none", layout="cache_first", budget=budget)
    with Session.open(":memory:", _ONCE, settings=settings, target=Target(model=model, wire=wire)) as session:
        session.record(*messages)
        body = session.bare_prompt(tools=tools, max_output_tokens=0).render()
    return list(body[_HISTORY_KEY[wire]])


def summarize(messages: Sequence[Any], max_tokens: int = 1_100, *, model: str = "", wire: WireName = "openai_chat") -> str:
    """A structured summary made by code alone: rules and decisions word for word, then what else is worth keeping.

    Args:
        max_tokens: cap of the part after the rules; rules are never cut.
    Returns:
        text; "" where there was nothing to keep.
    """
    counter = counter_for(model)
    with Session.open(":memory:", _ONCE, target=Target(model=model, wire=wire)) as session:
        session.record(*messages)
        state = session.state
    rest = [item for item in state.items.values() if item.field not in PINNED_FIELDS]
    parts = (rules_text((), pinned_items(state)), render_summary(rest, max_tokens, counter.count_text))
    return "\n".join(part for part in parts if part)


def retrieve(messages: Sequence[Any], query: str, limit: int = 5, *, wire: WireName = "openai_chat") -> list[Retrieved]:
    """The turns that answer a query best, by words; English and Chinese. Best first, none that shares no word."""
    parsed = [read_messages((message,), wire) for message in messages]
    turns: list[list[int]] = []
    for index, group in enumerate(parsed):
        if any(message.has_user_input for message in group) or not turns:
            turns.append([])
        turns[-1].append(index)
    key = LaneKey("once", "once", _ONCE)
    store = SqliteStore(":memory:")
    rows = []
    for number, indexes in enumerate(turns, start=1):
        words = make_turn([message for index in indexes for message in parsed[index]])
        rows.append(Turn(number, number, number, 0, words.role, words.terms, words.tags))
    store.commit(key, Batch(turns=[row for row in rows if row.terms]), 0)
    hits = store.search(lane_scope(key), query_terms(query), limit).rows
    store.close()
    found = []
    for hit in hits:
        indexes = turns[hit.turn_id - 1]
        found.append(Retrieved(first=indexes[0], last=indexes[-1], score=hit.words, messages=tuple(messages[index] for index in indexes)))
    return found


def rebuild(messages: Sequence[Any], *, settings: Settings, target: Target | None = None, tools: list[Any] | None = None) -> Prompt:
    """Assemble one prompt from a whole history at once, as a session would after a compaction."""
    session = Session.open(":memory:", _ONCE, settings=settings, target=target)
    session.record(*messages)
    return session.prompt(tools=tools)
