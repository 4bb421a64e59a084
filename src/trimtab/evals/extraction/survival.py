"""Do rules and preferences that were said long ago still stand in the prompt? Measured on conversations of BEAM.

The data are not in the package: a folder with one folder a conversation, in it `chat.json` (batches of turns) and
`probing_questions.json` (questions by category, each with the ids of the turns it rests on).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.core.summary import PINNED_FIELDS, SummaryItem, apply_changes, render_rules
from trimtab.distill import extract
from trimtab.evals.extraction.turns import message_of
from trimtab.tokens import counter_for

# recall that the project set as its goal, by category of the questions
GOALS: Mapping[str, float] = {"instruction_following": 0.92, "preference_following": 0.78}
MAX_TOKENS = 1_000
_COUNT = counter_for("gpt-4o").count_text
_KEPT = PINNED_FIELDS | {"preference"}
_TAIL = re.compile(r"\s*->->.*$", re.S)
_NUMBER = re.compile(r"\d+")


class Survival(Struct):
    """Of one category: the questions, those whose turns' rules are visible (shares of a question's turns add up), and
    the same without the limit of tokens. `tokens` is the mean size of the block before it is cut."""

    category: str
    questions: int = 0
    visible: float = 0.0
    found: float = 0.0


class Report(Struct, frozen=True):
    """All categories, and the mean tokens of a conversation's whole block of rules and preferences."""

    rows: tuple[Survival, ...]
    conversations: int
    mean_tokens: float


def survival(folder: Path) -> Report:
    """Measure every conversation below the folder.

    Raises:
        ValueError: there is none.
    """
    rows = {category: Survival(category) for category in GOALS}
    sizes: list[int] = []
    for conversation in sorted(folder.iterdir(), key=lambda path: (len(path.name), path.name)) if folder.is_dir() else ():
        chat, probes = conversation / "chat.json", conversation / "probing_questions.json"
        if not (chat.is_file() and probes.is_file()):
            continue
        items = _items(chat)
        sizes.append(_COUNT(_block(items)))
        found = {source for item in items for source in item.source_ids}
        visible = {source for item in _within(items) for source in item.source_ids}
        for category, gold in _questions(probes):
            row = rows[category]
            row.questions += 1
            row.found += len(gold & found) / len(gold)
            row.visible += len(gold & visible) / len(gold)
    if not sizes:
        raise ValueError(f"{folder}: no folder in it holds chat.json and probing_questions.json; give the folder of the conversations")
    return Report(tuple(rows.values()), len(sizes), sum(sizes) / len(sizes))


def _items(chat: Path) -> list[SummaryItem]:
    """The active pinned items and preferences after the user's turns; their source ids are the turns' ids."""
    items: tuple[SummaryItem, ...] = ()
    for batch in _json(chat):
        for group in batch["turns"]:
            for turn in group:
                if turn["role"] == "user":
                    message = message_of("user", _TAIL.sub("", turn["content"]))
                    kept = tuple(item for item in items if item.status == "active" and item.field in _KEPT)
                    items = apply_changes(kept, extract(message, int(turn["id"]), kept, {}))
    return [item for item in items if item.status == "active" and item.field in _KEPT]


def _within(items: list[SummaryItem]) -> list[SummaryItem]:
    """What fits: rules before decisions before preferences, in each the newest first."""
    order = sorted(items, key=lambda item: (item.field == "preference", item.field == "decision", -item.source_ids[0]))
    room, kept = MAX_TOKENS, []
    for item in order:
        room -= _COUNT(f"- {item.text}\n")
        if room < 0:
            break
        kept.append(item)
    return kept


def _block(items: list[SummaryItem]) -> str:
    return "\n".join([render_rules(items), *(f"- {item.text}" for item in items if item.field == "preference")])


def _questions(path: Path) -> Iterator[tuple[str, set[int]]]:
    for category, questions in _json(path).items():
        for question in questions if category in GOALS else ():
            gold = {int(number) for number in _NUMBER.findall(msgspec.json.encode(question.get("source_chat_ids")).decode())}
            if gold:
                yield category, gold


def _json(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())
