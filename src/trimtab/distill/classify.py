"""What a sentence of an author is: a rule, a decision, a preference ..., by a linear classifier and thresholds."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from trimtab.distill import features_en, features_zh
from trimtab.distill.clauses import HAN, clauses, is_chinese
from trimtab.distill.features_en import StandIn
from trimtab.distill.model import Feature, Model, model
from trimtab.distill.narration import decides_nothing, is_program, obliges_to_nothing, tells_own_doing
from trimtab.distill.sentences import MAX_SENTENCE_CHARS, Span
from trimtab.distill.voices import MASK, mask

Language: TypeAlias = Literal["en", "zh"]
Label: TypeAlias = Literal["none", "constraint", "negative", "role", "format", "preference", "decision", "reversal", "question", "todo"]
LABELS: tuple[Label, ...] = ("none", "constraint", "negative", "role", "format", "preference", "decision", "reversal", "question", "todo")
RULES: tuple[Label, ...] = ("constraint", "negative", "role", "format")
DECISIONS: tuple[Label, ...] = ("decision", "reversal")
Group: TypeAlias = Literal["rule", "decision", "preference", "todo", "question"]
_GROUPS: dict[Group, tuple[Label, ...]] = {
    "rule": RULES,
    "decision": DECISIONS,
    "preference": ("preference",),
    "todo": ("todo",),
    "question": ("question",),
}
# The least probability of each group. Measured on labelled turns that were not trained on: rules at .3 are found to 93-95 %
# with 5 to 10 % junk, at .45 to 88 % with 2 to 5 %; chats of people with one another, which are no talk to an agent, give
# two to three times as many false rules at .3.
THRESHOLDS: dict[Language, dict[Group, float]] = {
    "en": {"rule": 0.3, "decision": 0.42, "preference": 0.4, "todo": 0.35, "question": 0.4},
    "zh": {"rule": 0.3, "decision": 0.42, "preference": 0.3, "todo": 0.35, "question": 0.4},
}
# An order in plain words needs far less: how likely it looks depends too much on whether its other words are known.
_PLAIN_ORDER = re.compile(
    r"^\W*(?:(?:and|but|also|so|please|pls|important|note)\b[\s:,!]*)*(?:never (?!mind|again\b|ever (?:had|been|seen|saw)|thought|heard|tried|knew|got|been|had|saw|met|found|went|"
    r"made|took|did|told|\w+ed\b)\w|(?:do not|don'?t) (?:ever )?(?!worry|bother|know|think|mind|have|care|get me|you\b|i\b|we\b|they\b|forget to (?:breathe|smile)|panic|be )\w"
    r"|always (?!been|had|the\b|a\b|nice|good|great|happy|wanted|\w+ed\b|\w+s\b)\w|under no circumstances\b|on no account\b|from now on\b|make sure (?:that |to |you |the |every |all )|"
    r"you (?:must|may only|may never|may not|must not|shall|are not allowed to|are only allowed to)\b(?! be (?:tired|kidding|joking|proud|so|very|excited|happy|hungry))|"
    r"(?:all|every|each) [\w' -]{1,40}? (?:must|shall|has to|have to)\b|only (?:ever )?(?:use|answer|reply|write|take|book|call|send|show|include|cite)\b|use only\b"
    r"|(?:the|our|my|its|any) [\w' -]{2,50}? (?:must|shall|has to|have to|may) (?:not |never |always |only )?(?:stay|remain|contain|include|exceed|use|start with|end with|"
    r"be (?:at|in|under|below|above|within|between|written|signed|no|the same|kept|an?|\d|[$€£¥])\b)"
    r"|it is (?:important|essential|crucial) (?:to me|for me|to us|for us) that\b|you are now (?:the|an?|my|our)\b)"
    r"|^[\s\W]*(?:请)?(?:你|您)?(?:务必|必须(?!承认|说一句|得说)|一律|千万(?:别|不要|不能)|不要(?!紧|脸)|不得(?!不|已|了)|切勿|切忌|禁止|严禁|请勿|绝不(?:能|要|可)|只能用|以后(?:都|一律|不要|别|请)"
    r"|从现在(?:起|开始)|今后)",
    re.I,
)
_PLAIN_PREFERENCE = re.compile(
    r"(?:^\W*|[,;:.!?]\s+|\b(?:but|and|so|because|since|as|that|though|although|while)\s+)"
    r"(?:(?:i|we)(?:'d| would)? (?:really |generally |usually |strongly |always |definitely |much )?(?:prefer|rather|favou?r|dislike|hate)\b"
    r"|(?:i'm|i am|we're|we are) (?:not |more |most )?comfortable with\b|i (?:do not|don'?t) (?:really |particularly )?(?:want|like)\b|i only want\b|i (?:really |usually |generally |normally |mostly |typically )?(?:like|love|enjoy|lean towards?|tend to)\b|\b(?:works?|is|are) (?:better|best|easier|easiest) for me\b|i(?:'d| would) (?:like|love|want) (?:it|you|them|everything|answers|responses) to\b"
    r"|(?:my|our) preference\b|i(?:'m| am) (?:trying|aiming|hoping) to (?:keep|avoid|stay|stick|limit|minimi[sz]e|balance)\b|i value \w+[^.!?]{0,60} (?:over|more than)\b)"
    r"|(?:^|[，。；！？,])(?:但|不过|因为|所以)?我们?(?:更|比较|还是更|其实更)?(?:喜欢|偏好|偏爱|倾向于?|宁愿|宁可)",
    re.I,
)
_PLAIN_CHANGE = re.compile(
    r"^\W*(?:(?:oh|no|wait|ok|okay|hmm|sorry)[,. ]+)*(?:actually|on second thoughts?|on reflection|scratch that|change of plans?|correction)\b[,:;. ]+"
    r"(?!(?:i|it|that|the|he|she|they|there|this|my|you)\b)\w"
    r"|^不(?:用|要|坐|做|买|订|走|选)[^，。]{1,12}了[，,]|^(?:改成|改为|改用|换成|换用|还是用|还是改|不是[^，。]{1,10}[，,](?:而)?是)",
    re.I,
)
# a decision that is announced as one
_PLAIN_DECISION = re.compile(
    r"^\W*(?:(?:decision|decided|agreed|settled|verdict)\s*[:–-]|(?:ok(?:ay)?[, ]+)?(?:we|i)(?:'ve| have)? (?:now |finally )?(?:decided|agreed|settled)(?: that\b|\s*:| on\b)(?! (?:him|her|them)\b))"
    r"|^(?:决定|结论|定了|敲定|拍板)\s*[:：,，]|^(?:我们?|咱们?)(?:最后|最终|已经)?(?:决定|商定|敲定)(?:了)?[:：，,]?(?:就|用|采用|选|按|改|把|由|不)",
    re.I,
)
# orders that may also stand behind a comma: "I use Vue, so always name the version when I ask about a package"
_STANDING_ORDER = re.compile(
    r"(?:^|[,;:.!–-]\s*|\b(?:and|so|but|then|please)\s+)(?:please )?(?:always|never|remember to|be sure to|make sure (?:to|you|that you))\s+(?!been|had|mind|\w+ed\b)\w"
    r"|\b(?:whenever|every time|each time|any time) (?:i|we) (?:ask|mention|talk|bring|need|want|request|say|send|share)\b",
    re.I,
)
_LEAST_OF_PLAIN = 0.12
# what tells of the author's own doing must look very much like a rule to be one
_LEAST_OF_NARRATION = 0.7
_NEVER = 2.0
# "I prefer" is one whatever follows; it is not pinned, so that a wrong one costs little
_LEAST_OF_PLAIN_PREFERENCE = 0.03
_LEAST_STUCK_WORDS = 12
# the rest of a sentence whose beginning says what is wanted
_REST = re.compile(r"\W*(?:not|rather than|instead of|as opposed to|而不是|而非|不是)\b", re.I)
# two of these in one sentence make two items
_KEPT_APART: tuple[Group, ...] = ("rule", "decision", "preference")
# a clause says something of its own from the first probability on, and takes part in saying it from the second
_OWN_CLAUSE, _SAYS_IT = 0.6, 0.3
# share of the threshold below which a whole sentence is given up without a look at its clauses
_HOPELESS = 0.4
# an item longer than this is cut to the clauses that say it
_LONG_CHARS: dict[Language, int] = {"en": 160, "zh": 80}
# words of earlier sentences whose weights are kept
_MAX_WORDS = 20_000


class Verdict(Struct, frozen=True):
    """What a sentence, or the clause [start:end] of it, says. `probability` is that of its group."""

    start: int
    end: int
    label: Label
    probability: float
    group: Group


class _English:
    """Scores English sentences; what a word weighs is worked out once."""

    def __init__(self, of: Model) -> None:
        self._model = of
        self._words: dict[str, tuple[int, StandIn]] = {}

    def probabilities(self, masked: str, is_system: bool) -> dict[str, float]:
        words = features_en.tokens(masked)
        if not words:
            return self._model.probabilities(0)
        if len(self._words) > _MAX_WORDS:
            self._words.clear()
        memory = self._words
        known = [memory.get(word) or self._learn(word) for word in words]
        total = sum([weight for weight, _ in (known if len(set(words)) == len(words) else {word: memory[word] for word in words}.values())])
        total += self._model.weight(features_en.patterns(words, [stand_in for _, stand_in in known], is_system))
        return self._model.probabilities(total)

    def _learn(self, word: str) -> tuple[int, StandIn]:
        known = (self._model.weight(features_en.word_features(word)), features_en.stand_in(word))
        self._words[word] = known
        return known


@cache
def _english() -> _English:
    return _English(model("en"))


def probabilities(masked: str, is_system: bool, language: Language) -> dict[str, float]:
    """The probability of each label for a sentence or clause with its quotations masked."""
    if language == "en":
        return _english().probabilities(masked, is_system)
    chinese = model("zh")
    return chinese.probabilities(chinese.weight(features_zh.features(masked, is_system)))


def count_features(text: str, is_system: bool, language: Language) -> Counter[Feature]:
    """The features of a sentence as `probabilities` adds them up, for the training."""
    masked = mask(text)
    if language == "zh":
        return Counter(features_zh.features(masked, is_system))
    words = features_en.tokens(masked)
    found: Counter[Feature] = Counter()
    if words:
        for word in set(words):
            found.update(features_en.word_features(word))
        found.update(features_en.patterns(words, [features_en.stand_in(word) for word in words], is_system))
    return found


def judge(masked: str, is_system: bool, *, lenient: float = 0.0) -> list[Verdict]:
    """What the sentence says: nothing, one thing, or different things in different clauses, in their order.

    `masked` is the sentence with the words of others blanked out. A group counts by the mean of its probability for the whole sentence and for its best clause. `lenient` lowers the
    threshold of rules, for the points of a list of rules. Spans are offsets into the sentence.
    """
    if len(masked) > MAX_SENTENCE_CHARS:
        return []
    if _is_stuck(masked):
        return []
    language: Language = "zh" if is_chinese(masked) else "en"
    whole = probabilities(masked, is_system, language)
    least = THRESHOLDS[language] | {"rule": THRESHOLDS[language]["rule"] - lenient}
    if lenient >= 0 and (_PLAIN_ORDER.search(masked) or _STANDING_ORDER.search(masked)) and MASK not in masked[:8]:
        least["rule"] = _LEAST_OF_PLAIN
    if is_program(masked):
        least["rule"] = _NEVER
    elif tells_own_doing(masked) or obliges_to_nothing(masked):
        least["rule"] = max(least["rule"], _LEAST_OF_NARRATION)
    if decides_nothing(masked):
        least["decision"] = _NEVER
    elif _PLAIN_CHANGE.search(masked) or _PLAIN_DECISION.search(masked):
        least["decision"] = _LEAST_OF_PLAIN
    if _PLAIN_PREFERENCE.search(masked):
        least["preference"] = _LEAST_OF_PLAIN_PREFERENCE
    # a clause hardly ever brings the mean up from so far below
    if all(_of(whole, group) < _HOPELESS * least[group] for group in least):
        return []
    spans = clauses(masked, language == "zh")
    parts = [_of_clause(masked[start:end], is_system, language) for start, end in spans] if len(spans) > 1 else [whole]
    scores = {group: (_of(whole, group) + max(_of(part, group) for part in parts)) / 2 for group in least}
    group = max(scores, key=lambda name: scores[name] - least[name])
    if scores[group] < least[group]:
        return []
    best = _best_part(parts, group)
    verdict = Verdict(0, len(masked), _label(group, whole, parts[best]), scores[group], group)
    if len(parts) == 1:
        return [verdict]
    other = _another(parts, [masked[start:end] for start, end in spans], group, best)
    if other is None:
        return [_shortened(verdict, spans, parts, _LONG_CHARS[language])]
    first, second = sorted([(best, group), (other[0], other[1])])
    # what stands between two belongs to the first
    cut = spans[second[0]][0]
    return [
        _at(parts, *first, spans[0][0], spans[second[0] - 1][1]),
        _at(parts, *second, cut, spans[-1][1]),
    ]


def _is_stuck(text: str) -> bool:
    """Whether it says the same few words over and over: filler, or a key that was leaned on."""
    words = text.split()
    return len(words) >= _LEAST_STUCK_WORDS and 4 * len(set(words)) <= len(words)


def _of_clause(masked: str, is_system: bool, language: Language) -> dict[str, float]:
    """Of a clause, which may be in the other language ("还没到，please don't ship by air again")."""
    if language == "zh" and HAN.search(masked) is None:
        language = "en"
    return probabilities(masked, is_system, language)


def _of(found: dict[str, float], group: Group) -> float:
    return sum(found[label] for label in _GROUPS[group])


def _best_part(parts: list[dict[str, float]], group: Group) -> int:
    return max(range(len(parts)), key=lambda at: _of(parts[at], group))


def _label(group: Group, *found: dict[str, float]) -> Label:
    return max(_GROUPS[group], key=lambda label: sum(probability[label] for probability in found))


def _another(parts: list[dict[str, float]], texts: list[str], group: Group, best: int) -> tuple[int, Group] | None:
    """The clause that plainly says something else than the sentence's best clause does, and what. "not the address"
    after "use the name" is no sentence of its own."""
    if _of(parts[best], group) < _OWN_CLAUSE or _REST.match(texts[best]):
        return None
    found = [
        (_of(part, other), at, other)
        for at, part in enumerate(parts)
        for other in _KEPT_APART
        if at != best and other != group and _of(part, other) >= _OWN_CLAUSE and not _REST.match(texts[at])
    ]
    return max(found)[1:] if found else None


def _at(parts: list[dict[str, float]], best: int, group: Group, start: int, end: int) -> Verdict:
    return Verdict(start, end, _label(group, parts[best]), _of(parts[best], group), group)


def _shortened(verdict: Verdict, spans: list[Span], parts: list[dict[str, float]], longest: int) -> Verdict:
    """The verdict for the clauses that say it, where the whole is long."""
    if verdict.end <= longest:
        return verdict
    saying = [span for span, part in zip(spans, parts, strict=True) if _of(part, verdict.group) >= _SAYS_IT]
    return replace(verdict, start=saying[0][0], end=saying[-1][1]) if saying else verdict


def probabilities_of_groups(masked: str, is_system: bool) -> dict[Group, float]:
    """The probability of each group for the sentence as a whole, for those who know more of it than `judge` does: what
    is active beside it, what was offered before it. Empty where the sentence is too long or says the same over and over."""
    if len(masked) > MAX_SENTENCE_CHARS or _is_stuck(masked):
        return {}
    found = probabilities(masked, is_system, "zh" if is_chinese(masked) else "en")
    return {group: _of(found, group) for group in _GROUPS}
