"""Steps: what a later step is declared to need stays whole, and leaves after it."""

from __future__ import annotations

import pytest

from tests.session.cases import TARGETS, call, opened, reply, result, round_of, settings, user
from trimtab.core.messages import WireName
from trimtab.errors import BadSetting, NotFound
from trimtab.testing import check_prompt

ROWS = "row " + " ".join(f"r{n}" for n in range(300))


@pytest.mark.parametrize("mode", ["window", "compact", "hierarchical", "auto", "retrieval"])
@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_a_needed_result_survives_every_cut_until_its_step_is_over(mode: str, layout: str) -> None:
    chosen = settings(8_000, mode=mode, layout=layout, window_rounds=2, hot_rounds=2)
    with opened(settings=chosen) as s:
        s.record(user("Read the orders."), call("c0"))
        s.record(result("c0", ROWS), needed_by="join")
        s.begin_step("collect")
        for number in range(1, 30):
            s.record(*round_of("openai_chat", number, 60))
            prompt = s.prompt()
            check_prompt(prompt.render(), "openai_chat", TARGETS["openai_chat"])
            assert ROWS in prompt.render_bytes().decode(), f"gone at round {number}"
        assert s.compactions(), "nothing was ever cut: the test shows nothing"
        s.begin_step("join")
        s.record(user("join now"))
        assert ROWS in s.prompt().render_bytes().decode()
        s.begin_step("report")
        for number in range(30, 45):
            s.record(*round_of("openai_chat", number, 60))
            s.prompt()
        assert ROWS not in s.prompt().render_bytes().decode()


def test_without_a_declaration_it_leaves() -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        s.record(user("Read the orders."), call("c0"), result("c0", ROWS))
        for number in range(1, 12):
            s.record(*round_of("openai_chat", number, 60))
            last = s.prompt()
        assert ROWS not in last.render_bytes().decode()


@pytest.mark.parametrize("wire", list(TARGETS))
def test_the_budget_goes_before_the_need(wire: WireName) -> None:
    with opened(target=TARGETS[wire], settings=settings(4_000, mode="compact")) as s:
        for number in range(20):
            first = s.record(*round_of(wire, number, 60))
            s.need(*range(first.first_seq, first.first_seq + 1), by="end")
            s.need(first.last_seq, by="end")
            s.record(user(f"and {number}"))
            prompt = s.prompt()
            assert prompt.tokens <= prompt.budget.prompt_budget_tokens
            check_prompt(prompt.render(), wire, TARGETS[wire])
            s.record(reply("ok"))


def test_a_decision_says_why_it_stays() -> None:
    with opened(settings=settings(8_000, mode="compact", layout="cache_first")) as s:
        seen = s.record(user("Read."), call("c0"), result("c0", ROWS), needed_by="join")
        for number in range(1, 14):
            s.record(*round_of("openai_chat", number, 60))
            prompt = s.prompt()
        held = {seq: row.reason for row in prompt.decisions for seq in range(row.first_seq, row.last_seq + 1)}
        assert held[seen.last_seq] == "needed"


def test_bad_input_is_named() -> None:
    with opened() as s:
        s.record(user("hello"))
        with pytest.raises(NotFound, match="variable 'nothing'"):
            s.begin_step("x", reads="nothing")
        with pytest.raises(NotFound, match="999"):
            s.need(999, by="x")
        with pytest.raises(NotFound, match="need 'x'"):
            s.release("x")
        with pytest.raises(BadSetting, match="step"):
            s.begin_step("  ")
        with pytest.raises(BadSetting, match="need"):
            s.need(by="x")


def test_the_same_step_again_writes_nothing() -> None:
    with opened() as s:
        s.begin_step("a")
        seq = s.state.seq
        s.begin_step("a")
        assert s.state.seq == seq
        s.end_step()
        s.end_step()
        assert s.state.seq == seq + 1
        assert (s.state.step, s.state.reads) == ("", ())


# ---------------------------------------------------------------- the three tests of M3


def test_a_distilled_result_leaves_at_once_and_its_line_says_where_the_conclusion_is() -> None:
    with opened(settings=settings(mode="compact", clear_keep_rounds=50, clear_at_least_tokens=0)) as s:
        s.record(user("Read the orders."), call("c0"))
        rows = s.record(result("c0", ROWS)).first_seq
        s.record(user("go on"))
        assert ROWS in s.prompt().render_bytes().decode()
        s.write_note("orders", {"rows": 300}, sources=[rows])
        s.record(call("c1"), result("c1", "small"), user("and?"))
        text = s.prompt().render_bytes().decode()
        assert ROWS not in text
        assert "what it says is in note 'orders'" in text and f"kept whole as #{rows}" in text


def test_a_need_goes_before_a_conclusion() -> None:
    with opened(settings=settings(mode="compact", clear_keep_rounds=50, clear_at_least_tokens=0)) as s:
        s.record(user("Read the orders."), call("c0"))
        rows = s.record(result("c0", ROWS), needed_by="join").first_seq
        s.note_item("fact", "there are 300 rows", [rows])
        s.record(user("go on"), call("c1"), result("c1", "small"), user("and?"))
        assert ROWS in s.prompt().render_bytes().decode()
        s.release("join")
        s.record(call("c2"), result("c2", "small"), user("and?"))
        assert ROWS not in s.prompt().render_bytes().decode()


def test_what_the_model_still_works_with_stays() -> None:
    with opened(settings=settings(clear_at_least_tokens=0)) as s:
        s.record(user("Read the orders."), call("c0"), result("c0", ROWS))
        assert ROWS in s.prompt().render_bytes().decode()
