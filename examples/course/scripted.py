"""A model by script. It reads nothing but its prompt: it forgets what is not in it, and heeds what stands there.

Each fault is a lapse that real models have. Whether it does harm depends on the prompt alone: on whether the goal, the state,
a rule, a flag or a correction stands in it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Protocol

from course.sight import Sight

Call = tuple[str, dict[str, Any]]
_ASKS_LINE = "Begin each reply with the line `Step:"
_ASKS_ARGUMENT = "step under way that this call serves"


@dataclass
class Said:
    """A reply: the step that it takes itself to be on, what it says, and its calls."""

    step: str = ""
    text: str = ""
    calls: list[Call] = field(default_factory=list)


class Fault(Protocol):
    """A lapse. `act` gives the reply that it leads to, or None where the prompt, or the time, gives it no hold. `later` is what
    the user says after a round that tempts to it."""

    later: dict[int, str]

    def act(self, round: int, sight: Sight) -> Said | None: ...


class Lapse:
    """Base of the lapses that come by themselves."""

    def __init__(self) -> None:
        self.later: dict[int, str] = {}
        self.over = False


class NoLapse(Lapse):
    """Nothing but what the work itself does with what its prompt does not say."""

    def act(self, round: int, sight: Sight) -> Said | None:
        return None


class Work(Protocol):
    """What a competent agent does, by step."""

    steps: tuple[str, ...]

    def work(self, step: str, sight: Sight) -> list[Call]:
        """The next calls of a step; none where nothing is left to do."""
        ...

    def product(self, step: str, sight: Sight) -> str:
        """What it hands over for a step whose plan asks for a product."""
        ...

    def final(self, sight: Sight) -> str: ...


class ScriptedModel:
    """Plays the work of an example, and its faults, against the requests that it is sent."""

    def __init__(self, work: Work, faults: tuple[Fault, ...] = ()) -> None:
        self.work, self.faults = work, faults
        self.round = 0
        # what the user says, by round, beside what the example has them say
        self.later = {round: text for fault in faults for round, text in fault.later.items()}

    async def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        sight = Sight(body, self.work.steps)
        if not sight.tools:
            return {"role": "assistant", "content": "I cannot look that up here; I would ask a librarian."}
        self.round += 1
        for fault in self.faults:
            said = fault.act(self.round, sight)
            if said is not None:
                return self._message(said, sight)
        return self._message(self._competent(sight), sight)

    def _competent(self, sight: Sight) -> Said:
        if sight.all_finished:
            return Said(text=self.work.final(sight))
        step = sight.step or self.work.steps[0]
        calls = self.work.work(step, sight)
        if calls:
            return Said(step, calls=calls)
        if "update_task" in sight.tools:
            product = self.work.product(step, sight) if sight.wants_product(step) else ""
            arguments = {"step": step, "status": "done", "because": "all of it is there"}
            return Said(step, calls=[("update_task", arguments | ({"product": product} if product else {}))])
        if step == self.work.steps[-1]:
            return Said(step, text=self.work.final(sight))
        following = sight.after(step)
        return Said(following, text=f"Step {step} is done.", calls=self.work.work(following, sight))

    def _message(self, said: Said, sight: Sight) -> dict[str, Any]:
        """As the prompt asks for it: the step in the first line, or in an argument of each call."""
        head = f"Step: {said.step} - it is its turn" if _ASKS_LINE in sight.text else f"On step: {said.step}."
        content = "\n".join(part for part in (head if said.step else "", said.text) if part)
        if not said.calls:
            return {"role": "assistant", "content": content or "I do not know what to do next."}
        calls = []
        for number, (name, arguments) in enumerate(said.calls):
            properties = sight.tools.get(name, {}).get("parameters", {}).get("properties", {})
            named = said.step and _ASKS_ARGUMENT in str(properties.get("step", ""))
            function = {"name": name, "arguments": json.dumps({"step": said.step} | arguments if named else arguments, ensure_ascii=False)}
            calls.append({"id": f"call_{self.round}_{number}", "type": "function", "function": function})
        return {"role": "assistant", "content": content or None, "tool_calls": calls}


def each(sight: Sight, tool: str, argument: str, beside: int = 1) -> list[Call]:
    """The next calls of a tool that is called for each thing that is left, `beside` at a time; first it is asked what is left."""
    left = sight.left(tool)
    if left is None:
        return [(tool, {argument: ""})]
    return [(tool, {argument: thing}) for thing in left[:beside]]
