"""Signs of a kind of information that do not stand side by side, so that no cue of a list has them. Read by `intents.py`.

Patterns of one sentence in lower case: its words and marks parted by spaces in English and without spaces in Chinese,
numbers as "#". Repeats are bounded. Each says its kind and a weight as cues do.
"""

from __future__ import annotations

import re

from msgspec import Struct

Pattern = tuple[str, float, re.Pattern[str]]

_WAS = r"(?:was|were|been|has|have|had)(?: \w+)?"
_ACTED = (
    "activated|added|applied|blocked|booked|canceled|cancelled|changed|checked|closed|corrected|credited|deactivated|deleted|disabled"
    "|enabled|escalated|extended|filed|fixed|forwarded|frozen|given back|issued|lifted|linked|opened|ordered|passed on|placed|processed"
    "|raised|recorded|refunded|registered|removed|replaced|requested|reset|restored|returned|reversed|sent|switched|unlinked|unlocked"
    "|updated|upgraded|waived|withdrawn"
)
_GIVES_ENGLISH: tuple[Pattern, ...] = (
    ("gives_steps", 2.5, re.compile(r"[\w\"] > [\w\"]|[\w\"] (?:->|→) \w")),
    (
        "gives_steps",
        2.0,
        re.compile(
            r"\b(?:you|we) (?:can|could|may|just|only|simply|then|need to|have to)(?: \w+)? (?:call|dial|text|say|write|ask|bring|open|tap|press|send|request|pick|choose|set|add|scan|drop)\b"
        ),
    ),
    (
        "gives_steps",
        2.0,
        re.compile(
            r"(?:^|[,:] |\bto \w+ \w+ )(?:text|dial|say|message|slide|bring|hold|quote|mention|present|request|unlink|drop) (?:the|a|an|your|our|us|it|\"|\w+ (?:to|at|plus)|#)"
        ),
    ),
    (
        "gives_steps",
        2.0,
        re.compile(
            r"^(?:by (?:phone|mail|app|post|email)|(?:on|in|at|without|from) the (?:phone|app|kiosk|website|desk|web bank|menu)|keep|have|set|put|send|bring|hold|use|call|text|ask)\b(?! (?:it|me|up|been|a good))|^(?:to \w+.{1,40}, (?:open|go|tap|click|call|text|use|set|send|choose|pick|press|enter|scan)|another way|one way|the (?:quickest|easiest|other|simplest) way)\b"
        ),
    ),
    (
        "gives_time",
        2.5,
        re.compile(
            r"\b(?:#|#th) (?:of (?:the month|each|every|january|february|march|april|may|june|july)|(?:hours|days|weeks|months|minutes) (?:before|after|earlier|later|ahead))|half past|quarter (?:past|to)|mid - month|(?:one|two|#) (?:working |business )?days\b"
        ),
    ),
    ("gives_amount", 2.5, re.compile(r"(?:[$€£¥] ?#|# (?:dollars?|euros?|pounds?|bucks|cents|yuan)\b)")),
    ("gives_amount", 2.0, re.compile(r"# # |\b(?:pay|paid|paying|charged?|costs?|fee|fine|rate|price|bill|billed|deposit|rent)\b.{0,30}#")),
    ("gives_reason", 2.5, re.compile(r"\b(?:means?|stands for|indicates|refers to)\b(?! (?:i|we|you) (?:can|could|have))")),
    (
        "gives_reason",
        2.5,
        re.compile(
            r"\bthat(?:'s| is| was) (?:what|how|why|when)\b|, (?:that|which|and that) (?:pushed|made|caused|blocked|triggered|led|stopped|brought|broke|set off)\b|\btriggered\b|\b(?:code|error) (?:#|\w*-#) (?:is|was|means)\b|\b(?:appears?|happens?|comes?|shows?) (?:when|if|whenever)\b|\b(?:too (?:old|new|late|early|small|big|short)|fell (?:under|below)|dropped (?:under|below)|no longer appl|never (?:confirmed|arrived|updated|set|sent|activated)|still (?:goes?|tied|linked|set|registered|under|on) )"
        ),
    ),
    (
        "gives_reason",
        2.0,
        re.compile(
            r"\b(?:didn't|doesn't|wasn't|weren't|hadn't|hasn't|isn't|did not|does not|was not|had not)\b.{1,40}\b(?:in time|yet|match|arrive|reach|go through|on file|enough|valid|confirmed|registered|enabled)"
        ),
    ),
    (
        "gives_reason",
        2.0,
        re.compile(
            r"\b(?:was|were|got|had been) (?:already |still )?(?:overdrawn|late|expired|full|closed|locked|offline|missing|wrong|blocked|empty|outdated|misread|jammed|broken|abroad|exceeded|flagged)\b"
        ),
    ),
    ("done", 2.5, re.compile(rf"\b{_WAS} (?:{_ACTED})\b|\bi(?:'ve| have)? (?:{_ACTED})\b|\b(?:is|are) (?:now |already |gone |back )+")),
    ("done", 2.0, re.compile(rf"\b(?:is|are) (?:{_ACTED})(?: now| again| from| as|, |\.|$)|\bis gone\b|'s gone\b")),
    (
        "decision",
        3.0,
        re.compile(
            r"^(?:recorded|noted|understood|agreed|settled|good|perfect|fine|ok|okay|right then) ?[,:]|\blet's (?:do|leave|keep|make|say|go|take|stick|use)\b|\bas (?:you|we) (?:wanted|agreed|said|wished|chose|asked|decided|discussed)\b|^then please|^please (?:put|set|keep|leave|use|make it|book|take)\b|\bi(?:'d| would) rather\b|\bi want (?:it|them|that|this|my|the|everything|all)\b|\bstays? (?:only |just )?(?:as|on|with|the)\b|\bwe(?:'re| are) (?:keeping|going|staying|taking|using)\b|\bfrom now on\b|\bdoesn't go\b"
        ),
    ),
    (
        "promise",
        3.0,
        re.compile(
            r"\b(?:i|we|he|she|they|it|you)(?:'ll| will| shall)\b.{0,60}\b(?:by|within|before|until|tomorrow|today|tonight|next|this|monday|tuesday|wednesday|thursday|friday|saturday|sunday|#)\b|\byou(?:'ll| will) (?:get|have|receive|hear|see)\b"
        ),
    ),
    (
        "limit",
        3.0,
        re.compile(
            r"\b(?:at least|no fewer|no less|no later|longest|shortest|within (?:the|a) \w+ (?:of|year|month))\b|\b(?:can't|cannot|can not|couldn't|won't|don't|doesn't|aren't|isn't|not) (?:\w+ ){0,3}(?:more than|over #|above|beyond|longer than|allowed|permitted|possible|accepted|supported)\b"
        ),
    ),
    (
        "gives_options",
        2.5,
        re.compile(
            r"\b(?:accept|accepts|accepted|supports?|supported|takes?|include[sd]?|includes|covers?|works? (?:with|for|at|on)|comes? with|you get|part of|consists?)\b.{0,60}(?:,| and | or | nor )|\b(?:cannot|can't|won't|don't|doesn't|isn't|aren't|not)\b.{0,30}(?:, | or | nor |and )"
        ),
    ),
    (
        "gives_place",
        2.5,
        re.compile(
            r"\b(?:is|are|sits?|hangs?|lies|stands?|find|found|located|see|appears?|shown|kept|stored|listed|got it|waiting) (?:\w+ ){0,3}(?:in|under|at|on|behind|beside|near|opposite|inside) (?:the |your |our |a )?(?!#|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next|total|time|end|first|hold)\w+"
        ),
    ),
    (
        "gives_place",
        2.5,
        re.compile(r"# \w+ (?:street|road|avenue|lane|square|drive)\b|\b(?:branch|counter|floor|corner|desk|entrance|lobby)\b"),
    ),
    (
        "gives_person",
        2.5,
        re.compile(
            r"\b(?:mr|ms|mrs|dr|coach|uncle|aunt|adviser|advisor)\b|\b(?:anyone|anybody|someone|somebody|nobody|person|people|members?|holders?) (?:who|with|that|whose|living|from|over|under)\b|\b(?:only|just) (?:you|i|he|she|they|the \w+) (?:can|may|could)\b|\b(?:my|your|our|his|her) (?:wife|husband|son|daughter|brother|sister|mother|father|partner|neighbor|colleague|boss|friend)\b"
        ),
    ),
)

_NOUNS_COST = "fine|fee|charge|price|rate|rent|deposit|penalty|cost|surcharge|premium|tariff|fare"
_ASKS_ENGLISH: tuple[Pattern, ...] = (
    (
        "done",
        6.5,
        re.compile(
            r"\bwhat (?:did|has|have|had|was|were|is|are)\b.{0,60}\b(?:do|done|doing|undertaken|changed|taken)\b|\bwhat (?:steps|actions?|measures) (?:were|was|did|have|has)\b|\b(?:has|have|did|is|are|was|were) .{0,50}\b(?:yet|been \w+ed|already)\b"
        ),
    ),
    (
        "how_much",
        6.5,
        re.compile(
            rf"\bwhat(?:'s| is| was| are)? (?:the |a |my |our |your )?(?:\w+ ){{0,4}}(?:{_NOUNS_COST})s?\b|\bwhat (?:do|does|did|would|will|must) .{{0,40}}\b(?:charge|cost|pay|paid|take for|owe)\b|\bhow (?:large|small|heavy|long|far|tall|wide|fast|many|cheap)\b"
        ),
    ),
    (
        "when",
        6.5,
        re.compile(
            r"\bhow (?:early|late|soon|quickly|often|recently)\b|\b(?:until|by|since) when\b|\bwhat(?:'s| is) the (?:\w+ )?(?:date|deadline|schedule|time)\b|\bearliest\b|\bhow long (?:until|before|ago|does it take|will it take|do i have)\b|\bon (?:which|what) \w+"
        ),
    ),
    (
        "limit",
        7.0,
        re.compile(
            r"\b(?:longest|shortest|smallest|largest|biggest|highest|lowest|fewest|how many \w+ (?:can|may|am|are)|how (?:much|many|long|far) (?:\w+ ){0,3}(?:can|may|am i allowed))\b|\bcan (?:i|we|you) (?:\w+ ){0,4}(?:more than|beyond|several)\b"
        ),
    ),
    (
        "which",
        5.5,
        re.compile(
            r"\bwhat(?:'s| is| are| do| does| was)? .{0,40}\b(?:included?|contain|cover|offer|offered|support|accepted|available|come with|consist|use[d]? for|need to bring|required)\b|\bwhat (?:can|could|may) (?:i|we|you|an?|the|be)\b|\bwhat (?:all|else|documents|cards|devices|plans|ways)\b"
        ),
    ),
    (
        "why",
        5.5,
        re.compile(
            r"\bwhat (?:does|do|did) .{1,40} mean\b|\bmeaning of\b|\bstands? for\b|\bwhat is (?:\w+ ){0,3}error\b|\bwhat happened\b|\bhow did .{1,40} happen\b"
        ),
    ),
    (
        "how",
        7.5,
        re.compile(
            r"^(?:and |so |but |ok |please )?(?:how (?:do|can|could|should|would|to|must|does one|am|might)\b(?! .{0,20}\bcost)|what(?:'s| is) the (?:best |quickest |right |easiest )?way|what (?:do|must|should) (?:i|we|you) (?:have to |need to )?do (?:to|if|when)|in what way)"
        ),
    ),
    (
        "decision",
        6.5,
        re.compile(
            r"\bwhat (?:did|do|have|had) (?:we|i|you|they) (?:\w+ )?(?:want|plan|intend|arrange|agreed?|settled?|decided?)\b|^(?!when|where|why|how|who).*\b(?:did|do|have) (?:i|we) (?:\w+ ){0,2}(?:choose|pick|settle|agree|decide|go for|opt|plan|want)\b|\bwhat(?:'s| is| was) the plan\b"
        ),
    ),
    (
        "where",
        6.5,
        re.compile(
            r"\b(?:in|at|to|from|under|on) (?:which|what) (?:place|branch|menu|page|folder|building|room|floor|city|street|counter|tab|section|office|shop|region)\b"
        ),
    ),
)

_VERBED = "拦|锁|盗|拒|禁|封|挡|拖|占|退|吞|限|驳|停|风控|冻结|打回|误"

_GIVES_CHINESE: tuple[Pattern, ...] = (
    (
        "gives_steps",
        3.0,
        re.compile(
            r"[点选勾按进填]了?[“「\"『]|[一-鿿\w”]—[一-鿿“\w]|[一-鿿”]>[一-鿿“]|先[^。]{1,24}再|[里中](?:点|选|找|勾|填|搜|改|关|开)|到[^,。]{1,10}(?:点|选|填|查|开|关|找)"
        ),
    ),
    (
        "gives_steps",
        2.0,
        re.compile(
            r"(?:新建|粘贴|勾上|挂上|拨|点开|登录|重新上传|扫码|拨打|发邮件|提工单|关机|重启|切到)[^,。]{0,12}[,、]|即可|就能|就行|就可以"
        ),
    ),
    (
        "gives_time",
        2.5,
        re.compile(
            r"[上下]午|凌晨|中午|晚上|#点|#[日号]|#月|#个?工作日|[后前明昨]天|到期日|有效期|#天[后前内]|[本上下这]周|[本上下]月|#小时[后前内]"
        ),
    ),
    (
        "gives_reason",
        2.5,
        re.compile(
            rf"被[^,。]{{0,8}}(?:{_VERBED})|说是|原来|(?:表示|指的?是?|代表|意思是|是指)|(?:卖空|打满|满了|不够|不足|冲突|失效|没匹配|不一致|对不上|没通过|没有相应|没认证|没实名|没备|超限|超时|欠费|漏了|忘了|填错|写错|弄错|过期)"
        ),
    ),
    (
        "gives_options",
        2.5,
        re.compile(
            r"[^,。、]{1,12}、[^,。、]{1,12}(?:、|和|以及|都|也|这)|这[几#][样种类个项家]|(?:只|都)(?:收|认|能|要|支持)|有[^,。]{1,20}(?:、|和)"
        ),
    ),
    (
        "gives_amount",
        2.5,
        re.compile(
            r"(?:扣|收|赔|补|减|退|花|付|交|省|免|充|便宜|多|降到|涨到|价|费|就|要|共|合)了?(?:是|为|到|约|大概)?[¥$]?#(?!月|号|日|点|天|个月|年)|#(?:块|元|毛|成|%|折|百|千|万)|#分之#|¥#|月费|年费|续费价|单价|手续费|违约金"
        ),
    ),
    (
        "gives_place",
        2.5,
        re.compile(
            r"在[^,。]{1,12}(?:里|上面|中|处|页|下面|旁|边|栏|楼|区|店|馆|城|市|路|首页|菜单|侧)|(?:里|页|上)(?:能|可以?|就|都)?(?:看|查|找|有)|(?:菜单|列表|图标|首页|右边|左边|右上|左下|底部|顶部|侧边)"
        ),
    ),
    (
        "gives_person",
        2.5,
        re.compile(
            r"(?:只有|除了)[^,。]{1,12}(?:能|可以|才|有|没)|(?:主账号|子账号|本人|法人|负责人|管理员|同事|财务|运维)[^,。]{0,6}(?:能|可以|才|有权|负责|管|操作|审)|(?:老|小|阿)[一-鿿](?:的|在|能|负责|去|来|可以|说|那|管|审|签|操作|,|。)"
        ),
    ),
    (
        "decision",
        3.0,
        re.compile(
            r"(?:那就|就用|就按|就降|就改|就定|就走|就选|不要了|不买|不赎|不换了|不动|先别|别给我|仍然?用|还是用|继续用|还用|统一|以后都|改成|定为|已定|定了|记下了|已备注|已记录|重申|的意思是|您说的是|当初说|折腾|让它)"
        ),
    ),
    (
        "done",
        2.5,
        re.compile(
            r"(?:已经?|刚|都|也)[^,。]{0,10}(?:停|删|换|改|移除|提交|递|重置|检查|修|清|补|免|发|退|申请|通知|恢复|处理|上线|登记|关|转|绑|解|结|审)|[^,。]{1,8}(?:换上|删|清掉|绑好|摘掉|递上去|改好|修好|恢复|发到|补发|退回|回来|解掉|关|停|撤|转)了"
        ),
    ),
    (
        "limit",
        3.0,
        re.compile(
            r"(?:不能|不可|不可以|不得|不许|无法|没法|不支持|不允许)[^,。]{1,16}(?:也|,|。|$)|(?:最多|最少|至少|起码|只能|限|上限|以内|不超过)"
        ),
    ),
    ("promise", 2.5, re.compile(r"(?:会|将|预计|答应|保证|争取)[^,。]{0,16}(?:前|内|之前|给|到账|回复|开具|开好|发|退|处理|联系)")),
    (
        "gives_result",
        2.5,
        re.compile(r"(?:从|由)[^,。]{1,12}(?:降|升|涨|提|减|缩)[到至了]|(?:测|试|查|跑)(?:下来|出来|了一?遍|完)|比(?:以前|之前|原来|上)"),
    ),
)

_ASKS_CHINESE: tuple[Pattern, ...] = (
    (
        "done",
        7.0,
        re.compile(
            r"(?:做|办|处理|采取|给|弄|干|改|补救)了[^,。?]{0,8}(?:什么|哪些|啥)|(?:走|办|做|进行)到哪|哪一?步了?|是怎么[^,。?]{1,10}的(?:,|、|\?|$)|(?:处理|解决|恢复|弄|办|退|改|换|修)[^,。?]{0,4}(?:了吗|了没|没有\?|好没|了么)"
        ),
    ),
    (
        "which",
        5.0,
        re.compile(
            r"哪[几些#][个种类家样款张项]?|什么(?!时|意思|原因|价|人|地方|情况|问题|事|用|样)[^,。?]{1,6}(?:可以|能|支持)|(?:能|可以|包含|包括|有|要|需要|含)(?:做|用|干|选|带|交|买|绑|看)?(?:些)?(?:什么|哪些|啥)"
        ),
    ),
    (
        "limit",
        6.0,
        re.compile(
            r"(?:不能|不可以|不得|还能不能|能不能|可不可以)[^,。?]{0,6}(?:什么|超|再|多|同时|$)|(?:最|至)[多少长短大小高低早晚](?!后)|能[^,。?]{1,8}几[个次台张人]"
        ),
    ),
    (
        "how_much",
        6.5,
        re.compile(r"#分之几|百分之几|几成|几折|啥价|什么价|几[块元毛分]|怎么(?:收费|收|算钱|计费|计价|扣)|要等几|几[天小]|多久|多长时间"),
    ),
    ("when", 6.0, re.compile(r"(?:要等|得等|等)(?:几|多)|多久|哪[一]?[天日月年周]|啥时|几[号点月时]|到期日|何时|什么时候|多长时间|要几天")),
    (
        "why",
        7.5,
        re.compile(
            r"(?:代表|表示|指)的?是?(?:什么|啥)(?:意思)?(?:\?|$)|(?:什么|啥)意思|什么原因|咋回事|什么情况|咋没|咋不|怎么[^,。?]{0,8}(?:这么|那么|老是|总|突然)|为[啥何]|因为什么|为什么"
        ),
    ),
    (
        "how",
        4.5,
        re.compile(r"怎[么样](?!回事|会|还|没|就|老|这|那|算|收|定|说)[^,。?]{1,16}|咋(?!回事|没|不|样)[^,。?]{1,10}|流程|怎样|如何|步骤"),
    ),
    (
        "decision",
        7.0,
        re.compile(r"打算|怎么[定说]的|说好|(?:最后|最终|到底)[^,。?]{0,10}(?:用|选|定|要|走|留|保留|怎么)|定的|决定|还要不要"),
    ),
    ("who", 6.5, re.compile(r"谁|哪[位个]人|找哪")),
    (
        "where",
        6.5,
        re.compile(r"在哪(?!一?[天年月日步])|哪个?(?:页面|地方|菜单|入口|机房|地域|城市|位置)|从哪(?:里|儿)?[^一天]|去哪|到哪[里儿]"),
    ),
)


class Patterns(Struct, frozen=True, array_like=True):
    """`latin` are those that can match a sentence without any Chinese in it; the others would only cost time there."""

    all: tuple[Pattern, ...]
    latin: tuple[Pattern, ...]


def _patterns(english: tuple[Pattern, ...], chinese: tuple[Pattern, ...]) -> Patterns:
    # what Chinese patterns say of numbers alone holds for every sentence
    return Patterns((*english, *chinese), (*english, *(row for row in chinese if "|#" in row[2].pattern or row[2].pattern[:1] == "#")))


GIVES_PATTERNS = _patterns(_GIVES_ENGLISH, _GIVES_CHINESE)
ASKS_PATTERNS = _patterns(_ASKS_ENGLISH, _ASKS_CHINESE)
