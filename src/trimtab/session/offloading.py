"""What a large message brings with it as it comes in: a variable that names it, and a note of what its data looks like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from trimtab.core.entries import HAS_FENCE, HAS_USER_INPUT, Entry, MetaNoted, Node, VariableStored
from trimtab.core.messages import Message, ToolResult
from trimtab.core.state import SessionState
from trimtab.distill import describe
from trimtab.distill.shapes import structures_of

# smaller data is seldom missed, and its note would not be much shorter than itself
LEAST_NOTED_TOKENS = 1_000
# what was noted and named without being asked; older ones stay in the ledger, and are read by their number
MOST_AUTO_NOTES, MOST_AUTO_VARIABLES = 60, 200
_MAX_TOOL_CHARS = 80
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


class Offloader:
    """Makes the entries for one batch of messages. Reads the state, and keeps count of what the batch adds to it."""

    def __init__(self, state: SessionState, result_tokens: int, count: Callable[[str], int]) -> None:
        """`result_tokens`: a tool result above this becomes a variable; 0 for none."""
        self._result_tokens, self._count = result_tokens, count
        self._notes = [note.key for note in state.meta_notes.values() if _is_auto(note.key, note.source_seq)]
        self._names = [variable.name for variable in state.variables.values() if variable.author == "auto"]
        self._taken = {variable.name for variable in state.variables.values() if variable.author != "auto"}

    def entries(self, message: Message, node: Node, tool_of: Callable[[str], str]) -> Iterator[Entry]:
        """What comes after the message. `tool_of` gives a tool's name by call id."""
        least = min(self._result_tokens + 1, LEAST_NOTED_TOKENS) if self._result_tokens else LEAST_NOTED_TOKENS
        if node.results and node.result_tokens >= least:
            for place, result in enumerate(message.results):
                tokens = node.result_tokens if len(message.results) == 1 else self._count(result.text)
                name = auto_name(result.name or tool_of(result.call_id), node.seq, place if len(message.results) > 1 else None)
                yield from self._of_result(result, name, tokens, node.seq)
        elif node.flags & HAS_USER_INPUT and node.tokens >= LEAST_NOTED_TOKENS and not node.flags & HAS_FENCE:
            yield from self._noted(auto_name("message", node.seq), message.text, node.seq)

    def _of_result(self, result: ToolResult, name: str, tokens: int, seq: int) -> Iterator[Entry]:
        text = result.text
        if self._result_tokens and tokens > self._result_tokens and name not in self._taken:
            yield VariableStored(name, 1, "text", "", len(text), tokens, describe(text), seq, result.call_id, "auto")
            self._names.append(name)
            if len(self._names) > MOST_AUTO_VARIABLES:
                yield VariableStored(self._names.pop(0), 1, "text", "", 0, 0, "")
        if tokens >= LEAST_NOTED_TOKENS:
            yield from self._noted(name, text, seq)

    def _noted(self, key: str, text: str, seq: int) -> Iterator[Entry]:
        # tables and code; of a lone object the line that stands for it says enough
        structures = tuple(row for row in structures_of(text, documents=False) if row.rows and row.fields)
        if not structures:
            return
        yield MetaNoted(key, structures, source_seq=seq)
        self._notes.append(key)
        if len(self._notes) > MOST_AUTO_NOTES:
            yield MetaNoted(self._notes.pop(0))


def auto_name(tool: str, seq: int, place: int | None = None) -> str:
    """`search_12`; of several results in one message `search_12.1`, `search_12.2`."""
    name = _NOT_IN_NAMES.sub("_", tool[:_MAX_TOOL_CHARS]).strip("_") or "result"
    return f"{name}_{seq}" + (f".{place + 1}" if place is not None else "")


def _is_auto(key: str, source_seq: int) -> bool:
    return bool(source_seq) and re.fullmatch(rf".*_{source_seq}(?:\.\d+)?", key) is not None
