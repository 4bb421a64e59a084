"""The summary as it is and as it was: versions, differences, where a line comes from, and taking a cut back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from trimtab.core import entries as e
from trimtab.core.entries import Entry, Node
from trimtab.core.fold_memory import change_items
from trimtab.core.messages import Role
from trimtab.core.sections import FENCE
from trimtab.core.state import SessionState
from trimtab.core.summary import FIELDS, PINNED_FIELDS, Field, ItemChanges, SummaryItem, apply_changes, diff
from trimtab.errors import BadSetting, NotFound
from trimtab.session.base import SessionBase
from trimtab.session.lane import Write
from trimtab.session.reading import message_text
from trimtab.session.settlements import refuse_adopting
from trimtab.stores import StoredEntry

NOTED_FIELDS: tuple[Field, ...] = tuple(field for field in FIELDS if field not in PINNED_FIELDS)


class Summary(Struct, frozen=True, kw_only=True):
    """All items as of one moment.

    Attributes:
        version: how many cuts had been made on the branch.
        epoch, at_ms, covered: of that cut: its epoch, when it was, and the messages that left with it.
        items: in the order they came up, each with its status. Facts, actions and the like that many newer ones have
            pushed out count as `done`.
        text: as it stood in the prompt from then on; "" where the mode shows none.
    """

    version: int
    items: tuple[SummaryItem, ...]
    text: str = ""
    epoch: int = 0
    at_ms: int = 0
    covered: tuple[int, int] = (0, 0)

    @property
    def active(self) -> tuple[SummaryItem, ...]:
        return tuple(item for item in self.items if item.status == "active")

    @staticmethod
    def diff(older: Summary, newer: Summary) -> ItemChanges:
        """What was added, superseded and closed from one version to a later one of the same branch."""
        return diff(older.items, newer.items)


class SourceText(Struct, frozen=True, array_like=True):
    """A message that an item comes from."""

    seq: int
    role: Role
    at_ms: int
    text: str


class Lineage(Struct, frozen=True, kw_only=True):
    """Where an item comes from and what became of it.

    Attributes:
        sources: the messages, in the order in which the item names them; () for an inherited item, whose messages are in the
            session that `item.origin` names.
        replaces: what it replaced, and what that had replaced, newest first.
        replaced_by: the item that replaced it, if any.
    """

    item: SummaryItem
    sources: tuple[SourceText, ...]
    replaces: tuple[SummaryItem, ...] = ()
    replaced_by: SummaryItem | None = None


class CompactionLog(Struct, frozen=True, kw_only=True):
    """One cut, and what happened to the items since the one before it (REQUIREMENTS S6).

    Attributes:
        first_seq, last_seq: the range of messages that left; some in it may have stayed (`prompt.decisions` has each).
        tokens_before, tokens_after: of the history.
        added, superseded, closed: items, since the cut before.
        model, duration_ms, cost, restored: of the summarizing model's runs since the last cut, "" and 0 without one.
        undone: whether it was taken back.
    """

    version: int
    epoch: int
    reason: str
    at_ms: int
    first_seq: int
    last_seq: int
    tokens_before: int
    tokens_after: int
    added: int = 0
    superseded: int = 0
    closed: int = 0
    restored: int = 0
    model: str = ""
    duration_ms: int = 0
    cost: float = 0.0
    undone: bool = False


class SummaryPart(SessionBase):
    """summary, lineage, compactions, undo_compaction, note_item."""

    def summary(self, version: int | None = None) -> Summary:
        """The summary as it is now, or as of the cut number `version` (0: empty, before the first).

        Raises:
            NotFound: no such version, with those there are.
        """
        with self._open_lock():
            self._lane.catch_up()
            versions = list(self._versions())
            if version is None:
                return versions[-1]
            cuts = versions[:-1]
            if not 0 <= version < len(cuts):
                raise NotFound("summary version", version, tuple(range(len(cuts))))
            return cuts[version]

    def lineage(self, item: str) -> Lineage:
        """Where an item comes from: by its id, or by its text (a line of the rule block).

        Raises:
            NotFound: no such item on this branch.
        """
        with self._open_lock():
            items = self.summary().items
            named = [row for row in items if item == row.item_id] or [row for row in items if item == row.text]
            # of several that say the same the rule that stands, before what anyone noted
            found = max(named, key=lambda row: (row.status == "active", row.field in PINNED_FIELDS), default=None)
            if found is None:
                raise NotFound("item", item, tuple(row.item_id for row in items[-20:]))
            by_id = {row.item_id: row for row in items}
            replaces = []
            at = found
            while at.supersedes in by_id:
                at = by_id[at.supersedes]
                replaces.append(at)
            later = next((row for row in items if row.supersedes == found.item_id), None)
            sources = () if found.origin else tuple(self._source(seq) for seq in found.source_ids)
            return Lineage(item=found, sources=sources, replaces=tuple(replaces), replaced_by=later)

    def compactions(self) -> tuple[CompactionLog, ...]:
        """Every cut of this branch, oldest first."""
        with self._open_lock():
            self._lane.catch_up()
            return tuple(_logs(self._branch_entries()))

    def undo_compaction(self) -> int:
        """Take the newest cut back: what left with it stands in the next prompt again, word for word, and history is
        cut again only where it would not fit.

        Returns:
            how many exchanges are back.
        Raises:
            NotFound: no cut of this branch that was not undone.
        """
        made: list[e.CompactionUndone] = []

        def make(state: SessionState) -> e.CompactionUndone:
            # another writer may cut between two tries: what comes back is looked up anew each time
            made[:] = [self._undoing(state)]
            return made[0]

        with self._open_lock():
            self._lane.catch_up()
            self._enter(make)
            return len(made[0].units)

    def _undoing(self, state: SessionState) -> e.CompactionUndone:
        rows = list(self._branch_entries())
        undone = {entry.epoch for _, entry in rows if isinstance(entry, e.CompactionUndone)}
        cuts = [(row, entry) for row, entry in rows if isinstance(entry, e.Compacted) and entry.kind == "compaction"]
        row, cut = next(((row, cut) for row, cut in reversed(cuts) if cut.epoch not in undone), (None, None))
        if row is None or cut is None:
            raise NotFound("compaction", "newest")
        before = self._lane.fold_to(row.parent_seq)
        stayed = {unit.key for unit in self._lane.fold_to(row.seq).units}
        units = tuple(unit for unit in before.units if unit.key not in stayed and unit.key not in before.dropped)
        nodes = tuple(self._recounted(before, before.nodes[seq]) for unit in units for seq in unit.nodes)
        # what was dropped stays dropped: since the cut, and with it
        with_it = {seq for unit in before.units if unit.key in before.dropped and unit.key not in stayed for seq in unit.nodes}
        holes = {*before.holes, *state.holes, *with_it} - {node.seq for node in nodes}
        return e.CompactionUndone(cut.epoch, before.cut_seq, tuple(sorted(holes)), units, nodes)

    def note_item(
        self,
        field: Field,
        text: str,
        source_ids: Iterable[int] = (),
        *,
        reason: str = "",
        author: str = "agent",
        closes: Iterable[str] = (),
    ) -> SummaryItem:
        """Write one proposition into the summary: a fact, a state, a to-do, a question, a goal, what was tried and
        failed. Never a rule or a decision: only the user and the system text make those (REQUIREMENTS M10).

        It comes into the prompt's summary with the next cut after which the messages that it comes from are gone, or,
        where it names none, with the next cut.

        Args:
            field: one of NOTED_FIELDS.
            text: one statement, not empty.
            source_ids: messages that it comes from, by their numbers, in the prompt or not.
            reason: why, where that is worth keeping.
            closes: ids of items of these fields that it settles.
        Raises:
            BadSetting: another field, an empty text.
            NotFound: a message that is not of this branch, an item that cannot be closed.
            NotSettled: it takes a fragment's side in an open conflict.
        """
        if field not in NOTED_FIELDS:
            raise BadSetting("field", field, "one of " + ", ".join(NOTED_FIELDS) + "; rules come from the user's own words, or from pin()")
        if not text.strip():
            raise BadSetting("text", text, "a text that is not empty")
        if author == "code":
            raise BadSetting("author", author, "whoever wrote it; 'code' is what extraction itself signs with")
        sources, closed = tuple(source_ids), tuple(closes)
        with self._open_lock():
            self._lane.catch_up()
            state = self._lane.state
            for seq in sources:
                if not state.contains(seq):
                    raise NotFound("message", seq)
            for item_id in closed:
                if item_id not in state.items or state.items[item_id].field in PINNED_FIELDS:
                    raise NotFound("item that can be closed", item_id, tuple(self._closable(state)))
            if author != "user":
                refuse_adopting(state, "the item", text, closed)
            made: list[SummaryItem] = []

            def build(state: SessionState, seq: int) -> Write:
                made[:] = [SummaryItem(f"n{seq}", field, text.strip(), sources, reason=reason, author=author)]
                return Write(entries=[e.ItemsChanged(ItemChanges((made[0],), closed=closed))])

            self._lane.write(build)
            return made[0]

    @staticmethod
    def _closable(state: SessionState) -> list[str]:
        return [item.item_id for item in state.items.values() if item.field not in PINNED_FIELDS]

    def _branch_entries(self) -> Iterator[tuple[StoredEntry, Entry]]:
        """Every entry of this branch, oldest first."""
        state = self._lane.state
        for row in self._store.load(self._key):
            if state.contains(row.seq):
                yield row, self._lane.decoded(row)

    def _versions(self) -> Iterator[Summary]:
        """An empty one for the time before anything was summarized, one for each cut, and the one of now."""
        items: tuple[SummaryItem, ...] = ()
        live: dict[str, SummaryItem] = {}
        version = 0
        last = Summary(version=0, items=())
        yield last
        for row, entry in self._branch_entries():
            if isinstance(entry, e.ItemsChanged):
                items = apply_changes(items, entry.changes)
                change_items(live, entry.changes)
            elif isinstance(entry, e.Compacted) and entry.kind == "compaction":
                version += 1
                last = Summary(
                    version=version,
                    items=_as_of(items, live),
                    text=self._summary_text(entry),
                    epoch=entry.epoch,
                    at_ms=row.at_ms,
                    covered=entry.covered,
                )
                yield last
        yield msgspec.structs.replace(last, items=_as_of(items, live))

    def _summary_text(self, entry: e.Compacted) -> str:
        segment = next((segment for segment in entry.front if segment.section == "summary"), None)
        text = self._bodies.get(segment.segment_id).decode("utf-8", "replace") if segment is not None else ""
        # without the fence that it stood in
        return "\n".join(line for line in text.split("\n") if not line.startswith((f"<{FENCE}", f"</{FENCE}")))

    def _source(self, seq: int) -> SourceText:
        row = self._store.entry(self._key, seq)
        entry = self._lane.decoded(row)
        if not isinstance(entry, e.MessageAdded):
            raise NotFound("message", seq)
        message = self._bodies.message(entry.node)
        return SourceText(seq, message.role, row.at_ms, message_text(message))

    def _recounted(self, before: SessionState, node: Node) -> Node:
        """The node with counts as the live ones have them now."""
        state = self._lane.state
        if before.counter_id == state.counter_id or state.counter_id not in self._requesters:
            return node
        tokens = self._requesters[state.counter_id].counter.count_message(self._bodies.message(node))
        return msgspec.structs.replace(node, tokens=tokens, result_tokens=tokens * node.result_tokens // max(1, node.tokens))


def _as_of(items: Sequence[SummaryItem], live: dict[str, SummaryItem]) -> tuple[SummaryItem, ...]:
    return tuple(
        msgspec.structs.replace(item, status="done") if item.status == "active" and item.item_id not in live else item for item in items
    )


class _Since(Struct):
    """What happened since the last cut."""

    added: int = 0
    superseded: int = 0
    closed: int = 0
    restored: int = 0
    model: str = ""
    duration_ms: int = 0
    cost: float = 0.0


def _logs(rows: Iterable[tuple[StoredEntry, Entry]]) -> list[CompactionLog]:
    logs: list[CompactionLog] = []
    since = _Since()
    for row, entry in rows:
        if isinstance(entry, e.ItemsChanged):
            since.added += len(entry.changes.added)
            since.superseded += len(entry.changes.superseded)
            since.closed += len(entry.changes.closed)
        elif isinstance(entry, e.Distilled):
            since.model, since.restored = entry.model, since.restored + entry.restored
            since.duration_ms, since.cost = since.duration_ms + entry.duration_ms, since.cost + entry.cost
        elif isinstance(entry, e.Compacted) and entry.kind == "compaction":
            logs.append(
                CompactionLog(
                    version=len(logs) + 1,
                    epoch=entry.epoch,
                    reason=entry.reason,
                    at_ms=row.at_ms,
                    first_seq=entry.covered[0],
                    last_seq=entry.covered[1],
                    tokens_before=entry.tokens_before,
                    tokens_after=entry.tokens_after,
                    **msgspec.structs.asdict(since),
                )
            )
            since = _Since()
        elif isinstance(entry, e.CompactionUndone):
            logs = [msgspec.structs.replace(log, undone=True) if log.epoch == entry.epoch else log for log in logs]
    return logs
