"""The texts of a request's body as any interface writes them, read without taking it apart: also of a body that is odd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SYSTEM_KEYS, HISTORY_KEYS = ("system", "instructions"), ("messages", "input")


def rows_of(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages or items, in order."""
    return [row for key in HISTORY_KEYS if isinstance(rows := body.get(key), list) for row in rows if isinstance(row, Mapping)]


def is_system(row: Any) -> bool:
    return isinstance(row, Mapping) and row.get("role") in ("system", "developer")


def texts_in(content: Any) -> list[str]:
    """Of a content that is a text, or blocks some of which hold one."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    return [block["text"] for block in blocks if isinstance(block, Mapping) and isinstance(block.get("text"), str)]


def system_texts(body: Mapping[str, Any]) -> Iterator[str]:
    """The client's instructions, wherever the interface puts them."""
    for key in SYSTEM_KEYS:
        yield from texts_in(body.get(key))
    for row in rows_of(body):
        if is_system(row):
            yield from texts_in(row.get("content"))


def last_user_text(body: Mapping[str, Any]) -> str:
    rows = [row for row in rows_of(body) if row.get("role") == "user"]
    return "\n".join(texts_in(rows[-1].get("content") if rows else body.get("input")))
