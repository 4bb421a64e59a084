"""drop_history, clear_scratchpad: what leaves on request, what stays, and that nothing is lost by it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.session.cases import TARGETS, call, opened, reply, result, round_of, settings, user
from trimtab import Session
from trimtab.core.messages import WireName
from trimtab.errors import BadSetting
from trimtab.testing import check_prompt

WIRES = list(TARGETS)


def sent_text(session: Session) -> str:
    return session.prompt().render_bytes().decode()


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_what_was_dropped_is_gone_and_the_rest_stands(wire: WireName, layout: str) -> None:
    with opened(target=TARGETS[wire], settings=settings(layout=layout, clear_at_least_tokens=0)) as s:
        for number in range(6):
            s.record(*round_of(wire, number, 30))
        s.record(user("and now?"))
        before = s.prompt()
        units = [unit for unit in s.state.units if s.state.nodes[unit.key].calls][1:3]
        report = s.drop_history(first=units[0].key, last=units[-1].nodes[-1])
        assert set(report.dropped) >= {seq for unit in units for seq in unit.nodes}
        assert report.freed_tokens > 0
        s.record(reply("done"))
        s.record(user("go on"))
        after = s.prompt()
        check_prompt(after.render(), wire, TARGETS[wire])
        text = after.render_bytes().decode()

        def whole(number: int) -> str:
            return f"result {number} " + " ".join(f"w{number}x{place}" for place in range(30))

        results = [str(message) for message in after.render().get("messages", after.render().get("input", []))]
        assert not any(whole(1) in row or whole(2) in row for row in results)
        assert any(whole(0) in row for row in results)
        assert any(whole(3) in row for row in results)
        assert "called weather() -> returned: text, 1 line: result 1" in text, "what was dropped leaves no line"
        assert "result 1 w1x0" in before.render_bytes().decode()
        assert after.cuts == ("drop",)
        assert {decision.reason for decision in after.left_out if decision.first_seq in report.dropped} == {"dropped"}
        assert s.request(before.number).render_bytes() == before.render_bytes()
        assert [row.ref for row in s.find("w1x7", kinds=("message",))], "what was dropped is found no more"


def test_it_leaves_once_enough_is_to_go_or_with_the_next_cut() -> None:
    with opened(settings=settings(clear_at_least_tokens=10_000)) as s:
        for number in range(4):
            s.record(*round_of("openai_chat", number, 30))
        s.record(user("and now?"))
        first = s.prompt()
        s.drop_history(seqs=[s.state.units[2].key])
        s.record(reply("ok"), user("next"))
        kept = s.prompt()
        assert kept.render()["messages"][: len(first.render()["messages"]) - 1] == first.render()["messages"][:-1]
        assert "dropped" not in {decision.reason for decision in kept.decisions}
        rebuilt = s.rebuild()
        assert "dropped" in {decision.reason for decision in rebuilt.decisions}


def test_an_exchange_goes_whole() -> None:
    with opened(settings=settings(clear_at_least_tokens=0)) as s:
        s.record(
            user("look"), call("c1"), result("c1", "the result of c1"), reply("nothing there"), user("go on"), reply("ok"), user("more")
        )
        caller = next(unit for unit in s.state.units if unit.calls)
        report = s.drop_history(seqs=[caller.nodes[-1]])
        assert report.dropped == tuple(caller.nodes)
        body = s.prompt().render()
        check_prompt(body, "openai_chat", TARGETS["openai_chat"])
        assert not any(message.get("tool_calls") or message["role"] == "tool" for message in body["messages"])


def conversation() -> list[dict[str, Any]]:
    return [
        user("You must answer in German."),
        reply("Verstanden."),
        user("Which of the two hosts is slower?"),
        reply("Therefore the slower host is db-07, with a median of 412 ms."),
        user("Fine."),
        reply("Anything else?"),
        user("Check the third one."),
    ]


def test_refused_is_what_holds_a_rule_what_is_under_way_and_what_opened_the_turn() -> None:
    with opened() as s:
        s.record(*conversation(), call("c1"), result("c1", "host 3: 97 ms"))
        report = s.drop_history(first=1, last=10**6, force=True)
        refused = {row.seq: row.why for row in report.refused}
        rule, turn, newest = s.state.units[0].key, s.state.units[6].key, s.state.units[7].key
        assert "holds" in refused[rule] and "You must answer in German." in refused[rule]
        assert "opened the current turn" in refused[turn]
        assert "under way" in refused[newest]
        assert set(refused) == {rule, turn, newest}


def test_an_unsaved_conclusion_is_refused_until_it_is_saved_or_forced() -> None:
    with opened() as s:
        s.record(*conversation())
        node = next(node for node in s.state.nodes.values() if "db-07" in s._bodies.message(node).text)
        refused = s.drop_history(seqs=[node.seq])
        assert refused.dropped == ()
        assert "saved nowhere" in refused.refused[0].why and "db-07" in refused.refused[0].why
        s.write_note("slow host", {"host": "db-07", "median": "412 ms"})
        assert s.drop_history(seqs=[node.seq]).dropped == (node.seq,)

    with opened() as s:
        s.record(*conversation())
        node = next(node for node in s.state.nodes.values() if "db-07" in s._bodies.message(node).text)
        assert s.drop_history(seqs=[node.seq], force=True).dropped == (node.seq,)

    with opened() as s:
        s.record(*conversation())
        node = next(node for node in s.state.nodes.values() if "db-07" in s._bodies.message(node).text)
        s.note_item("fact", "db-07 is the slower host: median 412 ms", [node.seq])
        assert s.drop_history(seqs=[node.seq]).dropped == (node.seq,)


def test_figures_alone_do_not_save_a_conclusion() -> None:
    with opened() as s:
        s.record(user("Which pump?"), reply("So Acme is cheapest: the P-300 pump at 1,280 EUR."), user("ok"), reply("Fine?"), user("go on"))
        node = next(node for node in s.state.nodes.values() if "P-300" in s._bodies.message(node).text)
        s.write_note("prices", {"P-300": "1,280 EUR"})
        assert "saved nowhere" in s.drop_history(seqs=[node.seq]).refused[0].why
        s.write_note("winner", "the cheapest pump is the P-300 of Acme, 1,280 EUR")
        assert s.drop_history(seqs=[node.seq]).dropped == (node.seq,)


def test_what_is_dropped_before_the_first_request_is_in_none() -> None:
    with opened() as s:
        s.record(*round_of("openai_chat", 1, 60), user("next"))
        s.drop_history(kind="tool_result")
        assert not any(message["role"] == "tool" for message in s.prompt().render()["messages"])


def test_a_chinese_conclusion_is_one_too() -> None:
    with opened() as s:
        s.record(user("哪个供应商最便宜？"), reply("结论：乙公司最便宜，报价 38200 元。"), user("好"), reply("还有别的吗"), user("继续"))
        node = next(node for node in s.state.nodes.values() if "38200" in s._bodies.message(node).text)
        assert "38200" in s.drop_history(seqs=[node.seq]).refused[0].why
        s.write_note("报价", "乙公司 38200 元")
        assert s.drop_history(seqs=[node.seq]).dropped


def test_what_a_step_needs_is_refused_until_it_is_released() -> None:
    with opened() as s:
        s.record(user("read"), call("c1"), result("c1", "rows"), reply("read"), user("go on"), reply("ok"), user("x"))
        unit = next(unit for unit in s.state.units if unit.calls)
        s.need(unit.nodes[-1], by="join")
        assert "'join'" in s.drop_history(seqs=[unit.key]).refused[0].why
        s.release("join")
        assert s.drop_history(seqs=[unit.key]).dropped


def test_kinds() -> None:
    with opened() as s:
        for number in range(3):
            s.record(*round_of("openai_chat", number, 5))
        s.record(user("end"))
        tools = {seq for unit in s.state.units if unit.calls for seq in unit.nodes}
        assert set(s.drop_history(kind="tool_result").dropped) == tools
    with pytest.raises(BadSetting, match="kind"), opened() as s:
        s.drop_history(kind="everything")  # type: ignore[arg-type]
    with pytest.raises(BadSetting, match="a range"), opened() as s:
        s.drop_history()


def test_a_number_that_is_not_there_is_said() -> None:
    with opened() as s:
        s.record(user("hello"), reply("hi"), user("x"))
        assert "not in the prompt" in s.drop_history(seqs=[999]).refused[0].why


def test_a_rollback_brings_what_was_dropped_back() -> None:
    with opened(settings=settings(clear_at_least_tokens=0)) as s:
        for number in range(3):
            s.record(*round_of("openai_chat", number, 30))
        s.record(user("end"))
        whole = sent_text(s)
        s.checkpoint("before")
        s.drop_history(kind="tool_result")
        assert not any(message["role"] == "tool" for message in s.prompt().render()["messages"])
        s.rollback("before")
        assert sent_text(s) == whole


# ---------------------------------------------------------------- the scratchpad


@pytest.mark.parametrize("wire", WIRES)
def test_the_scratchpad_leaves_with_the_next_request_and_each_result_is_one_line(wire: WireName) -> None:
    with opened(target=TARGETS[wire], settings=settings(clear_keep_rounds=50)) as s:
        for number in range(4):
            s.record(*round_of(wire, number, 60))
        s.record(user("and now?"))
        assert "result 2 w2x0 w2x1" in sent_text(s)
        report = s.clear_scratchpad()
        assert len(report.dropped) == 4 and report.freed_tokens > 400
        s.record(reply("ok"), user("next"))
        prompt = s.prompt()
        check_prompt(prompt.render(), wire, TARGETS[wire])
        text = prompt.render_bytes().decode()
        assert text.count("left out") == 4
        assert all(f"kept whole as #{seq}" in text for seq in report.dropped)


def test_the_scratchpad_spares_what_a_step_needs_and_what_came_after() -> None:
    with opened(settings=settings(clear_keep_rounds=50)) as s:
        for number in range(3):
            s.record(*round_of("openai_chat", number, 60))
        needed = next(node.seq for node in s.state.nodes.values() if node.results)
        s.need(needed, by="join")
        s.record(user("and now?"))
        s.prompt()
        report = s.clear_scratchpad()
        assert [row.seq for row in report.refused] == [needed]
        s.record(*round_of("openai_chat", 9, 60), user("next"))
        text = sent_text(s)
        assert "result 0 w0x0 w0x1" in text, "a needed result left"
        assert "result 9 w9x0 w9x1" in text, "a result that came later left"
        assert text.count("left out") == 2


def test_an_empty_session_has_no_scratchpad() -> None:
    with opened() as s:
        assert s.clear_scratchpad().dropped == ()
