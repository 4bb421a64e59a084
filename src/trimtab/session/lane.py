"""A lane's ledger and its state: load, fold, commit. The only place that writes entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct, field

from trimtab.core.entries import ENTRY_VERSION, Entry, MessageAdded, RequestSent, RolledBack, decode_entry, encode_entry, kind_of
from trimtab.core.entries import Branched as BranchedEntry
from trimtab.core.fold import apply
from trimtab.core.state import STATE_VERSION, SessionState
from trimtab.errors import CorruptEntry, ParseError, SchemaTooNew, SeqConflict, StoreError
from trimtab.session import clock
from trimtab.stores import Batch, Body, Count, LaneKey, Literals, Snapshot, Store, StoredEntry, Turn

# a snapshot is due after this many entries, or after a quarter of what is live where that is more: opening
# folds a bounded rest, and what snapshots cost stays in proportion to what was written
LEAST_SNAPSHOT_ENTRIES = 256
SNAPSHOT_SHARE = 4
WRITE_TRIES = 20

_encode_state = msgspec.msgpack.Encoder().encode
_decode_state = msgspec.msgpack.Decoder(SessionState).decode


class Write(Struct):
    """What one commit adds: entries in order, and what comes with them."""

    entries: list[Entry] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    literals: list[Literals] = field(default_factory=list)
    dropped_turns: list[int] = field(default_factory=list)


def _readable(entry: Entry) -> bytes:
    """The entry's JSON, once it is known that it can be read again: what cannot be would close the session for good.

    Raises:
        ParseError: a value of a wrong type, or text that is no Unicode.
    """
    try:
        data = encode_entry(entry)
        decode_entry(data)
    except (msgspec.DecodeError, UnicodeError, TypeError, OverflowError) as error:
        raise ParseError(f"nothing was stored: a value of this {kind_of(entry)!r} cannot be kept ({error})") from None
    return data


class Lane:
    """One lane of one session. Not thread-safe by itself; the session holds the lock."""

    def __init__(self, store: Store, key: LaneKey) -> None:
        self.store, self.key = store, key
        head = store.head(key)
        self.last_seq, self.last_request = head.last_seq, head.last_request
        self.state = self.fold_to(head.head_seq)
        snapshot = self._snapshot(head.head_seq)
        self._since_snapshot = self.state.seq - (snapshot.seq if snapshot else 0)

    # ------------------------------------------------------------ reading

    def fold_to(self, seq: int, trust_snapshots: bool = True) -> SessionState:
        """The state after entry `seq`, along its own branch. A snapshot that cannot be read is passed over: the
        entries alone give the same state.

        Raises:
            CorruptEntry: an entry that cannot be decoded, or a break in the chain.
        """
        chain: list[StoredEntry] = []
        at = seq
        while at > 0:
            snapshot = self._snapshot(at) if trust_snapshots else None
            base = snapshot.seq if snapshot else 0
            rows = {row.seq: row for row in self.store.load(self.key, base, at)}
            while at > base:
                if at not in rows:
                    raise CorruptEntry(f"entry {at} of session {self.key.session_id!r}", "it is missing")
                chain.append(rows[at])
                at = rows[at].parent_seq
            if at == base and snapshot is not None:
                try:
                    state = _decode_state(snapshot.data)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    return self.fold_to(seq, trust_snapshots=False)
                return self._applied(state, chain)
        return self._applied(SessionState(), chain)

    def _snapshot(self, seq: int) -> Snapshot | None:
        try:
            snapshot = self.store.snapshot(self.key, seq)
        except CorruptEntry:
            return None
        return snapshot if snapshot is not None and snapshot.version == STATE_VERSION else None

    def _applied(self, state: SessionState, chain: Sequence[StoredEntry]) -> SessionState:
        for row in reversed(chain):
            apply(state, row.seq, self.decoded(row))
        return state

    def decoded(self, row: StoredEntry) -> Entry:
        if row.version > ENTRY_VERSION:
            raise SchemaTooNew(row.version, ENTRY_VERSION)
        try:
            return decode_entry(row.data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CorruptEntry(f"entry {row.seq} of session {self.key.session_id!r}", str(error)) from error

    # ------------------------------------------------------------ writing

    def write(self, build: Callable[[SessionState, int], Write | None]) -> int:
        """Commit what `build(state, next seq)` gives, in one transaction; build again if another writer was first.

        Returns:
            the seq of the last entry written; of the state where there was nothing to write.
        Raises:
            SeqConflict: still not first after many tries.
        """
        for attempt in range(WRITE_TRIES):
            write = build(self.state, self.last_seq + 1)
            if write is None or not write.entries:
                # "nothing to do" may be true of a stale state only
                if self.catch_up():
                    continue
                return self.state.seq
            try:
                return self._commit(write)
            except SeqConflict:
                if attempt + 1 == WRITE_TRIES:
                    raise
                self.catch_up()
        return self.state.seq

    def _commit(self, write: Write) -> int:
        rows = self._rows(write.entries)
        batch = Batch(
            entries=rows,
            bodies=write.bodies,
            counts=write.counts,
            turns=write.turns,
            dropped_turns=write.dropped_turns,
            literals=write.literals,
        )
        self.store.commit(self.key, batch, self.last_seq)
        for row, entry in zip(rows, write.entries, strict=True):
            self._take(row, entry)
        self._since_snapshot += len(rows)
        self._save_snapshot()
        return rows[-1].seq

    def _rows(self, entries: Sequence[Entry]) -> list[StoredEntry]:
        now_ms = clock.now_ms()
        rows: list[StoredEntry] = []
        parent, node, seq = self.state.seq, self.state.head, self.last_seq
        for entry in entries:
            seq += 1
            if isinstance(entry, RolledBack | BranchedEntry):
                parent = entry.to_seq
                node = self.store.entry(self.key, parent).at_node if parent else 0
            if isinstance(entry, MessageAdded):
                node = seq
            number = entry.number if isinstance(entry, RequestSent) else 0
            rows.append(StoredEntry(seq, parent, node, kind_of(entry), ENTRY_VERSION, now_ms, _readable(entry), number))
            parent = seq
        return rows

    def _take(self, row: StoredEntry, entry: Entry) -> None:
        if row.parent_seq != self.state.seq:
            self.state = self.fold_to(row.parent_seq)
        apply(self.state, row.seq, entry)
        self.last_seq = row.seq
        if row.request:
            self.last_request = row.request

    def _save_snapshot(self) -> None:
        if self._since_snapshot < max(LEAST_SNAPSHOT_ENTRIES, len(self.state.nodes) // SNAPSHOT_SHARE):
            return
        data = _encode_state(self.state)
        try:
            self.store.commit(self.key, Batch(snapshot=Snapshot(self.state.seq, STATE_VERSION, data)), self.last_seq)
        except StoreError:
            return  # only a shortcut for the next opening: it will be due again at the next commit
        self._since_snapshot = 0

    def catch_up(self) -> bool:
        """Take in what other writers appended; whether there was anything."""
        rows = self.store.load(self.key, self.last_seq)
        for row in rows:
            self._take(row, self.decoded(row))
        return bool(rows)

    def branch_point(self, node_seq: int) -> int:
        """The newest entry whose branch ends at this message: pins, notes and requests made there come with it.

        Args:
            node_seq: a message, or 0 for the time before the first one.
        """
        return max((row.seq for row in self.store.load(self.key) if row.at_node == node_seq), default=node_seq)
