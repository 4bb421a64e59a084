"""What one lane knows of what another lane of its session knows (REQUIREMENTS M9).

Everything that is taken in gets a name of its own here. A peer has a number in this lane, and its item "i12.0" is "p1-i12.0";
its note "plan" is "writer/plan".
"""

from __future__ import annotations

from msgspec import Struct, field

from trimtab.core.summary import SummaryItem


class Taken(Struct, frozen=True, array_like=True):
    """A note, meta note or variable of a peer.

    Attributes:
        key: as the peer calls it.
        name: as it is called here; "" where the peer has it no more.
        mark: of its content, to tell when it has changed.
    """

    key: str
    name: str
    mark: str = ""


class Peer(Struct):
    """What this lane took in from another one.

    Attributes:
        number: 1, 2, 3 ... in the order in which this lane met its peers.
        upto_seq: how far the peer had come when it last gave something.
        items: the peer's id of each item to the id here; "" where the item ended here.
        doubles: the peer's id of an item that says what an item here says already, to that item's id.
        ended: the peer's ids of items that were closed or replaced in this lane; the peer and all others follow.
        held: items that are closed here because the peer had them replaced, by their ids here.
        notes, meta_notes, variables: by the peer's key.
    """

    number: int
    upto_seq: int = 0
    items: dict[str, str] = field(default_factory=dict)
    doubles: dict[str, str] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    held: dict[str, SummaryItem] = field(default_factory=dict)
    notes: dict[str, Taken] = field(default_factory=dict)
    meta_notes: dict[str, Taken] = field(default_factory=dict)
    variables: dict[str, Taken] = field(default_factory=dict)


# items that can stand again when a peer rolls back, and ids of ended ones; fewer of the former, so that none of them
# stands again only because its id was forgotten
MOST_HELD, MOST_ENDED_HERE = 50, 500


def prefix_of(number: int) -> str:
    return f"p{number}-"


def origin_group(item_id: str) -> str:
    """Which lane or session an item came in from: "p1", "h2", "p1-h2", "" for this lane itself."""
    return item_id.rpartition("-")[0]
