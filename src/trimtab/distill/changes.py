"""The words of a change, in one place: that something is to be otherwise now, what is named as old, and whose change it is.

A change that others made, that was made once, that is supposed, weighed, asked about or added is none of the user's.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from trimtab.distill.aspects import characters, keys
from trimtab.distill.values_en import words

# how a sentence begins that takes something back, whatever kind of thing it then lays down
_TURNS = re.compile(r"\W*(?:(?:actually|scratch that|on second thoughts?|correction|no,? wait)\b|算了|等等|还是|改成|改为|更正)", re.I)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of|replaces?|no longer|not? (?:any ?more|longer)|from now on|used to)\b|而不是|不再|代替|取代|不用.{1,12}了",
    re.I,
)
_CHANGE = re.compile(
    r"\b(?:actually|instead|on (?:second thoughts?|reflection)|scratch (?:that|it)|scrap|correction|change[ds]?|switch(?:ed|ing)?|rather than|no longer|not any ?more|any ?more|"
    r"any longer|make (?:it|that|them)|after all|from now on|forget|never ?mind|ignore (?:what|the|my)|disregard|take (?:it|that|this|the \w+) (?:back|off)|take back|undo|"
    r"revert|restore|reinstate|withdraw\w*|revoke\w*|rescind\w*|lifted|waive\w*|again|back (?:to|in|on)|bring back|goes back|go back|going back|cancel|drop|replace\w*|"
    r"supersed\w*|amend\w*|reconsider\w*|overrul\w*|changed my mind|i was wrong|misspoke|should have been|(?:is|are) out\b|(?:is|are) off\b|fine (?:again|now)|ok(?:ay)? (?:again|now)|"
    r"(?:can|may) now|now (?:be|can|may)|you can stop|you don't have to|turns out|contrary to|update:|wait|hold on|hang on|nah|nope|sorry|oops|let me correct|"
    r"bump|raise|lower|shorten|extend|increase|reduce|relax|ease|loosen|rename|move\w* (?:it|that|the)|swap|let's not|not the \w+|is now|are now|becomes?)\b"
    r"|^no[,.\s]|\bnot (?!yet)\w+[.!,]?$|, not \w+|\b\w+ (?:not|instead of) \w+",
    re.I,
)
_CHANGE_ZH = re.compile(
    r"改[成为用到回在走主坐了一]|改(?=[^善进革正])|换[成用回为掉个]?|还是|不再|作废|取消|算了|撤[回销掉]|不是.{1,12}是|恢复|解[除禁]|放[宽开]|又能|又可以|也[行能可]|[行能可以]了$|"
    r"(?:可以|能|行|准|接受).{0,12}了|不.{1,12}了|别.{1,12}了|调[成到整]|[降提缩延]到|推翻|反悔|说错|说反|搞错|之前|刚才|刚刚|刚说|原[来先定]|说好的|上次|前面|前头|前言|收回|忘[了掉]|回到|"
    r"转回|退回|停[了发用]|废[了掉]|加回|去掉|先不|慢着|等等|不对|反正|要不"
)
# what is named as no longer so
_OLD = re.compile(
    r"\b(?:instead of|rather than|in place of|no longer|not|from|forget(?: everything| all)?(?: about)?|scrap|scratch|drop|skip|never ?mind|cancel|ditch|enough of|stop(?: going through| using)?|lose|undo|"
    r"replace|rename|without|away from|no more|strike|withdraw|swap(?: out)?) (?:(?:the|a|an|my|that|this|those|at|through|using|doing|with|hero|any) ){0,3}(?P<word>[\w$€£.,'-]+(?: [\w'-]+)?)"
    r"|\b(?P<out>[\w'-]+)(?: \w+)? (?:is|are|was|isn't|aren't) (?:out|off|over|history|gone|not needed|no longer)\b"
    r"|\b(?P<after>[\w'-]+) (?:no longer|isn't|aren't|doesn't|won't)\b|^no[,.]? (?:not )?(?P<no>\w+)",
    re.I,
)
_OLD_ZH = re.compile(
    r"从(?P<a>[^，,。到改换]{1,10}?)(?:改|换|变|到|降|提)|不是(?P<b>[^，,。]{1,10}?)[，,]?(?:而)?是|(?:不用|不要|不再用?|取消|别再?|(?<!要)不(?!过|错|管|好意)|先不|停了?|不做|不走|不坐|撤掉|去掉)(?P<c>[^，,。了]{1,10})了?"
    r"|(?P<d>[^，,。]{1,10}?)(?:就|先|那个|这个|的规矩|那条)?(?:不要了|不用了|取消|作废|算了|撤了|废了|不行|停了|太\w|不\w{1,3}了|换掉|推翻|别\w{1,3}了)|(?P<e>[^，,。]{2,10}?)(?:改|换)(?:成|为|回|到|用)?"
    r"|(?P<f>[\w\u4e00-\u9fff]{1,8})[啥什]么?呀"
)
_UNCHANGED = re.compile(
    r"\bnothing(?:'s| has| is)? changed\b|\bno changes?\b|\bunchanged\b|\bstands as\b|\b(?:yep|yes|yeah) still\b|没变|没改|照旧|不变"
)
_SUPPOSED = re.compile(r"^(?:suppose|imagine|what if|if (?:i|we|you|they|it)\b)|^(?:如果|假如|要是|假设)", re.I)

# an order of a change, given now: what follows takes the place of what was
_ORDER = re.compile(
    r"(?:^|[,;:–-] *|\b(?:please|pls|let's|lets|let us|so|and|then|ok|okay|now|we|you|could|can|we'll|i'd|(?:want|like|need|have|going) to) )(?:please )?(?:switch|change|move(?! on)|rename|bump|raise|lower|cut|shorten|extend|increase|reduce|"
    r"trim|push|shift|swap|replace|revert|restore|relax|loosen|put back|bring back|go back|scrap|ditch|forget|scratch|drop|cancel)\b(?! (?:me|a (?:line|note|mail|message)|in)\b)"
    r"|\b(?:up|down|back|over) to (?:\w+|\d)|\b(?:moves?|goes?|switch\w*|changes?) (?:\w+ )?to \w|\binstead\b|\brather than\b|\bno longer\b|\bany ?more\b|\bany longer\b|\bafter all\b"
    r"|\bon (?:reflection|second thoughts?)\b|\bfrom (?:now|here) on(?:wards)?\b|\bas of (?:now|today)\b|\bmake (?:it|that|them) (?!clear|sure|so\b)|\b(?:i )?changed my mind\b|\bno more \w"
    r"|\bwas (?:a mistake|an? \w+ idea|overkill|silly|wrong|stupid|nonsense|too \w+)\b|\b(?:ok|okay|fine|alright|allowed|welcome) (?:again|now)\b|\b(?:is|are) back\b|\bnow please\b|\bnow (?=\d)"
    r"|, not (?!that|sure|yet|only|even|to (?:mention|be|say)\b)\w|^not \w+(?: \w+)?, |\b(?:hold on|hang on|wait|no),? don't \w|\bdon'?t bother\b|\bwill do\b|\b(?:wasn't|isn't|aren't|weren't) enough\b|\b(?:my bad|my mistake|i was wrong|i misspoke|i meant)\b|\b(?:is|are) (?:a no(?!-)|no good|too \w+)\b|\b(?:bitte|doch|lieber) wieder\b|\bstattdessen\b"
    r"|\bplut[oô]t\b|\bd[eé]sormais\b|\bmejor\b|\b(?:is|are) out\b",
    re.I,
)
# lays something down, and is a change only beside another value of the same thing
_LAID_DOWN = re.compile(
    r"\blet(?:'s| us) (?:do|hold|have|write|make|use|go|take|meet|give|put|run|start|end|play|serve|paint|build|book)\b|\b(?:can|may|could|should) be (?=\d|an?\b|one\b|two\b|three\b|in\b)"
    r"|\b(?:is|are) (?:plenty|enough)\b|\b(?:can|may) (?:go|stay) (?=\w+ to\b|to\b|at\b)|\bset (?:the|it|that)\b|\bwe(?:'ll| will) (?:do|hold|write|take|use|have|meet|go)\b",
    re.I,
)
_ORDER_ZH = re.compile(
    r"换[成用回为掉]|换(?=[\w\u4e00-\u9fff]{2})(?![货句言算行季位班人洗])|(?<!应)[改该][成为回用走从到在叫坐订发抄写选]|(?:^|[，,。 ])改(?=[\u4e00-\u9fffA-Za-z\d])(?![善进革正天日主动错一良编造稿写完好得过变])|调[到成整至高低]|(?:[加减降提放缩升涨延增]|缩短|延长|放宽|放开|提高|降低|减少|增加)(?:到|至|为|成)|放宽|"
    r"[挪推移][到至]|[往向][前后][挪推移]|提前到|推迟到|还是.{1,14}[吧巴把]|还是(?:用|改|叫|按|走|选|放|写|分|要|去|发)|[吧巴把]还是|改一下|改改|(?<![要还])不(?!会|知|想|懂|怕|行|敢|到|见|过).{1,10}了(?=$|[，,。！!吧])|别.{1,10}了|"
    r"不用.{0,8}了|恢复|取消|作废|解除|回到|由.{1,8}[改减增调降升]为|(?P<same>[\u4e00-\u9fff]{2})就(?P=same)[吧，]|[能可]以?[^不，。]{0,10}了(?=$|[，,。！!])|"
    r"以后.{0,2}[用写发叫]|太.{1,6}了|[啥什]么?呀|可以.{1,8}了|再(?=补|发|报)|不限.{1,6}了"
)
# what keeps, adds, weighs, supposes, remembers, or is another's
_NOT_OURS = re.compile(
    r"\b(?:they|he|she|someone|everyone|people|others?|(?:my|his|her|their) (?!mind)[\w'-]+(?: [\w'-]+)?|the (?:client|customer|boss|manager|team|competitor|supplier|landlord|neighbou?rs?|company|other \w+|people|article|docs?|manual|"
    r"contract|competition|school|doctor|office)(?:'s)?|our (?:competitors?|boss|manager|neighbou?rs?|rivals?)|other \w+)(?: \w+)?(?:'s|'ve|'re|'d)? (?:(?:has|have|had|is|are|was|were|just|also|already|would|will|might|may) )*"
    r"(?:moved?s?|switch\w*|chang\w*|went|goes?|bump\w*|rais\w*|drop\w*|replac\w*|cancel\w*|swap\w*|renam\w*|wants?|wanted|likes?|prefers?|preferred|says?|said|thinks?|thought|suggest\w*|insist\w*|asked|asks|decided|"
    r"propos\w*|plans?|planning|using|uses?|used|going|do|does|did|doing|hopes?|keeps?|recommend\w*|talks?|told|complain\w*|took|takes|got|gets|cap|limit)\b"
    r"|\b(?:if|suppose|supposing|imagine|what if|wonder\w*|whether|maybe|perhaps|might|thinking (?:about|of)|considering|not sure|i guess|i suppose|would have|could have|should have|unless|until|tempted|"
    r"probably|possibly|not yet|let me think|who knows|dream\w*|kidding|joking|theoretically|in theory|hypothetical\w*)\b"
    r"|\b(?:last (?:year|month|week|time|night|summer|winter)|yesterday|years? ago|months? ago|weeks? ago|days? ago|back then|in the past|used to|remember\w*|once upon|at the time|in those days|previously|when (?:i|we) (?:was|were))\b"
    r"|\b(?:we|i)(?:'ve| have| had)? (?:already |just |once |recently )?(?:changed (?!my mind)|moved|switched|raised|dropped|replaced|renamed|swapped|bumped)\b",
    re.I,
)
_NOT_OURS_ZH = re.compile(
    r"^(?:但|可|听说|据说|说是)?(?:他们?|她们?|人家|有人|对方|别人|大家|(?:我|你|他|她|咱|我们)?(?:妈|爸|老公|老婆|同事|朋友|同学|表[妹姐哥弟]|堂[妹姐哥弟]|弟弟?|哥哥?|姐姐?|妹妹?|儿子|女儿|老师|经理|老板|领导|邻居|室友|客户|房东|对手|供应商)|"
    r"(?:别的?|其他|隔壁|竞争|友商|人)\S{0,4}?(?:公司|班|组|家|人|部门|对手))(?!直接).{0,10}?(?:换|改|说|想|觉得|要|建议|打算|用|调|提|挪|取消|喜欢|问|去)"
    r"|如果|要是|万一|假如|假设|的话|也许|可能|或许|大概|再想想|考虑|要不要|是不是|能不能|可不可以|说不定|不确定|拿不准|犹豫|纠结|想着|打算|琢磨|听说|据说|除非|好像|似乎|开玩笑"
    r"|以前|上次|去年|当初|从前|后来|前年|上个?月|上周(?!的要求)|那时|当年|曾|小时候|记得|折腾"
)
_KEPT = re.compile(
    r"\b(?:stays?|remains?|unchanged|as (?:it (?:is|was)|before|always|usual|agreed|planned)|stick (?:to|with)|leave (?:it|everything)|no change|stands?|fine as|keep|keeps|continue|carry on)\b|继续|接着|没变|不变|照旧|照写|照常|照样|照原|原来那|原样|一样",
    re.I,
)
_ADDED = re.compile(
    r"\b(?:also|too|as well|either|in addition|additionally|plus|on top|besides|both|another|extra|more(?=:)|and also)\b|[也都](?!(?:行|能|可|成)[^，]{0,8}[吧了])|还要|还有|另外|同时|以及|再[加出来给发做写多]一|外加|顺便",
    re.I,
)
_STOPPED = re.compile(
    r"\b(?:hold on|hang on|wait|no),? don'?t (?P<verb>\w+)|, not (?:to|for|in|on|at|with|from) (?:the )?(?P<place>\w+)|\b(?P<thing>\w+(?: \w+)?) (?:(?:is|are) (?:a no(?!-)|no good|too \w+)|(?:isn't|wasn't|aren't) enough)\b",
    re.I,
)
_EASED = re.compile(r"不限|放[宽开]|\b(?:relax|ease|loosen)", re.I)
# one thing is named as no longer so
_DENIES = re.compile(
    r"\b(?:not|instead of|rather than|no longer|no more|forget|scrap|ditch|drop|scratch|without)\b|不[用要再]?[^，。]{1,10}了|别|不限", re.I
)
_CUT = re.compile(r"[;:.!?]\s+|,\s+(?!not\b)|\s[–—-]+\s|\b(?:but|because|since)\b|[，。；！？]")
_PASSED_ON = re.compile(
    r"\W*(?:please |pls |can you |could you )?(?:translate|summari[sz]e|proofread|rewrite this|explain|find|look up|search|read|check|quote)\b|.{0,4}(?:翻译|翻成|总结|概括|润色|解释|校对|查一?下|帮我(?:查|看|把这))",
    re.I,
)
# one edit away from a word of a change; no misspelling that is a word itself, and the first letter stands
_MISSPELT_WORDS = (
    "instead switch change replace again actually longer rather cancel forget allowed restore lower shorten anymore reduce increase"
)
_REAL_WORDS = frozenset(("loner", "forge", "rater", "lower", "aging", "chang", "allowe", "lager", "swatch"))
_WORD = re.compile(r"[A-Za-z]{4,}")
# one of these stands in whatever the English pattern of an order matches; looking for a word is far cheaper
_ORDER_WORDS = words(
    "switch change move rename bump raise lower cut shorten extend increase reduce trim push shift swap replace revert restore relax loosen put bring go scrap ditch forget scratch drop cancel "
    "up down back over moves goes switches switched switching changes changed changing instead rather longer more after reflection thought thoughts now here today make mistake idea overkill silly wrong "
    "stupid nonsense let's let can may could should we'll we set are is plenty enough bad meant no misspoke too again not don't dont bother do wieder stattdessen plutot plutôt desormais désormais mejor out any anymore mind"
)
_SMALL = re.compile(r"[a-zà-ÿ']+")
_LATIN = re.compile(r"[A-Za-z]{2}")
_MAX_CHARS = 1_000


def _misspellings() -> dict[str, str]:
    found: dict[str, str] = {}
    for word in _MISSPELT_WORDS.split():
        for at in range(1, len(word)):
            swapped = word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
            for wrong in (word[:at] + word[at + 1 :], swapped):
                if wrong not in _REAL_WORDS and wrong != word:
                    found.setdefault(wrong, word)
    return found


_MISSPELT = _misspellings()
_FORM_NOW = re.compile(r"\bform now on\b", re.I)


class Change(Struct, frozen=True):
    """A change that the user orders: `text` without the clauses that are not about it, `old` what it may name as old,
    `adds` where it has words of an addition, `denies` where it plainly names something as no longer so,
    `weak` where it only lays something down, which is a change beside another value alone."""

    text: str
    old: frozenset[str]
    adds: bool
    denies: bool
    weak: bool


def _of_its_script(sentence: str, english: re.Pattern[str], chinese: re.Pattern[str]) -> tuple[re.Pattern[str], ...]:
    """The patterns that can match at all: most sentences need but one."""
    if sentence.isascii():
        return (english,)
    return (english, chinese) if _LATIN.search(sentence) else (chinese,)


def is_change(sentence: str) -> bool:
    """Whether the sentence has words of a change ("actually", "again", 改成, 还是). Cheap; not a proof of one."""
    return any(pattern.search(sentence) for pattern in _of_its_script(sentence, _CHANGE, _CHANGE_ZH))


def turns_back(sentence: str) -> bool:
    """Whether the sentence begins as one does that takes something back ("Actually, ...", 改成 ...)."""
    return _TURNS.match(sentence) is not None


def names_a_change(sentence: str) -> bool:
    """Whether it sets one thing against another or ends something ("instead of", "no longer", 不再). Narrower than
    `is_change`, whose words stand in much that changes nothing."""
    return _INSTEAD.search(sentence) is not None


def is_unchanged(sentence: str) -> bool:
    """Whether it says that something stays as it is, and names nothing old."""
    return _UNCHANGED.search(sentence) is not None and not old_words(sentence)


def is_supposed(sentence: str) -> bool:
    """Whether it begins as a supposition."""
    return _SUPPOSED.match(sentence.strip()) is not None


def old_words(sentence: str) -> set[str]:
    """Key words and short Chinese words that the sentence names as no longer so."""
    found: set[str] = set()
    for pattern in _of_its_script(sentence, _OLD, _OLD_ZH):
        for old in pattern.finditer(sentence):
            found |= keys(" ".join(group for group in old.groups() if group))
            found |= {group for group in old.groups() if group and characters(group) and len(group) <= 2}
    return found


def spelt(sentence: str) -> str:
    """The sentence with the words of a change as they are written ("insted", "form now on")."""
    if not _WORD.search(sentence):
        return sentence
    fixed = _WORD.sub(lambda found: _MISSPELT.get(found[0].lower(), found[0]), sentence)
    return _FORM_NOW.sub("from now on", fixed)


@lru_cache(maxsize=256)
def own_words(sentence: str) -> str:
    """What of the sentence is the user's own and of now: without the clauses that keep, suppose, weigh, remember, or tell of others."""
    if len(sentence) > _MAX_CHARS or sentence.rstrip().endswith(("?", "？")) or _PASSED_ON.match(sentence):
        return ""
    parts, at = [], 0
    for cut in [*_CUT.finditer(sentence), None]:
        part = sentence[at : cut.start() if cut else len(sentence)]
        at = cut.end() if cut else len(sentence)
        if part.strip() and _is_own(part.strip()):
            parts.append(part.strip())
        elif cut and _leads_on(part):
            return ""
    return ", ".join(parts)


def _is_own(part: str) -> bool:
    others = any(pattern.search(part) for pattern in _of_its_script(part, _NOT_OURS, _NOT_OURS_ZH))
    return not others and (_KEPT.search(part) is None or _INSTEAD.search(part) is not None)


def _leads_on(part: str) -> bool:
    """Whether the rest of the sentence hangs on this clause: a condition, a report."""
    return (
        re.match(
            r"\W*(?:if|suppose|supposing|imagine|what if|unless|in theory|theoretically)\b|\s*(?:如果|要是|万一|假如|假设|除非)", part, re.I
        )
        is not None
    )


@lru_cache(maxsize=256)
def ordered_change(sentence: str) -> Change | None:
    """The change that the user orders with this sentence; None where it orders none. `sentence` as `spelt` gives it."""
    sentence = sentence.replace("’", "'")
    patterns = _of_its_script(sentence, _ORDER, _ORDER_ZH)
    patterns = (*patterns, _LAID_DOWN) if _ORDER in patterns else patterns
    if len(patterns) == 2 and _ORDER in patterns and _ORDER_WORDS.isdisjoint(_SMALL.findall(sentence.lower())):
        return None
    if not any(pattern.search(sentence) for pattern in patterns):
        return None
    text = own_words(sentence)
    matching = [pattern for pattern in patterns if pattern.search(text)]
    if not matching:
        return None
    stopped = _STOPPED.search(text)
    old = old_words(text) | (keys(stopped[stopped.lastgroup or "verb"]) if stopped else frozenset())
    return Change(text, frozenset(old), adds(text), _DENIES.search(text) is not None, matching == [_LAID_DOWN])


def adds(text: str) -> bool:
    """Whether it has words of an addition ("also", "as well", 也, 另外) and none of a bound that is eased."""
    return _ADDED.search(text) is not None and _EASED.search(text) is None
