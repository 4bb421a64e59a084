"""Detectors are measured rightly: what is spliced in is what it is called, the baselines keep to their rules, counts are counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.session.cases import opened, settings
from trimtab.errors import BadSetting
from trimtab.evals.detectors.baselines import BASELINES, always, browser_use, cline_hard, cline_soft, gemini_cli, openhands, openhands_sdk
from trimtab.evals.detectors.legal import LEGAL
from trimtab.evals.detectors.loops import LOOPS
from trimtab.evals.detectors.run import Alarms, Floor, Kind, Labelled, Report, kinds, of_kind
from trimtab.evals.detectors.runs import Call, Round, Run, Step, Trace, taubench, traces
from trimtab.evals.detectors.score import at_steps, counts, score
from trimtab.evals.detectors.splice import all_spliced, clean, spliced
from trimtab.evals.detectors.texts import texts_of
from trimtab.evals.detectors.watch import NO_HEADWAY, watched
from trimtab.settings import Steering


def run_of(*calls: tuple[str, str, str], text: str = "", is_error: bool = False) -> Run:
    return Run("r", tuple(Round((Call(tool, arguments, result, is_error),), text) for tool, arguments, result in calls))


def trace_of(*labels: bool, every: int = 1) -> Trace:
    rounds = tuple(Round(text=str(n)) for n in range(len(labels) * every))
    return Trace(Run("t", rounds), tuple(Step((n + 1) * every, label) for n, label in enumerate(labels)))


# ---------------------------------------------------------------- spliced runs


@pytest.mark.parametrize("kind", [*LOOPS, *LEGAL])
def test_the_same_number_gives_the_same_run_and_another_another(kind: str) -> None:
    one = spliced(kind, 7, ())
    assert one == spliced(kind, 7, ()) and one.run.rounds != spliced(kind, 8, ()).run.rounds
    assert one.run.rounds != spliced(kind, 7, (), "tune").run.rounds
    assert 0 <= one.begin < one.end <= len(one.run.rounds) and one.is_loop is (kind in LOOPS)


@pytest.mark.parametrize("kind", [*LOOPS, *LEGAL])
def test_a_kind_is_told_in_many_ways(kind: str) -> None:
    made = [spliced(kind, number, ()) for number in range(40)]
    inside = [one.run.rounds[one.begin : one.end] for one in made]
    assert len({len(rounds) for rounds in inside}) >= 4
    assert len({call.tool for rounds in inside for each in rounds for call in each.calls}) >= 10
    texts = [each.text + call.result + call.arguments for rounds in inside for each in rounds for call in each.calls]
    assert any("一" <= letter <= "鿿" for text in texts for letter in text) and any(text.isascii() for text in texts)


def inner(kind: str, number: int) -> list[Call]:
    one = spliced(kind, number, ())
    return [call for each in one.run.rounds[one.begin : one.end] for call in each.calls]


def meant(call: Call) -> Any:
    return call.tool, json.dumps(json.loads(call.arguments), sort_keys=True)


@pytest.mark.parametrize(("kind", "fewest", "most"), [("exact repeat", 1, 3), ("A-B-A-B", 2, 4), ("A-B-C", 3, 7), ("re-reading", 2, 7)])
def test_loops_say_the_same_again_and_again(kind: str, fewest: int, most: int) -> None:
    for number in range(30):
        calls = inner(kind, number)
        different = {meant(call) for call in calls}
        assert fewest <= len(different) <= most and len(calls) >= 4 * fewest


def test_what_is_paraphrased_and_what_is_paged_is_never_told_twice_in_the_same_way() -> None:
    reworded = [
        len({call.arguments.strip() for call in calls}) / len(calls) for calls in (inner("paraphrased arguments", n) for n in range(40))
    ]
    assert sum(reworded) / len(reworded) > 0.6
    for number in range(40):
        calls = inner("paging", number)
        assert len({meant(call) for call in calls}) == len(calls) and len({call.result for call in calls}) == len(calls)


def test_headway_ends_with_all_tests_passed_and_a_loop_does_not() -> None:
    for number in range(30):
        going, stuck = inner("edit-test with headway", number), inner("edit-test", number)
        assert "failed" not in going[-1].result and any("failed" in call.result for call in going)
        failures = {call.result.split(" failed")[0][-2:] for call in stuck if "failed" in call.result and "passed" in call.result}
        assert failures and all(not call.result.startswith("40 passed") for call in stuck)


def test_polling_without_a_change_differs_in_its_last_answer_alone_but_for_times_and_ids() -> None:
    plain = 0
    for number in range(30):
        calls = inner("polling, status unchanged", number)
        assert len({meant(call) for call in calls}) == 1 and "completed" in calls[-1].result
        assert calls[-1].result not in {call.result for call in calls[:-1]}
        plain += len({call.result for call in calls[:-1]}) == 1
    assert 5 < plain < 30
    changing = [inner("polling, status changes", number) for number in range(30)]
    assert all(len({call.result for call in calls}) == len(calls) for calls in changing)


def test_the_texts_of_the_two_halves_have_nothing_in_common() -> None:
    tune, report = texts_of("tune"), texts_of("report")
    for first, second in (
        ([*chain(*tune.errors.values())], [*chain(*report.errors.values())]),
        ([*chain(*tune.instructions)], [*chain(*report.instructions)]),
        (tune.polling.pending, report.polling.pending),
        (tune.polling.tools, report.polling.tools),
        (tune.paging, report.paging),
    ):
        assert len(second) > 30 and not set(first) & set(second)
        assert len(set(second)) == len(second)


def test_batches_are_one_message_or_one_declared_step() -> None:
    for number in range(20):
        one = spliced("parallel batch", number, ())
        assert all(len(each.calls) >= 3 for each in one.run.rounds[one.begin : one.end])
        one = spliced("declared batch", number, ())
        assert [each.batch for each in one.run.rounds] == [one.begin <= n < one.end for n in range(len(one.run.rounds))]


def test_clean_runs_repeat_nothing() -> None:
    for seed in range(30):
        calls = [meant(call) for each in clean(seed).rounds for call in each.calls]
        assert len(set(calls)) == len(calls) and not any(any(rule(clean(seed))) for rule in BASELINES.values())


def test_what_stands_before_a_splice_is_the_base_as_it_was() -> None:
    base = clean(3)
    for one in all_spliced(3, (base,)):
        assert one.run.rounds[: one.begin] == base.rounds[: one.begin]


# ---------------------------------------------------------------- the product runs as in a session


def messages_of(each: Round, number: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{"role": "user", "content": each.user}] if each.user else []
    calls = [
        {"id": f"c{number}-{n}", "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
        for n, call in enumerate(each.calls)
    ]
    made.append({"role": "assistant", "content": each.text or None} | ({"tool_calls": calls} if calls else {}))
    return made + [{"role": "tool", "tool_call_id": f"c{number}-{n}", "content": call.result} for n, call in enumerate(each.calls)]


@pytest.mark.parametrize("kind", ["exact repeat", "A-B-C", "paraphrased arguments", "edit-test", "paging", "parallel batch"])
def test_flags_are_those_of_a_session_that_records_the_same(kind: str) -> None:
    base = Run("b", tuple(each for each in clean(11).rounds if each.calls))
    made = (spliced(kind, number, (base,)).run for number in range(20))
    # the chat form cannot mark a result as an error
    run = next(run for run in made if not any(call.is_error for each in run.rounds for call in each.calls))
    noticed = watched(run, NO_HEADWAY)
    with opened(":memory:", settings=settings(steering=Steering(detectors=NO_HEADWAY))) as session:
        session.task("what the user asks for")
        for number, (each, one) in enumerate(zip(run.rounds, noticed, strict=True)):
            session.record(*messages_of(each, number))
            told = [(flag.kind, flag.tier, flag.detector, flag.text) for flag in session.flags()]
            assert told == [(flag.kind, flag.tier, flag.detector, flag.text) for flag in one.flags], number


def test_a_plain_loop_is_acted_upon_and_a_clean_run_is_not() -> None:
    loop = run_of(*[("search", '{"q": "leads"}', "nothing found")] * 8)
    assert any(flag.tier == "act" for flag in watched(loop)[-1].flags)
    assert not any(flag.tier == "act" for each in watched(clean(2)) for flag in each.flags)


# ---------------------------------------------------------------- baselines

A, B = ("open", '{"at": 1}', "one"), ("open", '{"at": 2}', "two")


def first(fired: Sequence[bool]) -> int | None:
    """Round of the first alarm, from 1."""
    return fired.index(True) + 1 if any(fired) else None


def test_calls_in_a_row() -> None:
    run = run_of(B, *[A] * 6)
    assert first(cline_soft(run)) == 4 and first(cline_hard(run)) == 6
    assert cline_soft(run)[3:] == [True] * 4  # it holds as long as the row goes on
    assert not any(cline_soft(run_of(*[A, B] * 8)))
    assert first(cline_soft(run_of(("a", '{"x":1,"y":2}', "1"), ("a", '{"y": 2, "x": 1}', "2"), ("a", '{"x":1, "y":2}', "3")))) == 3


def test_openhands_wants_equal_results_too() -> None:
    assert first(openhands(run_of(*[A] * 5))) == 4
    assert not any(openhands(run_of(*[("open", "{}", str(n)) for n in range(9)])))
    assert first(openhands(run_of(*[("open", "{}", f"failed {n}") for n in range(5)], is_error=True))) == 3
    assert first(openhands(run_of(*[A, B] * 4))) == 6
    talk = Run("talk", tuple(Round(text="Done?") for _ in range(4)))
    assert first(openhands(talk)) == 3
    monologue = Run("talk", tuple(Round(text=str(n)) for n in range(4)))
    assert first(openhands(monologue)) is None and first(openhands_sdk(monologue)) == 3


def test_the_sdk_compares_words_and_forgets_at_a_users_message() -> None:
    thinking = Run("r", tuple(Round((Call(*A),), f"try {n}") for n in range(8)))
    assert first(openhands(thinking)) == 4 and first(openhands_sdk(thinking)) is None
    asked = Run("r", tuple(Round((Call(*A),), user="go on" if n == 3 else "") for n in range(8)))
    assert first(openhands_sdk(asked)) == 7


def test_gemini_sees_cycles_five_times_over_and_chunks_in_a_reply() -> None:
    assert first(gemini_cli(run_of(*[A] * 6))) == 5
    assert first(gemini_cli(run_of(*[A, B] * 6))) == 10
    c, d, e = (("open", json.dumps({"at": n}), "x") for n in (3, 4, 5))
    assert first(gemini_cli(run_of(*[A, B, c, d, e] * 6))) == 25
    assert not any(gemini_cli(run_of(*[A, B] * 4)))
    said = "I will look at the file again and then I will decide what to do with it. "
    assert gemini_cli(Run("r", (Round(text=said * 14), Round(text=said), Round(text=f"```\n{said * 14}```")))) == [True, False, False]


def test_browser_use_counts_in_its_window_and_compares_searches_by_their_words() -> None:
    assert first(browser_use(run_of(*[A, B] * 6))) == 9
    typed = ("red shoes", "shoes red", "Red shoes", "shoes, red", "red  shoes")
    surfed = [("WebSurfer", json.dumps({"action": f"I typed '{words}' into 'Search'."}), str(n)) for n, words in enumerate(typed)]
    assert first(browser_use(run_of(*surfed))) == 5
    looked = [("open", json.dumps({"at": n}), "the same page") for n in range(6)]
    assert first(browser_use(run_of(*looked))) == 5
    assert not any(browser_use(run_of(*[("scroll", json.dumps({"at": n}), str(n)) for n in range(20)])))


# ---------------------------------------------------------------- counts


def test_alarms_are_those_since_the_step_before() -> None:
    trace = Trace(
        Run("t", tuple(Round() for _ in range(6))), (Step(0, False), Step(2, False), Step(5, True), Step(5, True), Step(6, False))
    )
    assert at_steps(trace, [False, True, False, False, True, False]) == [False, True, True, True, False]


def test_the_credit_of_one_step_goes_both_ways() -> None:
    trace = trace_of(False, False, True, False, False, True)
    found = counts(trace, [False, True, False, False, False, True])
    assert found == (2, 1, 2, 1, 2, 2, 2, 2, 1, 1, 1, 1)
    assert counts(trace, [True, False, False, False, False, False]) == (1, 0, 2, 0, 1, 0, 2, 0, 1, 1, 1, 1)


def test_figures_have_bounds_and_differences_are_paired() -> None:
    good, bad = trace_of(True, False), trace_of(False, False)
    right = [counts(good, [True, False]), counts(bad, [False, False])] * 6
    always_on = [counts(good, [True, True]), counts(bad, [True, True])] * 6
    silent = [counts(good, [False, False]), counts(bad, [False, False])] * 6
    rows, differences = score({"a": right, "b": always_on, "c": silent}, ["b", "c"], ["a"], times=300)
    by_name = {row.system: row for row in rows}
    assert by_name["a"].precision["step"].value == 1 and by_name["a"].recall["trace"].value == 1
    assert by_name["b"].precision["trace"].value == 0.5 and by_name["b"].precision["step"].value == 0.25
    low, high = by_name["b"].precision["trace"].low, by_name["b"].precision["trace"].high
    assert low is not None and high is not None and low < 0.5 < high
    assert by_name["c"].precision["step"].value is None and by_name["c"].f1["step"].value == 0
    over = {(each.baseline, each.level): each.figure for each in differences}
    assert over["c", "trace"].value == 1 and over["b", "step"].value == pytest.approx(0.6)
    assert (over["b", "step"].low or 0) > 0.3
    again = score({"a": right, "b": always_on, "c": silent}, ["b", "c"], ["a"], times=300)
    assert again == (rows, differences)


def report_of(fired: Sequence[bool], alarmed: int, found: int) -> Report:
    loops = [trace_of(True), trace_of(False)]
    by_system = {name: [counts(trace, [False]) for trace in loops] for name in BASELINES}
    by_system |= {
        name: [counts(trace, [on]) for trace, on in zip(loops, fired, strict=True)] for name in ("Trimtab, signal", "Trimtab, act")
    }
    rows, differences = score(by_system, list(BASELINES), ("Trimtab, signal", "Trimtab, act"), times=0)
    labelled = Labelled("report", 2, 1, 2, 1, rows, differences)
    kind = Kind("exact repeat", True, 100, found, 0, found, 3.0)
    return Report(labelled, [Alarms("Trimtab, act", True, 100, alarmed)], [kind])


@pytest.mark.parametrize(
    ("fired", "alarmed", "found", "missed"),
    [
        ((True, False), 3, 95, []),
        ((True, True), 0, 100, ["trace precision"]),
        ((False, False), 0, 100, ["trace precision"]),
        ((True, False), 4, 100, ["successful runs"]),
        ((True, False), 0, 94, ["spliced"]),
    ],
)
def test_floors(fired: tuple[bool, bool], alarmed: int, found: int, missed: list[str]) -> None:
    floors: list[Floor] = report_of(fired, alarmed, found).floors
    assert [floor.what.split(",")[0][: len(what)] for floor, what in zip([f for f in floors if not f.holds], missed, strict=True)] == missed
    assert sum("trace F1" in floor.what for floor in floors) == len(BASELINES)


def test_kinds_come_in_order_and_count_what_was_asked_for() -> None:
    found = list(kinds(2, ()))
    assert [kind.kind for kind in found] == [*LOOPS, *LEGAL] and {kind.runs for kind in found} == {2}
    assert found[0] == of_kind("exact repeat", 2, ())
    assert list(kinds(2, (), jobs=2)) == found


# ---------------------------------------------------------------- the data sets


@pytest.mark.data
def test_traces_are_read_as_their_ledgers_say(data_dir: Path) -> None:
    tune, report = traces(data_dir, "tune"), traces(data_dir, "report")
    assert not {trace.run.name for trace in tune} & {trace.run.name for trace in report}
    found = [*tune, *report]
    assert len(found) == 29 and sum(len(trace.steps) for trace in found) == 365
    assert sum(step.in_loop for trace in found for step in trace.steps) == 110
    assert all(trace.steps[0].rounds == 0 for trace in found)  # the first ledger is written before anything was done
    assert all(step.rounds <= len(trace.run.rounds) for trace in found for step in trace.steps)
    typed = found[0].run.rounds[0].calls[0]
    assert typed.tool == "WebSurfer" and json.loads(typed.arguments)["action"].startswith("I ") and typed.result


@pytest.mark.data
def test_runs_of_tau_bench_have_their_reward_and_their_results(data_dir: Path) -> None:
    runs = taubench(data_dir)
    assert len(runs) == 100 and sum(run.success is True for run in runs) == 49
    calls = [call for run in runs for each in run.rounds for call in each.calls]
    details = [call for call in calls if call.tool == "get_user_details" and not call.is_error]
    assert details and all(call.result.startswith("{") for call in details) and any(call.is_error for call in calls)
    assert {call.tool for call in calls if not call.result} <= {"think", "transfer_to_human_agents"}
    assert all(run.rounds[0].user for run in runs)


@pytest.mark.data
def test_the_base_rate_is_that_of_the_labels(data_dir: Path) -> None:
    found = traces(data_dir, "all")
    total = [sum(column) for column in zip(*(counts(trace, always(trace.run)) for trace in found), strict=True)]
    assert 0.3 < total[1] / total[0] < 0.5 and total[3] / total[2] > 0.95


def test_without_the_data_the_word_is_clear(tmp_path: Path) -> None:
    for read in (lambda: traces(tmp_path, "tune"), lambda: taubench(tmp_path)):
        with pytest.raises(BadSetting, match=r"drift/labels\.jsonl"):
            read()
    (tmp_path / "drift").mkdir()
    (tmp_path / "drift" / "labels.jsonl").write_text('{"trace": "x"}\n', "utf-8")
    with pytest.raises(BadSetting, match="whole"):
        traces(tmp_path, "all")
