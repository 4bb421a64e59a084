"""The values that go into a store and come out of it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class LaneKey(Struct, frozen=True, order=True):
    """Whose ledger. Every row begins with these four."""

    tenant_id: str
    project_id: str
    session_id: str
    lane_id: str = "main"


class StoredEntry(Struct, frozen=True, array_like=True):
    """One ledger row.

    Attributes:
        seq: 1, 2, 3 ... within the lane, without gaps.
        parent_seq: the entry it follows on its branch; 0 for the first.
        at_node: seq of the newest message on its branch at that time (its own seq for a message); 0 for none.
        kind: tag of the entry's type.
        version: version of that type.
        at_ms: wall clock when it was appended, Unix milliseconds.
        data: JSON of the entry.
        request: number of the request, for a RequestSent; 0 otherwise.
    """

    seq: int
    parent_seq: int
    at_node: int
    kind: str
    version: int
    at_ms: int
    data: bytes
    request: int = 0


class Body(Struct, frozen=True, array_like=True):
    """Bytes by content. `codec` says how they are stored ("" as they are, "zlib" compressed)."""

    body_id: str
    data: bytes


class Count(Struct, frozen=True, array_like=True):
    """Raw token count of a body by one counter."""

    body_id: str
    counter_id: str
    tokens: int
    content_class: str = ""


class Turn(Struct, frozen=True, array_like=True):
    """One searchable turn. `terms` is its text already cut into words by us, joined by spaces.

    Attributes:
        kind: "turn", or "fragment" for a piece of a document.
    """

    turn_id: int
    first_seq: int
    last_seq: int
    at_ms: int
    role: str
    terms: str
    tags: dict[str, list[str]] = {}
    origin_ids: tuple[int, ...] = ()
    kind: str = "turn"


class Vector(Struct, frozen=True, array_like=True):
    """One window of a turn as a vector: little-endian float16, unit length. A turn has at most 256 windows.

    The first vectors of a turn and an embedder replace what that embedder had for it.
    """

    turn_id: int
    window: int
    embedder_id: str
    data: bytes


class VectorRow(Struct, frozen=True, array_like=True):
    """A stored vector. `number` grows with arrival, over all lanes and embedders of the store."""

    doc: int
    window: int
    data: bytes
    number: int = 0


class Literals(Struct, frozen=True, array_like=True):
    """Identifiers and exact strings of one entry. Without words: the entry was looked through and has none."""

    seq: int
    words: tuple[str, ...]


class Scope(Struct, frozen=True):
    """Where recall looks: one project, or a part of it.

    Attributes:
        session_id: "" for every session of the project.
        lane_id: "" for every lane of the session or sessions.
        reader: who asks: of the private lanes only this one is seen.
    """

    tenant_id: str
    project_id: str
    session_id: str = ""
    lane_id: str = ""
    reader: LaneKey | None = None


def lane_scope(key: LaneKey) -> Scope:
    """One lane as it sees itself."""
    return Scope(key.tenant_id, key.project_id, key.session_id, key.lane_id, key)


class Filter(Struct, frozen=True):
    """What a turn must be; everything must hold, and what is empty does not bind.

    Attributes:
        since_ms, until_ms: bounds of the turn's at_ms; `until_ms` itself is outside.
        tags: values by kind, of each kind any of them; case does not matter.
        before_seq: of the lane `lane` (without one, of every lane) only turns whose last_seq is below it.
        kinds: "turn", "fragment".
    """

    roles: tuple[str, ...] = ()
    since_ms: int = 0
    until_ms: int = 0
    tags: dict[str, tuple[str, ...]] = {}
    before_seq: int = 0
    lane: LaneKey | None = None
    kinds: tuple[str, ...] = ()


class Candidate(Struct, frozen=True):
    """A turn that was found.

    Attributes:
        doc: the store's number of the row; grows with insertion and is never given twice.
        length: number of terms.
        words: BM25 in the scope's own numbers; 0 where it was not found by words.
    """

    doc: int
    key: LaneKey
    turn_id: int
    first_seq: int
    last_seq: int
    at_ms: int
    role: str
    tags: dict[str, list[str]]
    length: int
    words: float = 0.0
    kind: str = "turn"


class WordMatches(Struct, frozen=True):
    """Turns found by words, best first, with the numbers of the scope (not of the filter) they were ranked by.

    Attributes:
        ceiling: no turn of the scope can have a higher BM25 for these terms; 0 where the scope knows none of them.
        weights: the inverse document frequency of each of the terms that the scope knows.
    """

    rows: list[Candidate]
    turn_count: int
    mean_length: float
    ceiling: float
    weights: dict[str, float] = {}


class Snapshot(Struct, frozen=True, array_like=True):
    seq: int
    version: int
    data: bytes


class LaneHead(Struct, frozen=True, array_like=True):
    """Where a lane ends: last seq, number of the last request, and the seq that its current branch ends at."""

    last_seq: int
    last_request: int
    head_seq: int


class Batch(Struct, frozen=True, kw_only=True):
    """Everything one transaction writes to one lane."""

    entries: Sequence[StoredEntry] = ()
    bodies: Sequence[Body] = ()
    counts: Sequence[Count] = ()
    turns: Sequence[Turn] = ()
    dropped_turns: Sequence[int] = ()
    snapshot: Snapshot | None = None
    vectors: Sequence[Vector] = ()
    literals: Sequence[Literals] = ()


NO_FILTER = Filter()
