"""What a provider's "too long" teaches: the true window, where its words name it."""

from __future__ import annotations

import re

# wordings: OpenAI "maximum context length is N tokens", Anthropic "N tokens > M maximum" and "A + B > M"
_WINDOWS = (
    re.compile(r"maximum context length is ([\d,]+) tokens", re.IGNORECASE),
    re.compile(r"[\d,]+ tokens > ([\d,]+) maximum", re.IGNORECASE),
    re.compile(r"context limit: [\d,]+ \+ [\d,]+ > ([\d,]+)", re.IGNORECASE),
    re.compile(r"context (?:window|length|limit)[^\d]{0,40}([\d,]{4,})", re.IGNORECASE),
)
SMALLER_RATIO = 0.8
# what is refused below this was refused for another reason than its length
LEAST_CAP_TOKENS = 256


def learned(text: str, window_tokens: int, sent_tokens: int) -> tuple[int, int]:
    """(window, cap on the next prompt), each 0 where not known.

    The cap is below what was refused, so that the next request is strictly smaller even where our count of the
    refused one was too low. It holds for that one request.
    """
    window = window_tokens
    for pattern in _WINDOWS:
        found = pattern.search(text)
        if found and not window:
            window = int(found.group(1).replace(",", ""))
    cap = int(sent_tokens * SMALLER_RATIO)
    return window, cap if cap >= LEAST_CAP_TOKENS else 0
