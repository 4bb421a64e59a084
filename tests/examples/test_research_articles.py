"""The example runs, stays within its budget, and mixes up no sources."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.failures.shapes import text_of
from trimtab.tokens import count_request, counter_for

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "research_articles.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("research_articles", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def outcome(example: ModuleType) -> Any:
    return example.research(example.ScriptedModel(example.competent_agent()), example.make_articles(), lambda line: None)


def last_results(body: dict[str, Any]) -> str:
    """What the round reads: the results at the end of its prompt."""
    texts = []
    for message in reversed(body["messages"]):
        if message["role"] != "tool":
            break
        texts.append(message["content"])
    return "\n".join(texts)


def test_the_articles_are_as_long_as_they_say_and_differ(example: ModuleType) -> None:
    articles = example.make_articles()
    assert articles == example.make_articles()
    assert len({article.capacity_mwh for article in articles}) == len({article.site for article in articles}) == 20
    for article in articles:
        if article.id % 2:
            assert 1_300 < len(article.text.split()) < 1_800
        else:
            assert 5_500 < len(article.text) < 7_000
        assert article.text.count(str(article.capacity_mwh) + (" MWh" if article.id % 2 else "兆瓦时")) == 1


def test_every_prompt_is_within_its_budget(outcome: Any) -> None:
    counter = counter_for("gpt-5")
    assert len(outcome.bodies) > 60
    for body, tokens in zip(outcome.bodies, outcome.tokens, strict=True):
        assert count_request(body, "openai_chat", counter) <= tokens <= outcome.budget_tokens
    assert outcome.produced_tokens > 5 * outcome.budget_tokens, "the task would have fitted as it is"


def test_no_prompt_holds_an_article_that_its_round_does_not_read(example: ModuleType, outcome: Any) -> None:
    for number, body in enumerate(outcome.bodies, 1):
        text = text_of(body["messages"])
        read = last_results(body)
        whole = [article.id for article in example.make_articles() if article.text in text and article.text not in read]
        assert whole == [], f"round {number} holds article {whole} whole"


def test_all_figures_are_there_with_the_right_source(example: ModuleType, outcome: Any) -> None:
    articles = example.make_articles()
    assert example.problems(outcome.report, articles) == []
    for article in articles:
        assert f"- {article.site}: {article.capacity_mwh} MWh (article {article.id})" in outcome.report


def test_a_report_with_mixed_sources_is_caught(example: ModuleType, outcome: Any) -> None:
    articles = example.make_articles()
    first, third = articles[0], articles[2]
    mixed = outcome.report.replace(str(first.capacity_mwh), "x").replace(str(third.capacity_mwh), str(first.capacity_mwh))
    assert len(example.problems(mixed.replace("x", str(third.capacity_mwh)), articles)) == 2
    assert len(example.problems("", articles)) == 20


def test_the_program_ends_well_by_itself() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "RESEARCH_MODEL"}
    ran = subprocess.run(
        [sys.executable, str(EXAMPLE)], capture_output=True, text=True, encoding="utf-8", env=environment | {"PYTHONIOENCODING": "utf-8"}
    )
    assert ran.returncode == 0, ran.stderr
    assert "20 of 20 figures with the right source" in ran.stdout
    assert "round   1" in ran.stdout
