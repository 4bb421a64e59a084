"""Prompts before and after a compaction, word for word, reviewed by eye. UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.failures.shapes import LAYOUTS, Json
from tests.golden.scenarios import SCENARIOS, bodies
from tests.properties.play import fixed_clock

HERE = Path(__file__).parent
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


def as_text(body: Json) -> str:
    """The messages as `role: content` blocks; calls in square brackets."""
    return "\n\n".join(f"{_who(message)}: {_said(message)}" for message in body["messages"]) + "\n"


def _who(message: Json) -> str:
    return f"tool {message['tool_call_id']}" if message["role"] == "tool" else str(message["role"])


def _said(message: Json) -> str:
    content: Any = message.get("content") or ""
    said = content if isinstance(content, str) else "\n".join(part["text"] for part in content)
    calls = [f"[calls {_shown(call['function'])} as {call['id']}]" for call in message.get("tool_calls", ())]
    return "\n".join([said, *calls] if said else calls)


def _shown(call: Json) -> str:
    """Name and arguments, without escapes."""
    return f"{call['name']} {json.dumps(json.loads(call['arguments']), ensure_ascii=False)}"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", list(SCENARIOS))
def test_prompts_read_as_reviewed(name: str, layout: str) -> None:
    with fixed_clock:
        sent = list(bodies(SCENARIOS[name], layout))
    assert [cut for _, cut in sent].index(True) == len(sent) - 1, "history must be cut with the last message, and once"
    found = {"before": as_text(sent[-2][0]), "after": as_text(sent[-1][0])}
    for when, text in found.items():
        path = HERE / f"{name}_{layout}_{when}.txt"
        if UPDATE:
            path.write_text(text, "utf-8")
        reviewed = path.read_text("utf-8") if path.exists() else ""
        changes = "".join(difflib.unified_diff(reviewed.splitlines(True), text.splitlines(True), path.name, "now", n=2))
        assert text == reviewed, f"{path.name} no longer reads as reviewed (UPDATE_GOLDEN=1 writes it anew):\n{changes}"
