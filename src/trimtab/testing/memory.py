"""What only a provider can know that remembers what it sent: which reasoning belongs to which item or call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.core.messages import WireName
from trimtab.errors import InvalidPrompt
from trimtab.testing.refusals import refusal
from trimtab.wire.openai_responses import check_reasoning, is_from_model

_LOST_REASONING = "The reasoning_content in the thinking mode must be passed back to the API."


class Memory:
    """Learns from every reply and every accepted request; refuses what has come apart since (R2, C7)."""

    def __init__(self) -> None:
        self._made_by: dict[str, str] = {}
        self._led_to: dict[str, str] = {}
        self._calls_with_reasoning: set[str] = set()

    def learn(self, wire: WireName, reply: Mapping[str, Any]) -> None:
        if wire == "openai_responses":
            self._learn_items(reply["output"])
        elif wire == "openai_chat":
            message = reply["choices"][0]["message"]
            if message.get("reasoning_content") is not None:
                self._calls_with_reasoning.update(call["id"] for call in message.get("tool_calls") or ())

    def check(self, wire: WireName, body: Mapping[str, Any]) -> None:
        """Raise UpstreamRefusal."""
        if wire == "openai_responses" and isinstance(body.get("input"), list):
            try:
                check_reasoning(body["input"], self._made_by, self._led_to)
            except InvalidPrompt as error:
                raise refusal(wire, error.rule, error.message, error.path) from error
            self._learn_items(body["input"])
        elif wire == "openai_chat" and self._calls_with_reasoning:
            self._check_chat(body["messages"])

    def _check_chat(self, messages: Sequence[Mapping[str, Any]]) -> None:
        for index in range(len(messages) - 1, -1, -1):
            message = messages[index]
            if message.get("role") == "user":
                return  # reasoning of earlier turns may go
            ids = {call.get("id") for call in message.get("tool_calls") or ()}
            if ids & self._calls_with_reasoning and message.get("reasoning_content") is None:
                raise refusal("openai_chat", "C7", _LOST_REASONING, f"messages[{index}]")

    def _learn_items(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Which item ids came after which reasoning, until something comes that the model did not make."""
        last_reasoning = ""
        for item in items:
            item_id = item.get("id") or ""
            if item.get("type") == "reasoning":
                last_reasoning = item_id
            elif not is_from_model(item):
                last_reasoning = ""
            elif item_id and last_reasoning and item_id not in self._made_by:
                self._made_by[item_id] = last_reasoning
                self._led_to.setdefault(last_reasoning, item_id)
