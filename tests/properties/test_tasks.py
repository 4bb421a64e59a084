"""A task under any sequence of proposals, rollbacks, interruptions and restarts (DESIGN §9, rows 6, 10, 14; REQUIREMENTS T3-T5).

Held against a small model that knows nothing of the code: no needed step is skipped, nothing finished is begun again unless
it was reopened, nothing is done without its proof, at most one step is under way; after a restart from the file state and
next prompt are the same bytes; a rollback and the same acts again give the same prompt.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import SLOW_PROPERTY
from tests.properties.play import QUICK, fixed_clock
from trimtab import Budget, Session, Settings
from trimtab.core.state import SessionState
from trimtab.core.task import FINISHED
from trimtab.session.planned import Step
from trimtab.settings import Steering

NAMES = ("a", "b", "c", "d")
PLAN = (
    Step("a", output="x", done_when={"at_least": 2}, milestone=True),
    Step("b", inputs=("x",), output="y", done_when={"text": "ok"}),
    Step("c", after="a", optional=True),
    Step("d", inputs=("y",), after=("b", "c")),
)
BEFORE = {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b", "c"}}
GOOD: dict[str, Any] = {"a": [1, 2], "b": "ok", "c": None, "d": None}
BAD: dict[str, Any] = {"a": [1], "b": "no", "c": None, "d": None}

acts = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(("begin", "good", "bad", "bare", "back", "again", "skip", "agent skips")), st.sampled_from(NAMES)),
        st.tuples(st.sampled_from(("say", "note", "park", "mark", "return", "reopen file", "prompt", "end")), st.just("")),
    ),
    max_size=30,
)


class Run:
    """One session on a file, and what a reader of the rules alone would expect of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session = self.open()
        self.task = self.session.task("Sort the material", PLAN)
        self.ended = False
        self.reopened: set[str] = set()

    def open(self) -> Session:
        settings = Settings(budget=Budget(window_tokens=16_000), steering=Steering(detectors=()))
        return Session.open(self.path, "s", settings=settings, counter=QUICK)

    def do(self, act: str, name: str) -> None:
        task, state = self.task, self.session.state
        if act == "begin":
            task.propose(name, "active")
        elif act in ("good", "bad", "bare"):
            task.propose(name, "done", product={"good": GOOD, "bad": BAD, "bare": {}}[act].get(name))
        elif act in ("back", "again"):
            task.propose(name, "open", "once more" if act == "again" else "")
        elif act == "skip":
            task.propose(name, "skipped", author="caller")
        elif act == "agent skips":
            task.propose(name, "skipped")
        elif act == "say":
            self.session.record({"role": "user", "content": f"go on {state.messages}"}, {"role": "assistant", "content": "yes"})
        elif act == "note":
            task.note(risks=[f"risk {state.seq}"])
        elif act == "park":
            self.session.task("Another thing")
            self.session.resume(task.task_id)
        elif act == "mark":
            self.session.checkpoint("mark")
        elif act == "return" and "mark" in state.checkpoints:
            self.session.rollback("mark", failed="it led nowhere")
        elif act == "reopen file":
            self.restarted()
        elif act == "prompt" and state.messages:
            self.session.prompt()
        elif act == "end" and task.state.finished:
            task.end()

    def restarted(self) -> None:
        before = plain(self.session.state)
        self.session.close()
        self.session = self.open()
        self.task = self.session.task("Sort the material", PLAN)
        after = plain(self.session.state)
        assert (after["task"], after["tried"], after["step"]) == (before["task"], before["tried"], before["step"])

    def check(self, before: dict[str, str], act: str, name: str) -> None:
        now = statuses(self.session)
        assert list(now.values()).count("active") <= 1
        for step, status in now.items():
            was = before[step]
            if act == "return" or was == status:
                continue
            if status == "active":
                assert was == "open", f"{step} was {was} and is under way"
                assert all(now[other] in FINISHED for other in BEFORE[step]), f"{step} did not wait"
            elif status == "done":
                assert was == "active"
                assert act in ("good", "bare") and name == step
                assert step not in ("a", "b") or self.proven(step)
            elif status == "skipped":
                assert was == "open" and act in ("skip", "agent skips")
                assert act == "skip" or step == "c", "an agent skipped a needed step"
            elif was in FINISHED:
                assert act == "again", f"{step} is open again by {act}"

    def proven(self, step: str) -> bool:
        value = self.session.read({"a": "x", "b": "y"}[step])
        return len(value) >= 2 if step == "a" else "ok" in value


def statuses(session: Session) -> dict[str, str]:
    task = session.state.task
    assert task is not None
    return {name: task.status(name) for name in NAMES}


def plain(state: SessionState) -> dict[str, Any]:
    return {key: msgspec.to_builtins(getattr(state, key)) for key in ("task", "parked", "tried", "step", "variables", "checkpoints")}


@SLOW_PROPERTY
@given(acts)
def test_no_sequence_of_proposals_reaches_an_illegal_state(program: list[tuple[str, str]]) -> None:
    with fixed_clock, TemporaryDirectory() as folder:
        run = Run(Path(folder) / "x.db")
        for act, name in program:
            before = statuses(run.session)
            run.do(act, name)
            run.check(before, act, name)
        run.session.close()


@SLOW_PROPERTY
@given(acts, acts)
def test_rollback_and_the_same_again_is_the_same_prompt(first: list[tuple[str, str]], then: list[tuple[str, str]]) -> None:
    """What came after a checkpoint leaves no trace but its line: going back and doing it again gives the same bytes."""
    again = [(act, name) for act, name in then if act not in ("mark", "return", "reopen file", "note", "end", "prompt")]
    with fixed_clock, TemporaryDirectory() as folder:
        run = Run(Path(folder) / "x.db")
        for act, name in first:
            if act != "end":
                run.do(act, name)
        run.session.record({"role": "user", "content": "now"})
        run.session.checkpoint("start")
        at_start = plain(run.session.state)
        outcomes = []
        for _ in range(2):
            for act, name in again:
                run.do(act, name)
            outcomes.append((told(run.session), run.session.prompt().render_bytes()))
            run.session.rollback("start")
            assert plain(run.session.state) == at_start
        assert outcomes[0] == outcomes[1]
        run.session.close()


def told(session: Session) -> dict[str, Any]:
    """The task without the numbers of entries, which only ever rise."""
    kept = plain(session.state)["task"]
    kept["records"] = {name: record[:-1] for name, record in kept["records"].items()}
    kept["refused"] = [row[:-1] for row in kept["refused"]]
    kept["seq"] = 0
    return dict(kept)


@SLOW_PROPERTY
@given(acts)
def test_a_restart_between_any_two_entries_changes_nothing(program: list[tuple[str, str]]) -> None:
    """The state that the file alone gives after each act is the state in memory, and the next prompt is the same bytes."""
    with fixed_clock, TemporaryDirectory() as folder:
        run = Run(Path(folder) / "x.db")
        run.session.record({"role": "user", "content": "now"})
        for act, name in program:
            run.do(act, name)
            twin = run.open()
            assert plain(twin.state) == plain(run.session.state)
            twin.close()
        expected = run.session.prompt().render_bytes()
        run.session.close()
        run.session = run.open()
        assert run.session.prompt().render_bytes() == expected
        run.session.close()
