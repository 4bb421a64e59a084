"""Questions that point at a place in the talk ("the second option you gave", "what did we discuss just now?"), and what they
say beside that."""

from __future__ import annotations

import re

from trimtab.recall.needs import Need
from trimtab.recall.stems import stem
from trimtab.recall.words import query_terms

# words of asking, saying and pointing: a question of nothing else is about nothing that a turn could be found by
_WORDS = (
    "discuss discussed talk talked talking speak spoke say said saying tell told mention mentioned ask asked write wrote written suggest"
    " suggested recommend recommended propose proposed give gave given list listed show showed offer offered present presented describe"
    " described explain explained answer answered reply replied remind remember recall repeat chat chatted conversation discussion"
    " message thing things something anything topic subject now last latest time recent recently lately previous previously earlier"
    " moment ago again today first second third fourth fifth sixth seventh eighth ninth tenth 1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th"
    " one ones number please back up"
)
_THINGS = (
    "option suggestion proposal idea alternative point item approach solution recommendation choice variant version candidate possibility"
    " options suggestions proposals ideas alternatives points items approaches solutions recommendations choices variants versions"
    " candidates possibilities response question request"
)
_POINTING = frozenset(stem(word) for word in f"{_WORDS} {_THINGS}".split()) | frozenset(_WORDS.split())
_POINTING_ZH = re.compile(
    r"第(?:\d{1,2}|[一二三四五六七八九十两]{1,3})[个种条点款套项版次]?|最后一?[个种条点款套项版次]?|上一?[个种条次回]|方案|选项|建议|办法|想法|思路|做法|选择|推荐|候选"
    r"|提议|回答|答复|回复|[你您我咱]们?|刚才|刚刚|最近|之前|当时|前面|讨论|提到|提过|告诉|商量|内容|事情|话题|什么|哪些|哪[个种条]|怎么|记得|一下|请问?"
    r"|[说聊谈讲列给问写提](?=[了过的到出起是第些什哪]|$|\s|[？?，,。])|[了过的是吗呢啊](?=$|\s|[？?，,。])|是(?=什么)|[了过的](?=第|方案|什么|内容|事)"
)


def content_terms(text: str) -> list[str]:
    """The terms of a question but for those that only ask or point."""
    # twice: what stood before something that is cut may then stand at an end
    bare = _POINTING_ZH.sub(" ", _POINTING_ZH.sub(" ", text))
    return [term for term in query_terms(bare) if term not in _POINTING and term not in _LONE_ZH]


_LONE_ZH = frozenset("了过的是吗呢啊说聊谈讲列给问写提在到起和跟那这")


def points_at_newest(need: Need, text: str) -> bool:
    """Whether nothing but when it was said is asked for: what was said last, or then. `text`: the wording of the need."""
    return (need.recent or need.time_range is not None) and not need.ordinal and not content_terms(text)


def points_at_item(need: Need) -> bool:
    """Whether one of several options, suggestions or points is meant, not one of several answers."""
    return bool(need.ordinal) and (need.kind == "option" or (need.kind in ("", "any") and not need.guessed))
