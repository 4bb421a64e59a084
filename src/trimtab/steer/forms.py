"""What the form of a user's message tells, English and Chinese: whether it asks, wants something made, points back to what was
said, or turns to other work. Which words it shares with a task is for `interruptions` to see."""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# ---------------------------------------------------------------- how messages begin

_MARKS = " ,.;:!，。；：！、…—-"
_LEAD_IN = _any(
    r"^\W*(?:ok|okay|so|and|but|well|hey|hi|hello|sorry|um|oh|hmm|right|great|also|now|please|kindly|thanks|thank you|actually|wait|just|btw|"
    r"by the way|(?:just )?out of curiosity)\b[,.!:; ]*",
    r"^\W*(?:(?:好的?|嗯|哦|啊|那么?|对了|另外|等等|等一下|你好|谢谢|算了)[，,。.！!：: ]+|那(?![个里边些样是种天么])|请问[，,]?|话说)",
)
_ASIDE = _any(
    r"^\W*(?:(?:oh|hey|hi|sorry|wait|ok|okay)[,.! ]+)?(?:(?:a |one )?(?:quick|side|unrelated|off[- ]topic|random) question|unrelated(?:ly)?|"
    r"off[- ]topic|on (?:a|another|an unrelated) (?:side |different )?note|(?:i(?:'m| am) |just )?(?:curious|out of curiosity))\b",
    r"^\W*(?:题外话|问(?:一?个|一下)?(?:无关|不相关|题外|别)的?|插(?:一)?句|随便问|好奇问|打断一下)",
)
# these lead in what belongs to the task as well
_WEAK_ASIDE = _any(r"^\W*(?:(?:oh|hey|hi|sorry|wait|ok|okay)[,.! ]+)?(?:by the way|btw)\b", r"^\W*(?:对了[，,]|顺便(?:问|说))")


def bare(text: str) -> str:
    """Without what only leads in: greetings, "so", "please"."""
    rest = text.strip().lstrip(_MARKS)
    for _ in range(4):
        shorter = _LEAD_IN.sub("", rest, count=1).strip().lstrip(_MARKS)
        if not shorter or shorter == rest:
            break
        rest = shorter
    return rest


def says_aside(text: str) -> str:
    """How plainly it says that it is beside the matter: "plain", "weak" ("by the way"), or ""."""
    return "plain" if _ASIDE.search(text) else "weak" if _WEAK_ASIDE.search(text) else ""


# ---------------------------------------------------------------- questions

_AUXILIARY = r"(?:is|are|was|were|do|does|did|am|can|could|will|would|should|has|have|had)"
_ASKS = _any(
    r"[?？][\s\"”』」)）]*$",
    r"^(?:what(?!ever)(?! an? )|(?:what|who|where|how|when)'?s|who|whom|whose|why|how|which(?! reminds)|is|are|was|were|am|does|did)\b",
    r"^(?:do|have|has|had|can|could|would|should|will|shall|may) (?:you|we|they|i|he|she|it|people|there|the|any)\b",
    r"^(?:any idea|(?:i(?:'m| am) )?(?:just )?(?:wondering|curious)|i wonder|i'?d like to know|tell me (?:what|who|where|when|why|how|which|if|whether))\b",
    r"^(?:when|where)\b(?!.*[,，])",
)
_ASKS_ZH = _any(
    r"(?:吗|呢|么|了没有?)[。.!！~～]*$",
    r"什么|怎么|怎样|如何|为何|哪|谁|多少|多[高大远久长重深快]|(?<![好十])几(?!乎)|是不是|有没有|会不会|是否|告诉我",
)
# "whatever you like", "don't mail anybody"
_ASKS_NOT = _any(
    r"^(?:do not|don'?t)\b",
    r"(?:什么|怎么|哪[^，。]{0,3}|谁|多少)[^，。]{0,4}(?:都|也)(?:行|可以|好|没)|没什么|不管|无论|不怎么|什么的[。.]?$",
)
# a question without a verb goes on from what was said: "which currency?", "and the others?"
_CUT_SHORT = _any(
    r"^(?:what about|how about|and|or|even|only|like|such as)\b",
    rf"^(?:which|what|whose|how (?:many|much|long|far|often|big|old|soon|detailed)|why|where|when|who|how)(?: (?!{_AUXILIARY}\b)[\w-]+){{0,2}}\W*$",
    r"^(?!.*(?:什么|怎么|谁|哪|多少|几))[^，,]{0,8}呢[?？。]*$",
    r"^(?:哪|几|什么|多少)[^是有在会能了点号年]{0,4}[?？]*$",
)
# "who painted Guernica?"
_HAS_VERB = _any(r"^who \w{3,} \w")


def asks(text: str) -> bool:
    """Whether it is a question, with or without its mark."""
    head = bare(text)
    return bool((_ASKS.search(head) or _ASKS_ZH.search(head)) and not _ASKS_NOT.search(head))


def is_cut_short(text: str) -> bool:
    """Whether it is a question that is whole only with what was said before it."""
    head = bare(text)
    return bool(_CUT_SHORT.search(head)) and not _HAS_VERB.search(head)


# ---------------------------------------------------------------- requests

_POLITE = _any(
    r"^(?:(?:can|could|would|will) you|i(?:'d| would) like you to|i (?:want|need) you to|why don'?t you|would you mind)\b,?"
    r"(?: (?:please|kindly|maybe|just|quickly))*\s+",
    r"^(?:[你您]?(?:能不能|能否|可不可以|可否|可以|能)|麻烦[你您]?|请)(?:请|也|先|再|顺便)?",
)
_A = r"(?:an?|some|any|another|two|three|\d+|your favou?rite|something|one)\b"
_PIECES = r"(?:poem|song|story|joke|riddle|haiku|limerick|lullaby|recipe|rap|sonnet|fairy tale|love letter)s?\b"
# a thing for the speaker that is whole in itself
_WANTS = _any(
    rf"^(?:tell|teach) (?:me|us) (?:{_A}|about|how)",
    rf"^(?:write|give|show|find|make|draw|get|buy|order|read|sing|draft|compose|play|pick) (?:me|us) {_A}",
    rf"^(?:write|compose|sing|invent|make up|recite|tell) (?:an? )?(?:\w+ ){{0,2}}{_PIECES}",
    rf"^(?:book|order|buy|reserve|play|recommend|suggest|find|draw|sing|plan) (?:(?:me|us) )?{_A}",
    r"^(?:translate|spell|define|google|recommend|book|call|play|look up)\b|^(?:remind|wake) (?:me|us)\b|^set (?:an alarm|a timer)",
    r"^(?:explain|describe)\b",
    r"^convert [$€£]?\d|^(?:calculate|compute|solve) [\d(]",
    r"^(?:帮我|给我|替我|为我|帮忙)*(?:把.{1,80}(?:翻译|译|换算)成|翻译|提醒我|叫我|教我|推荐|换算|(?:计算|算)(?:一下)?[\d一二三四五六七八九十])",
    r"^(?:帮我|给我|替我|为我|帮忙)*(?:讲|说|唱|画|背|播放|放|介绍|订|预订|买|点|找|编)(?:我|一下)?[一两三几点些]?[个首篇段张部份杯家本道间束些点件支]",
    r"^(?:帮我|给我|替我|为我|帮忙)*写[^，。]{0,12}(?:诗|歌|故事|笑话|情书|小说|谜语|歌词)",
    r"^(?:帮我|给我|替我|为我)(?:写|查|搜|买|订|做|选|挑|找|算|看|想|取|约|问)|^[查搜](?:一下|查)",
    r"^[^，,。]{0,8}(?:解释|说说|讲讲|谈谈)(?:一下)?[^，,。一]{2}",
)


def wish_of(text: str) -> str:
    """What is asked for where it is put as a wish or a polite question; "" where it is not."""
    head = bare(text)
    found = _POLITE.match(head)
    return bare(head[found.end() :]) if found else ""


def verb_of(text: str) -> str:
    """The first word of what is asked for, which says what to do and not with what; "" in Chinese, which parts no words."""
    found = re.match(r"[A-Za-z]+", wish_of(text) or bare(text))
    return found[0] if found else ""


def wants(text: str) -> bool:
    """Whether it asks for a thing that is whole in itself: a poem, a booking, a translation."""
    return bool(_WANTS.search(wish_of(text) or bare(text)))


# ---------------------------------------------------------------- what points back

# words of `_POINTS` where they do not: "this week", "what time is it", "are there", "this: ..."
_POINTS_NOT = _any(
    r"\b(?:this|that|these|those) (?:very )?(?:days?|weeks?|weekend|months?|years?|morning|afternoon|evening|night|season|spring|summer|autumn|fall|"
    r"winter|century|decade)\b",
    r"\b(?:true|know|think|says?|said|believe|sure|means?|fact|so) that\b",
    r"\b(?:time|day|date|year|month|season) (?:is|was) it\b",
    r"\b(?:is|was|does|will|did) it (?:be |going to |ever |still )*(?:(?:rain|snow)(?:ing)?|cold|hot|warm|sunny|dark|late|early|true|possible|legal|"
    r"healthy|bad|rude|normal)\b(?: that\b)?",
    r"\bhow (?:far|long|hot|cold|late) (?:is|was|does) it (?:from|to|take to|in)\b",
    r"\b(?:is|are|was|were|be|been) there\b",
    r"\b(?:this|that|these|the following|those)\b(?=[^.?!:：]{0,40}[:：\"“])",
    r"\bhave you ever\b|\byour (?:favou?rite|name|age|birthday|opinion|mind|hobb)",
    r"这(?:个?(?:周末?|星期|礼拜|月|年|季|世界|世纪)|几天|两天|会儿|阵子|辈子)|那(?:么|时候?)|他(?=国|乡|山)|其他",
)
_NOUNS = r"(?:one|ones|row|item|part|point|version|draft|column|page|section|line|remark|comment|file|question)"
_POINTS = _any(
    r"\b(?:this|that|these|those|it|its|they|them|their|he|him|she|her|his|we|our|ours|us|here|there|same|again|also|instead|too|both|such|so far|anything else)\b",
    r"\b(?:steps?|plan|tasks?|progress|status|results?(?! of)|deadline|previous|earlier|the above|the rest|the others?|continue|go on)\b",
    r"\b(?:left|remaining|missing|ready|finished|done|next|first|second|third|last|other|one|ones|each)\W*$",
    rf"\b(?:first|second|third|last|next|other|newest|oldest) {_NOUNS}s?\b",
    r"\b(?:did|have|had|were) you\b|\bare you (?:done|ready|sure|finished|still|on|at|stuck|\w+ing)\b|\bdo you (?:need|see|mean|plan|want)\b",
    rf"\bhow many {_AUXILIARY}\b",
    r"\b(?:is|are|was|were|did|does|has|have) (?:any|every|some|no)(?:thing|one|body)\b",
    r"\byou (?:\w{2,}ed|did|found|made|wrote|sent|took|chose|put|kept|left|ran|saw|got|forgot)\b|\byour\b",
    r"\b(?:would|will) you (?!like|know|love|have|believe|prefer)\w+|\b(?:do|would) you (?:think|say|suggest|recommend|propose)\W*$|^\W*(?:please )?translate (?:in)?to \w+\W*$",
    r"这|那(?!么)|它|他|她|我们|咱|步骤|第.{1,3}[条行步章列页项版段节份]|下一?步|上一|计划|任务|目标|进度|进展|继续|上面|前面|刚才|结果|同样|其中|上述|剩下",
    r"之前[说提的做写]|还[要剩差](?:多少|多久|几)|(?:完|好)了?[吗没么]|到哪[里儿步]?了|有(?:几|多少)[个条行家位项]?[?？]*$|还有(?:别的|其他|什么)|^[请帮我]*翻译成[^，,：:]{1,8}$",
    r"[你您][^，。？?]{0,12}(?:了(?!解)|完|掉)|[你您](?:打算|准备)|[你您](?:怎么看|觉得(?:呢|怎么样|行|可以)?)[?？。]?$",
)


def points_back(text: str) -> bool:
    """Whether a word of it stands for what was said or done before."""
    return bool(_POINTS.search(_POINTS_NOT.sub(" ", text)))


# ---------------------------------------------------------------- other work

_OTHER = r"(?:new|different|another|other|separate)"
_WORK = r"(?:tasks?|jobs?|assignments?|requests?|projects?|pieces? of work)"
_LET = r"(?:let'?s|let us|(?:can|could|shall|should) we|we(?: should|'ll| will| could)?|please|you(?: to)?|i want to|i'd like to)"
_TURNS = _any(
    rf"(?:^|[.;!] )(?:i(?:'ve| have)(?: got)? |here(?:'s| is| comes) |there(?:'s| is) |this is |we have |you have |(?:(?:let'?s|let us) )?(?:start|begin|do|take on) )?"
    rf"(?:an? |my )?(?:{_OTHER} {_WORK}|something (?:else|different) (?:for you|to do|(?:has |just )?came? up))\b",
    rf"(?:^|[.,;!] ?|\b{_LET} )(?:now )?(?:do|work on|start on|try|talk about|turn to) something (?:else|different|new)\b",
    rf"(?:^|[.,;!] ?|\b{_LET} )(?:now )?(?:switch|move on|move|change|turn|go over) (?:over )?to (?:an? )?(?:{_OTHER} (?!{_NOUNS})|something else)",
    rf"(?:^|[.;!] )next {_WORK} ?:",
    r"^(?:put|set|leave) (?:this|that|it|everything|(?:the|this) (?:current )?(?:task|work|job)) (?:aside|on hold|on ice|for later)\b",
    r"^(?:forget|drop|abandon|park|stop|pause|cancel|quit|leave|hold off on|scrap) (?:with )?(?:the|this|that) (?:current )?(?:task|job|assignment)\b(?! of)",
    r"\binstead of (?:this|that|the (?:current )?) ?(?:task|job)\b",
    r"(?:^|[，,。：:！!]|有(?:一?个)?|给你(?:一?个)?|来(?:一?个)?|开始(?:一?个)?|做)新的?(?:任务|工作|需求|活)",
    r"(?:^|[，,。：:！!]|有|给你|来|开始|做)(?:另外?|别的)(?:一)?[个件项]?(?:急)?(?:任务|工作|事|活)(?![也都])",
    r"(?:换|切换|转)(?:一)?(?:个|件|到|成)?(?:别的|新的|另外?的?)?(?:一)?[个件项]?(?:任务|事|话题|项目|工作)",
    r"[做干弄谈聊][点些]?(?:别的|其他的|另外的)(?![列行章条字])|改做|下一个(?:任务|工作)[：:]",
    r"(?:任务|手[头上]的?(?:工作|事|活))情?(?:先)?(?:放一?放|放下|搁置|暂停|停下|停一停)|(?:放下|搁置|暂停|停下)(?:手头|手上|当前|现在)的?(?:任务|工作|事)",
)
_TURNS_NOT = _any(
    r"^(?:don'?t|do not|not|no|never|isn'?t|without|before|after|once|when|if)\b",
    r"^(?:不是|没有|不要|别(?![做弄管]))|任务[^，。]{0,4}(?:先|暂时)[别不]|有(?:没有)?(?:别的|另外|新的?).*[吗么?？]\W*$",
)
_STOPS = _any(
    r"^(?:i (?:want|need|would like) you to |let'?s |we (?:can|should) )?"
    r"(?:stop|quit|drop|scratch|no more|that'?s (?:it|all) (?:for|with)|we(?:'re| are) (?:done|finished) with|forget(?: about)?|abandon|cancel|scrap|park|pause|leave|shelve|ditch|never ?mind|hold off on|(?:that'?s )?enough(?: of| with)?|instead of)"
    r"(?: (?:doing|working on|with))?\b(?P<what> [^.,;:!?—]+)",
    r"^(?P<wait>(?:this|that|it) can wait|change of plans?|plans (?:have )?changed)\b",
)
# where the thing that is stopped ends and the other work begins
_ENDS_WHAT = _any(r"\s(?:and|for now|for the moment|for today|right now|instead|first|please|now)\b")
_WORK_AT_HAND = _any(
    r"\b(?:this|that|it|all|of|everything|the|whole|current|tasks?|jobs?|work|project|what(?:ever)?|you(?:'re| are)?|re|are|doing|working|on|at|here|with)\b"
)
_STOPS_ZH = _any(
    r"(?:先)?(?:别|不要|不用|不)(?:再|先)?[管做弄搞写审查看编谈聊改急忙]",
    r"停止|停下来?|停一?[停下]|暂停|取消|搁置|放下|放一?放|缓一?缓|到这里|到这儿|算了|(?:计划|任务|情况)有?(?:变|改)|中止|终止|停(?=了|吧|$)|(?:明天|以后|回头|改天|晚点|下次)再[管做弄搞写审查编谈看说]?",
)
_PARTICLES_ZH = _any(r"这个?|那个?|它|手[头上]的?|现在|当前|任务|工作|事情?|活儿?|我们|我|你|先|请|把|就|了|吧|一下|的|再|都|能不能|可以")
_ONLY_FILLS = _any(r"\b(?:we|us|our|let'?s|instead|first|now|right away|today)\b", r"我们|咱们|先|改为|今天")


# what is said of the work at hand: how it is to be done, and what is the matter with it
_OF_THE_WORK = _any(
    r"^(?:use|keep|add|remove|sort|include|exclude|skip|ignore|put|change|replace|rename|wait|go on|continue|try|check|round|send (?:it|them))\b",
    r"^(?:the|it|there|this|that|he|she|they|you|my|some)\b",
    r"^(?:改?用|保留|加|去掉|删|跳过|忽略|换成|改成|等|检查|先?看|继续)|^.{1,6}(?:有|是|错|不对|太)",
)


def is_of_the_work(text: str) -> bool:
    """Whether it says how the work at hand is to be done, or what is the matter with it."""
    return bool(_OF_THE_WORK.search(text))


def turns(text: str) -> bool:
    """Whether it says outright that there is other work to do."""
    head = bare(text)
    return bool(_TURNS.search(head)) and not _TURNS_NOT.search(head)


def stops(text: str) -> tuple[str, str] | None:
    """Where it stops something: (what is stopped, without words for the work at hand; what it says then). None where it does not."""
    head = bare(text)
    found = _STOPS.search(head)
    if found is not None:
        said = found["what"] or ""
        cut = _ENDS_WHAT.search(said)
        end = found.end() if cut is None else found.start("what") + cut.start()
        what = said if cut is None else said[: cut.start()]
        return _WORK_AT_HAND.sub(" ", what).strip(), bare(head[end:])
    clauses = _CLAUSE.split(head)
    for at, clause in enumerate(clauses[:-1][:2]):
        if _STOPS_ZH.search(clause):
            return _PARTICLES_ZH.sub("", _STOPS_ZH.sub("", clause)).strip(), bare("，".join(clauses[at + 1 :]))
    return None


_CLAUSE = re.compile(r"[，,。；;！!]")


def clauses_of(text: str) -> list[str]:
    """Its clauses and sentences."""
    return [part for part in re.split(r"[，,。；;！!?？:：]|\. |\n", text) if part.strip()]


def without_fillers(text: str) -> str:
    """Without the words by which the rest of a message that stops something points back to nothing."""
    return _ONLY_FILLS.sub(" ", text)
