"""One question to the verifier's model: its limits, one repair, and no verdict where the answer cannot be used. Holds no lock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from trimtab.llm import ChatMessage, ChatModel, Completion
from trimtab.settings import Summarizer
from trimtab.steer.verdicts import BadVerdict, repair_text
from trimtab.tokens import counter_for

T = TypeVar("T")
_MOST_DETAIL_CHARS = 300
_ASKS = 2


class Asker:
    """Asks one model one thing. `calls` counts the requests, `problem` says why there was no verdict."""

    def __init__(self, model: ChatModel, limits: Summarizer) -> None:
        self.model, self.limits = model, limits
        self.count = counter_for(model.name).count_text
        self.output = min(limits.max_output_tokens, max(model.window_tokens // 3, 1))
        self.calls, self.problem = 0, ""

    async def ask(self, texts: tuple[str, str], schema: dict[str, Any], parse: Callable[[str], T]) -> T | None:
        """The parsed answer, after one repair at most; None for no verdict. Raises nothing but cancellation."""
        system, user = texts
        problem = ""
        for _ in range(_ASKS):
            shown = f"{user}\n{repair_text(problem)}" if problem else user
            if self.count(system) + self.count(shown) + self.output > self.model.window_tokens:
                self._no_verdict(f"the question does not fit into the window of {self.model.window_tokens} tokens")
                return None
            answer = await self._answer([ChatMessage("system", system), ChatMessage("user", shown)], schema)
            if answer is None:
                return None
            try:
                return parse(answer.text)
            except BadVerdict as error:
                cut = f"it was cut off after {self.output} tokens; " if answer.finish == "length" else ""
                problem = f"{cut}{error}"
        self._no_verdict(problem)
        return None

    def _no_verdict(self, why: str) -> None:
        self.problem = why[:_MOST_DETAIL_CHARS]

    async def _answer(self, messages: list[ChatMessage], schema: dict[str, Any]) -> Completion | None:
        self.calls += 1
        task = asyncio.ensure_future(self._complete(messages, schema))
        try:
            done, _ = await asyncio.wait({task}, timeout=self.limits.timeout_s)
        except asyncio.CancelledError:
            _leave(task)
            raise
        if not done:
            _leave(task)
            self._no_verdict(f"no answer within {self.limits.timeout_s:g} seconds")
            return None
        if task.cancelled():
            self._no_verdict("the model canceled its own answer")
            return None
        error = task.exception()  # whatever a model of the user's own raises is no verdict and no more
        if error is not None:
            self._no_verdict(f"{type(error).__name__}: {error}")
            return None
        completion = task.result()
        if not isinstance(completion, Completion) or not isinstance(completion.text, str):
            self._no_verdict(f"the model returned {type(completion).__name__}, not a Completion")
            return None
        if completion.finish == "refused":
            self._no_verdict("the model would not answer")
            return None
        return completion

    async def _complete(self, messages: list[ChatMessage], schema: dict[str, Any]) -> Completion:
        """In a task of its own also what a model raises before it awaits anything."""
        return await self.model.complete(messages, max_output_tokens=self.output, schema=schema)


def _leave(task: asyncio.Future[Any]) -> None:
    """Tell it to stop, and ask for its result later, so that nobody is warned of one that was never asked for."""
    task.cancel()
    task.add_done_callback(lambda over: None if over.cancelled() else over.exception() and None)
