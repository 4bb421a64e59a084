"""How the tokens of a text become the tokens of a message: one base class for every counter.

Framing errs upward. Messages that are merged when they are rendered lose an overhead each, which is more than the
joint between their texts can add (see `JOINT_TOKENS`), so the sum over messages is never under the whole.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

import msgspec

from trimtab.core.messages import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from trimtab.tokens.families import Family, JsonStyle
from trimtab.tokens.media import count_media
from trimtab.tokens.vocabulary import clean_text

RULES_VERSION = 1
# OpenAI chat: 3 a message and 1 for its role (OpenAI cookbook, "How to count tokens with tiktoken"). Other families
# have more: see `Family.message_tokens`.
MESSAGE_OVERHEAD = 4
# The most that two texts joined by a blank line were seen to take above their sum: measured over ten vocabularies and
# 120,000 pairs of English, Chinese, code, JSON, logs, random Unicode and runs of one character, 2026-11.
JOINT_TOKENS = 4
# The words that Qwen's template puts around a call (`<tool_call>`, a JSON object with name and arguments) are 13 tokens
# in four vocabularies. Call ids are not charged: only Mistral and Kimi are known to show them to the model, and there the
# rest is shorter.
CALL_OVERHEAD = 14
# A result is a message of its own in chat forms, with tags. More than any family's framing of a message, which a
# message of results alone is therefore not charged.
RESULT_OVERHEAD = 10
# What is written in the place of an empty result for forms that refuse one; no result is counted as less.
EMPTY_RESULT = "(no output)"
TOOL_OVERHEAD = 12
# `[image, 12,345 bytes, ...]`: what stands for media, without its address
STUB_TOKENS = 16
# Encrypted reasoning: 4 bytes of content a token, as English text has; base64 has 3 bytes in 4 characters.
ENCRYPTED_TOKENS, ENCRYPTED_CHARS = 3, 16
# Arguments that are not a JSON object are wrapped into one by forms that take only objects.
WRAPPED_ARGUMENTS_TOKENS = 8


def compact_json(value: Any) -> str:
    """Compact JSON of plain JSON types; lone surrogates, which JSON text cannot hold, become replacement characters."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(_clean(value)).decode()


def json_as(style: JsonStyle, value: Any) -> str:
    """The value's JSON as a provider or a chat template writes it: `spaced` as Python's `json.dumps` does by default
    (the `tojson` of most templates), `indented` by four."""
    text = compact_json(value)
    if style == "compact":
        return text
    return json.dumps(msgspec.json.decode(text), ensure_ascii=False, indent=4 if style == "indented" else None)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value


class FramedCounter(ABC):
    """A counter of texts with the rules that make it a `Counter`."""

    def __init__(self, family: Family) -> None:
        self._family = family

    @property
    def counter_id(self) -> str:
        return f"{self._family.name}/{RULES_VERSION}" if self.exact else f"{self._family.name}/est/{RULES_VERSION}"

    @property
    @abstractmethod
    def exact(self) -> bool: ...

    @abstractmethod
    def count_text(self, text: str) -> int:
        """See `Counter.count_text`."""

    def count_message(self, message: Message) -> int:
        """See `Counter.count_message`."""
        framed = not message.parts or any(not isinstance(part, ToolResult) for part in message.parts)
        return self._family.message_tokens * framed + self.count_parts(message.parts)

    def count_parts(self, parts: tuple[Part, ...]) -> int:
        """Tokens of the parts without a message's framing, in any wire form that they may be rendered to."""
        shown = sum(isinstance(part, Text | Media | Opaque) for part in parts)
        return sum(self._count_part(part) for part in parts) + JOINT_TOKENS * max(0, shown - 1)

    def count_tools(self, tools: list[Any] | None) -> int:
        """See `Counter.count_tools`: the JSON of each, `TOOL_OVERHEAD` each, and the family's preamble once."""
        if not tools:
            return 0
        written = (json_as(self._family.tool_json, tool) for tool in tools)
        return self._family.preamble_tokens + sum(TOOL_OVERHEAD + self.count_text(text) for text in written)

    def _count_part(self, part: Part) -> int:
        if isinstance(part, Text):
            return self.count_text(part.text)
        if isinstance(part, ToolCall):
            return CALL_OVERHEAD + self.count_text(part.name) + self._count_arguments(part.arguments)
        if isinstance(part, ToolResult):
            inner = max(self.count_parts(part.parts), self.count_text(EMPTY_RESULT))
            return RESULT_OVERHEAD + self.count_text(part.name) + inner
        if isinstance(part, Reasoning):
            # the text beside encrypted content may be a summary of it: the model reads the longer one
            encrypted = -(-len(part.signature) * ENCRYPTED_TOKENS // ENCRYPTED_CHARS)
            return max(self.count_text(part.text), encrypted)
        if isinstance(part, Media):
            # a form that has no such media gets a line with its address instead
            stub = STUB_TOKENS + self.count_text(part.url) if part.url else 0
            return max(count_media(part, self._family.media), stub)
        return self.count_text(part.raw)

    def _count_arguments(self, arguments: str) -> int:
        """The arguments as sent or, where that is more, as a form that takes objects writes them."""
        sent = self.count_text(arguments)
        try:
            value = msgspec.json.decode(arguments)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            value = arguments
        if not isinstance(value, dict):
            return max(sent, WRAPPED_ARGUMENTS_TOKENS + self.count_text(compact_json(value)))
        rendered = json_as("compact" if self._family.tool_json == "compact" else "spaced", value)
        return sent if rendered == arguments else max(sent, self.count_text(rendered))
