"""What a scripted model knows: what stands in the request that it is sent, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_BLOCK = r"<trimtab:{} key=[^>]*>\n(.*?)\n</trimtab:{}>"
_NOW = re.compile(r"^Now: Step \d+ of \d+; (?P<name>[^;:\n]+)", re.MULTILINE)
_PLAN_NOW = re.compile(r"^\d+\. \[now\] (?P<name>[^;(\n]+?)(?: \(| ->|;|$)", re.MULTILINE)
_PLAN_DONE = re.compile(r"^\d+\. \[done\] (?P<name>[^;(\n]+?)(?: \(| ->|;|$)", re.MULTILINE)
_FOLDED = re.compile(r"steps ([\d, -]+) done")
_FINISHED = re.compile(r"^- (?P<number>\d+) ", re.MULTILINE)
_UNDER_WAY = re.compile(r'Under way: "(?P<name>[^"]+)"')
_STEP_DONE = re.compile(r'step "(?P<name>[^"]+)" is done')
_CORRECTED = re.compile(r"the step under way is \d+ of \d+: '(?P<name>[^']+)'")
_NARRATED = re.compile(r"^(?:On step|Step): (?P<name>[^.\n]+?)(?:\.| - |$)", re.MULTILINE)
_LEFT = re.compile(r"^left: (?P<ids>.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Exchange:
    """A call that is in the prompt with its result."""

    tool: str
    arguments: dict[str, Any]
    result: str


class Sight:
    """A request's body, read."""

    def __init__(self, body: dict[str, Any], steps: tuple[str, ...]) -> None:
        self.steps = steps
        self.tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools") or ()}
        messages = body["messages"]
        self.users = [_text(message) for message in messages if message["role"] == "user"]
        self.text = "\n".join(_text(message) for message in messages)
        self.exchanges = _exchanges(messages)
        self.newest = _newest(messages)
        self.state, self.plan, self.reminder = self._block("task_state"), self._block("plan"), self._block("reminder")

    def _block(self, name: str) -> str:
        found = re.findall(_BLOCK.format(name, name), self.text, re.DOTALL)
        return found[-1] if found else ""

    # ------------------------------------------------------------ where it stands

    @property
    def corrected(self) -> str:
        """The step that a correction at the end of the prompt names."""
        found = _CORRECTED.search(self.newest)
        return found["name"] if found else ""

    @property
    def step(self) -> str:
        """The step under way, as far as the prompt says it; "" where it does not."""
        for pattern, text in ((_NOW, self.state), (_NOW, self.reminder), (_PLAN_NOW, self.plan)):
            found = pattern.search(text)
            if found is not None:
                return found["name"].strip()
        return self.corrected or self._from_history()

    def _from_history(self) -> str:
        """By the newest word on it, of a tool or of its own, that is still in the prompt."""
        marks = [(found.start(), found["name"]) for found in _UNDER_WAY.finditer(self.text)]
        marks += [(found.start(), found["name"]) for found in _NARRATED.finditer(self.text) if found["name"] in self.steps]
        newest = max(marks, default=(0, ""))[1]
        last = self.exchanges[-1] if self.exchanges else None
        if last is not None and last.tool == "update_task" and "it is done already" in last.result and last.arguments["step"] == newest:
            return self.after(newest)
        return newest

    def after(self, step: str) -> str:
        """The step that comes next; the last one where there is none."""
        place = self.steps.index(step) + 1
        return self.steps[min(place, len(self.steps) - 1)]

    @property
    def finished(self) -> frozenset[str]:
        """The steps that the prompt shows to be done."""
        names = {found["name"].strip() for found in _PLAN_DONE.finditer(self.plan)}
        rest = self.state.partition("Finished:\n")[2]
        rows = re.split(r"^(?!- )", rest, maxsplit=1, flags=re.MULTILINE)[0]
        numbers = {int(found["number"]) for found in _FINISHED.finditer(rows)}
        for folded in _FOLDED.findall(f"{rows}\n{self.plan}"):
            numbers |= _range(folded)
        names |= {self.steps[number - 1] for number in numbers if number <= len(self.steps)}
        return frozenset(names | {found["name"] for found in _STEP_DONE.finditer(self.text)})

    def wants_product(self, step: str) -> bool:
        """Whether the prompt shows that a product is handed over with the step: by the state block, the plan, or a refusal."""
        refused = self.newest_of("update_task")
        wanted = refused is not None and refused.arguments.get("step") == step and "hand it over" in refused.result
        return "- product: " in self.state or re.search(rf"\[now\] {re.escape(step)}[^;\n]*->", self.plan) is not None or wanted

    @property
    def all_finished(self) -> bool:
        return "Every step is finished." in self.newest or f"All {len(self.steps)} steps are finished" in self.state

    @property
    def drift(self) -> str:
        """What the state block says of drift; "" for nothing."""
        rest = self.state.partition("Signs of drift:\n")[2]
        return "\n".join(line for line in rest.splitlines() if line.startswith("- "))

    @property
    def objected(self) -> bool:
        """Whether what came in since its last words holds an objection of a reviewer's."""
        return "A reviewer objects to" in self.newest

    @property
    def anchored(self) -> bool:
        """Whether goal and step stand once more right before the input, since a detector wants it."""
        return "Back to the task" in self.reminder

    # ------------------------------------------------------------ results

    def left(self, tool: str) -> list[str] | None:
        """What the newest visible result of a tool says is left, without what it was called for since; None where none is visible."""
        since: set[object] = set()
        for row in reversed(self.exchanges):
            if row.tool != tool:
                continue
            found = _LEFT.search(row.result)
            if found is not None:
                listed = [] if found["ids"] == "nothing" else found["ids"].split(", ")
                return [thing for thing in listed if thing not in since]
            since |= set(row.arguments.values())
        return None

    def newest_of(self, tool: str) -> Exchange | None:
        return next((row for row in reversed(self.exchanges) if row.tool == tool), None)


def left_line(things: Any) -> str:
    """The line by which a tool says what is left."""
    return f"left: {', '.join(things) or 'nothing'}"


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""


def _exchanges(messages: list[dict[str, Any]]) -> tuple[Exchange, ...]:
    results = {message["tool_call_id"]: _text(message) for message in messages if message["role"] == "tool"}
    rows = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            rows.append(Exchange(function["name"], json.loads(function["arguments"]), results.get(call["id"], "")))
    return tuple(rows)


def _newest(messages: list[dict[str, Any]]) -> str:
    """What came in since the model's last words, without what stands in front."""
    texts: list[str] = []
    for message in reversed(messages):
        if message["role"] == "assistant":
            break
        if message["role"] != "system":
            texts.insert(0, _text(message))
    return "\n".join(texts)


def _range(text: str) -> set[int]:
    numbers: set[int] = set()
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1)) if first else set()
    return numbers
