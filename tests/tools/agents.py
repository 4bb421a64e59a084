"""What the tests of the tools share: a session with a history, and calls of tools in each wire form."""

from __future__ import annotations

import json
from typing import Any

from tests.failures.shapes import Talk, settings, target
from trimtab import Session, Toolset
from trimtab.core.messages import WireName

ORDERS = [{"id": f"A-{number}", "total": number * 10, "status": "paid" if number % 2 else "open"} for number in range(1, 301)]
PAGE = (
    "Borealis AG\n\nThe company makes pumps in Oslo. Its revenue in 2024 was 4.2 million EUR, up 12 % on the year.\n\n"
    "The list price of the P-300 pump is 1,280 EUR. Delivery takes 6 weeks. Nobody knows why."
)
PAGE_ZH = "北方公司\n\n公司在奥斯陆生产水泵。2024年营收为420万元,同比增长12%。\n\nP-300水泵的价格是1280元。交货需要6周。"


def opened(wire: WireName = "openai_chat", mode: str = "auto", window_tokens: int = 32_000, **changes: Any) -> Session:
    return Session.open(":memory:", "s", settings=settings(mode, window_tokens, **changes), target=target(wire))


def with_result(text: str, wire: WireName = "openai_chat", **changes: Any) -> tuple[Session, Toolset, int]:
    """(session, its tools, number of the message with the result): a task, and the result of `fetch(id=7)`."""
    say = Talk(wire)
    session = opened(wire, **changes)
    session.record(*say.user("Look at the source."))
    session.record(*say.calls("c1", name="fetch", id=7))
    seq = session.record(*say.results({"c1": text})).last_seq
    return session, Toolset(session), seq


def calls(wire: WireName, *asked: tuple[str, str, dict[str, Any] | str]) -> Any:
    """An assistant message (of Responses: the output items) with these (id, name, arguments) calls."""
    dumped = [(call_id, name, given if isinstance(given, str) else json.dumps(given)) for call_id, name, given in asked]
    if wire == "openai_responses":
        return [{"type": "function_call", "call_id": call_id, "name": name, "arguments": given} for call_id, name, given in dumped]
    if wire == "anthropic":
        blocks = [{"type": "tool_use", "id": call_id, "name": name, "input": json.loads(given)} for call_id, name, given in dumped]
        return {"role": "assistant", "content": blocks}
    made = [{"id": call_id, "type": "function", "function": {"name": name, "arguments": given}} for call_id, name, given in dumped]
    return {"role": "assistant", "content": None, "tool_calls": made}


def later(session: Session, rounds: int = 1, wire: WireName = "openai_chat", say: str = "Going on.") -> None:
    """The agent goes on: what was there before is no longer the exchange that is under way."""
    talk = Talk(wire)
    for _ in range(rounds):
        session.record(*talk.says(say))
