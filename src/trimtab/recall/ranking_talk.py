"""What talk among equals shows of a turn: whether it asks, and whether it comes after what another asked.

A question shares its words with the turn that asks the same, and the answer ("in Leeds") with neither. Where an assistant
replies it is the other way round: there the user's own turns hold what is asked for later, questions or not. So both parts
count as far as the shape of the store shows talk among equals (`StoreShape.even_talk`).

The numbers were chosen on the tune halves of LoCoMo and REALTALK, as nothing else there is such talk; .3 to .5 of
AFTER_QUESTION and -.1 to -.2 of ASKS_ITSELF move recall@10 by less than .01.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from trimtab.recall.intents import ASKS
from trimtab.recall.ranking_places import Places, sharing
from trimtab.recall.ranking_shape import StoreShape

# what a turn gets of the score of the other's question before it, and of that if one turn stands between
AFTER_QUESTION = 0.4
_BEFORE = ((-1, 1.0), (-2, 0.5))
ASKS_ITSELF = -0.15


class Spoken(Protocol):
    """A turn with who said it and its tags "intent"."""

    @property
    def role(self) -> str: ...

    @property
    def speaker(self) -> str: ...

    @property
    def kinds(self) -> tuple[str, ...]: ...


def talk_parts(
    turns: Sequence[Spoken], own: Sequence[float], lengths: Sequence[int], places: Places, shape: StoreShape
) -> dict[str, list[float]]:
    """Parts "answers" and "asks" on top of each turn's own score; empty where this is no talk among equals.

    `lengths` in terms; all in the order of `places`. A long turn says itself what it is about, and takes less.
    """
    if shape.even_talk <= 0:
        return {}
    asking = {kinds: "question" in kinds or any(kind.startswith(ASKS) for kind in kinds) for kinds in {turn.kinds for turn in turns}}
    asks = [asking[turn.kinds] for turn in turns]
    said_by = [(turn.speaker, turn.role) for turn in turns]
    asked = [0.0] * len(turns)
    for distance, share in _BEFORE:
        for number, other in enumerate(places.at_distance(distance)):
            if other is not None and asks[other] and said_by[other] != said_by[number]:
                asked[number] = max(asked[number], share * own[other])
    weight = AFTER_QUESTION * shape.even_talk
    return {
        "answers": [weight * sharing(length) * score for score, length in zip(asked, lengths, strict=True)],
        "asks": [ASKS_ITSELF * shape.even_talk if one else 0.0 for one in asks],
    }
