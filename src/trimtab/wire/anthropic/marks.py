"""Cache marks: where they stand in a body, and no more of them than the provider takes (A11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MAX_MARKS = 4


def holders(blocks: Any) -> Iterator[dict[str, Any]]:
    """The blocks that carry a cache mark, blocks inside tool results included, in order."""
    if not isinstance(blocks, list | tuple):
        return
    for block in blocks:
        if isinstance(block, Mapping):
            yield from holders(block.get("content"))
            if block.get("cache_control"):
                yield block  # type: ignore[misc]  # a block of a decoded body is a dict


def body_holders(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All marked blocks in prompt order: tools, system, messages; the body itself where it asks for automatic marks."""
    found = [*holders(body.get("tools")), *holders(body.get("system"))]
    for message in body.get("messages") or ():
        found += holders(message.get("content"))
    return [*found, body] if body.get("cache_control") else found  # type: ignore[list-item]


def keep_last(marked: Iterable[dict[str, Any]], allowed: int) -> None:
    """Take the mark off all but the last `allowed` blocks, in place."""
    blocks = list(marked)
    for block in blocks[: max(0, len(blocks) - allowed)]:
        del block["cache_control"]
