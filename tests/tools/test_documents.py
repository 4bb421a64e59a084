"""The tools that look into the project's documents."""

from __future__ import annotations

from typing import Any

import pytest

from tests.session.cases import opened
from trimtab.errors import NotFound
from trimtab.testing import StrictUpstream
from trimtab.tokens import counter_for
from trimtab.tools import Toolset
from trimtab.tools.declared import BY_NAME, DOCUMENT_TOOLS_BY_NAME
from trimtab.tools.schema import LANGUAGES, TOOL_WIRES

GUIDE = "\n\n".join(
    f"## Chapter {number}\n\nThe pass for gate {number} is kept in drawer D-{number}. {'Whoever takes it signs the list. ' * 40}"
    for number in range(12)
)
MOST_RULES_TOKENS, MOST_SCHEMA_TOKENS = 450, 1_500


def with_documents(wire: str = "openai_chat", **changes: Any) -> Toolset:
    session = opened()
    session.library.add(f"# Handbook\n\n{GUIDE}", "guide.md")
    return Toolset(session, **changes)


def test_they_are_offered_where_the_project_has_documents_or_by_wish() -> None:
    assert with_documents().names == (*BY_NAME, *DOCUMENT_TOOLS_BY_NAME)
    assert with_documents(documents=False).names == tuple(BY_NAME)
    assert Toolset(opened()).names == tuple(BY_NAME)
    assert Toolset(opened(), documents=True).names == (*BY_NAME, *DOCUMENT_TOOLS_BY_NAME)
    assert Toolset(opened(), only=["read_document"], prefix="x_").names == ("x_read_document",)
    with pytest.raises(NotFound, match="search_documents"):
        Toolset(opened(), only=["nothing"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_schemas_in_all_forms_and_rules_stay_cheap(language: Any) -> None:
    tools = with_documents(language=language, prefix="")
    counter = counter_for("gpt-5")
    for wire in TOOL_WIRES:
        made = tools.schemas(wire)
        assert [schema.get("name") or schema["function"]["name"] for schema in made][-2:] == list(DOCUMENT_TOOLS_BY_NAME)
    assert counter.count_tools(tools.schemas("openai_chat")) < MOST_SCHEMA_TOKENS
    rules = tools.usage_rules()
    assert counter.count_text(rules) < MOST_RULES_TOKENS
    assert "search_documents" in rules and "read_document" in rules and "{" not in rules
    assert "search_documents" not in Toolset(opened(), language=language).usage_rules()


def test_a_provider_takes_a_prompt_with_them() -> None:
    with opened() as session:
        session.record({"role": "user", "content": "Begin."})
        tools = Toolset(session, documents=True)
        prompt = session.prompt(system=tools.usage_rules(), tools=tools.schemas(), max_output_tokens=500)
        StrictUpstream(window_tokens=32_000).check("openai_chat", prompt.render())


def test_a_piece_is_found_with_its_place_and_read_on() -> None:
    tools = with_documents()
    found = tools.run("search_documents", {"query": "Where is the pass for gate 7?", "limit": 1})
    assert "drawer D-7" in found and "guide.md, Handbook > Chapter 7" in found
    number = int(found.split("piece ")[1].split("]")[0])
    following = tools.run("read_document", {"name": "guide.md", "piece": number + 1})
    assert "D-8" in following and "the next piece" in following
    assert "Handbook" in tools.run("read_document", {"name": "guide.md"})


def test_answers_keep_their_cap_and_errors_can_be_acted_on() -> None:
    tools = with_documents(max_result_tokens=200)
    count = counter_for("gpt-5").count_text
    for answer in (
        tools.run("search_documents", {"query": "pass gate drawer", "limit": "10"}),
        tools.run("read_document", {"name": "guide.md", "piece": 3}),
    ):
        assert count(answer) <= 200 and "D-" in answer
    assert "Documents: guide.md" in tools.run("search_documents", {"query": "zeppelin"})
    assert "there is: guide.md" in tools.run("read_document", {"name": "nothing.md"})
    assert "the pieces 0 to" in tools.run("read_document", {"name": "guide.md", "piece": 99})
    assert '"query" is missing' in tools.run("search_documents", {})
    assert "Documents: none" in Toolset(opened(), documents=True).run("search_documents", {"query": "x"})
