"""Calls and results torn apart: what other tools sent and their providers refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.failures.shapes import (
    LAYOUTS,
    MODES,
    WIRES,
    Talk,
    call_ids,
    checked,
    entries,
    history_of,
    key_of,
    results_in,
    settings,
    target,
    text_of,
    words,
)
from trimtab import PinnedOverflow, Session
from trimtab.core.entries import Compacted, MessageAdded, Repair
from trimtab.core.messages import WireName
from trimtab.settings import Settings

CUTS = [
    settings("window", 32_000, window_rounds=1, clear_at_least_tokens=0),
    settings("window", 32_000, window_rounds=2, clear_at_least_tokens=0),
    settings("window", 32_000, window_rounds=3, clear_at_least_tokens=0),
    settings("compact", 2_048, overlap_rounds=1, summary_max_tokens=100),
    settings("retrieval", 4_096, recent_rounds=1),
    settings("hierarchical", 4_096, hot_rounds=1),
    settings("auto", 2_048, overlap_rounds=1, summary_max_tokens=100),
]


def _name(given: Settings) -> str:
    return f"{given.mode}-{given.window_rounds or given.budget.window_tokens}"


# ---------------------------------------------------------------- framework 1


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("cut", CUTS, ids=_name)
def test_framework_01_langchain_33245_orphan_first(wire: WireName, cut: Settings) -> None:
    """A cut by number that ignores ids left the result of a call as the first message, and the provider refused.

    Right: wherever the cut falls, a result stands only with its call, and the newest exchange is always there."""
    say = Talk(wire)
    history = [
        *say.user("question one " + words(150, 1)),
        *say.tool_round("c1", "first file " + words(300, 2)),
        *say.user("question two " + words(150, 3)),
        *say.says("answer two " + words(150, 4)),
        *say.user("question three " + words(150, 5)),
        *say.says("answer three " + words(150, 6)),
        *say.user("question four " + words(150, 7)),
        *say.says("answer four " + words(150, 8)),
        *say.user("question five"),
    ]
    fired: set[str] = set()
    with Session.open(":memory:", "s", settings=cut, target=target(wire)) as session:
        for message in history:
            session.record(message)
            prompt = session.prompt()
            fired.update(prompt.cuts)
            body = checked(prompt, wire)
            assert call_ids(body) in ([], ["c1"])
        assert "compaction" in fired
        assert call_ids(body) == []
        assert history_of(body)[0]["role"] == "user" or "answer" in text_of(history_of(body)[0])
        assert text_of(history_of(body)[-1]).endswith("question five")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("wire", WIRES)
def test_framework_01_langchain_33245_never_the_system_text_alone(wire: WireName, mode: str) -> None:
    """The same tool, told to begin at a user message, found none in its window and sent the system text alone.

    Right: the message that opened the turn and the newest tool round are in, however many rounds lie between."""
    say = Talk(wire)
    with Session.open(":memory:", "s", settings=settings(mode, 5_000), target=target(wire)) as session:
        session.record(*say.user("GOAL-77 list what the files say"))
        for number in range(30):
            session.record(*say.tool_round(f"c{number}", f"file-{number} " + words(200, number)))
            body = checked(session.prompt(system="You read files."), wire)
            assert "GOAL-77 list what the files say" in text_of(body)
            assert f"file-{number} " in dict(results_in(body))[f"c{number}"]
            assert "You read files." in text_of(body)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", MODES)
def test_framework_01_langchain_33245_one_message_of_50k(wire: WireName, mode: str) -> None:
    """One user message of 50,000 tokens and a limit of 1,000 gave an empty list.

    Right: its head and its tail stand, with the number under which the whole is kept; the whole is in the ledger."""
    say = Talk(wire)
    text = f"HEAD-11 {words(50_000)} TAIL-99"
    with Session.open(":memory:", "s", settings=settings(mode, 1_400), target=target(wire)) as session:
        seq = session.record(*say.user(text)).first_seq
        prompt = session.prompt(max_output_tokens=100)
        body = checked(prompt, wire)
        sent = text_of(body)
        assert "HEAD-11" in sent and "TAIL-99" in sent and f"#{seq}" in sent
        assert prompt.tokens > prompt.budget.prompt_budget_tokens // 2
        assert "clamp" in prompt.cuts
        assert [(row.first_seq, row.action) for row in prompt.left_out] == [(seq, "clamp")]
        node = session.state.nodes[seq]
        assert text.encode() in session.store.bodies("default", [node.body_id])[node.body_id]


@pytest.mark.parametrize("wire", WIRES)
def test_framework_01_langchain_33245_a_typed_error_where_nothing_fits(wire: WireName) -> None:
    """Where not even a clamped message fits, the error is typed and names what is too large; nothing is recorded."""
    say = Talk(wire)
    with Session.open(":memory:", "s", settings=settings("window", 1_400), target=target(wire)) as session:
        session.record(*say.user(words(50_000)))
        with pytest.raises(PinnedOverflow) as caught:
            session.prompt(tools=say.tools(4, 400), max_output_tokens=100)
        assert next(iter(caught.value.largest)) in ("tools", "message #2")
        assert caught.value.largest["tools"] > 1_500
        assert caught.value.needed_tokens > caught.value.budget_tokens
        assert entries(session, "request", "compacted", "cleared") == []


# ---------------------------------------------------------------- framework 2, pain 10, 11


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("cut", CUTS, ids=_name)
def test_framework_02_langchain_38352_user_message_between_parallel_results(wire: WireName, cut: Settings) -> None:
    """Only the message at the cut was looked at: the user spoke between two results of one reply, and the second
    result stayed behind without its call.

    Right: pairs are found by id over the whole list: the exchange is there with both results, or not at all."""
    say = Talk(wire)
    history = [
        *say.user("question one " + words(100, 1)),
        *say.calls("a", "b"),
        *say.results({"a": "result-a " + words(100, 2)}),
        *say.user("by the way, be quick " + words(100, 3)),
        *say.results({"b": "result-b " + words(100, 4)}),
        *say.says("both read " + words(150, 5)),
    ]
    with Session.open(":memory:", "s", settings=cut, target=target(wire)) as session:
        session.record(*history)
        seen = []
        for number in range(6):
            body = checked(session.prompt(), wire)
            seen.append(tuple(call_ids(body)))
            answers = dict(results_in(body))
            assert set(answers) in (set(), {"a", "b"})
            session.record(*say.user(f"and {number}? " + words(120, number)), *say.says(f"that is {number} " + words(120, number + 9)))
        assert seen[-1] == (), "the old exchange never left: nothing was cut here"
        assert set(seen) <= {("a", "b"), ()}


@pytest.mark.parametrize("wire", WIRES)
def test_framework_02_langchain_38352_both_results_stand_with_their_call(wire: WireName) -> None:
    """The same history where everything fits: both results follow their call, then the user's words."""
    say = Talk(wire)
    with Session.open(":memory:", "s", settings=settings("window", 32_000), target=target(wire)) as session:
        session.record(*say.user("go"), *say.calls("a", "b"), *say.results({"a": "result-a"}))
        session.record(*say.user("by the way"), *say.results({"b": "result-b"}), *say.says("both read"))
        body = checked(session.prompt(), wire)
        assert results_in(body) == [("a", "result-a"), ("b", "result-b")]
        sent = text_of(history_of(body))
        assert sent.index("result-b") < sent.index("by the way") < sent.index("both read")


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_pain_10_n8n_window_cuts_call_from_result(wire: WireName, layout: str) -> None:
    """A window of five cut three parallel calls from their results: refused, and so was every turn after it.

    Right: the cut falls between exchanges, at whatever round it comes, and every prompt stays valid."""
    say = Talk(wire)
    given = settings("window", 32_000, window_rounds=5, layout=layout, clear_at_least_tokens=0)
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        held: list[set[str]] = []
        for number in range(20):
            ids = [f"{number}a", f"{number}b", f"{number}c"]
            session.record(*say.user(f"step {number}"), *say.calls(*ids))
            session.record(*say.results({call_id: f"text of {call_id} " + words(40, number) for call_id in ids}))
            session.record(*say.says(f"done {number}"))
            body = checked(session.prompt(), wire)
            held.append(set(call_ids(body)))
            assert set(ids) <= held[-1]
            for other in range(number + 1):
                assert len(held[-1] & {f"{other}a", f"{other}b", f"{other}c"}) in (0, 3)
        assert "0a" not in held[-1] and len(held[-1]) <= 3 * 10


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", ["window", "compact", "hierarchical", "auto"])
def test_pain_11_langchain_34282_ten_parallel_reads(wire: WireName, mode: str) -> None:
    """Six messages were kept after a summary, and ten results were parallel: four of them lost their call.

    Right: the cut moves back to the calling message, even if the tail is then longer than what was to be kept."""
    say = Talk(wire)
    ids = [f"r{index}" for index in range(10)]
    given = settings(mode, 20_000, window_rounds=1, hot_rounds=1, overlap_rounds=1, clear_at_least_tokens=0)
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        for number in range(12):
            session.record(*say.user(f"old {number} " + words(350, number)), *say.says(f"fine {number} " + words(350, number + 3)))
            checked(session.prompt(), wire)
        session.record(*say.user("read all ten"), *say.calls(*ids))
        session.record(*say.results({call_id: f"content-{call_id} " + words(450, index) for index, call_id in enumerate(ids)}))
        prompt = session.prompt()
        body = checked(prompt, wire)
        assert call_ids(body) == ids
        assert [call_id for call_id, _ in results_in(body)] == ids
        assert all(f"content-{call_id}" in text for call_id, text in results_in(body))
        assert "old 0 " not in text_of(history_of(body)), "nothing was cut here"
        session.record(*say.says("I have read them"), *say.user("so?"))
        assert set(call_ids(checked(session.prompt(), wire))) in (set(), set(ids))


# ---------------------------------------------------------------- framework 12, 15, 24


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", MODES[1:])
def test_framework_12_openai_agents_2317_compaction_with_an_open_call(wire: WireName, mode: str) -> None:
    """A compaction fell between a streamed call and its output; the output then had no call.

    Right: no compaction covers an exchange that waits for a result, and the result that comes later joins its call."""
    say = Talk(wire)
    given = settings(mode, 3_000, window_rounds=1, hot_rounds=1, recent_rounds=1, overlap_rounds=1, summary_max_tokens=150)
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        for number in range(6):
            session.record(*say.user(f"old {number} " + words(90, number)), *say.says(f"fine {number} " + words(90, number + 5)))
            checked(session.prompt(), wire)
        session.record(*say.user("now the job " + words(1_000, 3)))
        call_seq = session.record(*say.calls("job")).first_seq
        waiting = session.prompt()
        body = checked(waiting, wire)
        assert call_ids(body) == ["job"]
        assert "compaction" in waiting.cuts, "the threshold was not reached here"
        compactions = [entry for _, entry in entries(session, "compacted")]
        assert all(isinstance(entry, Compacted) and entry.cut_seq < call_seq for entry in compactions)
        session.record(*say.results({"job": "the real output"}))
        body = checked(session.prompt(), wire)
        assert results_in(body) == [("job", "the real output")]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", ["window", "compact", "hierarchical", "auto"])
def test_framework_15_adk_5602_final_result_while_the_call_is_in_the_prompt(wire: WireName, mode: str) -> None:
    """An interim "pending" counted as the answer; the call was folded away and its final result found nothing.

    Right: a later result of the same call takes the interim one's place, once; the interim one is recorded as
    replaced."""
    say = Talk(wire)
    with Session.open(":memory:", "s", settings=settings(mode, 32_000), target=target(wire)) as session:
        session.record(*say.user("start the job"), *say.calls("job", name="start_job"))
        interim = session.record(*say.results({"job": "status: pending"})).first_seq
        session.record(*say.says("It is running."), *say.user("anything else?"))
        assert results_in(checked(session.prompt(), wire)) == [("job", "status: pending")]
        session.record(*say.says("No."), *say.user("and now?"))
        session.record(*say.results({"job": "status: done, 42 rows"}))
        prompt = session.prompt()
        body = checked(prompt, wire)
        sent = text_of(body)
        assert sent.count("status: done, 42 rows") == 1
        assert results_in(body) == [("job", "status: done, 42 rows")]
        assert "status: pending" not in sent
        assert [row.action for row in prompt.left_out if row.first_seq <= interim <= row.last_seq] == ["drop"]
        assert prompt.break_reason != ""


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", MODES[1:])
def test_framework_15_adk_4740_final_result_after_the_call_has_left(wire: WireName, mode: str) -> None:
    """The same with a call that a compaction had long folded: a result without a call was sent, and refused.

    Right: the final result still reaches the model, as text that says what it is."""
    say = Talk(wire)
    given = settings(mode, 3_000, window_rounds=1, hot_rounds=1, recent_rounds=1, overlap_rounds=1, summary_max_tokens=150)
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        session.record(*say.user("start the job"), *say.tool_round("job", "status: pending"), *say.says("It runs."))
        for number in range(8):
            session.record(*say.user(f"talk {number} " + words(120, number)))
            body = checked(session.prompt(), wire)
            session.record(*say.says(f"fine {number} " + words(120, number + 5)))
        assert call_ids(body) == [], "the call is still in the prompt: nothing was folded here"
        session.record(*say.results({"job": "status: done, 42 rows"}))
        body = checked(session.prompt(), wire)
        assert "status: done, 42 rows" in text_of(body)
        assert results_in(body) == []
        assert "late result" in text_of(body)


@pytest.mark.parametrize("wire", WIRES)
def test_framework_24_pydantic_ai_4728_crash_between_call_and_result(wire: WireName, tmp_path: Path) -> None:
    """The process died between a call and its result, and every later run of that history was refused.

    Right: the request gets a fixed answer saying it was interrupted; the stored history stays as it was."""
    say = Talk(wire)
    path = tmp_path / "ledger.db"
    with Session.open(path, "s", settings=settings("auto", 32_000), target=target(wire)) as session:
        session.record(*say.user("delete the old rows"), *say.calls("c1", name="delete_rows"))
    with Session.open(path, "s", settings=settings("auto", 32_000), target=target(wire)) as session:
        before = [row for row in session.store.load(key_of(session)) if row.kind == "message"]
        session.record(*say.user("are you there?"))
        body = checked(session.prompt(), wire)
        assert results_in(body) == [("c1", "interrupted: no result was recorded")]
        sent = text_of(body)
        assert sent.index("interrupted") < sent.index("are you there?")
        after = [row for row in session.store.load(key_of(session)) if row.kind == "message"]
        assert after[: len(before)] == before
        stored = [entry.node for _, entry in entries(session, "message") if isinstance(entry, MessageAdded)]
        assert [node.results for node in stored if node.results] == []
        assert [entry.call_id for _, entry in entries(session, "repair") if isinstance(entry, Repair)] == ["c1"]


@pytest.mark.parametrize("wire", WIRES)
def test_framework_24_pydantic_ai_4728_the_real_result_comes_after_all(wire: WireName) -> None:
    """A result that arrives after the repair takes its place: one answer, the real one."""
    say = Talk(wire)
    with Session.open(":memory:", "s", settings=settings("auto", 32_000), target=target(wire)) as session:
        session.record(*say.user("delete the old rows"), *say.calls("c1", name="delete_rows"), *say.user("are you there?"))
        assert results_in(checked(session.prompt(), wire))[0][1].startswith("interrupted")
        session.record(*say.says("One moment."), *say.results({"c1": "12 rows deleted"}))
        prompt = session.prompt()
        body = checked(prompt, wire)
        assert results_in(body) == [("c1", "12 rows deleted")]
        assert "interrupted" not in text_of(body)
        assert prompt.break_reason == "late_result"


# ---------------------------------------------------------------- framework 18, 22, pain 8


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_framework_18_semantic_kernel_12708_result_that_holds_only_text(wire: WireName, rounds: int) -> None:
    """A result whose content was plain text was not seen as one and was cut from its call; the cut of another
    version took the system text too.

    Right: pairs are by role and id; the system text is outside the window but inside the budget."""
    say = Talk(wire)
    given = settings("window", 32_000, window_rounds=rounds, clear_at_least_tokens=0)
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        session.record(*say.system("SYSTEM-5 " + words(500)))
        history = [*say.user("go"), *say.tool_round("c1", "only text"), *say.user("next"), *say.says("so it is")]
        prompts = []
        for message in history:
            session.record(message)
            prompts.append(session.prompt())
            body = checked(prompts[-1], wire)
            assert "SYSTEM-5" in text_of(body)
            assert set(call_ids(body)) == {call_id for call_id, _ in results_in(body)}
        assert (call_ids(body) == []) == (rounds == 1)
        last = prompts[-1]
        assert last.sections["client_system"] >= 450
        assert last.budget.instructions_tokens >= last.sections["client_system"]
        assert all(row.first_seq > 1 for row in last.left_out), "the system text is never left out"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", ["window", "compact", "hierarchical", "auto"])
def test_framework_22_strands_2173_no_user_message_to_cut_at(wire: WireName, mode: str) -> None:
    """Twenty tool rounds after one user message, a window of four: no user message to cut at, so an exception.

    Right: the cut falls between two tool rounds; the message that gave the goal stays."""
    say = Talk(wire)
    given = settings(mode, 4_000, window_rounds=4, hot_rounds=4, overlap_rounds=4, clear_at_least_tokens=0)
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        session.record(*say.user("GOAL-3 find the broken build"))
        for number in range(20):
            session.record(*say.tool_round(f"c{number}", f"log-{number} " + words(150, number)))
            body = checked(session.prompt(), wire)
            assert text_of(history_of(body)[0]).endswith("GOAL-3 find the broken build")
            assert call_ids(body)[-1] == f"c{number}"
        assert "c0" not in call_ids(body)
        assert call_ids(body) == [f"c{number}" for number in range(20 - len(call_ids(body)), 20)]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", MODES)
def test_framework_22_strands_981_the_last_result_alone_overflows(wire: WireName, mode: str) -> None:
    """The newest result alone was larger than the window: "insufficient messages".

    Right: the largest result is shortened first, head and tail, and the goal is not touched."""
    say = Talk(wire)
    goal = "GOAL-3 find the broken build " + words(200, 4)
    with Session.open(":memory:", "s", settings=settings(mode, 4_000, window_rounds=4), target=target(wire)) as session:
        session.record(*say.user(goal))
        for number in range(19):
            session.record(*say.tool_round(f"c{number}", f"log-{number} " + words(20, number)))
        seq = session.record(*say.tool_round("c19", f"LOGHEAD {words(20_000)} LOGTAIL")).last_seq
        prompt = session.prompt()
        body = checked(prompt, wire)
        assert goal in text_of(body)
        last = dict(results_in(body))["c19"]
        assert "LOGHEAD" in last and "LOGTAIL" in last and f"#{seq}" in last
        assert [row.action for row in prompt.left_out if row.first_seq <= seq <= row.last_seq] in (["clamp"], ["stub"])


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mode", MODES)
def test_pain_08_dify_25237_tool_exchange_is_there_next_turn(wire: WireName, mode: str) -> None:
    """Only texts were kept between turns: the model did not see that it had called the tool, and called it again.

    Right: the call with its result, or the stub of it, is in the next turn's prompt."""
    say = Talk(wire)
    with Session.open(":memory:", "s", settings=settings(mode, 8_192), target=target(wire)) as session:
        session.record(*say.user("what is the weather in Oslo?"))
        session.record(*say.calls("w1", name="get_weather", city="Oslo"), *say.results({"w1": "4 degrees, rain"}))
        session.record(*say.says("Rain, 4 degrees."), *say.user("and should I take an umbrella?"))
        body = checked(session.prompt(), wire)
        assert call_ids(body) == ["w1"]
        assert results_in(body) == [("w1", "4 degrees, rain")]
        assert "get_weather" in text_of(body) and "Oslo" in text_of(body)


@pytest.mark.parametrize("mode", ["compact", "hierarchical", "auto"])
def test_pain_08_dify_4688_stub_of_the_call_after_it_left(mode: str) -> None:
    """Once the exchange has left, a line says what was called with what and what came of it."""
    say = Talk("openai_chat")
    given = settings(mode, 8_192, hot_rounds=2, overlap_rounds=2)
    with Session.open(":memory:", "s", settings=given, target=target("openai_chat")) as session:
        session.record(*say.user("what is the weather in Oslo?"))
        session.record(*say.calls("w1", name="get_weather", city="Oslo"), *say.results({"w1": "4 degrees, rain"}))
        session.record(*say.says("Rain, 4 degrees."))
        for number in range(24):
            session.record(*say.user(f"tell me more {number} " + words(120, number)), *say.says(f"well {number} " + words(120, number + 4)))
            body = checked(session.prompt(), "openai_chat")
        assert call_ids(body) == [], "the exchange has not left: nothing was cut here"
        lines = [line for line in text_of(body).splitlines() if "get_weather" in line]
        assert lines and "Oslo" in lines[0]
