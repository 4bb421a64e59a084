"""What a rule forbids, and whether a sentence lifts it in plain words."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from trimtab.distill.aspects import aspects, keys, root, stem, topic
from trimtab.distill.values_en import words

_BAN = re.compile(
    r"\b(?P<verbal>do not|don't|dont|never|must not|mustn't|may not|should not|shouldn't|cannot|can't|not to|shall not|refrain from|stop|quit|you (?:may|can) never|no longer)\s+"
    r"(?:ever |again |even |please )?(?P<verb>[a-z'-]+)(?P<object>[^,;.!?]*)"
    r"|\b(?P<nominal>no|avoid|avoiding|without|nothing(?: with| about)?|leave out|skip|omit|exclude|keep out|steer clear of|stay away from|zero|none of|ban(?:ned)?(?: on)?|forbidden:?)\s+"
    r"(?P<thing>[^,;.!?]+)"
    r"|(?P<front>[^,;.!?]+?) (?:is|are) (?:strictly |absolutely )?(?:forbidden|prohibited|banned|off[- ]limits|not allowed|not permitted|taboo|out|a no-go|unacceptable)\b"
    r"|\b(?P<free>gluten|dairy|lactose|nut|sugar|alcohol|meat|egg|soy|smoke)[- ]free\b",
    re.I,
)
_BAN_ZH = re.compile(
    r"(?P<before>[^，,。；！]{0,12}?)(?P<not>不要再?|不用|不得|不许|不准|不能|不可以?|不允许|禁止|严禁|切勿|请勿|切忌|杜绝|避免|别再|别|一[律概]不|不放|不写|不碰|不|勿|无)(?P<after>[^，,。；！]{0,16})"
)
_PHRASE = re.compile(
    r"\s(?:in|to|for|on|at|with|from|into|by|of|about|unless|until|before|after|when|while|if|than|as|because|under|over|during|per)\s",
    re.I,
)
# verbs and nouns of a ban that say nothing of what is forbidden
_GENERIC = frozenset(
    stem(word)
    for word in words(
        "use mention include send show give tell write add put make do have get say reveal disclose share talk discuss speak  "
        "refer reference references mentioning contact want allow let take bring any more kind kinds sort sorts form ever  "
        "single word words please anything thing things way answer answers reply replies draft text report me us them it you  "
        "suggest recommend propose offer ask need accept touch go using"
    )
)
_COMING = frozenset(stem(word) for word in words("come deliver go work happen start call ring drop work send"))
_GENERIC_ZH = re.compile(
    r"^(?:先|再|使用|用到|用|提及|提到|提|写进?|出现|加入?|放入?|发送?|给我?|告诉我?|透露|泄露|涉及|包含|包括|碰|做|让|有|替我|帮我|对我|跟我|向我|推荐|选择?|买|吃|说|讲|叫|订|安排|任何|一切|所有|过多|太多的?|的|把)+"
)
# one character that is a thing by itself
_SINGLE_ZH = frozenset("辣酒烟葱蒜姜糖盐油肉鱼蛋奶虾蟹猫狗车药茶")
_EMPTY_ZH = frozenset(
    (
        "接受",
        "考虑",
        "东西",
        "出现",
        "安排",
        "直接",
        "什么",
        "时候",
        "以后",
        "以前",
        "之前",
        "之后",
        "允许",
        "使用",
        "给我",
        "自己",
        "别人",
        "一个",
        "任何",
        "看见",
        "知道",
        "点儿",
        "们了",
        "我了",
        "得了",
        "去了",
    )
)
_TAIL_ZH = re.compile(r"(?:事宜|一事|问题|了|啦|吧|相关|内容|之类|这类|等等?|词|字眼|的)$")
_CLAUSE = re.compile(r"[,;.!?]\s+|\s+[-–—]+\s+|\bbut\b|[，；。！？]|但")
_PERMIT = re.compile(
    r"\b(?:you|we|i|they|he|she|it|\w+s?) (?:may|can|could|might)(?! not\b|n't|not\b| never\b)\b|\b(?:may|can) (?:now|again|be|include|use|contain)\b"
    r"|\b(?:is|are|'s|'re|was|were|be|seems?|sounds?) (?:now |perfectly |totally |absolutely |actually |all |quite |also |both )?"
    r"(?:fine|ok|okay|allowed|permitted|welcome|good|alright|all right|acceptable|possible|in order|back|on the table|unlocked|in again)\b"
    r"|\b(?:ok|okay|fine|allowed|permitted|welcome) (?:again|now|after all|too|from now on|with me|by me)\b|\bfeel free to\b|\bgo ahead and\b|\bi don't mind\b|\b(?:\w+) away\b"
    r"|\b(?:add|use|include|put|show|bring|spoil|mention|turn) .{0,40}\b(?:again|after all|back)\b|\bback (?:in|on)\b|\bbring back\b|\bi can (?:now )?have\b|\bgive me\b|\bshow me\b",
    re.I,
)
_AGAIN = re.compile(
    r"\b(?:again|now|after all|any ?more|no longer|any longer|back|from now on|too|contrary|changed my mind|turns out|on second thought|you know what|gave in|as of|actually|away|instead)\b",
    re.I,
)
_WITHDRAW = re.compile(
    r"\b(?:forget|ignore|disregard|drop|scrap|scratch|cancel|lift(?:ed|s|ing)?|remov(?:e|ed|ing)|revok(?:e|ed)|rescind(?:ed)?|withdraw[ns]?|withdrew|waiv(?:e|ed)|undo|never ?mind|take back|"
    r"ease(?:d)?|relax(?:ed)?|loosen|overrul\w+|repeal\w*|end(?:s|ed)?|expired?)\b.{0,60}?\b(?:no|not|ban(?:s|ned)?|rules?|restrictions?|limits?|prohibition|embargo|polic(?:y|ies)|thing|instructions?|requirement|what i said|"
    r"request|about|never|without|taboo|avoid\w*|block)\b"
    r"|\b(?:ban|rule|restriction|limit|prohibition|embargo|policy|thing|instruction|instructions|requirement|what i (?:said|told you)|block|taboo)\b.{0,80}?"
    r"(?:\b(?:no longer|lifted|withdrawn|removed|off|over|gone|history|void|dropped|out|revoked|cancel+ed|expired|scrapped|waived|ended|obsolete)\b|n't (?:apply|hold|needed|valid))"
    r"|\b(?:no need to|don't (?:have|need) to|needn't|no longer (?:have|need) to|you can stop|stop|quit) (?:avoid|skip|omit|leav|hid|exclud|refrain)\w*",
    re.I,
)
_WITHDRAW_ZH = re.compile(
    r"(?:忘[了掉]|取消|作废|撤[销回掉了]|解[除禁]|收回|不算|废[了掉除]|放[开宽]|松口|推翻|忽略|去掉|不作数|失效|不用再避|不必再避|无需再避).{0,16}|.{0,16}(?:作废|取消|撤[销回了]|解[除禁]|不算|废了|放开|不用管了|失效|不作数|拿掉)"
)
_PERMIT_ZH = re.compile(
    r"可以|(?<!不)能[^不]{0,8}了|也行|都?行了?(?:$|[，,。吧])|没问题|没关系|允许|准了|也(?:能|可|成|接受)|又能|恢复|随便|尽管|照(?:常|样)|开始用|[加放来用上写发说提看透]{1,2}(?:点儿?|些)?吧|给我(?:看|说|讲)?吧|替我|帮我|接受了|"
    r"加[上回]|无妨|不介意|吧(?:$|[，,。])|解禁"
)
_AGAIN_ZH = re.compile(r"了|又|也|还是|现在|以后|今后|从今|恢复|再|吧|直接|算了")
_NEGATED = re.compile(
    r"\b(?:not|never|no|nothing|don't|dont|can't|cannot|without|avoid|isn't|aren't|won't|shouldn't|mustn't|nor|neither|stop|quit|cease)\b",
    re.I,
)
_NEGATED_ZH = re.compile(r"不(?!用|必|介意|算|作数|再避)(?!.{0,3}(?:也行|没关系))|别|勿|禁止(?!解)|没(?!问题|关系)")
_SUPPOSED = re.compile(
    r"\b(?:if|whether|suppose|imagine|wonder|unless|what if|asked|maybe|perhaps|might be)\b|\b(?:he|she|they|boss|docs?|log|manual|page|article) (?:says?|said|told|thinks?|claims?)\b|如果|假如|要是|是否|能不能|"
    r"可不可以|是不是|有人说|他说|她说|据说|要不要|也许|可能",
    re.I,
)
_AFTER_ALL = re.compile(r"\bafter all\b|\bagain\b", re.I)
# what happened again is told, not permitted
_TOLD = re.compile(
    r"\b(?:made|was|were|had|came|went|got|did|saw|broke|fell|took|laughed|happened|\w{3,}ed (?:me|us|him|her|them|it))\b", re.I
)
_ACT = re.compile(r"\b([a-z'-]+)\b(?=\s+(?:for|to|now|again|away|it|them|that|me|too|as)\b|\s*(?:$|[,.!;]))")
# the share of a forbidden thing's words that must be named: where the sentence says that something changes, and where it only permits;
# Chinese pairs overlap, so half of them are a word
_COVERED, _COVERED_PLAINLY, _COVERED_ZH = 0.6, 0.75, 0.5


class Ban(Struct, frozen=True):
    """What is forbidden: stems of the things, or pairs of Chinese characters; `verb` is what must not be done, or "";
    `days` on which."""

    things: frozenset[str]
    verb: str = ""
    chinese: bool = False
    head: str = ""
    days: frozenset[str] = frozenset()


class Permission(Struct, frozen=True):
    """What a sentence permits or withdraws: `text` is what is left of it without its own bans, `days`
    the days that it allows without a word of what for ("you can come on Saturday too")."""

    text: str
    things: frozenset[str]
    around: frozenset[str]
    changed: bool
    withdrawn: bool
    days: frozenset[str] = frozenset()


@lru_cache(maxsize=4_096)
def ban_of(text: str) -> Ban | None:
    """What the rule forbids; None where it forbids nothing that has a name."""
    if re.search(r"[\u4e00-\u9fff]", text):
        return _ban_zh(text)
    found = _BAN.search(text.replace("’", "'"))
    if found is None:
        return None
    words = found["object"] if found["verbal"] else (found["thing"] or found["front"] or found["free"] or "")
    verb = stem((found["verb"] or "").lower())
    for phrase in _PHRASE.split(" " + words.strip() + " "):
        things = frozenset(keys(phrase.replace("-", " "))) - _GENERIC
        if things:
            return Ban(things, "" if verb in _GENERIC else verb, days=frozenset(aspects(text).get("weekday", ())))
    return Ban(frozenset(), verb) if verb and verb not in _GENERIC else None


def _ban_zh(text: str) -> Ban | None:
    found = _BAN_ZH.search(text)
    if found is None:
        return None
    for part in (found["after"], found["before"]):
        named = _TAIL_ZH.sub("", _GENERIC_ZH.sub("", part.strip(' “”"‘’「」《》')))
        things = frozenset(keys(named)) - _EMPTY_ZH
        if not things and (len(named) == 2 or named in _SINGLE_ZH) and named not in _EMPTY_ZH:
            things = frozenset((named,))
        if things:
            return Ban(things, chinese=True, head=named[:2] if not named[:2].isascii() else "")
    return None


@lru_cache(maxsize=64)
def permission_of(sentence: str, context: str = "") -> Permission | None:
    """What the sentence permits or withdraws in words of a permission; None for a question, a supposition, a report.
    The context is the message around it."""
    sentence = sentence.replace("’", "'")
    if _SUPPOSED.search(sentence) or (sentence.rstrip().endswith(("?", "？")) and not _AFTER_ALL.search(sentence)):
        return None
    withdrawn = _WITHDRAW.search(sentence) is not None or _WITHDRAW_ZH.search(sentence) is not None
    text = sentence
    if not withdrawn:
        parts = (part for part in _CLAUSE.split(sentence) if part and not _NEGATED.search(part.replace("no longer", "")))
        text = ", ".join(part for part in parts if not _NEGATED_ZH.search(part))
        plain = (
            _PERMIT.search(text)
            or (_AFTER_ALL.search(text) and not _TOLD.search(text))
            or "可以" in text
            or (_PERMIT_ZH.search(text) and _AGAIN_ZH.search(text))
        )
        if not plain:
            return None
    changed = _AGAIN.search(sentence) is not None
    things, around = frozenset(keys(text.replace("-", " "))), frozenset(keys(context.replace("-", " ")))
    return Permission(text, things, around, changed, withdrawn, _bare_days(text))


def _bare_days(text: str) -> frozenset[str]:
    days: set[str] = set()
    for clause in text.split(", "):
        named = aspects(clause).get("weekday", ())
        if named and _PERMIT.search(clause) and not topic(clause) - _GENERIC - _COMING:
            days.update(named)
    return frozenset(days)


def is_lifted(ban: Ban, permission: Permission) -> float:
    """How surely the permission lifts the ban: the share of the forbidden thing that it names, 0 where it lifts nothing."""
    if ban.chinese:
        named = sum(thing in permission.text for thing in ban.things)
        covered = named / len(ban.things)
        if ban.head and (ban.head in permission.text or _has_both(ban.head, permission.text)):
            covered = max(covered, _COVERED_PLAINLY)
        return covered if covered >= _COVERED_ZH else 0.0
    changed = permission.changed or permission.withdrawn
    things, permitted = {root(thing) for thing in ban.things}, {root(thing) for thing in permission.things}
    here = things & permitted
    if changed and not here and ban.days & permission.days:
        return _COVERED
    if not here:
        return _COVERED if ban.verb and changed and _does(ban.verb, permission.text) else 0.0
    covered = len(here | (things & {root(thing) for thing in permission.around})) / len(things)
    return covered if covered >= (_COVERED if changed else _COVERED_PLAINLY) else 0.0


def _has_both(pair: str, text: str) -> bool:
    """Whether both characters of a verb and its thing stand in the text, the other way round ("猫可以带进来了" of 带猫)."""
    return len(pair) == 2 and pair[1] in text and pair[0] in text[text.index(pair[1]) :]


def _does(verb: str, text: str) -> bool:
    """Whether the text lets the forbidden act itself be done, to nothing else: "you can roll for me now"."""
    return any(stem(found[1]) == verb for found in _ACT.finditer(text.lower()))
