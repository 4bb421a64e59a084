"""What a sentence is about, apart from the values it gives, and how much of one subject another sentence names."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from trimtab.distill.aspects import aspects, stem
from trimtab.distill.values_en import words

_WORD = re.compile(r"[a-zà-ÿ][a-zà-ÿ0-9_'+#.-]*[a-zà-ÿ0-9_+#]|[a-z]")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_EMPTY = words(
    "a an the and or for with that this those these you your are is be been am our we i my me us he she they them their its it his her not no from by at on in "
    "to of as so do does should must may can could will would shall might need needs needed have has had than then there here what which who whom how when "
    "where all each every any only just also please let let's make made get got set go with into per about within after before during between under over up "
    "down out off via least most more less max maximum min minimum exactly around roughly be being use used uses using decide decided agreed agree never "
    "always don't don shall one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty ninety hundred thousand "
    "change changed switch move raise lower extend reduce increase actually now today final confirmed stay stays stand stands remain remains "
    "half dozen exceed exceeding limit limited throughout new same start starts hold holds"
)
# one word for what is said in several ways
_SAME = {
    stem(word): stem(one)
    for one, others in {
        "show": "display present print render appear",
        "keep": "retain store archive preserve save",
        "ship": "dispatch deliver send leave",
        "cost": "bill price charge",
        "write": "author draft code implement",
        "meeting": "call appointment",
        "reply": "answer response respond",
        "email": "mail e-mail",
        "customer": "client",
        "run": "execute perform",
        "remove": "delete erase destroy",
        "allow": "permit",
        "pay": "payment",
    }.items()
    for word in others.split()
}
# how long, how much, how often: words of the value, not of the subject
_MEASURES = frozenset(
    stem(word)
    for word in words(
        "second seconds minute minutes hour hours day days week weeks month months year years percent euro euros dollar dollars pound pounds us usd eur "
        "daily weekly monthly hourly yearly january february march april may june july august september october november december"
    )
)
_EMPTY_ZH = re.compile(
    r"不超过|不得|不要|不能|不许|不准|禁止|严禁|至少|最少|至多|最多|不低于|不少于|不多于|以内|之内|以上|以下|左右|大约|必须|须|应当|应该|应|一律|统一|均|全部|所有|全文|每隔?|"
    r"定[在为于]|设[为置成]?|改[为成]|采用|使用|用|按|走|为|是|以|由|于|在|至|到|中|里|内|上|下|的|了|也|都|还是|或者?|把|被|给|对|和|与|及|可以?|能够?|允许|将|要|请|写|做|进行|"
    r"运输|时间|其|该|本|这|那|我们|咱们|大家|您|你|我|他们?|自.{1,6}起算?|发出|举行|召开|开始|办|开|通过|发送|计算|一共|共[有计设]?|印[成为]?|显示成|乘坐|执行|组成|决定|确定|商定|约定"
)
_FIGURES_ZH = re.compile(
    r"(?:周|星期|礼拜)[一二三四五六日天末]|\d[\d,.:：]*\s*(?:个?月份?|号|日|年|天|周|小时|分钟|秒|次|位|字|人|元|点|页|条|名|个|岁|度|%)?|"
    r"[零一二两三四五六七八九十百千万半]+(?:个月|月|号|日|年|天|周|小时|分钟|秒|次|位|字|人|元|点|页|条|名|个|度|成)"
)
_MEASURES_ZH = re.compile(r"小时|分钟|个月|元|%|天|年(?!报|会|终|度)|[每一]?次|字(?=$|[，。])|位(?=$|[，。])|人(?=订)")
# "registration for the conference" is about the registration
_LED = re.compile(
    r"^\W*(?:(?:the|a|an|each|every|all|our|any|this|no) )?(?P<before>[a-z-]+ )?(?P<head>[a-z-]+) (?:for|of|about|on|to|in|with|from|near|around|behind|at) ",
    re.I,
)
_VERB = re.compile(r"(?:s|ed)$")
# what is done says little of what it is done to
_VERBS = frozenset(_SAME.values()) - {
    stem("meeting"),
    stem("customer"),
    stem("email"),
    stem("reply"),
    stem("cost"),
    stem("pay"),
} | frozenset(stem(word) for word in words("give take send do work bring find look see read add put need want begin end come"))
_NEXT = re.compile(r" ([a-z][a-z-]+)")
# the fewest characters and the most other words of a sentence that shares a single word
_MOST_OTHERS, _MOST_OTHER_MARKS, _FIRST_WORDS, _MOST_AFTER = 2, 5, 3, 1


class Subject(Struct, frozen=True):
    """`words`: stems in their order; `pairs` and `marks`: of Chinese text, neighbors and single characters; `lead`: the word
    that a phrase at the beginning hangs on; `compounds`: words that only narrow the next one ("launch" in "launch party")."""

    order: tuple[str, ...]
    runs: tuple[str, ...]
    lead: str = ""
    compounds: frozenset[str] = frozenset()

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.order)

    @property
    def pairs(self) -> frozenset[str]:
        return frozenset(run[at : at + 2] for run in self.runs for at in range(len(run) - 1))

    @property
    def marks(self) -> frozenset[str]:
        return frozenset("".join(self.runs))

    def without(self, values: frozenset[str]) -> Subject:
        """Apart from the words of these values."""
        gone = {_same(stem(value)) for value in values if value.isascii()} | {value for value in values if value.isascii()}
        runs = self.runs
        for value in values:
            if not value.isascii():
                runs = tuple(part for run in runs for part in run.split(value) if part)
        return Subject(tuple(word for word in self.order if word not in gone), runs, self.lead, self.compounds)


class Cover(Struct, frozen=True):
    """How much of a subject a sentence names: `share` of it, `count` of its words (two Chinese characters are one).

    `is_plain` where a single word is all the subject there is, and the sentence is about little else.
    """

    share: float
    count: float
    is_plain: bool


@lru_cache(maxsize=4_096)
def subject_of(text: str) -> Subject:
    lower = text.lower().replace("’", "'")
    order: list[str] = []
    compounds: set[str] = set()
    for found in _WORD.finditer(lower):
        word = found[0].removesuffix("'s").strip(".'-")
        if word in _EMPTY or len(word) < 2:
            continue
        one = _same(stem(word))
        if one not in _MEASURES and one not in order:
            order.append(one)
            following = _NEXT.match(lower, found.end())
            if following and following[1] not in _EMPTY and not _VERB.search(following[1]) and stem(following[1]) not in _MEASURES:
                compounds.add(one)
    led = _LED.match(lower)
    # "the team consists of": a verb, no noun
    is_noun = led is not None and led["head"] not in _EMPTY and not (led["before"] and _VERB.search(led["head"]))
    lead = _same(stem(led["head"])) if led is not None and is_noun else ""
    bare = _FIGURES_ZH.sub(" ", text)
    runs = tuple(
        run for part in _CHINESE.findall(bare) for run in _EMPTY_ZH.sub(" ", _MEASURES_ZH.sub(" ", _aspect_words_out(part))).split() if run
    )
    return Subject(tuple(order), runs, lead, frozenset(compounds))


def _same(word: str) -> str:
    return _SAME.get(word, word)


_VALUES_ZH = re.compile(
    "英文|英语|中文|汉语|日文|日语|法语|法文|德语|德文|韩语|俄语|西班牙语|红色|蓝色|绿色|黄色|黑色|白色|灰色|紫色|橙色|火车|高铁|飞机|动车|大巴|轮船|海运|空运|陆运|铁路|"
    "邮件|短信|微信|钉钉|飞书|小驼峰|大驼峰|驼峰|下划线|蛇形|中划线|欧元|美元|英镑|日元|人民币|港币|公制|英制|摄氏|华氏|日报|每天|每周|每月|每日"
)


def _aspect_words_out(run: str) -> str:
    return _VALUES_ZH.sub(" ", run)


def covered(ours: Subject, theirs: Subject, *, whole: bool = False) -> Cover:
    """How much of the subject `theirs` the sentence `ours` names."""
    shared = ours.words & theirs.words
    pairs = {pair for pair in theirs.pairs if pair in ours.pairs}
    marks = {mark for pair in pairs for mark in pair}
    # a run of a single character counts where it stands in the other at all
    marks |= {run for run in theirs.runs if len(run) == 1 and run in ours.marks}
    total = len(theirs.words) + len(theirs.marks) / 2
    if not total or (ours.lead and not whole and ours.lead not in theirs.words):
        return Cover(0.0, 0.0, False)
    count = len(shared) + len(marks) / 2
    head = ours.order[:_FIRST_WORDS]
    others, other_marks = len(ours.words - shared), len(ours.marks - marks)
    is_plain = (
        count >= 1
        and others <= _MOST_OTHERS
        and other_marks <= _MOST_OTHER_MARKS
        and (not shared or any(word in head and word not in ours.compounds and word not in _VERBS for word in shared))
        and not any(_runs_on(run, marks) for run in ours.runs)
    )
    return Cover(count / total, count, is_plain and not whole)


def _runs_on(run: str, marks: set[str]) -> bool:
    """Whether what is named only narrows what comes after it: 会议 in 会议报名."""
    last = max((at for at, mark in enumerate(run) if mark in marks), default=-1)
    return 0 <= last < len(run) - 1 - _MOST_AFTER


class Option(Struct, frozen=True):
    """One of the things that a question leaves open, by all its names."""

    words: frozenset[str]

    def is_in(self, text: str) -> bool:
        return bool(self._places(text)) or any(self.words & values for values in aspects(text).values())

    def is_chosen_in(self, text: str) -> bool:
        """Whether a word of a choice stands right before it; how often something is done is said behind the verb."""
        if any(word.startswith("每") or word in _RHYTHMS for word in self.words):
            return self.is_in(text)
        return any(_CHOSEN.search(text[:at]) for at in self._places(text))

    def _places(self, text: str) -> list[int]:
        lower = text.lower()
        return [
            found.start()
            for word in self.words
            for found in re.finditer(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if word.isascii() else re.escape(word), lower)
        ]


_RHYTHMS = frozenset(("daily", "weekly", "monthly", "yearly", "hourly", "quarterly"))
_CHOSEN = re.compile(
    r"(?:\b(?:us(?:e[sd]?|ing)|choos\w+|chose|chosen|select\w*|is|are|be|by|with|on|as|in|via|take|takes|prefer\w*|pick\w*)\s+(?:the |a |an )?"
    r"|(?:采用|使用|选用|选择|选|用|定为|确定为|乘坐|乘|坐|走|以|由|为|是|统一)\s*)$",
    re.I,
)
_EITHER = re.compile(r"(?P<left>[\w.+#-]+)\s+or\s+(?:(?:take|use|go|by|the|a|an|in|on|with|do|we)\s+){0,3}(?P<right>[\w.+#-]+)", re.I)
_EITHER_ZH = re.compile(
    r"(?:用|选|坐|走|叫|买|去|发|做|写)?(?P<left>[\w\u4e00-\u9fff.+#-]{1,12}?)\s*(?:还是|或者?)\s*(?:用|选|坐|走|叫|买|去|发|做|写)?(?P<right>[\w\u4e00-\u9fff.+#-]{1,12})"
)
_LEAD_ZH = re.compile(r"^.*(?:用|选|坐|走|叫|买|去|发|做|写)")


@lru_cache(maxsize=512)
def options_of(question: str) -> tuple[Option, ...]:
    """What a question with "or" (还是) asks to choose between; () where it names no choices."""
    found = _EITHER.search(question) or _EITHER_ZH.search(question)
    if found is None:
        return ()
    options = []
    for side in ("left", "right"):
        named = found[side].strip(" ?？吗呢").lower()
        word = _LEAD_ZH.sub("", named) or named
        if word in _EMPTY or not word:
            return ()
        options.append(Option(_names(word)))
    return tuple(options) if not options[0].words & options[1].words else ()


def _names(word: str) -> frozenset[str]:
    """The word with what else it is called: "train", 火车; "fly", plane."""
    values = frozenset().union(*aspects(word).values()) if aspects(word) else frozenset()
    plain = frozenset(value for value in values if isinstance(value, str))
    return plain | {word} | ({word + "s"} if word.isascii() else frozenset())
