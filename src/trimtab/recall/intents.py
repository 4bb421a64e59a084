"""Which kinds of information a text gives, which it asks for, and how far the one answers the other.

English and Chinese, by cues (`intents_english.py`, `intents_chinese.py`), patterns (`intents_patterns.py`) and a little
structure, completed for short texts by a small linear classifier (`intents_learned.py`): no language model, one pass, linear.
Soft on purpose: a kind that was not seen may still be there, so a tag lifts what has it and rules out little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from unicodedata import normalize

from trimtab.recall import intents_chinese, intents_english
from trimtab.recall.intents_english import STEP_OPENERS, STEP_VERBS, Cues
from trimtab.recall.intents_learned import completed
from trimtab.recall.intents_patterns import ASKS_PATTERNS, GIVES_PATTERNS, Patterns

READ_CHARS = 2_000  # of a longer text only its beginning is read: what says everything is of no kind
LEAST_WEIGHT = 2.0  # of a kind in one sentence, to count as given
MOST_GIVEN = 4
_MOST_WEIGHT = 6.0  # many signs of one kind do not drown a plain sign of another

GIVEN_KINDS = tuple(intents_english.GIVES)
ASKED_KINDS = tuple(intents_english.ASKS)
ASKS = "asks_"

# how far a turn that gives a kind answers a question for another; 0 where nothing stands
ANSWERS: Mapping[str, Mapping[str, float]] = {
    "when": {"gives_time": 1.0, "promise": 0.3, "done": 0.2},
    "how": {"gives_steps": 1.0, "gives_options": 0.1},
    "why": {"gives_reason": 1.0, "complaint": 0.2},
    "which": {"gives_options": 1.0, "decision": 0.2, "limit": 0.1},
    "how_much": {"gives_amount": 1.0, "limit": 0.4},
    "who": {"gives_person": 1.0},
    "where": {"gives_place": 1.0, "gives_steps": 0.2},
    "decision": {"decision": 1.0},
    "done": {"done": 1.0, "gives_result": 0.4},
    "result": {"gives_result": 1.0, "done": 0.4},
    "promise": {"promise": 1.0},
    "limit": {"limit": 1.0, "gives_amount": 0.2},
    "complaint": {"complaint": 1.0, "gives_reason": 0.1},
    "option": {"gives_options": 1.0, "decision": 0.2},
}
UNKNOWN = 0.3  # what a turn of which no kind is known is taken to answer
_BY_RANK = (1.0, 0.85, 0.7, 0.6)  # the first of a turn's kinds is what it is about
_SECOND_WISH = 0.6
_LEAST_SHARE = 0.5  # of the strongest asked kind, for another to count as asked too
_ALSO_ASKED = 0.1  # a turn that asks the same, on top of what it gives

_CJK = "㐀-鿿"
_TOKEN = re.compile(
    rf"(?P<date>\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}})|(?P<clock>\d{{1,2}}:\d{{2}})|(?P<th>\d{{1,6}}(?:st|nd|rd|th)\b)"
    rf"|(?P<number>\d[\d,]*(?:\.\d+)?)"
    rf"|(?P<word>[A-Za-zÀ-ɏ]+(?:['-][A-Za-zÀ-ɏ]+)*)|(?P<han>[{_CJK}])|(?P<mark>[^\s\w])"
)
_ORDINALS = dict.fromkeys(["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], "#th")
_NUMBERS = dict.fromkeys(
    [
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "fifteen",
        "twenty",
        "thirty",
        "fifty",
        "hundred",
        "thousand",
    ],
    "#",
)
_HAN_NUMBERS = frozenset("零一二三四五六七八九十百千两")
# after a "one" that counts: units of money and time; "一个" and "一起" count nothing
_COUNTED = frozenset("元块毛角分万千百亿十年月天号日点小折成周季点二三四五六七八九零")
_ENDS = frozenset(".!?。;\n")
_ASK_ENDS = frozenset("?")
_LISTED = re.compile(r"^[ \t]{0,8}(?:[-*•]|\(?\d{1,2}[.)、])[ \t]", re.MULTILINE)
# three things in a row: "a, b and c", "甲、乙和丙"
_ITEM = r"[\w(][\w'-]{0,20}(?: [\w'-]{1,20}){0,2}"
_ROW = re.compile(rf"[\w)], (?:{_ITEM}, ){{0,6}}{_ITEM},? (?:and|or|nor|plus) \w|[\w]{{1,12}}、[\w]{{1,12}}[、和或]")
_QUESTION_OPENERS = frozenset(["what", "why", "how", "who", "whose", "whom", "where", "which"])


# "I moved it": what the speakers did, told as done
_DOERS = frozenset(["i", "we"])
_PAST = "took put got made did sent went ran wrote set built bought paid sold gave found told rang brought swapped turned cut left"
_DEEDS = frozenset(_PAST.split())
_DEED = 2.0
_PLAIN = 4.0  # a sign that leaves no doubt
_OUTRANKING = ("limit", "promise", "decision")


class _Cue(dict[str, "_Cue"]):
    """A tree of phrases by their words; `weights` of the phrase that ends here."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: list[tuple[str, float]] = []


class _Given:
    """What the sentences of a text give: of each kind its strongest sentence; steps are a sequence, so they add up."""

    def __init__(self) -> None:
        self._totals: dict[str, float] = {}
        self._steps = 0.0
        self.sentences: list[list[str]] = []

    def read(self, sentence: list[str]) -> None:
        self.sentences.append(sentence)
        weights = _weights(sentence, _GIVES)
        _add_patterns(sentence, GIVES_PATTERNS, weights)
        self._steps += weights.pop("gives_steps", 0.0) + _step_verbs(sentence)
        _circumstance(sentence, weights)
        for kind, weight in weights.items():
            self._totals[kind] = max(self._totals.get(kind, 0.0), weight)

    def totals(self, text: str) -> dict[str, float]:
        totals = self._totals | {"gives_steps": self._steps}
        if _ROW.search(text) or len(_LISTED.findall(text)) > 1:
            totals["gives_options"] = totals.get("gives_options", 0.0) + LEAST_WEIGHT
        return totals

    def kinds(self, text: str) -> list[str]:
        """By cues and patterns, completed by what was learned."""
        totals = self.totals(text)
        strong = [kind for kind in GIVEN_KINDS if totals.get(kind, 0.0) >= LEAST_WEIGHT]
        found = sorted(strong, key=lambda kind: -min(totals[kind], _MOST_WEIGHT))[:MOST_GIVEN]
        return completed(found, self.sentences, totals)[:MOST_GIVEN]


def given_kinds(text: str) -> list[str]:
    """Kinds of information that `text` gives, of GIVEN_KINDS, strongest first, at most four. Questions in it give nothing."""
    return kinds_in(text)[0]


def asked_kinds(text: str) -> list[str]:
    """Kinds that a question asks for, of ASKED_KINDS, the one it is about first; empty where nothing shows one.

    Everything is read as asked, question mark or not: pass a question, or the sentences of a text that are one.
    """
    weights: dict[str, float] = {}
    for sentence in _sentences(text[:READ_CHARS]):
        for kind, weight in _asked(sentence).items():
            weights[kind] = max(weights.get(kind, 0.0), weight)
    least = max(LEAST_WEIGHT, _LEAST_SHARE * max(weights.values(), default=0.0))
    strong = [kind for kind in ASKED_KINDS if weights.get(kind, 0.0) >= least]
    return sorted(strong, key=lambda kind: -weights[kind])


def kinds_in(text: str) -> tuple[list[str], list[str]]:
    """(`given_kinds`, the kinds asked for by those sentences that are questions, each once, in their order)."""
    given, asked = _read(text[:READ_CHARS])
    return given.kinds(text[:READ_CHARS]), asked


def cue_weights(text: str) -> tuple[list[list[str]], dict[str, float]]:
    """(the sentences that do not ask, the weight of each given kind by the cues), for the training (training/kinds)."""
    given, _ = _read(text[:READ_CHARS])
    return given.sentences, given.totals(text[:READ_CHARS])


def _read(text: str) -> tuple[_Given, list[str]]:
    given, asked = _Given(), dict[str, None]()
    for sentence in _sentences(text):
        if not _is_question(sentence):
            given.read(sentence)
        elif weights := _asked(sentence):
            asked.setdefault(max(weights, key=lambda kind: weights[kind]))
    return given, list(asked)


def answers(wanted: Sequence[str], tags: Mapping[str, Sequence[str]]) -> float:
    """0 to 1: how far a turn with these tags can be what a question wants.

    Args:
        wanted: `asked_kinds`, or the kind of a `Need`; what is not of ASKED_KINDS is no wish.
        tags: of the stored turn. One without a kind of GIVEN_KINDS, as from an older version, counts UNKNOWN.
    """
    wishes = [kind for kind in wanted if kind in ANSWERS][:2]
    intent = tags.get("intent", ())
    given = [kind for kind in intent if kind in _GIVEN]
    if not wishes or not given:
        return UNKNOWN
    best = 0.0
    for wish, share in zip(wishes, (1.0, _SECOND_WISH), strict=False):
        table = ANSWERS[wish]
        best = max([best, *(share * table.get(kind, 0.0) * rank for kind, rank in zip(given, _BY_RANK, strict=False))])
    if ASKS + wishes[0] in intent:
        best += _ALSO_ASKED
    return min(1.0, best)


def may_answer(wanted: Sequence[str], tags: Mapping[str, Sequence[str]]) -> bool:
    """For a hard filter: False only for a turn that is known to give other kinds and asks nothing alike."""
    return answers(wanted, tags) > 0


def _sentences(text: str) -> Iterator[list[str]]:
    """Words and marks of each sentence, lower-case, numbers as "#"; its own end mark is its last word."""
    if not text.isascii():
        text = normalize("NFKC", text).replace("’", "'")
    words: list[str] = []
    for line in text.split("\n"):
        for match in _TOKEN.finditer(line):
            word = _word(match)
            if word == "#" and match.group() == "一" and line[match.end() : match.end() + 1] not in _COUNTED and words[-1:] != ["#"]:
                word = "一"
            if word == "#" and words and words[-1] == "#" and match.lastgroup == "han":
                continue
            words.append(word)
            if word in _ENDS:
                yield words
                words = []
        if words:
            yield words
            words = []


def _word(match: re.Match[str]) -> str:
    kind, word = match.lastgroup, match.group()
    if kind == "word":
        word = word.lower()
        return _ORDINALS.get(word) or _NUMBERS.get(word, word)
    if kind == "han":
        return "#" if word in _HAN_NUMBERS else word
    if kind == "mark":
        return word
    return {"date": "#date", "clock": "#:#", "th": "#th", "number": "#"}[kind or "number"]


def _is_question(sentence: Sequence[str]) -> bool:
    return sentence[-1] in _ASK_ENDS or (sentence[0] in _QUESTION_OPENERS and sentence[-1] not in _ENDS)


def _weights(sentence: Sequence[str], cues: _Cue) -> dict[str, float]:
    """Weight of each kind: its strongest cue, and a quarter of each further one."""
    found: dict[str, list[float]] = {}
    covered = 0
    for at in range(len(sentence)):
        cue: _Cue | None = cues
        last: list[tuple[str, float]] = []
        end = at
        for place in range(at, len(sentence)):
            cue = cue.get(sentence[place]) if cue is not None else None
            if cue is None:
                break
            if cue.weights:
                last, end = cue.weights, place + 1
        # what stands within a longer cue says nothing by itself: the "other" in "each other"
        if end <= covered:
            continue
        covered = max(covered, end)
        for kind, weight in last:
            found.setdefault(kind, []).append(weight)
    return {kind: max(weights) + 0.25 * (sum(weights) - max(weights)) for kind, weights in found.items()}


def _asked(sentence: Sequence[str]) -> dict[str, float]:
    weights = _weights(sentence, _ASKS)
    _add_patterns(sentence, ASKS_PATTERNS, weights)
    return {kind: weight for kind, weight in weights.items() if kind in ANSWERS}


def _add_patterns(sentence: Sequence[str], patterns: Patterns, weights: dict[str, float]) -> None:
    """Add what words say together that do not stand side by side, in place. Chinese is matched without its spaces."""
    spaced = " ".join(sentence)
    plain, rules = (spaced, patterns.latin) if spaced.isascii() else (spaced.replace(" ", ""), patterns.all)
    for kind, weight, rule in rules:
        if rule.search(plain):
            weights[kind] = max(weights.get(kind, 0.0), weight)


def _step_verbs(sentence: Sequence[str]) -> float:
    """1.5 for each clause that begins with a verb that tells what to do."""
    opened = [word for before, word in zip((".", *sentence), sentence, strict=False) if before in STEP_OPENERS and word in STEP_VERBS]
    return 1.5 * len(opened)


def _circumstance(sentence: Sequence[str], weights: dict[str, float]) -> None:
    """What two signs say together, in place."""
    if weights.get("promise", 0.0) and weights.get("gives_time", 0.0):
        weights["promise"] += 1.0
    if any(doer in _DOERS and (deed.endswith("ed") or deed in _DEEDS) for doer, deed in pairwise(sentence)):
        weights["done"] = weights.get("done", 0.0) + _DEED
    if any(weights.get(kind, 0.0) >= _PLAIN for kind in _OUTRANKING):
        # the date or sum in a limit, a promise or a decision is not what it is about
        for kind in ("gives_time", "gives_amount"):
            if kind in weights:
                weights[kind] = max(weights[kind] - 1.5, min(weights[kind], LEAST_WEIGHT))


def _tree(*tables: Cues) -> _Cue:
    root = _Cue()
    for table in tables:
        for kind, by_weight in table.items():
            for weight, phrases in by_weight.items():
                for phrase in phrases.split("|"):
                    _plant(root, phrase, kind, weight)
    return root


def _plant(root: _Cue, phrase: str, kind: str, weight: float) -> None:
    cue = root
    for word in _phrase_words(phrase):
        cue = cue.setdefault(word, _Cue())
    if kind not in dict(cue.weights):
        cue.weights.append((kind, weight))


def _phrase_words(phrase: str) -> list[str]:
    """The words of a phrase as those of a text, "#" and its like kept as they stand."""
    words: list[str] = []
    for piece in re.findall(r"#th|#:#|#date|#|[^\s#]+", phrase):
        words += [piece] if piece.startswith("#") else [_word(match) for match in _TOKEN.finditer(piece)]
    return words


_GIVEN = frozenset(GIVEN_KINDS)
_GIVES = _tree(intents_english.GIVES, intents_chinese.GIVES)
_ASKS = _tree(intents_english.ASKS, intents_chinese.ASKS)
