"""How turns and literals stand in the full-text indexes: what a row is numbered, and what its terms are.

FTS5 serves as sorted lists of row numbers by term, nothing more: our terms come cut, are found whole and literally,
and no query syntax is open to a caller. Two things make the lists quick to rank from:

- A row's number holds lane, doc and length, so a lane is one stretch of each list, and its BM25 needs no other table.
- How often a term occurs in a turn is part of the term (`CLASSES`), so a list holds no positions.

Every term begins with its project's number. Tags, role and kind are terms too: filters are intersections of lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

import msgspec

from trimtab.errors import CorruptEntry, StoreError
from trimtab.stores.codec import unpack

# FTS5 cuts tokens at 32,768 bytes; long ones are replaced by their hash well before
TERM_CHARS = 512
# The `ascii` tokenizer folds A-Z and splits at ASCII punctuation; moved to private-use code points these
# characters are opaque to it.
_OPAQUE = {code: 0xE000 + code for code in range(128) if not (chr(code).isdigit() or chr(code).islower())}

# (fewest, most) times that a term of the class occurs in its turn; 0 for no bound
CLASSES = ((1, 1), (2, 2), (3, 4), (5, 0))
# after the project's number; spaces of several kinds, which no term can begin with
_CLASS_MARKS = "\ue020\ue009\ue00a\ue00b"
_FILTER_MARK = "\ue00c"
_LITERAL_MARK = "\ue00d"
_BETWEEN = "\ue000"  # between a filter's kind and its value
ROLE, KIND = "\x02role", "\x02kind"  # no tag's kind begins like this

LENGTH_BITS, DOC_BITS, LANE_BITS = 10, 30, 23
MOST_LENGTH = (1 << LENGTH_BITS) - 1  # and above: a row's number does not tell
_DOC_MASK = (1 << DOC_BITS) - 1
_LANE_SHIFT = LENGTH_BITS + DOC_BITS

decode_tags = msgspec.json.Decoder(dict[str, list[str]]).decode


def place_of(lane_no: int, doc: int, length: int) -> int:
    """Raises StoreError where a number is larger than its bits."""
    if doc > _DOC_MASK or lane_no >> LANE_BITS:
        raise StoreError(f"the store is full: it cannot number lane {lane_no} or turn {doc}; begin a new database")
    return lane_no << _LANE_SHIFT | doc << LENGTH_BITS | min(length, MOST_LENGTH)


def doc_of(place: int) -> int:
    return place >> LENGTH_BITS & _DOC_MASK


def span_of(first_lane_no: int, last_lane_no: int) -> tuple[int, int]:
    """(lowest, highest) row number of some lanes, in `words` and in `literals`."""
    return first_lane_no << _LANE_SHIFT, ((last_lane_no + 1) << _LANE_SHIFT) - 1


def first_place_after(lane_no: int, doc: int) -> int:
    return lane_no << _LANE_SHIFT | (doc + 1) << LENGTH_BITS


def literal_place(lane_no: int, seq: int) -> int:
    if seq >> _LANE_SHIFT or lane_no >> LANE_BITS:
        raise StoreError(f"the store is full: it cannot number lane {lane_no} or entry {seq}; begin a new database")
    return lane_no << _LANE_SHIFT | seq


def lane_and_seq(place: int) -> tuple[int, int]:
    return place >> _LANE_SHIFT, place & ((1 << _LANE_SHIFT) - 1)


def _opaque(text: str) -> str:
    if len(text) > TERM_CHARS:
        text = blake2b(text.encode(), digest_size=16).hexdigest()
    return text.translate(_OPAQUE)


def class_terms(project_no: int, term: str) -> tuple[str, ...]:
    """The term as it is indexed, for each of `CLASSES`."""
    opaque = _opaque(term)
    return tuple(f"{project_no}{mark}{opaque}" for mark in _CLASS_MARKS)


def filter_term(project_no: int, kind: str, value: str) -> str:
    return f"{project_no}{_FILTER_MARK}{kind.translate(_OPAQUE)}{_BETWEEN}{_opaque(value.casefold())}"


def literal_term(project_no: int, literal: str) -> str:
    return f"{project_no}{_LITERAL_MARK}{_opaque(literal.casefold())}"


def turn_document(project_no: int, terms: Sequence[str], filters: Iterable[tuple[str, str]]) -> str:
    """All terms of one row of `words`, in an order that depends on nothing but the turn: to forget a row it is told again."""
    found = []
    for term, times in Counter(terms).items():
        # for speed without `class_terms`: this is most of what indexing costs
        mark = _CLASS_MARKS[0 if times == 1 else 1 if times == 2 else 2 if times <= 4 else 3]
        found.append(f"{project_no}{mark}{_opaque(term)}")
    found += dict.fromkeys(filter_term(project_no, kind, value) for kind, value in filters)
    return " ".join(found)


def filters_of(role: str, kind: str, tags: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    return [(ROLE, role), (KIND, kind), *((name, value) for name, values in tags.items() for value in values)]


def literal_document(project_no: int, literals: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(literal_term(project_no, literal) for literal in literals if literal))


def stored_document(project_no: int, role: str, kind: str, tags: bytes, codec: str, key_id: str, checksum: int, terms: bytes) -> str:  # noqa: PLR0913 - a row
    """`turn_document` of a stored row, for migrations; "" for a row that is corrupt, which says so when it is read."""
    try:
        text = unpack("turn", codec, key_id, checksum, terms).decode()
        return turn_document(project_no, text.split(), filters_of(role, kind, decode_tags(tags) if tags else {}))
    except (CorruptEntry, msgspec.MsgspecError, UnicodeDecodeError):
        return ""
