"""The strict mock upstream: refuses what the real providers refuse, in their words, and binds reasoning as they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from trimtab.core.messages import WireName, encode_wire
from trimtab.core.target import Target
from trimtab.errors import InvalidPrompt
from trimtab.testing.memory import Memory
from trimtab.testing.refusals import refusal, too_long
from trimtab.testing.replies import Ids, Script, ScriptedReply, chat_body, echo, message_body, response_body
from trimtab.testing.signatures import Bound, Signer, scan
from trimtab.testing.streams import events_of
from trimtab.wire import wire_for

Binding = Literal["none", "error", "drop"]
_CHARS_PER_TOKEN = 4
_OTHER_CONVERSATION = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, "
    'or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
_MODIFIED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)


class StrictUpstream:
    """A provider of all three interfaces, as plain functions and as an ASGI application.

    It remembers what it handed out: reasoning and the items it led to, and calls that came with reasoning. Item
    ids of different conversations must therefore differ; use one upstream for each where they do not.

    Args:
        script: what the model says: a callable (wire, body, number of the reply from 1), or a list of replies
            after whose end requests are echoed.
        window_tokens: the model's limit for prompt and reply together.
        counter: tokens of a request body; four characters each without one.
        binding: what happens to reasoning whose prefix was changed: nothing (only its authenticity counts), a
            refusal (Responses: as `drop`), or it is left out and the reply says so.
        strict_roles: the templates of local models: system text only first, user and assistant alternate.
        key: signs reasoning.

    Attributes:
        requests: the body of every request to `reply` or over HTTP, refused ones included, in order.
        dropped: reasoning blocks left out so far.
    """

    def __init__(
        self,
        script: Script | None = None,
        window_tokens: int = 200_000,
        counter: Callable[[Mapping[str, Any]], int] | None = None,
        binding: Binding = "none",
        strict_roles: bool = False,
        key: bytes = b"strict upstream",
    ) -> None:
        self._script = script if callable(script) or script is None else list(script)
        self._window_tokens, self._counter, self._binding = window_tokens, counter, binding
        self._strict_roles, self._key, self._signer = strict_roles, key, Signer(key)
        self._memory = Memory()
        self._replies = 0
        self.requests: list[dict[str, Any]] = []
        self.dropped = 0

    def count(self, body: Mapping[str, Any]) -> int:
        """Tokens of the prompt, tools included."""
        return self._counter(body) if self._counter else len(encode_wire(body)) // _CHARS_PER_TOKEN

    def check(self, wire: WireName, body: Mapping[str, Any]) -> None:
        """Raise UpstreamRefusal where the provider would refuse the request."""
        self._admit(wire, body)

    def reply(self, wire: WireName, body: Mapping[str, Any]) -> dict[str, Any]:
        """The whole response body. Raises UpstreamRefusal."""
        self.requests.append(dict(body))
        tokens, kept, dropped = self._admit(wire, body)
        self._replies += 1
        scripted = self._next(wire, body)
        answer = self._answer(wire, body, scripted, (tokens, self._signature(wire, body, scripted, kept)))
        self._memory.learn(wire, answer)
        if dropped:
            answer["input_transformations"] = [_transformation(wire, bound) for bound in dropped]
        return answer

    def _signature(self, wire: WireName, body: Mapping[str, Any], scripted: ScriptedReply, kept: list[Bound]) -> str:
        """Signature of the reply's reasoning after this request; "" where it has none."""
        if scripted.thinking is None or wire == "openai_chat":
            return ""
        text = scripted.thinking if wire == "anthropic" else ""
        return self._signer.sign(text, scan(wire, body, prefixes=True)[1], kept[-1].signature if kept else "")

    def _answer(self, wire: WireName, body: Mapping[str, Any], scripted: ScriptedReply, made: tuple[int, str]) -> dict[str, Any]:
        tokens, signature = made
        ids, model = Ids(self._key, self._replies), str(body.get("model") or "")
        if wire == "openai_chat":
            return chat_body(scripted, model, tokens, ids)
        if wire == "anthropic":
            return message_body(scripted, model, tokens, ids, signature)
        return response_body(scripted, body, tokens, ids, signature)

    def stream(self, wire: WireName, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The events of a streamed reply, without their framing. Raises UpstreamRefusal."""
        return events_of(wire, self.reply(wire, body), body)

    def count_tokens(self, body: Mapping[str, Any]) -> int:
        """Anthropic's count of a list or a part of one. Raises UpstreamRefusal for a signature that is not ours."""
        self._authentic("anthropic", scan("anthropic", body, prefixes=False)[0])
        return self.count(body)

    def sealed(self, wire: WireName, body: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of the request in which every reasoning block is signed where it stands, as if made here: for
        histories that a test makes up."""
        copy: dict[str, Any] = msgspec.json.decode(encode_wire(body))
        for item in copy.get("input") or () if wire == "openai_responses" else ():
            if isinstance(item, dict) and item.get("type") == "reasoning":
                item["encrypted_content"] = "to be signed"
        previous = ""
        for bound in scan(wire, copy, prefixes=True)[0]:
            previous = self._signer.seal(bound, previous)
        return copy

    def _next(self, wire: WireName, body: Mapping[str, Any]) -> ScriptedReply:
        if callable(self._script):
            return self._script(wire, body, self._replies)
        if self._script is None or self._replies > len(self._script):
            return echo(wire, body, self._replies)
        return self._script[self._replies - 1]

    def _admit(self, wire: WireName, body: Mapping[str, Any]) -> tuple[int, list[Bound], list[Bound]]:
        """(prompt tokens, reasoning that stays, reasoning that is left out). Raises UpstreamRefusal."""
        reasoning: Literal["bound", "free"] = "free" if self._binding == "none" else "bound"
        target = Target(model=str(body.get("model") or ""), wire=wire, strict_roles=self._strict_roles, reasoning=reasoning)
        try:
            wire_for(wire).validate(body, target)
        except InvalidPrompt as error:
            raise refusal(wire, error.rule, error.message, error.path.removeprefix("$.")) from error
        tokens = self.count(body)
        over = too_long(wire, tokens, _output_tokens(body), self._window_tokens)
        if over is not None:
            raise over
        self._memory.check(wire, body)
        bounds, _ = scan(wire, body, prefixes=False)
        self._authentic(wire, bounds)
        kept, dropped = self._bind(wire, body) if bounds and self._binding != "none" else (bounds, [])
        self.dropped += len(dropped)
        return tokens, kept, dropped

    def _authentic(self, wire: WireName, bounds: list[Bound]) -> None:
        """Refuse reasoning that was not made here, or whose text was changed (A6, A7, R4)."""
        for bound in bounds:
            if self._signer.is_authentic(bound.text, bound.signature):
                continue
            if wire == "openai_responses":
                message = f"The encrypted content for item {bound.block.get('id')} could not be verified."
                raise refusal(wire, "R4", message, bound.path, "invalid_encrypted_content")
            kind = bound.block["type"]
            if bound.latest and bound.signature and self._signer.is_sound(bound.signature):
                raise refusal(wire, "A6", f"{bound.path}: {_MODIFIED}")
            field = "signature" if kind == "thinking" else "data"
            raise refusal(wire, "A7", f"{bound.path}: Invalid `{field}` in `{kind}` block")

    def _bind(self, wire: WireName, body: Mapping[str, Any]) -> tuple[list[Bound], list[Bound]]:
        """Reasoning that stays and reasoning that is left out (A9, A10, R8)."""
        refuse = self._binding == "error" and wire == "anthropic" and not _asks_to_drop(body)
        kept: list[Bound] = []
        dropped: list[Bound] = []
        for bound in scan(wire, body, prefixes=True)[0]:
            if self._signer.is_bound(bound.signature, bound.prefix, kept[-1].signature if kept else ""):
                kept.append(bound)
            elif refuse:
                raise refusal(wire, "A9", f"{bound.path}: {_OTHER_CONVERSATION}")
            else:
                dropped.append(bound)
        return kept, dropped

    @cached_property
    def _application(self) -> Any:
        from trimtab.testing.app import application  # needs starlette, which the plain functions do not

        return application(self)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        await self._application(scope, receive, send)


def _asks_to_drop(body: Mapping[str, Any]) -> bool:
    thinking = body.get("thinking")
    binding = thinking.get("block_binding") if isinstance(thinking, Mapping) else None
    return isinstance(binding, Mapping) and binding.get("prefix_mismatch_behavior") == "drop_block"


def _output_tokens(body: Mapping[str, Any]) -> int:
    for key in ("max_completion_tokens", "max_output_tokens", "max_tokens"):
        if isinstance(body.get(key), int):
            return int(body[key])
    return 0


def _transformation(wire: WireName, bound: Bound) -> dict[str, Any]:
    if wire == "anthropic":
        return {"type": "thinking_dropped", "path": bound.path, "reason": "prefix_binding_mismatch"}
    return {"type": "reasoning", "id": bound.block.get("id") or "", "action": "removed", "reason": "prefix_mismatch"}
