"""What DOCX keeps apart from its text: styles that make a heading, and the numbers that stand before paragraphs."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from msgspec import Struct

NUMBERED = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_W = NUMBERED
_HEADING = re.compile(r"(?:heading|标题|überschrift|titre|título|titolo|заголовок|見出し)[ ]?([1-9])$", re.I)
_TITLE = re.compile(r"(?:title|标题)$", re.I)
_CODE = re.compile(r"code|source|preformatted|代码", re.I)
_MOST_BASES, _MOST_LEVELS = 10, 9
_LIST_NUMBER = re.compile(r"%([1-9])")
_HAN = "〇一二三四五六七八九"
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)


class Style(Struct, frozen=True):
    """`level` above 0 for a heading; `list_id`, `list_level` of the list that the style is tied to."""

    level: int = 0
    is_title: bool = False
    is_code: bool = False
    list_id: str = ""
    list_level: int = 0


_PLAIN = Style()


def attribute(element: Element | None, path: str, default: str = "") -> str:
    """`w:val` of the element at a path of tags below, for example "pPr/pStyle"."""
    found = element.find("/".join(f"{_W}{tag}" for tag in path.split("/"))) if element is not None else None
    return found.get(f"{_W}val", default) if found is not None else default


class Styles:
    """Paragraph styles by id, with what they take from those they are based on."""

    def __init__(self, tree: Element | None) -> None:
        self.elements = {element.get(f"{_W}styleId", ""): element for element in tree.iter(f"{_W}style")} if tree is not None else {}
        self.known: dict[str, Style] = {}

    def of(self, paragraph: Element) -> Style:
        name = attribute(paragraph, "pPr/pStyle")
        if name not in self.known:
            self.known[name] = self._read(name) if name else _PLAIN
        style = self.known[name]
        own = attribute(paragraph, "pPr/outlineLvl")
        return (
            Style(int(own) + 1, list_id=style.list_id, list_level=style.list_level)
            if own.isdecimal() and int(own) < _MOST_LEVELS
            else style
        )

    def _read(self, name: str) -> Style:
        level, list_id, list_level, is_title, is_code = 0, "", 0, False, False
        current = name
        for _ in range(_MOST_BASES):
            element = self.elements.get(current)
            called = attribute(element, "name", current)
            outline, found = attribute(element, "pPr/outlineLvl"), _HEADING.match(called)
            own = int(outline) + 1 if outline.isdecimal() and int(outline) < _MOST_LEVELS else int(found[1]) if found else 0
            level = level or own
            is_title, is_code = is_title or bool(_TITLE.match(called)), is_code or bool(_CODE.search(called))
            if not list_id and attribute(element, "pPr/numPr/numId"):
                list_id = attribute(element, "pPr/numPr/numId")
                depth = attribute(element, "pPr/numPr/ilvl")
                list_level = int(depth) if depth.isdecimal() else max(0, level - 1)
            current = attribute(element, "basedOn")
            if not current:
                break
        return Style(level, is_title and not level, is_code and not level, list_id, list_level)


class Numbering:
    """The numbers of numbered paragraphs: counted in the order of the text, as a word processor does when it shows them."""

    def __init__(self, tree: Element | None) -> None:
        self.lists: dict[str, str] = {}
        self.levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        self.counts: dict[str, list[int]] = {}
        for element in tree if tree is not None else ():
            if element.tag == f"{_W}num":
                self.lists[element.get(f"{_W}numId", "")] = attribute(element, "abstractNumId")
            elif element.tag == f"{_W}abstractNum":
                self.levels[element.get(f"{_W}abstractNumId", "")] = dict(_levels(element))

    def place(self, paragraph: Element, style: Style) -> tuple[str, int] | None:
        """(list, level) of a numbered paragraph, None for one that is not."""
        own, depth = attribute(paragraph, "pPr/numPr/numId"), attribute(paragraph, "pPr/numPr/ilvl")
        list_id = own or style.list_id
        if list_id in ("", "0") or list_id not in self.lists:
            return None
        level = int(depth) if depth.isdecimal() else 0 if own else style.list_level
        return self.lists[list_id], min(level, _MOST_LEVELS - 1)

    def label(self, place: tuple[str, int]) -> str:
        """The next number of that list, as shown: "3.2", "第三条", "(a)"; "-" for a bullet."""
        name, level = place
        levels = self.levels.get(name, {})
        form, pattern, _ = levels.get(level, ("bullet", "", 1))
        counts = self.counts.setdefault(name, [levels.get(at, ("", "", 1))[2] - 1 for at in range(_MOST_LEVELS)])
        counts[level] += 1
        for deeper in range(level + 1, _MOST_LEVELS):
            counts[deeper] = levels.get(deeper, ("", "", 1))[2] - 1
        if form in ("bullet", "none"):
            return "-" if form == "bullet" else pattern.strip()
        shown = [_written(max(counts[at], 1), levels.get(at, ("decimal", "", 1))[0]) for at in range(_MOST_LEVELS)]
        return _LIST_NUMBER.sub(lambda found: shown[int(found[1]) - 1], pattern).strip()


def _levels(element: Element) -> list[tuple[int, tuple[str, str, int]]]:
    found = []
    for level in element.findall(f"{_W}lvl"):
        at, start = level.get(f"{_W}ilvl", "0"), attribute(level, "start", "1")
        shape = (attribute(level, "numFmt", "decimal"), attribute(level, "lvlText")[:40], int(start) if start.isdecimal() else 1)
        found.append((int(at) if at.isdecimal() else 0, shape))
    return found


def _written(number: int, form: str) -> str:
    if form.startswith(("chinese", "ideograph", "taiwanese", "japanese")):
        return _in_chinese(number)
    if form in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 % 10 + 1)
        return letter if form == "lowerLetter" else letter.upper()
    if form in ("lowerRoman", "upperRoman"):
        roman, rest = "", min(number, 3_999)
        for value, sign in _ROMAN:
            roman += sign * (rest // value)
            rest %= value
        return roman if form == "lowerRoman" else roman.upper()
    return f"{number:02d}" if form == "decimalZero" else str(number)


def _in_chinese(number: int) -> str:
    if number > 999:
        return "".join(_HAN[int(digit)] for digit in str(number))
    hundreds, tens, ones = number // 100, number // 10 % 10, number % 10
    text = f"{_HAN[hundreds]}百" if hundreds else ""
    if tens:
        text += ("" if tens == 1 and not hundreds else _HAN[tens]) + "十"
    elif hundreds and ones:
        text += "零"
    return text + (_HAN[ones] if ones else "")
