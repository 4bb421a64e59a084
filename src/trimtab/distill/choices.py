"""What was chosen, in the words in which it was offered: "go with B" says little once the offer has left the prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from trimtab.core.messages import Message
from trimtab.distill.aspects import aspects, keys
from trimtab.distill.changes import own_words

_MAX_OPTION_CHARS, _MAX_OFFER_CHARS, _MAX_SENTENCE_CHARS = 160, 12_000, 240
# an offer is looked for in so many assistant messages before the choice
_MAX_OFFERS = 3
_LABEL = r"(?:[A-Ha-h]|\d{1,2}|[一二三四五六七八九十]|[IVX]{1,4})"
_NOUN = r"(?:option|plan|variant|version|choice|alternative|proposal|design|draft|route|scenario|hotel|flight|approach|supplier|offer|方案|选项|选择|计划|版本|设计|路线|方式|办法|做法|套餐)"
# an option on a line of its own
_LINE = re.compile(
    rf"^[ \t]*(?:[-*•·][ \t]+)?(?:\*\*|__)?\(?（?(?:{_NOUN}[ \t]*)?(?P<label>{_LABEL})(?:[ \t]*{_NOUN})?(?:\*\*|__)?[ \t]*[.)）:：、—–-]+(?:\*\*|__)?[ \t]*(?P<text>\S[^\n]*)$",
    re.M | re.I,
)
_BULLET = re.compile(r"^[ \t]*[-*•·][ \t]+(?P<text>\S[^\n]*)$", re.M)
# options in a row: "(A) x, (B) y", "Option A is x; option B is y", 方案一是…，方案二是…
_INLINE = re.compile(
    rf"(?<![A-Za-z0-9])(?:[(（](?P<a>{_LABEL})[)）]|(?P<b>[A-H])[).:：]|(?P<c>\d)[).、](?=\s)|{_NOUN}[ \t]*(?P<d>{_LABEL})(?![A-Za-z0-9])|(?P<e>[A-H])(?:方案|计划|选项|套餐))[ \t]*(?:is|are|would be|being|=|是|为|：|:|，|,)?[ \t]*",
    re.I,
)
_EITHER = re.compile(
    r"\b(?:either|between|prefer|want|use|take|go (?:with|for)|is it|should (?:it|we|i) (?:be|use|take|go with|book|make)|would you like)\s+(?P<first>[^,;.?!\n]{1,80}?),?\s+(?:or|and)\s+(?P<second>[^,;.?!\n]{1,80}?)\s*[?.!,;]"
    r"|(?P<one>[^，,。？！：；\n]{1,40})还是(?P<two>[^，,。？！；\n]{1,40}?)[？?呢]",
    re.I,
)
_ASKED = re.compile(
    r"(?:\b(?:shall|should|can|could|may) (?:i|we)|\bdo you want me to|\bwould you like (?:me to|to)?|\bwant me to|\bis it ok(?:ay)? (?:if|to)|\bhow about|\bwhat about|\bok(?:ay)? (?:if i|to)|\bdo you (?:want|agree)(?: to)?)\s*(?:then |now )?(?P<en>[^?\n]{2,200})\?"
    r"|(?:需要我|要我|要不要|我来|我可以|那我|是否|可否|能否|建议)(?P<zh>[^？?。\n]{2,100}?)(?:，?(?:可以|好|行|怎么样|如何|同意)?[吗么呢]?|，?好不好|，?行不行)[？?]",
    re.I,
)
_ADVISED = re.compile(
    r"\b(?:i(?:'d| would)? (?:recommend|suggest|propose|advise)|my (?:recommendation|suggestion|proposal)(?: is|:)|we could|let's)\s+(?P<en>[^.\n]{3,200})|(?:我?(?:建议|推荐|提议))[：:，]?(?P<zh>[^。\n]{2,100})",
    re.I,
)
_ORDINALS = {
    **{word: at for at, word in enumerate(("first", "second", "third", "fourth", "fifth", "sixth"))},
    **{f"{at + 1}{ending}": at for at, ending in enumerate(("st", "nd", "rd", "th", "th", "th"))},
    **dict.fromkeys(("former", "前者", "头一"), 0),
    **dict.fromkeys(("latter", "middle", "后者"), 1),
    **dict.fromkeys(("last", "最后"), -1),
}
_CHINESE_DIGITS = {mark: at for at, mark in enumerate("一二三四五六七八九十", 1)} | {"两": 2}
_PICK_LABEL = re.compile(
    rf"\b(?i:{_NOUN}|number|no\.?|#)\s?(?P<named>[A-Ha-h]|\d{{1,2}}|one|two|three|four)\b|^(?i:(?:ok|okay|yes|yep|yeah|sure|fine|hmm|then|so|well|no|let's say|alright|right|great|actually|i'd say)[,.!: ]+)*\(?(?P<alone>[A-H]|[b-h]|\d)\)?(?i:[ ,.!]+(?:please|it is|then|for me|thanks|works?|sounds \w+|is (?:fine|good|better|the one)).*)?[.! ]*$"
    rf"|\b(?i:go(?:ing)? (?:with|for)|take|pick|choose|chose|use|do|prefer|want|book|stick with|stay with|switch to|settle on|vote for|let's do|agree (?:on|with|to))\s+(?P<verb>[A-H]|[a-h](?=[ ,.!]*$)|\d(?=[ ,.!]*$))(?![A-Za-z0-9'’-])|\b(?P<it>[A-H]|\d) it is\b"
    rf"|(?:选|用|要|按|就|是|走|采用|订|定|同意|确认)(?:方案|选项|计划)?(?P<zh>[A-Ha-h]|[一二三四五六\d](?=$|[吧，。！!呢了]))(?:方案|选项|计划)?|(?:方案|选项|计划|路线)(?P<plan>[A-Ha-h一二三四五六\d])|(?P<lead>[A-Ha-h])(?:方案|选项|计划|吧)|^(?P<bare>[A-Ha-h])[吧。！!]*$"
)
_PICK_ORDINAL = re.compile(
    r"\b(?:the )?(?P<en>first|second|third|fourth|fifth|sixth|1st|2nd|3rd|4th|5th|6th|former|latter|last|middle)(?: (?:one|option|plan|version|variant|choice|draft|two|hotel|flight|room|proposal|design|offer|supplier|apartment|idea|route|"
    r"alternative|suggestion|train|date|title|candidate|caterer)|\b(?=[.!,]?$))|第(?P<zh>[一二三四五六两\d])(?:个|种|套|家|版|条|款|项|班|间|份|稿|张|方案|趟|位|台|本|部|篇|首|辆|处|组|类)?|(?P<word>前者|后者|最后一?[个种套家版条款项班间]|头一[个种套家版])",
    re.I,
)
_AGREES = re.compile(
    r"^(?:yes|yep|yeah|ya|yup|ok|okay|sure|fine|good|great|right|agreed|agree|approved|confirmed?|perfect|alright|absolutely|definitely|please do|go ahead|do (?:it|that|so)|sounds good|works for me|deal|by all means|as you (?:suggest|propose|say|described|like)\w*|"
    r"let's do (?:it|that)|fine by me|that works|(?:we|i) do it the way you|好|行|可以|同意|嗯|对|是的?|没问题|就这[么样]|按你|照你|听你|成|中|确认|批准|那就这[么样]|ok)",
    re.I,
)
_AS_OFFERED = re.compile(
    r"\b(?:do (?:it|that|so)|as you (?:suggest|propose|say|said|describ)\w*|your (?:suggestion|proposal|idea|way)|the way you|go ahead|please do|proceed)\b|按你|照你|听你|就这[么样]|依你",
    re.I,
)
_CONTENT_PICK = re.compile(
    r"\b(?:the|that) (?P<en>[\w'-]+(?: [\w'-]+)?) (?:one|option|version|variant|plan|draft)\b|(?:那|有|带)?(?P<zh>[\u4e00-\u9fff]{1,8}?)的?(?:那|这)?[个版班家款套种间条份台]"
)
_CUT = re.compile(r"[;；\n]|,? (?:and|or) (?=\(?(?:option |plan |[A-H][).:]|\d[).]))|，(?=方案|[A-H方]|选项)|[。]|\.\s|\?")
# a yes to such a question chooses nothing
_OPEN_QUESTION = re.compile(r"\b(?:or|one of|any of|either|which)\b|还是|哪", re.I)
_TRAILING_OR = re.compile(r"[,，]?\s*(?:\bor|\band|或者?|还是)$", re.I)
# no choice, or a choice of what is not named
_WEIGHS = re.compile(
    r"\b(?:i'm|i am|i was|my|away|busy|ugly|not?|none|neither|nor|don't|doesn't|isn't|never|without|but|or|than|if|hmm+|expensive|difference|nice|pricey|cheaper|really)\b|[不没别]|但|或|[是在]我|我在|比|贵|[吗呢？]|区别|还行",
    re.I,
)
_DENIED = re.compile(r"\W*(?:not|anything but)\b[^,;.]*$|(?:不要|别|不选|不是)[^，。；]*$", re.I)
_MAX_PICK_CHARS = 60
_MARKS = re.compile(r"\*\*|__|`")


class _Option(Struct, frozen=True):
    label: str
    text: str


def choice_text(sentence: str, recent: Sequence[Message]) -> str:
    """What the user chose, from the assistant message that offered it: "B: the garden room, 90 EUR"; of an offer without
    labels the option's own words. "" where it cannot be told.

    Args:
        sentence: the user's words ("go with B", "the second one", 就用B, "yes, do that").
        recent: the messages before it, oldest first.
    """
    sentence = sentence.strip()
    if not sentence or len(sentence) > _MAX_SENTENCE_CHARS:
        return ""
    if _DENIED.match(sentence):
        return ""
    offers = [message.text for message in recent if message.role == "assistant" and message.text.strip()][-_MAX_OFFERS:]
    for age, offer in enumerate(reversed(offers)):
        options = _options(offer[-_MAX_OFFER_CHARS:])
        chosen = _chosen(sentence, options)
        if chosen is not None:
            return _said(chosen)
        # a yes answers the last message alone
        if age == 0 and _AGREES.match(sentence):
            return _agreed(sentence, offer[-_MAX_OFFER_CHARS:], options)
    return ""


def picked(sentence: str, recent: Sequence[Message]) -> str:
    """Which of several things that the assistant has just offered the sentence names, in the words of the offer; "" where
    it names none or two, denies one, or weighs.

    Unlike `choice_text` it takes an option by any word that the others do not have ("Friday works" of Thursday or Friday),
    so the caller asks it only for what may be a choice.
    """
    sentence = sentence.strip()
    last = next((message for message in reversed(recent) if message.role in ("assistant", "user")), None)
    if not sentence or len(sentence) > _MAX_PICK_CHARS or last is None or last.role != "assistant" or not last.text.strip():
        return ""
    options = _options(last.text[-_MAX_OFFER_CHARS:])
    if len(options) < 2 or _WEIGHS.search(sentence) or own_words(sentence) == "":
        return ""
    chosen = _chosen(sentence, options) or _by_words(sentence, options)
    return _said(chosen) if chosen else ""


def _by_words(sentence: str, options: Sequence[_Option]) -> _Option | None:
    """The one option of which the sentence has a word or a value that no other has."""
    ours = _marks(sentence)
    theirs = [_marks(option.text) for option in options]
    fitting = [
        option
        for at, option in enumerate(options)
        if ours & (theirs[at] - frozenset().union(*(other for number, other in enumerate(theirs) if number != at)))
    ]
    return fitting[0] if len(fitting) == 1 else None


def _marks(text: str) -> frozenset[str]:
    return keys(text) | {f"{aspect}:{value}" for aspect, values in aspects(text).items() for value in values}


def _options(offer: str) -> list[_Option]:
    lines = [_Option(found["label"], found["text"]) for found in _LINE.finditer(offer)]
    if len(lines) >= 2:
        return _one_each(lines)
    marks = list(_INLINE.finditer(offer))
    if len(marks) >= 2:
        ends = [mark.start() for mark in marks[1:]] + [len(offer)]
        rows = []
        for mark, end in zip(marks, ends, strict=True):
            cut = _CUT.search(offer, mark.end(), end)
            rows.append(_Option(mark[mark.lastgroup or "a"], offer[mark.end() : cut.start() if cut else end].strip(" ,，、。.")))
        return _one_each(rows)
    bullets = [_Option("", found["text"]) for found in _BULLET.finditer(offer)]
    if len(bullets) >= 2:
        return bullets
    pairs = list(_EITHER.finditer(offer))
    if pairs:
        either = pairs[-1]
        pair = (either["first"], either["second"]) if either["first"] else (either["one"], either["two"])
        return [_Option("", text.strip()) for text in pair if text]
    return []


def _one_each(options: list[_Option]) -> list[_Option]:
    """Each label once, where it last stands for something: a list counted anew begins a new offer."""
    latest: dict[str, _Option] = {}
    for option in options:
        label = _normal(option.label)
        if label in ("1", "A") and label in latest:
            latest = {}
        if option.text:
            latest.setdefault(label, option)
    return list(latest.values())


def _chosen(sentence: str, options: Sequence[_Option]) -> _Option | None:
    if len(options) < 2:
        return None
    picks = {_normal(found[found.lastgroup or "named"]) for found in _PICK_LABEL.finditer(sentence)}
    if len(picks) == 1:
        label = picks.pop()
        by_label = [option for option in options if _normal(option.label) == label]
        if by_label:
            return by_label[0]
        # "the second" of A, B, C, or 2 of unlabelled ones
        if label.isdigit() and 0 < int(label) <= len(options) and not options[0].label.isdigit():
            return options[int(label) - 1]
        return None
    ordinal = _PICK_ORDINAL.search(sentence)
    if ordinal:
        at = _place(ordinal)
        return options[at] if -len(options) <= at < len(options) else None
    return _by_content(sentence, options)


def _place(ordinal: re.Match[str]) -> int:
    if ordinal["en"]:
        return _ORDINALS[ordinal["en"].lower()]
    if ordinal["zh"]:
        return (int(ordinal["zh"]) if ordinal["zh"].isdigit() else _CHINESE_DIGITS[ordinal["zh"]]) - 1
    return _ORDINALS[ordinal["word"][:2]]


def _by_content(sentence: str, options: Sequence[_Option]) -> _Option | None:
    """The one option that has the words of "the blue one"."""
    named = _CONTENT_PICK.search(sentence)
    if named is None:
        return None
    wanted = keys(named["en"] or named["zh"] or "")
    fitting = [option for option in options if wanted and wanted <= keys(option.text)]
    return fitting[0] if len(fitting) == 1 else None


def _agreed(sentence: str, offer: str, options: Sequence[_Option]) -> str:
    """What a yes says yes to: the last question that proposes something, or the one thing that was advised."""
    rest = _AGREES.sub("", sentence, count=1).strip(" ,.!，。！吧呢的了")
    if rest and len(keys(rest)) > 1 and not _AS_OFFERED.search(sentence):
        return ""
    last = offer.rstrip()
    questions = list(_ASKED.finditer(last))
    asked = questions[-1] if questions else None
    if asked is not None and last.endswith(("?", "？")) and not _OPEN_QUESTION.search(asked[0]):
        return _clip(asked["en"] or asked["zh"])
    if len(options) >= 2:
        advised = _ADVISED.search(last)
        return _said(best) if advised and (best := _chosen(advised["en"] or advised["zh"], options)) else ""
    proposals = list(_ADVISED.finditer(last))
    return _clip(proposals[0]["en"] or proposals[0]["zh"]) if len(proposals) == 1 else ""


def _normal(label: str) -> str:
    word = {"one": "1", "two": "2", "three": "3", "four": "4"}.get(label.lower(), label)
    return str(_CHINESE_DIGITS[word]) if word in _CHINESE_DIGITS else word.upper()


def _said(option: _Option) -> str:
    text = _clip(option.text)
    return f"{option.label}: {text}" if option.label and text else text


def _clip(text: str) -> str:
    line = _TRAILING_OR.sub("", " ".join(_MARKS.sub("", text).split()).strip(" ,，;；"))
    return line if len(line) <= _MAX_OPTION_CHARS else line[: _MAX_OPTION_CHARS - 1] + "…"
