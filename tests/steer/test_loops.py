"""What is a loop, what is legal, and which of the two tiers it is."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.drift import Act, Flag
from trimtab.core.state import SessionState
from trimtab.core.task import PlanStep, StepRecord, TaskState
from trimtab.steer.flags import QUIET_ROUNDS, flagged
from trimtab.steer.loops import LONGEST_CYCLE, Looping, bucket, likeness, repeats
from trimtab.steer.seen import Seen
from trimtab.steer.tunnel import LEAST_ROUNDS, Tunnel, budget_of


def act(seq: int, key: str = "k", result: str = "r", **more: object) -> Act:
    fields: dict[str, object] = {"round": seq, "tool": "look", "key": key, "frame": key, "result": result, "fresh": 0.0}
    return Act(seq, seq, **(fields | more))  # type: ignore[arg-type]


def seen(*steps: PlanStep, active: str = "", rounds: int = 0, user_seq: int = 0) -> Seen:
    records = {step.name: StepRecord("active" if step.name == active else "open") for step in steps}
    state = SessionState(task=TaskState("t1", "goal", steps, records), round=rounds)
    return Seen(state=state, user_seq=user_seq)


def tier(acts: Sequence[Act], view: Seen | None = None) -> str:
    found = Looping().look(acts, view or seen())
    assert all(row.kind == "looping" and row.evidence and list(row.evidence) == sorted(set(row.evidence)) for row in found)
    return found[0].tier if found else ""


def test_the_same_again_is_a_signal_and_once_more_is_no_doubt() -> None:
    acts = [act(seq) for seq in (1, 2, 3)]
    assert [tier(acts[:count]) for count in (1, 2, 3)] == ["", "signal", "act"]
    assert Looping().look(acts, seen())[0].evidence == (1, 2, 3)


def test_a_changed_result_a_change_that_lasts_and_a_user_message_begin_anew() -> None:
    assert tier([act(seq, result=f"r{seq}", fresh=1.0) for seq in range(1, 9)]) == ""
    between = [act(1), act(2), act(3, "w", "ok", tool="write", changed=True, fresh=1.0), act(4, fresh=1.0)]
    assert tier(between) == ""
    assert tier([act(1), act(2), act(3)], seen(user_seq=2)) == ""


@pytest.mark.parametrize("period", range(2, LONGEST_CYCLE + 1))
def test_cycles(period: int) -> None:
    acts = [act(seq, f"k{seq % period}", f"r{seq % period}", fresh=1.0) for seq in range(1, 3 * period + 1)]
    assert tier(acts) == "act"
    moving = [act(seq, f"k{seq % period}", f"r{seq}", fresh=1.0) for seq in range(1, 3 * period + 1)]
    assert tier(moving) == ""


def test_the_same_error_whatever_the_arguments() -> None:
    failing = [act(seq, f"k{seq}", f"r{seq}", error="KeyError", fresh=1.0) for seq in range(1, 5)]
    assert [tier(failing[:count]) for count in range(1, 5)] == ["", "", "signal", "act"]
    other = [*failing[:2], act(3, "k3", "r3", error="ValueError", fresh=1.0), act(4, "k4", "r4", error="KeyError", fresh=1.0)]
    assert tier(other) == ""
    at_once = [act(1, f"k{place}", f"r{place}", error="KeyError", fresh=1.0, batch=4) for place in range(4)]
    assert tier(at_once) == ""


def test_paraphrases_count_where_nothing_new_comes_of_them() -> None:
    said = [tuple(range(10)), tuple(range(1, 11)), tuple(range(2, 12)), tuple(range(3, 13))]
    acts = [act(seq, f"k{seq}", f"r{seq}", words=words) for seq, words in enumerate(said, 1)]
    assert tier(acts) == "act"
    assert tier([act(seq, f"k{seq}", f"r{seq}", words=words, fresh=0.9) for seq, words in enumerate(said, 1)]) == ""


def test_what_is_legal() -> None:
    assert tier([act(seq, pending=True) for seq in range(1, 9)]) == ""
    paging = [act(seq, f"k{seq}", f"r{seq}", frame="f", words=(1, 2, 3), fresh=0.8) for seq in range(1, 9)]
    assert tier(paging) == ""
    assert tier([act(1, batch=4) for _ in range(4)]) == ""
    batch = PlanStep("each", batch=True)
    after = [*(act(seq, step="each") for seq in range(1, 9)), act(9, step="report")]
    assert tier(after[:8], seen(batch, active="each")) == ""
    assert tier(after, seen(batch, PlanStep("report"), active="report")) == ""


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from([0.0, 0.5, 1.0]), st.booleans()), max_size=30))
def test_any_acts_give_the_same_findings_twice_and_evidence_that_is_there(rows: list[tuple[int, int, float, bool]]) -> None:
    acts = [act(seq, f"k{key}", f"r{result}", fresh=fresh, pending=pending) for seq, (key, result, fresh, pending) in enumerate(rows, 1)]
    found = Looping().look(acts, seen())
    assert found == Looping().look(list(acts), seen()) and len(found) <= 1
    assert {seq for row in found for seq in row.evidence} <= {row.seq for row in acts}


@given(st.lists(st.booleans(), max_size=30))
def test_the_bucket_is_never_below_nothing_and_names_what_raised_it(marks: list[bool]) -> None:
    acts = [act(seq) for seq in range(1, len(marks) + 1)]
    level, evidence = bucket(acts, marks)
    assert 0 <= level <= len(evidence) <= sum(marks)
    assert bool(level) == bool(evidence) and set(evidence) <= {row.seq for row, again in zip(acts, marks, strict=True) if again}


def test_the_bucket_leaks() -> None:
    assert bucket([act(1), act(2)], [False, True]) == (1.0, (2,))
    assert bucket([act(1), act(2), act(3)], [False, True, False]) == (0.0, ())
    assert bucket([act(1), act(2), act(3), act(4)], [True, True, False, True]) == (2.0, (1, 2, 4))


def test_a_second_look_is_no_loop_and_two_close_together_are_told() -> None:
    new = [act(seq, f"n{seq}", f"n{seq}", fresh=1.0) for seq in range(1, 20)]
    stale = [act(seq, f"k{seq}", f"r{seq}", words=(1, 2, 3, 4)) for seq in range(1, 20)]
    assert tier([stale[0], new[1], stale[2]]) == ""
    assert tier([stale[0], new[1], stale[2], new[3], stale[4]]) == "signal"
    assert tier([stale[0], new[1], stale[2], new[3], stale[4], new[5]]) == "", "it is said as it happens"
    far = [stale[0], *new[1:4], stale[4], *new[5:10], stale[10]]
    assert tier(far) == ""


def test_who_lets_time_pass_before_asking_again_waits() -> None:
    at = [0, 4_000, 64_000, 124_000, 184_000]
    polled = [act(1, "other", "x", fresh=1.0, at_ms=0), *(act(seq, at_ms=ms) for seq, ms in enumerate(at[1:], 2))]
    assert tier(polled) == ""
    assert tier([msgspec.structs.replace(row, at_ms=row.seq * 4_000) for row in polled]) == "act", "the same at the run's own pace"
    slow = [act(seq, f"k{seq % 2}", f"r{seq % 2}", at_ms=seq * 60_000) for seq in range(1, 9)]
    assert tier(slow) == "act", "a run that is slow throughout waits for nothing"


def test_what_repeats_what() -> None:
    again = [act(1), act(2)]
    assert not repeats(again[1], []) and repeats(again[1], again[:1])
    assert likeness((1, 2), (2, 3)) == pytest.approx(1 / 3) and likeness((), ()) == 0


# ---------------------------------------------------------------- tunnel


def test_the_budget_is_the_plans_or_that_of_the_steps_before() -> None:
    task = TaskState("t", "g", (), {name: StepRecord("done", rounds=rounds) for name, rounds in (("a", 4), ("b", 6))})
    assert budget_of(task, 0) == 15 and budget_of(task, 10) == 20 and budget_of(task, 1) == LEAST_ROUNDS
    assert budget_of(TaskState("t", "g"), 0) == 2 * LEAST_ROUNDS


def test_a_step_over_its_budget_and_twice_over_with_nothing_done() -> None:
    step = PlanStep("fetch", rounds=5)
    acts = [act(seq, f"k{seq}", f"r{seq}", step="fetch", fresh=1.0) for seq in range(1, 11)]
    found = [Tunnel().look(acts, seen(step, active="fetch", rounds=rounds)) for rounds in (10, 11, 21)]
    assert [[row.tier for row in rows] for rows in found] == [[], ["signal"], ["act"]]
    busy = [*acts[:-1], act(10, "w", "ok", step="fetch", changed=True)]
    assert [row.tier for row in Tunnel().look(busy, seen(step, active="fetch", rounds=21))] == ["signal"]
    assert Tunnel().look(acts, seen(PlanStep("fetch", rounds=5, batch=True), active="fetch", rounds=21)) == []
    assert Tunnel().look(acts, Seen(state=SessionState())) == []


# ---------------------------------------------------------------- flags


def test_flags_rise_end_and_are_not_said_twice() -> None:
    view = seen()
    acts = [act(seq) for seq in (1, 2, 3)]
    first = flagged(view.state, acts[:2], view, ("looping",), "stop", 7)
    assert first is not None and [(flag.tier, flag.answer, flag.flag_id) for flag in first.flags] == [("signal", "warn", "d7.0")]
    view.state.flags = list(first.flags)
    assert flagged(view.state, acts[:2], view, ("looping",), "stop", 8) is None
    risen = flagged(view.state, acts, view, ("looping",), "stop", 9)
    assert risen is not None and [(flag.tier, flag.answer) for flag in risen.flags] == [("act", "stop")] and risen.ended == ("d7.0",)
    assert flagged(view.state, acts, view, ("tunnel",), "stop", 9) is None


@pytest.mark.parametrize(("answer", "ends"), [("warn", True), ("reanchor", True), ("stop", False), ("rollback", False)])
def test_a_flag_that_is_not_raised_again_ends_but_for_one_that_waits_for_an_answer(answer: str, ends: bool) -> None:
    view = seen()
    view.state.flags = [Flag("d1.0", "looping", "act", "loops", "again", (2,), "", answer)]  # type: ignore[arg-type]
    later = [act(2 + seq, f"k{seq}", f"r{seq}", fresh=1.0) for seq in range(1, QUIET_ROUNDS + 1)]
    assert flagged(view.state, later[:-1], view, ("looping",), "warn", 9) is None
    over = flagged(view.state, later, view, ("looping",), "warn", 9)
    assert (over.ended if over is not None else ()) == (("d1.0",) if ends else ())
