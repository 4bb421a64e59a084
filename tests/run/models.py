"""Models for runs: scripts over the strict upstream, in any form, streamed or whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from trimtab.core.messages import WireName
from trimtab.testing.replies import ScriptedReply
from trimtab.testing.upstream import StrictUpstream

Say = ScriptedReply | Exception


def call(name: str, **arguments: Any) -> ScriptedReply:
    return ScriptedReply(calls=[(name, arguments)])


def calls(*rows: tuple[str, dict[str, Any]], text: str = "") -> ScriptedReply:
    return ScriptedReply(calls=rows, text=text)


def say(text: str) -> ScriptedReply:
    return ScriptedReply(text=text)


def done(step: str, product: str | None = None) -> ScriptedReply:
    return call("update_task", step=step, status="done", because="it is there", **({} if product is None else {"product": product}))


class Crash(Exception):
    """Stands for the end of the process."""


class Scripted:
    """Replies in order, through a provider that refuses what real ones refuse; each a `ScriptedReply`, an exception, or a
    function of the request's body."""

    def __init__(self, replies: Sequence[Say | Callable[[dict[str, Any]], Say]], wire: WireName = "openai_chat") -> None:
        self.wire: WireName = wire
        self.replies = list(replies)
        self.upstream = StrictUpstream(self._next)
        self.bodies: list[dict[str, Any]] = []

    def _next(self, wire: WireName, body: Any, number: int) -> ScriptedReply:
        said = self.replies.pop(0)
        said = said(body) if callable(said) else said
        if isinstance(said, Exception):
            raise said
        return said

    async def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        self.bodies.append(body)
        return self.upstream.reply(self.wire, body)


class Streaming(Scripted):
    """The same, as events."""

    async def reply(self, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:  # type: ignore[override]
        self.bodies.append(body)
        for event in self.upstream.stream(self.wire, body):
            yield event


def text_of(body: dict[str, Any]) -> str:
    return repr([body.get("system"), body["messages"]])
