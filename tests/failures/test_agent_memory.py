"""Memory that an agent keeps itself: sources mixed up, calls forgotten, facts of the surroundings lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.failures.shapes import MODES, SHRINKING_MODES, WIRES, Talk, call_ids, checked, results_in, settings, target, text_of, words
from trimtab import Session, Settings, Toolset
from trimtab.core.messages import WireName
from trimtab.core.units import Unit

SUMMARY_MODES = ("compact", "hierarchical", "auto")


def sent(session: Session, wire: WireName, **changes: Any) -> str:
    """The text of the next request, after all checks."""
    return text_of(checked(session.prompt(**changes), wire))


def unit_of(session: Session, seq: int) -> Unit | None:
    return next((unit for unit in session.state.units if seq in unit.nodes), None)


class Agent:
    """An agent with the tools: it calls, and records call and answer as a client does."""

    def __init__(self, session: Session, wire: WireName) -> None:
        self.session, self.say, self.wire = session, Talk(wire), wire
        self.tools = Toolset(session)
        self.calls = 0

    def fetch(self, *texts: str) -> list[str]:
        """Calls `fetch` for each text at once. Returns how each result is named."""
        ids = [f"f{self.calls + n}" for n in range(len(texts))]
        self.calls += len(texts)
        self.session.record(*self.say.calls(*ids, name="fetch"))
        seqs = [self.session.record(message).last_seq for message in self.say.results(dict(zip(ids, texts, strict=True)))]
        if len(seqs) == len(texts):
            return [f"#{seq}" for seq in seqs]
        return [f"#{seqs[0]}.{place}" for place in range(1, len(texts) + 1)]

    def use(self, name: str, **arguments: Any) -> str:
        """Calls one of the tools; its answer as the next request has it."""
        self.calls += 1
        call_id = f"t{self.calls}"
        message = self.say.calls(call_id, name=name, **arguments)
        self.session.record(*message)
        results = self.tools.answer(message)
        self.session.record(*results)
        body = checked(self.session.prompt(tools=self.tools.schemas()), self.wire)
        return dict(results_in(body))[call_id]


# ---------------------------------------------------------------- twenty articles


def article(number: int) -> str:
    """Twenty of a kind: each says the same things with figures of its own, amid 900 tokens of other words."""
    return (
        f"Report on plant {number}\n\n{words(450, number)}.\n\nThe capacity of the plant is {100 + 7 * number} MWh. It was built for "
        f"{3 * number + 1} million EUR.\n\n{words(450, number + 30)}."
    )


@pytest.mark.parametrize("at_once", [1, 2, 5])
@pytest.mark.parametrize("wire", WIRES)
def test_twenty_articles_whose_sources_must_not_be_mixed(wire: WireName, at_once: int) -> None:
    """Facts of one article were told as another's, once all of them had been through the context.

    Right: what is kept of a source is saved with it, one note for one source; a message that holds the results of
    several calls is not taken for one source; and the articles are not in the prompt when the report is written."""
    with Session.open(":memory:", "s", settings=settings("auto", 16_000), target=target(wire)) as session:
        session.record(*Talk(wire).user("Compare the capacity and the cost of twenty plants."))
        agent = Agent(session, wire)
        for first in range(0, 20, at_once):
            numbers = range(first, first + at_once)
            sources = agent.fetch(*(article(number) for number in numbers))
            if "." in sources[0]:
                refused = agent.use("extract_key_info", source="last", keep_fields=["capacity"])
                assert f"holds the results of {at_once} calls" in refused and f"{sources[1]} fetch(" in refused
                assert not any(key.startswith("key_info/") for key in session.state.notes)
            for number, source in zip(numbers, sources, strict=True):
                answer = agent.use("extract_key_info", source=source, keep_fields=["capacity", "built"], save_as=f"plant/{number:02}")
                assert answer.startswith(f'saved as note "plant/{number:02}" (version 1); source: {source}, result of fetch(')
            dropped = agent.use("drop_history", ids=[source.partition(".")[0] for source in sources])
            assert dropped.startswith("dropped ")
        body = text_of(checked(session.prompt(tools=agent.tools.schemas()), wire))
        assert not any(article(number) in body for number in range(19))
        for number in range(20):
            note = json.loads(agent.use("read_note", key=f"plant/{number:02}"))
            capacity, built = note["fields"]["capacity"], note["fields"]["built"]
            assert capacity["sentences"] == [f"¶3 s3: The capacity of the plant is {100 + 7 * number} MWh."]
            assert built["sentences"] == [f"¶3 s4: It was built for {3 * number + 1} million EUR."]
            assert session.read(note["source"]) == article(number)


# ---------------------------------------------------------------- dify#25237, dify#4688


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("wire", WIRES)
def test_dify_25237_4688_the_call_is_there_in_the_next_turn(wire: WireName, mode: str) -> None:
    """Call and result were missing from the history of the next turn, and the model called the tool again.

    Right: in the next turn the pair is there, whole; once it has left, one line says what was called and what came
    of it."""
    say = Talk(wire)
    with Session.open(":memory:", "s", settings=settings(mode, 16_000), target=target(wire)) as session:
        session.record(*say.user("What is the stock of P-300?"))
        session.record(*say.calls("c1", name="stock_of", sku="P-300"), *say.results({"c1": "stock: 41 pieces"}))
        session.record(*say.says("41 pieces."), *say.user("And is that enough for two weeks?"))
        body = checked(session.prompt(), wire)
        assert call_ids(body) == ["c1"] and dict(results_in(body)) == {"c1": "stock: 41 pieces"}


@pytest.mark.parametrize("mode", SUMMARY_MODES)
@pytest.mark.parametrize("wire", WIRES)
def test_dify_25237_4688_a_dropped_call_leaves_a_line(wire: WireName, mode: str) -> None:
    """The agent itself lets the exchange go: a line of what was called stays, and the whole can be read again."""
    say = Talk(wire)
    result = "stock: 41 pieces\n" + words(2_000)
    with Session.open(":memory:", "s", settings=settings(mode, 16_000, stub_result_ratio=1.0), target=target(wire)) as session:
        session.record(*say.user("What is the stock of P-300?"))
        session.record(*say.calls("c1", name="stock_of", sku="P-300"))
        seq = session.record(*say.results({"c1": result})).last_seq
        agent = Agent(session, wire)
        assert result in sent(session, wire)
        agent.use("write_note", key="stock/P-300", value="41 pieces")
        assert agent.use("drop_history", ids=[seq]).startswith("dropped 2 messages")
        session.record(*say.says("41 pieces."), *say.user("And is that enough for two weeks?"))
        text = sent(session, wire)
        assert result not in text
        assert "called stock_of(sku=P-300) -> " in text
        assert agent.tools.run("read_variable", {"name": f"#{seq}", "lines": [1, 1]}) == "stock: 41 pieces"


# ---------------------------------------------------------------- n8n#14361


@pytest.mark.parametrize("mode", SUMMARY_MODES)
@pytest.mark.parametrize("wire", WIRES)
def test_n8n_14361_what_was_called_is_told_after_the_exchange_left(wire: WireName, mode: str) -> None:
    """Memory kept what was said and not what was called: after ten turns of "do it" and "done" the model had learned
    to say "done" without calling anything.

    Right: for each call that left, `called mail(to=...) -> ok` stands in the prompt."""
    say = Talk(wire)
    # Claude is counted by an upper bound, about twice the others' count
    given = settings(mode, 8_192 if wire == "anthropic" else 4_096, overlap_rounds=1, hot_rounds=2)
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        called = []
        for number in range(10):
            session.record(*say.user(f"Mail customer {number}. {words(60, number)}"))
            called.append(session.record(*say.calls(f"c{number}", name="mail", to=f"customer-{number}@example.com")).last_seq)
            session.record(*say.results({f"c{number}": '{"ok": true, "log": "' + words(200, number) + '"}'}))
            session.record(*say.says("Done."))
            text = sent(session, wire)
        gone = [number for number, seq in enumerate(called) if unit_of(session, seq) is None]
        assert len(gone) >= 5
        for number in gone:
            assert f"called mail(to=customer-{number}@example.com) -> ok" in text


# ---------------------------------------------------------------- claude-code#24792

FACTS = (
    (3, "For HTTP calls we use httpie on this machine, curl is not installed.", "httpie", "which HTTP client: httpie or curl"),
    (6, "The staging database runs on AWS in eu-west-1, nothing runs locally.", "eu-west-1", "database local or AWS"),
    (9, "The API listens on port 8443 behind the proxy.", "8443", "API port"),
)


@pytest.mark.parametrize("mode", SHRINKING_MODES)
@pytest.mark.parametrize("wire", WIRES)
def test_claude_code_24792_facts_of_the_surroundings_outlive_a_compaction(wire: WireName, mode: str) -> None:
    """After a compaction the agent used curl, which was not there, and asked whether the database was local or on AWS.
    Three facts had been said in turns 3 to 9; the compaction came at turn 80.

    Right: each of them stands in the prompt still, or one query finds it."""
    say = Talk(wire)
    facts = {turn: text for turn, text, _, _ in FACTS}
    given = Settings(mode=mode, budget=settings(mode, 32_000).budget)
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        seqs = []
        for turn in range(1, 81):
            said = f"Step {turn}: {words(120, turn)}." + (f" {facts[turn]}" if turn in facts else "")
            report = session.record(*say.user(said))
            seqs += [report.last_seq] if turn in facts else []
            session.record(*say.tool_round(f"c{turn}", words(200, turn)), *say.says(f"Did step {turn}. {words(60, turn)}."))
            text = sent(session, wire)
        assert all(unit_of(session, seq) is None for seq in seqs), "the facts have not left yet"
        tools = Toolset(session)
        for _, fact, word, query in FACTS:
            assert fact in text or word in tools.run("query_memory", {"query": query}), (mode, word)
