"""The exchange as a value: the messages that are kept, stubbed or dropped together."""

from __future__ import annotations

from msgspec import Struct, field


class Unit(Struct):
    """The exchange: what is kept, stubbed or dropped together.

    A user message alone, or an assistant message with its reasoning, all its calls and all their results. Stored inside
    `CompactionUndone`: fields are only added, with defaults.

    Attributes:
        nodes: seqs of its messages, in order; the first is its key.
        round, turn: numbers of the model request and the user's turn that it belongs to.
        opens_turn: whether its turn began with it.
        orphan: a result whose call is not in the history.
        calls: tool names by call id.
        answered: seqs of the results by call id.
        replaced: seqs of results for which a newer one came.
    """

    nodes: list[int]
    role: str
    round: int
    turn: int
    opens_turn: bool = False
    reasoning: bool = False
    orphan: bool = False
    calls: dict[str, str] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    replaced: list[int] = field(default_factory=list)

    @property
    def key(self) -> int:
        return self.nodes[0]

    @property
    def open_calls(self) -> list[str]:
        return [call for call in self.calls if call not in self.answered]
