"""The providers' wire forms. `wire_for(name)` is the only way in; a form is loaded when it is first asked for."""

from __future__ import annotations

from functools import cache

from trimtab.core.messages import WireName
from trimtab.wire.protocol import ParsedRequest, Reply, Usage, Wire

__all__ = ["ParsedRequest", "Reply", "Usage", "Wire", "wire_for"]


@cache
def wire_for(name: WireName) -> Wire:
    """The wire form of that name. Raises ValueError for a name that is not in `WIRES`."""
    if name == "openai_chat":
        from trimtab.wire.openai_chat import OpenAIChat

        return OpenAIChat()
    if name == "openai_responses":
        from trimtab.wire.openai_responses import OpenAIResponses

        return OpenAIResponses()
    if name == "anthropic":
        from trimtab.wire.anthropic import Anthropic

        return Anthropic()
    raise ValueError(f"no wire form {name!r}; there is: openai_chat, openai_responses, anthropic")
