"""Deterministic distillation: what a message says, without a language model. English and Chinese."""

from __future__ import annotations

from trimtab.distill.actions import action_line
from trimtab.distill.extract import extract
from trimtab.distill.spans import user_spans
from trimtab.distill.status import outcome
from trimtab.distill.structure import describe, preview

__all__ = ["action_line", "describe", "extract", "outcome", "preview", "user_spans"]
