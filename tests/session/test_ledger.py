"""The ledger under a session: lossless, quick to open, and whole after kill -9."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import trimtab.session.lane as lane_module
from tests.session.cases import KEY, TARGETS, ask, bodies_of, compactions, opened, reply, round_of, settings, user
from trimtab.core.entries import decode_entry
from trimtab.core.messages import WIRES, WireName
from trimtab.errors import PinnedOverflow
from trimtab.session import Session
from trimtab.settings import MODES

LONG = 20_000
BATCH = 200
# a snapshot is due after this many entries, or after this share of what is live; one batch may come on top
LEAST_REST, LIVE_SHARE = 256, 4


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", MODES)
def test_every_message_can_be_read_back_word_for_word(mode: str, wire: WireName, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    sent: list[bytes] = []
    with opened(path, target=TARGETS[wire], settings=settings(4_000, mode=mode)) as s:
        for number in range(40):
            messages = [{**message, "x_place": number} for message in round_of(wire, number)]
            s.record(*messages)
            sent += [msgspec.json.encode(message) for message in messages]
            try:
                ask(s)
            except PinnedOverflow:
                assert mode == "none"
        assert mode == "none" or len(compactions(s.store)) >= 2
    with opened(path, target=TARGETS[wire]) as s:
        assert bodies_of(s.store) == sent


# ---------------------------------------------------------------- a long session


def build(path: Path, with_prompts: bool) -> Path:
    with opened(path, settings=settings(16_000)) as s:
        text = "a message of some length, as such messages are " * 2
        for first in range(0, LONG, BATCH):
            s.record(*(user(f"{n} {text}") if n % 2 == 0 else reply(f"{n} {text}") for n in range(first, first + BATCH)))
            if with_prompts:
                s.prompt()
    return path


@pytest.fixture(scope="module")
def long_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("long") / "long.db", with_prompts=True)


@pytest.fixture(scope="module")
def never_asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("long") / "asked.db", with_prompts=False)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each entry that is decoded."""
    seen: list[int] = []

    def counting(payload: bytes) -> Any:
        seen.append(len(payload))
        return decode_entry(payload)

    monkeypatch.setattr(lane_module, "decode_entry", counting)
    return seen


def open_quickly(path: Path, decoded: list[int]) -> Iterator[Session]:
    started = time.perf_counter()
    session = opened(path, settings=settings(16_000))
    spent_ms = (time.perf_counter() - started) * 1_000
    print(f"\nopened {path.name}: {LONG:,} messages in {spent_ms:.1f} ms, {len(decoded)} entries folded")
    with session:
        yield session


def test_a_session_of_20_000_messages_opens_from_its_snapshot(long_session: Path, decoded: list[int]) -> None:
    for session in open_quickly(long_session, decoded):
        assert session.state.messages == LONG
        assert len(decoded) <= max(LEAST_REST, len(session.state.nodes) // LIVE_SHARE) + 2 * BATCH
        decoded.clear()
        session.record(user("next"))
        assert "next" in str(session.prompt().render()["messages"][-1])
        assert len(decoded) <= 5


def test_a_session_that_was_never_asked_opens_from_its_snapshot(never_asked: Path, decoded: list[int]) -> None:
    for session in open_quickly(never_asked, decoded):
        assert session.state.messages == LONG
        assert len(decoded) <= max(LEAST_REST, len(session.state.nodes) // LIVE_SHARE) + 2 * BATCH


def test_an_old_request_of_a_long_session_is_found_without_reading_all_of_it(long_session: Path, decoded: list[int]) -> None:
    for session in open_quickly(long_session, decoded):
        decoded.clear()
        assert session.request(session.last_request).render()["messages"]
        assert len(decoded) <= 4 * BATCH
        assert session.request(1).number == 1


def test_snapshots_cost_in_proportion_to_what_is_written(long_session: Path) -> None:
    """Their number does not grow with the session, whatever its length."""
    for session in open_quickly(long_session, []):
        assert len(session.store.snapshot_seqs(KEY)) <= 24


def test_without_its_snapshots_a_session_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot only saves time: one of another version is passed over."""
    path = tmp_path / "a.db"
    with opened(path, settings=settings(4_000)) as s:
        for number in range(120):
            s.record(*round_of("openai_chat", number))
            ask(s)
        assert s.store.snapshot_seqs(KEY)
        state = msgspec.json.encode(s.state)
    with opened(path, settings=settings(4_000)) as s:
        assert msgspec.json.encode(s.state) == state
    monkeypatch.setattr(lane_module, "STATE_VERSION", 99)
    with opened(path, settings=settings(4_000)) as s:
        assert msgspec.json.encode(s.state) == state


# ---------------------------------------------------------------- kill -9

CHILD = """
import sys
from hashlib import sha256
from tests.session.cases import opened, round_of, settings
with opened(sys.argv[1], settings=settings(4_000, mode="hierarchical", layout=sys.argv[2], inject_notes=("n",))) as s:
    s.meta_context(identity="clerk", never=["Never below cost."])
    s.pin("THE-PIN")
    for number in range(10_000):
        report = s.record(*round_of("openai_chat", number), key=f"k{number}")
        print("recorded", number, report.last_seq, flush=True)
        s.write_note("n", number)
        prompt = s.prompt()
        print("prompt", number, prompt.number, sha256(prompt.render_bytes()).hexdigest(), flush=True)
"""


def undisturbed(layout: str, rounds: int) -> list[bytes]:
    """The prompts of a session that nothing happened to."""
    bodies: list[bytes] = []
    with opened(settings=settings(4_000, mode="hierarchical", layout=layout, inject_notes=("n",))) as s:
        s.meta_context(identity="clerk", never=["Never below cost."])
        s.pin("THE-PIN")
        for number in range(rounds):
            s.record(*round_of("openai_chat", number), key=f"k{number}")
            s.write_note("n", number)
            bodies.append(s.prompt().render_bytes())
    return bodies


@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
@pytest.mark.parametrize("lines", [3, 60, 141])
def test_after_kill_9_nothing_acknowledged_is_missing(lines: int, layout: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    root = Path(__file__).resolve().parents[2]
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path), layout], stdout=subprocess.PIPE, text=True, cwd=root)
    assert child.stdout is not None
    with child.stdout as pipe:
        acknowledged = [pipe.readline().split() for _ in range(lines)]
        child.kill()
        acknowledged += [row for line in pipe.readlines() if (row := line.split()) and line.endswith("\n")]
    assert child.wait(timeout=30) != 0
    recorded = [row for row in acknowledged if row[0] == "recorded"]
    prompts = [row for row in acknowledged if row[0] == "prompt"]
    with opened(path, settings=settings(4_000, mode="hierarchical", layout=layout, inject_notes=("n",))) as s:
        done = len(bodies_of(s.store)) // 4
        assert done >= len(recorded)
        assert len(bodies_of(s.store)) % 4 == 0
        for row in recorded:
            assert int(row[2]) <= s.state.seq
        twin = undisturbed(layout, done + 1)
        for number in range(1, s.last_request + 1):
            assert s.request(number).render_bytes() == twin[number - 1]
        assert s.last_request >= len(prompts)
        if s.last_request < done:
            assert s.record(*round_of("openai_chat", done - 1), key=f"k{done - 1}").count == 0
            if "n" not in s.state.notes or s.read_note("n") != done - 1:
                s.write_note("n", done - 1)
        assert ask(s).render_bytes() == twin[done - 1]
        s.record(*round_of("openai_chat", done), key=f"k{done}")
        s.write_note("n", done)
        assert ask(s).render_bytes() == twin[done]
