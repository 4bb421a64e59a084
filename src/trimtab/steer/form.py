"""Format lost (REQUIREMENTS T9): a final reply against the output format that was declared: JSON, table columns, language,
length, headings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

from msgspec import Struct

from trimtab.core.drift import Act
from trimtab.core.state import SessionState
from trimtab.steer.seen import Found, Seen
from trimtab.steer.wording import plain, quoted, unfenced

FormKind: TypeAlias = Literal["json", "columns", "language", "words", "sentences", "chars", "headings"]
_EXCEPT = re.compile(
    r"\b(?:unless|except|if|when|where|should|prefer|ideally|file|attachment|final|report|e-?mails?|code|commits?)\b|除非|如果|若|尽量|最好|文件|最终|报告|邮件|代码",
    re.I,
)
_REPLY = r"(?:answers?|repl(?:y|ies)|respon(?:d|ses?)|outputs?|write|speak)"
_JSON = re.compile(
    rf"\b{_REPLY}\b[^.;]{{0,40}}\b(?:in|as|with|be|is|must be)? ?(?:a |valid |one |only |raw |pure )*json\b|(?:回答|回复|输出|答复)[^。；]{{0,12}}JSON|JSON ?格式(?:回答|回复|输出)",
    re.I,
)
_COLUMNS = re.compile(
    r"\bcolumns?(?: are| is| named)?:? (?P<names>[^.;]{3,200})|(?:列为|列名为|表头为|列：|表头：|列名：)(?P<zh>[^。；]{2,120})", re.I
)
_TABLE = re.compile(r"\btable\b|表格|表", re.I)
_LANGUAGE = re.compile(
    rf"\b{_REPLY}\b[^.;]{{0,30}}\bin (?P<name>english|chinese|mandarin)\b|(?:用|以|使用)(?P<zh>中文|英文|英语|汉语)(?:回答|回复|输出|答复|写|作答)",
    re.I,
)
_LENGTH = re.compile(
    r"\b(?:at most|no more than|not more than|max(?:imum)?(?: of)?|up to|under|within|fewer than|less than) (?P<most>\d{1,5}) (?P<unit>words|sentences|characters)\b"
    r"|(?:不超过|不多于|最多|至多|控制在|不得超过)[ ]?(?P<zh>\d{1,5})[ ]?个?字|(?P<zh2>\d{1,5})[ ]?个?字(?:以内|之内|以下)", re.I
)  # fmt: skip
_HEADINGS = re.compile(
    r"\b(?:headings?|sections?)(?: are| named| called)?:? (?P<names>[^.;]{3,200})|(?:标题为|小标题为|分为|标题：)(?P<zh>[^。；]{2,120})(?:几|三|四|五)?(?:部分|节)?",
    re.I,
)
_SPLIT = re.compile(r"\s*(?:,|，|、|\||/|;| and | then |和|以及|与)\s*")
_WORD = re.compile(r"[A-Za-z0-9][\w'’-]*|[\u4e00-\u9fff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]{2,}")
_ASSERTION = re.compile(r"\A\s*[*_#> \t]{0,4}(?:step|步骤|当前步骤)[ \t]*[:：\d#].{0,200}\n", re.I)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
# counting differs between people; only what is well over counts
_OVER = 1.1
_LEAST_WORDS = 12


class Form(Struct, frozen=True):
    """One demand on the form of replies, with the rule's words and the messages that it comes from."""

    kind: FormKind
    names: tuple[str, ...]
    number: int
    text: str
    seqs: tuple[int, ...] = ()


def forms_of(state: SessionState) -> tuple[Form, ...]:
    """The demands that the session's format rules and pins make."""
    rows: list[tuple[str, tuple[int, ...]]] = [(pin.text, ()) for pin in state.pins.values() if pin.polarity != "never"]
    items = [item for item in state.items.values() if item.status == "active" and item.field in ("format", "constraint")]
    rows += [(item.text, () if item.origin else item.source_ids) for item in items]
    return tuple(Form(kind, names, number, text, seqs) for text, seqs in rows for kind, names, number in read_form(text))


@lru_cache(maxsize=512)
def read_form(text: str) -> tuple[tuple[FormKind, tuple[str, ...], int], ...]:
    """What a rule demands of every reply. A rule with a condition, or about one document, demands nothing of replies."""
    if len(text) > 400 or _EXCEPT.search(text):
        return ()
    return tuple(_read(text))


def _read(text: str) -> Iterator[tuple[FormKind, tuple[str, ...], int]]:
    if _JSON.search(text):
        yield "json", (), 0
    if (found := _COLUMNS.search(text)) and _TABLE.search(text) and len(names := _names(found["names"] or found["zh"])) > 1:
        yield "columns", names, 0
    if found := _LANGUAGE.search(text):
        word = (found["name"] or found["zh"]).casefold()
        yield "language", ("english" if word in ("english", "英文", "英语") else "chinese",), 0
    if found := _LENGTH.search(text):
        unit = (found["unit"] or "characters").casefold()
        kind: FormKind = "words" if unit == "words" else "sentences" if unit == "sentences" else "chars"
        yield kind, (), int(found["most"] or found["zh"] or found["zh2"])
    if (found := _HEADINGS.search(text)) and not _TABLE.search(text) and len(names := _names(found["names"] or found["zh"])) > 1:
        yield "headings", names, 0


def _names(words: str) -> tuple[str, ...]:
    parts = (plain(part.strip(" \"'“”`*")) for part in _SPLIT.split(words))
    return tuple(part for part in parts if part and len(part) < 40)


def broken_form(reply: str, form: Form) -> str:
    """What of the reply breaks the demand; "" for nothing, and where that is not sure."""
    text = _ASSERTION.sub("", reply, count=1).strip()
    if form.kind == "json":
        return "" if _is_json(text) else "it is not JSON"
    if form.kind == "columns":
        return _other_columns(text, form.names)
    if form.kind == "language":
        return _other_language(_CODE.sub(" ", text), form.names[0])
    if form.kind == "headings":
        lines = [plain(line) for line in text.splitlines() if 0 < len(line) < 120]
        lost = [name for name in form.names if not any(name in line for line in lines)]
        return f"the heading {lost[0]!r} is not there" if lost and re.search(r"^#{1,6} |^\*\*", text, re.MULTILINE) else ""
    return _too_long(_CODE.sub(" ", text), form)


def _is_json(text: str) -> bool:
    try:
        json.loads(unfenced(text))
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _other_columns(text: str, names: tuple[str, ...]) -> str:
    """Of the first table; a reply without one may be an answer to something else."""
    lines = text.splitlines()
    for line, below in pairwise(lines):
        if "|" in line and re.fullmatch(r"[\s|:-]{3,}", below) and "-" in below:
            columns = tuple(plain(cell) for cell in line.strip().strip("|").split("|"))
            return "" if columns == names else f"its columns are {', '.join(columns)}"
    return ""


def _other_language(text: str, language: str) -> str:
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    if language == "english":
        return "it is in Chinese" if han >= _LEAST_WORDS and han > 4 * latin else ""
    return "it is not in Chinese" if latin >= _LEAST_WORDS and han == 0 else ""


def _too_long(text: str, form: Form) -> str:
    if form.kind == "words":
        count = len(_WORD.findall(text))
    elif form.kind == "sentences":
        count = len(re.findall(r"[^.!?。！？\n]{8,}(?:[.!?](?=\s|$)|[。！？])", text))
    else:
        count = len(re.sub(r"\s", "", text))
    return f"it has {count} {'characters' if form.kind == 'chars' else form.kind}" if count > form.number * _OVER else ""


class FormLost:
    """Detector: a final reply that breaks the declared output format."""

    name, kind = "format", "format_lost"

    def look(self, acts: Sequence[Act], view: Seen) -> list[Found]:
        if view.calls or not view.reply.strip():
            return []
        found = [(form, broken_form(view.reply, form)) for form in forms_of(view.state)]
        return [
            Found(
                "format_lost",
                f"the reply breaks {quoted(form.text)!r}: {shown}",
                (*sorted({*form.seqs} - {view.reply_seq}), view.reply_seq),
                "act",
            )
            for form, shown in found
            if shown
        ]
