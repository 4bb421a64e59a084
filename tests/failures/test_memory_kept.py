"""Memory that wore away: rules, failed attempts, to-dos, tables and summaries that did not outlive their messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, get_args

import pytest

from tests.failures.shapes import LAYOUTS, WIRES, Json, Talk, checked, entries, history_of, settings, target, text_of, words
from tests.properties.play import QUICK
from trimtab import Session
from trimtab.core.entries import Compacted, Distilled
from trimtab.core.messages import WireName
from trimtab.core.summary import FIELDS, PINNED_FIELDS, Field, SummaryItem, render_rules, render_summary
from trimtab.settings import Summarizer
from trimtab.testing import models

SUMMARY_MODES = ("compact", "hierarchical", "auto")
CHAT: WireName = "openai_chat"
SAY = Talk(CHAT)


def sent(session: Session, wire: WireName = CHAT, **changes: Any) -> str:
    """The text of the next request, after all checks."""
    return text_of(checked(session.prompt(**changes), wire))


def cuts(session: Session) -> list[Compacted]:
    """What was cut, oldest first: compactions at which messages left."""
    found = [entry for _, entry in entries(session, "compacted")]
    return [entry for entry in found if isinstance(entry, Compacted) and entry.kind == "compaction"]


def work(session: Session, wire: WireName, turns: Sequence[int], size: int = 60, with_tools: bool = True) -> list[str]:
    """Turns about nothing, with a request in each; the texts of the requests."""
    say, texts = Talk(wire), []
    for number in turns:
        session.record(*say.user(f"Go on with page {number}: {words(size, number)}."))
        if with_tools:
            session.record(*say.tool_round(f"w{number}", f"page {number} " + words(size, number + 5), page=number))
        texts.append(sent(session, wire))
        session.record(*say.says(f"Page {number} is read: {words(size, number + 9)}."))
    return texts


# ---------------------------------------------------------------- pain 1

INSTRUCTIONS = (
    "Always run `make lint` before you commit.",
    "Never push to the main branch.",
    "You must not edit any file under vendor/.",
    "All commit messages must be in English and at most 72 characters long.",
    "Do not add a dependency without asking me first.",
    "Every new function must have a test in tests/unit.",
    "Never print a secret, a token or a password.",
    "Always answer in plain text, without tables.",
    "You must use tabs of 4 spaces in Python files.",
    "Never delete a migration that was released.",
    "Always name the files that you changed at the end of your answer.",
    "Use only the endpoints of https://api.example.com/v2, never those of v1.",
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", SUMMARY_MODES)
@pytest.mark.parametrize("wire", WIRES)
def test_pain_01_claude_code_9796_project_instructions_outlive_a_compaction(wire: WireName, mode: str, layout: str) -> None:
    """After a compaction the project's instructions were gone, and the agent answered an old question.

    Right: each sentence of the rule message of round 1 stands byte for byte in the next request, and the newest user
    message, and no other, is its input."""
    say = Talk(wire)
    # Claude's count is an upper bound, about twice the others'
    given = settings(mode, 24_000 if wire == "anthropic" else 14_000, layout=layout)
    question = "Which of the pages names the harbor first?"
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        session.record(*say.user("These are the instructions of this project:\n\n" + "\n".join(f"- {rule}" for rule in INSTRUCTIONS)))
        rule_message = session.record(*say.says("Understood.")).first_seq - 1
        work(session, wire, range(60))
        assert cuts(session) and rule_message not in session.state.nodes, "the rules have not left: the test shows nothing"
        session.record(*say.user(question))
        prompt = session.prompt()
        body = checked(prompt, wire)
        text = text_of(body)
        assert [rule for rule in INSTRUCTIONS if rule not in text] == []
        (asked,) = [prompt.text_of(row) for row in prompt.segments if row.section == "input"]
        assert json.loads(asked)["content"] == question
        assert question in text_of(history_of(body)[-1])
        assert text.count(question) == 1


# ---------------------------------------------------------------- pain 4

COLUMNS = ("cust_ref", "po_number", "ship_dt", "net_eur")
TRACKER = "notes/import_tracker.md"
FAILURES = (
    "ERROR 1292 (22007): Incorrect datetime value '31/02/2025' for column 'ship_dt' at row 88",
    "loading 120 rows\nerror: value '31/02/2025' of column 'ship_dt' is no date (row 88)\nexit code: 1",
)


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("mode", SUMMARY_MODES)
@pytest.mark.parametrize("wire", WIRES)
def test_pain_04_claude_code_29890_what_failed_is_not_tried_again(wire: WireName, mode: str, failure: str) -> None:
    """After a compaction the agent tried approach A again, known to fail, and had forgotten the names of the columns
    and its own tracker file.

    Right: what was tried and failed is one line with its error and its identifiers word for word; what worked, the
    file's path and the columns are in the prompt, or one query finds them."""
    say = Talk(wire)
    given = settings(mode, 24_000 if wire == "anthropic" else 12_000)
    table = ",".join(COLUMNS) + "\n" + "\n".join(f"C-{n:04},PO-{n + 500},2025-03-{n % 28 + 1:02},{n * 3}.50" for n in range(120))
    steps: dict[int, list[Json]] = {
        3: say.tool_round("t3", table, path="in/orders_2025.csv"),
        6: [*say.calls("t6", name="write_file", path=TRACKER, text="step 1 done"), *say.results({"t6": '{"ok": true}'})],
        10: [*say.calls("t10", name="run", command="load --bulk in/orders_2025.csv"), *say.results({"t10": failure})],
        14: [*say.calls("t14", name="run", command="load --rows in/orders_2025.csv"), *say.results({"t14": '{"ok": true, "rows": 120}'})],
    }
    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        for number in range(50):
            session.record(*say.user(f"Step {number}. {words(60, number)}."), *steps.get(number, []))
            sent(session, wire)
            session.record(*say.says(f"I see. {words(60, number + 3)}."))
        assert cuts(session) and min(session.state.nodes) > 60, "the attempts have not left: the test shows nothing"
        text = sent(session, wire)
        failed = text.partition("Tried and failed:\n")[2].partition("\nDone so far:")[0]
        why = next(line for line in failure.split("\n") if "31/02/2025" in line)
        assert f"- called run(command=load --bulk in/orders_2025.csv) -> failed: {why} [" in failed
        assert "called run(command=load --rows in/orders_2025.csv) -> ok" in text
        for name in (TRACKER, *COLUMNS):
            assert name in text or any(name in row.text for row in session.find(name)), name


# ---------------------------------------------------------------- pain 14

TODOS = ("Deduplicate leads_q1.csv by email", "Fill in the missing regions", "Send the cleaned list to Dana")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", SUMMARY_MODES)
def test_pain_14_deepagents_4161_open_todos_outlive_their_tool_message(mode: str, layout: str) -> None:
    """The list of to-dos stood in an old tool message only; once that was summarized, the model saw none.

    Right: those that are open are in the prompt, those that are done are not."""
    with Session.open(":memory:", "s", settings=settings(mode, 10_000, layout=layout), target=target(CHAT)) as session:
        work(session, CHAT, range(4))
        todos = [{"content": todo, "status": "pending"} for todo in TODOS]
        session.record(*SAY.user("Plan the work."), *SAY.calls("todo", name="write_todos", todos=todos))
        seq = session.record(*SAY.results({"todo": "Updated todo list to " + json.dumps(todos)})).last_seq
        items = [session.note_item("todo", todo, [seq], author="agent") for todo in TODOS]
        work(session, CHAT, range(4, 24))
        session.note_item("action", "The leads are deduplicated by email.", closes=[items[0].item_id])
        before = len(cuts(session))
        texts = work(session, CHAT, range(24, 60))
        assert len(cuts(session)) > before >= 1 and seq not in session.state.nodes
        assert all(f"- {todo} [" in texts[-1] for todo in TODOS[1:])
        assert TODOS[0] not in texts[-1]


@pytest.mark.parametrize("mode", SUMMARY_MODES)
def test_pain_14_deepagents_4161_ticked_boxes_of_a_plan(mode: str) -> None:
    """The same where nobody calls for it: a plan with boxes in a reply, some of them ticked in a later one."""
    with Session.open(":memory:", "s", settings=settings(mode, 10_000), target=target(CHAT)) as session:
        session.record(*SAY.user("Plan the work."), *SAY.says("My plan:\n\n" + "\n".join(f"- [ ] {todo}" for todo in TODOS)))
        work(session, CHAT, range(8))
        ticked = "\n".join(f"- [{'x' if at == 0 else ' '}] {todo}" for at, todo in enumerate(TODOS))
        session.record(*SAY.user("How far are you?"), *SAY.says(f"Progress:\n\n{ticked}"))
        seq = session.state.head
        texts = work(session, CHAT, range(8, 60))
        assert cuts(session) and seq not in session.state.nodes
        assert all(f"- {todo} [" in texts[-1] for todo in TODOS[1:])
        assert TODOS[0] not in texts[-1]


# ---------------------------------------------------------------- a rule of round 1 at step 5


@pytest.mark.parametrize("rule", ["The columns of the output must always stay in Chinese.", "输出的列名必须始终用中文。"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", SUMMARY_MODES)
def test_output_columns_stay_in_chinese_at_step_5_though_said_in_round_1(mode: str, layout: str, rule: str) -> None:
    with Session.open(":memory:", "s", settings=settings(mode, 8_000, layout=layout), target=target(CHAT)) as session:
        session.begin_step("1 read")
        session.record(*SAY.user(f"{rule} 先读三月的销售明细。"), *SAY.says("好的。"))
        texts = []
        for step in range(2, 6):
            session.begin_step(f"{step} work")
            texts += work(session, CHAT, range(step * 20, step * 20 + 20))
        assert len(cuts(session)) >= 4, "too little was cut: the test shows nothing"
        assert all(rule in text for text in texts)
        # once, where rules stand: not a second time as a fact or a preference of the summary
        assert texts[-1].count(rule) == 1


# ---------------------------------------------------------------- a join at step 5 of what left at step 1

ORDERS = [{"order_id": 9000 + n, "customer_id": n % 40 + 1, "total": n * 2.5, "state": ["new", "paid"][n % 2]} for n in range(60)]
CUSTOMERS = "customer_id,name,city\n" + "\n".join(f"{n},Firm {n:02},{['Lyon', 'Porto', 'Turin'][n % 3]}" for n in range(1, 41))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("wire", WIRES)
def test_a_join_at_step_5_of_tables_whose_rows_left_at_step_1(wire: WireName, layout: str) -> None:
    """Right: long after the rows have left, each prompt says what they look like and by which field they belong
    together; in the step that reads them they stand whole, and in no other."""
    say = Talk(wire)
    orders = json.dumps(ORDERS)
    given = settings("compact", 40_000 if wire == "anthropic" else 20_000, layout=layout, summary_max_tokens=600)

    def holds(text: str) -> list[bool]:
        return [all(str(row["order_id"]) in text for row in ORDERS[20:40]), "20,Firm 20,Turin" in text]

    with Session.open(":memory:", "s", settings=given, target=target(wire)) as session:
        session.begin_step("1 read")
        for name, value in (("orders", orders), ("customers", CUSTOMERS)):
            session.record(*say.user(f"Read the {name}."), *say.calls(f"r-{name}", name=f"list_{name}"))
            seq = session.record(*say.results({f"r-{name}": value})).last_seq
            session.offload(name, f"#{seq}")
            session.record(*say.says(f"The {name} are read."))
        for step in range(2, 5):
            session.begin_step(f"{step} other work")
            texts = work(session, wire, range(step * 20, step * 20 + 20), size=120)
        assert seq not in session.state.nodes, "the rows have not left: the test shows nothing"
        assert holds(texts[-1]) == [False, False]
        session.begin_step("5 plan the join")
        session.record(*say.user("Now join the orders with their customers."))
        text = sent(session, wire)
        assert holds(text) == [False, False]
        assert "60 rows" in text and "key order_id" in text and "40 rows" in text and "key customer_id" in text
        assert all(name in text for name in ("order_id", "customer_id", "total", "state", "name", "city"))
        assert "orders.customer_id = customers.customer_id" in text
        session.begin_step("5 join", reads=["orders", "customers"])
        text = sent(session, wire)
        assert holds(text) == [True, True] and CUSTOMERS in text
        session.record(*say.says("Joined."))
        session.begin_step("6 report")
        assert all(holds(text) == [False, False] for text in work(session, wire, range(200, 204)))


# ---------------------------------------------------------------- a field that was renamed or lost


class Answering(models.ScriptedModel):
    """Answers with what it was given: a list of items, or anything that JSON can say."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        super().__init__()
        self.make = make

    def answer(self, messages: Any) -> str:
        heard = models.read_transcript(messages)
        return json.dumps(self.make(next(row.seq for row in heard if "blue" in row.text)), ensure_ascii=False)


def _answered(make: Callable[[int], Any]) -> tuple[Distilled, Session]:
    given = settings("compact", 8_000, summarizer=Summarizer(least_tokens=100))
    with Session.open(":memory:", "s", settings=given, target=target(CHAT), summarizer=Answering(make)) as session:
        session.record(*SAY.user("The crates for Anna have to be painted blue, all 48 of them."), *SAY.says("Fine."))
        for number in range(6):
            session.record(*SAY.user(f"And then {words(30, number)}?"), *SAY.says(f"Yes, {words(30, number)}."))
        session.maintain()
        (record,) = [entry for _, entry in entries(session, "distilled")]
        assert isinstance(record, Distilled)
        return record, session


GOOD = "Anna's crates are painted blue, all 48 of them"


@pytest.mark.parametrize("field", ["contraints", "Constraint", "facts", "", "user_intent"])
def test_a_renamed_summary_field_is_noticed(field: str) -> None:
    record, session = _answered(lambda seq: {"items": [models.item(field, GOOD, seq), models.item("fact", GOOD, seq)], "closes": []})
    assert record.outcome == "done" and record.added == 1
    assert [why for why in record.rejected if "no such field" in why and field in why], record.rejected
    assert [item.field for item in session.state.items.values() if item.text == GOOD] == ["fact"]


@pytest.mark.parametrize("lost", ["field", "text", "sources", "items"])
def test_a_lost_summary_field_is_noticed(lost: str) -> None:
    def make(seq: int) -> Any:
        row = models.item("fact", GOOD, seq)
        return {"item": [row]} if lost == "items" else {"items": [{key: row[key] for key in row if key != lost}], "closes": []}

    record, session = _answered(make)
    assert (record.outcome, record.added, record.calls) == ("refused", 0, 2)
    assert lost in record.detail
    assert not any(item.text == GOOD for item in session.state.items.values())


@pytest.mark.parametrize("more", [{"status": "paused"}, {"status": "superseded"}, {"priority": 1}])
def test_an_unknown_status_is_noticed(more: dict[str, Any]) -> None:
    """Items carry no status of their own: they are closed by id. What else an item says must not be dropped unseen."""
    record, _ = _answered(lambda seq: {"items": [models.item("fact", GOOD, seq) | more], "closes": []})
    assert record.added == 0
    assert next(iter(more)) in " ".join((record.detail, *record.rejected))


def test_an_unknown_id_to_close_is_noticed() -> None:
    record, _ = _answered(lambda seq: {"items": [models.item("fact", GOOD, seq)], "closes": ["i999.0"]})
    assert record.outcome == "done" and record.closed == 0
    assert any("i999.0" in why for why in record.rejected)


@pytest.mark.parametrize("field", get_args(Field))
def test_every_field_of_the_summary_is_shown_in_some_prompt(field: Field) -> None:
    """Who adds a field must give it a place: here it fails where none shows it, or two do."""
    item = SummaryItem("i7.0", field, "the crates are blue", (7,))
    shown = [render_rules([item]), render_summary([item], 200, QUICK.count_text)]
    assert set(get_args(Field)) == set(FIELDS)
    assert [("the crates are blue" in text) for text in shown] == [field in PINNED_FIELDS, field not in PINNED_FIELDS]
    head = "".join(shown).partition("\n")[0]
    assert head.endswith(":") and len(head) > 2, "it stands under no heading"
