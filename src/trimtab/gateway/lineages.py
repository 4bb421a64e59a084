"""Which known conversation a resent history goes on with, where no id says it: by what was said, in order.

A wrong merge leaks one conversation's notes into another, a missed one only forgets: where two conversations could be meant,
none is.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from trimtab.core.ids import ROOT, Hasher, call_form
from trimtab.core.messages import Message

Outcome: TypeAlias = Literal["continued", "branched", "new"]
# so many replies must be common before an edited or regenerated history is taken for a branch: openings are alike by chance
LEAST_COMMON_REPLIES = 2
MOST_CONVERSATIONS = 10_000


class Step(Struct, frozen=True, array_like=True):
    """A message at its place: its lineage, and whether it is the model's."""

    lineage_id: str
    is_reply: bool


class Resolved(Struct, frozen=True, kw_only=True):
    """Attributes: name of the conversation, "" for a new one; steps of the history that it knows already."""

    name: str = ""
    outcome: Outcome = "new"
    known: int = 0


def steps_of(messages: Sequence[Message], hasher: Hasher) -> list[Step]:
    """The chain of a history, without the client's instructions: those change in the middle of a conversation."""
    calls: dict[str, list[str]] = {}
    node, steps = ROOT, []
    for message in messages:
        node = hasher.lineage_id(node, message, calls)
        calls |= {call.call_id: call_form(call) for call in message.calls}
        steps.append(Step(node, message.role == "assistant"))
    return steps


class Lineages:
    """The conversations of one bucket: of one tenant, and of one user where the client names any.

    Kept in memory, the ones used last: what is not here is a new conversation, or is found by its id.
    """

    def __init__(self, most: int = MOST_CONVERSATIONS) -> None:
        self._most = most
        self._chains: OrderedDict[str, list[Step]] = OrderedDict()
        self._names: defaultdict[str, set[str]] = defaultdict(set)

    def keep(self, name: str, chain: Sequence[Step]) -> None:
        """This is what the conversation says now, its newest reply included."""
        self._forget(name)
        self._chains[name] = list(chain)
        for step in chain:
            self._names[step.lineage_id].add(name)
        while len(self._chains) > self._most:
            self._forget(next(iter(self._chains)))

    def resolve(self, chain: Sequence[Step]) -> Resolved:
        """The conversation that a resent history goes on with.

        It is continued where the history holds all that the conversation says, a reply among it, and more; it is branched where
        enough of its replies are common; both only where no other conversation could be meant as well.
        """
        place = {step.lineage_id: number for number, step in enumerate(chain, 1)}
        # a lineage id names all that stands before it: who holds the last common one holds those before it
        held = [(number, step) for number, step in enumerate(chain, 1) if self._names.get(step.lineage_id)]
        if not held:
            return Resolved()
        whole = [name for name in self._candidates(held) if self._ends_in(name, place)]
        if whole:
            longest = max(self._last(name, place) for name in whole)
            best = [name for name in whole if self._last(name, place) == longest]
            return Resolved(name=best[0], outcome="continued", known=longest) if len(best) == 1 else Resolved()
        number, last = held[-1]
        names = self._names[last.lineage_id]
        common = sum(step.is_reply for step in chain[:number])
        if len(names) == 1 and common >= LEAST_COMMON_REPLIES:
            return Resolved(name=next(iter(names)), outcome="branched", known=number)
        return Resolved()

    def _candidates(self, held: Sequence[tuple[int, Step]]) -> set[str]:
        return {name for _, step in held if step.is_reply for name in self._names[step.lineage_id]}

    def _ends_in(self, name: str, place: dict[str, int]) -> bool:
        chain = self._chains[name]
        return bool(chain) and chain[-1].is_reply and chain[-1].lineage_id in place

    def _last(self, name: str, place: dict[str, int]) -> int:
        return place[self._chains[name][-1].lineage_id]

    def _forget(self, name: str) -> None:
        for step in self._chains.pop(name, ()):
            names = self._names[step.lineage_id]
            names.discard(name)
            if not names:
                del self._names[step.lineage_id]
