"""What a run shows in the terminal: a line for each round, and where the task stands."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from trimtab.run.outcome import Event

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

_MOST_CHARS = 100
_SHOWN = {
    "correction": "corrected",
    "refused": "refused",
    "flag": "drift",
    "rollback": "went back",
    "aside": "aside",
    "verdict": "verifier",
    "retry": "asked again",
}


class Progress:
    """Listens to a run's events. With `show` off it does nothing, and rich is not loaded."""

    def __init__(self, show: bool, console: Console | None = None) -> None:
        self._show, self._console = show, console
        self._status: Status | None = None
        self._tokens = ""

    def __enter__(self) -> Progress:
        if self._show:
            from rich.console import Console

            self._console = self._console or Console(stderr=True, highlight=False)
            self._status = self._console.status("begins")
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, event: Event) -> None:
        if self._console is None or self._status is None:
            return
        where = event.step or "no step"
        if event.kind == "request":
            prompt = event.value
            self._tokens = f"{prompt.tokens:,} of {prompt.budget.prompt_budget_tokens:,} tokens"
            self._status.update(_plain(f"round {event.round + 1}: {where}; {self._tokens}"))
        elif event.kind == "reply":
            names = ", ".join(call.name for call in event.value)
            self._line(f"{event.round:>4}  {self._tokens:<28} {where:<20.20}  {names or _short(event.text)}")
        elif event.kind == "moved":
            self._line(f"      step {event.name!r} is {event.text}")
        elif event.kind == "end":
            self._line(f"      {event.name}{': ' + _short(event.text) if event.text else ''}")
        elif event.kind in _SHOWN:
            self._line(f"      {_SHOWN[event.kind]}: {event.name} {_short(event.text)}")

    def _line(self, text: str) -> None:
        if self._console is not None:
            self._console.print(text, markup=False, overflow="ellipsis", no_wrap=True)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_CHARS else line[: _MOST_CHARS - 1] + "…"


def _plain(text: str) -> str:
    """Without what rich would take for markup."""
    return text.replace("[", "\\[")
