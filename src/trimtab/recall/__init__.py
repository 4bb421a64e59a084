"""Bringing back: how text becomes search terms and tags."""

from __future__ import annotations

from trimtab.recall.segments import TurnWords, make_turn
from trimtab.recall.words import query_terms, terms

__all__ = ["TurnWords", "make_turn", "query_terms", "terms"]
