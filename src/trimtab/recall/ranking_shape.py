"""What a store of turns shows of itself, in sums that are cheap to keep as turns come in."""

from __future__ import annotations

from collections.abc import Collection
from math import log

from msgspec import Struct

# Neighbors share this much more of their terms than turns far apart where talk hangs together (tune halves: LoCoMo .07,
# REALTALK .06, BEAM .24, RealMem .32; sentences among noise .00).
FULL_COHERENCE = 0.08
# replies this many times as long as what users say count as long replies in full
_LONG_REPLY = 3.0
# each turn is held against so many earlier ones: with one, chance alone moves the coherence of 400 turns by a tenth
_DISTANT_TURNS = 3
# multiples of the golden ratio fall evenly between 0 and 1, here in steps of 2 ** -32
_GOLDEN, _BITS = 2_654_435_769, 32


class StoreShape(Struct, frozen=True):
    """The scope that is searched. All lengths are in terms; a scope of no turns has a mean length of 1.

    `neighbor_overlap` and `distant_overlap`: mean of `overlap` between a turn and the one before it in its session,
    and between a turn and any earlier one. `neighbor_share`: share of turns that have one before them in their session.
    """

    turn_count: int
    mean_length: float = 1.0
    user_length: float = 0.0
    reply_length: float = 0.0
    neighbor_overlap: float = 0.0
    distant_overlap: float = 0.0
    neighbor_share: float = 0.0

    @property
    def coherence(self) -> float:
        """0 to 1: how far a turn's place tells what it is about."""
        excess = max(0.0, self.neighbor_overlap - self.distant_overlap) / FULL_COHERENCE
        return min(1.0, excess) * min(1.0, 2 * self.neighbor_share)

    @property
    def reply_excess(self) -> float:
        """0 to 1: how much longer replies are than what users say."""
        if self.user_length <= 0 or self.reply_length <= self.user_length:
            return 0.0
        return min(1.0, log(self.reply_length / self.user_length) / log(_LONG_REPLY))

    @property
    def even_talk(self) -> float:
        """0 to 1: how far this is talk among equals, whose turns hang together and are about as long as each other's."""
        return self.coherence * (1 - self.reply_excess)


class ShapeSums(Struct):
    """The sums behind a `StoreShape`; changed in place by each turn that is added."""

    turn_count: int = 0
    term_count: int = 0
    user_count: int = 0
    user_terms: int = 0
    neighbor_count: int = 0
    neighbor_overlap: float = 0.0
    distant_count: int = 0
    distant_overlap: float = 0.0

    def add(
        self,
        terms: Collection[str],
        role: str,
        before: Collection[str] | None = None,
        distant: Collection[str] | None = None,
    ) -> None:
        """Count a turn. `before`: the terms of the one before it in its session; `distant`: those of any earlier turn,
        at random or by a hash of the place; None where there is none."""
        self.turn_count += 1
        self.term_count += len(terms)
        if role == "user":
            self.user_count += 1
            self.user_terms += len(terms)
        if before is not None:
            self.neighbor_count += 1
            self.neighbor_overlap += overlap(terms, before)
        if distant is not None:
            self.add_distant(terms, distant)

    def add_distant(self, terms: Collection[str], distant: Collection[str]) -> None:
        """Hold a turn that is counted already against one more of those before it."""
        self.distant_count += 1
        self.distant_overlap += overlap(terms, distant)

    def shape(self) -> StoreShape:
        replies = self.turn_count - self.user_count
        return StoreShape(
            turn_count=self.turn_count,
            mean_length=max(1.0, self.term_count / max(1, self.turn_count)),
            user_length=self.user_terms / max(1, self.user_count),
            reply_length=(self.term_count - self.user_terms) / max(1, replies),
            neighbor_overlap=self.neighbor_overlap / max(1, self.neighbor_count),
            distant_overlap=self.distant_overlap / max(1, self.distant_count),
            neighbor_share=self.neighbor_count / max(1, self.turn_count),
        )


def distant_places(place: int) -> tuple[int, ...]:
    """Earlier places to hold the turn at `place` against, spread over all of 0 to `place` - 1, the same ones each time."""
    steps = range(place * _DISTANT_TURNS, (place + 1) * _DISTANT_TURNS)
    return tuple((step * _GOLDEN % (1 << _BITS)) * place >> _BITS for step in steps) if place > 1 else ()


def overlap(one: Collection[str], other: Collection[str]) -> float:
    """Share of the smaller turn's different terms that the other has too."""
    few, many = set(one), set(other)
    return len(few & many) / max(1, min(len(few), len(many)))
