"""A stretch of history cut into parts that a model's window takes. Every text in it is in one of the parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from trimtab.distill.digest.transcript import Line, written
from trimtab.distill.structure import preview

Count = Callable[[str], int]

# requests that one run may need; what is beyond is left for the next run
MOST_CHUNKS = 40
# the ends of lines and sentences, then of words
_CUTS = (("\n", "。", "！", "？", ". ", "! ", "? "), (" ",))


class Chunk(Struct, frozen=True):
    """What one request reads.

    Attributes:
        text: the transcript.
        lines: the messages in it, some perhaps in part.
        last_seq: the newest message that has been read whole once this chunk is; 0 where it ends inside the first.
    """

    text: str
    lines: tuple[Line, ...]
    last_seq: int


class _Piece(Struct, frozen=True):
    line: Line
    text: str
    tokens: int
    ends: bool


def chunks_of(lines: Sequence[Line], max_tokens: int, count: Count) -> list[Chunk]:
    """At most MOST_CHUNKS parts of at most `max_tokens` each, in order; they end with a whole message.

    A message that is longer than a part goes on in the next; one that would take half of all parts alone is
    shortened to its two ends.
    """
    chunks: list[Chunk] = []
    held: list[_Piece] = []
    room, read = max_tokens, 0

    def close() -> None:
        nonlocal room
        chunks.append(Chunk("\n".join(piece.text for piece in held), tuple(dict.fromkeys(piece.line for piece in held)), read))
        held.clear()
        room = max_tokens

    for line in lines:
        for piece in _pieces(line, max_tokens, count):
            if held and piece.tokens > room:
                close()
            held.append(piece)
            room -= piece.tokens
            read = line.seq if piece.ends else read
    if held:
        close()
    return _whole_messages(chunks)


def _whole_messages(chunks: list[Chunk]) -> list[Chunk]:
    """What the limit leaves, up to the last part that ends with its last message whole."""
    if len(chunks) <= MOST_CHUNKS:
        return chunks
    kept = chunks[:MOST_CHUNKS]
    while len(kept) > 1 and kept[-1].last_seq != kept[-1].lines[-1].seq:
        kept.pop()
    return kept


def _pieces(line: Line, max_tokens: int, count: Count) -> list[_Piece]:
    whole = written(line, line.shown)
    tokens = count(whole) + 1
    if tokens <= max_tokens:
        return [_Piece(line, whole, tokens, True)]
    shown = line.shown
    most = max_tokens * MOST_CHUNKS // 2
    if tokens > most:
        keep = len(shown) * most // tokens
        shown = preview(shown, keep * 2 // 3, keep // 3)
    texts = _split(shown, max_tokens - count(written(line, "", " (part 100 of 100)")) - 2, count)
    pieces = [written(line, text, f" (part {index} of {len(texts)})") for index, text in enumerate(texts, 1)]
    return [_Piece(line, text, count(text) + 1, index == len(pieces)) for index, text in enumerate(pieces, 1)]


def _split(text: str, max_tokens: int, count: Count) -> list[str]:
    """Consecutive slices of the text, each within the limit once it is indented, cut at line or sentence ends."""
    parts: list[str] = []
    at = 0
    size = max(1, len(text) * max_tokens // max(1, count(text)))
    while at < len(text):
        end = min(len(text), at + size)
        while end - at > 1 and count(text[at:end].replace("\n", "\n  ")) > max_tokens:
            end = at + max(1, (end - at) * 3 // 4)
        end = _cut_near(text, at, end) if end < len(text) else end
        parts.append(text[at:end])
        at = end
    return parts


def _cut_near(text: str, start: int, end: int) -> int:
    least = end - (end - start) // 4
    for marks in _CUTS:
        best = max(found + len(mark) if (found := text.rfind(mark, least, end)) >= 0 else -1 for mark in marks)
        if start < best <= end:
            return best
    return end
