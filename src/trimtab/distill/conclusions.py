"""Whether a reply concludes something, and whether that is written down elsewhere (REQUIREMENTS M8)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.distill.sentences import sentences

# words that state an outcome
_CUE = re.compile(
    r"\b(?:therefore|hence|thus|conclu(?:de|des|ded|sion)|found|finding|turns? out|result(?:s|ed)? (?:is|are|was|were|in)|confirmed|"
    r"decided|the (?:answer|cause|reason|winner|total|best)|root cause|in short|so the)\b|(?-i:^So [A-Z])|"
    r"结论|因此|所以|由此|发现|原因是|结果(?:是|为|显示)|确认|总计|合计|综上|可见",
    re.I,
)
# a number with a unit, an amount, an identifier: what a conclusion would lose if only its gist were kept
_LITERAL = re.compile(r"[A-Za-z_][\w./@:-]*\d[\w./@:-]*|[$€£¥￥]?\d[\d,.]*(?:\s?%|\s?[A-Za-z\u4e00-\u9fff]{1,8})?")
_WORD = re.compile(r"[a-z]{4,}|[\u4e00-\u9fff]")
# words that tell nothing of what is concluded
_EMPTY_WORDS = frozenset(
    [
        "that",
        "this",
        "with",
        "from",
        "have",
        "been",
        "were",
        "which",
        "their",
        "there",
        "than",
        "then",
        "also",
        "into",
        "about",
        "because",
        "only",
        "just",
    ]
)
_MOST_READ_CHARS = 20_000
# shares of a conclusion's literals and of its other words that must stand in what was saved
_COVERED_LITERALS, _COVERED_WORDS = 0.6, 1 / 3


def conclusion_of(text: str) -> str:
    """The first sentence of a reply that concludes something, or "". A question back or a plan is none."""
    text = text[:_MOST_READ_CHARS]
    for start, end in sentences(text, 0, len(text)):
        sentence = text[start:end].strip()
        if _CUE.search(sentence) and not sentence.endswith(("?", "？")):
            return sentence
    return ""


def covers(saved: Sequence[str], conclusion: str) -> bool:
    """Whether one of the saved texts holds the conclusion: most of its literals, or of its words if it has none."""
    literals = {found.group().strip(" .,").lower() for found in _LITERAL.finditer(conclusion)}
    bare = _CUE.sub(" ", _LITERAL.sub(" ", conclusion)).lower()
    words = set(_WORD.findall(bare)) - _EMPTY_WORDS
    if not literals and not words:
        return True
    return any(_holds(text.lower(), literals, _COVERED_LITERALS) and _holds(text.lower(), words, _COVERED_WORDS) for text in saved)


def _holds(text: str, parts: set[str], ratio: float) -> bool:
    return sum(part in text for part in parts) >= ratio * len(parts)
