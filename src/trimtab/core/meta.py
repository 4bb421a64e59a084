"""Meta notes in the prompt: what data looks like that is no longer there, and which tables belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct

from trimtab.core.notes import FieldShape, MetaNote, Structure
from trimtab.core.relations import Relation, Table, relations_of
from trimtab.core.state import SessionState

HEAD = "What data looks like that is not here in full (reference only; values are read by name or number):"
RELATED = "Related by key:"
FIRST_FIELDS = 12
# levels of shortening: all, names of fields only, the first dozen of them, the note's own name only
_WHOLE, _NAMES, _FIRST, _NAMED = range(4)
_MOST_NAMED, _MOST_ALSO, _MAX_KEY_CHARS, _MAX_TEXT_CHARS = 12, 3, 80, 300


class _Block(Struct, frozen=True):
    """A note and those older ones that look just the same."""

    note: MetaNote
    also: tuple[str, ...] = ()


def standing_meta_notes(state: SessionState) -> list[MetaNote]:
    """The notes that always stand, oldest first: their data is nowhere in the history, or they are definitions."""
    return [note for note in state.meta_notes.values() if not note.source_seq]


def left_meta_notes(state: SessionState, cut_seq: int, altered: frozenset[int]) -> list[MetaNote]:
    """The notes whose data stood in the history and does not stand in the prompt whole, oldest first: it has left it
    (up to `cut_seq`, or one by one), or is shortened (`altered`: seqs of such messages)."""
    gone = altered.union(state.holes)
    notes = (note for note in state.meta_notes.values() if note.source_seq)
    return [note for note in notes if note.source_seq <= cut_seq or note.source_seq in gone]


def render_meta_notes(notes: Sequence[MetaNote], max_tokens: int, count: Callable[[str], int]) -> str:
    """One block of at most `max_tokens`, oldest note first, then the relations between their tables.

    What does not fit goes in this order, of the oldest notes first: types and ranges; fields past the first dozen
    (keys and related fields stay); whole notes, which are then named in one line. "" for nothing, and where not even
    names fit.
    """
    blocks = _blocks(notes)
    if not blocks or max_tokens <= 0:
        return ""
    tables = _tables(blocks)
    related = relations_of(tables)

    def text(first: int, level: int) -> str:
        levels = [level if index < first else level - 1 for index in range(len(blocks))]
        return _text(blocks, levels, tables, related)

    if count(whole := text(0, _NAMES)) <= max_tokens:
        return whole
    for level in (_NAMES, _FIRST, _NAMED):
        if count(text(len(blocks), level)) > max_tokens:
            continue
        low, high = 1, len(blocks)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if count(text(middle, level)) <= max_tokens else (middle + 1, high)
        # a counter need not grow with the text: what was found is counted once more
        short = text(low, level)
        return short if count(short) <= max_tokens else text(len(blocks), level)
    return ""


def _blocks(notes: Sequence[MetaNote]) -> list[_Block]:
    """Notes on data of one shape are said once, as the newest of them."""
    grouped: dict[object, list[MetaNote]] = {}
    for note in notes:
        if note.structures or note.text.strip():
            grouped.setdefault(_shape(note) if not note.text else note.key, []).append(note)
    newest = sorted(grouped.values(), key=lambda group: (group[-1].seq, notes.index(group[-1])))
    return [_Block(group[-1], tuple(_key(note) for note in group[-2::-1])) for group in newest]


def _shape(note: MetaNote) -> tuple[object, ...]:
    """What is the same where the same thing was read twice: all but the number of rows, types and ranges."""
    return tuple((row.kind, row.path, row.title, row.key, *(field.name for field in row.fields)) for row in note.structures)


def _tables(blocks: Sequence[_Block]) -> list[Table]:
    """Labels: the table's own title where it is the only one of that name, else the note's key before it."""
    titles = Counter(structure.title for block in blocks for structure in block.note.structures)
    tables: list[Table] = []
    for index, block in enumerate(blocks):
        single = len(block.note.structures) == 1
        for structure in block.note.structures:
            title, key = structure.title, _key(block.note)
            label = title if title and titles[title] == 1 else f"{key}/{title}" if title and not single else key
            tables.append(Table(label, index, structure))
    return tables


def _text(blocks: Sequence[_Block], levels: Sequence[int], tables: Sequence[Table], related: Sequence[Relation]) -> str:
    keep = {side for relation in related for side in relation.fields}
    lines = [HEAD]
    for index, (block, level) in enumerate(zip(blocks, levels, strict=True)):
        if level < _NAMED:
            lines += _lines(block, level, [table for table in tables if table.note == index], keep)
    shown = [relation.line for relation in related if all(levels[note] < _NAMED for note in relation.notes)]
    if shown:
        lines += [RELATED, *(f"- {line}" for line in shown)]
    named = [_key(block.note) for block, level in zip(blocks, levels, strict=True) if level == _NAMED]
    if named:
        rest = len(named) - _MOST_NAMED
        lines.append(f"Besides: {', '.join(named[-_MOST_NAMED:])}" + (f" and {rest:,} more" if rest > 0 else ""))
    return "\n".join(lines)


def _lines(block: _Block, level: int, tables: Sequence[Table], keep: set[tuple[str, str]]) -> list[str]:
    note = block.note
    head = f"- {_key(note)}" + (f" (#{note.source_seq})" if note.source_seq else "")
    if block.also:
        rest = len(block.also) - _MOST_ALSO
        head += f", alike: {', '.join(block.also[:_MOST_ALSO])}" + (f" and {rest:,} more" if rest > 0 else "")
    said = [_line(table, level, keep) for table in tables]
    text = " ".join(note.text.split())
    if text:
        said.append(text if level < _FIRST or len(text) <= _MAX_TEXT_CHARS else text[: _MAX_TEXT_CHARS - 1] + "…")
    return [f"{head}: {said[0]}"] if len(said) == 1 else [f"{head}:", *(f"  - {line}" for line in said)]


def _line(table: Table, level: int, keep: set[tuple[str, str]]) -> str:
    structure = table.structure
    words = [f"{structure.title}: " if structure.title else "", structure.kind]
    words.append(f" of {structure.rows:,} {_unit(structure)}" if structure.rows or not structure.fields else "")
    words.append(f" at {structure.path}" if structure.path else "")
    words.append(f", key {structure.key}" if structure.key else "")
    fields = [
        field
        for place, field in enumerate(structure.fields)
        if level < _FIRST or place < FIRST_FIELDS or field.name == structure.key or (table.label, field.name) in keep
    ]
    rest = len(structure.fields) - len(fields) + structure.more_fields
    if fields:
        words.append("; " + ", ".join(_field(field, level) for field in fields) + (f" and {rest:,} more" if rest else ""))
    return "".join(words)


def _unit(structure: Structure) -> str:
    lines = structure.kind in ("text", "log") or structure.kind.endswith(" code")
    return ("lines" if lines else "rows") if structure.rows != 1 else ("line" if lines else "row")


def _field(field: FieldShape, level: int) -> str:
    return " ".join(part for part in (field.name, field.type, field.note) if part) if level == _WHOLE else field.name


def _key(note: MetaNote) -> str:
    key = " ".join(note.key.split())
    return key if len(key) <= _MAX_KEY_CHARS else key[: _MAX_KEY_CHARS - 1] + "…"
