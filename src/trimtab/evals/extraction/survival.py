"""Do rules and preferences that were said long ago still stand in the prompt? Measured on conversations of BEAM.

The data are not in the package: a folder with one folder a conversation, in it `chat.json` (batches of turns) and
`probing_questions.json` (questions by category, each with the ids of the turns it rests on).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.core.summary import PINNED_FIELDS, SummaryItem, apply_changes, render_rules
from trimtab.distill import extract
from trimtab.evals.extraction.turns import message_of
from trimtab.recall import query_terms, terms
from trimtab.tokens import counter_for

# recall that the project set as its goal, by category of the questions
GOALS: Mapping[str, float] = {"instruction_following": 0.92, "preference_following": 0.78}
MAX_TOKENS = 1_000
_COUNT = counter_for("gpt-4o").count_text
_KEPT = PINNED_FIELDS | {"preference"}
_TAIL = re.compile(r"\s*->->.*$", re.S)
_NUMBER = re.compile(r"\d+")


class Survival(Struct):
    """Of one category: the questions, and those whose turns gave an item that is visible (shares of a question's turns
    add up): within the limit of tokens, the newest first; within it, ranked by the words of the question; at all."""

    category: str
    questions: int = 0
    visible: float = 0.0
    ranked: float = 0.0
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
        for category, question, gold in _questions(probes):
            row = rows[category]
            row.questions += 1
            ranked = {source for item in _ranked(items, question) for source in item.source_ids}
            row.ranked += len(gold & ranked) / len(gold)
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


def _ranked(items: list[SummaryItem], question: str) -> list[SummaryItem]:
    """What fits of the items ranked by the words that they share with the question, rare words before common ones."""
    words = [frozenset(terms(item.text)) for item in items]
    spread = Counter(word for of_item in words for word in of_item)
    asked = frozenset(query_terms(question))
    scores = [sum(math.log(1 + len(items) / spread[word]) for word in asked & of_item) for of_item in words]
    room, kept = MAX_TOKENS, []
    for at in sorted(range(len(items)), key=lambda at: (-scores[at], -items[at].source_ids[0])):
        room -= _COUNT(f"- {items[at].text}\n")
        if room < 0:
            break
        kept.append(items[at])
    return kept


def _block(items: list[SummaryItem]) -> str:
    return "\n".join([render_rules(items), *(f"- {item.text}" for item in items if item.field == "preference")])


def _questions(path: Path) -> Iterator[tuple[str, str, set[int]]]:
    for category, questions in _json(path).items():
        for question in questions if category in GOALS else ():
            gold = {int(number) for number in _NUMBER.findall(msgspec.json.encode(question.get("source_chat_ids")).decode())}
            if gold:
                yield category, str(question.get("question", "")), gold


def _json(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())
