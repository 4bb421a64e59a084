"""The documents of a project: put in, replaced, taken out, read by pieces and searched (REQUIREMENTS R1, R2).

They are in a lane of their own, whatever session puts them in. A document's entry and the search rows of its pieces are one
transaction: a document is there with all its pieces, or not at all. No prompt ever holds a whole one.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.core.entries import DocumentAdded, DocumentDropped
from trimtab.core.ids import Hasher
from trimtab.core.library import StoredDocument
from trimtab.core.state import SessionState
from trimtab.errors import BadSetting, DocumentTooLarge, NotFound, UnreadableDocument
from trimtab.recall.library import Document, read_document
from trimtab.recall.library.reading import MOST_PACKED_BYTES
from trimtab.recall.needs import Need
from trimtab.session import clock
from trimtab.session.bodies import Bodies
from trimtab.session.lane import Lane, Write
from trimtab.session.library_pieces import FRAGMENT, FoundPiece, found_piece, piece_rows, read_document_entry, stored_pieces
from trimtab.session.searching import Searcher
from trimtab.stores import Body, Filter, LaneKey, Scope, Store, lane_scope

# names of sessions that begin so are no sessions of agents
RESERVED = "@"
LIBRARY_SESSION = f"{RESERVED}library"
PIECES = Filter(kinds=(FRAGMENT,))
MAX_NAME_CHARS = 300
# so many pieces may be looked at only because they are new
_NEWEST = 20


class Added(Struct, frozen=True):
    """What `add` did.

    Attributes:
        kind: as it was read, see `trimtab.recall.library.KINDS`.
        pieces: how many it is cut into.
        changed: false where the same bytes were there already.
        warnings: what could not be read, one sentence each.
    """

    name: str
    kind: str
    pieces: int
    changed: bool
    warnings: tuple[str, ...] = ()


class Listed(Struct, frozen=True):
    """A document that is in the library. `chars` is the length of its text."""

    name: str
    kind: str
    title: str
    pieces: int
    chars: int


def library_key(tenant: str, project: str) -> LaneKey:
    """The lane that a project's documents are in."""
    return LaneKey(tenant, project, LIBRARY_SESSION)


class Library:
    """The documents of one project. Safe to use from several threads; several processes may open the same one.

    Args:
        searcher: what ranks; by default one that ranks by words alone.
    """

    def __init__(self, store: Store, tenant: str = "default", project: str = "default", searcher: Searcher | None = None) -> None:
        self._store, self.key = store, library_key(tenant, project)
        self._hasher = Hasher.for_tenant(tenant)
        self._bodies = Bodies(store, tenant)
        self._searcher = searcher or Searcher(store)
        self._lane = Lane(store, self.key)
        self._read: tuple[int, DocumentAdded, str] | None = None
        self._lock = threading.RLock()

    @property
    def scope(self) -> Scope:
        """Where recall looks for pieces; with `PIECES` as its filter."""
        return lane_scope(self.key)

    def __bool__(self) -> bool:
        """Whether there is any document."""
        with self._lock:
            self._lane.catch_up()
            return bool(self._lane.state.documents)

    # ------------------------------------------------------------ in and out

    def add(self, source: bytes | str | Path, name: str = "", kind: str = "") -> Added:
        """Read a document, cut it at its structural borders, and make its pieces searchable.

        The same bytes under the same name change nothing; other bytes take the place of what had the name.

        Args:
            source: the bytes of a file, a text, or the path of a file.
            name: as people know it; by default the file's name.
            kind: one of `trimtab.recall.library.KINDS`; told from content and name by default.
        Raises:
            BadSetting: no name, or one that is no printable line of at most 300 characters.
            DocumentError: of another kind, damaged, encrypted, empty, too large, or its reader is not installed.
            StoreError: nothing was stored.
        """
        name = name or (source.name if isinstance(source, Path) else "")
        if not name.strip() or not name.isprintable() or len(name) > MAX_NAME_CHARS:
            raise BadSetting("name", name, f"one printable line of at most {MAX_NAME_CHARS} characters; a text or bytes need one")
        content = _content_of(source, name)
        digest = self._hasher.digest(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        with self._lock:
            self._lane.catch_up()
            known = self._lane.state.documents.get(name)
        if known is not None and known.digest == digest and kind in ("", known.kind):
            return Added(name, known.kind, known.count, False)
        document = read_document(content, name, kind)
        changed = self._put(document, digest)
        return Added(name, document.kind, len(document.pieces), changed, document.warnings)

    def _put(self, document: Document, digest: str) -> bool:
        payload = document.text.encode("utf-8", "replace")
        body_id = self._hasher.body_id("document", payload)
        cut, changed = stored_pieces(document), False

        def build(state: SessionState, seq: int) -> Write | None:
            nonlocal changed
            old = state.documents.get(document.name)
            # another writer may have been first with the same
            changed = old is None or (old.digest, old.kind) != (digest, document.kind)
            if not changed:
                return None
            first_id = state.piece_count + 1
            entry = DocumentAdded(document.name, document.kind, document.title, body_id, digest, first_id, len(document.text), cut)
            return Write(
                entries=[entry],
                bodies=[Body(body_id, payload)],
                dropped_turns=list(old.piece_ids) if old is not None else [],
                turns=piece_rows(document, first_id, seq, clock.now_ms()),
            )

        with self._lock:
            self._lane.write(build)
        return changed

    def drop(self, name: str) -> None:
        """Take a document out: no search finds it any more. Raises NotFound, with the documents there are."""

        def build(state: SessionState, seq: int) -> Write:
            known = state.documents.get(name)
            if known is None:
                raise NotFound("document", name, tuple(state.documents))
            return Write(entries=[DocumentDropped(name)], dropped_turns=list(known.piece_ids))

        with self._lock:
            self._lane.catch_up()
            self._lane.write(build)

    # ------------------------------------------------------------ reading

    def list(self) -> tuple[Listed, ...]:
        """What there is, in the order in which it was put in."""
        with self._lock:
            self._lane.catch_up()
            return tuple(Listed(row.name, row.kind, row.title, row.count, row.chars) for row in self._lane.state.documents.values())

    def read(self, name: str, piece: int | str = 0) -> FoundPiece:
        """One piece of a document, by its number (from 0) or by its position as `where` gives it.

        Raises NotFound: no such document, with those there are, or no such piece.
        """
        with self._lock:
            self._lane.catch_up()
            known = self._lane.state.documents.get(name)
            if known is None:
                raise NotFound("document", name, tuple(self._lane.state.documents))
            entry, text = self._opened(known)
            if isinstance(piece, int):
                if not 0 <= piece < known.count:
                    raise NotFound(f"piece of {name!r}", piece, (f"0 to {known.count - 1}",))
                return found_piece(entry, text, piece)
            pieces = (found_piece(entry, text, number) for number in range(known.count))
            found = next((row for row in pieces if row.where == piece.strip()), None)
            if found is None:
                raise NotFound(f"piece of {name!r}", piece, (f"0 to {known.count - 1}, by number",))
            return found

    def piece(self, piece_id: int) -> FoundPiece | None:
        """The piece with that number among all; None where its document was replaced or dropped."""
        with self._lock:
            self._lane.catch_up()
            known = next((row for row in self._lane.state.documents.values() if piece_id in row.piece_ids), None)
            return None if known is None else found_piece(*self._opened(known), piece_id - known.first_id)

    def search(self, query: str | Need | Mapping[str, Any], limit: int = 5, *, deadline_ms: int | None = None) -> tuple[FoundPiece, ...]:
        """The pieces that answer best, best first.

        Args:
            query: words, or a structured need. Its time range and roles bound nothing here: documents have neither.
            deadline_ms: see `Searcher.search`.
        Raises:
            BadNeed: a query that says nothing, or cannot be read.
        """
        asked = msgspec.structs.replace(Need.of(query), time_range=None, roles=(), recent=False, ordinal=0)
        result = self._searcher.search(self.scope, asked, limit + _NEWEST, PIECES, deadline_ms=deadline_ms)
        # in a talk what is new or stands beside an answer may be one; of documents nobody says why it should
        hits = [match for match in result.matches if match.is_alike][:limit]
        found = [(self.piece(match.turn.turn_id), match) for match in hits]
        # a piece may have been dropped since it was found
        return tuple(msgspec.structs.replace(piece, score=match.score, parts=match.parts) for piece, match in found if piece is not None)

    def _opened(self, known: StoredDocument) -> tuple[DocumentAdded, str]:
        """The entry and the text of a document; that which was read last is kept."""
        if self._read is None or self._read[0] != known.seq:
            entry = read_document_entry(self._store, self.key, known.seq)
            self._read = (known.seq, entry, self._bodies.get(entry.body_id).decode("utf-8", "replace"))
        return self._read[1], self._read[2]


def _content_of(source: bytes | str | Path, name: str) -> bytes | str:
    """Read once: what is compared is what is cut."""
    if not isinstance(source, Path):
        return source
    try:
        size = source.stat().st_size
        if size > MOST_PACKED_BYTES:
            raise DocumentTooLarge(name, size, MOST_PACKED_BYTES)
        return source.read_bytes()
    except OSError as error:
        raise UnreadableDocument(name, f"cannot be opened ({error.strerror or error})", f"check the path {str(source)!r}") from error
