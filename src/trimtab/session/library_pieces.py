"""Pieces of documents: as search rows, as what a reader is shown, and as the text that an embedder takes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from trimtab.core.entries import DocumentAdded, decode_entry
from trimtab.core.library import DocumentPiece
from trimtab.errors import CorruptEntry
from trimtab.recall import terms
from trimtab.recall.library import Document, Piece
from trimtab.recall.library.document import is_lined
from trimtab.recall.tags import tags_of
from trimtab.stores import LaneKey, Store, Turn

FRAGMENT = "fragment"
# who said it: nobody
ROLE = "document"


class FoundPiece(Struct, frozen=True):
    """A piece of a document.

    Attributes:
        name: of the document.
        number: of the piece, from 0.
        where: its position for people ("report.pdf p. 12, Results").
        text: word for word, under the table head that it continues, if it does.
        path: the headings that it stands under.
        page, line: where it begins, from 1; 0 where that is not known.
        piece_id: its number among all pieces the library ever held; never given twice.
        score, parts: how it ranked, and what the score is the sum of; 0 and {} where it was asked for by name.
    """

    name: str
    number: int
    where: str
    text: str
    path: tuple[str, ...] = ()
    kind: str = "prose"
    page: int = 0
    line: int = 0
    piece_id: int = 0
    score: float = 0.0
    parts: Mapping[str, float] = {}


def stored_pieces(document: Document) -> tuple[DocumentPiece, ...]:
    return tuple(DocumentPiece(p.number, p.path, p.kind, p.start, p.end, p.page, p.line, p.header) for p in document.pieces)


def piece_rows(document: Document, first_id: int, seq: int, at_ms: int) -> list[Turn]:
    """One search row for each piece. They are found by their own words, and by those of the headings they stand under."""
    rows = []
    for piece in document.pieces:
        words = terms(piece.shown)
        own = set(words)
        above = dict.fromkeys(term for term in terms(" ".join((document.title, *piece.path))) if term not in own)
        tags = tags_of(piece.shown, words) | {"document": [document.name]} | ({"path": list(piece.path)} if piece.path else {})
        piece_id = first_id + piece.number
        rows.append(Turn(piece_id, piece_id, piece_id, at_ms, ROLE, " ".join([*words, *above]), tags, (seq,), FRAGMENT))
    return rows


def found_piece(entry: DocumentAdded, text: str, number: int, score: float = 0.0, parts: Mapping[str, float] | None = None) -> FoundPiece:
    """A piece as a reader is shown it. `text` is the document's."""
    piece = _piece(entry, text, number)
    return FoundPiece(
        name=entry.name,
        number=number,
        where=piece.where,
        text=piece.shown,
        path=piece.path,
        kind=piece.kind,
        page=piece.page,
        line=piece.line,
        piece_id=entry.first_id + number,
        score=score,
        parts=parts or {},
    )


def _piece(entry: DocumentAdded, text: str, number: int) -> Piece:
    row = entry.pieces[number]
    return Piece(
        number=number,
        path=row.path,
        kind=row.kind,
        text=text[row.start : row.end],
        start=row.start,
        end=row.end,
        page=row.page,
        line=row.line,
        header=row.header,
        document=entry.name,
        lined=is_lined(entry.kind),
    )


class FragmentTexts:
    """Texts of fragments for an embedder. The document that was read last is kept: rows of one follow each other."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last: tuple[tuple[LaneKey, int], DocumentAdded, str] | None = None

    def __call__(self, key: LaneKey, turn: Turn) -> str:
        """The piece under its headings. Raises NotFound, Erased, CorruptEntry."""
        seq = turn.origin_ids[0] if turn.origin_ids else 0
        if self._last is None or self._last[0] != (key, seq):
            entry = read_document_entry(self._store, key, seq)
            body = self._store.bodies(key.tenant_id, (entry.body_id,))[entry.body_id]
            self._last = ((key, seq), entry, body.decode("utf-8", "replace"))
        _, entry, text = self._last
        piece = _piece(entry, text, turn.turn_id - entry.first_id)
        above = " > ".join(dict.fromkeys(part for part in (entry.title, *piece.path) if part))
        return f"{above}\n{piece.shown}" if above else piece.shown


def fragment_text(store: Store, key: LaneKey, turn: Turn) -> str:
    """What an embedder is given of a fragment; `FragmentTexts` for many."""
    return FragmentTexts(store)(key, turn)


def read_document_entry(store: Store, key: LaneKey, seq: int) -> DocumentAdded:
    """Raises NotFound, CorruptEntry."""
    try:
        entry = decode_entry(store.entry(key, seq).data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorruptEntry(f"entry {seq} of the library", str(error)) from error
    if not isinstance(entry, DocumentAdded):
        raise CorruptEntry(f"entry {seq} of the library", "it is no document")
    return entry
