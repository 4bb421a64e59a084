"""What large results bring with them as they come in, and what stands for them once they are out."""

from __future__ import annotations

import json
import time

import pytest

from tests.session.cases import TARGETS, call, opened, reply, result, settings, text_of, user
from trimtab.core.entries import MetaNoted, VariableStored
from trimtab.core.messages import WireName
from trimtab.session.offloading import MOST_AUTO_NOTES, MOST_AUTO_VARIABLES, Offloader, auto_name
from trimtab.session.shorten import cleared_line, previewed

ROWS = [{"id": n, "user_id": n % 9, "status": ("new", "paid")[n % 2], "total": n * 1.5} for n in range(300)]
LARGE = json.dumps(ROWS)


def test_a_large_result_becomes_a_variable_and_a_note() -> None:
    with opened(settings=settings(offload_result_tokens=500)) as session:
        session.record(user("list"), call("c1", "list_orders"), result("c1", LARGE), reply("read"))
        seq = next(node.seq for node in session.state.nodes.values() if node.results)
        (variable,) = session.variables()
        assert (variable.name, variable.author, variable.body_id) == (f"list_orders_{seq}", "auto", "")
        assert (variable.source_seq, variable.call_id, variable.chars) == (seq, "c1", len(LARGE))
        assert variable.line.startswith("JSON array of 300 objects: id, user_id, status, total")
        assert session.read(variable.name) == LARGE
        assert session.read(variable.name, path="[7].total") == 10.5
        (note,) = session.meta_notes()
        assert (note.key, note.source_seq, note.structures[0].key) == (variable.name, seq, "id")


def test_without_the_setting_only_the_structure_is_noted() -> None:
    with opened() as session:
        session.record(call("c1", "list_orders"), result("c1", LARGE))
        assert session.variables() == () and len(session.meta_notes()) == 1
        session.record(call("c2", "look"), result("c2", "a few words"), call("c3", "read_page"), result("c3", "long words " * 2_000))
        session.record(call("c4", "list_orders"), result("c4", json.dumps(ROWS[:5])))
        assert len(session.meta_notes()) == 1, "small results and plain words have no structure worth a note"


def test_a_table_that_the_user_pasted_is_noted_too() -> None:
    table = "\n".join(["| id | v |", "|---|---|", *(f"| {n} | value {n} |" for n in range(300))])
    with opened() as session:
        session.record(user(f"What is wrong with these prices?\n\n{table}\n\nTell me."), reply("line 7"))
        (note,) = session.meta_notes()
        assert (note.source_seq, note.structures[0].kind, note.structures[0].rows) == (1 + 1, "Markdown table", 300)
        assert note.key == "message_2"
        session.record(user("plain words " * 1_000))
        assert len(session.meta_notes()) == 1


def test_several_results_in_one_message_have_names_of_their_own() -> None:
    content = [{"type": "tool_use", "id": name, "name": "look up", "input": {}} for name in ("a", "b")]
    answers = [{"type": "tool_result", "tool_use_id": name, "content": LARGE if name == "b" else "short"} for name in ("a", "b")]
    with opened(settings=settings(offload_result_tokens=500), target=TARGETS["anthropic"]) as session:
        session.record({"role": "assistant", "content": content}, {"role": "user", "content": answers})
        seq = max(session.state.nodes)
        assert [variable.name for variable in session.variables()] == [f"look_up_{seq}.2"]
        assert session.read(f"look_up_{seq}.2") == LARGE == session.read(f"#{seq}.2")


@pytest.mark.parametrize("wire", ["openai_chat", "openai_responses", "anthropic"])
def test_every_wire_form_names_the_tool(wire: WireName) -> None:
    answered = {
        "openai_chat": [call("c", "fetch"), result("c", LARGE)],
        "openai_responses": [
            {"type": "function_call", "call_id": "c", "name": "fetch", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": LARGE},
        ],
        "anthropic": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "fetch", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": LARGE}]},
        ],
    }[wire]
    with opened(settings=settings(offload_result_tokens=500), target=TARGETS[wire]) as session:
        session.record(answered[0])
        session.record(answered[1])
        assert [variable.name for variable in session.variables()] == [f"fetch_{max(session.state.nodes)}"]
        assert session.read(session.variables()[0].name) == LARGE


def test_a_name_of_the_callers_own_is_not_taken_over() -> None:
    with opened(settings=settings(offload_result_tokens=500)) as session:
        session.record(call("c1", "list"))
        session.offload("list_5", "mine")
        session.record(user("wait"))
        assert session.read("list_5") == "mine"
        assert session.record(result("c1", LARGE)).first_seq == 5
        assert session.read("list_5") == "mine" and len(session.variables()) == 1


def test_a_resent_history_adds_nothing() -> None:
    history = [user("list"), call("c1", "list_orders"), result("c1", LARGE), reply("read")]
    with opened(settings=settings(offload_result_tokens=500)) as session:
        session.sync(history)
        before = session.state.seq
        session.sync(history)
        assert session.state.seq == before and len(session.variables()) == 1


def test_what_comes_of_itself_stays_bounded() -> None:
    with opened(settings=settings(offload_result_tokens=500)) as session:
        session.offload("mine", "kept")
        session.meta_note("mine too", text="kept")
        history = []
        for number in range(MOST_AUTO_VARIABLES + 5):
            history += [call(f"c{number}", "list"), result(f"c{number}", LARGE)]
        session.record(*history)
        names = [variable.name for variable in session.variables()]
        assert len(names) == MOST_AUTO_VARIABLES + 1 and names[0] == "mine"
        keys = [note.key for note in session.meta_notes()]
        assert len(keys) == MOST_AUTO_NOTES + 1 and keys[0] == "mine too"
        session.record(call("last", "list"), result("last", LARGE))
        assert len(session.variables()) == MOST_AUTO_VARIABLES + 1 and len(session.meta_notes()) == MOST_AUTO_NOTES + 1
        first = next(iter(sorted(node.seq for node in session.state.nodes.values() if node.results)))
        assert session.read(f"#{first}") == LARGE, "its number still leads to it"


def test_two_hundred_kilobytes_cost_little() -> None:
    with opened() as session:
        session.record(call("c", "fetch"), result("c", json.dumps(ROWS * 12)))
        node = next(node for node in session.state.nodes.values() if node.results)
        message = session._bodies.message(node)
        assert len(message.results[0].text) > 200_000
        offloader = Offloader(session.state, 500, len)
        best = 1.0
        for _ in range(5):
            started = time.perf_counter()
            entries = list(offloader.entries(message, node, lambda _: "fetch"))
            best = min(best, time.perf_counter() - started)
        assert [type(entry) for entry in entries] == [VariableStored, MetaNoted]
        assert best < 0.5, "measured: about 7 ms"


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("search", "search_7"),
        ("a b/c", "a_b_c_7"),
        ("", "result_7"),
        ("查询订单", "查询订单_7"),
        ("#x", "x_7"),
        ("t" * 300, "t" * 80 + "_7"),
    ],
)
def test_names(tool: str, name: str) -> None:
    assert auto_name(tool, 7) == name


# ---------------------------------------------------------------- stubs say what the result says, and nothing else


PYTEST = (
    "." * 60
    + "F\n"
    + "=== FAILURES ===\n"
    + "E       assert 1 == 2\n" * 30
    + "tests/test_a.py:4: AssertionError\n=== 1 failed, 60 passed in 0.12s ==="
)
MANY = {"data": [{"id": n} for n in range(300)], **{f"member_{n}": n for n in range(30)}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1c1\n< a\n---\n> b\n" * 40 + "[exit code: 1]", ["[exit code: 1]"]),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" + "\nexit code: 1", ["diff of 1 file: x", "exit code: 1"]),
        ("working ...\n" * 50 + "Process exited with code 137\n", ["Process exited with code 137"]),
        (PYTEST, ["1 failed, 60 passed in 0.12s", "AssertionError"]),
        ("ok line\n" * 30 + "1 error in 0.50s\n", ["1 error in 0.50s"]),
        (
            "--- FAIL: TestX (0.00s)\n" + "    x_test.go:3: got 1\n" * 20 + "FAIL\texample/pkg\t0.01s\n",
            ["--- FAIL: TestX (0.00s)", "FAIL\texample/pkg\t0.01s"],
        ),
        (
            "running 4 tests\n" + "test a ... ok\n" * 20 + "test result: FAILED. 3 passed; 1 failed; 0 ignored",
            ["test result: FAILED. 3 passed; 1 failed; 0 ignored"],
        ),
        ("HTTP/1.1 503 Service Unavailable\nRetry-After: 3\n\n" + "busy " * 100, ["HTTP/1.1 503 Service Unavailable"]),
        ("x " * 100 + "\nError: Request failed with status code 404\n", ["Error: Request failed with status code 404"]),
        (
            json.dumps({**MANY, "ok": False, "error": "quota of 300 is used up"}),
            ["data[300]", "ok=false", 'error="quota of 300 is used up"'],
        ),
        (json.dumps({"result": {"status": 502, "error": {"code": 7}}}), ["result.status=502", 'result.error={"code": 7}']),
        (json.dumps({**MANY, "total": 9_312, "has_more": True}), ["total=9312", "has_more=true"]),
        (
            "cc -c main.c\n" * 20 + "main.c:5:3: error: expected ';' before '}'\n1 error generated.\n",
            ["main.c:5:3: error: expected ';' before '}'", "1 error generated."],
        ),
        ("checking\n" * 30 + "Found 3 errors in 2 files (checked 40 source files)\n", ["Found 3 errors in 2 files"]),
        ("正在连接……\n" * 30 + "错误：连接超时，请重试\n退出码：2\n", ["错误：连接超时，请重试", "退出码：2"]),
        ("编译中\n" * 60 + "成功 3 个，失败 2 个\n", ["成功 3 个，失败 2 个"]),
        ("step\n" * 40 + "status: 200\nstatus: 200\nstatus: 500\n", ["status: 500"]),
        ("line\n" * 60 + "0 errors, 3 failed\n", ["0 errors, 3 failed"]),
    ],
)
def test_status_errors_and_counts_stand_word_for_word(text: str, said: list[str]) -> None:
    for stub in (cleared_line("run", text, 12), previewed("run", text, 12).split("\n")[0]):
        assert "#12" in stub and "\n" not in stub
        assert [words for words in said if " ".join(words.split()) not in stub] == []


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("checked a file\n" * 40 + "0 errors, 0 warnings, no failures\n", ["0 errors"]),
        ("检查文件\n" * 60 + "共 12 项，0 个错误，未发现异常\n", ["错误", "异常"]),
        ("name = value\n" * 40 + "error_rate = 0.02\nerrors: 0\n", ["; error", "| error"]),
        ("INFO a\nINFO 0 ERROR lines\nINFO b\nINFO c\n" * 10, ["with errors"]),
        (json.dumps({"rows": [{"text": "an error occurred"}], "errors": []}), ["an error occurred"]),
        (json.dumps([{"ok": False}] * 3), ["ok=", "failed"]),
        ('id,note\n1,"two\nlines"\n2,x\n\n\n', ["3 rows", "4 rows", "5 rows"]),
        ('{"a": 1}\n{"a": 2}\n{"a": 3}\n{"a": 4}\n{"a": 5}\nthen words\n', ["JSON lines"]),
        (json.dumps([{"a": 1}] * 300 + [7]), ["301 objects", "300 objects"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\n| c | d |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", ["table of 2", "table of 3", "table of 4"]),
        ("aGVsbG8x" * 1_000 + "\nand then words that are none of it", ["base64"]),
    ],
)
def test_a_stub_never_states_what_the_result_does_not(text: str, never: list[str]) -> None:
    stub = cleared_line("run", text, 12)
    assert [words for words in never if words in stub] == []


def test_the_first_prompt_with_a_huge_result_names_the_way_back() -> None:
    with opened(settings=settings(8_000)) as session:
        session.record(user("run it"), call("c1", "run"), result("c1", LARGE + "\nexit code: 3"))
        text = text_of(session.prompt())
        seq = max(session.state.nodes)
        assert f"kept whole as #{seq}" in text and "exit code: 3" in text
        assert session.read(f"#{seq}").endswith("exit code: 3")
