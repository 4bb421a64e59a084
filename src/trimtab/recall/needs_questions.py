"""Reading a need from a raw question: who said it, when, which of several, before what; English and Chinese.

Only what bounds the talk becomes a bound. A date in "what is due on 3 May" is what the question is about, so it stays in the
words; in "what did I say on 3 May" it says when the turn was. The difference is a verb of saying or doing in the past
with the first or second person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.recall.intents import asked_kinds
from trimtab.recall.needs import Need
from trimtab.recall.tags import entities
from trimtab.recall.times import TimeFound, read_times
from trimtab.recall.times_words import number

READ_CHARS = 4_000
_DAY_MS = 86_400_000
_MOST_ENTITIES = 16
# a verb or preposition before a date that makes it what is talked about
_ABOUT = re.compile(
    r"\b(?:for|about|of|due|by|regarding|concerning|planned|scheduled|named|called)(?: on| the)?\s?$|关于$|截止|到期|安排在$", re.IGNORECASE
)

_SAY = (
    r"(?:say|said|tell|told|mention(?:ed)?|discuss(?:ed)?|talk(?:ed)?|speak|spoke|spoken|ask(?:ed)?|write|wrote|written"
    r"|suggest(?:ed)?|recommend(?:ed)?"
    r"|propose[d]?|answer(?:ed)?|repl(?:y|ied)|explain(?:ed)?|describe[d]?|list(?:ed)?|give|gave|given|promise[d]?|report(?:ed)?"
    r"|share[d]?|show(?:ed|n)?"
    r"|send|sent|agree[d]?|decide[d]?|chat(?:ted)?|claim(?:ed)?|state[d]?|note[d]?|advise[d]?|complain(?:ed)?|warn(?:ed)?|paste[d]?"
    r"|confirm(?:ed)?)"
)
_SOON = r"(?: (?:all|both|also|already|just|really|ever|once|originally|first|last|originally|previously|recently|actually)){0,2}"
_SAID = re.compile(
    rf"\b(?:did|had|have|was|were|has)(?:n't)? (?:I|we|you){_SOON} {_SAY}\b|\b(?:I|we|you)(?:'ve|'d)?(?: had| have)?{_SOON} {_SAY}\b"
    r"|\b(?:our|your|my) (?:last |previous |earlier |first )?(?:conversation|chat|discussion|talk|session|answer|reply|response"
    r"|message|question|suggestion|advice)\b"
    r"|(?:我|你|您|咱)们?(?:之前|上次|当时|刚才|曾经?|也|还|都|已经|在|和我|跟我|和你|跟你|给我|给你|对我|是|那天)?[^，。？！\n]{0,12}?"
    r"(?:说|聊|谈|讨论|提到|提过|告诉|讲|答应|建议|问|写|商量|推荐|回答|解释|列|抱怨|决定|给过|发过)"
    r"|(?:说|聊|谈|讨论|提|讲|问|商量|推荐|列)(?:的|过|到的|起的)",
    re.IGNORECASE,
)
_DID = re.compile(
    r"\b(?:did|had|have) (?:I|we|you)\b|\b(?:I|we|you)(?:'ve|'d)? (?:\w+ed|made|did|built|ran|went|chose|set|put|got|found|saw|took"
    r"|wrote|began|met)\b"
    r"|(?:我|你|您|咱)们?[^，。？！\n]{0,16}?(?:了|过|完)",
    re.IGNORECASE,
)
_BY_USER = re.compile(
    rf"\b(?:did|had|have) I{_SOON} {_SAY}\b|\bI(?:'ve|'d)?(?: had| have)?{_SOON} {_SAY}\b|\bmy (?:last |previous |earlier "
    rf"|first )?(?:question|request|message|remark)\b"
    r"|我(?!们)(?:[^，。？！\n你您]{0,10}?|[^，。？！\n]{0,6}?[跟和对给向]你们?)(?:说|讲|提|告诉|问|抱怨|写|发)(?!明)",
    re.IGNORECASE,
)
_BY_ASSISTANT = re.compile(
    rf"\b(?:did|had|have) you{_SOON} {_SAY}\b|\byou(?:'ve|'d)?(?: had| have)?{_SOON} {_SAY}\b"
    r"|\byour (?:last |previous |earlier |first |\w+ )?(?:answer|reply|response|suggestion|recommendation|proposal|explanation"
    r"|advice|option|list|plan|message)s?\b"
    r"|(?<![跟和对给向])[你您](?!们)(?:[^，。？！\n我]{0,10}?|[^，。？！\n]{0,6}?[跟和对给向]我们?)(?:说|讲|提|告诉|建议|推荐|回答|解释|列|给|写|答应)|[你您](?:上次|刚才|之前)?的(?:回答"
    r"|建议|方案|解释|答复|推荐)",
    re.IGNORECASE,
)
_RECENT = re.compile(
    r"\blast time\b|\bjust now\b|\brecently\b|\blately\b|\ba moment ago\b|\bmost recent(?:ly)?\b|\bthe latest\b|\byour (?:last"
    r"|previous) \w+"
    r"|\bmy (?:last|previous) (?:question|message|request)|\bearlier today\b|上次|上回|刚才|刚刚|最近(?!\d|[一二两三四五六七八九十几])|前面说|最后一次|上一[个条次]",
    re.IGNORECASE,
)

_CHOICES = (
    r"(?:option|suggestion|proposal|idea|alternative|point|item|approach|solution|recommendation|choice|variant|version"
    r"|candidate|possibility)"
)
_ANSWERS = r"(?:answer|reply|response|message|question|request|explanation)"
_NTH = r"(?P<nth>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|previous|\d{1,2}(?:st|nd|rd|th))"
_OFFERS = r"(?:gave|give|suggested|listed|proposed|offered|recommended|mentioned|named|put forward)"
_OF = r"(?: (?:of|one of|out of|among) (?:the|your|those|these|them|my))"
_ORDINAL = re.compile(
    rf"\b(?:the|your|my) {_NTH}(?: one)?{_OF}?(?: \w+)? (?:(?P<choice>{_CHOICES})|(?P<answer>{_ANSWERS}))s?\b"
    rf"|\b(?:the|your) (?P<offer>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d{{1,2}}(?:st|nd|rd|th))"
    rf"(?: one| thing)?(?: that)? you(?:'ve|'d| had| have)? {_OFFERS}\b"
    r"|(?:第(?P<count>\d{1,2}|[一二三四五六七八九十]{1,3})|(?P<tail>最后一?|上一))[个种条点款套项版次](?:(?P<han_choice>方案|选项|建议|办法|想法|思路|做法|选择|推荐|候选|提议)"
    r"|(?P<han_answer>回答|答复|问题|消息|回复))"
    r"|[你您](?:刚才|刚刚|上次|之前)?(?:说|讲|给|列|提|推荐|建议)[^，。？！\n]{0,6}?的(?:第(?P<told>\d{1,2}|[一二三四五六七八九十]{1,3})|(?P<told_tail>最后一))[个种条点款套项版]",
    re.IGNORECASE,
)
_MY_LIST = re.compile(r"\bmy (?:\w+ )?list\b|我(?:列|写|给)的?(?:清单|列表|单子)|我的(?:清单|列表|单子)", re.IGNORECASE)
_NTHS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

_THING = r"(?P<thing>[^?？.!。！,，;；\n]{1,60}?)(?=\s?(?:[?？!。！,，;；\n]|\.(?:\s|$)|$))"
_SWITCH = (
    r"(?:switch(?:ed|ing)?|mov(?:ed|ing|e)|chang(?:ed|ing|e)|migrat(?:ed|ing|ion|e)|upgrad(?:ed|ing|e)|went|going"
    r"|convert(?:ed|ing)?|turned)"
)
_TURN_EN = re.compile(
    rf"\b(?P<side>before|prior to|after|since|until) (?:(?:I|we|you|they|the team) (?:had )?|the )?{_SWITCH} (?:over |back "
    rf"|from [\w.+#-]{{1,40}} |things |everything )?to (?:the |a |using )?{_THING}",
    re.IGNORECASE,
)
_EVENT_EN = re.compile(rf"\b(?P<side>before|after) (?:I|we|you|they) (?:had )?{_THING}", re.IGNORECASE)
_TURN_ZH = re.compile(
    r"(?:在)?(?:我们?|咱们|你们?)?(?:还没)?(?:换成|改用|换到|切换到|切到|迁移到|迁到|换用|转到|改成|升级到|升级成|用上|换)(?P<thing>[^，。？！,?!\n]{1,30}?)(?:之|以)?(?P<side>前"
    r"|后)(?![面天端台])",
)
_EVENT_ZH = re.compile(r"(?:^|[，。\s])在?(?:我们?|咱们|你们?)?(?P<thing>[^，。？！,?!\n]{2,30}?)(?:之|以)(?P<side>前|后)")
_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`|(?<!\w)'([^'\n]{2,60})'(?!\w)|[《「『“]([^《》「」『』“”\n]{1,60})[》」』”]")

_TALK_ABOUT = re.compile(r"\b(?:talk(?:ed|ing)?|sp[eo]ak|spoke|chat(?:ted)?|ask(?:ed)?|hear|heard) about\s?$", re.IGNORECASE)

# what only asks to be told, cut from the words to rank by; what a question is about follows it
_LEAD = re.compile(
    r"^\s*(?:please |can you |could you |do you )?(?:remind me|tell me again|remember|recall|do you remember)(?: of| about)?[:,]?\s+"
    rf"|\bwhen (?:I|we|you){_SOON} {_SAY}\b,?"
    rf"|\b(?:what )?(?:did|had|have) (?:I|we|you){_SOON} {_SAY}(?: (?:to )?(?:you|me|us))?(?: (?:about|that|of|on|regarding))?\b"
    rf"|\b(?:that |which )?(?:I|we|you)(?:'ve|'d)?(?: had| have)?{_SOON} {_SAY}(?: (?:to )?(?:you|me|us))?(?: (?:about|that|of|on"
    rf"|regarding))?\b"
    r"|\blast time\b|\bjust now\b|\brecently\b|\blately\b|上次|上回|刚才|刚刚|(?:我|你|您|咱)们?(?:之前|当时)?(?:跟我|和我|给我|跟你|和你)?(?:说|聊|谈|讨论|提|讲)(?:的"
    r"|过的?|到的?)|(?:说|聊|谈|讨论|提到?)的",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s{2,}")
_EMPTY = re.compile(r"^[\s\W]*(?:(?:what|which|that|it|the|a|is|was|when|who|什么|的|了|是|哪个)[\s\W]*)*$", re.IGNORECASE)


def read_question(text: str, now_ms: int, offset_minutes: int = 0) -> Need:
    """What a question asks for. Nothing it shows is required: a plain text gives a need with its words only.

    Args:
        now_ms: the moment of the question, from which "yesterday" is seen.
        offset_minutes: of the asker's local time from UTC.
    """
    text = text[:READ_CHARS].strip()
    cut: list[tuple[int, int]] = []
    time = _bound(text, read_times(text, now_ms, offset_minutes))
    if time is not None:
        cut.append((time.start, time.end))
    said = _SAID.search(text) is not None
    turn = _turning(text, said, cut)
    sides = {"before": "", "after": ""}
    if turn is not None:
        sides[turn[0]] = turn[1]
        cut.append(turn[2])
    ordinal, kind, speaker = _ordinal(text)
    return Need(
        words=_left(text, cut, bool(said)),
        entities=_named(text, cut),
        time_range=None if time is None else _range(text, time, now_ms),
        kind=kind or next(iter(asked_kinds(text)), ""),
        roles=_roles(text, speaker),
        ordinal=ordinal,
        before=sides["before"],
        after=sides["after"],
        recent=time is None and _RECENT.search(text) is not None,
        guessed=True,
    )


def _bound(text: str, times: Sequence[TimeFound]) -> TimeFound | None:
    """The one expression that says when it was said or done; None where there is none, or more than one."""
    if not (_SAID.search(text) or _DID.search(text)):
        return None
    bounds = [time for time in times if not _is_content(text[max(0, time.start - 20) : time.start])]
    return bounds[0] if len(bounds) == 1 else None


def _is_content(before: str) -> bool:
    return _ABOUT.search(before) is not None and _TALK_ABOUT.search(before) is None


def _range(text: str, time: TimeFound, now_ms: int) -> tuple[int, int] | None:
    """What was done is told of then or the day after; what was said was said then."""
    since, until = time.since_ms, time.until_ms
    if until and not _SAID.search(text):
        until += _DAY_MS
    if since > now_ms or (until and until <= since):
        return None
    return since, until


def _turning(text: str, said: bool, cut: Sequence[tuple[int, int]]) -> tuple[str, str, tuple[int, int]] | None:
    """(before or after, of what, where in the text); a change to something else always, other events only of what was said."""
    for rule in (_TURN_EN, _TURN_ZH, *((_EVENT_EN, _EVENT_ZH) if said else ())):
        match = rule.search(text)
        if match is None or any(start < match.end() and match.start() < end for start, end in cut):
            continue
        thing = match["thing"].strip().strip("\"'“”")
        if thing:
            side = "before" if match["side"].lower() in ("before", "prior to", "until", "前") else "after"
            return side, thing, match.span()
    return None


def _ordinal(text: str) -> tuple[int, str, str]:
    """(number, kind, role of who gave it); (0, "", "") where no such reference stands."""
    match = _ORDINAL.search(text)
    if match is None:
        return 0, "", ""
    nth = (match["nth"] or match["offer"] or "").lower()
    count = match["count"] or match["told"]
    if count:
        place = number(count)
    elif match["tail"] or match["told_tail"] or nth in ("last", "previous"):
        place = -1
    else:
        place = _NTHS.index(nth) + 1 if nth in _NTHS else int(nth[:-2])
    answer = (match["answer"] or match["han_answer"] or "").lower()
    if answer:
        return place, "", "user" if answer in ("question", "request", "问题") else "assistant"
    return place, "option", "user" if _MY_LIST.search(text) else "assistant"


def _roles(text: str, speaker: str) -> tuple[str, ...]:
    mine, yours = _BY_USER.search(text) is not None, _BY_ASSISTANT.search(text) is not None
    if mine != yours:
        return ("user",) if mine else ("assistant",)
    return (speaker,) if speaker and not mine else ()


def _named(text: str, cut: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Entities of what is not cut, and quoted things, each once."""
    rest = _without(text, cut)
    quoted = [next(group for group in match.groups() if group) for match in _QUOTED.finditer(rest)]
    found: dict[str, str] = {}
    for entity in (*quoted, *entities(rest)):
        found.setdefault(entity.strip().lower(), entity.strip())
    found.pop("", None)
    return tuple(found.values())[:_MOST_ENTITIES]


def _left(text: str, cut: Sequence[tuple[int, int]], said: bool) -> str:
    """What is to rank by: without the bounds, and without what only asks to be told. The text itself where nothing is left."""
    rest = _without(text, cut)
    rest = rest.strip().removeprefix("的") if cut else rest
    bare = _SPACES.sub(" ", _LEAD.sub(" ", rest) if said else rest).strip()
    for words in (bare, rest):
        if not _EMPTY.match(words):
            return words
    return text


def _without(text: str, cut: Sequence[tuple[int, int]]) -> str:
    for start, end in sorted(cut, reverse=True):
        text = text[:start].rstrip() + " " + text[end:].lstrip()
    return text
