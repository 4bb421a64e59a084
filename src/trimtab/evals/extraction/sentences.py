"""Labelled sentences that the classifier is trained on: files of them, and the sentences of the development turns.

A file has one sentence a line: label, role (`u` user, `s` system prompt), text, with tabs between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from msgspec import Struct

from trimtab.distill.classify import LABELS, Label, Language
from trimtab.distill.sentences import sentences
from trimtab.distill.spans import user_spans
from trimtab.distill.voices import mask
from trimtab.evals.extraction.turns import Half, Turn, turns

# where a sentence holds two labels, the first of these counts
_BY_WEIGHT: tuple[Label, ...] = ("negative", "constraint", "format", "role", "reversal", "decision", "preference", "todo", "question")
_LEAST_PART = 0.6


class Example(Struct, frozen=True):
    """A sentence and what it is."""

    label: Label
    is_system: bool
    text: str


def examples_of_file(path: Path) -> Iterator[Example]:
    """The sentences of a file.

    Raises:
        ValueError: a line has another shape.
    """
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if not line:
            continue
        label, _, rest = line.partition("\t")
        role, _, text = rest.partition("\t")
        if label not in LABELS or role not in ("u", "s") or not text:
            raise ValueError(f"{path.name}, line {number}: {line!r} is not label, role u or s, text; mend the line")
        yield Example(label, role == "s", text)


def examples_of_turns(half: Half, language: Language) -> Iterator[Example]:
    """The author's own sentences in the turns of one half, with the label that each holds, else `none`."""
    for turn in turns(half, language):
        if turn.role in ("user", "system"):
            for start, end in user_spans(turn.text):
                for first, last in sentences(mask(turn.text[start:end]), 0, end - start):
                    text = turn.text[start + first : start + last]
                    yield Example(_label(turn, text), turn.role == "system", text)


def training_digest(folder: Path, language: Language) -> str:
    """Of all that the weights of a language come from; the line breaks of one system or another do not matter."""
    digest = hashlib.sha256()
    for path in [*sorted(folder.glob(f"train_{language}_*.tsv")), folder / "made_up.py", folder / "prose.py"]:
        digest.update(path.name.encode() + b"\n" + path.read_text("utf-8").encode("utf-8"))
    digest.update(files(__package__).joinpath(f"rules_{language}.jsonl").read_text("utf-8").encode("utf-8"))
    return digest.hexdigest()


def _label(turn: Turn, text: str) -> Label:
    held: set[str] = {
        label.field for label in turn.labels if label.text in text or (text in label.text and len(text) >= _LEAST_PART * len(label.text))
    }
    return next((label for label in _BY_WEIGHT if label in held), "none")
