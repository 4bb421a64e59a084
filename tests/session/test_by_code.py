"""What a program says in the user's place is no rule and no turn; calls without a result are found again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trimtab import Budget, Session, Settings, Target

RULE = {"role": "user", "content": "Never mail a customer. All amounts are in EUR."}


def opened(path: Any = ":memory:") -> Session:
    return Session.open(path, "s", settings=Settings(budget=Budget(window_tokens=16_000), embedder=""), target=Target(model="gpt-5"))


def test_the_users_words_are_rules_and_a_programs_are_not() -> None:
    with opened() as session:
        session.record({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello."})
        session.record(RULE, by_code=True)
        assert session.state.items == {} and session.state.turn == 1
        assert "Never mail a customer." in str(session.prompt().render()["messages"][-1]), "but the model is told"
        session.record({"role": "assistant", "content": "Yes."}, RULE)
        assert len(session.state.items) >= 2 and session.state.turn == 2


def test_only_a_user_message_changes_by_it() -> None:
    with opened() as session:
        session.record({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello."}, by_code=True)
        assert [node.source for node in session.state.nodes.values()] == ["data", "assistant"]


def test_calls_that_wait_for_a_result_are_found_again(tmp_path: Path) -> None:
    calls = [{"id": name, "type": "function", "function": {"name": name, "arguments": '{"a": 1}'}} for name in ("one", "two")]
    with opened(tmp_path / "db") as session:
        assert session.open_calls() == ()
        session.record({"role": "user", "content": "Go."}, {"role": "assistant", "content": None, "tool_calls": calls})
        session.record({"role": "tool", "tool_call_id": "one", "content": "1"})
    with opened(tmp_path / "db") as session:
        (call,) = session.open_calls()
        assert (call.call_id, call.name, call.arguments) == ("two", "two", '{"a": 1}')
        session.record({"role": "tool", "tool_call_id": "two", "content": "2"})
        assert session.open_calls() == ()
