"""Cutting text into search terms, the same way for what is stored and what is asked. No model, no dictionary.

- Latin and other spaced scripts: lower-cased words; English ones stemmed (`stems.py`), a short stop list left out.
- Identifiers (`CT-88213`, `src/a_b.py`, `a.b@c.de`, `user=alice`): whole and unstemmed, and their parts beside it.
- Numbers: thousands commas removed (`1,200` is `1200`), decimals kept.
- Chinese, Japanese, Korean, and South-East Asian scripts without spaces: every two neighboring characters; a
  character that stands alone, alone. Full-width forms count as their usual ones (NFKC).
- Base64 and the like: a run of more than MAX_RUN_CHARS characters without a space or other border is no word and
  gives no terms, so that terms, like time, grow only with readable text.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from trimtab.recall.stems import stem

MAX_RUN_CHARS = 256
MAX_QUERY_TERMS = 64

# scripts written without spaces: Han, kana, bopomofo, hangul; Thai, Lao, Myanmar, Khmer
_UNSPACED = (
    "\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3100-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff\u1100-\u11ff\uac00-\ud7af\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3"
)
# vowel signs and accents are not `\w` to Python, but stand inside words
_MARKS = "\u0300-\u036f\u064b-\u065f\u0900-\u0963\u0980-\u0dff"
_JOINERS = r"\-./:@#+%&=~?\\'’"
_LETTER = rf"(?![{_UNSPACED}])[\w{_MARKS}]"
_RUN = re.compile(rf"[{_UNSPACED}]+|{_LETTER}(?:{_LETTER}|[{_JOINERS}]|(?<=\d),(?=\d{{3}}(?!\d)))*")
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]")
_BORDER = re.compile(rf"[{_JOINERS},_]+")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_LANGUAGE = re.compile(r"[a-z](?:\+\+|#)")  # C++, C#, F#: the one trailing mark that makes a name
_EDGE = "-./:@#+%&=~?\\'’,_"
_NAME_SIGN = re.compile(rf"[\d{_JOINERS}_]")

_STOP = (
    "a an the and or of to in on at for with by from as is are was were be been being am it its this that these those i you he she"
    " we they me my your our their his her him them us but if then so do does did have has had will would can could should shall"
    " may might just about into than there here what which who whom when where why how"
)
STOP_WORDS = frozenset(_STOP.split())


def terms(text: str) -> list[str]:
    """Search terms of `text` in its order, with repetitions. Linear in the length of the text."""
    if not text.isascii():
        text = normalize("NFKC", text)
    found: list[str] = []
    for match in _RUN.finditer(text.lower()):
        run = match.group()
        if _UNSPACED_RUN.match(run):
            found += [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]
        elif len(run) <= MAX_RUN_CHARS:
            _add_run(found, run)
    return found


def _add_run(found: list[str], run: str) -> None:
    if _LANGUAGE.match(run) and not run.strip(_EDGE)[1:]:
        found.append(run.rstrip("-./:@%&=~?,"))
        return
    run = run.strip(_EDGE)
    if run.endswith(("'s", "’s")):
        run = run[:-2]
    run = run.replace("'", "").replace("’", "")
    parts = _BORDER.split(run)
    if len(parts) == 1:
        _add_word(found, run)
    elif _NUMBER.fullmatch(run):
        found.append(run.replace(",", ""))
    else:
        found.append(run)
        for part in parts:
            _add_word(found, part)


def _add_word(found: list[str], word: str) -> None:
    if not word or word in STOP_WORDS:
        return
    found.append(stem(word) if word.isascii() and word.isalpha() else word)


def query_terms(text: str, limit: int = MAX_QUERY_TERMS) -> list[str]:
    """The terms of a question, each once, most telling first, at most `limit`.

    Identifiers and numbers come first, then longer terms before shorter ones, then earlier ones before later.
    """
    first_place: dict[str, int] = {}
    for place, term in enumerate(terms(text)):
        first_place.setdefault(term, place)
    return sorted(first_place, key=lambda term: (-_telling(term), first_place[term]))[:limit]


def _telling(term: str) -> int:
    # a character of an unspaced script says about as much as three letters
    weight = len(term) if term.isascii() else 3 * len(term)
    is_name = len(term) > 1 and _NAME_SIGN.search(term) is not None
    return weight + (1_000 if is_name else 0)
