"""The compression test of the field: 30 rounds, nine facts, a window of 32k, and a summarizer that is of no use."""

from __future__ import annotations

import pytest

from tests.failures.agent_transcript import FACTS, ROUNDS, RULES, make_run
from tests.session.cases import CHAT, opened, settings
from trimtab.testing import check_prompt
from trimtab.testing.models import Unrelated
from trimtab.tokens import count_request, counter_for

WINDOW = 32_768


def test_the_run_is_as_long_as_the_field_s() -> None:
    counter = counter_for(CHAT.model)
    tokens = sum(counter.count_text(str(message["content"] or message)) for messages in make_run() for message in messages)
    assert 80_000 < tokens < 100_000
    said = "\n".join(str(message["content"]) for messages in make_run() for message in messages)
    assert [fact.name for fact in FACTS if said.count(fact.text) < 1] == []
    assert [fact.name for fact in FACTS if fact.query and fact.text in fact.query] == [], "a query gives its answer away"


@pytest.mark.parametrize("summarizer", [False, True], ids=["no summarizer", "useless summarizer"])
@pytest.mark.parametrize("window", [WINDOW, WINDOW // 2])
@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
@pytest.mark.parametrize("mode", ["compact", "hierarchical", "auto"])
def test_no_rule_is_lost_and_no_fact_is_out_of_reach(mode: str, layout: str, window: int, summarizer: bool) -> None:
    model = Unrelated() if summarizer else None
    counter = counter_for(CHAT.model)
    with opened(settings=settings(window, mode=mode, layout=layout, clear_results=window == WINDOW), summarizer=model) as s:
        said = ""
        for messages in make_run():
            s.record(*messages[:-1])
            said += "\n".join(str(message["content"]) for message in messages)
            prompt = s.prompt()
            body = prompt.render()
            assert count_request(body, "openai_chat", counter) <= prompt.tokens <= prompt.budget.prompt_budget_tokens < window
            check_prompt(body, "openai_chat", CHAT)
            text = "\n".join(str(message.get("content")) for message in body["messages"])
            assert [rule.name for rule in RULES if rule.text in said and rule.text not in text] == []
            s.record(messages[-1])
            s.maintain()
        assert prompt.number >= ROUNDS and prompt.epoch > 0
        if window < WINDOW:
            assert s.compactions(), "nothing was ever cut"
        if model is not None:
            assert model.asked, "the summarizer was never asked: the test shows nothing"
        lost = [
            fact.name
            for fact in FACTS
            if fact.text not in text and not any(fact.text in found.text for found in s.find(fact.query or fact.text, limit=3))
        ]
        assert lost == []
        assert "scripted-1" not in {item.author for item in s.state.items.values()}
