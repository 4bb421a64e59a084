"""A resent history is found by what was said; where two conversations could be meant, none is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gateway.captured import LABELS
from tests.gateway.test_claims import captured
from trimtab.core.ids import Hasher
from trimtab.core.messages import Message
from trimtab.gateway.lineages import Lineages, Resolved, Step, steps_of
from trimtab.gateway.passing import interface_of
from trimtab.wire import wire_for

HASHER = Hasher.for_tenant("t")


def history(*said: str) -> list[Message]:
    """User and assistant by turns."""
    wire = wire_for("openai_chat")
    return [wire.parse_message({"role": "assistant" if n % 2 else "user", "content": text}) for n, text in enumerate(said)]


def chain(*said: str) -> list[Step]:
    return steps_of(history(*said), HASHER)


def test_a_history_that_goes_on_is_continued() -> None:
    known = Lineages()
    known.keep("a", chain("hi", "hello"))
    assert known.resolve(chain("hi", "hello", "more")) == Resolved(name="a", outcome="continued", known=2)
    assert known.resolve(chain("hi", "hello")) == Resolved(name="a", outcome="continued", known=2), "sent again as it was"
    assert known.resolve(chain("hi")) == known.resolve(chain("hi", "good day", "more")) == known.resolve([]) == Resolved()


def test_an_edit_is_a_branch_once_enough_is_common() -> None:
    known = Lineages()
    known.keep("a", chain("hi", "hello", "one", "1", "two", "2"))
    assert known.resolve(chain("hi", "hello", "one", "1", "TWO")) == Resolved(name="a", outcome="branched", known=4)
    assert known.resolve(chain("hi", "hello", "ONE")) == Resolved()


def test_conversations_that_say_the_same_are_not_told_apart_and_so_not_merged() -> None:
    known = Lineages()
    for name in ("a", "b"):
        known.keep(name, chain("hi", "hello"))
    assert known.resolve(chain("hi", "hello", "more")) == Resolved()
    known.keep("b", chain("hi", "hello", "more", "well"))
    assert known.resolve(chain("hi", "hello", "other")).name == "a"
    assert known.resolve(chain("hi", "hello", "more", "well", "and")).name == "b"


def test_the_oldest_are_forgotten() -> None:
    known = Lineages(most=2)
    for name in "abc":
        known.keep(name, chain(name, "reply"))
    assert known.resolve(chain("a", "reply", "x")) == Resolved()
    assert known.resolve(chain("b", "reply", "x")).name == "b"
    known.keep("c", chain("c", "reply", "c2", "reply2"))
    assert known.resolve(chain("c", "reply", "c2", "reply2", "x")).known == 4


def test_ten_thousand_interleaved_requests_of_conversations_that_are_alike_cross_nowhere() -> None:
    """The same preamble, the same first message, replies and turns from a handful of texts."""
    rng = random.Random(7)
    known = Lineages()
    said: list[list[str]] = []
    named: dict[str, int] = {}
    merged = continued = 0
    for number in range(10_000):
        if not said or rng.random() < 0.05:
            said.append(["hi"])
            place = len(said) - 1
        else:
            place = rng.randrange(max(0, len(said) - 40), len(said))
            said[place].append(rng.choice(["go on", "yes", "no", "why"]))
        found = known.resolve(chain(*said[place]))
        name = found.name or f"n{number}"
        if found.name:
            continued += found.outcome == "continued"
            merged += named[name] != place
        named.setdefault(name, place)
        said[place].append(rng.choice(["well", "sure", "done", f"{rng.random():.3f}"]))
        known.keep(name, chain(*said[place]))
    assert merged == 0, "no state crosses"
    assert continued > 2_000


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=6), max_size=6), st.lists(st.sampled_from("ab"), max_size=8))
def test_what_is_resolved_is_held(chains: list[list[str]], asked: list[str]) -> None:
    known = Lineages()
    for number, said in enumerate(chains):
        known.keep(str(number), chain(*said))
    found = known.resolve(chain(*asked))
    if found.name:
        assert chains[int(found.name)][: found.known] == asked[: found.known] and found.known > 0
        others = [said for number, said in enumerate(chains) if str(number) != found.name and said[: found.known] == asked[: found.known]]
        assert all(len(said) != found.known for said in others) if found.outcome == "continued" else not others


@pytest.mark.parametrize(
    "name",
    [
        "langchain-anthropic",
        "langchain-openai",
        "langchain-openai-resp",
        "llm-cli",
        "openai-agents-chat",
        "openai-agents-resp",
        "cc",
        "codex",
        "dify-llm",
    ],
)
def test_real_clients_resend_what_is_found_again(data_dir: Path, name: str) -> None:
    """Each next request of a conversation holds all messages of the one before: found by their lineage, whatever else changed."""
    before: dict[str, list[Step]] = {}
    for (path, _, body), (conversation, _, why) in zip(captured(data_dir, name), LABELS[name], strict=True):
        wire = interface_of(path)
        if wire is None or why or conversation == "-":
            continue
        steps = steps_of(wire_for(wire).parse_request(body).messages, HASHER)
        if conversation in before:
            old = before[conversation]
            assert [step.lineage_id for step in steps[: len(old)]] == [step.lineage_id for step in old]
            assert len(steps) > len(old) and any(step.is_reply for step in steps[len(old) :])
        before[conversation] = steps
