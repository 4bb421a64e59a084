"""The second model by script: it judges from its prompt alone, by what the example says a careful reader sees there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Protocol

from trimtab.llm import ChatMessage, Completion

_BLOCK = re.compile(r"<trimtab:(?P<name>\w+) key=[^>]*>\n(?P<text>.*?)\n</trimtab:(?P=name)>", re.DOTALL)

Shown = dict[str, str]


class Reads(Protocol):
    """What a careful reader sees in the blocks of a prompt, by their names: goal, rules, state, step, recent, product."""

    def objections(self, shown: Shown) -> list[str]:
        """To the step that was finished: what is to be done, a line each."""
        ...

    def breaches(self, shown: Shown) -> list[tuple[str, str]]:
        """Of the work so far: what no longer holds, and what shows it."""
        ...


class NothingToSay:
    """For examples whose lapses no reader is needed for."""

    def objections(self, shown: Shown) -> list[str]:
        return []

    def breaches(self, shown: Shown) -> list[tuple[str, str]]:
        return []


class Reviewer:
    """A `ChatModel`: the verdict on a step, the three questions of a milestone, or what a message of the user's is."""

    def __init__(self, reads: Reads) -> None:
        self.name, self.window_tokens = "reviewer", 32_000
        self._reads = reads

    async def complete(self, messages: Sequence[ChatMessage], *, max_output_tokens: int, schema: dict[str, Any] | None) -> Completion:
        shown = {found["name"]: found["text"] for found in _BLOCK.finditer(messages[-1].text)}
        asked = (schema or {}).get("properties", {})
        said = self._stock(shown) if "remaining" in asked else self._verdict(shown) if "verdict" in asked else _INPUT
        return Completion(text=json.dumps(said))

    def _verdict(self, shown: Shown) -> dict[str, Any]:
        rows = self._reads.objections(shown)
        reason = "something in it is not as it was wanted" if rows else "nothing to object to"
        return {"reason": reason, "verdict": "correct" if rows else "continue", "corrections": rows}

    def _stock(self, shown: Shown) -> dict[str, Any]:
        broken = [{"constraint": rule, "why": why} for rule, why in self._reads.breaches(shown)]
        return {"remaining": "the steps that are open", "off_plan": [], "broken": broken, "next": "go on with the plan"}


_INPUT = {"reason": "it may be about the task", "kind": "input"}
