"""Messages as values: what a message says, apart from which provider's JSON said it.

A `Message` keeps the client's own JSON beside its parts. Rooms that decide read the parts;
the wire sends the JSON again, so that unknown fields, signatures and cache prefixes survive.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
WireName: TypeAlias = Literal["openai_chat", "openai_responses", "anthropic"]
Status: TypeAlias = Literal["complete", "partial", "aborted"]
Source: TypeAlias = Literal["system", "user", "assistant", "tool", "data"]
MediaKind: TypeAlias = Literal["image", "audio", "video", "file"]

WIRES: tuple[WireName, ...] = ("openai_chat", "openai_responses", "anthropic")


class Text(Struct, frozen=True, tag_field="type", tag="text"):
    """Plain text."""

    text: str


class Reasoning(Struct, frozen=True, tag_field="type", tag="reasoning"):
    """The model's reasoning. `signature` is whatever binds it (signature, encrypted content, redacted data)."""

    text: str = ""
    signature: str = ""


class ToolCall(Struct, frozen=True, tag_field="type", tag="tool_call"):
    """A call the model makes. `arguments` is the text as sent (JSON for functions, free text for custom tools)."""

    call_id: str
    name: str
    arguments: str


class Media(Struct, frozen=True, tag_field="type", tag="media"):
    """An image, a sound, a video or a file: by content (`digest` of its bytes) or by `url`."""

    kind: MediaKind
    media_type: str = ""
    digest: str = ""
    url: str = ""
    size_bytes: int = 0
    width: int = 0
    height: int = 0
    detail: str = ""
    pages: int = 0


class Opaque(Struct, frozen=True, tag_field="type", tag="opaque"):
    """A part of a type we do not know. `raw` is its JSON; it travels untouched."""

    kind: str
    raw: str


class ToolResult(Struct, frozen=True, tag_field="type", tag="tool_result"):
    """The answer to a call: text, media and unknown parts, in order."""

    call_id: str
    parts: tuple[Text | Media | Opaque, ...] = ()
    is_error: bool = False
    name: str = ""

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))


Part: TypeAlias = Text | Reasoning | ToolCall | ToolResult | Media | Opaque


class Message(Struct, frozen=True, kw_only=True):
    """One message as the client has it.

    Attributes:
        role: `tool` for a message that holds nothing but tool results, in every wire form;
            `system` for system and developer messages.
        parts: in the order of the client's JSON.
        wire_format: whose JSON `wire` is.
        wire: the client's JSON object, exactly (compact encoding, key order kept).
        status: `partial` for a stream that is not over, `aborted` for one that was cut.
    """

    role: Role
    parts: tuple[Part, ...]
    wire_format: WireName
    wire: bytes
    status: Status = "complete"

    @property
    def text(self) -> str:
        """The visible text, without reasoning and without tool results."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text) and part.text)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolResult))

    @property
    def has_reasoning(self) -> bool:
        return any(isinstance(part, Reasoning) for part in self.parts)

    @property
    def has_user_input(self) -> bool:
        """Whether a person's (or client's) own words or media are in it: this is what opens a turn."""
        return self.role == "user" and any(isinstance(part, Text | Media | Opaque) for part in self.parts)


def encode_wire(value: object) -> bytes:
    """Compact JSON with the key order of the value; the one encoding in which client JSON is kept."""
    return msgspec.json.encode(value)
