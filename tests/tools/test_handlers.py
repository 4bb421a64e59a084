"""Every tool on a real session: what it answers, what it changes, how its errors let the agent go on."""

from __future__ import annotations

import json
import re

import pytest

from tests.failures.shapes import Talk, text_of, words
from tests.tools.agents import ORDERS, PAGE, PAGE_ZH, later, opened, with_result
from trimtab import Session, Toolset
from trimtab.tokens import counter_for

count = counter_for("gpt-5").count_text

# ---------------------------------------------------------------- notes


def test_notes_are_written_read_and_listed() -> None:
    with opened() as session:
        tools = Toolset(session)
        assert tools.run("list_notes").startswith("no notes. write_note(")
        assert (
            tools.run("write_note", {"key": "findings/q3", "value": "Revenue 4.2 M EUR (#12)"}) == 'saved as note "findings/q3" (version 1)'
        )
        assert (
            tools.run("write_note", '{"key": "findings/q3", "value": "Revenue 4.3 M EUR (#14)"}')
            == 'saved as note "findings/q3" (version 2)'
        )
        assert tools.run("write_note", {"key": "来源/甲", "value": {"价格": 1280, "货币": "元"}}) == 'saved as note "来源/甲" (version 1)'
        assert tools.run("read_note", {"key": "findings/q3"}) == "Revenue 4.3 M EUR (#14)"
        assert tools.run("read_note", {"key": "findings/q3", "version": 1}) == "Revenue 4.2 M EUR (#12)"
        assert tools.run("read_note", {"key": "来源/甲"}) == '{"价格":1280,"货币":"元"}'
        assert session.read_note("来源/甲") == {"价格": 1280, "货币": "元"}
        assert tools.run("list_notes") == 'findings/q3 (version 2): Revenue 4.3 M EUR (#14)\n来源/甲 (version 1): {"价格":1280,"货币":"元"}'
        assert tools.run("list_notes", {"begins_with": "来源/"}).startswith("来源/甲 (version 1)")
        assert tools.run("list_notes", {"begins_with": "none"}).startswith("no notes; there are 2 others")
        assert tools.run("read_note", {"key": "q3"}) == "not done: no note 'q3'; there is: findings/q3, 来源/甲"
        assert "no version of note 'findings/q3' 9; there is: 1, 2" in tools.run("read_note", {"key": "findings/q3", "version": 9})


def test_an_empty_note_is_a_note() -> None:
    with opened() as session:
        tools = Toolset(session)
        tools.run("write_note", {"key": "k", "value": ""})
        assert tools.run("read_note", {"key": "k"}) == "(empty)"
        tools.run("write_note", {"key": "k", "value": None})
        assert tools.run("read_note", {"key": "k"}) == "null"


@pytest.mark.parametrize("key", ["two\nlines", "x" * 201, "#12"])
def test_a_key_is_one_short_line(key: str) -> None:
    with opened() as session:
        answer = Toolset(session).run("write_note", {"key": key, "value": 1})
        assert answer.startswith('not done: "key" is ') and "one line of at most 200 characters" in answer
        assert not session.state.notes


def test_what_is_too_long_for_a_note_is_pointed_to_a_variable() -> None:
    with opened() as session:
        answer = Toolset(session).run("write_note", {"key": "all", "value": words(5_000)})
        assert answer.startswith("not saved: a note holds a conclusion") and 'save_variable(name="all"' in answer
        assert not session.state.notes


def test_a_long_note_is_read_page_by_page() -> None:
    text = "\n".join(f"Line {number} of the note." for number in range(400))
    with opened() as session:
        tools = Toolset(session, max_result_tokens=300)
        session.write_note("long", text)
        got, at = "", 0
        while True:
            answer = tools.run("read_note", {"key": "long", "chars": [at, len(text)]})
            assert count(answer) <= 300
            more = re.search(r"\n\[chars \d+\.\.(\d+) of [\d,]+; ask for chars \[\1, \d+\]\]$", answer)
            got += answer[: more.start()] if more else answer
            if more is None:
                break
            at = int(more[1])
        assert got == text


# ---------------------------------------------------------------- key information


def test_key_information_is_saved_with_its_source_before_it_is_answered() -> None:
    session, tools, seq = with_result(json.dumps({"orders": ORDERS, "page": 3}))
    answer = tools.run("extract_key_info", {"source": "last", "keep_fields": ["id", "total", "page", "color"]})
    assert answer.startswith(f'saved as note "key_info/#{seq}" (version 1); source: #{seq}, result of fetch(id=7)\npage: 3\n')
    assert f"#{seq} may be dropped now: drop_history(ids=[{seq}])" in answer
    assert "not found: color; there is: orders, page, id, total, status" in answer
    note = session.read_note(f"key_info/#{seq}")
    assert (note["source"], note["from"], note["fields"]) == (f"#{seq}", "fetch(id=7)", {"page": 3})
    assert note["rows"] == [{"id": row["id"], "total": row["total"]} for row in ORDERS]
    assert count(answer) <= 1_500
    # the answer shows what fits and says how to read the rest
    more = re.search(r'\[rows 1\.\.(\d+) of 300; read_note\(key="key_info/#\d+", rows=\[(\d+), (\d+)\]\)\]', answer)
    assert more is not None
    rest = tools.run("read_note", {"key": f"key_info/#{seq}", "rows": [int(more[2]), int(more[3])]})
    assert json.loads(rest.splitlines()[0]) == note["rows"][int(more[1])]


def test_key_information_of_a_chinese_page_under_a_key_of_its_own() -> None:
    session, tools, seq = with_result(PAGE_ZH)
    answer = tools.run("extract_key_info", {"source": f"#{seq}", "keep_fields": "营收、价格", "save_as": "来源/北方"})
    assert answer.startswith('saved as note "来源/北方" (version 1)')
    assert session.read_note("来源/北方")["fields"]["价格"]["values"] == ["P-300", "1280元"]


@pytest.mark.parametrize("source", ["last", "fetch", "#4", "4", "orders"])
def test_a_source_may_be_named_in_many_ways(source: str) -> None:
    session, tools, seq = with_result(PAGE)
    session.offload("orders", PAGE)
    assert seq == 4
    assert "4.2 million EUR" in tools.run("extract_key_info", {"source": source, "keep_fields": ["revenue"]})


def test_the_newest_result_is_never_one_of_these_tools() -> None:
    session, tools, seq = with_result(PAGE)
    say = Talk("openai_chat")
    session.record(
        *say.calls("c2", name="write_note", key="k", value=1), *say.results({"c2": tools.run("write_note", {"key": "k", "value": 1})})
    )
    assert f"source: #{seq}," in tools.run("extract_key_info", {"source": "last", "keep_fields": ["revenue"]})


def test_nothing_found_saves_nothing_and_offers_what_there_is() -> None:
    session, tools, seq = with_result(PAGE)
    answer = tools.run("extract_key_info", {"source": "last", "keep_fields": ["margin"]})
    assert answer.startswith(f"nothing was saved. In #{seq} not found: margin; there is: Borealis AG")
    assert "dropped" not in answer and not session.state.notes


def test_an_unknown_source_lists_what_there_is() -> None:
    session, tools, _ = with_result(PAGE)
    session.offload("orders", ORDERS)
    answer = tools.run("extract_key_info", {"source": "order", "keep_fields": ["id"]})
    assert "no variable 'order'; there is:" in answer and "orders" in answer and '"#12"' in answer
    assert tools.run("extract_key_info", {"source": "#99", "keep_fields": ["id"]}).startswith("not done: no message '#99'")
    with opened() as empty:
        assert "no tool result yet" in Toolset(empty).run("extract_key_info", {"source": "last", "keep_fields": ["id"]})


# ---------------------------------------------------------------- dropping


def test_dropping_says_what_it_freed_and_how_to_read_it_again() -> None:
    session, tools, seq = with_result(words(2_000))
    assert words(2_000) in text_of(session.prompt().render())
    later(session)
    answer = tools.run("drop_history", {"ids": [seq], "why": "used"})
    freed = re.match(rf"dropped 2 messages \(#{seq - 1}\.\.#{seq}\), about ([\d,]+) tokens freed", answer)
    assert freed is not None and int(freed[1].replace(",", "")) > 2_000
    assert words(2_000) not in text_of(session.prompt().render())
    assert tools.run("read_variable", {"name": f"#{seq}", "chars": [0, 500]}) == words(2_000)[:500]
    assert "drop_history" not in tools.run("extract_key_info", {"source": f"#{seq}", "keep_fields": ["maple"]})


def test_an_unsaved_conclusion_stays_until_it_is_saved() -> None:
    conclusion = "Therefore supplier Acme is cheaper by 42 EUR per pallet (A-17)."
    session, tools, _ = with_result(PAGE)
    seq = session.record(*Talk("openai_chat").says(conclusion)).last_seq
    session.record({"role": "user", "content": "Go on."})
    later(session)
    refused = tools.run("drop_history", {"ids": [seq]})
    assert f'#{seq} stays: it holds a conclusion that is saved nowhere: "{conclusion}"' in refused
    assert "Save it first: write_note(" in refused and "force=true only" in refused
    assert not session.state.dropped
    tools.run("write_note", {"key": "supplier", "value": "Acme, cheaper by 42 EUR per pallet (A-17)"})
    assert tools.run("drop_history", {"ids": [seq]}).startswith("dropped 1 message")


def test_force_drops_an_unsaved_conclusion_but_no_rule() -> None:
    with opened() as session:
        tools, say = Toolset(session), Talk("openai_chat")
        rule = session.record(*say.user("Never ship on a Sunday.")).last_seq
        found = session.record(*say.says("I found 42 errors in A-17.")).last_seq
        session.record(*say.user("Go on."))
        later(session)
        answer = tools.run("drop_history", {"range": [rule, found], "force": True})
        assert answer.startswith("dropped 1 message") and f"#{rule} stays: it holds" in answer
        assert "Rules and decisions are the user's" in answer


def test_the_agent_cannot_drop_what_it_is_doing() -> None:
    _, tools, seq = with_result(PAGE)
    assert "under way" in tools.run("drop_history", {"ids": [seq]})
    assert "not in the prompt" in tools.run("drop_history", {"ids": [4_000]})


@pytest.mark.parametrize("arguments", [{}, {"ids": [1], "kind": "user"}, {"range": [1, 2], "ids": [1], "kind": "user"}])
def test_exactly_one_way_to_say_what_goes(arguments: dict[str, object]) -> None:
    session, tools, _ = with_result(PAGE)
    answer = tools.run("drop_history", arguments)
    assert (
        answer.startswith("not done: say which messages by exactly one of range, ids, kind;")
        and "Example: drop_history(ids=[12])" in answer
    )
    assert not session.state.dropped


def test_the_scratchpad_is_cleared() -> None:
    session, tools, seq = with_result(words(600))
    assert tools.run("clear_scratchpad").startswith("nothing to clear")
    assert words(600) in text_of(session.prompt().render())
    later(session)
    assert tools.run("clear_scratchpad").startswith(f"dropped 1 message (#{seq}), about 6")
    assert words(600) not in text_of(session.prompt().render())


# ---------------------------------------------------------------- variables


def test_variables_are_saved_and_read_by_parts() -> None:
    session, tools, seq = with_result(json.dumps(ORDERS))
    answer = tools.run("save_variable", {"name": "orders", "value": f"#{seq}"})
    assert answer.startswith('saved as variable "orders" (version 1): JSON array of 300 objects: id, total, status')
    assert f"#{seq} may be dropped now" in answer
    assert session.state.variables["orders"].author == "agent"
    assert tools.run("read_variable", {"name": "orders", "path": "[6].total"}) == "70"
    assert json.loads(tools.run("read_variable", {"name": "orders", "rows": "299-300"}).splitlines()[1]) == ORDERS[299]
    assert "allowed: rows 1..300" in tools.run("read_variable", {"name": "orders", "rows": [301, 400]})
    tools.run("save_variable", {"name": "文章", "value": PAGE_ZH})
    assert tools.run("read_variable", {"name": "文章", "around": "价格"}).startswith("¶2 s3: 2024年营收")
    assert tools.run("read_variable", {"name": "文章", "chars": [0, 4]}) == "北方公司"
    assert tools.run("read_variable", {"name": "文章", "lines": [1, 1]}) == "北方公司"
    assert "cannot be read" in tools.run("read_variable", {"name": "文章", "around": "利润"})


@pytest.mark.parametrize("part", [{}, {"rows": [1, 300]}, {"rows": [1, 10**9]}, {"path": "$"}])
def test_a_large_table_is_read_page_by_page(part: dict[str, object]) -> None:
    with opened() as session:
        session.offload("orders", ORDERS)
        tools = Toolset(session)
        answer = tools.run("read_variable", {"name": "orders", **part})
        assert count(answer) <= 1_500
        more = re.search(r"\[rows 1\.\.(\d+)[^;]*; ask for rows \[(\d+), (\d+)\]\]$", answer)
        assert more is not None and int(more[2]) == int(more[1]) + 1
        assert [json.loads(line) for line in answer.splitlines()[:-1]] == ORDERS[: int(more[1])]
        after = tools.run("read_variable", {"name": "orders", "rows": [int(more[2]), int(more[3])]})
        assert json.loads(after.splitlines()[0]) == ORDERS[int(more[1])]


def test_a_table_of_text_is_read_page_by_page_with_its_head() -> None:
    table = "sku,price\n" + "\n".join(f"P-{number},{number}" for number in range(1, 1_001))
    with opened() as session:
        session.offload("stock", table)
        answer = Toolset(session).run("read_variable", {"name": "stock", "rows": [1, 1_000]})
        assert count(answer) <= 1_500 and answer.startswith("sku,price\nP-1,1\n") and "; ask for rows [" in answer


def test_one_giant_row_is_shortened() -> None:
    with opened() as session:
        session.offload("big", [{"text": words(4_000)}, {"text": "small"}])
        answer = Toolset(session).run("read_variable", {"name": "big", "rows": [1, 2]})
        assert count(answer) <= 1_500 and "too long; read it by chars" in answer and "ask for rows [2, 2]" in answer


def test_a_large_object_names_its_keys() -> None:
    with opened() as session:
        session.offload("page", {"title": "x", "body": words(4_000), "links": []})
        answer = Toolset(session).run("read_variable", {"name": "page"})
        assert count(answer) <= 1_500 and answer.endswith("; keys: title, body, links; ask for a path]")
        assert "the keys there: title, body, links" in Toolset(session).run("read_variable", {"name": "page", "path": "text"})


def test_only_one_part_at_a_time() -> None:
    with opened() as session:
        session.offload("orders", ORDERS)
        answer = Toolset(session).run("read_variable", {"name": "orders", "rows": [1, 2], "path": "[0]"})
        assert answer == "not done: path and rows were given; ask for one of path, rows, lines, chars, around at a time"


# ---------------------------------------------------------------- search and overview


def test_memory_is_searched_also_where_it_left_the_prompt() -> None:
    session, tools, seq = with_result("The account of Borealis is BX-99821, opened in Oslo.")
    session.record(*Talk("openai_chat").says("Noted."), {"role": "user", "content": "And the account of Acme?"})
    later(session)
    tools.run("drop_history", {"ids": [seq]})
    session.rebuild()
    assert f"message #{seq}, " in tools.run("query_memory", {"query": "BX-99821"})
    assert "#" in tools.run("query_memory", {"query": "account", "filters": {"role": "user"}})
    assert "BX-99821" not in tools.run("query_memory", {"query": "account", "filters": {"role": "user"}})
    after = tools.run("query_memory", {"query": "BX-99821", "filters": {"after": f"#{seq}", "kind": "message"}})
    assert after.startswith('nothing found for "BX-99821" among')
    assert "BX-99821" in tools.run("query_memory", {"query": "BX-99821", "filters": {"before": "2999-01-01"}})
    assert tools.run("query_memory", {"query": "BX-99821", "filters": {"before": "1999-01-01"}}).startswith(
        'nothing found for "BX-99821" among'
    )
    assert '"filters.after" is "yesterday"; it must be a message number' in tools.run(
        "query_memory", {"query": "x", "filters": {"after": "yesterday"}}
    )


def test_notes_are_found_by_their_words() -> None:
    with opened() as session:
        tools = Toolset(session)
        tools.run("write_note", {"key": "supplier", "value": "Acme delivers in 6 weeks"})
        found = tools.run("query_memory", {"query": "delivery Acme", "filters": {"kind": "note"}})
        assert found.startswith("note supplier: ") and "Acme delivers in 6 weeks" in found


def test_what_there_is_in_a_few_lines() -> None:
    session, tools, seq = with_result(words(600))
    session.offload("orders", ORDERS)
    tools.run("write_note", {"key": "supplier", "value": "Acme"})
    answer = tools.run("list_memory")
    assert re.search(rf"^#{seq} result of fetch\(id=7\), \d+ tokens$", answer, re.MULTILINE)
    assert "orders: JSON array of 300 objects" in answer and "supplier (version 1)" in answer
    assert re.search(r"^orders: JSON array, 300 rows: id, total, status", answer, re.MULTILINE)
    with opened() as empty:
        assert Toolset(empty).run("list_memory").startswith("nothing is stored yet")


def test_a_long_overview_stays_within_its_cap() -> None:
    with opened() as session:
        for number in range(300):
            session.write_note(f"a rather long key of note number {number}", number)
        tools = Toolset(session, max_result_tokens=400)
        for name in ("list_memory", "list_notes"):
            assert count(tools.run(name)) <= 400
        assert "of 300 shown" in tools.run("list_memory")
        assert "of 300; ask for rows [" in tools.run("list_notes")


# ---------------------------------------------------------------- query_memory takes a need


def rents() -> tuple[Session, Toolset]:
    session = opened()
    for text in ("The rent of the shed is 90 euros.", "The rent of the mill is 70 euros.", "The van is red."):
        session.record({"role": "user", "content": text}, {"role": "assistant", "content": "Noted."})
    session.record({"role": "user", "content": "Go on."})
    return session, Toolset(session)


def test_a_search_says_when_who_about_what_and_why() -> None:
    session, tools = rents()
    with session:
        first = tools.run("query_memory", {"query": "mill rent"}).splitlines()[0]
    assert re.match(
        r"turn #\d+, \d{4}-\d\d-\d\d \d\d:\d\d, user, on .*(mill|rent).*: user: The rent of the mill is 70 euros\..*\[.*words \d", first
    )


def test_a_search_takes_the_fields_of_a_need() -> None:
    session, tools = rents()
    with session:
        named = tools.run("query_memory", {"query": "rent", "entities": ["shed"], "kind": "how_much"})
        assert "the shed" in named.splitlines()[0]
        assert tools.run("query_memory", {"query": "rent", "time_range": ["1999-01-01", "1999-02-01"]}).startswith("nothing found")
        assert "shed" in tools.run("query_memory", {"query": "rent shed", "time_range": ["1999-01-01", "2999-01-01"]})
        # a model may write them as text
        assert "shed" in tools.run(
            "query_memory", {"query": "rent", "entities": "shed, mill", "time_range": '["1999-01-01", "2999-01-01"]'}
        )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"time_range": ["yesterday", "today"]}, "a date such as 2026-03-01"),
        ({"time_range": ["2026-03-01"]}, '"time_range" is ["2026-03-01"]; it must be two dates'),
        ({"time_range": ["2026-03-02", "2026-03-01"]}, "since first"),
        ({"kind": "shape"}, '"kind" is "shape"; it must be one of when, how_much, why, decision'),
    ],
)
def test_a_need_that_cannot_be_read_is_told_how(fields: dict[str, object], words: str) -> None:
    session, tools = rents()
    with session:
        answer = tools.run("query_memory", {"query": "rent"} | fields)
    assert answer.startswith("not done: ") and words in answer


def test_a_search_does_not_find_itself() -> None:
    session, tools = rents()
    with session:
        call = {"id": "q1", "type": "function", "function": {"name": "query_memory", "arguments": '{"query": "BX-99821"}'}}
        session.record({"role": "assistant", "content": None, "tool_calls": [call]})
        assert tools.run("query_memory", {"query": "BX-99821"}).startswith("nothing found")
