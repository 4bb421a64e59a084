"""Which earlier item a sentence replaces or lifts. Never by a guess between two that fit equally well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from trimtab.core.summary import PINNED_FIELDS, Field, SummaryItem
from trimtab.distill.aspects import aspects, characters, conflicts, keys
from trimtab.distill.bans import ban_of, is_lifted, permission_of
from trimtab.distill.choices import choice_text
from trimtab.distill.settle import settled

__all__ = ["choice_text", "is_change", "lifts", "settled", "superseded"]

_REPLACEABLE = PINNED_FIELDS | {"preference"}
_BANNING: frozenset[Field] = frozenset({"negative", "constraint", "format", "preference"})
_MAX_SENTENCE_CHARS, _MAX_CONTEXT_CHARS = 1_000, 400
# so many of the newest replaceable items are looked at
_MAX_CANDIDATES = 400
# points: the old value by name; a key word in common; one aspect with two values; a character or a word around it
_NAMED, _SHARED, _CONFLICT, _ECHO = 4.0, 1.0, 2.0, 0.4
_MAX_SHARED = 4
# what a reversal must reach, and by how much it must be better than the next
_LEAST, _MARGIN = 0.8, 0.3
# what a sentence with words of a change must reach that is not taken for a reversal: one aspect with two values and a word, or two words
_PLAIN = 2.0
# a reversal that names nothing means the newest decision, where that was made just now
_RECENT_ITEMS = 12

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
    r"|^no[,.\s]|\bnot \w+[.!,]?$|, not \w+|\b\w+ (?:not|instead of) \w+",
    re.I,
)
_CHANGE_ZH = re.compile(
    r"改[成为用到回在走主坐了一]|改(?=[^善进革正])|换[成用回为掉个]?|还是|不再|作废|取消|算了|撤[回销掉]|不是.{1,12}是|恢复|解[除禁]|放[宽开]|又能|又可以|也[行能可]|[行能可以]了$|"
    r"(?:可以|能|行|准|接受).{0,12}了|不.{1,12}了|别.{1,12}了|调[成到整]|[降提缩延]到|推翻|反悔|说错|说反|搞错|之前|刚才|刚刚|刚说|原[来先定]|说好的|上次|前面|前头|前言|收回|忘[了掉]|回到|"
    r"转回|退回|停[了发用]|废[了掉]|加回|去掉|先不|慢着|等等|不对|反正|要不"
)
# what is named as no longer so
_OLD = re.compile(
    r"\b(?:instead of|rather than|in place of|no longer|not|from|forget(?: about)?|scrap|scratch|drop|skip|never ?mind|cancel|ditch|enough of|stop(?: going through| using)?|lose|undo|"
    r"replace|rename|without|away from|no more|strike|withdraw|swap(?: out)?) (?:(?:the|a|an|my|that|this|those|at|through|using|doing|with|hero|any) ){0,3}(?P<word>[\w$€£.,'-]+(?: [\w'-]+)?)"
    r"|\b(?P<out>[\w'-]+)(?: \w+)? (?:is|are|was|isn't|aren't) (?:out|off|over|history|gone|not needed|no longer)\b"
    r"|\b(?P<after>[\w'-]+) (?:no longer|isn't|aren't|doesn't|won't)\b|^no[,.]? (?:not )?(?P<no>\w+)",
    re.I,
)
_OLD_ZH = re.compile(
    r"从(?P<a>[^，,。到改换]{1,10}?)(?:改|换|变|到|降|提)|不是(?P<b>[^，,。]{1,10}?)[，,]?(?:而)?是|(?:不用|不要|不再用?|取消|别再?|(?<!要)不|先不|停了?|不做|不走|不坐|撤掉|去掉)(?P<c>[^，,。了]{1,10})了?"
    r"|(?P<d>[^，,。]{1,10}?)(?:就|先|那个|这个|的规矩|那条)?(?:不要了|不用了|取消|作废|算了|撤了|废了|不行|停了|太\w|不\w{1,3}了|换掉|推翻|别\w{1,3}了)|(?P<e>[^，,。]{2,10}?)(?:改|换)(?:成|为|回|到|用)?"
    r"|(?P<f>[\w\u4e00-\u9fff]{1,8})[啥什]么?呀"
)
_UNCHANGED = re.compile(
    r"\bnothing(?:'s| has| is)? changed\b|\bno changes?\b|\bunchanged\b|\bstands as\b|\b(?:yep|yes|yeah) still\b|没变|没改|照旧|不变"
)
_REPORTED = re.compile(r"^(?:suppose|imagine|what if|if (?:i|we|you|they|it)\b)|^(?:如果|假如|要是|假设)", re.I)


class _Match(Struct):
    """How well an item fits: `score` in points; `words` of the sentence that name it (a context does not)."""

    item: SummaryItem
    score: float
    words: float
    named: bool


def is_change(sentence: str) -> bool:
    """Whether the sentence has words of a change ("actually", "again", 改成, 还是). Cheap; not a proof of one."""
    return bool(_CHANGE.search(sentence) or _CHANGE_ZH.search(sentence))


def turns_back(sentence: str) -> bool:
    """Whether the sentence begins as one does that takes something back ("Actually, ...", 改成 ...)."""
    return _TURNS.match(sentence) is not None


def names_a_change(sentence: str) -> bool:
    """Whether it sets one thing against another or ends something ("instead of", "no longer", 不再). Narrower than
    `is_change`, whose words stand in much that changes nothing."""
    return _INSTEAD.search(sentence) is not None


def superseded(sentence: str, field: Field, active: Sequence[SummaryItem], *, is_reversal: bool, context: str = "") -> str:
    """The id of the one active item that the sentence takes the place of, or "".

    Args:
        sentence: the user's words.
        field: what the sentence itself is taken for.
        active: the active items before it, oldest first.
        is_reversal: whether the sentence as a whole is taken for a change. Otherwise only the old value by name will do,
            or words of a change with two key words or another value of the same aspect.
        context: the message around it; its words count less, and name nothing that was forbidden.
    """
    if not sentence.strip() or len(sentence) > _MAX_SENTENCE_CHARS or _REPORTED.match(sentence.strip()):
        return ""
    if _UNCHANGED.search(sentence) and not _old_words(sentence):
        return ""
    banned = lifts(sentence, active, context=context)
    if banned:
        return banned
    candidates = _candidates(sentence, active)
    matches = sorted(_matches(sentence, candidates, context), key=lambda match: -match.score)
    is_changed = is_reversal or is_change(sentence)
    matches = [match for match in matches if _fits(match, field, is_reversal, is_changed)]
    if matches:
        best = matches[0]
        rivals = [other for other in matches[1:] if best.score - other.score < _MARGIN]
        return "" if rivals else best.item.item_id
    return _unnamed(sentence, candidates, active) if is_reversal else ""


def lifts(sentence: str, active: Sequence[SummaryItem], *, context: str = "") -> str:
    """The id of the one active ban that the sentence lifts ("emojis are fine again", 可以用表情了), or "".

    The sentence must permit or withdraw, and its own words must name what was forbidden.
    """
    if not sentence.strip() or len(sentence) > _MAX_SENTENCE_CHARS:
        return ""
    permission = permission_of(sentence, context[:_MAX_CONTEXT_CHARS])
    if permission is None:
        return ""
    matches: list[tuple[float, str]] = []
    for item in _candidates(sentence, active):
        ban = ban_of(item.text) if item.field in _BANNING else None
        covered = is_lifted(ban, permission) if ban is not None else 0.0
        if covered:
            matches.append((covered, item.item_id))
    matches.sort(reverse=True)
    if not matches or (len(matches) > 1 and matches[0][0] == matches[1][0]):
        return ""
    return matches[0][1]


def _candidates(sentence: str, active: Sequence[SummaryItem]) -> list[SummaryItem]:
    found = [item for item in active if item.status == "active" and item.field in _REPLACEABLE and item.text.strip() != sentence.strip()]
    return found[-_MAX_CANDIDATES:]


def _matches(sentence: str, candidates: Iterable[SummaryItem], context: str) -> Iterator[_Match]:
    around = context[:_MAX_CONTEXT_CHARS] + " " + context[-_MAX_CONTEXT_CHARS:]
    ours, marks, settled_here = keys(sentence), characters(sentence), aspects(sentence)
    theirs_around = keys(around) - ours
    old = _old_words(sentence)
    for item in candidates:
        theirs = keys(item.text)
        shared = ours & theirs
        named = bool(old & theirs) or _old_by_name(old, item.text)
        words = _SHARED * min(len(shared), _MAX_SHARED)
        if named and not shared:
            words += _SHARED
        clash = _CONFLICT * min(conflicts(settled_here, aspects(item.text)), 2)
        echo = _ECHO * min(len(marks & characters(item.text)), 3) if not shared else 0.0
        around_it = 2 * _ECHO * min(len(theirs_around & theirs), 2)
        score = words + clash + echo + around_it + (_NAMED if named else 0.0) + (0.2 if item.field == "decision" else 0.0)
        if words or clash or echo or around_it:
            yield _Match(item, score, words + clash + echo, named)


def _fits(match: _Match, field: Field, is_reversal: bool, is_changed: bool) -> bool:
    item = match.item
    if item.field == "negative" or (item.field == "constraint" and ban_of(item.text) is not None):
        # what was forbidden is lifted by lifts(), or replaced by a sentence that names it and forbids otherwise
        return is_reversal and match.words >= 2 and field == "negative"
    if is_reversal:
        # a rule is replaced by words of the sentence itself; a decision also by what stands around it
        return match.words >= _LEAST or (item.field == "decision" and match.score >= 2 * _LEAST)
    if match.named and match.words >= _SHARED and (item.field == field or match.score >= _NAMED + 2 * _SHARED):
        return True
    return is_changed and match.words >= (_SHARED if field == "decision" == item.field else _PLAIN)


def _unnamed(sentence: str, candidates: Sequence[SummaryItem], active: Sequence[SummaryItem]) -> str:
    """The newest decision, for a change that names nothing of what it changes ("scratch that"). What names an old value
    that no item has, or a value of another kind, means something else; and no rule goes by a guess."""
    if not is_change(sentence) or _old_words(sentence) or aspects(sentence):
        return ""
    decisions = [item for item in candidates if item.field == "decision"]
    recent = {item.item_id for item in active[-_RECENT_ITEMS:]}
    return decisions[-1].item_id if decisions and decisions[-1].item_id in recent else ""


def _old_words(sentence: str) -> set[str]:
    found: set[str] = set()
    for pattern in (_OLD, _OLD_ZH):
        for old in pattern.finditer(sentence):
            found |= keys(" ".join(group for group in old.groups() if group))
            found |= {group for group in old.groups() if group and characters(group) and len(group) <= 2}
    return found


def _old_by_name(old: set[str], text: str) -> bool:
    """Single Chinese characters and figures, which are no key words."""
    return any(len(word) == 1 and not word.isascii() and word in text for word in old)
