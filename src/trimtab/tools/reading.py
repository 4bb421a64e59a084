"""Handlers that look things up: variables and messages, the whole memory, what there is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from trimtab.errors import BadNeed
from trimtab.recall.needs import Need
from trimtab.session.finding import Found
from trimtab.tools.arguments import BadArgument, shown
from trimtab.tools.desk import Desk, as_lines, as_text
from trimtab.tools.paging import POINTER_TOKENS, chars_rest, fit_text, page, part_of
from trimtab.tools.tables import json_of

SLICES = ("path", "rows", "lines", "chars", "around")
MOST_HITS, MOST_FILTERED_HITS = 8, 60
_HIT_CHARS = 400
_SAMPLE_CHARS_PER_TOKEN = 8
# messages smaller than this are not worth a line, nor more than so many of them
_LEAST_LISTED_TOKENS, _MOST_LISTED = 150, 10
_OPEN_FIELDS = ("question", "todo")
# "#12" of a message, "i12.0" of an item that came from it; "p1-i12.0" is from elsewhere
_REF_NUMBER = re.compile(r"[#a-z]*(\d{1,12})\b(?!-)")


def read_variable(desk: Desk, args: dict[str, Any]) -> str:
    name = desk.source(args["name"])
    asked = [slice_ for slice_ in SLICES if slice_ in args]
    if len(asked) > 1:
        raise BadArgument(f"{' and '.join(asked)} were given; ask for one of {', '.join(SLICES)} at a time")
    if not asked:
        return _whole(desk, desk.session.read(name))
    kind, wanted = asked[0], args[asked[0]]
    if kind in ("rows", "lines"):
        return _rows(desk, name, kind, wanted)
    value = desk.session.read(name, **{kind: wanted})
    if kind == "chars":
        text = as_text(value)
        return fit_text(text, desk.max_tokens, desk.count, lambda chars: chars_rest(wanted[0], chars, wanted[0] + len(text)))
    if kind == "around":
        return page(as_lines(value), None, desk.max_tokens, desk.count, part_of)
    return _whole(desk, value)


def _whole(desk: Desk, value: Any) -> str:
    text = as_text(value)
    if len(text) > desk.max_tokens:
        # a text that is JSON goes on by rows or paths, which say more than characters
        value = json_of(value)
    if isinstance(value, list):
        return page(as_lines(value), None, desk.max_tokens, desk.count) or "(empty)"
    keys = f"; keys: {', '.join(list(value)[:20])}; ask for a path" if isinstance(value, dict) else ""
    return fit_text(text, desk.max_tokens, desk.count, lambda chars: chars_rest(0, chars, len(text)) + keys) or "(empty)"


def _rows(desk: Desk, name: str, kind: str, wanted: tuple[int, int]) -> str:
    """As many of the asked rows or lines as fit: fewer are read until they do."""
    first, last = wanted
    room = desk.max_tokens - POINTER_TOKENS
    lines = _read_rows(desk, name, kind, (first, last))
    # more may have been asked for than there is
    end = last = max(first, min(last, first + len(lines) - 1))
    while (tokens := _roughly(desk, lines)) > room and last > first:
        last = max(first, min(last - 1, first - 1 + int((last - first + 1) * room / tokens)))
        lines = _read_rows(desk, name, kind, (first, last))
    rest = f"; ask for {kind} [{last + 1}, {min(end, 2 * last - first + 1)}]" if last < end else ""
    text = fit_text("\n".join(lines), room, desk.count, lambda _: f"the first of these {kind} is too long; read it by chars")
    return f"{text}\n[{kind} {first}..{last}{rest}]" if rest else text or "(empty)"


def _read_rows(desk: Desk, name: str, kind: str, wanted: tuple[int, int]) -> list[str]:
    part: dict[str, Any] = {kind: wanted}
    return as_lines(desk.session.read(name, **part))


def _roughly(desk: Desk, lines: list[str]) -> float:
    """Tokens of the lines, told from their beginning where they are very long."""
    text = "\n".join(lines)
    sample = text[: desk.max_tokens * _SAMPLE_CHARS_PER_TOKEN]
    return desk.count(sample) * len(text) / max(1, len(sample))


# ---------------------------------------------------------------- search


def query_memory(desk: Desk, args: dict[str, Any]) -> str:
    filters = args.get("filters", {})
    kinds = {"kinds": (filters["kind"],)} if "kind" in filters else {}
    limit = MOST_FILTERED_HITS if set(filters) - {"kind"} else MOST_HITS
    # the call that asks holds the words that are asked for
    open_unit = desk.session.state.open_unit
    asking = {f"#{seq}" for seq in open_unit.nodes} if open_unit is not None else set()
    found = desk.session.find(_asked(args), limit=limit + len(asking), **kinds)
    hits = _filtered((hit for hit in found if hit.ref not in asking), filters)[:MOST_HITS]
    if not hits:
        among = f" among {shown(filters)}" if filters else ""
        return f"nothing found for {shown(args['query'])}{among}; try other words, an exact name or number, or {desk.call('list_memory')}"
    return page([_hit(hit) for hit in hits], None, desk.max_tokens, desk.count, part_of)


def _asked(args: dict[str, Any]) -> str | Need:
    """The query; a need where more is said of what is looked for."""
    fields = {name: args[name] for name in ("entities", "kind", "time_range") if name in args}
    if not fields:
        return str(args["query"])
    bounds = fields.get("time_range")
    if bounds is not None and len(bounds) != 2:
        raise BadArgument(f'"time_range" is {shown(bounds)}; it must be two dates, such as ["2026-03-01", "2026-04-01"]')
    try:
        return Need.of({"words": args["query"]} | fields)
    except BadNeed as error:
        raise BadArgument(str(error)) from None


def _filtered(hits: Iterable[Found], filters: dict[str, Any]) -> list[Found]:
    """What has no place in time passes no limit of it."""
    role = filters.get("role", "")
    after, before = (_bound(filters[key], key) if key in filters else None for key in ("after", "before"))
    return [
        hit
        for hit in hits
        if (not role or hit.role == role)
        and (after is None or ((at := _place(hit, after[0])) is not None and at > after[1]))
        and (before is None or ((at := _place(hit, before[0])) is not None and at < before[1]))
    ]


def _bound(text: str, key: str) -> tuple[str, int]:
    """("seq", number) or ("at_ms", time) of a limit that the agent gave."""
    if found := re.fullmatch(r"#?(\d{1,9})", text.strip()):
        return "seq", int(found[1])
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadArgument(f'"filters.{key}" is {shown(text)}; it must be a message number ("#12") or a date ("2025-01-31")') from None
    return "at_ms", int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def _place(hit: Found, by: str) -> int | None:
    """Where a hit stands: the number of its message, or its time; None where it has none."""
    if by == "at_ms":
        return hit.at_ms or None
    # numbers of another lane do not count on with these
    found = _REF_NUMBER.match(hit.ref) if "/" not in hit.ref and hit.kind in ("message", "turn", "item") else None
    return int(found[1]) if found else None


def _hit(hit: Found) -> str:
    """What was found: where it is, when, who, what about; what it says; and why it was found."""
    status = f" ({hit.status})" if hit.status not in ("", "active") else ""
    at = f"{datetime.fromtimestamp(hit.at_ms / 1000, UTC):%Y-%m-%d %H:%M}" if hit.at_ms else ""
    head = ", ".join(part for part in (f"{hit.kind} {hit.ref}{status}", at, hit.role, f"on {hit.topic}" if hit.topic else "") if part)
    text = " ".join(hit.text.split())
    if hit.item:
        text = f"the one that is meant: {hit.item}; in: {text}"
    return f"{head}: {text if len(text) <= _HIT_CHARS else text[: _HIT_CHARS - 1] + '…'} [{hit.why}]"


# ---------------------------------------------------------------- what there is


def list_memory(desk: Desk, args: dict[str, Any]) -> str:
    state = desk.session.state
    open_points = [item for item in state.items.values() if item.field in _OPEN_FIELDS and item.status == "active"]
    blocks = {
        "Largest messages in the prompt": _largest(desk),
        "Variables": [f"{variable.name}: {variable.line}; about {variable.tokens:,} tokens" for variable in state.variables.values()],
        "Notes": [f"{key} (version {note.version})" for key, note in state.notes.items()],
        "Structures": [_structure(note) for note in desk.session.meta_notes()],
        "Open points": [" ".join(item.text.split()) for item in open_points],
    }
    lines = []
    share = desk.max_tokens // max(1, sum(bool(rows) for rows in blocks.values()))
    for title, rows in blocks.items():
        if rows:
            # the newest are what the agent works with
            lines.append(f"{title}:\n{page(rows[::-1], None, share, desk.count, part_of)}")
    return desk.capped("\n".join(lines)) or "nothing is stored yet, and the prompt holds no large message"


def _largest(desk: Desk) -> list[str]:
    state = desk.session.state
    in_prompt = {segment.origin[0]: segment.tokens for segment in state.projection if segment.place == "message"}
    rows = []
    for unit in state.units:
        for seq in unit.nodes:
            tokens = in_prompt.get(seq, state.nodes[seq].tokens)
            if tokens >= _LEAST_LISTED_TOKENS and unit.key not in state.dropped:
                called = desk.label(f"#{seq}")
                what = f"result of {called}" if called else "tool result" if state.nodes[seq].results else state.nodes[seq].role
                rows.append((tokens, seq, f"#{seq} {what}, {tokens:,} tokens"))
    largest = sorted(rows, reverse=True)[:_MOST_LISTED]
    return [line for _, _, line in sorted(largest, key=lambda row: row[1])]


def _structure(note: Any) -> str:
    shapes = [
        f"{shape.kind}{f', {shape.rows:,} rows' if shape.rows else ''}: {', '.join(field.name for field in shape.fields[:12])}"
        for shape in note.structures
    ]
    return f"{note.key}: {'; '.join([*shapes, note.text] if note.text else shapes)}"
