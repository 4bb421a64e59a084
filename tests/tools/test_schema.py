"""Schemas: one declaration, four forms, each taken by the real library's types, and each a sound JSON schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from anthropic.types import ToolParam
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import FunctionToolParam
from pydantic import ConfigDict, TypeAdapter

from tests.tools.agents import opened
from trimtab import Toolset
from trimtab.core.messages import WIRES
from trimtab.errors import BadSetting, NotFound
from trimtab.testing import StrictUpstream
from trimtab.tokens import counter_for
from trimtab.tools import TOOL_WIRES
from trimtab.tools.declared import BY_NAME, TOOLS
from trimtab.tools.schema import LANGUAGES, Param
from trimtab.tools.toolset import _HANDLERS

SDK_TYPES: dict[str, Any] = {
    "openai_chat": ChatCompletionFunctionToolParam,
    "openai_responses": FunctionToolParam,
    "anthropic": ToolParam,
}
SCHEMA_KEYS = {"type", "properties", "required", "additionalProperties", "description", "items", "enum"}
JSON_TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
# what a request pays for all tools, by an exact count
MOST_SCHEMA_TOKENS = 1_500
MOST_RULES_TOKENS = 450


def parameters_of(schema: dict[str, Any], wire: str) -> dict[str, Any]:
    if wire == "openai_chat":
        return dict(schema["function"]["parameters"])
    return dict(schema[{"openai_responses": "parameters", "anthropic": "input_schema", "mcp": "inputSchema"}[wire]])


def name_of(schema: dict[str, Any]) -> str:
    return str(schema.get("name") or schema["function"]["name"])


def schemas_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and all that are in it."""
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from schemas_in(inner)
    if "items" in schema:
        yield from schemas_in(schema["items"])


def types_of(schema: dict[str, Any]) -> list[str]:
    return schema["type"] if isinstance(schema["type"], list) else [schema["type"]]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("wire", TOOL_WIRES)
def test_every_schema_is_sound(wire: Any, language: Any) -> None:
    with opened() as session:
        made = Toolset(session, language=language).schemas(wire)
    assert [name_of(schema) for schema in made] == list(BY_NAME)
    for schema in made:
        root = parameters_of(schema, wire)
        assert root["type"] == "object"
        for inner in schemas_in(root):
            assert set(inner) <= SCHEMA_KEYS
            assert set(types_of(inner)) <= JSON_TYPES
            if "array" in types_of(inner):
                assert "items" in inner, "providers refuse an array of nothing"
            if "properties" in inner:
                assert set(inner.get("required", ())) <= set(inner["properties"])
                assert inner["additionalProperties"] is False


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("wire", sorted(SDK_TYPES))
def test_the_sdk_types_take_every_schema(wire: Any, language: Any) -> None:
    adapter = TypeAdapter(list[SDK_TYPES[wire]], config=ConfigDict(strict=True))  # type: ignore[misc]
    with opened() as session:
        made = Toolset(session, language=language).schemas(wire)
    assert adapter.validate_python(made) == made


def test_the_strict_form_requires_every_property_and_lets_optional_ones_be_null() -> None:
    with opened() as session:
        made = Toolset(session).schemas("openai_responses")
    for schema in made:
        assert schema["strict"] is True
        for inner in schemas_in(schema["parameters"]):
            if "properties" in inner:
                assert inner["required"] == list(inner["properties"])
        params = {param.name: param for param in BY_NAME[schema["name"]].params}
        for name, inner in schema["parameters"]["properties"].items():
            assert ("null" in types_of(inner)) is not params[name].required
            if "enum" in inner:
                assert None in inner["enum"]


def test_mcp_tools_say_which_of_them_only_read() -> None:
    with opened() as session:
        made = {schema["name"]: schema for schema in Toolset(session).schemas("mcp")}
    assert {name for name, schema in made.items() if schema["annotations"]["readOnlyHint"]} == {
        "read_note",
        "list_notes",
        "query_memory",
        "read_variable",
        "list_memory",
    }
    # the ledger keeps everything: no tool destroys
    assert not any(schema["annotations"]["destructiveHint"] for schema in made.values())


@pytest.mark.parametrize("wire", WIRES)
def test_a_provider_takes_a_prompt_with_the_tools(wire: Any) -> None:
    with opened(wire) as session:
        tools = Toolset(session)
        session.record({"role": "user", "content": "Begin."})
        prompt = session.prompt(system=tools.usage_rules(), tools=tools.schemas(), max_output_tokens=500)
        StrictUpstream(window_tokens=32_000).check(wire, prompt.render())


def all_params(params: tuple[Param, ...]) -> Iterator[Param]:
    for param in params:
        yield param
        yield from all_params(param.inner)


def test_every_tool_is_declared_whole() -> None:
    assert set(_HANDLERS) == set(BY_NAME)
    for tool in TOOLS:
        assert tool.en and tool.zh, tool.name
        names = {param.name for param in tool.params}
        assert set(tool.example) <= names
        assert {param.name for param in tool.params if param.required} <= set(tool.example)
        for param in all_params(tool.params):
            assert bool(param.en) == bool(param.zh), f"{tool.name}.{param.name}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_tools_and_rules_stay_cheap(language: Any) -> None:
    counter = counter_for("gpt-5")
    with opened() as session:
        tools = Toolset(session, language=language)
        assert counter.count_tools(tools.schemas("openai_chat")) < MOST_SCHEMA_TOKENS
        assert counter.count_text(tools.usage_rules()) < MOST_RULES_TOKENS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_usage_rules_name_every_tool_that_changes_something_and_what_to_look_for(language: Any) -> None:
    with opened() as session:
        rules = Toolset(session, prefix="ctx_").usage_rules(language)
    used = {tool.name for tool in TOOLS if f"ctx_{tool.name}" in rules}
    assert used == set(BY_NAME) - {"list_notes"}
    looked_for = {
        "en": ("raw tool results", "last step's full output", "distilled already", "not saved"),
        "zh": ("原始工具结果", "上一步的完整输出", "已经提炼过的来源", "没有保存的结论"),
    }
    assert all(words in rules for words in looked_for[language])
    assert "{" not in rules and "}" not in rules


def test_only_and_prefix_choose_names() -> None:
    with opened() as session:
        tools = Toolset(session, only=["read_note", "write_note", "read_note"], prefix="mem.")
        assert tools.names == ("mem.read_note", "mem.write_note")
        assert [name_of(schema) for schema in tools.schemas("anthropic")] == list(tools.names)
        assert tools.run("mem.write_note", {"key": "k", "value": 1}) == 'saved as note "k" (version 1)'
        assert tools.run("write_note", {"key": "k", "value": 1}).startswith(
            'not done: there is no tool "write_note"; there is: mem.read_note'
        )


def test_wrong_settings_say_what_is_allowed() -> None:
    with opened() as session:
        with pytest.raises(NotFound, match="no tool 'drop'; there is: extract_key_info, drop_history"):
            Toolset(session, only=["drop"])
        with pytest.raises(BadSetting, match="one of en, zh"):
            Toolset(session, language="fr")  # type: ignore[arg-type]
        with pytest.raises(BadSetting, match="200 or more"):
            Toolset(session, max_result_tokens=10)
        with pytest.raises(BadSetting, match="openai_chat, openai_responses, anthropic, mcp"):
            Toolset(session).schemas("soap")  # type: ignore[arg-type]
        with pytest.raises(BadSetting, match="one of en, zh"):
            Toolset(session).usage_rules("fr")  # type: ignore[arg-type]
