"""Which tables belong together, told by the names of their fields alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from trimtab.core.notes import Structure

# names that every table may have: alone they relate nothing
_GENERIC = frozenset(
    {"id", "uuid", "guid", "key", "code", "no", "number", "name", "title", "type", "value", "index", "date", "email"}
    | {"编号", "序号", "号", "名称", "代码", "编码", "号码", "日期"}
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[一-鿿]+")
_SEPARATORS = re.compile(r"[\W_]+")
_ZH_ENDINGS = re.compile(r"(?:列表|信息|数据|记录|明细|表|清单)$")
_UNRELATED = frozenset({"bool", "date", "list", "object", "null", "function", "class", "heading"})
MOST_RELATIONS = 20


class Table(Struct, frozen=True, array_like=True):
    """A structure under the name that a reader sees; `note` is the place of its note."""

    label: str
    note: int
    structure: Structure


class Relation(Struct, frozen=True, array_like=True):
    """`line` says it; `notes` are the places of the two notes, `fields` (label, field) of both sides."""

    line: str
    notes: tuple[int, int]
    fields: tuple[tuple[str, str], tuple[str, str]]


def relations_of(tables: Sequence[Table]) -> list[Relation]:
    """orders.customer_id = customers.id: a field that is named as the key of another table, or after that table and
    its key. In the order of the tables, at most 20. Two tables of the same fields are one table read twice."""
    targets: dict[str, list[tuple[Table, str]]] = {}
    for table in tables:
        for name in _names_of_key(table):
            targets.setdefault(name, []).append((table, table.structure.key))
    found: dict[tuple[tuple[str, str], ...], Relation] = {}
    for table in tables:
        for relation in _relations_from(table, targets):
            pair = tuple(sorted(relation.fields))
            found.setdefault(pair, relation)
            if len(found) == MOST_RELATIONS:
                return list(found.values())
    return list(found.values())


def _relations_from(table: Table, targets: dict[str, list[tuple[Table, str]]]) -> Iterator[Relation]:
    for field in table.structure.fields:
        if set(field.type.split("|")) & _UNRELATED - {"null"}:
            continue
        for other, key in targets.get(_plain(field.name), ()):
            if other is table or _same_shape(other.structure, table.structure):
                continue
            line = f"{table.label}.{field.name} = {other.label}.{key}"
            yield Relation(line, (table.note, other.note), ((table.label, field.name), (other.label, key)))


def _same_shape(one: Structure, other: Structure) -> bool:
    return [field.name for field in one.fields] == [field.name for field in other.fields]


def _names_of_key(table: Table) -> Iterator[str]:
    """How a field elsewhere may be called that points at this table's key."""
    key = table.structure.key
    if not key:
        return
    plain = _plain(key)
    if plain not in _GENERIC:
        yield plain
    for entity in dict.fromkeys(_entities(table.structure.title or table.label)):
        if not plain.startswith(entity):
            yield entity + plain


def _entities(name: str) -> Iterator[str]:
    """The things a table may be of: the words of its name, in the singular; all words together."""
    words = [_singular(word.lower()) for word in _WORD.findall(name)]
    yield from (word for word in words if len(word) > 1)
    if len(words) > 1:
        yield "".join(words)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return _ZH_ENDINGS.sub("", word) or word


def _plain(name: str) -> str:
    return _SEPARATORS.sub("", name).lower()
