"""How well `trimtab.distill.extract` reads labelled turns, and whether poisoned text makes rules."""

from __future__ import annotations

from trimtab.evals.extraction.poison import poisoned_texts, rules_from_poison
from trimtab.evals.extraction.score import Row, rows, score_turn
from trimtab.evals.extraction.turns import HALVES, LANGUAGES, Half, Language, Turn, changes_of, turns

__all__ = [
    "HALVES",
    "LANGUAGES",
    "Half",
    "Language",
    "Row",
    "Turn",
    "changes_of",
    "poisoned_texts",
    "rows",
    "rules_from_poison",
    "score_turn",
    "turns",
]
