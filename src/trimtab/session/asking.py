"""Asking a model: one request within its time limit; one question to the verifier's, with one repair, and no verdict where the
answer cannot be used. Holds no lock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from trimtab.llm import ChatMessage, ChatModel, Completion
from trimtab.settings import Summarizer
from trimtab.steer.verdicts import BadVerdict, repair_text
from trimtab.tokens import counter_for

T = TypeVar("T")
_MOST_DETAIL_CHARS = 300
_ASKS = 2


class NoAnswer(Exception):
    """A model gave none; the text says why."""


async def answered(
    model: ChatModel, messages: Sequence[ChatMessage], output_tokens: int, schema: dict[str, Any], timeout_s: float
) -> Completion:
    """One request. What does not stop when told to is left behind.

    Raises:
        NoAnswer: whatever a model of the user's own raises is no answer and no more.
    """
    task = asyncio.ensure_future(_complete(model, messages, output_tokens, schema))
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout_s)
    except asyncio.CancelledError:
        _leave(task)
        raise
    if not done:
        _leave(task)
        raise NoAnswer(f"no answer within {timeout_s:g} seconds")
    if task.cancelled():
        raise NoAnswer("the model canceled its own answer")
    error = task.exception()
    if error is not None:
        raise NoAnswer(f"{type(error).__name__}: {error}") from error
    completion = task.result()
    if not isinstance(completion, Completion) or not isinstance(completion.text, str):
        raise NoAnswer(f"the model returned {type(completion).__name__}, not a Completion")
    return completion


async def _complete(model: ChatModel, messages: Sequence[ChatMessage], output_tokens: int, schema: dict[str, Any]) -> Completion:
    """In a task of its own also what a model raises before it awaits anything."""
    return await model.complete(messages, max_output_tokens=output_tokens, schema=schema)


def _leave(task: asyncio.Future[Any]) -> None:
    """Tell it to stop, and ask for its result later, so that nobody is warned of one that was never asked for."""
    task.cancel()
    task.add_done_callback(lambda over: None if over.cancelled() else over.exception() and None)


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
            self.calls += 1
            messages = [ChatMessage("system", system), ChatMessage("user", shown)]
            try:
                answer = await answered(self.model, messages, self.output, schema, self.limits.timeout_s)
            except NoAnswer as error:
                self._no_verdict(str(error))
                return None
            if answer.finish == "refused":
                self._no_verdict("the model would not answer")
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
