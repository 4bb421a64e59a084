"""The fold of what several lanes have together: the documents of a project, and what the agents of a session share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from trimtab.core import entries as e
from trimtab.core.library import StoredDocument
from trimtab.core.sharing import MOST_ENDED_HERE, MOST_HELD, Peer, Taken, prefix_of
from trimtab.core.state import SessionState


def _document(state: SessionState, seq: int, entry: e.DocumentAdded) -> None:
    state.documents.pop(entry.name, None)
    state.documents[entry.name] = StoredDocument(
        name=entry.name,
        kind=entry.kind,
        title=entry.title,
        body_id=entry.body_id,
        digest=entry.digest,
        first_id=entry.first_id,
        count=len(entry.pieces),
        chars=entry.chars,
        seq=seq,
    )
    state.piece_count = max(state.piece_count, entry.first_id - 1 + len(entry.pieces))


def _document_dropped(state: SessionState, seq: int, entry: e.DocumentDropped) -> None:
    state.documents.pop(entry.name, None)


def _shared(state: SessionState, seq: int, entry: e.Shared) -> None:
    peer = state.shared.setdefault(entry.from_lane, Peer(len(state.shared) + 1))
    peer.upto_seq = entry.upto_seq
    left = {peer.items[key] for key in entry.gone if peer.items.get(key)}
    for key in entry.gone:
        peer.items.pop(key, None)
        peer.doubles.pop(key, None)
    peer.items.update(entry.items)
    peer.doubles.update(entry.doubles)
    for item_id in entry.ended:
        if item_id in state.items:
            peer.held[item_id] = state.items[item_id]
            if len(peer.held) > MOST_HELD:
                del peer.held[next(iter(peer.held))]
        _mark(state, item_id, "")
    for item_id in entry.restored:
        peer.held.pop(item_id, None)
        _mark(state, item_id, item_id)
    _free_doubles(state, left | set(entry.ended))
    state.news = [*(item_id for item_id in state.news if item_id not in left), *(item_id for _, item_id in entry.items)]
    for known, taken in ((peer.notes, entry.notes), (peer.meta_notes, entry.meta_notes), (peer.variables, entry.variables)):
        _take(known, taken)


def _take(known: dict[str, Taken], taken: Iterable[Taken]) -> None:
    for row in taken:
        known.pop(row.key, None)
        if row.name:
            known[row.key] = row


def _mark(state: SessionState, item_id: str, here: str) -> None:
    """An item of a third lane ended here, or stands again."""
    found = _owner(state, item_id)
    if found is not None and found[1] in found[0].items:
        found[0].items[found[1]] = here


def _owner(state: SessionState, item_id: str) -> tuple[Peer, str] | None:
    """The lane that an item came from, and its id there."""
    for peer in state.shared.values():
        prefix = prefix_of(peer.number)
        if item_id.startswith(prefix):
            return peer, item_id.removeprefix(prefix)
    return None


def _free_doubles(state: SessionState, gone: set[str]) -> None:
    """What said the same as an item that is gone now is nobody's double any more."""
    for peer in state.shared.values():
        peer.doubles = {key: item_id for key, item_id in peer.doubles.items() if item_id not in gone}


def note_ended(state: SessionState, item_ids: Iterable[str]) -> None:
    """Items were closed or replaced in this lane: what of them came from others, or says the same, ended for them too."""
    for item_id in item_ids if state.shared else ():
        found = _owner(state, item_id)
        if found is not None and found[0].items.get(found[1]) == item_id:
            _end(found[0], found[1])
        for peer in state.shared.values():
            for key in [key for key, double in peer.doubles.items() if double == item_id]:
                del peer.doubles[key]
                _end(peer, key)


def _end(peer: Peer, key: str) -> None:
    peer.items[key] = ""
    if key not in peer.ended:
        peer.ended = [*peer.ended, key][-MOST_ENDED_HERE:]


def _given(state: SessionState, seq: int, entry: e.Given) -> None:
    old = state.given
    state.given = e.Given(
        tuple(sorted({*old.seqs, *entry.seqs})),
        *(tuple(dict.fromkeys((*getattr(old, name), *getattr(entry, name)))) for name in ("item_ids", "notes", "meta_notes", "variables")),
    )


SHARED_FOLDS: dict[type, Callable[[SessionState, int, Any], None]] = {
    e.DocumentAdded: _document,
    e.DocumentDropped: _document_dropped,
    e.Shared: _shared,
    e.Given: _given,
}
