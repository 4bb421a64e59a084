"""What detectors are measured on: runs of an agent as rounds, read from the data sets, with the labels they have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from trimtab.errors import BadSetting

Half: TypeAlias = Literal["tune", "report", "all"]
_LABELS, _TRACES, _TAUBENCH = Path("drift/labels.jsonl"), Path("drift/traces"), Path("transcripts/taubench/gpt-4o-airline.json")
# as long as a model's request takes, where a data set has no times
_MS_A_ROUND = 4_000
_INSTRUCTION = "Orchestrator (-> "


class Call(Struct, frozen=True):
    """A call and what it gave. `arguments` is the text as the model sent it, JSON as a rule."""

    tool: str
    arguments: str
    result: str
    is_error: bool = False


class Round(Struct, frozen=True):
    """A reply of the model with all its calls and their results.

    Attributes:
        user: what a person said right before it, "" where nobody did.
        text: the visible text of the reply.
        ms: from the round before to this one, milliseconds.
        batch: it belongs to a step that was declared to do one thing again and again.
    """

    calls: tuple[Call, ...] = ()
    text: str = ""
    user: str = ""
    ms: int = _MS_A_ROUND
    batch: bool = False


class Run(Struct, frozen=True):
    """A run from its start. `success` as its data set says, None where that says nothing."""

    name: str
    rounds: tuple[Round, ...]
    success: bool | None = None


class Step(Struct, frozen=True):
    """One labelled ledger: how many rounds were over when it was written, and whether its writer saw a loop."""

    rounds: int
    in_loop: bool


class Trace(Struct, frozen=True):
    """A run with its ledgers, oldest first."""

    run: Run
    steps: tuple[Step, ...]

    @property
    def loops(self) -> bool:
        return any(step.in_loop for step in self.steps)


def traces(data: Path, half: Half) -> list[Trace]:
    """The labelled traces of one half, by name.

    Args:
        data: the folder of the data sets.

    Raises:
        BadSetting: the files are not there, or not what they should be.
    """
    try:
        rows = [json.loads(line) for line in (data / _LABELS).read_text("utf-8").splitlines() if line]
        by_trace: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            if half in (row["split"], "all"):
                by_trace.setdefault(row["trace"], []).append(row)
        return [_trace(data, name, by_trace[name]) for name in sorted(by_trace)]
    except FileNotFoundError as missing:
        raise _absent(data, missing) from missing
    except (ValueError, KeyError, TypeError) as error:
        raise BadSetting("data", str(data), f"a folder whose {_LABELS} and {_TRACES} are whole ({error!r})") from error


def taubench(data: Path) -> list[Run]:
    """The runs of tau-bench, with their success by reward.

    Raises:
        BadSetting: the file is not there, or not what it should be.
    """
    try:
        rows = json.loads((data / _TAUBENCH).read_text("utf-8"))
        return [Run(f"tau-{n}", tuple(_of_chat(row["traj"])), row["reward"] >= 1) for n, row in enumerate(rows)]
    except FileNotFoundError as missing:
        raise _absent(data, missing) from missing
    except (ValueError, KeyError, TypeError) as error:
        raise BadSetting("data", str(data), f"a folder whose {_TAUBENCH} is whole ({error!r})") from error


def _absent(data: Path, missing: FileNotFoundError) -> BadSetting:
    return BadSetting("data", str(data), f"a folder that holds {_LABELS}, {_TRACES} and {_TAUBENCH} (missing: {missing.filename})")


def _trace(data: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> Trace:
    """A report of an executing agent is a round: the instruction before it its text, the report's first line the call's
    argument, what follows the result."""
    messages = json.loads((data / _TRACES / f"{name}.json").read_text("utf-8"))
    ends: list[int] = []
    rounds: list[Round] = []
    instruction = user = ""
    for index, message in enumerate(messages):
        role, content = message["role"], message["content"] or ""
        if role == "human":
            user = content
        elif role.startswith(_INSTRUCTION):
            instruction = content
        elif not role.startswith("Orchestrator"):
            first, _, rest = content.strip().partition("\n")
            call = Call(role, json.dumps({"action": first}, ensure_ascii=False), rest)
            rounds.append(Round((call,), instruction, user))
            ends.append(index)
            instruction = user = ""
    steps = [Step(sum(end < row["index"] for end in ends), row["in_loop"]) for row in sorted(rows, key=lambda row: int(row["index"]))]
    return Trace(Run(name, tuple(rounds)), tuple(steps))


def _of_chat(messages: Sequence[Mapping[str, Any]]) -> Iterator[Round]:
    """Rounds of a list in the form of chat completions. A call's result is looked for right behind it: ids come twice in a run."""
    user = ""
    for at, message in enumerate(messages):
        if message["role"] == "user":
            user = message["content"] or ""
        if message["role"] != "assistant":
            continue
        answers = takewhile(lambda after: after["role"] == "tool", messages[at + 1 :])
        results = {answer["tool_call_id"]: answer.get("content") or "" for answer in answers}
        calls = []
        for call in message.get("tool_calls") or ():
            result = results.get(call["id"], "")
            calls.append(Call(call["function"]["name"], call["function"]["arguments"], result, result.startswith("Error")))
        yield Round(tuple(calls), message.get("content") or "", user)
        user = ""
