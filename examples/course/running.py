"""The two loops: `run_task` with the switches that are on, and for comparison a plain one that keeps the newest rounds."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from course.reviewer import Reads, Reviewer
from course.scripted import Fault, ScriptedModel, Work
from course.switches import ALL, SWITCHES, WINDOW_ROUNDS, settings_for
from trimtab import Session, Step, Target, run_task
from trimtab.core.messages import ToolCall
from trimtab.run import Endpoint, Event, Replies
from trimtab.run.calling import run_call
from trimtab.run.tools import RunTool, read_tool

Say = Callable[[str], None]
# what the user says where a detector has stopped the run
COME_BACK = "Leave that, please, and go on with the work."


class Example(Work, Reads, Protocol):
    """A worked example: its task, its tools over a world of its own, and how each failure of it is told.

    Attributes:
        goal: of the task, in one line. first: the user's first message. later: what the user says after a round.
        most_rounds: after which a run is broken off.
    """

    name: str
    goal: str
    system: str
    first: str
    later: dict[int, str]
    most_rounds: int

    def plan(self, switches: frozenset[str]) -> Sequence[Step]: ...

    def tools(self) -> Sequence[Callable[..., Any]]: ...

    def faults(self) -> dict[str, Fault]:
        """By failure: the lapse that leads to it; a new one for each run."""
        ...

    def failures(self) -> dict[str, str]:
        """By failure that came about: what is wrong. Read off the world, whatever the model says."""
        ...


@dataclass
class Result:
    status: str
    rounds: int
    failures: dict[str, str]
    reply: str = ""
    largest_tokens: int = 0


def run_example(
    example: Example, model: Endpoint | Replies, switches: frozenset[str], say: Say | None = None, target: Target | None = None
) -> Result:
    """One run with these switches on."""
    later, largest, before = example.later | _tempting(model), [0], [0]

    def listen(event: Event) -> str | None:
        number = before[0] + event.round
        if event.kind == "request":
            largest[0] = max(largest[0], event.value.tokens)
        elif event.kind == "reply" and say is not None:
            say(f"round {number:>3}  {event.step:<14.14}  {', '.join(call.name for call in event.value) or event.text[:80]}")
        elif event.kind in ("correction", "refused", "flag", "verdict", "rollback", "aside") and say is not None:
            say(f"           {event.kind}: {event.text[:120]}")
        return later.pop(number, None) if event.kind == "reply" else None

    settings, reviewer = settings_for(switches), Reviewer(example)
    with Session.open(":memory:", example.name, settings=settings, target=target or Target(model="gpt-5"), verifier=reviewer) as session:
        if "meta" in switches:
            session.meta_context(example.system)
            session.brief(example.goal)
        session.record({"role": "user", "content": example.first})
        task = session.task(example.goal, example.plan(switches))
        while True:
            left = example.most_rounds - before[0]
            outcome = run_task(model, task, example.tools(), system=example.system, max_rounds=left, on_event=listen)
            before[0] += outcome.rounds
            if outcome.status != "drifted" or before[0] >= example.most_rounds:
                break
            _call_back(session)
    return Result(outcome.status, before[0], example.failures(), outcome.reply, largest[0])


def _call_back(session: Session) -> None:
    """A person looks at what the run was stopped for."""
    for flag in session.flags():
        if flag.answer in ("stop", "rollback"):
            session.answer_flag(flag.flag_id)
    session.record({"role": "user", "content": COME_BACK})


def _tempting(model: Endpoint | Replies) -> dict[int, str]:
    return model.later if isinstance(model, ScriptedModel) else {}


def run_plain(example: Example, model: Replies, say: Say | None = None) -> Result:
    """Everything off: the system text and the newest rounds, as they come. What leaves is gone."""
    return asyncio.run(_plain(example, model, say))


async def _plain(example: Example, model: Replies, say: Say | None) -> Result:
    tools: dict[str, RunTool] = {tool.name: tool for tool in map(read_tool, example.tools())}
    schemas = [tool.schema("openai_chat") for tool in tools.values()]
    history: list[dict[str, Any]] = [{"role": "user", "content": example.first}]
    later, reply = example.later | _tempting(model), ""
    for number in range(1, example.most_rounds + 1):
        body = {"messages": [{"role": "system", "content": example.system}, *newest_rounds(history)], "tools": schemas}
        message = await model.reply(body)
        history.append(message)
        calls = message.get("tool_calls") or ()
        reply = message.get("content") or reply
        if say is not None:
            say(f"round {number:>3}  {', '.join(call['function']['name'] for call in calls) or reply[:80]}")
        for call in calls:
            answered = await run_call(tools, ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"]))
            history.append({"role": "tool", "tool_call_id": call["id"], "content": answered.text})
        if number in later:
            history.append({"role": "user", "content": later.pop(number)})
        elif not calls:
            return Result("answered", number, example.failures(), reply)
    return Result("rounds", example.most_rounds, example.failures(), reply)


def newest_rounds(history: list[dict[str, Any]], rounds: int = WINDOW_ROUNDS) -> list[dict[str, Any]]:
    starts = [place for place, message in enumerate(history) if message["role"] == "assistant"]
    return history if len(starts) <= rounds else history[starts[-rounds] :]


# ---------------------------------------------------------------- the command line


def main(make: Callable[[], Example], argv: Sequence[str] | None = None) -> int:
    """0 where the run ended well."""
    example = make()
    asked = _arguments(example, argv)
    if asked.base_url:
        endpoint = Endpoint(base_url=asked.base_url, model=asked.model, interface=asked.interface, api_key_env=asked.api_key_env)
        result = run_example(example, endpoint, frozenset(asked.switch or ALL), print, endpoint.target)
    else:
        faults = tuple(fault for name, fault in example.faults().items() if asked.fault in ("all", name))
        model = ScriptedModel(example, faults)
        result = run_plain(example, model, print) if asked.off else run_example(example, model, frozenset(asked.switch or ALL), print)
    print(f"\n{result.reply}\n")
    print(json.dumps({"status": result.status, "rounds": result.rounds, "failures": result.failures}, ensure_ascii=False, indent=1))
    for failure in result.failures.values():
        print(f"wrong: {failure}", file=sys.stderr)
    return 1 if result.failures or result.status not in ("done", "answered") else 0


def _arguments(example: Example, argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"examples/{example.name}.py", description="Without --base-url a scripted model misbehaves on purpose."
    )
    parser.add_argument("--off", action="store_true", help="a plain loop without Trimtab and the scripted model, to see it fail")
    parser.add_argument("--switch", action="append", choices=SWITCHES, help="switch on this technique only (may be repeated)")
    parser.add_argument("--fault", default="all", choices=("all", "none", *example.faults()), help="play only this lapse")
    parser.add_argument("--base-url", default="", help="ask this endpoint instead of the script")
    parser.add_argument("--model", default="", help="the model's name there")
    parser.add_argument("--interface", default="openai_chat", choices=("openai_chat", "anthropic"))
    parser.add_argument("--api-key-env", default="", help="name of the environment variable that holds the key")
    return parser.parse_args(argv)
