"""When two entities are one: case, width, plural, a longer name of the same thing, the same date or sum written otherwise.

Tags keep entities as they were written. They are compared here, so tags of older versions compare just as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from unicodedata import normalize

VARIANT = 0.6  # what a meeting by a shorter name counts against one by the whole name

_MONTHS = {
    name: place for place, name in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)
}
_HAN_DIGITS = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_DATES = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"),
    re.compile(r"(?:(?P<y>\d{4})年\s?)?(?P<m>\d{1,2}|[一二三四五六七八九十]{1,2})月(?:(?P<d>\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?"),
    re.compile(r"(?P<m>[a-z]{3,9})\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<y>\d{4}))?"),
    re.compile(r"(?P<d>\d{1,2})(?:st|nd|rd|th)? (?P<m>[a-z]{3,9})(?: (?P<y>\d{4}))?"),
)
_AMOUNT = re.compile(
    r"(?P<sign>us\$|[$€£¥])?\s?(?P<sum>\d[\d,]*(?:\.\d+)?)\s?(?P<scale>million|billion|[kmb](?![a-z])|[万亿])?\s?(?P<unit>[a-z%]{1,8}"
    r"|美元|欧元|元|块钱?|公斤|公里)?"
)
_SCALES = {"k": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9, "万": 1e4, "亿": 1e8}
_UNITS = {
    "$": "usd", "us$": "usd", "dollars": "usd", "dollar": "usd", "美元": "usd", "€": "eur", "euros": "eur", "euro": "eur", "欧元": "eur",
    "£": "gbp", "pounds": "gbp", "¥": "cny", "元": "cny", "块": "cny", "块钱": "cny", "rmb": "cny", "yuan": "cny", "公斤": "kg", "公里": "km",
}  # fmt: skip
# what stands beside a name and says only what kind of thing it is
_COMMON_WORDS = (
    "account app application bank branch card channel city client co company corp corporation database db department file gmbh group"
    " inc library limited ltd module office package plan platform product program project repo repository server service site street system team tool"
    " website"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_TITLES = frozenset(["mr", "mrs", "ms", "dr", "prof", "professor", "sir", "the"])
_HAN_COMMON = re.compile(r"(?<=.{2})(?:银行卡|储蓄卡|信用卡|账户|账号|公司|银行|项目|系统|平台|团队|部门|卡|部)$")
_SIGNS = re.compile(r"[-_#/\s.]+")
_BORDER = re.compile(r"[\W_]+")


@lru_cache(maxsize=20_000)
def entity_keys(entity: str) -> tuple[str, ...]:
    """The forms by which an entity is met, its own first; () where nothing is left of it."""
    name = " ".join(normalize("NFKC", entity).casefold().replace("’", "'").split()).strip("\"'`.,;:()[]《》「」『』“”")
    name = name.removesuffix("'s")
    if not name:
        return ()
    special = _date_keys(name) or _amount_keys(name)
    if special:
        return special
    keys = {_singular(name): None}
    words = [word for word in name.split(" ") if word not in _TITLES]
    bare = [_singular(word) for word in words]
    while len(bare) > 1 and bare[-1] in _COMMON:
        bare.pop()
    keys[" ".join(bare)] = None
    if len(bare) > 1 and all(word.isalpha() for word in bare):
        keys[bare[0]] = None
        keys[bare[-1]] = None
    if any(letter.isdigit() for letter in name) or "_" in name or "-" in name:
        keys[_SIGNS.sub("", name)] = None
    if not name.isascii():
        keys[_HAN_COMMON.sub("", name)] = None
    keys.pop("", None)
    return tuple(keys)


def shared(wanted: Sequence[str], entities: Iterable[str]) -> float:
    """0 to 1: which share of the wanted entities a turn's entities meet; VARIANT of one for a meeting by a shorter name."""
    whole: set[str] = set()
    known: set[str] = set()
    for entity in entities:
        keys = entity_keys(entity)
        whole.update(keys[:1])
        known.update(keys)
    met = [_met(entity_keys(entity), whole, known) for entity in wanted if entity_keys(entity)]
    return sum(met) / len(met) if met else 0.0


def mentioned(text: str, entities: Iterable[str]) -> list[str]:
    """Those of a turn's entities that a question names in any writing, also in lower case ("visa" of "Visa card")."""
    plain = f" {_BORDER.sub(' ', normalize('NFKC', text).casefold())} "
    words = {_singular(word) for word in plain.split()}
    return [entity for entity in entities if any(_stands(key, plain, words) for key in entity_keys(entity))]


def filter_values(entity: str) -> tuple[str, ...]:
    """What a store's filter on "entities" may look for to find an entity: as written and its keys, case-folded."""
    return tuple(dict.fromkeys((entity.casefold(), *entity_keys(entity))))


def _met(keys: Sequence[str], whole: set[str], known: set[str]) -> float:
    if keys[0] in whole:
        return 1.0
    return VARIANT if any(key in known for key in keys) else 0.0


def _stands(key: str, plain: str, words: set[str]) -> bool:
    if not key.isascii():
        return len(key) > 1 and key in plain
    if _BORDER.search(key):
        return f" {_BORDER.sub(' ', key)} " in plain
    return len(key) > 2 and key in words


def _singular(name: str) -> str:
    """Without the plural of its last word."""
    if len(name) < 4 or not name.isascii() or not name[-2:].isalpha() or name.endswith(("ss", "us", "is", "ws")) or not name.endswith("s"):
        return name
    if name.endswith("ies") and len(name) > 4:
        return name[:-3] + "y"
    return name[:-2] if name.endswith(("sses", "xes", "ches", "shes")) else name[:-1]


def _date_keys(name: str) -> tuple[str, ...]:
    for form in _DATES:
        match = form.fullmatch(name)
        if match is None:
            continue
        word = match["m"]
        month = _MONTHS.get(word[:3], 0) if word.isascii() and word.isalpha() else _number(word)
        if not 1 <= month <= 12:
            return ()
        day = f"-{_number(match['d']):02}" if match["d"] else ""
        plain = f"-{month:02}{day}"
        return (match["y"] + plain, "-" + plain) if match["y"] else ("-" + plain,)
    return ()


def _amount_keys(name: str) -> tuple[str, ...]:
    match = _AMOUNT.fullmatch(name)
    if match is None or not (match["sign"] or match["unit"] or match["scale"]):
        return ()
    value = float(match["sum"].replace(",", "")) * _SCALES.get(match["scale"] or "", 1.0)
    unit = _UNITS.get(match["sign"] or match["unit"] or "", match["unit"] or "")
    return (f"{value:.15g} {unit}".strip(),)


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    tens, ten, ones = word.rpartition("十")
    return (_HAN_DIGITS.get(tens, 1) * 10 if ten else 0) + _HAN_DIGITS.get(ones, 0)
