"""Sentences in which people tell of their own doing, or that are program text: they lay nothing down for the agent,
however many words of a rule they hold ("I've used metric units", "I want to make sure it stays under 2 MB")."""

from __future__ import annotations

import re

_LEADS = r"\W*(?:(?:so|and|but|also|then|however|now|well|okay|ok|hmm|yes|sure|thanks|given that|since|because|currently|right now|at the moment|for now|btw)\b[\s,.!]*){0,3}"
# what is wanted of the agent rather than done oneself: "I want to see every draft first", "I'd like to be asked"
_WANTED = (
    r"(?:be|see|know|approve|have|get|hear|sign|read|review|check|keep|stay|stick|receive|pay|spend|remain|only|never|avoid|leave|stop)\b"
)
_OWN_DOING = re.compile(
    _LEADS + r"(?:(?:i|we)(?:'ve| have)(?! to\b)(?: (?:also|already|just|only|never|always|now|recently|not))* (?:been |got |had )?\w+"
    r"|(?:i|we)(?:'ll| will)(?: (?:also|now|then|definitely|probably|just))* \w+"
    rf"|(?:i|we)(?:'m|'re| am| are)(?: (?:also|currently|now|still|just|really|not))* (?:\w+ing\b|sure\b|unsure\b|stuck\b|curious\b|worried\b|new to\b|confused\b)"
    rf"|(?:i|we)(?: (?:also|really|just|still|only))* (?:want|need|have|had|plan|hope|intend|decided|tried|managed|wanted|needed|started)(?: (?:also|really))? to (?!{_WANTED})\w+"
    rf"|(?:i|we)(?:'d| would)(?: (?:also|really))* (?:like|love|appreciate)(?: it)?(?: to (?!{_WANTED})\w+| if\b| some\b| help\b)"
    r"|(?:my|our) (?:goal|plan|aim|idea|project|current \w+|next step)s? (?:is|was|are)\b"
    r"|if i (?:understand|run|have|need|see)\b|let me know\b)",
    re.I,
)
_OWN_DOING_ZH = re.compile(
    r"\W*(?:那|所以|不过|但|但是|然后|现在|目前|其实)?[，, ]?(?:我们?|咱们?)(?:已经|正在|刚刚?|最近|昨天|今天|之前|本来|正|在)(?!说|强调|提醒|讲明|要求).{2,}"
)
# an order stands in it after all: "I'm on a budget, so never suggest ..."
_ORDER = re.compile(
    r"\b(?:please|pls|you (?:must|should|may|need|have to|are)|no more|from now on|make sure you|only (?:use|show|give|send|book|reply|answer))\b"
    r"|(?:^|[,;:.!–-] +|\b(?:and|so|but|then) )(?:never|always|don'?t|do not|keep|use) (?!\w+ed\b)\w",
    re.I,
)
_ORDER_ZH = re.compile(r"请|你|别|不要|不得|不能|必须|务必|一律|只|都要|以后|每次")
# a guess about how something is, or that something need not be
_GUESS_ZH = re.compile(r"\W*(?:那|这|这个|估计|我看|我觉得)?(?:一定|肯定|必然|多半|八成)(?:就?是|又是|有|出)")
_ORDER_BESIDE = re.compile(r"\b(?:must|always|never|only|please|just|but)\b|请|只|必须|务必|一律|都要|但|就行|即可|直接", re.I)
_NEED_NOT = re.compile(
    r"\b(?:no need (?:to|for)|(?:don'?t|do not|doesn'?t|won'?t) (?:have|need) to|needn'?t|not necessary)\b|没必要|没有必要|不必|不需要|无需|无须|用不着|犯不着",
    re.I,
)
_YES = (
    r"\W*(?:(?:yeah|yes|yep|yup|sure|ok|okay|alright|right|great|perfect|cool|and|so|well|hmm|fine|thanks|i think|i guess)\b[\s,.!]*){0,4}"
)
_IT = r"(?:this|that|it|these|those|the (?:next one|others?|rest))(?: (?:approach|plan|idea|steps?|one|way|then|now|please))*"
_EMPTY_ASSENT = re.compile(
    _YES
    + rf"(?:(?:let'?s|i'?ll|i will|we'?ll|i'd)\s+(?:definitely |just )?(?:do|try|go (?:with|for|ahead with)|proceed with|take|use|stick (?:with|to)|keep|follow) {_IT}"
    r"|(?:this|that|it)(?: (?:plan|idea|approach|one))? (?:works|sounds (?:good|great|fine|perfect)|is fine|makes sense)(?: (?:for me|to me|then))?)[\s.!]*$"
    r"|^(?:那就?|行|好的?|可以|嗯|没问题)?[，,]?(?:就)?(?:这样|这么办|这么定|按你说的办?|听你的|照你说的办?|那样)(?:吧|了)?[。！!]*$",
    re.I,
)
# to choose is to name what is chosen; all else that one is going to do oneself is a plan
_MOVES_ON = re.compile(
    _YES
    + r"(?:let'?s (?:dive|move on|start|begin|continue|talk|look|discuss|see|get (?:started|back)|proceed|focus|break|think|recap|go (?:over|through|back))\b"
    r"|(?:i|we)(?:'ll| will)(?: (?:also|definitely|just|try to|make sure to|then|probably))* (?!go (?:with|for)|take|use|choose|pick|have|keep|book|stay|switch|stick|accept|order|buy|pay|want|need|be\b|settle|adopt|skip|drop|roll|cancel|submit|sign|stop)\w+)",
    re.I,
)
_PROGRAM = re.compile(
    r"^\s*(?://|/\*|\*/|#include\b|<!--|<\w+[ >]|import \w|from \w+ import\b|(?:public|private|const|let|var|def|class|function|return) \S+.*[;({:]\s*$|git \w+ |\$ \w|npm |pip |docker )"
    r"|\bdef \w+\(|\breturn \w+ [*+/-]|\);?\s*$|\w\(\)|=>|\}\s*;?\s*$|;\s*$"
)


def tells_own_doing(sentence: str) -> bool:
    """Whether the author tells what they did, do or plan to do, and orders nothing in the same sentence."""
    if _OWN_DOING.match(sentence):
        return _ORDER.search(sentence) is None
    return _OWN_DOING_ZH.match(sentence) is not None and _ORDER_ZH.search(sentence) is None


def obliges_to_nothing(sentence: str) -> bool:
    """Whether it only guesses how something is, or says that something need not be."""
    return _GUESS_ZH.match(sentence) is not None or (_NEED_NOT.search(sentence) is not None and not _ORDER_BESIDE.search(sentence))


def decides_nothing(sentence: str) -> bool:
    """Whether it agrees to what it does not name, announces its author's own next step, or only moves the talk on."""
    return _EMPTY_ASSENT.match(sentence) is not None or _MOVES_ON.match(sentence) is not None


def agrees_to_unnamed(sentence: str) -> bool:
    """Whether it agrees to something that only what was said before it can name."""
    return _EMPTY_ASSENT.match(sentence) is not None


def is_program(sentence: str) -> bool:
    """Whether it is a line of a program or a shell rather than of a language."""
    return _PROGRAM.search(sentence) is not None
