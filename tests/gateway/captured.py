"""Which requests of each capture belong together: written down by hand, by reading them, before any code resolved them.

By file and place of the request: (conversation, lane, why it is passed on as it came; "" for a turn). Conversations of one file
that are equal in letter are one; lanes are sub-agents below it, "" for the agent itself. What the clients' own ids say is not
in here: a capture without any has conversations too.
"""

from __future__ import annotations

CLAUDE_1, CLAUDE_2 = "9344cbaa-56cc-4395-88ab-c64a1d686e66", "92e260d2-0dad-4589-bd61-b2d28a148607"
CODEX_1, CODEX_2 = "01a22c04-113f-7d31-b943-3d44becd6011", "01a22c14-98db-7380-b89c-9349a7646ad1"
PROBE = ("-", "", "other")

# by file: the ids that its client sends, by conversation
CLIENT_IDS = {
    "cc": {"a": CLAUDE_1},
    "cc_agent": {"a": CLAUDE_2},
    "cc_auto": {"a": CLAUDE_2},
    "cc_compact": {"a": CLAUDE_2},
    "codex": {"a": CODEX_1},
    "codex_compact": {"a": CODEX_2},
}

LABELS: dict[str, list[tuple[str, str, str]]] = {
    "cc": [PROBE, ("a", "", ""), ("a", "", ""), PROBE, ("a", "", ""), ("a", "", "")],
    "cc_agent": [
        PROBE,
        ("a", "", ""),
        ("a", "a6aa72d0b7a7eaed1", ""),
        ("a", "aaf8ec12e4b48a242", ""),
        ("a", "ad461e5b19314b03a", ""),
        ("a", "a6f639628c3bc66d6", ""),
        ("a", "ae75aac4aa63596cb", ""),
        ("a", "ae75aac4aa63596cb", ""),
        ("a", "a6f639628c3bc66d6", ""),
        ("a", "ad461e5b19314b03a", ""),
        ("a", "aaf8ec12e4b48a242", ""),
        ("a", "a6aa72d0b7a7eaed1", ""),
        ("a", "", ""),
    ],
    "cc_auto": [PROBE, ("a", "", ""), ("a", "", "")],
    "cc_compact": [PROBE, ("a", "", "compaction")],
    "codex": [("a", "", "")] * 4,
    "codex_compact": [
        ("a", "", ""),
        ("a", "", "compaction"),
        ("a", "", ""),
        ("a", "", "compaction"),
        ("a", "", ""),
        ("a", "", "compaction"),
    ],
    "dify-llm": [("a", "", ""), ("b", "", ""), ("b", "", "")],
    "dify-validate": [("-", "", "probe")],
    "langchain-anthropic": [("a", "", "")] * 2,
    "langchain-openai": [("a", "", ""), ("a", "", ""), ("b", "", ""), ("c", "", "")],
    "langchain-openai-resp": [("a", "", "")] * 2,
    "litellm-anthropic": [("a", "", "")],
    "litellm-openai": [("a", "", "")],
    "llm-cli": [("a", "", "")] * 2,
    "openai-agents-chat": [("a", "", "")] * 2,
    "openai-agents-resp": [("a", "", "")] * 4,
    "openai-chat": [("a", "", ""), ("b", "", ""), ("c", "", ""), PROBE],
    "openai-responses": [("a", "", ""), ("a", "", ""), ("b", "", ""), ("-", "", "compaction"), ("-", "", "count")],
    "anthropic": [("a", "", ""), ("b", "", ""), ("-", "", "count"), ("c", "", ""), ("d", "", ""), ("d", "", "")],
}
