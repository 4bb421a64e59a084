"""Whom a run asks: an endpoint by its address, or any object that replies to a request body."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any, Literal, Protocol, TypeAlias, get_args

from msgspec import Struct

from trimtab.core.target import Target
from trimtab.errors import BadSetting, ModelError
from trimtab.llm.anthropic import VERSION
from trimtab.llm.http import REFUSALS, api_key
from trimtab.llm.streaming import events

Interface: TypeAlias = Literal["openai_chat", "anthropic"]
_PATHS: dict[str, str] = {"openai_chat": "/chat/completions", "anthropic": "/v1/messages"}
_TOO_LONG = re.compile(r"context|too long|maximum.{0,20}length|token limit|window", re.IGNORECASE)
_NO_STREAM_OPTIONS = re.compile(r"stream_options", re.IGNORECASE)


class Replies(Protocol):
    """A model of your own. `reply` may be a coroutine function that returns the reply as a dict (a message, or a whole body) or
    an asynchronous iterator of stream events, or an asynchronous generator of these: the chunks or events of the interface's own
    streams, as dicts or as a client library's objects. Whatever role it claims, a reply is the assistant's; a call without an id
    gets one."""

    def reply(self, body: dict[str, Any]) -> Any: ...


class Endpoint(Struct, frozen=True, kw_only=True):
    """A model behind an endpoint. Its key is read from the environment at each request, never stored or logged.

    Attributes:
        base_url: as its own client libraries take it ("https://api.example.com/v1").
        model: its name there.
        interface: which form it speaks: chat completions, or messages.
        api_key_env: name of the environment variable that holds the key; "" for none.
        timeout_s: seconds without a piece of the reply after which it is given up.
        tries: requests that are made where an endpoint is busy or the connection fails.
        strict_roles: see `trimtab.Target`.
        window_tokens: what it takes, where no session says it and its name does not tell; 0 for unknown.
    """

    base_url: str
    model: str
    interface: Interface = "openai_chat"
    api_key_env: str = ""
    timeout_s: float = 120.0
    tries: int = 4
    strict_roles: bool = False
    window_tokens: int = 0

    def __post_init__(self) -> None:
        url = self.base_url
        bare = "@" not in url.partition("://")[2].partition("/")[0]
        checks: tuple[tuple[str, object, bool, str], ...] = (
            ("base_url", url if bare else "...", url.startswith(("http://", "https://")), "a URL that begins with http:// or https://"),
            ("base_url", "...", bare, "a URL without a name or password; set api_key_env"),
            ("model", self.model, bool(self.model), "the model's name at the endpoint"),
            ("interface", self.interface, self.interface in get_args(Interface), "one of " + ", ".join(get_args(Interface))),
            ("timeout_s", self.timeout_s, self.timeout_s > 0, "above 0"),
            ("tries", self.tries, self.tries >= 1, "1 or more"),
        )
        for key, value, good, allowed in checks:
            if not good:
                raise BadSetting(f"endpoint.{key}", value, allowed)

    @property
    def target(self) -> Target:
        return Target(model=self.model, wire=self.interface, upstream=self.base_url, strict_roles=self.strict_roles)

    @property
    def url(self) -> str:
        base, path = self.base_url.rstrip("/"), _PATHS[self.interface]
        return base + (path.removeprefix("/v1") if base.endswith("/v1") else path)

    async def reply(self, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """The events of the reply as they come. Raises ModelError; BadSetting where the key's variable is not set."""
        key = api_key(self.api_key_env)
        if self.interface == "anthropic":
            headers = {"anthropic-version": VERSION} | ({"x-api-key": key} if key else {})
        else:
            headers = {"authorization": f"Bearer {key}"} if key else {}
        options = {"stream_options": {"include_usage": True}} if self.interface == "openai_chat" else {}
        begun = False
        try:
            async for event in events(self.url, headers, body | {"stream": True} | options, self.timeout_s, key):
                begun = True
                yield event
        except ModelError as error:
            # some servers do not know that option
            if begun or not options or error.status not in REFUSALS or not _NO_STREAM_OPTIONS.search(error.problem):
                raise
            async for event in events(self.url, headers, body | {"stream": True}, self.timeout_s, key):
                yield event


def is_too_long(error: ModelError) -> bool:
    """Whether the endpoint refused the request for its length."""
    return error.status in (*REFUSALS, 413) and _TOO_LONG.search(error.problem) is not None
