"""Requests: the next one, past ones, and what a provider said of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from trimtab.core import entries as e
from trimtab.core.draft import PromptPlan
from trimtab.core.plan import Decision
from trimtab.core.target import Target
from trimtab.errors import BadSetting, ParseError
from trimtab.session.base import SessionBase
from trimtab.session.overflow import learned
from trimtab.session.past import decisions_upto, request_at, segments_of
from trimtab.session.prompt import Prompt
from trimtab.session.prompting import Ask
from trimtab.wire import wire_for


class RequestPart(SessionBase):
    """prompt, request, and what comes back beside the reply."""

    def prompt(
        self,
        *,
        tools: list[Any] | None = None,
        system: Any = None,
        max_output_tokens: int | None = None,
        target: Target | None = None,
        despite_conflicts: bool = False,
    ) -> Prompt:
        """Decide what the next request sends, record it, and return it. No language model is called.

        The same call again, with nothing new recorded, returns the same request.

        Args:
            tools: schemas as the target's interface takes them; counted, and sent unchanged.
            system: the client's own system text; replaces what was recorded as such.
            max_output_tokens: of this request, thinking included; reserved for the reply.
            target: whom it is for, where not the session's own.
            despite_conflicts: also where a fragment disagrees with a decision; the prompt names the conflict, and the
                decision stands. For a model that is to put the question to the user.
        Raises:
            Drifted: a detector found drift, and `steering.on_flag` says to stop; see `answer_flag`.
            Blocked: a fragment disagrees with a decision, and nobody has settled it; see `settle`.
            PinnedOverflow: what must be in does not fit; names the largest contributors.
            WindowUnknown: neither the settings nor the model's name give a window.
        """
        _check_ask(tools, max_output_tokens)
        with self._open_lock():
            target = target or self.target
            requester = self._requester_for(target)
            given = wire_for(target.wire).parse_system(system) if system is not None else None
            ask = Ask(target=target, tools=tools, max_output_tokens=max_output_tokens, system=given, despite_conflicts=despite_conflicts)
            self._take_in_shared()
            self._stop_drifted()
            if self._lane.state.conflicts:
                # another process may have settled it
                self._lane.catch_up()
            made = requester.request(ask)
            if made is None and self._lane.catch_up():
                made = requester.request(ask)
            if made is None:
                number = self._lane.state.last.number if self._lane.state.last else 0
                return self._prompt if self._prompt is not None and self._prompt.number == number else self.request(number)
            self._prompt = self._prompt_of(made)
            return self._prompt

    def bare_prompt(self, *, tools: list[Any] | None = None, max_output_tokens: int | None = None) -> Prompt:
        """A prompt of chosen messages alone: no section of ours is added. What `trimtab.trim` uses."""
        with self._open_lock():
            ask = Ask(target=self.target, tools=tools, max_output_tokens=max_output_tokens, bare=True)
            made = self._requester_for(self.target).request(ask)
            return self.request(self._lane.last_request) if made is None else self._prompt_of(made)

    def _prompt_of(self, made: PromptPlan) -> Prompt:
        return Prompt(made.request, made.segments, self._bodies, self._decisions_at(self._lane.state.seq))

    async def aprompt(
        self,
        *,
        tools: list[Any] | None = None,
        system: Any = None,
        max_output_tokens: int | None = None,
        target: Target | None = None,
        despite_conflicts: bool = False,
    ) -> Prompt:
        """`prompt` off the event loop. Cancelling it never cancels a commit that has begun."""
        return await asyncio.to_thread(
            self.prompt,
            tools=tools,
            system=system,
            max_output_tokens=max_output_tokens,
            target=target,
            despite_conflicts=despite_conflicts,
        )

    def rebuild(
        self,
        *,
        tools: list[Any] | None = None,
        system: Any = None,
        max_output_tokens: int | None = None,
        despite_conflicts: bool = False,
    ) -> Prompt:
        """Discard what was projected so far and assemble the prompt anew from ledger, state and summary."""
        with self._open_lock():
            self._enter(lambda state: e.RebuildAsked())
            return self.prompt(tools=tools, system=system, max_output_tokens=max_output_tokens, despite_conflicts=despite_conflicts)

    def request(self, number: int) -> Prompt:
        """A past request, rebuilt from what was stored when it was sent. Raises NotFound, Erased, CorruptEntry."""
        with self._open_lock():
            entry, state = request_at(self._lane, number)
            return Prompt(entry, segments_of(state, entry), self._bodies, self._decisions_at(state.seq))

    @property
    def last_request(self) -> int:
        """The number of the newest request of this lane; 0 before the first."""
        return self._lane.last_request

    def overflowed(self, error: object = None, *, window_tokens: int = 0) -> None:
        """Tell the session that the provider refused the last prompt as too long.

        The true window is read from the error's text where it names one (or taken from `window_tokens`); the
        next prompt is strictly smaller.
        """
        with self._open_lock():
            last = self._lane.state.last
            window, cap = learned(str(error or ""), window_tokens, last.tokens if last else 0)
            self._enter(lambda state: e.WindowLearned(last.target if last else self.target, window, cap))

    def usage(self, input_tokens: int, output_tokens: int = 0, cached_tokens: int = 0, *, request: int | None = None) -> None:
        """Record what the provider counted for a request: by its number, or for the newest of this branch."""
        last = self._lane.state.last
        number = request if request is not None else last.number if last else 0
        self._enter(lambda state: e.UsageReported(number, input_tokens, output_tokens, cached_tokens))

    def _decisions_at(self, seq: int) -> Callable[[], tuple[Decision, ...]]:
        def load() -> tuple[Decision, ...]:
            with self._open_lock():
                return decisions_upto(self._lane, seq)

        return load


def _check_ask(tools: Any, max_output_tokens: Any) -> None:
    if tools is not None and not (isinstance(tools, list | tuple) and all(isinstance(tool, Mapping) for tool in tools)):
        raise ParseError("tools must be a list of tool schemas (mappings)", "$.tools")
    if max_output_tokens is not None and (not isinstance(max_output_tokens, int) or max_output_tokens < 0):
        raise BadSetting("max_output_tokens", max_output_tokens, "a whole number, 0 or more, or None")
