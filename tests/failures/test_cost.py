"""What grew with the square of the history, and what broke the provider's cache at every step. Work is counted,
never timed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from msgspec import Struct

from tests.failures.shapes import (
    LAYOUTS,
    WIRES,
    CountingCounter,
    Json,
    Talk,
    call_ids,
    checked,
    entries,
    history_of,
    results_in,
    settings,
    target,
    words,
)
from trimtab import Prompt, Session
from trimtab.core.entries import Cleared
from trimtab.core.messages import WireName
from trimtab.stores import Batch, LaneKey, SqliteStore, StoredEntry
from trimtab.tokens import count_request, counter_for


class MeteredStore:
    """A store that adds up the bytes it is given and the rows it gives back."""

    def __init__(self) -> None:
        self._inner = SqliteStore(":memory:")
        self.written_bytes = 0
        self.snapshot_bytes = 0
        self.read_rows = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def commit(self, key: LaneKey, batch: Batch, expect_seq: int) -> None:
        self.written_bytes += sum(len(row.data) for row in batch.entries) + sum(len(body.data) for body in batch.bodies)
        self.written_bytes += sum(len(turn.terms) for turn in batch.turns)
        self.snapshot_bytes += len(batch.snapshot.data) if batch.snapshot is not None else 0
        self._inner.commit(key, batch, expect_seq)

    def load(self, key: LaneKey, after_seq: int = 0, upto_seq: int | None = None) -> list[StoredEntry]:
        rows = self._inner.load(key, after_seq, upto_seq)
        self.read_rows += len(rows)
        return rows


# ---------------------------------------------------------------- framework 9


@pytest.mark.parametrize(
    ("mode", "layout"), [("window", "cache_first"), ("compact", "state_first"), ("hierarchical", "cache_first"), ("auto", "cache_first")]
)
def test_framework_09_deepagents_2876_bytes_per_step_are_constant(mode: str, layout: str) -> None:
    """A checkpoint held the whole state at every step: bytes grew with the square of the steps, to 17 GB.

    Right: a step stores what is new. From step 100 to 400 no block of a hundred steps writes over a tenth more than
    the first (a little less is possible: what was stored once is not stored again), and opening reads a bounded rest."""
    say, store = Talk("openai_chat"), MeteredStore()
    given = settings(mode, 16_000, layout=layout)
    sizes, snapshots = [], []
    with Session.open(store, "s", settings=given, target=target("openai_chat")) as session:
        for number in range(401):
            session.record(*say.user(f"step {number:04d} " + words(60, number % 30)))
            session.record(*say.tool_round(f"call-{number:04d}", f"row {number:04d} " + words(80, number % 30)))
            session.prompt(tools=say.tools(3, 20), system="You help.")
            session.record(*say.says(f"done {number:04d} " + words(20, number % 30)))
            if number in (100, 200, 300, 400):
                sizes.append(store.written_bytes)
                snapshots.append(store.snapshot_bytes)
    steps = [(later - earlier) / 100 for earlier, later in pairwise(sizes)]
    assert min(steps) > 1_000
    assert max(steps) <= 1.10 * steps[0], steps
    assert min(steps) >= 0.80 * steps[0], steps
    copies = [later - earlier for earlier, later in pairwise(snapshots)]
    # two or three snapshots fall into a block of a hundred steps
    assert max(copies) <= 3.0 * max(1, min(copies)), copies
    store.read_rows = 0
    Session.open(store, "s", settings=given, target=target("openai_chat")).close()
    assert store.read_rows <= 600
    store.close()


# ---------------------------------------------------------------- framework 10


@pytest.mark.parametrize("wire", WIRES)
def test_framework_10_langchain_37815_clears_are_persisted_and_come_in_batches(wire: WireName) -> None:
    """Which results to clear was worked out anew at each request and kept nowhere: one more result was blanked at
    every tool step, and the cached prefix changed each time.

    Right: between two clearings nothing that was sent changes, a clearing takes several results at once, what is
    cleared stays cleared, it is in the ledger, and the shared prefix is measured and told with each request."""
    say = Talk(wire)
    given = settings("compact", 200_000, clear_keep_rounds=3, clear_at_least_tokens=1_200)
    counter = counter_for(target(wire).model)
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        session.record(*say.user("read the logs"))
        prompts: list[Prompt] = []
        cleared: list[set[str]] = []
        for number in range(40):
            session.record(*say.tool_round(f"c{number}", f"log-{number} " + words(250, number)))
            prompts.append(session.prompt())
            body = checked(prompts[-1], wire)
            cleared.append({call_id for call_id, text in results_in(body) if "left out" in text})
        breaks = [prompt.number for prompt in prompts if prompt.break_reason]
        assert breaks == [prompt.number for prompt in prompts if "clear" in prompt.cuts]
        assert 2 <= len(breaks) <= 40 / (1 if wire == "anthropic" else 3)
        for before, after in pairwise(cleared):
            assert before <= after, "a cleared result came back"
        for last, prompt in pairwise(prompts):
            old, new = history_of(last.render()), history_of(prompt.render())
            if not prompt.break_reason:
                assert new[: len(old)] == old
                assert prompt.common_prefix_tokens == last.tokens
            else:
                assert prompt.break_reason == "result_used"
                shared = next(index for index, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1])
                kept = {**last.render(), "messages" if wire != "openai_responses" else "input": old[:shared]}
                assert prompt.common_prefix_tokens < last.tokens
                assert abs(prompt.common_prefix_tokens - count_request(kept, wire, counter)) <= 8 * (shared + 1)
        ledger = [entry for _, entry in entries(session, "cleared") if isinstance(entry, Cleared)]
        assert len(ledger) == len(breaks)
        assert all(entry.freed_tokens >= 1_000 for entry in ledger)
        assert min(len(entry.segments) for entry in ledger) >= (2 if wire == "anthropic" else 4)
        assert len(cleared[-1]) == sum(len(entry.segments) for entry in ledger)
        assert call_ids(prompts[-1].render()) == [f"c{number}" for number in range(40)]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_framework_10_langchain_37815_the_prefix_holds_between_compactions(wire: WireName, layout: str) -> None:
    """With pins and a never-list: whenever no reason is given, the last prompt without its tail is a prefix of this
    one, byte for byte; whenever one is given, it is not."""
    say = Talk(wire)
    window_tokens = 48_000 if wire == "anthropic" else 24_000  # Claude's count is an upper bound, twice the others'
    with Session.open(":memory:", "s", settings=settings("auto", window_tokens, layout=layout), target=target(wire)) as session:
        session.meta_context(identity="You read logs.", never=["delete a log"])
        session.pin("All times in UTC")
        held = broken = 0
        earlier: list[Json] = []
        for number in range(40):
            session.record(*say.user(f"log {number}?"), *say.tool_round(f"c{number}", f"log-{number} " + words(250, number)))
            session.record(*say.says(f"read {number}"), *say.user(f"and what of {number}?"))
            prompt = session.prompt()
            body = checked(prompt, wire)
            rows = history_of(body)
            if number and not prompt.break_reason:
                held += 1
                stable = earlier[:-1]  # the newest message can hold the tail
                assert rows[: len(stable)] == stable
                assert prompt.common_prefix_tokens > 0
            broken += bool(prompt.break_reason)
            earlier = rows
            session.record(*say.says(f"nothing {number}"))
        assert held >= 20 and 1 <= broken <= 19


# ---------------------------------------------------------------- framework 19, 20


class Work(Struct):
    """What was counted up to a point, and how many messages were recorded by then."""

    recorded: int
    messages: int
    message_bytes: int
    text_chars: int


def _counted(mode: str, marks: tuple[int, ...]) -> list[Work]:
    """The counter's work after each of these numbers of messages: a prompt after every fourth message."""
    say, counter, found = Talk("openai_chat"), CountingCounter(), []
    with Session.open(":memory:", "s", settings=settings(mode, 16_000), target=target("openai_chat"), counter=counter) as session:
        for number in range(marks[-1] // 4):
            session.record(*say.user(f"ask {number} " + words(70, number % 50)), *say.tool_round(f"c{number}", words(110, number % 50)))
            session.record(*say.says(f"so {number} " + words(70, number % 50)))
            session.prompt()
            if 4 * (number + 1) in marks:
                found.append(Work(4 * (number + 1), counter.messages, counter.message_bytes, counter.text_chars))
    return found


@pytest.mark.parametrize("mode", ["none", "window", "compact", "retrieval", "hierarchical", "auto"])
def test_framework_20_llama_index_12264_each_message_is_counted_once(mode: str) -> None:
    """The history was joined and tokenized again at each step of the cut: 17.6 s for 2,000 messages.

    Right: a message is counted when it comes, once, and at most once more in the short form it leaves with; what a
    request counts besides (summary lines, recalled turns) does not grow with the history."""
    first, second, third = _counted(mode, (240, 480, 720))
    for work in (first, second, third):
        assert work.recorded <= work.messages <= 2.2 * work.recorded
    # linear: the third block of 240 messages costs what the second did
    assert third.messages - second.messages <= 1.15 * (second.messages - first.messages)
    assert third.message_bytes - second.message_bytes <= 1.15 * (second.message_bytes - first.message_bytes)
    assert third.text_chars - second.text_chars <= 1.15 * (second.text_chars - first.text_chars) + 20_000


@pytest.mark.parametrize("mode", ["window", "compact", "hierarchical"])
def test_framework_19_autogen_7955_two_thousand_messages_in_one_pass(mode: str) -> None:
    """The middle message was taken out one by one until the rest fitted: 998 of 2,000 left, a call without its
    result, and 8 seconds.

    Right: the oldest whole exchanges go in one pass; the cut itself counts next to nothing."""
    say, counter = Talk("openai_chat"), CountingCounter()
    with Session.open(":memory:", "s", settings=settings(mode, 16_000), target=target("openai_chat"), counter=counter) as session:
        for number in range(500):
            session.record(*say.user(f"ask {number} " + words(30, number % 50)), *say.tool_round(f"c{number}", words(60, number % 50)))
            session.record(*say.says(f"so {number} " + words(30, number % 50)))
        assert counter.messages == 2_000
        counted, texts = counter.messages, counter.texts
        prompt = session.prompt()
        body = checked(prompt, "openai_chat")
        assert "compaction" in prompt.cuts
        assert len(entries(session, "compacted")) == 1
        assert counter.messages - counted <= 60
        assert counter.texts - texts <= 1_500
        calls = call_ids(body)
        assert calls == [f"c{number}" for number in range(500 - len(calls), 500)]
        asked = [row["content"].split(" ", 2)[1] for row in history_of(body) if row["role"] == "user"]
        assert asked == [str(number) for number in range(500 - len(asked), 500)]
        again = session.prompt()
        assert again.number == prompt.number and counter.messages - counted <= 60
