"""How summarizing models broke other tools, rebuilt: the history is never the price."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.failures.shapes import words
from tests.session.cases import CHAT, CLAUDE, KEY, RESPONSES, ask, call, reply, result, settings, text_of, user
from trimtab import Session, Target
from trimtab.settings import Summarizer
from trimtab.testing import models
from trimtab.tokens import counter_for

LIMITS = Summarizer(timeout_s=20.0, least_tokens=300)


def opened(model: Any, window: int = 32_000, target: Target = CHAT, **changes: Any) -> Session:
    return Session.open(":memory:", "s", target=target, summarizer=model, settings=settings(window, summarizer=LIMITS, **changes))


def loop(session: Session, rounds: int, size: int = 400, first: int = 0) -> None:
    """Rounds of a tool loop, without any user message."""
    for number in range(first, first + rounds):
        session.record(call(f"c{number}", "look", f'{{"page": {number}}}'), result(f"c{number}", f"page {number}: {words(size, number)}"))


def test_a_loop_without_user_messages_is_distilled_and_never_replaced_by_a_placeholder() -> None:
    """langchain #39261: no user message in the window, so the input was empty and the history became a placeholder."""
    model = models.Perfect()
    with opened(model, window=16_000, mode="compact") as session:
        session.record(user("Look through the pages."))
        loop(session, 30)
        ask(session)
        assert session.maintain().outcome == "done"
        assert {row.role for row in model.heard} >= {"assistant", "tool"} and len({row.seq for row in model.heard}) > 50
        loop(session, 5, first=30)
        session.maintain()
        last = models.read_transcript(model.asked[-1])
        assert last and {row.role for row in last} <= {"assistant", "tool"}
        text = text_of(ask(session))
        assert "Look through the pages." in text and "too long to summarize" not in text and "page 34:" in text


@pytest.mark.parametrize("kind", [models.Raising, models.Hanging, models.Silent])
def test_a_summarizer_that_fails_loses_nothing(kind: type[models.ScriptedModel]) -> None:
    """langchain #38867, letta #2601: it raised once, and 38 messages were gone."""
    limits = Summarizer(timeout_s=0.05, least_tokens=300)
    with Session.open(
        ":memory:", "s", target=CHAT, summarizer=kind(), settings=settings(8_000, summarizer=limits, mode="compact")
    ) as session:
        session.record(user("RULE: Never touch table billing."), reply("Noted."))
        for number in range(20):
            session.record(user(f"Question {number}: {words(60, number)}"), reply(f"Answer {number}: {words(60, number)}"))
        for _ in range(4):
            assert session.maintain().outcome in ("failed", "refused", "idle")
        assert session.state.messages == 42
        text = text_of(ask(session))
        assert "Never touch table billing." in text and "Answer 19" in text and "endpoint is down" not in text


def test_the_rule_of_the_first_message_is_read_by_the_summarizer_and_kept_without_it() -> None:
    """langchain `trim_tokens_to_summarize`: only the last 4,000 tokens were read, the rule was in none of them."""
    rule = "RULE-7: never touch table billing."
    for model in (models.Perfect(window_tokens=6_000), models.Dropping(window_tokens=6_000)):
        with opened(model, window=16_000, mode="compact") as session:
            session.record(user(f"{rule} Go through the pages."))
            loop(session, 60, size=200)
            assert session.maintain().outcome == "done"
            assert any(rule in row.text for row in model.heard)
            assert rule in text_of(ask(session))


def test_a_stretch_larger_than_the_summarizers_window_is_read_in_parts() -> None:
    """deepagents #5913: the evicted part was larger than the summarizer's window, and the turn died."""
    model = models.Perfect(window_tokens=8_000)
    with opened(model, window=16_000, mode="compact") as session:
        session.record(user("Go through the pages."))
        loop(session, 30, size=2_500)
        report = session.maintain()
        assert report.outcome == "done" and report.calls > 4
        count = counter_for(model.name).count_text
        assert all(sum(count(message.text) for message in messages) < 8_000 for messages in model.asked)
        settled = {row.seq for row in session.store.load(KEY) if row.kind == "message" and row.seq <= session.state.distilled_seq}
        assert {row.seq for row in model.heard} == settled and len(settled) > 50
        ask(session)


def test_a_single_huge_message_is_shortened_for_the_summarizer_and_never_an_empty_request() -> None:
    """langmem #69: the only message was larger than the limit, so the model got nothing and asked for the conversation."""
    model = models.Perfect(window_tokens=4_000)
    with opened(model, window=16_000) as session:
        session.record(call("c1", "dump"), result("c1", f"HEAD-1 {words(9_000)} TAIL-2"))
        for number in range(3):
            session.record(user(f"And now {number}?"), reply(f"Number {number}."))
        report = session.maintain()
        assert report.outcome == "done" and model.heard
        told = "".join(row.text for row in model.heard)
        assert "HEAD-1" in told and "TAIL-2" in told and "characters left out" in told

    class Asking(models.ScriptedModel):
        def items_for(self, heard: Sequence[models.Heard]) -> list[models.Item]:
            return [models.item("question", "Please provide the conversation you want summarized", heard[0].seq)]

    with opened(Asking()) as session:
        session.record(call("c1", "dump"), result("c1", f"HEAD-1 {words(3_000)} TAIL-2"))
        for number in range(3):
            session.record(user(f"And now {number}?"), reply(f"Number {number}."))
        assert session.maintain().outcome == "refused"


@pytest.mark.parametrize("target", [CHAT, RESPONSES, CLAUDE], ids=lambda target: target.wire)
def test_calls_and_results_are_text_so_that_no_tools_are_needed(target: Target) -> None:
    """strands harness-sdk #998: tool messages went to the summarizer without `tools`, and the provider refused them."""
    model = models.Perfect()
    with opened(model, target=target) as session:
        for number in range(6):
            if target.wire == "anthropic":
                use = {"type": "tool_use", "id": f"c{number}", "name": "look", "input": {"page": number}}
                got = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"page {number}: {words(100, number)}"}
                session.record({"role": "assistant", "content": [use]}, {"role": "user", "content": [got]})
            elif target.wire == "openai_responses":
                session.record(
                    {"type": "function_call", "call_id": f"c{number}", "name": "look", "arguments": f'{{"page": {number}}}'},
                    {"type": "function_call_output", "call_id": f"c{number}", "output": f"page {number}: {words(100, number)}"},
                )
            else:
                loop(session, 1, size=100, first=number)
            session.record({"role": "user", "content": f"Next {number}."}, {"role": "assistant", "content": "Good."})
        assert session.maintain().outcome == "done"
        assert all(message.role in ("system", "user") and isinstance(message.text, str) for messages in model.asked for message in messages)
        told = "".join(row.text for row in model.heard)
        assert "[calls look with" in told and "[result of look]" in told and "page 0:" in told
