"""Handlers that save: notes, key information, variables."""

from __future__ import annotations

from typing import Any

from trimtab.tools.arguments import BadArgument, shown
from trimtab.tools.desk import Desk, as_lines, as_text, good_key
from trimtab.tools.extracting import KeyInfo, from_json, from_table, from_text, merged
from trimtab.tools.paging import chars_rest, fit_text, page
from trimtab.tools.tables import json_of, tables_of

# a note is read whole; what is longer is a variable
MAX_NOTE_TOKENS = 4_000
KEY_INFO = "key_info/"
_LISTED_NOTES = 40
_BEGINNING_CHARS = 80


def write_note(desk: Desk, args: dict[str, Any]) -> str:
    key, value = good_key("key", args["key"]), args["value"]
    text = as_text(value)
    if len(text) > MAX_NOTE_TOKENS and (tokens := desk.count(text[: MAX_NOTE_TOKENS * 12])) > MAX_NOTE_TOKENS:
        raise BadArgument(
            f"not saved: a note holds a conclusion, at most {MAX_NOTE_TOKENS:,} tokens, and this has {tokens:,} or more; "
            f"shorten it, or store it whole: {desk.call('save_variable', name=key, value='...')}"
        )
    desk.session.check_adoption(f"the note {shown(key)}", text)
    version = desk.session.write_note(key, value)
    return f"saved as note {shown(key)} (version {version})"


def read_note(desk: Desk, args: dict[str, Any]) -> str:
    value = desk.session.read_note(args["key"], args.get("version"))
    rows = value.get("rows") if isinstance(value, dict) else None
    if "rows" in args:
        return page(as_lines(rows if isinstance(rows, list) else value), args["rows"], desk.max_tokens, desk.count)
    text = as_text(value)
    start, end = args.get("chars", (0, len(text)))
    asked = text[start:end]
    if isinstance(rows, list) and start == 0 and desk.count(asked[: desk.max_tokens * 12]) > desk.max_tokens:
        head = as_text({key: item for key, item in value.items() if key != "rows"})
        return f"{head}\n{page(as_lines(rows), None, desk.max_tokens - desk.count(head), desk.count)}"
    return fit_text(asked, desk.max_tokens, desk.count, lambda shown_chars: chars_rest(start, shown_chars, len(text))) or "(empty)"


def list_notes(desk: Desk, args: dict[str, Any]) -> str:
    notes = desk.session.state.notes
    keys = [key for key in notes if notes[key].body_id and key.startswith(args.get("begins_with", ""))]
    if not keys:
        there = f"; there are {len(notes)} others" if notes else ""
        return f"no notes{there}. {desk.call('write_note', key='...', value='...')} saves one"
    first, last = args.get("rows", (1, _LISTED_NOTES))
    first = max(1, first)
    # only the notes of this page are read
    shown_keys = set(keys[first - 1 : min(last, first + _LISTED_NOTES - 1)])
    lines = [_note_line(desk, key) if key in shown_keys else key for key in keys]
    return page(lines, (first, max(last, first) if "rows" in args else len(lines)), desk.max_tokens, desk.count)


def _note_line(desk: Desk, key: str) -> str:
    text = " ".join(as_text(desk.session.read_note(key))[: 4 * _BEGINNING_CHARS].split())
    short = text if len(text) <= _BEGINNING_CHARS else text[: _BEGINNING_CHARS - 1] + "…"
    return f"{key} (version {desk.session.state.notes[key].version}): {short}"


def save_variable(desk: Desk, args: dict[str, Any]) -> str:
    name, value = good_key("name", args["name"]), args["value"]
    source = ""
    if isinstance(value, str) and value.startswith("#") and value[1:2].isdigit():
        value = source = desk.source(value)
    variable = desk.session.offload(name, value, author="agent")
    lines = [
        f"saved as variable {shown(name)} (version {variable.version}): {variable.line}; about {variable.tokens:,} tokens",
        f"read a part of it with {desk.call('read_variable', name=name, rows=[1, 20])}, or by path, lines, chars, around",
        desk.may_drop(source) if source else "",
    ]
    return desk.capped("\n".join(line for line in lines if line))


def extract_key_info(desk: Desk, args: dict[str, Any]) -> str:
    """What is found is saved before it is shown: an answer that is lost on its way loses nothing."""
    source, fields = desk.single(desk.source(args["source"])), args["keep_fields"]
    info = _key_info(desk, source, fields)
    missing = f"not found: {', '.join(info.missing)}" if info.missing else ""
    if missing and info.offered:
        missing += f"; there is: {', '.join(info.offered)}"
    if not info:
        raise BadArgument(desk.capped(f"nothing was saved. In {source} {missing}. Ask for other fields or words"))
    origin = {"source": source} | ({"from": label} if (label := desk.label(source)) else {})
    key = good_key("save_as", args.get("save_as") or f"{KEY_INFO}{source}"[:180])
    parts = {"fields": info.fields, "rows": list(info.rows), "not_found": list(info.missing)}
    value = origin | {part: found for part, found in parts.items() if found}
    version = desk.session.write_note(key, value, sources=_message_of(desk, source))
    came = f"{source}, result of {origin['from']}" if "from" in origin else source
    head = f"saved as note {shown(key)} (version {version}); source: {came}"
    tail = "\n".join(line for line in (missing, desk.may_drop(source)) if line)
    room = max(64, desk.max_tokens - desk.count(head) - desk.count(tail) - 8)
    return "\n".join(part for part in (head, _shown(desk, info, key, room), tail) if part)


def _message_of(desk: Desk, source: str) -> tuple[int, ...]:
    """The message that a source stands in, as long as it is a single result's."""
    variable = desk.session.state.variables.get(source)
    seq = variable.source_seq if variable is not None else int(source[1:]) if source[1:].isdigit() and source[0] == "#" else 0
    return (seq,) if seq else ()


def _key_info(desk: Desk, source: str, fields: list[str]) -> KeyInfo:
    """Of text the tables in it come first: what is a column there is not looked for as a word."""
    value = json_of(desk.session.read(source))
    if not isinstance(value, str):
        return from_json(value, fields)
    columns = from_table(tables_of(value), fields)
    if not columns.missing:
        return columns
    return merged(columns, from_text(value, columns.missing))


def _shown(desk: Desk, info: KeyInfo, key: str, room: int) -> str:
    fields = "\n".join(f"{name}: {as_text(value)}" for name, value in info.fields.items())
    text = fit_text(fields, room, desk.count, lambda _: f"the rest: {desk.call('read_note', key=key)}")
    if not info.rows:
        return text
    again = desk.call("read_note", key=key)[:-1]

    def rest(first: int, last: int, total: int) -> str:
        return f"rows {first}..{last} of {total:,}; {again}, rows=[{last + 1}, {min(total, 2 * last - first + 1)}])"

    table = page(as_lines(list(info.rows)), None, max(64, room - desk.count(text)), desk.count, rest)
    return "\n".join(part for part in (text, table) if part)
