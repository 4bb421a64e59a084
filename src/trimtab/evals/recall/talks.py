"""Long talks: LoCoMo, REALTALK, BEAM, RealMem. Each function reads the folder as its authors publish it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from trimtab.evals.recall.episodes import Episode, Question, Said, evidence_ids, read_json

_LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_LOCOMO_TUNED = ("conv-26", "conv-30")
_REALTALK_TUNED = ("Chat_1_", "Chat_2_")
_BEAM_TUNED = 4
_REALMEM_TUNED = 2
# what BEAM's generator left at the end of some turns
_BEAM_TAIL = re.compile(r"\s*->->.*$")


def locomo(folder: Path) -> list[Episode]:
    """The captions of shared images belong to their turns."""
    return [_locomo_episode(each) for each in read_json(folder / "locomo10.json")]


def _locomo_episode(each: Mapping[str, Any]) -> Episode:
    talk = each["conversation"]
    turns = []
    for session in _sessions(talk):
        for turn in talk[session]:
            caption = f" [shares image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            role = "user" if turn["speaker"] == talk["speaker_a"] else "assistant"
            time = talk.get(f"{session}_date_time", "")
            turns.append(Said(turn["dia_id"], session, role, turn["speaker"], time, turn.get("text", "") + caption))
    ids = {turn.id for turn in turns}
    name = each["sample_id"]
    questions = [
        Question(f"{name}#{number}", _LOCOMO_CATEGORIES[row["category"]], row["question"], gold)
        for number, row in enumerate(each["qa"])
        if (gold := evidence_ids(row.get("evidence"), ids))
    ]
    return Episode(name, turns, questions, name in _LOCOMO_TUNED)


def realtalk(folder: Path) -> list[Episode]:
    episodes = []
    for path in sorted(folder.glob("Chat_*.json")):
        talk = read_json(path)
        turns = [
            Said(turn["dia_id"], session, "user", turn["speaker"], turn.get("date_time", ""), turn.get("clean_text", ""))
            for session in _sessions(talk)
            for turn in talk[session]
        ]
        ids = {turn.id for turn in turns}
        questions = [
            Question(f"{path.name}#{number}", f"cat{row['category']}", row["question"], gold)
            for number, row in enumerate(talk.get("qa") or ())
            if (gold := evidence_ids(row.get("evidence"), ids))
        ]
        episodes.append(Episode(path.name, turns, questions, path.name.startswith(_REALTALK_TUNED)))
    return episodes


def _sessions(talk: Mapping[str, Any]) -> list[str]:
    return sorted((key for key in talk if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key.removeprefix("session_")))


def beam(folder: Path) -> list[Episode]:
    """The folder of one size."""
    episodes = []
    for chat in sorted(folder.glob("*/chat.json"), key=lambda path: int(path.parent.name)):
        probes = chat.with_name("probing_questions.json")
        if not probes.is_file():
            continue
        number = chat.parent.name
        turns = [
            Said(str(turn["id"]), f"b{batch['batch_number']}", turn["role"], turn["role"], turn.get("time_anchor") or "", _beam_text(turn))
            for batch in read_json(chat)
            for group in batch["turns"]
            for turn in group
        ]
        ids = {turn.id for turn in turns}
        questions = [
            Question(f"{folder.name}/{number}/{category}/{at}", category, row["question"], gold)
            for category, rows in read_json(probes).items()
            for at, row in enumerate(rows)
            if (gold := frozenset(str(each) for each in _numbers(row.get("source_chat_ids"))) & ids)
        ]
        episodes.append(Episode(f"beam-{folder.name}-{number}", turns, questions, int(number) <= _BEAM_TUNED))
    return episodes


def _beam_text(turn: Mapping[str, Any]) -> str:
    return _BEAM_TAIL.sub("", turn["content"])


def _numbers(found: Any) -> Iterator[int]:
    """The whole numbers in lists and mappings of any depth, also where they are written as text."""
    if isinstance(found, bool):
        return
    if isinstance(found, int):
        yield found
    elif isinstance(found, str) and found.strip().isdigit():
        yield int(found)
    elif isinstance(found, list | dict):
        for each in found.values() if isinstance(found, dict) else found:
            yield from _numbers(each)


def realmem(folder: Path) -> list[Episode]:
    """A question is a turn of the history itself; its gold are the earlier turns that the memories used come from."""
    paths = sorted(folder.glob("*_256k.json"))
    return [_realmem_episode(path, number < _REALMEM_TUNED) for number, path in enumerate(paths)]


def _realmem_episode(path: Path, is_tuned_on: bool) -> Episode:
    talks = read_json(path)["dialogues"]
    turns: list[Said] = []
    place: dict[tuple[str, str], int] = {}
    memories: dict[tuple[str, str], Mapping[str, Any]] = {}
    for talk in talks:
        session = talk["session_uuid"]
        for at, turn in enumerate(talk["dialogue_turns"]):
            place[session, turn["content"]] = len(turns)
            speaker = turn["speaker"]
            turns.append(Said(f"{session}:{at}", session, speaker.lower(), speaker, talk.get("current_time", ""), turn["content"]))
        for memory in talk.get("extracted_memory", ()):
            memories[memory.get("session_uuid", session), _plain(memory["content"])] = memory
    questions: list[Question] = []
    asked_at = 0
    for talk in talks:
        rows = talk["dialogue_turns"]
        for at, (turn, answer) in enumerate(pairwise(rows), asked_at):
            if not turn.get("is_query"):
                continue
            used = (memories.get((row.get("session_uuid"), _plain(row.get("content")))) for row in answer.get("memory_used") or ())
            sources = ((row.get("session_uuid", ""), row.get("source_content_snapshot", "")) for row in used if row is not None)
            gold = frozenset(turns[place[source]].id for source in sources if place.get(source, at) < at)
            if gold:
                questions.append(Question(turn["query_id"], turn.get("category_name", "?"), turn["content"], gold, at))
        asked_at += len(rows)
    return Episode(path.stem, turns, questions, is_tuned_on)


def _plain(content: Any) -> str:
    return content if isinstance(content, str) else msgspec.json.encode(content, order="deterministic").decode()
