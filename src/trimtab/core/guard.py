"""What must be in a prompt and is not: the check by code that ends every compaction (REQUIREMENTS S3)."""

from __future__ import annotations

from collections.abc import Sequence

from trimtab.core.summary import PINNED_FIELDS, SummaryItem


def missing(items: Sequence[SummaryItem], text: str) -> tuple[SummaryItem, ...]:
    """The active pinned items whose text is not in `text` word for word, in their order; () where all are there."""
    return tuple(item for item in items if item.status == "active" and item.field in PINNED_FIELDS and item.text not in text)
