"""Whom a prompt is made for. Counts, validity and the place of our own text depend on it."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from msgspec import Struct

from trimtab.core.messages import WIRES, WireName
from trimtab.errors import BadSetting

# Models that bind reasoning to the exact bytes before it (an edited prefix is refused or its reasoning dropped).
# Source: Anthropic "preserved thinking" (Fable and Mythos 5.1, 5.2; Opus, Sonnet, Haiku 5.5) and OpenAI
# "preserved reasoning" (newer frontier models; taken here as GPT-6 and later), read 2026-11.
_BOUND_MODELS = re.compile(r"(fable|mythos)[-_ ]?5[-.][12]|(opus|sonnet|haiku)[-_ ]?5[-.]5|gpt[-_ ]?[6-9]", re.IGNORECASE)


class Target(Struct, frozen=True, kw_only=True, array_like=True):
    """A model behind one interface of one upstream.

    Attributes:
        model: as the provider names it; chooses the tokenizer and, where known, the window.
        wire: the form of the request body.
        upstream: free name of the server, for what is learned about it.
        strict_roles: the server takes system text only first and wants user and assistant to alternate
            (many chat templates of local models).
        reasoning: `bound` where signed reasoning is only valid after exactly the bytes it was made from,
            `free` where it is not, `auto` to decide by model name.
        reasoning_first: with `free` reasoning, the assistant turn before tool results must start with it
            (Anthropic's manual thinking).
    """

    model: str = ""
    wire: WireName = "openai_chat"
    upstream: str = ""
    strict_roles: bool = False
    reasoning: Literal["auto", "bound", "free"] = "auto"
    reasoning_first: bool = True

    def __post_init__(self) -> None:
        if self.wire not in WIRES:
            raise BadSetting("target.wire", self.wire, "one of " + ", ".join(WIRES))
        if self.reasoning not in ("auto", "bound", "free"):
            raise BadSetting("target.reasoning", self.reasoning, "one of auto, bound, free")

    @property
    def place(self) -> str:
        """Which server's which model: what a learned window belongs to."""
        return f"{self.upstream}|{self.model}"

    @property
    def reasoning_bound(self) -> bool:
        return _binds(self.model) if self.reasoning == "auto" else self.reasoning == "bound"


@cache
def _binds(model: str) -> bool:
    return _BOUND_MODELS.search(model) is not None
