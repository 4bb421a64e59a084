"""Where in a text a value may stand: cheap marks and words around which alone the patterns of values are tried."""

from __future__ import annotations

import re
from enum import IntFlag

from trimtab.distill.values_en import words


class Cue(IntFlag):
    """What may stand near: a date, a number, a sign of an identifier, a section's word, a thing that has a name."""

    DATE = 1
    NUMBER = 2
    MARK = 4
    SECTION = 8
    NAMED = 16


_DIGIT = Cue.DATE | Cue.NUMBER | Cue.MARK | Cue.SECTION
_TOKEN = re.compile(r"[a-z]+|\d[\d.,]*|[@#/\\$€£¥₹`§_~%<>≈±+:(-]", re.ASCII)
_DATE_WORDS = words(
    "jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov november dec december mon "
    "monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat saturday sun sunday mondays tuesdays wednesdays thursdays "
    "fridays saturdays sundays tomorrow tonight yesterday noon midnight midday past clock day week weekend month quarter year business semester "
    "term spring summer autumn fall winter easter christmas xmas thanksgiving halloween ramadan diwali hanukkah pentecost valentine friday eve "
    "labor memorial boxing new twenty thousand morning afternoon evening twenties thirties forties fifties sixties seventies eighties nineties "
    "fortnight fortnights eod eow cob first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth"
)
_NUMBER_WORDS = words(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty "
    "forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions billion dozen dozens half quarter quarters third "
    "thirds once twice thrice single double triple percent zero teen couple few"
)
_SECTION_WORDS = words(
    "section art article clause paragraph chapter annex appendix schedule rule exhibit figure table page line step option version grade tier level "
    "gate platform track bay lot row seat room unit phase sprint puzzle problem exercise question round no nr"
)
_NAMED_WORDS = words(
    "account accounts username usernames user users login logins branch table column database schema bucket host hosts server servers repo repository "
    "channel topic queue volume cluster namespace container profile tenant workspace project pod ticket case order invoice booking reservation "
    "customer policy contract flight gate seat room locker slot port extension tracking reference ref serial model sku part license licence plate "
    "passport code pin handle nickname character hero ship file name names called named alias tag main master develop dev staging prod production "
    "trunk release"
)
_CUES: dict[str, Cue] = {}
for _cue, _of in ((Cue.DATE, _DATE_WORDS), (Cue.NUMBER, _NUMBER_WORDS), (Cue.SECTION, _SECTION_WORDS), (Cue.NAMED, _NAMED_WORDS)):
    for _word in _of:
        _CUES[_word] = _CUES.get(_word, Cue(0)) | _cue
# a value reaches at most so far from its cue, up to the end of the word there
_BEFORE_CHARS, _AFTER_CHARS, _MOST_AFTER_CHARS = 28, 48, 400
_WORD_END = re.compile(r"[\s\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")


def windows(lower: str, start: int, end: int) -> dict[Cue, list[tuple[int, int]]]:
    """Cue -> the (start, end) of the stretches around its cues in a text in lower case, in order, none overlapping."""
    found: dict[Cue, list[tuple[int, int]]] = {cue: [] for cue in Cue}
    for token in _TOKEN.finditer(lower, start, end):
        word = token[0]
        cue = _CUES.get(word) if word[0].isalpha() else _DIGIT if word[0].isdigit() else Cue.MARK
        if cue is not None:
            for wanted in cue:
                _add(found[wanted], lower, max(start, token.start() - _BEFORE_CHARS), token.end(), end)
    return found


def _add(stretches: list[tuple[int, int]], lower: str, first: int, last: int, end: int) -> None:
    reach = last + _AFTER_CHARS
    if stretches and reach <= stretches[-1][1]:
        return
    if reach < end:
        limit = min(end, last + _MOST_AFTER_CHARS)
        word_end = _WORD_END.search(lower, reach, limit)
        reach = word_end.start() if word_end else limit
    reach = min(reach, end)
    if stretches and first <= stretches[-1][1]:
        stretches[-1] = (stretches[-1][0], max(reach, stretches[-1][1]))
    else:
        stretches.append((first, reach))
