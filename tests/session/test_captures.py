"""`sync` on what real clients sent: their consecutive requests are one conversation each, with no wrong branch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.session.cases import TARGETS, opened
from trimtab.core.messages import WireName
from trimtab.session import Session

pytestmark = pytest.mark.data

# client -> (its form, which of its requests follow one another, by their place in the capture)
RUNS: dict[str, tuple[WireName, list[list[int]]]] = {
    "cc": ("anthropic", [[1, 2, 4, 5]]),
    "cc_agent": ("anthropic", [[2, 7], [3, 8], [4, 9], [5, 10], [6, 11], [1, 12]]),
    "cc_auto": ("anthropic", [[1, 2]]),
    "codex": ("openai_responses", [[0, 1, 2, 3]]),
    "codex_compact": ("openai_responses", [[0, 1], [2, 3], [4, 5]]),
    "dify-llm": ("openai_chat", [[1, 2]]),
    "langchain-anthropic": ("anthropic", [[0, 1]]),
    "langchain-openai": ("openai_chat", [[0, 1]]),
    "langchain-openai-resp": ("openai_responses", [[0, 1]]),
    "llm-cli": ("openai_chat", [[0, 1]]),
    "openai-agents-chat": ("openai_chat", [[0, 1]]),
    "openai-agents-resp": ("openai_responses", [[0, 1, 2, 3]]),
}


def requests(data_dir: Path, client: str) -> list[Any]:
    rows = msgspec.json.decode((data_dir / "captures" / f"{client}.json").read_bytes())
    return [row["body"] for row in rows]


def synced(session: Session, body: Mapping[str, Any]) -> str:
    history = body["input"] if "input" in body else body["messages"]
    return session.sync(history, system=body.get("system") or body.get("instructions")).outcome


@pytest.mark.parametrize("client", RUNS)
def test_consecutive_requests_are_one_conversation(data_dir: Path, client: str) -> None:
    wire, runs = RUNS[client]
    bodies = requests(data_dir, client)
    for run in runs:
        with opened(target=TARGETS[wire]) as s:
            outcomes = [synced(s, bodies[place]) for place in run]
            assert outcomes == ["new", *["append"] * (len(run) - 1)], (client, run)
            assert [synced(s, bodies[run[-1]])] == ["same"]
            last = bodies[run[-1]]
            prompt = s.prompt(tools=None)
            sent = prompt.render()["input" if wire == "openai_responses" else "messages"]
            assert len(sent) >= len(last.get("input") or last.get("messages")) - 2


@pytest.mark.parametrize("client", RUNS)
def test_a_request_cut_at_its_end_is_a_branch_and_loses_nothing(data_dir: Path, client: str) -> None:
    wire, runs = RUNS[client]
    bodies = requests(data_dir, client)
    for run in runs:
        with opened(target=TARGETS[wire]) as s:
            for place in run:
                synced(s, bodies[place])
            first, last = bodies[run[0]], bodies[run[-1]]
            stored = s.state.total_tokens
            assert synced(s, first) == "branch"
            assert synced(s, last) == "branch"
            assert s.state.total_tokens == stored


def test_sub_agents_with_equal_openings_are_not_mixed_up(data_dir: Path) -> None:
    """Sub-agents of one client differ in their task only; each in a lane of its own continues its own."""
    bodies = requests(data_dir, "cc_agent")
    lanes = [opened(":memory:", lane=f"agent{place}", target=TARGETS["anthropic"]) for place in range(5)]
    try:
        assert [synced(lane, bodies[2 + place]) for place, lane in enumerate(lanes)] == ["new"] * 5
        assert [synced(lane, bodies[7 + place]) for place, lane in enumerate(lanes)] == ["append"] * 5
    finally:
        for lane in lanes:
            lane.close()
