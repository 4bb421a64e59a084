"""Sentences made by rule, always the same ones: plain orders about anything, their harmless look-alikes, and noise.

The written sentences are about something. These teach what is left when one does not know the words: that "Never <do>
the <thing>" is an order, "I never <did> the <thing>" is none, and a list of words nobody knows says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from trimtab.distill.classify import Label
from trimtab.evals.extraction.sentences import Example

SIZE = 700  # sentences of each kind and language
_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "ri",
    "so",
    "tu",
    "va",
    "we",
    "xi",
    "yo",
    "zu",
    "bran",
    "clo",
    "dret",
    "plin",
    "strok",
    "quar",
]
_VERBS = [
    "push",
    "delete",
    "rename",
    "send",
    "call",
    "change",
    "touch",
    "open",
    "close",
    "print",
    "merge",
    "deploy",
    "book",
    "sort",
    "round",
    "translate",
    "quote",
    "mention",
    "use",
    "share",
    "publish",
    "edit",
    "move",
    "copy",
    "archive",
    "rewrite",
    "ship",
    "refund",
    "charge",
    "invite",
    "escalate",
    "log",
    "mask",
    "split",
    "skip",
    "approve",
    "forward",
    "reset",
    "restart",
]
_NOUNS = [
    "main branch",
    "migration",
    "ledger",
    "archive",
    "invoice",
    "customer list",
    "staging server",
    "price table",
    "draft",
    "header row",
    "second column",
    "api key",
    "night train",
    "aisle seat",
    "walnut cake",
    "garden gate",
    "blue folder",
    "exam sheet",
    "school trip",
    "parcel",
    "balcony",
    "old contract",
    "phone number",
    "backup",
    "render queue",
    "patient file",
    "left knee",
    "chapter two",
    "villain",
    "guest room",
    "payroll",
    "tax form",
    "stock list",
    "test suite",
    "log file",
    "footnote",
    "appendix",
    "sensor",
    "warehouse map",
    "route",
    "driver",
]
_ORDERS: tuple[tuple[Label, str], ...] = (
    ("negative", "Never {v} the {n}."),
    ("negative", "never {v} the {n} without asking me"),
    ("negative", "Do not {v} the {n}."),
    ("negative", "Don't {v} the {n} again"),
    ("negative", "please don't {v} any {n}"),
    ("negative", "You must not {v} the {n}."),
    ("negative", "You may never {v} the {n}, not even the {m}."),
    ("negative", "No {n} in the {m}."),
    ("negative", "Avoid the {n}."),
    ("negative", "Keep the {n} out of the {m}."),
    ("negative", "Under no circumstances {v} the {n}."),
    ("constraint", "You must {v} the {n} first."),
    ("constraint", "Always {v} the {n} before the {m}."),
    ("constraint", "Make sure to {v} the {n} every time."),
    ("constraint", "Use only the {n}, never the {m}."),
    ("constraint", "Only {v} the {n} when I ask for it."),
    ("constraint", "The {n} must always stay in the {m}."),
    ("constraint", "From now on {v} the {n} after the {m}."),
    ("constraint", "Every {n} needs a {m}."),
    ("constraint", "At most {k} {n}s per {m}."),
    ("constraint", "Whenever I ask about the {n}, include the {m}."),
    ("format", "Answer in {k} bullet points."),
    ("format", "All {n}s must have the form {w} {k}."),
    ("format", "Always answer with a table of the {n} and the {m}."),
    ("decision", "Let's go with the {n}."),
    ("decision", "ok, take the {n} then"),
    ("reversal", "Actually, use the {n} instead of the {m}."),
    ("reversal", "Forget what I said about the {n}, you may {v} it again."),
)
_LOOK_ALIKES = (
    "I never {v} the {n}.",
    "We never {v} the {n} back then.",
    "They must have {v}ed the {n}.",
    "He does not {v} the {n} any more.",
    "The {n} does not {v} the {m}.",
    "The {n} is always in the {m}.",
    "Somebody moved the {n} behind the {m}.",
    "The {n} and the {m} had been there before.",
    "I did not {v} the {n} yesterday.",
    "Only the {n} was {v}ed, the {m} was not.",
    "Please {v} the {n} now.",
    "Now the {n}s.",
    "Look at the {n}.",
    "{v} the {n} and tell me what you see",
    "Can you {v} the {n}?",
    "The {n} has {k} {m}s.",
    "It said never to {v} the {n}.",
    "My neighbour always {v}s the {m}.",
    "Here is the {n}.",
    "The {n} failed at the {m} again.",
    "Her {n} is number {k}.",
    "Please help me with the {n}.",
    "Yes please.",
    "go on",
    "and now the {m}?",
    "Never mind the {n}.",
    "Don't worry about the {n}.",
)
_ZH_VERBS = [
    "删除",
    "修改",
    "发送",
    "联系",
    "打开",
    "公开",
    "引用",
    "提到",
    "使用",
    "合并",
    "部署",
    "预订",
    "翻译",
    "打印",
    "归档",
    "退款",
    "催",
    "改动",
    "透露",
    "上线",
    "覆盖",
    "重启",
    "导出",
]
_ZH_NOUNS = [
    "主分支",
    "账本",
    "客户名单",
    "价格表",
    "草稿",
    "表头",
    "第二列",
    "密钥",
    "夜班车",
    "靠过道的座位",
    "核桃蛋糕",
    "旧合同",
    "手机号",
    "备份",
    "病历",
    "第三章",
    "反派",
    "客房",
    "工资表",
    "库存",
    "日志",
    "附录",
    "仓库图",
    "路线",
    "司机",
    "试卷",
    "蓝色文件夹",
    "快递",
    "阳台",
    "供应商",
    "报表",
    "发票",
    "缓存",
    "索引",
    "测试环境",
]
_ZH_ORDERS: tuple[tuple[Label, str], ...] = (
    ("negative", "不要{v}{n}。"),
    ("negative", "千万别{v}{n}"),
    ("negative", "不得{v}{n}，{m}也不行。"),
    ("negative", "严禁{v}{n}。"),
    ("negative", "以后别再{v}{n}了"),
    ("negative", "{m}里不要出现{n}。"),
    ("negative", "请勿{v}{n}"),
    ("constraint", "必须先{v}{n}。"),
    ("constraint", "每次都要{v}{n}，再看{m}。"),
    ("constraint", "一律{v}{n}。"),
    ("constraint", "只能用{n}，不能用{m}。"),
    ("constraint", "{n}务必放在{m}前面"),
    ("constraint", "以后我问{n}的时候都要带上{m}。"),
    ("constraint", "{n}最多{k}个。"),
    ("format", "用{k}条要点回答。"),
    ("format", "一律用表格列出{n}和{m}。"),
    ("decision", "那就用{n}吧"),
    ("decision", "行，选{n}。"),
    ("reversal", "算了，改成{n}，不用{m}了。"),
    ("reversal", "之前说的不{v}{n}作废，现在可以{v}了。"),
)
_ZH_LOOK_ALIKES = (
    "我从来不{v}{n}。",
    "他没有{v}{n}。",
    "{n}一定是被人{v}了。",
    "昨天{v}了{n}，没动{m}。",
    "{n}不能{v}{m}。",
    "{n}就在{m}旁边。",
    "帮我{v}一下{n}。",
    "{n}有{k}个{m}。",
    "你能{v}{n}吗？",
    "他们必须{v}{n}，我们不用。",
    "只{v}了{n}。",
    "现在看{n}。",
    "你好，帮我看看{n}。",
    "{n}又出错了，{m}也是。",
    "好的",
    "继续",
    "{k}月{k}日开会要用{n}。",
    "别担心{n}。",
    "说明书上写着不要{v}{n}。",
)
_NOISE_MARKS = ("", ".", ",", ":", " -", "?")


def made_up(language: str) -> Iterator[Example]:
    """The sentences of one language."""
    random = Random(20)
    chinese = language == "zh"
    orders, look_alikes = (_ZH_ORDERS, _ZH_LOOK_ALIKES) if chinese else (_ORDERS, _LOOK_ALIKES)
    for at in range(SIZE):
        label, form = orders[at % len(orders)]
        yield Example(label, random.random() < 0.15, _fill(form, random, chinese))
    for at in range(SIZE):
        yield Example("none", random.random() < 0.05, _fill(look_alikes[at % len(look_alikes)], random, chinese))
    for _ in range(SIZE):
        yield Example("none", random.random() < 0.05, _noise(random, chinese))


def _fill(form: str, random: Random, chinese: bool) -> str:
    def noun() -> str:
        known = random.choice(_ZH_NOUNS if chinese else _NOUNS)
        return known if random.random() < 0.6 else _word(random, chinese)

    verb = random.choice(_ZH_VERBS if chinese else _VERBS)
    text = form.format(v=verb, n=noun(), m=noun(), k=random.randrange(2, 40), w=_word(random, False))
    if not chinese and random.random() < 0.3:
        text = text.lower().rstrip(".")
    return text


def _word(random: Random, chinese: bool) -> str:
    if chinese and random.random() < 0.7:
        return "".join(chr(random.randrange(0x4E00, 0x9F00)) for _ in range(random.randrange(2, 4)))
    word = "".join(random.choice(_SYLLABLES) for _ in range(random.randrange(1, 4)))
    return f"{word}{random.randrange(100)}" if random.random() < 0.3 else word


def _noise(random: Random, chinese: bool) -> str:
    """Words without a sentence: lists, codes, half a log line."""
    pool = (_ZH_NOUNS if chinese else [word for noun in _NOUNS for word in noun.split()]) if random.random() < 0.5 else []
    words = [random.choice(pool) if pool and random.random() < 0.8 else _word(random, chinese) for _ in range(random.randrange(3, 22))]
    if random.random() < 0.4:
        words.insert(
            0, random.choice(("问题", "结果", "回答", "第三部分") if chinese else ("question", "result", "answer", "part", "Batch"))
        )
        words.insert(1, str(random.randrange(300)))
    text = ("" if chinese and random.random() < 0.5 else " ").join(words) + random.choice(_NOISE_MARKS)
    return text[:1].upper() + text[1:] if random.random() < 0.5 else text
