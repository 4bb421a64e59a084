"""Tools of a run: schemas from signatures, arguments checked before the call."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest

from trimtab.errors import BadSetting
from trimtab.run import idempotent
from trimtab.run.tools import BadCall, read_tool


class Place(msgspec.Struct):
    city: str
    zip: int = 0


def visit(place: Place, how: Literal["car", "train"] = "car", days: int = 1, tags: list[str] | None = None) -> str:
    """Go there
    and look.

    Args:
        place: where to,
            with its zip
        how: by what
    Returns:
        what was seen
    """
    return f"{place.city} by {how} for {days}"


def test_the_schema_is_made_from_signature_and_docstring() -> None:
    tool = read_tool(visit)
    inner = tool.schema("openai_chat")["function"]
    assert (inner["name"], inner["description"]) == ("visit", "Go there and look.")
    parameters = inner["parameters"]
    assert parameters["required"] == ["place"] and parameters["additionalProperties"] is False
    assert parameters["properties"]["how"] == {"enum": ["car", "train"], "default": "car", "description": "by what"}
    assert "where to, with its zip" in repr(parameters["properties"]["place"])
    assert parameters["$defs"]["Place"]["properties"]["city"] == {"type": "string"}
    assert tool.schema("anthropic")["input_schema"] == parameters
    assert tool.schema("openai_responses")["parameters"] == parameters


def test_arguments_come_in_their_types_and_defaults_are_the_callables_own() -> None:
    tool = read_tool(visit)
    made = tool.arguments('{"place": {"city": "Graz"}, "days": "3"}')
    assert made == {"place": Place("Graz"), "days": 3}
    assert tool.run(**made) == "Graz by car for 3"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "are not JSON"),
        ("[1]", "are list"),
        ("{}", "missing required field `place`"),
        ('{"place": {"city": "Graz"}, "how": "boat"}', "boat"),
        ('{"place": {"city": "Graz"}, "when": 1}', "unknown field `when`"),
    ],
)
def test_wrong_arguments_say_what_is_wrong_and_how_a_good_call_looks(text: str, said: str) -> None:
    with pytest.raises(BadCall) as raised:
        read_tool(visit).arguments(text)
    assert said in str(raised.value) and '"place": ...' in str(raised.value)


def test_a_dict_is_a_tool_too() -> None:
    own = read_tool({"name": "add", "run": lambda **given: sum(given.values()), "parameters": {"type": "object"}, "idempotent": True})
    assert own.arguments('{"a": 1, "b": 2}') == {"a": 1, "b": 2} and own.idempotent
    assert read_tool({"name": "go", "run": visit}).parameters["required"] == ["place"]
    assert read_tool(own) is own


def test_methods_and_marks() -> None:
    class World:
        @idempotent
        def look(self, at: int) -> int:
            """Look."""
            return at

        def change(self) -> None:
            """Change."""

    world = World()
    look = read_tool(world.look)
    assert look.idempotent and look.run(**look.arguments('{"at": 4}')) == 4
    assert not read_tool(world.change).idempotent
    with pytest.raises(BadSetting, match="a dict with idempotent=True"):
        idempotent(world.change)
    assert read_tool(world.change).schema("anthropic")["input_schema"]["properties"] == {}


@pytest.mark.parametrize(
    "value", ["visit", {"name": "x"}, {"run": visit}, {"name": "x y", "run": visit}, {"name": "x", "run": visit, "colour": 1}]
)
def test_what_is_no_tool_is_refused(value: Any) -> None:
    with pytest.raises(BadSetting):
        read_tool(value)


def test_a_parameter_without_a_name_is_refused() -> None:
    def many(*numbers: int) -> int:
        return sum(numbers)

    with pytest.raises(BadSetting, match="numbers"):
        read_tool(many)
