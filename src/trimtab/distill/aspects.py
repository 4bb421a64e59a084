"""What a sentence is about: its key words, and the aspects it settles (a language, a day, a number of pages).

Two sentences that give one aspect two values speak of the same thing in a way that only one of them can hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import lru_cache

from trimtab.distill.values import values
from trimtab.distill.values_en import words

_WORD = re.compile(r"[a-z][a-z0-9_']+|\d[\d,.]*|[\u4e00-\u9fff]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_STOP = words(
    "the and for with that this those these you your are not from instead rather than make made making let use used using going  "
    "please actually its it's our now then have has had will all any but can could should must may might never always only okay  "
    "yes want wanted would like into was were been they them there here what when which who how out get got one ones per each  "
    "too also just again back after before about i'm i've i'll we'll we're let's don't doesn't didn't can't won't that's there's  "
    "he's she's isn't aren't wasn't him her his she see set said say tell told think thought know change changed switch switched  "
    "move moved mind forget scrap drop cancel sorry wait hold hmm nah nope yeah longer more most less few fine good great right  "
    "well still some such very really quite much many lot rule thing things stuff part bit way point off over under upon onto  "
    "via sure maybe instruction instructions earlier previous previously last next new old other another keep stay put take give  "
    "given need needs needed work works turn turned does did done doing ours myself yourself we've you've you'd i'd once twice  "
    "in on at to of as is be do so if or no an am by my me we he us go up it"
)
# characters that make no word by themselves, and pairs that hold one of them say little
_FILLERS = frozenset(
    "全前后的了吧呢吗啊呀哦嗯哈是在我你您他她它们这那个就都也还不没要用再把被给和跟与或很太有可能会以及为到从上下里么什怎样说讲做请让啦嘛咱之其此该"
)
_MEASURES = frozenset("一二两三四五六七八九十年月日号天时点页字行条个次")
_IRREGULAR_PAIRS = (
    "wrote:write written:write sent:send bought:buy paid:pay found:find took:take taken:take told:tell called:call chose:choose  "
    "chosen:choose built:build ran:run flew:fly flown:fly flying:fly drove:drive driven:drive spoke:speak spoken:speak read:read  "
    "rang:ring rung:ring drew:draw drawn:draw spent:spend met:meet left:leave began:begin begun:begin broke:break broken:break  "
    "fed:feed held:hold kept:keep sold:sell taught:teach people:person children:child men:man women:woman feet:foot trains:train  "
    "flights:flight"
)
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_PAIRS.split())
_ENDING = re.compile(r"(?:'s|ings?|ed|ers?|es|s|e|y|ies|lly|ly)$")
# each line one aspect: words of which a sentence can mean but one
_ASPECTS: dict[str, frozenset[str]] = {
    name: words(one_of)
    for name, one_of in {
        "language": "english french german spanish italian japanese korean portuguese russian dutch arabic hindi chinese mandarin cantonese polish turkish "
        "swedish danish norwegian finnish greek hebrew thai vietnamese latin deutsch englisch französisch spanisch italienisch anglais français allemand espagnol italien inglés español francés alemán 英文 英语 中文 汉语 普通话 粤语 日文 日语 法语 法文 德语 德文 韩语 韩文 俄语 俄文 "
        "西班牙语 葡萄牙语 意大利语 阿拉伯语 西班牙文 意大利文 白话 书面语 文言 繁体 繁體 简体 繁体字 英式 美式 british american",
        "weekday": "monday tuesday wednesday thursday friday saturday sunday weekday weekdays weekend lundi mardi mercredi jeudi vendredi samedi dimanche montag dienstag mittwoch donnerstag freitag samstag sonntag lunes martes miércoles jueves viernes sábado domingo 周一 周二 周三 周四 周五 周六 周日 周天 星期一 星期二 星期三 "
        "星期四 星期五 星期六 星期日 星期天 礼拜一 礼拜二 礼拜三 礼拜四 礼拜五 礼拜六 礼拜天 周末",
        "color": "red blue green yellow black white grey gray brown pink purple orange navy beige silver gold turquoise cream mint teal violet 红色 蓝色 绿色 黄色 "
        "黑色 白色 灰色 棕色 粉色 紫色 橙色 米色 银色 金色 墨绿 深蓝 浅蓝",
        "transport": "train trains plane flight flights fly flying bus buses car driving drive ferry boat bike taxi 火车 高铁 飞机 动车 卧铺 大巴 自驾 坐船 轮船 打车 地铁 公交 骑车 飞 "
        "海运 空运 陆运 铁路",
        "channel": "email e-mail mail mails emails phone call ring text sms texts whatsapp letter post letters telephone chat 邮件 电话 打电话 短信 微信 邮箱 信件 钉钉 飞书",
        "naming": "camelcase snake_case snakecase underscores underscore kebab-case pascalcase 驼峰 小驼峰 大驼峰 下划线 蛇形 中划线",
        "indent": "tabs tab spaces space 空格 制表符",
        "shape": "table tables bullets bullet prose list lists haiku paragraphs paragraph outline numbered poem essay running continuous 表格 列表 段落 散文 要点 分点 条目 文字 正文",
        "view": "list kanban board calendar grid timeline gantt gallery 列表 看板 日历 时间线 甘特图",
        "file": "csv json xml xlsx excel pdf docx word markdown yaml toml html parquet tsv txt latex html5 表 ppt",
        "store": "postgres postgresql sqlite mysql mariadb mongodb mongo redis memcached duckdb oracle cassandra dynamodb pg s3 elasticsearch kafka rabbitmq",
        "code": "python java javascript typescript rust golang ruby kotlin swift php scala perl julia matlab stata",
        "tone": "formal informal casual chatty friendly playful strict polite humorous serious dry warm plain technical 正式 口语 轻松 严肃 活泼 幽默 委婉 直接 通俗 专业 客气",
        "average": "mean median mode average 均值 平均数 中位数 众数 平均值",
        "currency": "eur euro euros usd dollar dollars gbp pound pounds chf yen jpy rmb cny yuan franc francs 欧元 美元 英镑 日元 人民币 港币 港元 元 万元",
        "system": "metric imperial celsius fahrenheit 公制 英制 摄氏 华氏",
        "rhythm": "daily weekly monthly hourly yearly quarterly biweekly nightly fortnightly annually 每天 每周 每月 每小时 每年 每季度 每日 日报 周报 月报",
        "seat": "window aisle 靠窗 靠过道 过道",
        "remedy": "refund replacement exchange repair voucher credit return refunds 退款 换货 退货 退钱 换新 换一台 换一件 换一双 换同款 维修 补发 补偿 赔付 代金券",
        "person": "first-person second-person third-person 第一人称 第二人称 第三人称",
        "time": "morning afternoon evening night noon midnight utc gmt 早上 上午 中午 下午 晚上 傍晚 凌晨",
        "bed": "twin double single 双床 大床 单人间 双人间",
        "diet": "vegan vegetarian omnivore halal kosher gluten glutenfree 素食 吃素 荤 清真 无麸质",
        "scale": "linear log logarithmic 线性 对数",
        "gross": "net gross 净重 毛重 净额 总额 含税 不含税",
        "case": "uppercase lowercase 大写 小写",
        "place": "beginning end start top bottom left right above below front 开头 结尾 末尾 上面 下面 上方 下方 左边 右边 左侧 右侧 前面 后面",
        "chart": "bar bars pie scatter histogram line lines heatmap 折线 柱状 饼图 散点 直方图 热力图 条形",
        "gender": "male female 男的 女的 男性 女性",
    }.items()
}
# one value in several languages, each under its English name
_SAME = {
    word: one
    for one, words_of in {
        "english": "englisch anglais inglés 英文 英语",
        "german": "deutsch allemand alemán 德语 德文",
        "french": "französisch français francés 法语 法文",
        "spanish": "spanisch espagnol español 西班牙语 西班牙文",
        "italian": "italienisch italien 意大利语 意大利文",
        "japanese": "日文 日语",
        "korean": "韩语 韩文",
        "russian": "俄语 俄文",
        "chinese": "中文 汉语",
        "mandarin": "普通话",
        "cantonese": "粤语",
        "traditional": "繁体 繁體 繁体字",
        "monday": "lundi montag lunes 周一 星期一 礼拜一",
        "tuesday": "mardi dienstag martes 周二 星期二 礼拜二",
        "wednesday": "mercredi mittwoch miércoles 周三 星期三 礼拜三",
        "thursday": "jeudi donnerstag jueves 周四 星期四 礼拜四",
        "friday": "vendredi freitag viernes 周五 星期五 礼拜五",
        "saturday": "samedi samstag sábado 周六 星期六 礼拜六",
        "sunday": "dimanche sonntag domingo 周日 周天 星期日 星期天 礼拜天",
        "weekend": "周末",
        "daily": "每天 每日 日报",
        "weekly": "每周 周报",
        "monthly": "每月 月报",
        "yearly": "每年 annually",
        "camelcase": "驼峰 小驼峰",
        "underscore": "underscores 下划线 snake_case snakecase 蛇形",
        "euro": "eur euros 欧元",
        "dollar": "usd dollars 美元",
        "pound": "gbp pounds 英镑",
        "plane": "flight flights fly flying 飞机 飞",
        "train": "trains 火车",
    }.items()
    for word in words(words_of)
}
_ASPECT_OF: dict[str, tuple[str, ...]] = {}
for _name, _words in _ASPECTS.items():
    for _one in _words:
        _ASPECT_OF[_one] = (*_ASPECT_OF.get(_one, ()), _name)
_CHINESE_WORDS = re.compile("|".join(sorted((word for word in _ASPECT_OF if "\u4e00" <= word[0] <= "\u9fff"), key=len, reverse=True)))
_LONG_CHINESE_WORDS = re.compile(
    "|".join(
        sorted(
            (word for word in _ASPECT_OF if not word.isascii() and len(word) > 1 and "\u4e00" <= word[0] <= "\u9fff"), key=len, reverse=True
        )
    )
)
_LATIN_WORD = re.compile(r"[a-zà-ÿ][a-zà-ÿ0-9_-]+")
# how often: "every two weeks", "twice a day", 每两周
_NOUN_ENDING = re.compile(r"(?:ations?|ions?|ments?|at)$")
_OFTEN = re.compile(
    r"\b(?:every|each) (?:(?P<count>other|second|third|\d+|two|three|four|five|six|ten|twelve) )?(?P<span>day|night|week|month|year|hour|minute|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b"
    r"|\b(?P<many>once|twice|(?:\d+|three|four|five) times) (?:a|per|each|every) (?P<time>day|week|month|year|hour)\b"
    r"|每隔?(?P<number>\d+|[两三四五六七八九十]+)个?(?P<zh>天|日|周|星期|月|年|小时|分钟)"
)
_EVERY = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly", "hour": "hourly", "night": "nightly"}
_EVERY |= dict.fromkeys(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), "weekly")
_FIGURE = re.compile(
    r"\d[\d,.]*|[零一二两兩三四五六七八九十百千万半]+|\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|hundred|thousand|half|dozen)\b(?:[ -](?:one|two|three|four|five|six|seven|eight|nine|hundred|thousand))*"
)
_SIGNS = re.compile(r"[$€£¥%℃]|元|块")


@lru_cache(maxsize=8_192)
def keys(text: str) -> frozenset[str]:
    """What the text is about: words without their endings, figures, pairs of Chinese characters; no filler words."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower().replace("’", "'")):
        if _CHINESE.match(word):
            found.update(word[at : at + 2] for at in range(len(word) - 1) if word[at] not in _FILLERS and word[at + 1] not in _FILLERS)
        elif word[0].isdigit():
            found.add(word.rstrip(".,"))
        elif word not in _STOP:
            found.add(stem(word))
    return frozenset(found)


@lru_cache(maxsize=4_096)
def characters(text: str) -> frozenset[str]:
    """The single Chinese characters that say something."""
    return frozenset(mark for run in _CHINESE.findall(text) for mark in run if mark not in _FILLERS and mark not in _MEASURES)


def root(key: str) -> str:
    """A stem without the endings that make nouns of verbs: "deployment", "abbreviation"."""
    shorter = _NOUN_ENDING.sub("", key) if len(key) > 7 else key
    return shorter if len(shorter) >= 5 else key


@lru_cache(maxsize=4_096)
def topic(text: str) -> frozenset[str]:
    """The key words of the text without the values of its aspects and without figures."""
    bare = _LONG_CHINESE_WORDS.sub(" ", text)
    found = keys(bare)
    values_of = frozenset(stem(word) for word in _LATIN_WORD.findall(text.lower()) if word in _ASPECT_OF)
    return frozenset(root(key) for key in found - values_of if not (key[0].isdigit() or key[0] in _MEASURES or key[-1] in _MEASURES))


def stem(word: str) -> str:
    """An English word without its endings, at least three letters of it."""
    word = _IRREGULAR.get(word, word)
    for _ in range(2):
        shorter = _ENDING.sub("", word)
        if len(shorter) < 3:
            break
        word = shorter
    # "planning", "plan"
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "sl" else word


@lru_cache(maxsize=4_096)
def aspects(text: str) -> Mapping[str, Set[str]]:
    """Aspect -> the values that the text gives it. Numbers are by what they count ("unit:page" -> {"5"})."""
    found: dict[str, set[str]] = {}
    lower = text.lower()
    words = [*_LATIN_WORD.findall(lower), *_CHINESE_WORDS.findall(text)]
    words += [word[:-1] for word in words if word.isascii() and word.endswith("s") and word[:-1] in _ASPECT_OF]
    for word in words:
        for aspect in _ASPECT_OF.get(word, ()):
            found.setdefault(aspect, set()).add(_SAME.get(word, word))
    for often in _OFTEN.finditer(lower):
        count, span = often["count"] or often["many"] or often["number"], often["span"] or often["time"] or often["zh"]
        found.setdefault("rhythm", set()).add(f"{count} {span}" if count else _EVERY.get(span, span))
    for value in values(text[:2_000], [(0, min(len(text), 2_000))]):
        if value.kind == "date":
            kind = "clock" if re.search(r"\d[:：]\d|[ap]\.?m\b|[点點]|o'clock|noon|midnight", value.text, re.I) else "date"
            if _SAME.get(value.text.lower(), value.text.lower()) not in found.get("weekday", ()):
                found.setdefault(kind, set()).add(value.text.lower())
        elif value.kind == "number":
            figure = _FIGURE.search(value.text.lower())
            if figure:
                unit = (value.text.lower()[: figure.start()] + value.text.lower()[figure.end() :]).strip(" -到至约超过")
                unit = unit or ("字" if "字数" in text else "")
                sign = _SIGNS.search(unit)
                name = "money" if sign and sign[0] in "$€£¥元块" else (sign[0] if sign else stem(unit.split(" ")[-1]) if unit else "")
                found.setdefault(f"unit:{name}", set()).add(figure[0])
    return found


def conflicts(left: Mapping[str, Set[str]], right: Mapping[str, Set[str]]) -> int:
    """How many aspects both texts settle with no value in common."""
    return sum(1 for aspect, ours in left.items() if aspect in right and not ours & right[aspect] and aspect != "unit:")
