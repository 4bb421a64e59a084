"""Which counter and which window a model's name gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.tokens import counter_for, window_for
from trimtab.tokens.families import FAMILIES, PREFIXES, family_of
from trimtab.tokens.vocabulary import load_vocabulary
from trimtab.tokens.windows import WINDOWS

NAMES = {
    "gpt-4o": ("o200k", 128_000),
    "gpt-4o-mini-2024-07-18": ("o200k/mini", 128_000),
    "ft:gpt-4o-2024-08-06:org::abc": ("o200k", 128_000),
    "openai/gpt-4.1-mini": ("o200k/patch", 1_047_576),
    "gpt-5": ("o200k/patch", 272_000),
    "gpt-5.2-codex": ("o200k/patch", 272_000),
    "gpt-6-astra": ("gpt-6", 922_000),
    "o1-mini": ("o200k", 128_000),
    "o3": ("o200k", 200_000),
    "o4-mini": ("o200k/patch", 200_000),
    "gpt-4": ("cl100k", 8_192),
    "gpt-4-turbo-2024-04-09": ("cl100k", 128_000),
    "gpt-35-turbo": ("cl100k", 16_385),
    "openai/gpt-oss-120b": ("gpt-oss", 131_072),
    "claude-3-5-sonnet-20241022": ("claude", 200_000),
    "claude-opus-4-20250514": ("claude", 200_000),
    "claude-haiku-4-5@20251001": ("claude", 200_000),
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0": ("claude", 200_000),
    "claude-opus-4-6[1m]": ("claude", 1_000_000),
    "anthropic/claude-opus-4.7": ("claude-4.7", 200_000),
    "claude-opus-4-8": ("claude-4.8", 200_000),
    "claude-sonnet-5": ("claude-4.8", 1_000_000),
    "claude-fable-5-2": ("claude-4.8", 1_000_000),
    "claude-haiku-5-5": ("claude-4.8", 1_000_000),
    "claude-haiku-5": ("claude-4.8", 200_000),
    "claude-2.0": ("claude", 100_000),
    "meta-llama/Llama-3.1-8B-Instruct": ("llama3", 131_072),
    "llama3:8b": ("llama3", 8_192),
    "accounts/fireworks/models/llama-v3p1-70b-instruct": ("llama3", 131_072),
    "meta.llama3-3-70b-instruct-v1:0": ("llama3", 8_192),
    "Llama-4-Scout-17B": ("unknown", 131_072),
    "Qwen2.5-Coder-0.5B-Instruct": ("qwen3", 32_768),
    "Qwen/Qwen3-8B": ("qwen3", 32_768),
    "qwen3.5-plus": ("qwen3.5", 262_144),
    "qwen-max": ("qwen3.5", 32_768),
    "deepseek-chat": ("deepseek", 131_072),
    "deepseek-ai/DeepSeek-V3.2-Exp": ("deepseek", 131_072),
    "DeepSeek-R1-Distill-Qwen-7B": ("qwen3", 65_536),
    "glm-4.6": ("glm", 200_000),
    "zai-org/GLM-5": ("glm-5", 200_000),
    "moonshotai/Kimi-K2-Instruct": ("kimi", 131_072),
    "gemini-2.5-pro": ("gemini", 1_000_000),
    "google/gemma-3-27b-it": ("gemma", 131_072),
    "mistral-large-latest": ("mistral", 131_072),
    "mistralai/Mixtral-8x7B-Instruct-v0.1": ("mistral-v1", 32_768),
    "my-own-model": ("unknown", None),
    "": ("unknown", None),
}


@pytest.mark.parametrize("model", NAMES)
def test_names_in_the_spellings_of_providers(model: str) -> None:
    assert (family_of(model).name, window_for(model)) == NAMES[model]


@given(st.text(max_size=40))
def test_no_name_raises(model: str) -> None:
    assert counter_for(model).counter_id
    assert (window_for(model) or 1) > 0


def test_models_counted_alike_share_a_counter_and_its_id() -> None:
    assert counter_for("gpt-4o") is counter_for("openai/gpt-4o-2024-11-20")
    assert counter_for("gpt-4o").counter_id == "o200k/1"
    assert counter_for("who-knows").counter_id == "unknown/est/1"


def test_ids_tell_all_counters_apart() -> None:
    from trimtab.tokens import _counter_of

    ids = {_counter_of(name).counter_id for name in FAMILIES}
    assert len(ids) == len(FAMILIES)


def test_every_prefix_leads_to_a_family_with_a_vocabulary_and_every_window_is_reachable() -> None:
    assert set(PREFIXES.values()) <= set(FAMILIES)
    assert all(family_of(prefix).name == name for prefix, name in PREFIXES.items())
    assert {prefix: window_for(prefix) for prefix in WINDOWS} == WINDOWS
    for vocabulary in {family.vocabulary for family in FAMILIES.values()}:
        assert len(load_vocabulary(vocabulary).encode_ordinary("one")) >= 1


def test_o200k_is_not_taken_for_claude() -> None:
    from trimtab.tokens.vocabulary import count_with

    text = "An estimate by another vocabulary undercounts the newer models by a third and more. " * 5
    assert counter_for("claude-opus-4-8").count_text(text) > 1.3 * count_with("o200k_base", text)
