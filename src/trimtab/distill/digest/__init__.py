"""Distilling by a language model, without the model: what it is asked, and what of its answer may stand.

Pure: no model is called here, nothing is read or written. The session sends the requests.
"""

from __future__ import annotations

from trimtab.distill.digest.answer import Answer, BadAnswer, Proposal, parse_answer
from trimtab.distill.digest.check import CLOSABLE, Checked, Known, check_answer, check_merged
from trimtab.distill.digest.chunks import Chunk, chunks_of
from trimtab.distill.digest.guard import Stretch, guard, restored_in
from trimtab.distill.digest.prompts import SCHEMA, candidates_json, known_lines, merge_texts, read_texts, repair_text
from trimtab.distill.digest.transcript import Line, gone_line, line_of

__all__ = [
    "CLOSABLE",
    "SCHEMA",
    "Answer",
    "BadAnswer",
    "Checked",
    "Chunk",
    "Known",
    "Line",
    "Proposal",
    "Stretch",
    "candidates_json",
    "check_answer",
    "check_merged",
    "chunks_of",
    "gone_line",
    "guard",
    "known_lines",
    "line_of",
    "merge_texts",
    "parse_answer",
    "read_texts",
    "repair_text",
    "restored_in",
]
