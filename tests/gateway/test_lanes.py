"""Agents below one id are on lanes of their own; what changes from request to request leaves a lane as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.gateway.captured import LABELS
from tests.gateway.test_claims import captured
from trimtab.gateway.claims import Claim, claim_of
from trimtab.gateway.lanes import family_of, lane_of, opening_of


@pytest.mark.parametrize("name", ["cc", "cc_agent", "cc_auto", "codex", "codex_compact"])
def test_real_clients_have_a_lane_for_each_agent(data_dir: Path, name: str) -> None:
    by_label: dict[str, set[str]] = {}
    for (path, headers, body), (conversation, lane, why) in zip(captured(data_dir, name), LABELS[name], strict=True):
        if conversation != "-" and not why:
            by_label.setdefault(lane, set()).add(lane_of(claim_of(path, headers, body), body))
    assert all(len(lanes) == 1 for lanes in by_label.values())
    assert len(set.union(*by_label.values())) == len(by_label)


def system(text: str, model: str = "claude-sonnet-4-5") -> dict[str, Any]:
    return {"model": model, "system": text, "messages": [{"role": "user", "content": "hi"}]}


BASE = "You are a coding agent.\nToday is 2026-11-30.\nFiles: a.py"


@pytest.mark.parametrize(
    ("body", "same"),
    [
        (system("You are a coding agent.\nToday is 2026-12-01.\nFiles: a.py, b.py"), True),
        (system(BASE, "claude-sonnet-4-6-20261101"), True),
        (system("x-anthropic-billing-header: cc_version=2.1;\n" + BASE), True),
        (system("<environment_context>\n<cwd>/a</cwd>\n</environment_context>\n" + BASE), True),
        ({"model": "claude-sonnet-4-5", "messages": [{"role": "system", "content": BASE}]}, True),
        ({"model": "claude-sonnet-4-5", "input": [{"role": "developer", "content": [{"type": "input_text", "text": BASE}]}]}, True),
        (system("You write titles of chats."), False),
        (system(BASE, "claude-haiku-4-5"), False),
        (system(""), False),
    ],
)
def test_what_makes_another_lane(body: dict[str, Any], same: bool) -> None:
    assert (lane_of(Claim(), body) == lane_of(Claim(), system(BASE))) is same
    assert lane_of(Claim(agent="sub"), body) != lane_of(Claim(), body)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5.4", "gpt"),
        ("gpt-5-mini", "gpt-mini"),
        ("anthropic/claude-sonnet-4-5-20250929", "claude-sonnet"),
        ("claude-3-5-sonnet@20240620", "claude-sonnet"),
        ("qwen2.5-coder:7b", "qwen2.5-coder"),
        ("deepseek-chat", "deepseek-chat"),
        ("", ""),
        ("4o", ""),
    ],
)
def test_families(model: str, family: str) -> None:
    assert family_of(model) == family


def test_odd_bodies_have_a_lane() -> None:
    for body in ({}, {"system": 3}, {"messages": "x"}, {"system": [{"text": 3}, "a"]}, {"model": None}):
        assert lane_of(Claim(), body).startswith("lane-") and opening_of(body) == ""
