"""How well recall finds the turns that answer, on labelled conversations.

The data sets are not in the package; `sets.py` names them and reads them as their authors publish them.
"""

from __future__ import annotations

from trimtab.evals.recall.plain import FixedRule1, FixedRule2, Fused
from trimtab.evals.recall.retriever import Retriever, VectorsOnly, WordsOnly

__all__ = ["FixedRule1", "FixedRule2", "Fused", "Retriever", "VectorsOnly", "WordsOnly"]
