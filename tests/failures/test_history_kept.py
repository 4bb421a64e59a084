"""Histories that were lost: a failing store, a placeholder for a summary, survivors told apart by address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.failures.shapes import WIRES, Talk, checked, entries, history_of, key_of, settings, target, text_of, words
from trimtab import Prompt, Session
from trimtab.core.entries import Cleared, Compacted, MessageAdded
from trimtab.core.messages import WireName
from trimtab.core.summary import PINNED_FIELDS
from trimtab.errors import StoreError
from trimtab.stores import Batch, LaneKey, SqliteStore, Store

# ---------------------------------------------------------------- framework 13


class _Torn(list[Any]):
    """A list whose reading fails after some rows: the disk is full in the middle of a transaction."""

    def __init__(self, rows: Sequence[Any], good_rows: int) -> None:
        super().__init__(rows)
        self._good_rows = good_rows

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self)):
            if index == self._good_rows:
                raise StoreError("disk full")
            yield self[index]
        if self._good_rows == len(self):
            raise StoreError("disk full")


class BrittleStore:
    """A store whose commit number `fail_at` (from 1) fails: before anything was written, or in the middle of it."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.commits = 0
        self.fail_at = 0
        self.part = "before"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def commit(self, key: LaneKey, batch: Batch, expect_seq: int) -> None:
        self.commits += 1
        if self.commits == self.fail_at:
            if self.part == "before":
                raise StoreError("disk full")
            rows: Sequence[Any] = getattr(batch, self.part)
            batch = msgspec.structs.replace(batch, **{self.part: _Torn(rows, len(rows))})
        self._inner.commit(key, batch, expect_seq)


class NoSnapshots(BrittleStore):
    """A store that fails wherever a snapshot is to be written."""

    def commit(self, key: LaneKey, batch: Batch, expect_seq: int) -> None:
        if batch.snapshot is not None:
            self.commits += 1
            raise StoreError("disk full")
        self._inner.commit(key, batch, expect_seq)


Step = Callable[[Session], object]


def _steps(wire: WireName) -> list[Step]:
    """What an agent does: talk, tools, pins, notes, prompts with a compaction, and an edited history."""
    say = Talk(wire)
    first: list[Any] = [*say.user("start " + words(150, 1)), *say.tool_round("c0", "zero " + words(300, 2)), *say.says("zero done")]
    steps: list[Step] = [
        lambda session: session.sync(first),
        lambda session: session.pin("All prices in US dollars"),
        lambda session: session.write_note("rate", {"usd": 1.1}),
        lambda session: _ask(session, say),
    ]
    for number in range(1, 7):
        turn = [*say.user(f"go {number} " + words(150, number)), *say.tool_round(f"c{number}", f"file {number} " + words(300, number))]
        turn += say.says(f"done {number} " + words(100, number))
        steps.append(lambda session, turn=turn: session.record(*turn))  # type: ignore[misc]
        steps.append(lambda session: _ask(session, say))
    edited = [*first, *say.user("no, another way " + words(60, 9)), *say.says("as you like")]
    steps.append(lambda session: session.sync(edited))
    steps.append(lambda session: _ask(session, say))
    return steps


def _ask(session: Session, say: Talk) -> Prompt:
    return session.prompt(tools=say.tools(2, 20), system="You help.", max_output_tokens=300)


def _picture(session: Session) -> tuple[Any, ...]:
    """What the history is worth: where it stands, what is in it, and what would be sent."""
    state = session.state
    return (
        state.head,
        state.lineage,
        state.messages,
        [list(unit.nodes) for unit in state.units],
        sorted(state.pins),
        sorted(state.notes),
        state.epoch,
        [segment.segment_id for segment in state.projection],
    )


def _run(store: Store, wire: WireName, before: Callable[[int], None] | None = None) -> tuple[list[bytes], int]:
    """All steps; (the bytes of every request, commits). `before` is called with each step's number."""
    given_settings = settings("compact", 3_500, overlap_rounds=1, summary_max_tokens=200)
    with Session.open(store, "s", settings=given_settings, target=target(wire)) as session:
        for number, step in enumerate(_steps(wire)):
            if before is not None:
                before(number)
            picture = _picture(session)
            held = store.load(key_of(session)) if number else []
            try:
                step(session)
            except StoreError:
                assert _picture(session) == picture, "the failed step left its mark"
                now = store.load(key_of(session)) if number else held
                # the request's own system text is stored first, on its own: it is no history
                assert [row for row in now if row.kind != "instructions"] == [row for row in held if row.kind != "instructions"]
                step(session)
        return [session.request(number).render_bytes() for number in range(1, session.last_request + 1)], session.last_request


@pytest.mark.parametrize("part", ["before", "entries", "bodies", "counts", "turns"])
@pytest.mark.parametrize("wire", WIRES)
def test_framework_13_openai_agents_3116_store_fails_at_every_write(wire: WireName, part: str) -> None:
    """The session was cleared and then filled again; the second write failed and the history was gone.

    Right: what belongs together is one transaction. Here every write of a session fails once, before it or in its
    middle: each time history and state are as they were, the call succeeds when made again, and every request of
    the whole run is the same bytes as without the failure, also for a session that is opened anew."""
    calm = BrittleStore(SqliteStore(":memory:"))
    wanted, requests = _run(calm, wire)
    compacted = [row for row in calm.load(LaneKey("default", "default", "s")) if row.kind == "compacted"]
    assert requests >= 8 and compacted, "the run has no compaction"
    for fail_at in range(1, calm.commits + 1):
        store = BrittleStore(SqliteStore(":memory:"))
        store.fail_at, store.part = fail_at, part
        sent, _ = _run(store, wire)
        assert sent == wanted, f"commit {fail_at} failed ({part}), and the requests differ"
        with Session.open(store, "s", settings=settings("compact", 3_500), target=target(wire)) as again:
            assert [again.request(number).render_bytes() for number in range(1, requests + 1)] == wanted
        store.close()


def test_framework_13_openai_agents_3116_a_failed_snapshot_is_not_a_failed_write() -> None:
    """A snapshot is a copy that makes opening quick. Where writing one fails, what was recorded stays recorded, and
    the caller is not told to record it again."""
    full = NoSnapshots(SqliteStore(":memory:"))
    say = Talk("openai_chat")
    with Session.open(full, "s", settings=settings("auto", 32_000), target=target("openai_chat")) as session:
        for number in range(300):
            session.record(*say.user(f"message {number}"))
        assert full.commits > 0, "no snapshot was due"
        assert session.state.messages == 300
    full.close()


# ---------------------------------------------------------------- framework 16


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", ["window", "compact", "retrieval", "hierarchical", "auto"])
def test_framework_16_agent_framework_7393_a_compaction_that_reclaims_nothing(wire: WireName, mode: str) -> None:
    """Ten results of 20,000 characters became one text that held them all: nothing was reclaimed, and the next
    tier fired on 40 % of the turns.

    Right: what left is gone from the prompt, the recorded saving is the real one and at least a twentieth of the
    history budget, and few requests pay for it."""
    say = Talk(wire)
    # 20,000 characters are about 3,300 of these words; Claude's count is an upper bound, about twice the others'
    window_tokens = 120_000 if wire == "anthropic" else 60_000
    given_settings = settings(mode, window_tokens, window_rounds=2, hot_rounds=4, overlap_rounds=1, recent_rounds=1)
    fired = 0
    with Session.open(":memory:", "s", settings=given_settings, target=target(wire)) as session:
        session.record(*say.user("read all files"))
        for number in range(24):
            before, raw = session.state.last, session.state.total_tokens
            session.record(*say.tool_round(f"c{number}", f"MARK-{number:02d} " + words(3_300, number)))
            prompt = session.prompt()
            body = checked(prompt, wire)
            saved = (before.tokens if before else 0) + session.state.total_tokens - raw - prompt.tokens
            if "compaction" in prompt.cuts:
                fired += 1
                entry = entries(session, "compacted")[-1][1]
                assert isinstance(entry, Compacted)
                assert entry.tokens_after == prompt.tokens - prompt.budget.instructions_tokens
                assert entry.tokens_before - entry.tokens_after >= 1
                if entry.reason == "trigger":
                    assert entry.tokens_before - entry.tokens_after >= int(0.05 * prompt.budget.history_budget_tokens)
            elif "clear" in prompt.cuts:
                cleared = entries(session, "cleared")[-1][1]
                assert isinstance(cleared, Cleared)
                assert cleared.freed_tokens >= 0.05 * prompt.budget.history_budget_tokens
                assert abs(saved - cleared.freed_tokens) <= 64
        assert words(3_300, 1) not in text_of(body)
        assert entries(session, "compacted", "cleared"), "nothing was reclaimed here"
        assert prompt.tokens < session.state.total_tokens / 3
        assert fired <= 24 * (0.4 if mode in ("compact", "hierarchical", "auto") else 1)


@pytest.mark.parametrize("mode", ["compact", "hierarchical", "auto"])
def test_framework_16_agent_framework_7393_nothing_to_reclaim_is_a_no_op(mode: str) -> None:
    """One large message that must stay holds the history above the trigger: then a compaction is not made, and
    none is recorded."""
    say = Talk("openai_chat")
    with Session.open(":memory:", "s", settings=settings(mode, 16_000), target=target("openai_chat")) as session:
        session.record(*say.user("Read this. " + words(9_600, 2)))
        for number in range(6):
            prompt = session.prompt()
            checked(prompt, "openai_chat")
            assert prompt.tokens > prompt.budget.trigger_tokens
            assert prompt.cuts == () and prompt.left_out == ()
            session.record(*say.tool_round(f"c{number}", "ok"))
        assert entries(session, "compacted", "cleared") == []


# ---------------------------------------------------------------- framework 17


@given(
    sizes=st.lists(st.sampled_from([5, 40, 150]), min_size=6, max_size=18),
    mode=st.sampled_from(["window", "compact", "retrieval", "hierarchical", "auto"]),
    wire=st.sampled_from(WIRES),
    keep=st.integers(1, 4),
)
def test_framework_17_agent_framework_7943_every_message_or_what_stands_for_it(
    sizes: list[int], mode: str, wire: WireName, keep: int
) -> None:
    """Survivors were told apart by object address; the new summary belonged to no list, and was dropped with what
    it stood for.

    Right: after every request each message has one disposition; what is kept is there word for word, and where
    something was summarized a summary is there that names its facts."""
    say = Talk(wire)
    given_settings = settings(mode, 3_000, window_rounds=keep, hot_rounds=keep, recent_rounds=keep, overlap_rounds=keep)
    with Session.open(":memory:", "s", settings=given_settings, target=target(wire)) as session:
        texts: dict[int, str] = {}
        for number, size in enumerate(sizes):
            message = say.user(f"The account of shop {number} is ACC-{number:04d}-X. " + words(size, number))[0]
            reply = say.says(f"Shop {number} is noted as R{number}. " + words(size, number + 1))[0]
            texts[session.record(message).first_seq] = f"ACC-{number:04d}-X. " + words(size, number)
            texts[session.record(reply).first_seq] = f"noted as R{number}. " + words(size, number + 1)
            prompt = session.prompt(max_output_tokens=200)
            body = checked(prompt, wire)
            sent = [text_of(row) for row in history_of(body)]
            actions = _actions(prompt)
            assert set(texts) <= set(actions)
            for seq, text in texts.items():
                assert len(actions[seq]) == 1, "one message, two fates"
                if actions[seq] == ["keep"]:
                    assert any(text in row for row in sent), f"#{seq} is said to be kept"
                else:
                    assert actions[seq][0] in ("summarize", "drop", "clamp")
            _summary_stands_for_what_left(session, prompt, [seq for seq in texts if actions[seq] == ["summarize"]])


def _actions(prompt: Prompt) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for row in prompt.decisions:
        for seq in range(row.first_seq, row.last_seq + 1):
            found.setdefault(seq, []).append(row.action)
    return found


def _summary_stands_for_what_left(session: Session, prompt: Prompt, left: list[int]) -> None:
    if not left:
        return
    cut = max(left)
    items = [item for item in session.state.items.values() if item.field not in PINNED_FIELDS and max(item.source_ids) <= cut]
    summaries = [prompt.text_of(segment) for segment in prompt.segments if segment.section == "summary"]
    if items:
        assert len(summaries) == 1
        assert any(" ".join(item.text.split()) in summaries[0] for item in items)


def test_framework_17_agent_framework_7943_the_same_object_twice() -> None:
    """One dict recorded three times, and changed in between, is three messages, each as it was when recorded."""
    message: dict[str, Any] = {"role": "user", "content": "first"}
    with Session.open(":memory:", "s", settings=settings("auto", 8_192), target=target("openai_chat")) as session:
        session.record(message, message)
        message["content"] = "third"
        session.record(message)
        body = checked(session.prompt(), "openai_chat")
        assert [row["content"] for row in history_of(body)] == ["first", "first", "third"]


# ---------------------------------------------------------------- pain 12


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", ["compact", "hierarchical", "auto"])
def test_pain_12_langchain_39261_placeholder_instead_of_the_history(wire: WireName, mode: str) -> None:
    """One user message and forty tool turns: the trimmed window held no user message, the summarizer was never
    called, and a fixed sentence replaced the history.

    Right: what was done stands as lines of the summary, or the calls themselves still stand; the goal is word for
    word there; the compaction is in the ledger with what it covered."""
    say = Talk(wire)
    goal = "GOAL-5 find which module imports the old client"
    given_settings = settings(mode, 6_000, hot_rounds=3, overlap_rounds=3)
    with Session.open(":memory:", "s", settings=given_settings, target=target(wire)) as session:
        session.record(*say.user(goal))
        for number in range(40):
            session.record(
                *say.tool_round(f"c{number}", f"module-{number} imports nothing " + words(120, number), path=f"src/m{number}.py")
            )
            prompt = session.prompt(max_output_tokens=500)
            body = checked(prompt, wire)
            assert goal in text_of(body)
        compactions = [entry for _, entry in entries(session, "compacted") if isinstance(entry, Compacted)]
        assert any(entry.kind == "compaction" and entry.covered[1] > entry.covered[0] > 0 for entry in compactions)
        summary = "\n".join(prompt.text_of(segment) for segment in prompt.segments if segment.section == "summary")
        named = [number for number in range(40) if f"src/m{number}.py" in summary]
        live = [number for number in range(40) if any(f"src/m{number}.py" in text_of(row) for row in history_of(body))]
        facts = [number for number in range(40) if f"module-{number} imports nothing" in summary]
        assert len(named) >= 2 and len(facts) >= 4, summary
        assert live[-1] == 39
        recorded = [entry for _, entry in entries(session, "message") if isinstance(entry, MessageAdded)]
        assert len(recorded) == 81, "the ledger keeps every message"
