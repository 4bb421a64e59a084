"""Variables: large values under names, read by parts; meta notes: what data looks like."""

from __future__ import annotations

import json
import time
from pathlib import Path

import msgspec
import pytest

from tests.session.cases import call, opened, reply, result, round_of, settings, text_of, user
from trimtab.errors import BadSetting, BadSlice, NotFound, ParseError

ROWS = [{"order_id": n, "customer_id": n % 40 + 1, "total": n * 1.5} for n in range(1, 301)]
CUSTOMERS = [{"id": n, "name": f"name {n}"} for n in range(1, 41)]


def article(chars: int = 6_000) -> str:
    """Paragraphs of four sentences, each with figures of its own."""
    said, number = [], 0
    while sum(map(len, said)) < chars:
        number += 1
        said.append(
            f"第{number}节说明第{number}号仓库在{number + 3}月的库存。当月入库{number * 17}箱，出库{number * 11}箱，损耗率为{number % 7}.{number % 10}%。"
            f"负责人是编号{1_000 + number}的同事，他建议把安全库存提高到{number * 23}箱！如果遇到缺货，应当先通知客户，然后补货。"
        )
    return "\n\n".join(said)


def test_an_article_is_kept_and_read_by_parts() -> None:
    text = article()
    with opened() as session:
        stored = session.offload("仓库月报", text)
        assert (stored.version, stored.kind, stored.chars, stored.author) == (1, "text", len(text), "caller")
        assert stored.tokens > 2_000 and stored.stub.startswith("[variable 仓库月报: text") and "\n" not in stored.stub
        assert session.read("仓库月报") == text
        assert session.read("仓库月报", chars=(10, 20)) == text[10:20]
        assert session.read("仓库月报", lines=(3, 3)) == text.split("\n")[2]
        assert session.read("仓库月报", around="编号1007", sentences=0) == ("¶7 s27: 负责人是编号1007的同事，他建议把安全库存提高到161箱！")
        assert session.read("仓库月报", around="编号1007").count("\n") == 2
        assert len(session.read("仓库月报", max_chars=300)) == 300


def test_the_full_text_never_enters_a_prompt_that_does_not_name_it() -> None:
    text = article()
    with opened() as session:
        session.record(user("start"))
        session.offload("report", text)
        session.record(reply("stored"), user("go on"))
        assert "编号1007" not in text_of(session.prompt())


def test_json_values_come_back_as_values() -> None:
    value = {"orders": ROWS, "客户": CUSTOMERS}
    with opened() as session:
        assert session.offload("shop", value).kind == "json"
        assert session.read("shop") == value
        assert session.read("shop", path="$.orders[0].order_id") == 1
        assert session.read("shop", path="客户[0:2].name") == ["name 1", "name 2"]
        with pytest.raises(BadSlice, match=r"the keys there: orders, 客户"):
            session.read("shop", path="$.order")
        session.offload("rows", ROWS)
        assert session.read("rows", rows=(300, 400)) == [ROWS[-1]]
        with pytest.raises(BadSlice, match=r"rows 1\.\.300"):
            session.read("rows", rows=(301, 400))


def test_versions_stay_readable_and_a_forgotten_name_begins_anew(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as session:
        assert [session.offload("v", text).version for text in ("one", "two", "three")] == [1, 2, 3]
        assert (session.read("v"), session.read("v", version=1), session.read("v", version=3)) == ("three", "one", "three")
        with pytest.raises(NotFound, match="version"):
            session.read("v", version=4)
    with opened(tmp_path / "db") as session:
        assert session.read("v", version=2) == "two"
        session.forget("v")
        assert session.variables() == ()
        with pytest.raises(NotFound, match="variable 'v'"):
            session.read("v")
        with pytest.raises(NotFound):
            session.forget("v")
        assert session.offload("v", "new").version == 1
        assert session.read("v", version=1) == "new"
        with pytest.raises(NotFound):
            session.read("v", version=3)


def test_a_message_of_the_history_is_read_by_its_number() -> None:
    with opened() as session:
        session.record(user("the question"), call("c1"), result("c1", json.dumps(ROWS)), reply("done"))
        asked, called, answered, said = sorted(session.state.nodes)
        assert session.read(f"#{asked}") == "the question"
        assert session.read(f"#{called}") == "weather({})"
        assert session.read(f"#{answered}", path="[2].total") == 4.5
        assert session.read(f"#{answered}.1", rows=(1, 1)) == [ROWS[0]]
        assert session.read(f"#{said}") == "done"
        with pytest.raises(BadSlice, match=rf"#{answered}\.1"):
            session.read(f"#{answered}.2")
        with pytest.raises(BadSlice, match="no tool results"):
            session.read(f"#{said}.1")
        for handle in ("#999", "#0"):
            with pytest.raises(NotFound, match="message"):
                session.read(handle)
        with pytest.raises(BadSlice, match='"#12" for a message'):
            session.read("#twelve")


def test_one_of_several_results_in_a_message() -> None:
    content = [{"type": "tool_use", "id": name, "name": "look", "input": {}} for name in ("a", "b")]
    answers = [{"type": "tool_result", "tool_use_id": name, "content": f"result of {name}"} for name in ("a", "b")]
    with opened() as session:
        session.record({"role": "assistant", "content": content}, {"role": "user", "content": answers})
        seq = max(session.state.nodes)
        assert session.read(f"#{seq}.2") == "result of b"
        assert session.read(f"#{seq}") == "result of a\nresult of b"
        stored = session.offload("second", f"#{seq}.2")
        assert (stored.body_id, stored.source_seq, stored.call_id) == ("", seq, "b")
        assert session.read("second") == "result of b"


def test_what_has_left_the_prompt_is_read_all_the_same(tmp_path: Path) -> None:
    with opened(tmp_path / "db", settings=settings(2_500)) as session:
        session.record(user("start"), call("c1"), result("c1", json.dumps(ROWS[:30])), reply("fine"))
        seq = sorted(session.state.nodes)[2]
        stored = session.offload("orders", f"#{seq}")
        assert stored.body_id == "" and stored.line.startswith("JSON array of 30 objects")
        for number in range(12):
            session.record(*round_of("openai_chat", number))
            session.prompt()
        assert seq not in session.state.nodes
        assert session.read(f"#{seq}", path="[29].order_id") == 30
        assert session.read("orders", rows=(2, 2)) == [ROWS[1]]


def test_a_rollback_takes_variables_and_messages_with_it() -> None:
    with opened() as session:
        session.record(user("one"))
        session.offload("v", "before")
        session.checkpoint("here")
        session.offload("v", "after")
        session.offload("w", "gone")
        session.record(reply("later"))
        later = max(session.state.nodes)
        session.rollback("here")
        assert [variable.name for variable in session.variables()] == ["v"]
        assert session.read("v") == "before"
        with pytest.raises(NotFound):
            session.read("v", version=2)
        with pytest.raises(NotFound):
            session.read(f"#{later}")
        assert session.offload("v", "again").version == 2
        assert session.read("v", version=2) == "again"


@pytest.mark.parametrize("name", ["", "  ", "#12", "two\nlines", "bell\a", "x" * 201, "\ud800", "line\u2028end", None, 7])
def test_names_that_are_refused(name: str) -> None:
    with opened() as session:
        with pytest.raises(BadSetting, match="printable line"):
            session.offload(name, "x")
        with pytest.raises(BadSetting, match="printable line"):
            session.meta_note(name, text="x")


def test_values_and_sources_that_are_refused() -> None:
    with opened() as session:
        for value in (object(), "\ud800", {"a": "\udfff"}):
            with pytest.raises(ParseError, match="neither text nor JSON"):
                session.offload("v", value)
        with pytest.raises(BadSetting, match="author"):
            session.offload("v", "x", author="me")
        with pytest.raises(NotFound, match="message '#9'"):
            session.offload("v", "#9")
        with pytest.raises(NotFound, match="message"):
            session.offload("v", "x", source_seq=9)
        assert session.variables() == () and session.meta_notes() == ()


def test_a_value_brings_the_note_of_its_structure() -> None:
    with opened() as session:
        session.record(user("here"))
        session.offload("orders", ROWS, source_seq=session.state.head)
        (note,) = session.meta_notes()
        assert (note.key, note.source_seq, note.structures[0].rows, note.structures[0].key) == (
            "orders",
            session.state.head,
            300,
            "order_id",
        )
        session.meta_note("orders", text="total is in EUR", value=ROWS)
        session.offload("orders", ROWS[:10])
        (note,) = session.meta_notes()
        assert (note.text, note.structures[0].rows) == ("total is in EUR", 10)
        session.offload("orders", "now only words")
        (note,) = session.meta_notes()
        assert (note.text, note.structures) == ("total is in EUR", ())
        session.forget("orders")
        assert session.meta_notes()[0].text == "total is in EUR"
        assert session.meta_note("orders").structures == ()
        assert session.meta_notes() == ()


def test_a_note_of_a_message_and_of_agreed_terms() -> None:
    with opened() as session:
        session.record(user("| id | v |\n|---|---|\n| 1 | 2 |"))
        seq = session.state.head
        assert session.meta_note("pasted", value=f"#{seq}").source_seq == seq
        assert session.meta_note("terms", text="GMV: paid orders only").source_seq == 0
        assert [note.key for note in session.meta_notes()] == ["pasted", "terms"]
        assert "GMV: paid orders only" in text_of(session.prompt())


def test_a_join_at_step_5_of_tables_whose_rows_left_at_step_1() -> None:
    with opened(settings=settings(6_000)) as session:
        session.record(user("join what follows"), call("c1", "list_orders"), result("c1", json.dumps(ROWS)))
        session.record(call("c2", "get_customers"), result("c2", json.dumps(CUSTOMERS)), reply("both read"))
        orders, customers = (node.seq for node in session.state.nodes.values() if node.results)
        session.meta_note("customers", value=f"#{customers}")
        for number in range(2, 6):
            session.record(user(f"step {number}"))
            prompt = session.prompt()
            session.record(*round_of("openai_chat", number, words=300)[1:])
        session.record(user("now join orders with customers"))
        prompt = session.prompt()
        text = text_of(prompt)
        assert prompt.tokens <= prompt.budget.prompt_budget_tokens
        assert '"order_id":150' not in text.replace(" ", "")
        assert "key order_id" in text and "customer_id int 1..40" in text and "300 rows" in text
        assert f"list_orders_{orders}.customer_id = customers.id" in text
        assert session.read(f"#{orders}", path="[149].customer_id") == 31


def test_a_value_of_five_megabytes() -> None:
    text = "id,name,v\n" + "".join(f"{n},name {n},{n * 3}\n" for n in range(250_000))
    with opened() as session:
        started = time.process_time()
        stored = session.offload("big", text)
        assert time.process_time() - started < 20
        assert stored.line.startswith("CSV of 250,000 rows x 3 columns") and stored.tokens > 1_000_000
        assert session.read("big", rows=(1, 1)) == "id,name,v\n0,name 0,0"
        assert len(msgspec.json.encode(session.meta_notes())) < 1_000


def test_two_sessions_on_one_store_see_the_same(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as one, opened(tmp_path / "db") as two:
        one.offload("v", "first")
        assert two.read("v") == "first"
        assert two.offload("v", "second").version == 2
        assert one.offload("v", "third").version == 3
        assert [one.read("v", version=n) for n in (1, 2, 3)] == ["first", "second", "third"]
