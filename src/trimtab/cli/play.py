"""Play a history through a session, round by round, and measure each request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from trimtab.cli.baselines import Rounds, piece
from trimtab.cli.readers import History, batches
from trimtab.cli.report import Request, body_text
from trimtab.cli.transcript import CLAIMS, SYSTEM, TOOLS, Claim, demo_rounds
from trimtab.core.messages import WireName
from trimtab.tokens import counter_for
from trimtab.wire import wire_for

if TYPE_CHECKING:
    from trimtab.session import Session


class Play(Struct, frozen=True, kw_only=True):
    """A history cut into rounds: `rounds[k]` is new at request k+1, `rest` comes after the last request."""

    name: str
    wire: WireName
    system: Any
    tools: list[Any] | None
    rounds: list[list[dict[str, Any]]]
    rest: list[dict[str, Any]] = []
    claims: tuple[Claim, ...] = ()


def demo_play() -> Play:
    return Play(name="leads", wire="openai_chat", system=SYSTEM, tools=TOOLS, rounds=demo_rounds(), claims=CLAIMS)


def history_play(history: History) -> Play:
    rounds, rest = batches(history.messages)
    return Play(name=history.name, wire=history.wire, system=history.system, tools=history.tools, rounds=rounds, rest=rest)


def in_wire(play: Play, wire: WireName) -> Play:
    """The same play for a target of another form: instructions as plain text, tools in that form's shape.

    The messages stay as they came; the session translates them.
    """
    if wire == play.wire:
        return play
    system = "\n\n".join(message.text for message in wire_for(play.wire).parse_system(play.system)) or None
    tools = [tool_in(tool, wire) for tool in play.tools] if play.tools else None
    return msgspec.structs.replace(play, system=system, tools=tools)


def tool_in(tool: Any, wire: WireName) -> Any:
    """A function's schema in another form; a provider's own tool (which has no schema) as it is."""
    inner = tool.get("function", tool)
    schema = inner.get("parameters") or inner.get("input_schema")
    if schema is None or "name" not in inner:
        return tool
    named = {key: inner[key] for key in ("name", "description") if key in inner}
    if wire == "anthropic":
        return named | {"input_schema": schema}
    if wire == "openai_responses":
        return {"type": "function", **named, "parameters": schema}
    return {"type": "function", "function": named | {"parameters": schema}}


def counted(play: Play, model: str) -> Rounds:
    """The history with the tokens of each message, as one unmanaged request would count them."""
    wire, counter = wire_for(play.wire), counter_for(model)
    instructions = wire.parse_system(play.system) if play.system is not None else ()
    head = counter.count_tools(play.tools) + sum(counter.count_message(message) for message in instructions)
    rounds = [[piece(message, counter.count_message(wire.parse_message(message))) for message in new] for new in play.rounds]
    return Rounds(head, body_text([play.system, play.tools]), rounds)


def played(play: Play, history: Rounds, session: Session) -> Iterator[Request]:
    """Record each round, make its prompt and yield what came out. The session's ledger keeps everything."""
    raw_tokens: Sequence[int] = history.raw_tokens()
    for number, (new, raw) in enumerate(zip(play.rounds, raw_tokens, strict=True), 1):
        start = perf_counter()
        session.record(*new)
        prompt = session.prompt(tools=play.tools, system=play.system)
        body = prompt.render()
        spent_ms = (perf_counter() - start) * 1_000
        yield Request(
            number=number,
            raw_tokens=raw,
            produced_tokens=raw - history.head_tokens,
            tokens=prompt.tokens,
            prefix_tokens=prompt.common_prefix_tokens,
            budget_tokens=prompt.budget.prompt_budget_tokens,
            ms=spent_ms,
            sections=dict(prompt.sections),
            cuts=tuple(prompt.cuts),
            text=body_text(body),
        )
    if play.rest:
        session.record(*play.rest)
