"""What every handler works with: the session, how long an answer may be, and how messages and sources are named."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from trimtab.core.units import Unit
from trimtab.errors import BadSlice, NotFound
from trimtab.session import Session
from trimtab.tools.arguments import BadArgument, shown
from trimtab.tools.paging import fit_text

# longer keys are no keys
MAX_KEY_CHARS = 200
_MOST_PARTS = 20
_NUMBER = re.compile(r"#?(\d{1,12})(\.\d{1,4})?")
# of another lane, as a search gives it: "session/lane#12"
_ELSEWHERE = re.compile(r"[^\n]+/[^\n]+#\d{1,12}(\.\d{1,4})?")
_CALLED = re.compile(r"called (.*?) -> ", re.DOTALL)


class Desk:
    """One agent's way to its session.

    Args:
        own_names: names of these tools as the agent calls them; their results are no sources.
    """

    def __init__(self, session: Session, max_tokens: int, count: Callable[[str], int], prefix: str, own_names: frozenset[str]) -> None:
        self.session, self.max_tokens, self.count = session, max_tokens, count
        self.prefix, self.own_names = prefix, own_names

    def call(self, tool: str, /, **arguments: Any) -> str:
        """A call of one of these tools, as the agent would write it."""
        inner = ", ".join(f"{key}={shown(value, MAX_KEY_CHARS)}" for key, value in arguments.items())
        return f"{self.prefix}{tool}({inner})"

    def capped(self, text: str, rest: str = "the rest is left out; ask for less") -> str:
        return fit_text(text, self.max_tokens, self.count, lambda chars: rest)

    # ------------------------------------------------------------ sources

    def source(self, name: str) -> str:
        """What the agent called a source, as `Session.read` takes it: a variable's name, "#12", or "session/lane#12".

        "last" is the newest result of another tool; a tool's name the newest result of that tool.

        Raises:
            BadArgument: with what there is.
        """
        state = self.session.state
        if name in state.variables:
            return name
        if found := _NUMBER.fullmatch(name):
            return f"#{found[0].lstrip('#')}"
        if _ELSEWHERE.fullmatch(name):
            return name
        seq = self._newest_result(name)
        if seq:
            return f"#{seq}"
        if name == "last":
            raise BadArgument('there is no tool result yet; name a variable or a message, for example "#12"')
        unknown = NotFound("variable", name, tuple(state.variables))
        raise BadArgument(f'{unknown}. A message is named by its number, "#12"; the newest tool result is "last"')

    def single(self, source: str) -> str:
        """The source, where it is one: a message can hold the results of several calls, and they are not one source.

        Raises:
            BadArgument: with how to name each of them.
        """
        if not _NUMBER.fullmatch(source) or "." in source:
            return source
        parts: list[str] = []
        while len(parts) < _MOST_PARTS:
            part = f"{source}.{len(parts) + 1}"
            try:
                self.session.read(part, max_chars=1)
            except BadSlice:
                break
            parts.append(part)
        if len(parts) < 2:
            return source
        named = ", ".join(f"{part} {self.label(part)}".strip() for part in parts)
        raise BadArgument(f"{source} holds the results of {len(parts)} calls, which are different sources; name one: {named}")

    def _newest_result(self, name: str) -> int:
        for unit in reversed(self.session.state.units):
            for seq in reversed(unit.nodes):
                tools = self._tools_answered(unit, seq)
                if any(tool == name or (name == "last" and tool not in self.own_names) for tool in tools):
                    return seq
        return 0

    def _tools_answered(self, unit: Unit, seq: int) -> list[str]:
        node = self.session.state.nodes.get(seq)
        return [unit.calls[call_id] for call_id in node.results if call_id in unit.calls] if node else []

    def label(self, source: str) -> str:
        """Where a source comes from, as far as that is known: `fetch(id=7)` for the result of that call."""
        seq = self.seq_of(source)
        item = self.session.state.items.get(f"a{seq}.{max(0, _part(source) - 1)}") if seq else None
        found = _CALLED.match(item.text) if item is not None else None
        return found[1] if found else ""

    def seq_of(self, source: str) -> int:
        """The message that a source stands in; 0 where it stands in none."""
        if found := _NUMBER.fullmatch(source):
            return int(found[1])
        variable = self.session.state.variables.get(source)
        return variable.source_seq if variable is not None else 0

    def may_drop(self, source: str) -> str:
        """The line that says how to let a source go; "" where it takes no room."""
        state, seq = self.session.state, self.seq_of(source)
        unit = next((unit for unit in state.units if seq in unit.nodes), None)
        if unit is None or unit.key in state.dropped:
            return ""
        return f"#{seq} may be dropped now: {self.call('drop_history', ids=[seq])}"


def _part(source: str) -> int:
    tail = source.rpartition(".")[2] if "." in source else ""
    return int(tail) if tail.isdigit() else 0


def good_key(what: str, key: str) -> str:
    """A key stands in prompts, so it is one short line."""
    if len(key) > MAX_KEY_CHARS or not key.isprintable() or key.startswith("#"):
        raise BadArgument(f'"{what}" is {shown(key)}; it must be one line of at most {MAX_KEY_CHARS} characters that does not begin with #')
    return key


def as_text(value: Any) -> str:
    """A value for the agent to read: text as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def as_lines(value: Any) -> list[str]:
    """A list row by row, text line by line, anything else in one line."""
    if isinstance(value, list):
        return [as_text(row) for row in value]
    return value.splitlines() if isinstance(value, str) else [as_text(value)]
