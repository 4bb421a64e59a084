"""English cues: which sentence is a rule, a preference, a decision, a to-do. One pass of cheap words before any pattern."""

from __future__ import annotations

import re

from trimtab.core.summary import Field


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# a sentence with none of a field's words is not looked at for that field (`n't` counts as `not`)
_FIELD_WORDS: dict[str, frozenset[str]] = {
    "negative": _words(
        "not dont never avoid no nothing none nobody without cannot refrain forbidden prohibited off limits banned unacceptable taboo circumstances "
        "means account leave hands stay keep steer stop quit cease"
    ),
    "role": _words("you you're your pretend play assume act behave respond answer work role"),
    "format": _words(
        "json yaml xml csv tsv html latex markdown table tables bullet bullets list lists prose plain english chinese mandarin cantonese french german "
        "spanish italian japanese korean portuguese russian dutch arabic hindi british american upper lower uppercase lowercase title case snake "
        "camelcase kebab iso yyyy mm dd hour dollars euros usd eur gbp cny rmb metric imperial celsius fahrenheit kilometers kilometres paragraph "
        "paragraphs sentence sentences line lines word words code haiku person voice tense formal informal roman utc tone format language style "
        "register short brief concise simple friendly professional polite"
    ),
    "constraint": _words(
        "must shall always only solely exclusively sure certain ensure see remember forget mind careful care essential critical crucial imperative vital "
        "mandatory compulsory obligatory important required non each every all whenever now here point forward henceforth rest has have need needs got "
        "should stick stay restrict limit confine treat follow respect adhere comply conform obey preserve keep ask check consult wait confirm get before "
        "budget deadline allergic vegan vegetarian diabetic lactose intolerant celiac coeliac pregnant nothing"
    ),
    "limit": _words(
        "most least more less fewer later earlier longer exceed maximum minimum max limited capped keep stay limit restrict cap hold use write spend "
        "make finish deliver book all every each"
    ),
    "decision": _words(
        "let's decided chosen chose settled agreed picked approved confirmed confirm we'll i'll will going go yes yep yeah ok okay sure fine good great "
        "right perfect alright actually thought reflection scratch correction plans plan wait no sorry hold hmm instead change switch move set rather "
        "final decision choice pick make longer not"
    ),
    "preference": _words(
        "prefer favor favour preference rather love like enjoy dislike hate favorite favourite preferably ideally possible"
    ),
}
# a text with none of these holds nothing but perhaps questions and facts
TRIGGERS: frozenset[str] = frozenset().union(*_FIELD_WORDS.values(), _words("todo do remind next remaining still left later"))
_WORD = re.compile(r"[a-z']+")


def words_of(text: str) -> set[str]:
    """The words of a text as TRIGGERS has them."""
    return set(_WORD.findall(text.lower().replace("’", "'").replace("n't", " not")))


# where an order may begin: at the start, after a mark, after a word that leads into one
_START = r"(?:^|[,;:.!()\x01\u2013\u2014]\s*|\s-+\s+|\b(?:please|and|but|so|then|also|just|or|kindly|simply|absolutely|otherwise|instead|again)\s+)"
_NUMBER = r"(?:\$|€|£|¥)?(?:\d|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|half\b|a (?:dozen|hundred|thousand|week|day|month)\b)"
_FORM = (
    r"(?:json|yaml|xml|csv|tsv|html|latex|markdown|(?:a |an |one )?(?:\w+ )?tables?|bullets?|bullet points|(?:a |an )?(?:\w+ )?lists?|prose|"
    r"plain (?:text|english|language)|english|chinese|mandarin|cantonese|french|german|spanish|italian|japanese|korean|portuguese|russian|"
    r"dutch|arabic|hindi|traditional chinese|simplified chinese|british|american|upper ?case|lower ?case|title case|sentence case|snake_case|"
    r"camelcase|kebab-case|iso|yyyy|dd/mm|mm/dd|24-hour|us dollars|euros|usd|eur|gbp|cny|rmb|metric|imperial|celsius|fahrenheit|kilomet\w+|"
    r"paragraphs?|complete sentences|(?:one|two|three|a single|\d+)[ -](?:sentences?|lines?|words?|paragraphs?)|code blocks?|haiku|"
    r"first person|third person|active voice|present tense|past tense|formal|informal|roman numerals|utc)"
)
_VERB = (
    r"(?:use|include|return|show|answer|reply|respond|read|write|contact|call|send|list|keep|change|modify|touch|edit|give|output|consider|"
    r"search|book|buy|query|select|fetch|work|run|look|count|report|mention|cite|accept|process|deploy|quote|print|take|add|make|pick|"
    r"choose|order|suggest|recommend|propose|speak|focus|rely|test|install|import|translate|update|store|save|share|publish|pay|spend)"
)
_PAST = re.compile(r"\b(?:was|were|had|took|found|measured|got|reached|returned|showed|lost|has|have|seems?|looks?|there (?:is|are))\b")

_IDIOMS = re.compile(
    r"\b(?:do(?:es)?(?: not|n't) (?:have to|need(?: to)?)(?: always| only| ensure| make sure)?|need(?: not|n't)(?: to)?|no need(?: to| for)?(?: always| only| ensure| make sure)?|"
    r"not (?:strictly |really |absolutely )?(?:necessary|required|mandatory|obligatory|needed|compulsory|essential|important)(?: (?:to|that you) (?:always|only|ensure|make sure))?|"
    r"(?:is|are|was|were)n't (?:necessary|required|mandatory|needed|essential|important)|(?:not|never) a must|never ?mind|"
    r"(?:do not|don't) (?:worry|bother|hesitate|know|think|get me wrong|mind|be shy|panic|sweat|stress|you|we|they|i)\b|"
    r"must(?: have|'ve) (?:been|gone|got|had|come|made|taken|done|seen|\w+ed)\b|i must|must (?:admit|say|confess)|(?:it|this|that|there|he|she) must be|must-(?:have|see|read)|a must\b|"
    r"not only|not always|almost always|nearly always|as always|if only|the only|only (?:just|recently|now|then)|would you|as long as|"
    r"(?:has|have|had|was|were|'ve|been|would) (?:never|always)|let's (?:say|see)|as little as|"
    r"no (?:problem|idea|worries|thanks|way|longer|one|doubt|matter|wonder|rush|luck|hurry|pressure|clue|kidding|offense)\b)"
)
_QUESTION = re.compile(
    r"^(?:(?:and|but|so|or|also|ok|okay|hm+|well),? )?(?:must (?:i|we|it|they|he|she|the)|should (?:i|we|it|they|the)|shall|"
    r"do(?:es)? (?:i|we|you|they|it|the|these|those|he|she)|did|(?:is|are|was|were|am) (?:i|we|you|they|it|the|there|this|that)|"
    r"(?:is|are|do|does|did|was|were|should|would|could|has|have|ca)n't (?:i|we|you|they|it|the|he|she|this|that)|"
    r"can (?:i|we|it|they)|could|would|will (?:i|we|you|it|they)|may i|why|how|who|where|what(?:'s| (?:is|are|do|does|if|about|should))|"
    r"which (?:one|of))\b"
)
_POLITE = re.compile(
    r"^(?:can|could|would|will) you (?:please )?(?=(?:always|never|avoid|make sure|ensure|only|not|refrain|stick to|keep|stop) )"
)
_HYPOTHETICAL = re.compile(
    r"\b(?:if|whether|in case|suppose|supposing|assuming|imagine|unless|what if|say (?:we|i|you)|would mean|wonder|wondering|not sure|unsure)\b"
)
_CLAUSE = re.compile(r"[,;:.!—–]|\bthen\b")
_OWN_ORDER = re.compile(r"(?:^|\s)(?:don't|do not|never)\b")
_PRONOUN_BEFORE = re.compile(r"\b(?:i|we|they|you|it|he|she|who|that|which|users|people|customers)\s+$")
_REPORTED = re.compile(
    r"\b(?:he|she|they|it|who|someone|somebody|everyone|people|(?:the|a|an|my|our|his|her|their|this|that|your|one|some) (?:[\w'-]+ ){1,5}?"
    r"|[a-z]\w+ (?:in|from) (?:\w+ ){1,3})"
    r"\s?(?:also |just |once |then |always |clearly )?(?:says?|said|tells?|told|states?|stated|claims?|claimed|suggests?|suggested|recommends?|"
    r"recommended|warns?|warned|reads|asked|asks|mentions|mentioned|writes|wrote|insists|insisted|shows|showed|reported|reports|argues|"
    r"argued|thinks|thought|believes|believed|advises|advised|complained|complains|printed|prints|instructed|demanded)\b"
    r"|\baccording to\b|\b(?:logs?|docs?|documentation|guidelines|experts|articles?|papers?) (?:say|state|recommend|suggest|warn|tell|claim)\b"
    r"|\bi (?:was|were|am|have been|got) (?:told|asked|advised|warned|instructed)\b|\b(?:read|heard) that\b"
)


def _alternatives(pattern: str) -> list[str]:
    """The pattern cut at its outermost bars."""
    parts, depth, at, bracket = [""], 0, 0, False
    while at < len(pattern):
        mark = pattern[at : at + 2] if pattern[at] == "\\" else pattern[at]
        bracket = (bracket or mark == "[") and mark != "]"
        depth += 0 if bracket else (mark == "(") - (mark == ")")
        if mark == "|" and depth == 0 and not bracket:
            parts.append("")
        else:
            parts[-1] += mark
        at += len(mark)
    return parts


def _any(*patterns: str) -> re.Pattern[str]:
    """One pattern for all, with common beginnings taken together: three times as fast as a plain alternation."""
    heads: dict[str, list[str]] = {_START: [], "^": [], r"\b": [], "": []}
    for pattern in patterns:
        for part in _alternatives(pattern):
            head = next(head for head in heads if part.startswith(head))
            heads[head].append(part[len(head) :])
    return re.compile("|".join(f"{head}(?:{'|'.join(parts)})" for head, parts in heads.items() if parts))


_NOT_PAST = (
    r"(?!(?!(?:embed|exceed|need|feed|proceed|succeed|seed|shed|breed|bleed)\b)\w+ed\b)(?!(?:came|got|had|was|were|been|saw|heard|again)\b)"
)
_NEGATIVE = _any(
    _START + r"(?:to )?(?:do not|don't|dont|refrain from)\s+(?!forget|you\b|we\b|they\b|i\b)\w",
    _START + r"never\s+(?!forget)" + _NOT_PAST + r"\w",
    r"\b(?:want|need|like|ask|asking|expect|require|tell|told|prefer) (?:you|it|this|them) (?:to never|never to|to avoid|to not|not to)\b",
    r"\b(?:you|we|they|it|\w+s?) (?:must|should|may|can|will|shall|are to|is to) never\b",
    r"\b(?:is|are) never (?:to|allowed|acceptable|okay|ok|be|\w+ed)\b",
    r"^(?:if|when|whenever|where|for|in|on|before|after|while|once|unless|until)\b[^,]*?\b(?!(?:i|we|they|you|it|he|she|who|users|people|that|which) )\w+ "
    r"(?:do not|don't|never) \w",
    _START + r"avoid\b",
    r"\b(?:want|need|like|try|trying|careful|sure|must|should|you) (?:to )?avoid\b",
    r"\b(?:make sure|ensure|see that|careful|sure|that) (?:that )?you (?:do not|don't|never)\b",
    r"\b(?:must not|mustn't|must n't|shall not|shall never)\b",
    r"\bshould(?:n't| not) (?!have\b|matter|be (?:a problem|hard|too|difficult|an issue))\w",
    r"\b(?:you|nobody|no one|no \w+|none of \w+) (?:may not|may never|may|must|should) (?!not be able)\w+(?<!\byou may \w)",
    r"\b(?:you) (?:cannot|can't|can not|can never) (?!be serious|miss|go wrong|believe|imagine|beat)\w",
    r"\bwe (?:cannot|can't|can not) (?:exceed|go (?:over|above|beyond)|afford|use|spend|accept|allow|share|risk|have|include)\b",
    r"\b(?:cannot|can't|can not|can never|may never|may not) (?:exceed\b|be (?:disclosed|shared|published|exceeded|changed by|mentioned|used for))",
    r"(?<!403 )(?<!was )(?<!were )(?<!been )\b(?:not allowed|not permitted|forbidden|prohibited|off[- ]limits|banned|not acceptable|unacceptable|"
    r"strictly no|taboo|a no-go)\b",
    r"\bunder no circumstances\b|\bby no means\b|\bat no (?:time|point)\b|\bon no account\b",
    r"\b(?:i|we)(?: really| absolutely| definitely| also| just)? (?:do not|don't|never) (?:want|accept|allow|tolerate|permit|wish)\b(?! to (?:sound|be rude|bother))",
    r"\b(?:careful|sure|remember|try|important|essential|crucial|promise|please|certain|decided|agreed)(?: \w+)? not to\b|\bplease not\b|^(?:and |but )?not to\b",
    _START + r"leave\b.{1,60}\b(?:alone|untouched|unchanged|intact|as (?:it is|is|they are))\b",
    r"\bhands off\b|" + _START + r"(?:stay|keep) (?:away from|out of|clear of|off)\b|\bsteer clear\b",
    _START
    + _VERB[:-1]
    + r"|explain|do|build|implement|summarize|create|generate|refactor|describe|draft|solve|finish|proceed)\b[^,;]{0,80}?\bwithout\b",
    r"^(?:and |also |but |please,? |strictly )?no (?!(?:more|less|fewer|later|earlier) than|i |it |he |she |they |we |you |this |that |the |not )"
    r"(?!.*\b(?:was|were|is|are|has|have|had|found|exists?|came|shows?|works?|appears?|got|did|does|will|\w+n't)\b)[\w][^.]{1,100}$",
    r"\bno [\w -]{1,60},? please\b",
    _START + r"(?:stop|quit|cease) \w+ing\b",
    r"^nothing (?:over|above|with|from|beyond|spicy|containing|longer|later|that|more)\b",
)
_ROLE = _any(
    r"^(?:from now on,? |for this \w+,? |in this \w+,? )?you(?:'re| are) (?:now )?(?:an?|the|our|my) (?!(?:star|genius|lifesaver|legend|best|one who)\b)\w",
    _START + r"(?:act|behave|respond|answer|work) as (?:if you were )?(?:an?|the|our|my)\b",
    r"\byour (?:role|job|task|persona|mission) (?:is|will be)\b",
    r"^(?:pretend (?:to be|you are)|play the (?:role|part) of|assume the role|take (?:on )?the role)\b",
    r"^(?:as|in your role as) (?:an?|the|our) [\w -]{2,40}, you\b",
)
_FORMAT = _any(
    r"\b(?:answer|respond|reply|speak|communicate|talk)\b[^.;]{0,40}?\b(?:in|as|with|using|by)\b[^.;]{0,24}?\b" + _FORM + r"\b",
    _START
    + r"(?:always |only )?(?:write|give|present|show|return|format|print|output|report|list|express|state|provide|deliver|display|summarize|"
    r"explain|structure)\b[^.;]{0,50}?\b(?:in|as|with|using|only)\b[^.;]{0,16}?\b" + _FORM + r"\b",
    _START + r"(?:always |only |please )?(?:output|return|print) (?:only |valid |just |strictly |raw )*" + _FORM + r"\b",
    r"\b(?:dates?|times?|numbers?|amounts?|prices?|columns?|headers?|headings?|names|currenc\w+|units?|titles?|comments?|keys|output|format|tone|"
    r"style|language|answers?|responses?|replies|reports?|figures|values|labels|captions|text|summary|filenames|file names)\b[^.;]{0,30}?"
    r"\b(?:in|as|use|uses|using|be|is)\b[^.;]{0,16}?\b" + _FORM + r"\b(?! (?:wrong|broken|invalid|missing))",
    _START + r"(?:always |only )?use (?:only )?(?:the )?" + _FORM + r"\b",
    r"^(?:output |response |answer )?(?:format|language|tone|style)\s*:",
    r"\b(?:tone|voice|style|register) (?:should|must|needs to|has to|is to) be\b",
    _START
    + r"keep (?:it|them|this|your|the|all|every|each) ?(?:answers?|repl\w+|responses?|tone|style|messages?|sentences?|language)? ?(?:\w+ )?"
    r"(?:short|brief|concise|formal|informal|simple|friendly|professional|polite)\b",
)
_CONSTRAINT = _any(
    r"\b(?:must|shall)\b(?! (?:i|we|you|they|not)\b)(?!n)",
    r"(?:" + _START + r"|\b(?:you|to|must|should|shall|will) )(?<!\bi )(?<!it )always\b(?<!you always)" + r"(?! (?:been|had|the same))",
    _START + r"(?:do )?only (?:ever )?" + _VERB + r"\b",
    _START + r"(?:always )?" + _VERB + r"\b(?: [\w-]+){0,5}? (?:only|solely|exclusively)\b",
    r"(?<!\bi )(?<!\bwe )\b(?:may|can|should|are to|is to) only\b",
    r"^only [\w ,'-]{2,60} (?:is|are|may|can) (?:be |allowed|permitted|acceptable|accepted|welcome)",
    r"^(?:only|solely|exclusively) (?:from|on|in|after|before|between|for|by|with)\b|\bnothing but\b",
    _START
    + r"(?:you (?:must |should |need to |have to )?)?(?:always )?(?:make (?:very |absolutely )?(?:sure|certain)|be sure|ensure|see to it|"
    r"remember (?:to|that)|don't forget|do not forget|never forget|keep in mind|bear in mind|take care (?:to|that)|be careful)\b",
    r"\b(?:it is|it's|is|are) (?:absolutely |very |extremely |really )?(?:essential|critical|crucial|imperative|vital|mandatory|compulsory|obligatory|"
    r"important|required|non-negotiable) (?:that|to)\b",
    r"\b(?:is|are) (?:strictly )?(?:mandatory|compulsory|obligatory|non-negotiable|a hard requirement)\b",
    r"\b(?:each|every time|whenever) you\b|^whenever\b",
    r"\b(?:from now on|from here on|going forward|from this point|henceforth|for the rest of (?:this|the|our) \w+)\b",
    r"\b(?:(?:each|every|all|any)(?: [\w'-]+){0,4}|it|this|everything|output|(?:the|our|your|my)(?: [\w'-]+){1,4}|\w+s) (?:has|have|needs?) to "
    r"(?:be (?!my|one of|the best|so\b)|(?:stay|remain|fit|work|support|run|match|include|contain|have|end|start|come|arrive|depart|leave|finish|pass|use|follow|cover|"
    r"mention|show|go)\b)",
    r"\byou(?:'ll| will)? (?:have|need) to \w|\byou've got to \w",
    r"(?<!\bi )(?<!\bwe )(?<!\bit )(?<!\bthis )(?<!\bthat )\bshould (?:be|use|have|include|contain|stay|remain|follow|start|end|match|come|go|fit|look|mention|"
    r"show|support|cover|also|query|cite|read|only|always)\b(?! (?:fine|ok|okay|good|easy|enough|possible|able|there|working|done|ready|been))",
    _START
    + r"(?:always )?(?:stick (?:to|with)|stay (?:within|under|below|in)|restrict|limit|confine|treat|follow|respect|adhere|comply|conform|obey|preserve)\b",
    _START
    + r"keep (?:all|every|each|the (?:original|existing|same|current|order)|.{1,60}?\b(?:under|below|within|between|unchanged|to (?:a|under|\d)))\b",
    r"\b(?:ask|check with|consult|wait for|confirm with|get) (?:me|my|us)\b.{0,40}?\b(?:before|first|approval|ok|go-ahead)\b",
    r"^before you [^,]{2,60}, (?:ask|check|confirm|run|tell|show)\b",
    r"\b(?:i'm|i am|we're|we are|(?:my|our) \w+(?: \w+)? (?:is|are)) (?:\w+ )?(?:allergic|vegan|vegetarian|diabetic|lactose|intolerant|celiac|coeliac|pregnant)\b",
    r"\b(?:budget|spending limit|word limit|deadline|time limit|page limit|price limit)\b[^.,;?]{0,40}? (?:is|are)\b(?! (?:too|wrong|off|fine|ok|unclear|not|what))"
    r"|\b(?:budget|deadline|word limit)\s*:",
)
# these say a limit only where the sentence is not about what happened
_LIMIT = _any(
    r"\b(?:at most|at least|no more than|not more than|no less than|no fewer than|no later than|no earlier than|not exceed|not to exceed|"
    r"no longer than|maximum of|minimum of|a maximum|max\.?|limited to|capped at) " + _NUMBER,
    r"\bnot exceed\b",
    _START
    + r"(?:keep|stay|limit|restrict|cap|hold|use|write|spend|make it|finish|deliver|book)\b[^.;]{0,40}?\b(?:under|below|within|up to|less than|fewer than|by) "
    + _NUMBER,
    r"^(?:all|every|each) (?!.*\b(?:was|were|is|are|has|have|had|did|do|does|works?|fails?|failed|\w+ed)\b).{2,80}?\b(?:in|as|with|under|by|to|without)\b",
)
_DECISION = _any(
    r"\blet's (?:go (?:with|for|ahead)|use|stick with|keep|do|take|switch|pick|choose|drop|skip|move|settle|make it|stay with|change|call it|postpone|cancel)\b",
    r"\b(?:we|i)(?:'ve| have)? (?:(?:now|already|finally|all|both) )?(?:decided|chosen|chose|settled|agreed|picked|approved|confirmed)\b",
    r"\b(?:we|i)(?:'ll| will|'m going to|'re going to| are going to| am going to) (?:go with|use|take|keep|stick|switch|stay with|pick|choose)\b(?! (?:you|me|your|in mind|in touch|some|care)\b)",
    r"^(?:yes|yep|yeah|ok|okay|sure|fine|good|great|right|agreed|confirmed|perfect|alright)[,.:;!]? (?:please )?(?:then )?"
    r"(?:go (?:with|for|ahead)|use|do|take|pick|proceed|book|option|plan|make it|keep|choose)\b",
    _START + r"go (?:with|for) (?:the |option |plan |variant |version |design )?\w",
    r"^(?:actually|on second thought|on reflection|scratch that|correction|change of plans?|wait|no|sorry|hold on|hmm|instead)\b[^a-z]{1,3}(?!i've|i'm)"
    r"(?:please )?(?:make|use|let's|change|switch|go|keep|do|set|put|take|cancel|skip|move|book|pick|(?:we|i|it|the \w+) (?:should|will|must|need|needs|want|is|are))\b",
    r"^(?:actually|instead) (?:make|use|change|switch|go|keep|set|put|take|book)\b",
    _START
    + r"(?:change|switch|move|set) (?:it|that|this|them) (?:back )?(?:to|from)\b|"
    + _START
    + r"(?:use|take|book|pick|choose) .{1,60}\b(?:instead|rather than)\b",
    r"\b(?:is|are) (?:now )?(?:confirmed|approved|final|settled|agreed)\b|\bi (?:hereby )?confirm\b|\b(?:the|our|my) (?:final )?(?:decision|choice|pick) is\b",
    r"^(?:decision|decided|agreed|confirmed|approved)\s*[:,]",
    r"\bwe(?:'re| are) (?:no longer|not) (?:using|going|doing|supporting)\b|\bmake it \w+ (?:not|instead of|rather than)\b",
)
_PREFERENCE = _any(
    r"\b(?:i|we)(?:'d| would)? (?:really |much |strongly |generally |usually |also )?(?:prefer|favor|favour)\b|\bmy preference\b",
    r"\b(?:i|we)(?:'d| would) (?:really |much )?(?:rather|love|like)\b(?! (?:you )?to (?!keep|have|stay|avoid|use|sit|fly|travel|be ))(?! you\b)",
    r"(?:^|[,;.] |\b(?:because|and|but|so) )(?:i|we) (?:really |usually |generally |always )?(?:like|love|enjoy|dislike|hate)\b(?! (?:it|that|this|your|how|the (?:idea|way|look))\b)",
    r"\bmy favou?rite\b|^(?:preferably|ideally)\b|\bif (?:at all )?possible\b.{0,60}\b(?:use|book|choose|avoid)\b",
)
_TODO = _any(
    r"^\[ \] ?\w|\bto-?do\s*:|\bremind me to\b|\bnext steps?(?: is| are|:)|\b(?:still|also) (?:needs?|have|has|need) to be\b|\bstill (?:need|have) to\b|\bremaining (?:work|tasks?|steps?|items?)\b",
    r"\bleft to do\b|\b(?:later|afterwards|next|tomorrow)(?: on)?,? (?:i'll|i will|we'll|we will|we need|we should|i need|you should|you need)\b",
)

# the order of precedence: what is forbidden decays first in a long context, so it wins over all
_CUES: tuple[tuple[Field, frozenset[str], re.Pattern[str]], ...] = (
    ("negative", _FIELD_WORDS["negative"], _NEGATIVE),
    ("role", _FIELD_WORDS["role"], _ROLE),
    ("format", _FIELD_WORDS["format"], _FORMAT),
    ("constraint", _FIELD_WORDS["constraint"], _CONSTRAINT),
    ("constraint", _FIELD_WORDS["limit"], _LIMIT),
    ("decision", _FIELD_WORDS["decision"], _DECISION),
    ("preference", _FIELD_WORDS["preference"], _PREFERENCE),
)
_REVERSAL = re.compile(
    r"\b(?:actually|instead|on second thought|scratch that|correction|change|switch|rather than|no longer|make it|from now on)\b|^no,"
)
_OLD_VALUE = re.compile(r"\b(?:instead of|rather than|not|from|no longer) (?:the |a |an |at )?([\w$€£.,-]+)")


def classify(sentence: str) -> Field | None:
    """What an English sentence of the user is: a pinned field, `preference`, or None. `sentence` has its quotes masked."""
    text = sentence.lower().replace("’", "'")
    polite = _POLITE.match(text)
    if polite:
        text = text[polite.end() :]
    elif text.rstrip(" \"')*").endswith(("?", "？")) or _QUESTION.match(text):
        return None
    text = _IDIOMS.sub(lambda idiom: "\x02" * len(idiom[0]), text)
    words = words_of(text)
    for field, needed, cues in _CUES:
        if needed.isdisjoint(words) or (cues is _LIMIT and _PAST.search(text)):
            continue
        if any(not _is_void(text, cue) for cue in cues.finditer(text)):
            return field
    return None


def is_todo(sentence: str) -> bool:
    """Whether the sentence names work that is still to be done."""
    return bool(_TODO.search(sentence.lower().replace("’", "'")))


def is_reversal(sentence: str) -> bool:
    """Whether the sentence changes something said before."""
    return bool(_REVERSAL.search(sentence.lower()))


def old_values(sentence: str) -> list[str]:
    """What a reversal names as no longer so ("5 instead of 3": ["3"])."""
    return [found.strip(".,") for found in _OLD_VALUE.findall(sentence.lower())]


def _is_void(text: str, cue: re.Match[str]) -> bool:
    """Whether the cue is only supposed ("if we must") or reported ("the log says you must")."""
    start = cue.start()
    while start < cue.end() and not text[start].isalpha():
        start += 1
    before = text[:start]
    if _REPORTED.search(before):
        return True
    clause = _CLAUSE.split(before)[-1]
    if not _HYPOTHETICAL.search(clause):
        return False
    # "if a row is empty don't guess": the order begins after the condition, without a comma
    return not (_OWN_ORDER.search(cue[0]) and not _PRONOUN_BEFORE.search(before))
