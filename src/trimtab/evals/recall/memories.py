"""Single memories: MemDaily (Chinese, with noise from CrossWOZ) and MADial-Bench (Chinese and English)."""

from __future__ import annotations

import random
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from trimtab.evals.recall.episodes import Episode, Question, Said, read_json

_SEED = 1128
_OF_A_TYPE = 100
_TUNED_FILES = 10
# shorter messages of CrossWOZ are greetings
_LEAST_NOISE_CHARS = 9
_KIND = re.compile(r"\d+_(.*)_(?:roles|events|items|places|hybrid)")
# the number of turns before the question that are its text
_CONTEXT_TURNS = 3
_MADIAL_EDGE = re.compile(r'^<(.*?)>:"?|"?\n?$')


def memdaily(folder: Path, noise: int = 0) -> list[Episode]:
    """At most 100 questions of each type, each with its own messages, among them `noise` times as many of CrossWOZ.

    Which questions, which noise and where it stands follows from one fixed seed, so that all runs are of the same turns.
    """
    rng = random.Random(_SEED)
    pool = _noise_pool(folder.parent / "crosswoz") if noise else []
    files = sorted((folder / "messages_and_QAs").iterdir())
    tuned_on = {path.name for path in files[:_TUNED_FILES]}
    by_kind: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for path in files:
        kind = _KIND.match(path.name)
        for trace in read_json(path):
            if kind is not None and _is_usable(trace):
                by_kind.setdefault(kind[1], []).append((path.name, trace))
    episodes = []
    for of_kind, traces in by_kind.items():
        rng.shuffle(traces)
        for name, trace in traces[:_OF_A_TYPE]:
            asked, turns = trace["question_list"][0], _messages(trace)
            gold = frozenset(str(step) for step in asked["target_step_id"]) & {turn.id for turn in turns}
            if not gold:
                continue
            if noise:
                turns = _mixed(turns, rng.sample(pool, noise * len(turns)), rng)
            number = f"{name}:{trace['tid']}"
            episodes.append(Episode(number, turns, [Question(number, of_kind, asked["question"], gold)], name in tuned_on, "zh"))
    return episodes


def _is_usable(trace: Mapping[str, Any]) -> bool:
    asked = (trace.get("question_list") or [None])[0]
    return bool(asked) and asked["question"] != "[ERRORQ]" and asked["answer"] != "[ERRORA]" and bool(asked.get("target_step_id"))


def _messages(trace: Mapping[str, Any]) -> list[Said]:
    return [Said(str(row["mid"]), row["time"].split(" ")[0], "user", "", row["time"], row["message"]) for row in trace["message_list"]]


def _mixed(turns: list[Said], noise: list[str], rng: random.Random) -> list[Said]:
    """The turns at random places among the noise, both in their order; noise belongs to the day of the turn after it."""
    count = len(turns) + len(noise)
    kept_at = dict(zip(sorted(rng.sample(range(count), len(turns))), turns, strict=True))
    mixed: list[Said] = []
    passed = 0
    for place in range(count):
        if place in kept_at:
            mixed.append(kept_at[place])
            passed += 1
        else:
            number = place - passed
            mixed.append(Said(f"n{number}", turns[min(passed, len(turns) - 1)].session, "user", "", "", noise[number]))
    return mixed


def _noise_pool(folder: Path) -> list[str]:
    texts: set[str] = set()
    for name in ("test", "val"):
        with zipfile.ZipFile(folder / f"{name}.json.zip") as packed:
            inner = next(each for each in packed.namelist() if each.endswith(".json") and "MACOSX" not in each)
            dialogues = msgspec.json.decode(packed.read(inner))
        texts.update(row["content"] for each in dialogues.values() for row in each["messages"])
    return sorted(text for text in texts if len(text) >= _LEAST_NOISE_CHARS)


def madial(folder: Path, language: Literal["zh", "en"]) -> list[Episode]:
    """The turns are memories of one user; a question is the talk just before a memory is called for."""
    part = folder / {"zh": "ch", "en": "en"}[language]
    memories: dict[str, Mapping[str, Any]] = {}
    for row in _lines(part / f"MADial-Bench-{language}-memory.json"):
        memories |= row
    turns = [Said(number, row["time"], "memory", "", row["time"], row["event"]) for number, row in memories.items()]
    questions = []
    for number, row in enumerate(_lines(part / f"MADial-Bench-{language}-dialogue.json")):
        said = [_MADIAL_EDGE.sub(_speaker, line) for line in row["dialogue"][1 : row["test-turn"][0]]]
        gold = frozenset(str(each) for each in row["relevant-id"]) & memories.keys()
        if gold:
            questions.append(Question(f"{language}{number}", "all", "\n".join(said[-_CONTEXT_TURNS:]), gold))
    return [Episode(f"madial-{language}", turns, questions, False, language)]


def _speaker(edge: re.Match[str]) -> str:
    return f"{edge[1]}: " if edge[1] else ""


def _lines(path: Path) -> list[Any]:
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines() if line.strip()]
