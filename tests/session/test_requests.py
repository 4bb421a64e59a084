"""Past requests: each is rebuilt byte for byte, with its decisions, whatever came after it and whoever asks."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.session.cases import KEY, TARGETS, WEATHER, ask, opened, round_of, settings, told, user
from trimtab.core.messages import WIRES, WireName
from trimtab.core.plan import Decision
from trimtab.errors import NotFound, PinnedOverflow
from trimtab.session import Prompt, Session
from trimtab.settings import LAYOUTS, MODES

REBUILD = """
import sys
from hashlib import sha256
from trimtab import Session
with Session.open(sys.argv[1], "s") as s:
    for number in range(1, s.last_request + 1):
        print(sha256(s.request(number).render_bytes()).hexdigest())
"""


class Kept:
    """What a prompt was when it was made."""

    def __init__(self, prompt: Prompt) -> None:
        self.body = prompt.render_bytes()
        self.decisions, self.left_out = prompt.decisions, prompt.left_out
        self.segments, self.texts = prompt.segments, told(prompt)
        self.figures = (prompt.tokens, prompt.sections, prompt.epoch, prompt.cuts, prompt.break_reason, prompt.common_prefix_tokens)
        self.budget, self.density = prompt.budget, prompt.density

    def check(self, prompt: Prompt) -> None:
        assert prompt.render_bytes() == self.body
        assert prompt.segments == self.segments
        assert told(prompt) == self.texts
        assert (prompt.decisions, prompt.left_out) == (self.decisions, self.left_out)
        assert (
            prompt.tokens,
            prompt.sections,
            prompt.epoch,
            prompt.cuts,
            prompt.break_reason,
            prompt.common_prefix_tokens,
        ) == self.figures
        assert (prompt.budget, prompt.density) == (self.budget, self.density)


def play(session: Session, wire: WireName, rounds: int = 16) -> list[Kept]:
    """A request before each result and before each reply; pins, notes and system text change on the way."""
    kept: list[Kept] = []
    session.meta_context(identity="clerk", never=["Never sell below cost."])
    session.write_note("n", "first")
    for number in range(1, rounds + 1):
        question, *rest = round_of(wire, number, words=50)
        session.record(question)
        kept.append(Kept(ask(session, tools=[WEATHER[wire]], system="rules" if number < 9 else "other rules")))
        session.record(*rest[:-1])
        kept.append(Kept(ask(session, tools=[WEATHER[wire]])))
        session.record(rest[-1])
        if number == 5:
            session.pin("THE-PIN")
        if number == 7:
            session.write_note("n", "second")
    return kept


@pytest.mark.parametrize(
    ("mode", "wire"), [*((mode, "openai_chat") for mode in MODES), *(("auto", wire) for wire in WIRES if wire != "openai_chat")]
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_request_is_rebuilt_byte_for_byte(mode: str, wire: WireName, layout: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    chosen = settings(60_000 if mode == "none" else 8_000, mode=mode, layout=layout, inject_notes=("n",))
    with opened(path, settings=chosen, target=TARGETS[wire]) as s:
        kept = play(s, wire)
        assert s.last_request == len(kept) == 32
        assert mode == "none" or s.state.epoch > 0
        for number, then in enumerate(kept, start=1):
            then.check(s.request(number))
    with opened(path, settings=settings(123_456, mode="window"), target=TARGETS[wire]) as s:
        for number, then in enumerate(kept, start=1):
            then.check(s.request(number))


@pytest.mark.parametrize("tail_mode", ["append", "replace"])
def test_both_ways_of_the_tail_are_rebuilt(tail_mode: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    chosen = settings(8_000, mode="hierarchical", layout="cache_first", tail_mode=tail_mode, inject_notes=("n",))
    with opened(path, settings=chosen) as s:
        kept = play(s, "openai_chat")
    with opened(path) as s:
        for number, then in enumerate(kept, start=1):
            then.check(s.request(number))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_another_process_rebuilds_the_same_bytes(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with opened(path, settings=settings(8_000, layout=layout)) as s:
        kept = play(s, "openai_chat", rounds=10)
    done = subprocess.run([sys.executable, "-c", REBUILD, str(path)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == [sha256(then.body).hexdigest() for then in kept]


def test_a_request_of_a_branch_that_was_left_is_still_there() -> None:
    with opened(settings=settings(8_000)) as s:
        s.checkpoint("start")
        kept = play(s, "openai_chat", rounds=10)
        s.rollback("start")
        s.record(user("something else"))
        ask(s)
        for number, then in enumerate(kept, start=1):
            then.check(s.request(number))


def test_a_request_in_another_wire_form_is_rebuilt_with_its_counts() -> None:
    kept: list[Kept] = []
    with opened(settings=settings(8_000)) as s:
        for number in range(1, 13):
            s.record(*round_of("openai_chat", number))
            target = TARGETS[WIRES[number % 3]]
            kept.append(Kept(ask(s, target=target, system="rules", tools=[WEATHER[target.wire]])))
        for number, then in enumerate(kept, start=1):
            then.check(s.request(number))


@pytest.mark.parametrize("number", [0, -1, 2, 10**9])
def test_a_request_that_never_was_is_not_found(number: int) -> None:
    with opened() as s:
        s.record(user("hi"))
        ask(s)
        with pytest.raises(NotFound):
            s.request(number)


def test_a_prompt_can_be_read_while_the_session_goes_on() -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        s.record(*round_of("openai_chat", 1))
        first = ask(s)
        then = Kept(first)
        unread = ask(s, max_output_tokens=77)
        for number in range(2, 20):
            s.record(*round_of("openai_chat", number))
            ask(s)
        then.check(first)
        assert unread.decisions == then.decisions


# ---------------------------------------------------------------- decisions


def fates(decisions: tuple[Decision, ...]) -> dict[int, str]:
    return {seq: row.action for row in decisions for seq in range(row.first_seq, row.last_seq + 1)}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_message_has_one_fate_in_every_request_and_it_is_true(mode: str, layout: str) -> None:
    """Kept means verbatim in the prompt; dropped or summarized means not in it."""
    with opened(settings=settings(8_000, mode=mode, layout=layout)) as s:
        for number in range(1, 15):
            s.record(*round_of("openai_chat", number))
            try:
                ask(s)
            except PinnedOverflow:
                assert mode == "none"
                break
        for number in range(1, s.last_request + 1):
            prompt = s.request(number)
            ranges = [(row.first_seq, row.last_seq) for row in prompt.decisions]
            assert all(last < first for (_, last), (first, _) in pairwise(ranges))
            held = fates(prompt.decisions)
            stands = {row.origin[0]: row for row in prompt.segments if row.place == "message" and row.reason != "open_call"}
            for row in s.store.load(KEY, 0, s.store.request(KEY, number).seq):
                if row.kind != "message":
                    continue
                assert row.seq in held
                assert (row.seq in stands) == (held[row.seq] not in ("drop", "summarize")), (number, row.seq, held[row.seq])
                if row.seq in stands and held[row.seq] in ("clear", "stub", "clamp"):
                    assert stands[row.seq].action == held[row.seq]


def test_left_out_says_what_is_not_there_and_why() -> None:
    with opened(settings=settings(6_000, mode="compact")) as s:
        for number in range(1, 25):
            s.record(*round_of("openai_chat", number))
            last: Any = ask(s)
        assert "summarize" in {row.action for row in last.left_out}
        assert all(row.reason for row in last.left_out)
        assert s.request(1).left_out == ()
