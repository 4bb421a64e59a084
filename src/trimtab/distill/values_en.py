"""Numbers and dates in English, and in any text that has digits."""

from __future__ import annotations

import re
from collections.abc import Iterator


def words(text: str) -> frozenset[str]:
    """The words of a list in one text."""
    return frozenset(text.split())


def _lowered(pattern: str) -> re.Pattern[str]:
    """For lower-case text: three times as fast as a pattern that ignores case."""
    return re.compile(pattern.lower(), re.ASCII)


STOP_WORDS = words(
    "a an the and or but nor if then than that this these those there here is are was were be been being am has have had do does "
    "did will would can could should shall may might must not no yes ok okay of in on at to for from with by as into onto about "
    "over under per so too also just only very it its he she they we you i me my our your his her their them us him who which "
    "what when where how why all any each every both either neither some such more most less least few much many same other "
    "another one ones because before after until while during through between now again still even yet let please thanks thank "
    "plus minus equals though once ago vs via within without"
)
# ordinary words that are the name of a branch or an account where they are called so
CALLED = words("main master develop dev staging prod production root admin trunk release latest stable nightly default")
_NUMERAL_WORDS = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|"
    r"forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|million|millions|billion|dozens?)"
)
_NUMERALS = (
    r"(?:(?:(?:a|one|half an?) (?=hundred|thousand|million|billion|dozen))?"
    + _NUMERAL_WORDS
    + r"(?:(?:[ -]| and )(?:one|point|"
    + _NUMERAL_WORDS
    + r"))"
    + r"{0,8}(?:[ -]one)?(?: and a half)?)"
)
_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
_ORDINAL = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|"
    r"eighteenth|nineteenth|twentieth|twenty[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|thirtieth|thirty[ -]first)"
)
_YEAR = r"(?:(?:19|20)\d\d|(?:two thousand|twenty|nineteen)(?: and)?(?:[ -](?:ten|eleven|twelve|\w{3,5}teen|twenty|thirty|ninety|eighty))?(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)"
_WEEKDAY = r"(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)days?|(?<=[^a-z])(?:Mon|Tues?|Wed|Thur?s?|Fri)(?=[\s,.]))"
_DAY_PART = r"(?:morning|noon|afternoon|evening|night|lunch ?time)s?"
_CLOCK = r"(?:\d{1,2}[:.h]\d{2}(?::\d{2}(?:\.\d{1,6})?)?|\d{1,2})"
_DATE = _lowered(
    r"(?<![\w.,/-])(?=[\da-z])(?:"
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w/-])|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})(?![\w./-])"
    r"|(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?![\w-])"
    r"|(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: ?(?:-|–|to|and) ?\d{1,2}(?:st|nd|rd|th)?)?(?: of)? "
    + _MONTH
    + r"(?:,? (?:19|20)\d\d\b|,? '\d\d\b)?"
    r"|"
    + _MONTH
    + r" (?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?!\d|:)(?: ?(?:-|–|to|and) ?\d{1,2}(?:st|nd|rd|th)?(?!\d))?|"
    + _ORDINAL
    + r"\b)(?:,? (?:19|20)\d\d\b)?"
    r"|(?:the )?" + _ORDINAL + r"(?: day)? of " + _MONTH + r"(?:,? " + _YEAR + r"\b)?"
    r"|" + _MONTH + r",? " + _YEAR + r"\b"
    r"|(?:early |mid[- ]?|late |next |last |this |end of |beginning of |start of )"
    + _MONTH
    + r"|(?:January|February|March(?! (?:on|in|to|up|down|past|through)\b)|April|June|July|August|September|October|November|December)\b"
    r"|(?:in|by|since|until|after|before|during|from) May\b"
    r"|(?:(?:next|last|this|every|on|coming|the) )?" + _WEEKDAY + r"(?:s\b)?(?: (?:next|last|this) week| " + _DAY_PART + r")?"
    r"|(?:the )\d{1,2}(?:st|nd|rd|th)\b"
    r"|"
    + _CLOCK
    + r" ?(?:[ap]\.m\.|[ap]m\b|[ap]\b(?=[.,;) ]|$))|\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?: ?(?:UTC|GMT|CET|CEST|EST|PST|hrs|h)\b)?(?: ?(?:-|–|to) ?\d{1,2}:\d{2})?(?![\d:])"
    r"|(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) ?o['’ ]?clock"
    r"|(?:half|quarter) (?:past|to) \w{2,6}|(?:at )?(?:noon|midnight|midday)\b"
    r"|(?:tomorrow|tonight|yesterday)(?: " + _DAY_PART + r")?|(?:the )?day (?:after tomorrow|before yesterday)"
    r"|(?:next|last|this|previous|coming|following) (?:week(?:end)?|month|quarter|year|spring|summer|autumn|fall|winter|semester|term)(?![\w-])"
    r"|(?:end|beginning|start|middle|first|second|last day|close) of (?:the |this |next |last )?(?:week|month|quarter|year|day|business|term|semester)\b"
    r"|(?:early|mid|late)[- ](?:(?:19|20)\d\ds?|spring|summer|autumn|fall|winter|week|month|morning|afternoon)\b"
    r"|(?:spring|summer|autumn|winter)(?: (?:of )?(?:19|20)\d\d| term| semester| holidays?)|(?:in|by|until|since|this|for|before|after|during) (?:the )?(?:spring|summer|autumn|fall|winter)\b|autumn\b"
    r"|Q[1-4](?:[ /-]?(?:FY ?)?(?:20)?\d\d)?\b|H[12] (?:20)?\d\d\b|FY ?(?:20)?\d\d\b|(?:calendar )?week \d{1,2}\b"
    r"|(?:Christmas|Xmas|Easter|Thanksgiving|Halloween|Ramadan|Diwali|Hanukkah|Pentecost|New Year|Valentine|Labor Day|Memorial Day|Boxing Day|Black Friday)"
    r"(?:['’]s)?(?: (?:Eve|Day|break|week(?:end)?|Monday|Sunday|Friday))*"
    r"|(?:the )?(?:twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)\b|(?:a |the )?fortnights?\b|(?:by )?(?:EOD|EOW|COB)\b"
    r"|(?<=of )May\b|the (?:eleventh|twelfth|\w{4,5}teenth|twentieth|twenty[ -]\w{4,7}|thirtieth)\b|(?:on|by|until|from|before) the "
    + _ORDINAL
    + r"(?! ?[a-z])"
    r"|(?:the )?(?:19|20)\d0s\b|two thousand(?: and)? (?:\w{3,9}teen|twenty|thirty|ten|eleven|twelve)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?\b"
    r"|twenty[ -](?:twenty|thirty|\w{3,5}teen)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?\b"
    r"|(?:19|20)\d\d(?:\s?[-–/]\s?(?:(?:19|20)\d\d|\d\d))?(?![\w%€£$:-]|[.,/]\d))",
)
# the short names of months are words of their own in lower case
_NOT_DATE = re.compile(r"(?:may|mar|sat|sun|wed|mon|march|jan|dec|the second|second of (?:the )?day|sat|fall)\b\.?$", re.ASCII)
_LEAD = re.compile(r"(?:on|in|by|at|until|since|for|before|after|during|from) (?:the )?(?=\w)")
# units that stand right behind a number, and with a space
GLUED_UNIT = (
    r"(?:kg|g|mg|µg|ug|mcg|lbs?|oz|t|km|m|cm|mm|nm|mi|ft|in|yd|l|ml|cl|dl|GB|MB|KB|TB|PB|GiB|MiB|KiB|kB|Mbps|Gbps|kbps|Hz|kHz|MHz|GHz|V|W|kW|kWh|MWh|Wh|A|mA|mAh|"
    r"px|pt|em|rem|dpi|fps|rpm|mph|kph|kmh|ms|us|ns|s|sec|min|h|hr|hrs|d|wk|yr|yrs|°C|°F|°|℃|℉|%|‰|€|£|¥|₹|k|K|M|bn|mmol|mol|IU|iu|kcal|cal|kJ|J|bar|psi|Pa|hPa|"
    r"dB|EUR|USD|GBP|CHF|CNY|RMB|JPY|HKD|TWD|AUD|CAD|SEK|NOK|DKK|PLN|INR|BTC|ETH|eur|usd|gbp|chf|cny|rmb|m2|m²|m3|m³|ha|acres?|x)"
)
_SCALE = r"(?:k|hundred|thousand|million|billion|mio|mn|bn|dozen|lakh|crore|percent|per cent|pct|pp)"
_FIGURE = r"(?:\d{1,3}(?:[,'’]\d{3}){1,6}(?:\.\d{1,12})?|\d{1,3}(?: \d{3}){1,4}(?!\d)|\d{1,40}(?:[.,]\d{1,20}){0,6})"
_RANGE = r"(?: ?(?:-|–|—|~|to|x|×|by|over|/|and|or|out of) ?" + r"[$€£¥]?" + _FIGURE + r"(?![\w]*[-_]\w)){0,2}"
_NOUN = r"(?: (?:of (?:us|them|you|the \w{2,20}|\w{3,20})|more|different|full|extra|new|good|right|wrong|small|large|big|main|single|whole|working|business|square|hit|data|other)(?![A-Za-z]))?(?:[ -][A-Za-z][A-Za-z'’-]{1,24}(?:/[A-Za-z]{1,8})?)?"
_NUMBER = _lowered(
    r"(?=[\da-z$€£¥₹~≈±<>≤≥+− -])(?:(?<![\w.,/#@-])(?:(?:US|C|A|HK|NT|R|S|NZ)?[$€£¥₹] ?[+-]?"
    + _FIGURE
    + r"(?: ?"
    + _SCALE
    + r"\b)?(?: ?(?:-|–|to) ?[$€£¥]?"
    + _FIGURE
    + r"(?:k|m)?)?"
    r"(?: ?(?:/|per |a |an )(?:day|week|month|year|night|hour|person|head|unit|seat|user|kg|piece|page)\b)?"
    r"|[~≈±<>≤≥+−-]? ?"
    + _FIGURE
    + r"(?:"
    + _RANGE
    + r"(?: ?"
    + GLUED_UNIT
    + r"(?:/[A-Za-z]{1,6})?(?![A-Za-z])| ?"
    + _SCALE
    + r"\b)?"
    + _NOUN
    + r"))"
    r"|(?<![A-Za-z'’-])(?:"
    + _NUMERALS
    + _NOUN
    + r"|(?:one|(?:a |one |two )?(?:half|quarter|third)s?(?: (?:an?|of (?:the|it|an?|all|my|our)))?|(?:a )?(?:dozen|couple|few)(?: (?:of|more))?(?= \w)|(?:a|one) single)"
    r"(?: (?:single|whole|full|right|more|cabin|free|short|small|large|big|big|sentence|page|or two))? [A-Za-z][A-Za-z'’-]{1,24}"
    r"|(?:half|twice|double|triple|once) (?:an? )?(?:day|week|month|year|hour|night)s?|(?:once|twice|thrice|single|double|triple)(?=[ -](?:a|per|each|every|spac|digit|page|line))"
    r"(?: (?:a|per|each|every) \w{3,8})?|percent|zero [A-Za-z]{2,20}|[a-z]{3,6}teen\b)(?![A-Za-z]))",
)
# "one" counts something only where a noun follows that can be counted
_ONE_BEFORE = re.compile(
    r"\b(?:the|that|this|which|each|every|any|no|another|last|first|second|next|good|bad|right|wrong|blue|some|new|old|other|not|big|little) $",
    re.I,
)
_VAGUE = re.compile(r"(?:a )?(?:few|couple)\b(?! (?:of )?(?:minute|hour|day|night|week|month|year))", re.I)
COMPOUND = re.compile(r"\d{1,4}-(?:[a-z]{2,20})(?:-[a-z]{2,20})?|top-\d{1,2}", re.ASCII)


def dates(text: str, lower: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Calendar dates, weekdays, months, years, times of day, relative dates, in text order. `lower` is the text in lower case."""
    for found in _DATE.finditer(lower, start, end):
        first, last = found.span()
        if not _NOT_DATE.match(text, first, last):
            lead = _LEAD.match(lower, first, last)
            yield (lead.end() if lead else first), first + len(found[0].rstrip(". ,"))


def numbers(lower: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Figures and numerals with what they count, in text order. `lower` is the text in lower case."""
    for found in _NUMBER.finditer(lower, start, end):
        parts = found[0].split(" ")
        # the word behind is what is counted, unless it goes on with the sentence
        while len(parts) > 1 and parts[-1].strip("'’-") in STOP_WORDS and parts[-2] != "of":
            parts.pop()
        counted = " ".join(parts).rstrip("-'’,. ")
        if not counted or _VAGUE.match(counted) or (parts[0] == "one" and not _counts_one(lower, found.start(), parts)):
            continue
        yield found.start() + len(counted) - len(counted.lstrip()), found.start() + len(counted)


def _counts_one(lower: str, at: int, parts: list[str]) -> bool:
    return len(parts) > 1 and parts[1] not in STOP_WORDS and not _ONE_BEFORE.search(lower, max(0, at - 12), at)
