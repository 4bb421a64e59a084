"""Handlers that look into the project's documents: what answers, and one piece to read."""

from __future__ import annotations

from typing import Any

from trimtab.session.library_pieces import FoundPiece
from trimtab.tools.arguments import BadArgument, shown
from trimtab.tools.desk import Desk
from trimtab.tools.paging import fit_text

MOST_FOUND, _DEFAULT_FOUND = 10, 5
# a piece that is cut shorter says nothing
_LEAST_PIECE_TOKENS = 120


def search_documents(desk: Desk, args: dict[str, Any]) -> str:
    limit = min(MOST_FOUND, max(1, args.get("limit", _DEFAULT_FOUND)))
    found = desk.session.library.search(args["query"], limit)
    if not found:
        names = ", ".join(row.name for row in desk.session.library.list()[:20]) or "none"
        return desk.capped(f"nothing found for {shown(args['query'])}; try other words. Documents: {names}")
    blocks: list[str] = []
    left = desk.max_tokens
    found = found[: max(1, left // _LEAST_PIECE_TOKENS)]
    for place, piece in enumerate(found):
        share = left // (len(found) - place)
        again = desk.call("read_document", name=piece.name, piece=piece.number)
        block = _block(desk, piece, share, f"cut; {again} for all of it")
        left -= desk.count(block) + 1
        blocks.append(block)
    return "\n\n".join(blocks)


def read_document(desk: Desk, args: dict[str, Any]) -> str:
    library, name, number = desk.session.library, args["name"], args.get("piece", 0)
    known = next((row for row in library.list() if row.name == name), None)
    if known is not None and not 0 <= number < known.pieces:
        raise BadArgument(f'"piece" is {number}; {name} has the pieces 0 to {known.pieces - 1}')
    piece = library.read(name, number)
    last = known.pieces - 1 if known is not None else number
    rest = f"\n[the next piece: {desk.call('read_document', name=name, piece=number + 1)}]" if number < last else ""
    return (
        _block(desk, piece, desk.max_tokens - desk.count(rest), "the rest of this piece is left out; search for what you need of it") + rest
    )


def _block(desk: Desk, piece: FoundPiece, max_tokens: int, rest: str) -> str:
    """The piece under its place, within so many tokens; `rest` says what to do where it is cut."""
    head = f"[{piece.where} · {piece.name}, piece {piece.number}]"
    return head + "\n" + fit_text(piece.text, max(1, max_tokens - desk.count(head) - 2), desk.count, lambda chars: rest)
