"""Signed reasoning parted from what it led to. The strict upstream signs it, remembers it, and refuses as providers do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.failures.shapes import LAYOUTS, Json, call_ids, checked_body, entries, history_of, settings, target, words
from trimtab import Prompt, Session, Target
from trimtab.core.messages import WireName
from trimtab.testing import ScriptedReply, StrictUpstream
from trimtab.testing.upstream import Binding


def _script(wire: WireName, body: Mapping[str, Any], number: int) -> ScriptedReply:
    """Three replies a turn: thinks and calls, calls again without thinking, thinks and answers."""
    step = number % 3
    if step == 1:
        return ScriptedReply(thinking=f"think {number} " + words(30, number), calls=[("read_file", {"path": f"src/{number}.py"})])
    if step == 2:
        return ScriptedReply(calls=[("read_file", {"path": f"src/{number}.py"})])
    return ScriptedReply(thinking=f"then {number} " + words(30, number), text=f"answer {number} " + words(40, number))


def _answers(wire: WireName, reply: Json, number: int) -> list[Json]:
    text = f"file {number} " + words(120, number)
    if wire == "anthropic":
        ids = [block["id"] for block in reply["content"] if block["type"] == "tool_use"]
        return [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": text} for call_id in ids]}] * bool(
            ids
        )
    ids = [item["call_id"] for item in reply["output"] if item["type"] == "function_call"]
    return [{"type": "function_call_output", "call_id": call_id, "output": text} for call_id in ids]


class Played:
    """A run of many turns against the strict upstream: prompts, bodies, and every reply's own items or message."""

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []
        self.bodies: list[Json] = []
        self.said: list[Json] = []
        self.compactions = 0


def _play(session: Session, upstream: StrictUpstream, wire: WireName, turns: int) -> Played:
    """Raises UpstreamRefusal at the first prompt the provider would not take."""
    played, number = Played(), 0
    for turn in range(turns):
        session.record({"role": "user", "content": f"turn {turn} " + words(60, turn)})
        for _ in range(3):
            number += 1
            prompt = session.prompt(system="You read files.", max_output_tokens=400)
            body = checked_body(prompt, wire)
            reply = upstream.reply(wire, body)
            played.prompts.append(prompt)
            played.bodies.append(body)
            played.said += reply["output"] if wire == "openai_responses" else [{"role": "assistant", "content": reply["content"]}]
            session.record(reply)
            session.record(*_answers(wire, reply, number))
    played.compactions = len(entries(session, "compacted"))
    return played


def _upstream(wire: WireName, model: str, binding: Binding) -> StrictUpstream:
    return StrictUpstream(_script, window_tokens=1_000_000, binding=binding)


# ---------------------------------------------------------------- framework 11


@pytest.mark.parametrize("mode", ["window", "compact", "hierarchical", "auto"])
@pytest.mark.parametrize("reasoning", ["free", "bound"])
def test_framework_11_openai_agents_2727_items_keep_ids_of_reasoning_that_is_gone(mode: str, reasoning: str) -> None:
    """After a compaction the reasoning items were gone, but the messages they led to kept their ids; the provider
    then refused every later call ("provided without its required 'reasoning' item").

    Right: an item keeps its id only with its reasoning right before it; where that has gone, its id has too."""
    wire: WireName = "openai_responses"
    upstream = _upstream(wire, "gpt-5", "drop" if reasoning == "bound" else "none")
    given = settings(mode, 4_000, window_rounds=3, hot_rounds=3, overlap_rounds=2, summary_max_tokens=200)
    with Session.open(":memory:", "s", settings=given, target=target(wire, reasoning=reasoning)) as session:
        played = _play(session, upstream, wire, 10)
        assert played.compactions >= 2, "nothing was cut here"
        partner: dict[str, str] = {}
        for index, item in enumerate(played.said):
            if index and played.said[index - 1]["type"] == "reasoning" and item["type"] != "reasoning":
                partner[item["id"]] = played.said[index - 1]["id"]
        assert len(partner) >= 20
        with_partner = 0
        for body in played.bodies:
            rows = history_of(body)
            for index, row in enumerate(rows):
                if row.get("id") in partner:
                    assert index and rows[index - 1].get("id") == partner[row["id"]]
                    with_partner += 1
                if row.get("type") == "reasoning":
                    assert partner.get(rows[index + 1].get("id", "")) == row["id"], "reasoning without what it led to"
        assert with_partner > 0
        assert upstream.dropped == 0, "bound reasoning was sent after a prefix that had changed"


# ---------------------------------------------------------------- framework 14


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", ["window", "compact", "hierarchical", "auto"])
def test_framework_14_openai_agents_1704_signed_tool_loop_is_one_unit(mode: str, layout: str) -> None:
    """A tool loop opened with signed thinking; the thinking, or the whole first message, was forgotten, and the
    provider answered "Expected thinking, found tool_use".

    Right, where reasoning is not bound to its prefix: what the assistant said in a loop stands byte for byte from
    its thinking on, or the whole loop is gone."""
    wire: WireName = "anthropic"
    upstream = _upstream(wire, "claude-sonnet-4", "none")
    given = settings(mode, 6_000, layout=layout, window_rounds=3, hot_rounds=3, overlap_rounds=2, summary_max_tokens=200)
    with Session.open(":memory:", "s", settings=given, target=target(wire, reasoning="free")) as session:
        played = _play(session, upstream, wire, 10)
        assert played.compactions >= 2, "nothing was cut here"
        loops = [played.said[at : at + 2] for at in range(0, len(played.said), 3)]
        gone = 0
        for body in played.bodies:
            rows = [row for row in history_of(body) if row["role"] == "assistant"]
            said = played.said[: played.bodies.index(body)]
            for loop in loops:
                there = [row for row in rows if row in loop]
                made = [message for message in loop if message in said]
                assert there == made or there == [], "half a loop"
                gone += bool(made) and not there
            assert all(row in played.said for row in rows), "an assistant message was changed"
            _enabled_thinking_is_taken(upstream, body)
        assert gone > 0


def _enabled_thinking_is_taken(upstream: StrictUpstream, body: Json) -> None:
    """With thinking switched on, the provider also looks at how the current tool loop begins."""
    upstream.check("anthropic", {**body, "thinking": {"type": "enabled", "budget_tokens": 1_024}, "max_tokens": 4_096})


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", ["window", "compact", "hierarchical", "auto"])
def test_framework_14_openhands_sdk_1438_bound_reasoning_over_compactions(mode: str, layout: str) -> None:
    """The same where the provider binds reasoning to the exact bytes before it: an edited prefix is refused.

    Right: what stands after a changed prefix stands without its reasoning, word for word otherwise; what was
    thought since stands with it; nothing is ever refused."""
    wire: WireName = "anthropic"
    upstream = _upstream(wire, "claude-sonnet-5-5", "error")
    given = settings(mode, 6_000, layout=layout, window_rounds=3, hot_rounds=3, overlap_rounds=2, summary_max_tokens=200)
    with Session.open(":memory:", "s", settings=given, target=Target(model="claude-sonnet-5-5", wire=wire)) as session:
        assert session.target.reasoning_bound
        played = _play(session, upstream, wire, 10)
        assert played.compactions >= 2, "nothing was cut here"
        plain = [_unsigned(message) for message in played.said]
        stripped = whole = 0
        for body in played.bodies:
            rows = [row for row in history_of(body) if row["role"] == "assistant"]
            for row in rows:
                assert row in played.said or row in plain
            thinking = [row in played.said and row not in plain for row in rows]
            stripped += any(row in plain and row not in played.said for row in rows)
            whole += any(thinking)
            ids = call_ids(body)
            assert len(ids) == len(set(ids))
        assert stripped > 0 and whole > 0


def _unsigned(message: Json) -> Json:
    return {**message, "content": [block for block in message["content"] if block["type"] != "thinking"]}
