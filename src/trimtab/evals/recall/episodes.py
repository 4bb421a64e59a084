"""What every data set becomes: episodes of turns, and questions with the turns that answer them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

Split = Literal["tune", "report", "all"]
_UNSPACED = re.compile(r"[\u3400-\u9fff]")


class Said(Struct, frozen=True):
    """A turn. `session` is the sitting it belongs to; `time` is as the data write it."""

    id: str
    session: str
    role: str
    speaker: str
    time: str
    text: str

    def render(self) -> str:
        return f"{self.speaker}: {self.text}" if self.speaker else self.text

    @property
    def tokens(self) -> int:
        """An estimate that needs no tokenizer: one a Chinese character, else one for four characters, four for the frame."""
        text = self.render()
        unspaced = len(_UNSPACED.findall(text))
        return unspaced + (len(text) - unspaced + 3) // 4 + 4


class Question(Struct, frozen=True):
    """`gold`: ids of the turns that answer. `upto`: asked when only so many turns existed; 0 for after the last."""

    id: str
    category: str
    query: str
    gold: frozenset[str]
    upto: int = 0


class Episode(Struct, frozen=True):
    """One history and what is asked of it. `is_tuned_on`: parameters may be chosen by it."""

    id: str
    turns: list[Said]
    questions: list[Question]
    is_tuned_on: bool = False
    language: Literal["en", "zh"] = "en"


def of_split(episodes: Iterable[Episode], split: Split) -> list[Episode]:
    return [episode for episode in episodes if split == "all" or episode.is_tuned_on == (split == "tune")]


def read_json(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


def evidence_ids(labels: Collection[str] | None, known: Collection[str]) -> frozenset[str]:
    """The turns that labels such as "D1:3" or "D:1:03; D2:4" name; labels of turns that are not there are passed over."""
    found = set()
    for label in labels or ():
        for part in re.split(r"[;,\s]+", str(label)):
            match = re.fullmatch(r"D:?(\d+):0*(\d+)", part)
            if match is not None:
                found.add(f"D{match[1]}:{match[2]}")
    return frozenset(found & set(known))
