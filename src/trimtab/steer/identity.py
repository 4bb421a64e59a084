"""Identity lost (REQUIREMENTS T9): the reply says to be somebody else, or denies what the role says it can do. What stands
on the never-list is checked by `constraints`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from trimtab.core.drift import Act
from trimtab.steer.seen import Found, Seen
from trimtab.steer.wording import folded, plain, quoted

_MOST_CHARS = 4_000
_NAMES = "ChatGPT|GPT-?\\d|Claude|Gemini|Copilot|Llama|Qwen|DeepSeek|Kimi|文心一言|通义千问|豆包"
_CLAIM = re.compile(
    rf"(?:^|[.!?。！？\n]\s*)(?:(?:hi|hello)[,!. ]+)?(?:i am|i'm|my name is|我是|我叫) ?(?:an? )?(?P<name>{_NAMES})(?![\w-])", re.I
)
_CAN = re.compile(r"\b(?:can|able to)\s+(?P<what>[a-z]{3,20}(?: [a-z]{2,20}){1,3})|(?:可以|能够|能|会)(?P<zh>[\u4e00-\u9fff]{3,10})", re.I)
_DENIES = re.compile(
    r"\bi (?:can't|cannot|can not|am unable to|am not able to|don't have the ability to|do not have the ability to)\s+(?P<what>[a-z]{3,20}(?: [a-z]{2,20}){1,6})"
    r"|我(?:无法|不能|没有能力|没办法|不具备)(?P<zh>[\u4e00-\u9fff]{3,16})",
    re.I,
)  # fmt: skip
# one of these stands wherever the patterns above find something
_NAME_WORDS = ("gpt", "claude", "gemini", "copilot", "llama", "qwen", "deepseek", "kimi", "文心一言", "通义千问", "豆包")
_DENIAL_WORDS = ("can't", "cannot", "can not", "unable", "not able", "the ability", "无法", "不能", "没有能力", "没办法", "不具备")
# a denial of one case denies no ability
_CASE = re.compile(
    r"\b(?:because|since|until|without|yet|right now|this|that|unless|find|until)\b|因为|由于|这|该|目前|暂|除非|没有找到", re.I
)
_SMALL = frozenset(["the", "a", "an", "any", "your", "my", "all", "to", "for", "of", "in", "on", "and", "or"])


def denied(reply: str, identity: str) -> str:
    """The denial of an ability that the identity states in the same words; "" for none."""
    said = folded(reply[:_MOST_CHARS])
    if not any(word in said for word in _DENIAL_WORDS):
        return ""
    able, able_zh = _abilities(identity)
    for row in _DENIES.finditer(reply[:_MOST_CHARS]):
        end = re.search(r"[.!?。！？\n]|\Z", reply[row.end() : _MOST_CHARS])
        sentence = reply[row.start() : row.end() + (end.start() if end else 0)]
        if _CASE.search(sentence):
            continue
        words = frozenset(plain(row["what"] or "").split())
        if any(len(one) > 1 and one <= words for one in able) or any(one[:4] in (row["zh"] or "") for one in able_zh):
            return quoted(sentence)
    return ""


@lru_cache(maxsize=16)
def _abilities(identity: str) -> tuple[tuple[frozenset[str], ...], tuple[str, ...]]:
    """The words of each ability that is stated, in English; and in Chinese."""
    rows = list(_CAN.finditer(identity))
    able = tuple(frozenset(plain(row["what"]).split()) - _SMALL for row in rows if row["what"])
    return able, tuple(row["zh"] for row in rows if row["zh"])


def _claimed(reply: str) -> str:
    """The name of the model that the reply says to be; "" for none."""
    said = folded(reply)
    claim = _CLAIM.search(reply) if any(word in said for word in _NAME_WORDS) else None
    return claim["name"] if claim is not None else ""


class IdentityLost:
    """Detector: a reply of another person than the meta context's, or one that denies a stated ability."""

    name, kind = "identity", "identity_lost"

    def look(self, acts: Sequence[Act], view: Seen) -> list[Found]:
        identity = view.state.meta.identity
        if not identity or not view.reply:
            return []
        found: list[Found] = []
        claimed = _claimed(view.reply[:_MOST_CHARS])
        if claimed and claimed.casefold() not in identity.casefold():
            found.append(Found("identity_lost", f"says to be {claimed}", (view.reply_seq,), "act"))
        denial = denied(view.reply, identity)
        if denial:
            found.append(Found("identity_lost", f"denies a stated ability: {denial!r}", (view.reply_seq,)))
        return found
