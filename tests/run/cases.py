"""What the tests of runs share: a session, a plan, a world with tools, a verifier by script."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from trimtab import Budget, Session, Settings, Step, Target
from trimtab.core.messages import WireName
from trimtab.llm import ChatMessage, ChatModel
from trimtab.run import Event, idempotent
from trimtab.settings import Steering
from trimtab.testing.models import ScriptedModel

WIRES: tuple[WireName, ...] = ("openai_chat", "anthropic")
MODELS = {"openai_chat": "gpt-5", "anthropic": "claude-sonnet-4"}
PLAN = [Step("collect", output="rows", done_when={"at_least": 2}), Step("report", inputs="rows", output="report")]
ROWS = '["Ada", "Bo"]'


def opened(path: Any = ":memory:", wire: WireName = "openai_chat", verifier: ChatModel | None = None, **steering: Any) -> Session:
    """`verifier` is the model; `judging` is the setting `steering.verifier`."""
    steering["verifier"] = steering.pop("judging", True)
    settings = Settings(budget=Budget(window_tokens=16_000), embedder="", steering=Steering(**steering))
    return Session.open(path, "s", settings=settings, target=Target(model=MODELS[wire], wire=wire), verifier=verifier)


class World:
    """Tools that keep what was done."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def fetch(self, page: int) -> dict[str, Any]:
        """Fetch a page."""
        self.done.append(f"fetch {page}")
        if page > 2:
            raise LookupError(f"there is no page {page}")
        return {"page": page, "names": ["Ada", "Bo"][page - 1 : page]}

    @idempotent
    async def look(self, at: str = "") -> str:
        """Look somewhere."""
        self.done.append(f"look {at}")
        return f"{at} is fine"


CONTENT = ("continue", "nothing to object to")


class Verifier(ScriptedModel):
    """Answers in turn, the last answer again and again: (verdict, reason, corrections ...), or text as it is."""

    def __init__(self, *answers: tuple[str, ...] | str) -> None:
        super().__init__("verifier-1")
        self.answers = answers

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        said = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(said, str):
            return said
        verdict, reason, *corrections = said
        return json.dumps({"reason": reason, "verdict": verdict, "corrections": corrections})

    @property
    def shown(self) -> list[str]:
        """What it was asked, each as one text."""
        return ["\n".join(message.text for message in messages) for messages in self.asked]


def stock(remaining: str, *broken: tuple[str, str]) -> str:
    """An answer to the three questions of a milestone."""
    rows = [{"constraint": rule, "why": why} for rule, why in broken]
    return json.dumps({"remaining": remaining, "off_plan": [], "broken": rows, "next": "go on"})


class Heard:
    """Keeps the events of a run; `says` is asked what the user says to each."""

    def __init__(self, says: Callable[[Event], str | None] = lambda _: None) -> None:
        self.events: list[Event] = []
        self.says = says

    def __call__(self, event: Event) -> str | None:
        self.events.append(event)
        return self.says(event)

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]
