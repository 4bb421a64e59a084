import msgspec

from trimtab.core.messages import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from trimtab.recall import TurnWords, make_turn, terms


def message(role: Role, *parts: Part) -> Message:
    return Message(role=role, parts=parts, wire_format="openai_chat", wire=b"{}")


TURN = [
    message("system", Text("Obey.")),
    message("user", Text("Where is order CT-88213?")),
    message("assistant", Reasoning("secret thoughts"), Text("Let me look."), ToolCall("c1", "find_order", '{"number": "CT-88213"}')),
    message("tool", ToolResult("c1", (Text("in the warehouse of Hamburg"),))),
    message("assistant", Text("We agreed on Tuesday.")),
]


def test_a_turn_is_what_user_and_assistant_said() -> None:
    found = make_turn(TURN)
    assert found.role == "user"
    assert found.terms.split() == terms("Where is order CT-88213? Let me look. We agreed on Tuesday.")
    assert found.tags["entities"] == ["CT-88213", "Tuesday"]


def test_the_intent_is_the_user_s() -> None:
    assert make_turn(TURN).tags["intent"][0] == "question"
    assert make_turn(TURN[4:]).tags["intent"][0] == "decision"


def test_tools_are_in_it_only_if_asked() -> None:
    without, with_tools = (make_turn(TURN, tools=tools).terms.split() for tools in (False, True))
    assert "hamburg" not in without
    assert {"hamburg", "find_order"} <= set(with_tools)
    assert not {"secret", "obey"} & set(with_tools)


def test_the_role_is_that_of_the_message_that_opened_the_turn() -> None:
    assert make_turn([message("assistant", Text("Hello"))]).role == "assistant"
    assert make_turn([]) == TurnWords("user", "", {"intent": ["statement"]})


def test_its_fields_are_fields_of_a_stored_turn() -> None:
    assert msgspec.structs.asdict(make_turn(TURN)).keys() == {"role", "terms", "tags"}
