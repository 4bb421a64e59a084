"""Tags of a text by plain rules, in English and Chinese: what it names, what kind of utterance it is, what it is about.

Coarse on purpose: tags narrow a search, they decide nothing. Patterns have bounded repeats, so that time stays
linear in the text whatever it holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from trimtab.recall.intents import ASKS, kinds_in
from trimtab.recall.words import terms

MAX_ENTITIES = 32
TOPIC_TERMS = 3
TAGGED_CHARS = 20_000  # of a longer text only its beginning is tagged

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
# first match wins at each place, so the more specific forms stand first
_ENTITY = re.compile(
    # (?a: a Chinese character beside it is a border, not a part of the word
    r"(?a:(?P<url>https?://[^\s<>\"'`，。；、）】]{1,300})"
    r"|(?P<email>(?<![\w.+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4})"
    r"|(?P<date>(?<!\d)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)|(?<!\d)(?:\d{4}年\s?)?\d{1,2}月(?:\d{1,2}[日号])?|(?<!\d)\d{4}年"
    r"|(?<![一二三四五六七八九十])[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}[日号]"
    rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b|\b\d{{1,2}} {_MONTH}(?: \d{{4}})?\b)"
    r"|(?P<amount>[$€£¥￥]\s?\d[\d,]{0,20}(?:\.\d{1,6})?(?:\s?(?:million|billion|[kKmMbB]\b|[万亿]))?"
    r"|(?<![\w.])\d[\d,]{0,20}(?:\.\d{1,6})?\s?(?:%|％|USD|EUR|GBP|CNY|RMB|dollars|euros|[万亿]?(?:美元|元|块))"
    r"|(?<![\w.])\d[\d,]{0,20}(?:\.\d{1,6})?[万亿]"
    r"|(?<![\w.])\d[\d,]{0,20}(?:\.\d{1,6})?\s?(?:[KMGT]i?B|kg|km|ms|公斤|公里)(?![A-Za-z]))"
    r"|(?P<path>(?<![\w/])(?:~|\.{1,2})?/?(?:[A-Za-z0-9_.-]{1,80}/){1,20}[A-Za-z0-9_.-]{1,80}|\b[A-Za-z0-9_-]{1,80}\.[a-z]{1,4}\b)"
    r"|(?P<identifier>\b[A-Za-z]{1,20}[-_#]?\d[\w-]{0,60}\b|\b[A-Za-z0-9]{1,40}_[A-Za-z0-9_]{1,60}\b"
    r"|\b[a-z]{1,30}(?:[A-Z][a-z0-9]{1,30}){1,6}\b))"
    r"|(?P<title>[《「『“][^《》「」『』“”\n]{1,40}[》」』”])"
    r"|(?P<name>\b[A-Z][\w'’]{1,40}(?:[ -](?:of |de |van |von )?[A-Z][\w'’]{1,40}){0,4})"
)
_TRAILING = ".,;:!?)]}'’\""
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。！？：；\n\"“(*#>-])\s*$")
# words that are capitalised only because a sentence begins with them, where a longer name follows
_OPENERS = re.compile(
    r"^(?:The|A|An|This|That|These|Those|I|We|You|He|She|It|They|My|Our|Your|If|When|What|Why|How|Who|Where|Which|Please|Can|Could"
    r"|Would|Should|Do|Does|Did|Is|Are|Was|And|But|Or|So|Then|For|In|On|At|To|From|With|By|As|Also|Yes|No|Not|Ok|Okay|Let"
    r"|Ask|Tell|See|Use|Send|Show|Check|Call|Mail|Email|Add|Get|Make|Find|Give|Put|Take|Write|Read|Open|Move|Dear|Hi|Hello|Thanks)\b"
    r"(?:['’]\w{1,2})?\s*"
)

_QUESTION = re.compile(
    r"[?？]|吗(?:[。，\s]|$)|(?:^|[\n。！.!])\s{0,4}(?:what|why|how|who|where|when|which)\b"
    r"|什么|怎么|为什么|为何|如何|是否|哪[个些里儿]|多少|能不能|可不可以",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\bplease\b|\b(?:can|could|would|will) you\b|\bI(?:'d| would) like\b|\bI (?:need|want) (?:you|to)\b|\bhelp me\b|\blet'?s\b"
    r"|(?:^|[\n.!])\s{0,4}(?:add|build|change|check|compare|convert|create|delete|draft|explain|find|fix|generate|give|implement|list|make"
    r"|move|open|read|refactor|remove|rename|replace|run|send|show|sort|summarize|tell|test|translate|update|use|write)\b"
    r"|请|帮我|帮忙|麻烦|给我|我(?:想|要|需要)|(?:^|[\n。！，])\s{0,4}(?:把|将|写|改|查|列出|生成|总结|翻译|删除|添加)",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:we|I)(?:'ve| have)? (?:decided|agreed|chose|settled)\b|\bdecision\b|\bdecided (?:to|on)\b|\bgo(?:ing)? with\b"
    r"|\b(?:we|I)(?:'ll| will) use\b"
    r"|\bconfirmed\b|\bapproved\b|\bagreed\b|\bfinal(?:ly)? (?:choice|answer)\b|决定|定为|就用|就按|采用|选定|确定(?:用|为|了)|敲定|确认(?:用|为|了)?|同意|批准",
    re.IGNORECASE,
)
# characters that carry grammar rather than a topic; a pair with one of them names nothing
_GRAMMAR = frozenset(
    "的了是我你您他她它们在这那有和与就也都很不没吗呢吧啊请帮把被给让个一什么怎为以可能会要到对从而但或则已再将此其之所着过得地说做用下上"
)


def entities(text: str) -> list[str]:
    """Identifiers, addresses, paths, dates, amounts, titles and capitalised names, as written, in order, each once."""
    found: dict[str, str] = {}
    for match in _ENTITY.finditer(text[:TAGGED_CHARS]):
        entity = match.group()
        if match.lastgroup == "name":
            entity = _name(text, match.start(), entity)
        elif match.lastgroup == "title":
            entity = entity[1:-1]
        entity = entity.strip().rstrip(_TRAILING)
        if entity:
            found.setdefault(entity.lower(), entity)
        if len(found) == MAX_ENTITIES:
            break
    return list(found.values())


def _name(text: str, start: int, name: str) -> str:
    """The name without the word that merely opens its sentence; "" where nothing is left of it."""
    bare = _OPENERS.sub("", name).removesuffix("'s").removesuffix("’s")
    if bare != name and not bare[:1].isupper():
        return ""
    single = " " not in bare and "-" not in bare and not bare[1:2].isupper()
    if single and bare == name and _SENTENCE_START.search(text[max(0, start - 4) : start]):
        return ""
    return bare


def intents(text: str) -> list[str]:
    """Any of question, request, decision, in this order; statement where it is none of them."""
    text = text[:TAGGED_CHARS]
    rules = (("question", _QUESTION), ("request", _REQUEST), ("decision", _DECISION))
    return [intent for intent, rule in rules if rule.search(text)] or ["statement"]


def topics(words: Sequence[str]) -> list[str]:
    """The three terms that weigh most: how often a term occurs, times how long it is. Earlier ones win a tie."""
    counts = Counter(word for word in words if word.isalpha() and (word.isascii() or _GRAMMAR.isdisjoint(word)))
    weights = {word: count * min(8, len(word) if word.isascii() else 3 * len(word)) for word, count in counts.items()}
    return sorted(weights, key=lambda word: -weights[word])[:TOPIC_TERMS]


def tags_of(text: str, words: Sequence[str] | None = None, asked: str = "") -> dict[str, list[str]]:
    """{"entities": [...], "intent": [...], "topic": [...]}; a kind without a value is left out.

    The intents are those of `intents`, then the kinds of information that the text gives, strongest first
    (`intents.GIVEN_KINDS`; "decision" is one of them), then what its questions ask for ("asks_when").

    Args:
        words: `terms(text)`, where the caller has them already.
        asked: the user's own words in it, from which the intent is read; "" to read it from the text.
    """
    plain = intents(asked or text)
    given, questions = kinds_in(text)
    said = [intent for intent in plain if intent != "decision"]
    late = [intent for intent in plain if intent == "decision" and intent not in given]
    kinds = {
        "entities": entities(text),
        "intent": [*said, *given, *late, *(ASKS + kind for kind in questions)],
        "topic": topics(terms(text) if words is None else words),
    }
    return {kind: values for kind, values in kinds.items() if values}
