"""Settling what a fragment and a decision disagree on: by the caller here, by the user's own words as they come in."""

from __future__ import annotations

from typing import Literal

from trimtab.core import entries as e
from trimtab.core.conflicts import Conflict
from trimtab.core.entries import Entry
from trimtab.core.state import SessionState
from trimtab.core.summary import ItemChanges
from trimtab.errors import BadSetting, NotFound
from trimtab.session.base import SessionBase
from trimtab.session.lane import Write
from trimtab.session.settlements import PIN_FIELD, refuse_adopting, taken_over


class SettlingPart(SessionBase):
    """conflicts, settle, check_adoption."""

    def conflicts(self) -> tuple[Conflict, ...]:
        """What is open between fragments and decisions on this branch, oldest first."""
        with self._open_lock():
            self._lane.catch_up()
            return tuple(self._lane.state.conflicts.values())

    def settle(self, conflict_id: str, keep: Literal["decision", "fragment"]) -> None:
        """Decide an open conflict, as the caller. It is not raised again.

        Args:
            keep: "decision": what was confirmed stands (a question stays open); "fragment": the fragment's sentence
                takes its place, word for word, as a decision.
        Raises:
            NotFound: no such open conflict, with those there are.
            BadSetting: another `keep`.
        """
        if keep not in ("decision", "fragment"):
            raise BadSetting("keep", keep, "'decision' or 'fragment'")

        def build(state: SessionState, seq: int) -> Write:
            conflict = state.conflicts.get(conflict_id)
            if conflict is None:
                raise NotFound("open conflict", conflict_id, tuple(state.conflicts))
            entries: list[Entry] = [e.ConflictSettled(conflict_id, keep)]
            if keep == "fragment":
                item = taken_over(conflict, f"s{seq}", (), author="user")
                gone = () if conflict.field == PIN_FIELD else (conflict.item_id,)
                entries += [e.Unpinned(conflict.item_id)] if conflict.field == PIN_FIELD else []
                entries.append(e.ItemsChanged(ItemChanges((item,), gone)))
            return Write(entries=entries)

        with self._open_lock():
            self._lane.catch_up()
            self._lane.write(build)

    def check_adoption(self, what: str, text: str) -> None:
        """Whether an agent may store a text, while conflicts are open; `what` names it in the error.

        Raises:
            NotSettled: it takes a fragment's side. One that gives both sides, or names the conflict, does not.
        """
        with self._open_lock():
            self._lane.catch_up()
            refuse_adopting(self._lane.state, what, text)
