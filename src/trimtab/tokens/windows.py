"""The windows of well-known model families, in tokens; the longest prefix wins.

Where a family's members differ, or a larger window must be asked for, the smaller number stands: a window that is
too small costs room, one that is too large costs a refused request. `Budget.window_tokens` overrides it.
Sources: read 2026-11 were Anthropic's model pages (Claude 5), a gateway's pages for GPT-6 and for Opus 4.7, and the
serving catalog of GLM-4.6; all others are the providers' published numbers as remembered in 2026-11, to be read again
before one is raised. Where OpenAI splits a window into input and output, the input part stands.
"""

from __future__ import annotations

from trimtab.tokens.families import bare_name, claude_version

LARGE_CLAUDE_TOKENS = 1_000_000
CLAUDE_TOKENS = 200_000

WINDOWS: dict[str, int] = {
    "gpt-3.5": 16_385,
    "gpt-35": 16_385,
    "gpt-3.5-turbo-instruct": 4_096,
    "gpt-4": 8_192,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4-1106": 128_000,
    "gpt-4-0125": 128_000,
    "gpt-4-vision": 128_000,
    "gpt-4o": 128_000,
    "gpt-4o-audio": 128_000,
    "gpt-4o-realtime": 32_000,
    "chatgpt-4o": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4.5": 128_000,
    "gpt-5": 272_000,  # 400,000 less 128,000 of output; 5.4 and later have more, at another price
    "gpt-5-chat": 128_000,
    "gpt-6": 922_000,  # 1,050,000 less 128,000 of output
    "gpt-oss": 131_072,
    "codex-mini": 200_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "o3": 200_000,
    "o4": 200_000,
    "gemini": 1_000_000,
    "gemini-1.0": 30_720,
    "gemini-pro": 30_720,
    "gemini-2.0-flash-thinking": 32_767,
    "deepseek-chat": 131_072,
    "deepseek-reasoner": 131_072,
    "deepseek-v3": 131_072,
    "deepseek-v4": 131_072,
    "deepseek-r1": 65_536,
    "qwen-2": 32_768,
    "qwen-3": 32_768,
    "qwen-3-coder": 262_144,
    "qwen-3-max": 262_144,
    "qwen-3-next": 262_144,
    "qwen-3.5": 262_144,
    "qwen-max": 32_768,
    "qwen-plus": 131_072,
    "qwen-turbo": 131_072,
    "qwen-flash": 131_072,
    "qwq": 32_768,
    "llama-2": 4_096,
    "llama-3": 8_192,
    "llama-3.1": 131_072,
    "llama-3.2": 131_072,
    "llama-3.3": 131_072,
    "llama-4": 131_072,  # the weights allow more than most servers do
    "mistral": 32_768,
    "mistral-large": 131_072,
    "mistral-medium": 131_072,
    "mistral-small-3": 32_768,
    "mistral-small-2506": 131_072,
    "mistral-nemo": 131_072,
    "open-mistral-nemo": 131_072,
    "mixtral-8x7b": 32_768,
    "mixtral-8x22b": 65_536,
    "open-mixtral-8x7b": 32_768,
    "open-mixtral-8x22b": 65_536,
    "codestral": 32_768,
    "devstral": 131_072,
    "magistral": 40_960,
    "ministral": 131_072,
    "pixtral": 131_072,
    "glm-4": 131_072,
    "glm-4v": 8_192,
    "glm-4.5": 131_072,
    "glm-4.5v": 65_536,
    "glm-4.6": 200_000,
    "glm-4.6v": 131_072,
    "glm-4.7": 200_000,
    "glm-5": 200_000,
    "kimi-k2": 131_072,
    "kimi-k2-0905": 262_144,
    "kimi-k2-thinking": 262_144,
    "kimi-k2.5": 262_144,
    "kimi-k2.6": 262_144,
    "kimi-latest": 131_072,
    "moonshot-v1-8k": 8_192,
    "moonshot-v1-32k": 32_768,
    "moonshot-v1-128k": 131_072,
    "gemma-2": 8_192,
    "gemma-3": 131_072,
    "gemma-3-1b": 32_768,
    "gemma-3n": 32_768,
    "phi-4": 16_384,
}


def window_for(model: str) -> int | None:
    """The window of a model in tokens, or None where the name says nothing. Conservative: see the module."""
    name = bare_name(model)
    if "claude" in name:
        return _claude_window(name)
    key = max((key for key in WINDOWS if name.startswith(key)), key=len, default=None)
    return WINDOWS[key] if key else None


def _claude_window(name: str) -> int:
    if name.endswith("[1m]"):  # Claude Code's mark of the larger window
        return LARGE_CLAUDE_TOKENS
    if name.startswith(("claude-instant", "claude-2.0")) or name == "claude-2":
        return 100_000
    version = claude_version(name)
    # the 5 models have one million without asking, of Haiku 5.5 and later; the 4 models by some servers only on request
    least = (5, 5) if "haiku" in name else (5, 0)
    return LARGE_CLAUDE_TOKENS if version is not None and version >= least else CLAUDE_TOKENS
