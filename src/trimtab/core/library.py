"""Documents of a project as values: what the ledger keeps of each, and of the pieces that it is cut into."""

from __future__ import annotations

from msgspec import Struct


class DocumentPiece(Struct, frozen=True, array_like=True):
    """One piece: the characters `start` to `end` of the document's text.

    Attributes:
        number: place in the document, from 0.
        path: the headings it stands under, outermost first.
        kind: "prose", "list", "quote", "table", "code", "class", "function" or "json".
        page, line: of its first character, from 1; 0 where there are none.
        header: the head of a table that an earlier piece begins; "" otherwise.
    """

    number: int
    path: tuple[str, ...]
    kind: str
    start: int
    end: int
    page: int = 0
    line: int = 0
    header: str = ""


class StoredDocument(Struct, frozen=True, array_like=True):
    """A document that is in the library; its pieces are in the entry `seq`.

    Attributes:
        first_id: number of its first piece among all that the library ever held; they are numbered on without gaps.
        count: of pieces.
        chars: of its text.
        digest: of the bytes that were given.
    """

    name: str
    kind: str
    title: str
    body_id: str
    digest: str
    first_id: int
    count: int
    chars: int
    seq: int

    @property
    def piece_ids(self) -> range:
        return range(self.first_id, self.first_id + self.count)
