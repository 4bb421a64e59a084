"""Leaving on request: exchanges that the agent or the caller needs no more (REQUIREMENTS M3, M8).

Nothing is deleted: what was dropped stays in the ledger, where `find` and `read` reach it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from trimtab.core import entries as e
from trimtab.core.body import opening_indexes
from trimtab.core.leaving import needed
from trimtab.core.state import LEAST_CLEARED_TOKENS, SessionState
from trimtab.core.summary import PINNED_FIELDS
from trimtab.core.units import Unit
from trimtab.distill.conclusions import conclusion_of, covers
from trimtab.errors import BadSetting
from trimtab.session.base import SessionBase

DropKind: TypeAlias = Literal["tool_result", "assistant", "user"]
DROP_KINDS: tuple[DropKind, ...] = get_args(DropKind)
_QUOTED_CHARS = 120


class Refusal(Struct, frozen=True):
    """A message that stays, and why."""

    seq: int
    why: str


class DropReport(Struct, frozen=True, kw_only=True):
    """What is to leave.

    Attributes:
        dropped: numbers of the messages, in order; of `clear_scratchpad` those of the results.
        freed_tokens: what they take in the prompt now. What is dropped leaves with the next cut, or once there is enough
            of it (`clear_at_least_tokens`); results that were used leave with the next request.
        refused: what stays, and why.
    """

    dropped: tuple[int, ...] = ()
    freed_tokens: int = 0
    refused: tuple[Refusal, ...] = ()


class DroppingPart(SessionBase):
    """drop_history, clear_scratchpad."""

    def drop_history(  # noqa: PLR0913 - three ways to say which, and how
        self,
        *,
        first: int | None = None,
        last: int | None = None,
        seqs: Iterable[int] = (),
        kind: DropKind | None = None,
        force: bool = False,
        why: str = "",
        author: str = "caller",
    ) -> DropReport:
        """Let exchanges leave the prompt before the mode would. An exchange goes whole: a call with its results.

        Refused: the newest exchange, the message that opened the current turn, what a step needs, what holds a rule
        or a decision that stands, and, unless forced, a conclusion that no note and no item holds yet.

        Args:
            first, last: numbers of messages, both included; an exchange counts where it lies inside as a whole.
            seqs: numbers of single messages, besides; each stands for its exchange.
            kind: "tool_result" (exchanges that called tools), "assistant" (other replies) or "user": only these of the
                range and the numbers, all of them where neither is given.
            force: drop unsaved conclusions too.
            why, author: for the record.
        Raises:
            BadSetting: no such kind, or nothing that says which.
        """
        wanted = frozenset(seqs)
        if kind is not None and kind not in DROP_KINDS:
            raise BadSetting("kind", kind, "one of " + ", ".join(DROP_KINDS))
        if first is None and last is None and not wanted and kind is None:
            raise BadSetting("drop_history", "nothing", "a range (first, last), numbers (seqs), or a kind")
        reports: list[DropReport] = []

        def make(state: SessionState) -> e.HistoryDropped | None:
            # another writer may declare a need between two tries: what may go is looked up anew each time
            chosen = [unit for unit in state.units if _is_meant(unit, first, last, wanted, kind)]
            live = {seq for unit in state.units for seq in unit.nodes}
            refused = [Refusal(seq, "it is not in the prompt (any more)") for seq in sorted(wanted - live)]
            going: list[Unit] = []
            for unit in chosen:
                reason = self._kept(state, unit) or ("" if force else self._unsaved(state, unit))
                if reason:
                    refused.append(Refusal(unit.key, reason))
                else:
                    going.append(unit)
            dropped = tuple(seq for unit in going for seq in unit.nodes)
            reports[:] = [DropReport(dropped=dropped, freed_tokens=_standing_tokens(state, dropped), refused=tuple(refused))]
            return e.HistoryDropped(tuple(unit.key for unit in going), why, author, force) if going else None

        with self._open_lock():
            self._lane.catch_up()
            self._enter(make)
            return reports[0]

    def clear_scratchpad(self) -> DropReport:
        """All tool results before the newest exchange have been used: with the next request each becomes one line,
        unless a step needs it. `freed_tokens` is what they take now."""
        with self._open_lock():
            self._lane.catch_up()
            state = self._lane.state
            if not state.units:
                return DropReport()
            newest = state.units[-1]
            upto = newest.key - 1 if newest.calls else newest.nodes[-1]
            wanted = needed(state)
            rows = [
                (seq, tokens) for seq, _, tokens in state.results if seq <= upto and seq not in wanted and tokens >= LEAST_CLEARED_TOKENS
            ]
            if rows:
                self._enter(lambda state: e.ScratchpadCleared(upto) if state.used_seq < upto else None)
            kept = tuple(Refusal(seq, "a step needs it") for seq, _, _ in state.results if seq <= upto and seq in wanted)
            return DropReport(dropped=tuple(seq for seq, _ in rows), freed_tokens=sum(tokens for _, tokens in rows), refused=kept)

    def _kept(self, state: SessionState, unit: Unit) -> str:
        """Why a unit cannot be dropped at all; "" where it can."""
        if unit.key in state.dropped:
            return "it is to leave already"
        if unit is state.units[-1] or unit.open_calls:
            return "it belongs to the exchange that is under way"
        if state.units.index(unit) in opening_indexes(state, len(state.units)):
            return "it opened the current turn: it says what the work is about"
        wanted = needed(state).intersection(unit.nodes)
        if wanted:
            by = next(by for by, seqs in state.needs.items() if wanted.intersection(seqs))
            return f"step {by!r} needs it; release the step's need first"
        for item in state.items.values():
            if item.field in PINNED_FIELDS and not item.origin and set(item.source_ids).intersection(unit.nodes):
                return f'it holds {_NAMES.get(item.field, "a rule")} that stands: "{_clip(item.text)}"; withdraw {item.item_id} first'
        return ""

    def _unsaved(self, state: SessionState, unit: Unit) -> str:
        """The conclusion of a reply that is written down nowhere else; "" where all is saved."""
        if unit.role != "assistant":
            return ""
        saved: list[str] | None = None
        for seq in unit.nodes:
            node = state.nodes[seq]
            found = conclusion_of(self._bodies.message(node).text) if node.role == "assistant" else ""
            if not found:
                continue
            saved = self._saved_texts(state) if saved is None else saved
            if not covers(saved, found):
                return f'it holds a conclusion that is saved nowhere: "{_clip(found)}"; write it down first, or force'
        return ""

    def _saved_texts(self, state: SessionState) -> list[str]:
        """What is written down on purpose: notes, meta notes, and items that the agent or a model made."""
        keys = {note.body_id: key for key, note in state.notes.items() if note.body_id}
        return [
            *(f"{keys[body_id]} {body.decode('utf-8', 'replace')}" for body_id, body in self._bodies.many(keys).items()),
            *(note.text for note in state.meta_notes.values() if note.text),
            *(item.text for item in state.items.values() if item.author != "code"),
        ]


_NAMES = {"decision": "a decision", "role": "the role", "format": "a format"}


def _standing_tokens(state: SessionState, seqs: Sequence[int]) -> int:
    """What the messages take in the prompt as they stand there now; what is new since the last one, as it came."""
    standing = {segment.origin[0]: segment.tokens for segment in state.projection}
    return sum(standing.get(seq, state.nodes[seq].tokens) for seq in seqs if seq in state.nodes)


def _is_meant(unit: Unit, first: int | None, last: int | None, seqs: frozenset[int], kind: str | None) -> bool:
    if kind is not None and kind != ("tool_result" if unit.calls or unit.orphan else unit.role):
        return False
    if seqs.intersection(unit.nodes):
        return True
    if first is None and last is None:
        return kind is not None and not seqs
    return unit.key >= (first or 0) and (last is None or unit.nodes[-1] <= last)


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED_CHARS else line[: _QUOTED_CHARS - 1] + "…"
