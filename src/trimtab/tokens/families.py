"""Which tokenizer a model has, read off its name. The longest prefix wins; a name nobody knows is `unknown`.

Sources of the assignments: the vocabularies each model's publisher names or ships, as far as they were compared
(cl100k, o200k, llama3, qwen3, deepseek, glm: equal counts on 500 texts each, 2026-11). kimi, gemma and mistral
are taken from splintr's bundle and were not compared with their publishers' files. Its gemma4 counts as its gemma3
does (1,103 texts) and is twenty times as quick.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msgspec import Struct

MediaRule: TypeAlias = Literal["openai", "openai_mini", "openai_patch", "anthropic", "anthropic_large", "gemini", "plain"]
JsonStyle: TypeAlias = Literal["compact", "spaced", "indented"]


class Family(Struct, frozen=True):
    """A tokenizer and the rules of whoever serves it.

    Attributes:
        name: goes into `counter_id`.
        vocabulary: of splintr; for an estimate the one it is scaled from.
        media: how images and files are charged.
        bound: key into `estimate.BOUNDS`, or "" where the vocabulary is the model's own.
        ctok: version to ask the Claude reconstruction for where that package is installed, or "".
        message_tokens: framing of one message.
        preamble_tokens: what the provider or chat template writes once when tools are given.
        tool_json: how it writes their schemas.
    """

    name: str
    vocabulary: str
    media: MediaRule = "plain"
    bound: str = ""
    ctok: str = ""
    message_tokens: int = 6
    preamble_tokens: int = 200
    tool_json: JsonStyle = "spaced"


# message_tokens. OpenAI: 3 and the role's name (OpenAI cookbook, "How to count tokens with tiktoken"). ChatML and
# Llama 3 headers come to 5 by their published templates; 6 leaves one for the joint between two texts.
# preamble_tokens. Anthropic's tool-use page names 530 for Claude 3 Opus, the most of its table (from memory, 2026-11;
# Claude 4: 346). Qwen's template writes 86 to 88. Others are guesses upward; the reported usage corrects them.
# tool_json. OpenAI's own rendering is shorter than compact JSON; Anthropic's is not known. Templates of open models
# write spaced JSON, Llama 3.1's with an indent (twice the compact form).
FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("o200k", "o200k_base", "openai", message_tokens=4, preamble_tokens=16, tool_json="compact"),
        Family("o200k/mini", "o200k_base", "openai_mini", message_tokens=4, preamble_tokens=16, tool_json="compact"),
        Family("o200k/patch", "o200k_base", "openai_patch", message_tokens=4, preamble_tokens=16, tool_json="compact"),
        Family("cl100k", "cl100k_base", "openai", message_tokens=4, preamble_tokens=16, tool_json="compact"),
        Family("gpt-oss", "o200k_base"),
        Family("llama3", "llama3", tool_json="indented"),
        Family("llama2", "llama2"),
        Family("qwen3", "qwen3"),
        Family("deepseek", "deepseek_v3"),
        Family("glm", "glm4"),
        Family("kimi", "kimi_k2"),
        Family("gemma", "gemma4"),
        Family("gemma2", "gemma2"),
        Family("mistral", "mistral_v3"),
        Family("mistral-v1", "mistral_v1"),
        Family("phi4", "phi4"),
        Family("claude", "o200k_base", "anthropic", bound="claude", ctok="3.0", preamble_tokens=530, tool_json="compact"),
        Family("claude-4.7", "o200k_base", "anthropic_large", bound="claude-4.7", ctok="4.7", preamble_tokens=530, tool_json="compact"),
        Family("claude-4.8", "o200k_base", "anthropic_large", bound="claude-4.7", ctok="4.8", preamble_tokens=530, tool_json="compact"),
        Family("gemini", "gemma4", "gemini", bound="gemini"),
        Family("glm-5", "glm4", bound="glm-5"),
        Family("qwen3.5", "qwen3", bound="qwen3.5"),
        Family("gpt-6", "o200k_base", "openai_patch", bound="unknown", message_tokens=6, preamble_tokens=200),
        Family("unknown", "o200k_base", bound="unknown"),
    )
}

PREFIXES: dict[str, str] = {
    "gpt-3.5": "cl100k",
    "gpt-35": "cl100k",  # Azure's spelling
    "gpt-4": "cl100k",
    "gpt-4o": "o200k",
    "gpt-4o-mini": "o200k/mini",
    "chatgpt-4o": "o200k",
    "gpt-4.1": "o200k",
    "gpt-4.1-mini": "o200k/patch",
    "gpt-4.1-nano": "o200k/patch",
    "gpt-4.5": "o200k",
    "gpt-5": "o200k/patch",
    "gpt-6": "gpt-6",  # its vocabulary is not published
    "gpt-7": "gpt-6",
    "gpt-oss": "gpt-oss",
    "codex": "o200k/patch",
    "computer-use": "o200k/patch",
    "o1": "o200k",
    "o3": "o200k",
    "o4": "o200k/patch",
    "llama": "unknown",  # Llama 4 has a vocabulary of its own
    "llama-2": "llama2",
    "llama-3": "llama3",
    "codellama": "llama2",
    "vicuna": "llama2",
    "tinyllama": "llama2",
    "qwen": "qwen3.5",
    "qwen-2": "qwen3",
    "qwen-3": "qwen3",
    "qwen-3.5": "qwen3.5",
    "qwen-3.6": "qwen3.5",
    "qwen-3.7": "qwen3.5",
    "qwen-3.8": "qwen3.5",
    "qwen-3.9": "qwen3.5",
    "qwq": "qwen3",
    "qvq": "qwen3",
    "deepseek": "unknown",
    "deepseek-r1": "deepseek",
    "deepseek-r1-distill-llama": "llama3",
    "deepseek-r1-distill-qwen": "qwen3",
    "deepseek-v3": "deepseek",
    "deepseek-v4": "deepseek",
    "deepseek-chat": "deepseek",
    "deepseek-reasoner": "deepseek",
    "glm-4": "glm",
    "glm-5": "glm-5",
    "kimi": "kimi",
    "moonshot": "kimi",
    "gemma": "gemma",
    "gemma-2": "gemma2",
    "gemini": "gemini",
    "mistral": "mistral",
    "mistral-7b": "mistral-v1",
    "mistral-v0": "mistral-v1",
    "mistral-small-24": "mistral-v1",
    "mistral-large-24": "mistral-v1",  # the 32k SentencePiece vocabulary; later ones have Tekken
    "mixtral": "mistral-v1",
    "open-mixtral": "mistral-v1",
    "open-mistral-7b": "mistral-v1",
    "open-mistral-nemo": "mistral",
    "codestral": "mistral-v1",
    "codestral-25": "mistral",
    "pixtral": "mistral",
    "ministral": "mistral",
    "magistral": "mistral",
    "devstral": "mistral",
    "voxtral": "mistral",
    "phi-4": "phi4",
}

_PROVIDER = re.compile(r"^(?:[a-z]{2,6}\.)?(?:anthropic|meta|mistral|deepseek|qwen|openai|google|moonshotai?|zai)\.")
_DIGIT_AFTER = re.compile(r"^(llama|qwen|gemma|glm|phi|kimi|gemini|deepseek)(?=v?\d)")
# claude-opus-4-7, claude-sonnet-5, claude-3-5-haiku; a date of 8 digits is not a version
_CLAUDE_VERSION = re.compile(r"claude-(?:[a-z]+-)*?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")


def bare_name(model: str) -> str:
    """The model's own name: lower case, without provider, path, region and fine-tuning marks."""
    name = model.strip().lower().replace("_", "-").replace(" ", "-")
    if name.startswith("ft:"):
        name = name[3:].split(":", 1)[0]
    name = _PROVIDER.sub("", name.rsplit("/", 1)[-1])
    name = name.removeprefix("meta-")
    return re.sub(r"(?<=\d)p(?=\d)", ".", _DIGIT_AFTER.sub(r"\1-", name)).replace("llama-v3", "llama-3")


def longest_prefix(name: str, table: dict[str, str]) -> str | None:
    """The key of `table` that `name` begins with, the longest one."""
    return max((key for key in table if name.startswith(key)), key=len, default=None)


def claude_version(name: str) -> tuple[int, int] | None:
    """(4, 7) of `claude-opus-4-7-20260416`; None where the name has no version, or is not Claude's."""
    found = _CLAUDE_VERSION.search(name)
    return (int(found[1]), int(found[2] or 0)) if found else None


def family_of(model: str) -> Family:
    """The family of a model's name in any provider's spelling. Never raises; `unknown` where nothing fits."""
    name = bare_name(model)
    if "claude" in name:
        version = claude_version(name)
        if version is None or version >= (4, 8):  # without a version the newest, which counts most
            return FAMILIES["claude" if name.startswith(("claude-2", "claude-instant")) else "claude-4.8"]
        return FAMILIES["claude-4.7" if version >= (4, 7) else "claude"]
    if re.match(r"(fable|mythos|opus|sonnet|haiku)-", name):
        return FAMILIES["claude-4.8"]
    key = longest_prefix(name, PREFIXES)
    return FAMILIES[PREFIXES[key]] if key else FAMILIES["unknown"]
