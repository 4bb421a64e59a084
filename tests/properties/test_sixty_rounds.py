"""Sixty growing rounds against the strict mock, reasoning bound and free, without one refusal (issue 2, no. 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest

from tests.properties.authors import Author, calls_of
from tests.properties.play import QUICK, TOOLS
from trimtab import Budget, Prompt, Session, Settings, Target
from trimtab.core.messages import WireName
from trimtab.settings import TailMode
from trimtab.testing import ScriptedReply, StrictUpstream, check_prompt
from trimtab.tokens import count_request

ROUNDS = 60
ROWS = '{{"id": {0}, "name": "lead {0}", "mail": "a{0}@example.org", "region": "华东", "state": "open"}},\n'
CASES: list[tuple[WireName, Literal["none", "error", "drop"], TailMode, bool]] = [
    ("anthropic", "error", "append", False),
    ("anthropic", "error", "auto", False),
    ("anthropic", "drop", "append", False),
    ("anthropic", "none", "replace", False),
    ("anthropic", "none", "append", False),
    ("openai_responses", "error", "append", False),
    ("openai_responses", "drop", "append", False),
    ("openai_responses", "none", "replace", False),
    ("openai_responses", "none", "append", False),
    ("openai_chat", "none", "replace", False),
    ("openai_chat", "none", "append", False),
    ("openai_chat", "none", "replace", True),
    ("openai_chat", "none", "append", True),
]


def script(wire: WireName, body: Mapping[str, Any], number: int) -> ScriptedReply:
    """Thinks every time; calls one to three tools in two of three rounds."""
    calls = [("look", {"q": f"row {number}.{index}"}) for index in range(number % 3)]
    text = f"Round {number}: looked at the rows and going on. " * (1 + number % 4)
    return ScriptedReply(text="" if calls and number % 2 else text, calls=calls, thinking=f"I should look at {number}. " * 6)


class Run:
    """One conversation: our prompt goes up, the reply comes down and is recorded, tools answer, the user goes on."""

    def __init__(self, wire: WireName, binding: Literal["none", "error", "drop"], tail_mode: TailMode, strict: bool, mode: str) -> None:
        self.wire, self.binding = wire, binding
        self.target = Target(model="m", wire=wire, strict_roles=strict, reasoning="free" if binding == "none" else "bound")
        self.upstream = StrictUpstream(script=script, window_tokens=10**6, binding=binding, strict_roles=strict)
        self.author = Author(wire, self.upstream)
        settings = Settings(
            mode=mode, layout="cache_first", tail_mode=tail_mode, budget=Budget(window_tokens=9_000), inject_notes=("done",)
        )
        self.session = Session.open(":memory:", "s", settings=settings, target=self.target, counter=QUICK)
        self.prompts: list[Prompt] = []

    def play(self) -> None:
        with self.session:
            self.session.record(self.author.system("You clean leads."))
            self.session.meta_context("A careful agent", ["Never delete a row"], ["All rows are clean"])
            self.session.record(self.author.user("Clean the leads. All prices must be in US dollars. 不要发送邮件。"))
            for number in range(1, ROUNDS + 1):
                self._beside(number)
                self._round(number)

    def _beside(self, number: int) -> None:
        """State that changes while the conversation grows."""
        if number % 7 == 0:
            self.session.pin(f"Pin of round {number}", "never" if number % 2 else "must")
        if number % 5 == 0:
            self.session.write_note("done", {"rows": number})

    def _round(self, number: int) -> None:
        prompt = self.session.prompt(tools=TOOLS[self.wire])
        body = prompt.render()
        if self.wire == "anthropic":
            body["thinking"] = {"type": "enabled", "budget_tokens": 1_024}
        check_prompt(body, self.wire, self.target)
        assert count_request(body, self.wire, QUICK) <= prompt.tokens <= prompt.budget.prompt_budget_tokens
        dropped = self.upstream.dropped
        reply = self.upstream.reply(self.wire, body)
        if self.binding != "none":
            assert self.upstream.dropped == dropped, f"round {number}: reasoning was sent that the provider had to leave out"
        self.prompts.append(prompt)
        self.session.record(reply)
        calls = calls_of(self.author.sent_back(reply))
        if calls:
            rows = "".join(ROWS.format(number * 100 + row) for row in range(3 + number % 12))
            self.session.record(*self.author.results([(call_id, rows) for call_id in calls]))
        else:
            self.session.record(self.author.user(f"Go on with part {number}. Keep the region column."))


@pytest.mark.parametrize("mode", ["auto", "compact", "hierarchical", "window", "retrieval"])
@pytest.mark.parametrize(("wire", "binding", "tail_mode", "strict"), CASES)
def test_sixty_rounds_without_a_refusal(
    wire: WireName, binding: Literal["none", "error", "drop"], tail_mode: TailMode, strict: bool, mode: str
) -> None:
    run = Run(wire, binding, tail_mode, strict, mode)
    run.play()
    assert len(run.prompts) == ROUNDS
    compactions = sum("compaction" in prompt.cuts for prompt in run.prompts)
    assert compactions >= 3, "a run without several compactions shows nothing"
    unbroken = sum(not prompt.break_reason for prompt in run.prompts)
    assert unbroken > ROUNDS // 2, f"the prefix held in {unbroken} of {ROUNDS} rounds"
    assert run.upstream.dropped == 0
