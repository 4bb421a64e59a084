"""Rules that a machine can decide, read from the session's rules and checked on each tool call (REQUIREMENTS T9).

Only what is surely broken is found: a rule with an exception, a condition or a doubt is left to readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from trimtab.core.drift import Act, DriftKind
from trimtab.core.state import SessionState
from trimtab.steer.seen import Found, Seen, SeenCall, values_of
from trimtab.steer.wording import quoted

ConstraintKind: TypeAlias = Literal["tool", "place", "only_places", "most", "least", "currency"]
_MOST_RULE_CHARS, _MOST_RULES = 400, 60
_RULING_FIELDS = frozenset({"constraint", "negative", "format", "decision"})
_EXCEPT = re.compile(
    r"\b(?:unless|except|without|until|if|when|before|after|while|other than|apart from|during|should|prefer|ideally|try to)\b|除非|除了|除.{1,12}外|如果|若|之前|之后|未经|没有.{0,8}前|尽量|最好|期间", re.I
)  # fmt: skip
_BAN = re.compile(
    r"\b(?:never|do not|don't|must not|mustn't|may not|cannot|can't|shall not|no|avoid|forbidden|prohibited|not allowed|off[- ]limits)\b|不要|不得|不许|不准|不能|不可|禁止|严禁|切勿|请勿|绝不|勿|别",
    re.I,
)
_ONLY = re.compile(r"\b(?:only|exclusively|solely|nothing but)\b|只能?|仅(?:能|限)?", re.I)
_HOST = re.compile(
    r"(?<![\w@.-])(?:https?://)?((?:[a-z0-9-]{1,63}\.){1,5}(?:com|org|net|edu|gov|io|ai|dev|app|co|uk|de|fr|es|it|nl|ch|cn|jp|eu|us|info|biz|example|test|internal|local))(?![\w-]|\.\w)",
    re.I,
)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}", re.ASCII)
_URL = re.compile(r"https?://[^\s\"'<>，。）)]{3,300}", re.I)
_WEB = re.compile(
    r"\b(?:source|sources|site|sites|domain|domains|website|websites|page|pages|fetch|visit|browse|open|access|read|request|call)\b|网站|域名|来源|访问|抓取|网页",
    re.I,
)
_NAME = re.compile(
    r"`([A-Za-z][\w.-]{1,60})`|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b|\b(?:tool|工具)[ ]?[\"'“]?([A-Za-z][\w-]{1,60})|[\"'“]([A-Za-z][\w-]{1,60})[\"'”][ ]?(?:tool|工具)"
)
_VERB = re.compile(r"\b(?:use|using|call|calling|run|running|invoke|touch|execute)\b|使用|调用|运行|执行|用", re.I)
_BOUND = re.compile(
    r"[`\"']?(?P<key>[A-Za-z][A-Za-z0-9_]{1,40})[`\"']?[ ]?(?:(?:must|shall|may|can|has to|is to|is|be|stay|never|not|always|to)[ ]){0,4}"
    r"(?:(?P<most>at most|no more than|not (?:be )?more than|more than|exceed|above|over|<=|≤|不超过|不得超过|至多|最多)|(?P<least>at least|no less than|>=|≥|不少于|至少))[ ]?(?P<number>\d{1,9}(?:\.\d{1,4})?)(?![\w.,]*\d|[ ]?%)",
    re.I,
)  # fmt: skip
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CAD|AUD|INR|KRW|HKD|SGD|TWD"
_CURRENCY = re.compile(
    rf"\b(?:(?:currency|amounts?|prices?|figures?|totals?|report(?:ing|s)?|values?|sums?)\b[^.;]{{0,40}}?\b(?:in|is|are|be|:)[ ]?(?:always |only )?(?P<code>{_CODES}|euros?|(?:us )?dollars?|pounds?|yen|yuan)\b)"
    r"|(?:货币|币种|金额|价格)[^。；]{0,12}?(?:用|以|为|是|按|统一)[ ]?(?P<zh>人民币|美元|欧元|英镑|日元|[A-Z]{3})",
    re.I,
)  # fmt: skip
_NAMED_CODES = {"euro": "EUR", "dollar": "USD", "us dollar": "USD", "pound": "GBP", "yen": "JPY", "yuan": "CNY", "人民币": "CNY", "美元": "USD", "欧元": "EUR", "英镑": "GBP", "日元": "JPY", "rmb": "CNY"}  # fmt: skip
_MONEY_KEYS = frozenset({"currency", "currency_code", "reporting_currency", "币种", "货币"})
_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "CNY", "￥": "CNY"}
_AMOUNT = re.compile(rf"(?P<sign>[€$£])[ ]?\d|\d[ ]?(?P<after>€|(?:{_CODES})\b)|\b(?P<before>{_CODES})[ ]?\d")
_LEAST_AMOUNTS = 2


class Constraint(Struct, frozen=True):
    """One rule that a machine can decide.

    Attributes:
        names: tools, places (hosts and addresses, lower case), the argument that is bounded, or the currency's code.
        number: the bound.
        text: the rule's own words.
        seqs: the messages that it comes from.
        never: whether it stands on the meta context's never-list.
    """

    kind: ConstraintKind
    names: tuple[str, ...]
    text: str
    number: float = 0.0
    seqs: tuple[int, ...] = ()
    never: bool = False


def constraints_of(state: SessionState) -> tuple[Constraint, ...]:
    """The machine-readable constraints of the never-list, the pins, and what the user ruled."""
    return tuple(chain.from_iterable(_constraints(*rule) for rule in islice(_rules(state), _MOST_RULES)))


def _rules(state: SessionState) -> Iterator[tuple[str, bool, tuple[int, ...], bool]]:
    yield from ((text, True, (), True) for text in state.meta.never)
    yield from ((pin.text, pin.polarity == "never", (), False) for pin in state.pins.values())
    for item in state.items.values():
        if item.field in _RULING_FIELDS and item.status == "active":
            yield item.text, False, () if item.origin else item.source_ids, False


@lru_cache(maxsize=512)
def _constraints(text: str, banned: bool, seqs: tuple[int, ...], never: bool) -> tuple[Constraint, ...]:
    return tuple(Constraint(kind, names, text, number, seqs, never) for kind, names, number in read_rule(text, banned))


@lru_cache(maxsize=512)
def read_rule(text: str, banned: bool = False) -> tuple[tuple[ConstraintKind, tuple[str, ...], float], ...]:
    """What of a rule a machine can decide. `banned`: it stands on a list of what must never happen."""
    if len(text) > _MOST_RULE_CHARS or _EXCEPT.search(text):
        return ()
    found: list[tuple[ConstraintKind, tuple[str, ...], float]] = []
    ban = _BAN.search(text)
    after = text if banned else text[ban.end() :] if ban else ""
    hosts = tuple(dict.fromkeys(match[1].lower() for match in _HOST.finditer(_MAIL.sub(" ", text))))
    only = _ONLY.search(text)
    if only and hosts and not ban and not banned and _WEB.search(text):
        found.append(("only_places", hosts, 0.0))
    elif after and not only:
        places = (
            *(match[0].lower() for match in _MAIL.finditer(after)),
            *(match[1].lower() for match in _HOST.finditer(_MAIL.sub(" ", after))),
        )
        tools = tuple(next(filter(None, match.groups())) for match in _NAME.finditer(after))
        if places:
            found.append(("place", places, 0.0))
        elif tools and (banned or _VERB.search(after)):
            found.append(("tool", tools, 0.0))
    bound = _BOUND.search(text)
    if bound is not None and not banned and not _denied_twice(bound[0]):
        found.append(("most" if bound["most"] else "least", (bound["key"],), float(bound["number"])))
    money = _CURRENCY.search(text)
    if money is not None and not banned and not ban:
        found.append(("currency", (_code(money["code"] or money["zh"]),), 0.0))
    return tuple(found)


def _denied_twice(words: str) -> bool:
    """ "more than", "exceed" bound something from above only where they are denied."""
    lowered = words.casefold()
    bare = any(word in lowered for word in ("more than", "exceed", "above", "over"))
    return bare and not any(word in lowered for word in ("no more", "not", "never"))


def _code(word: str) -> str:
    lowered = word.casefold()
    return _NAMED_CODES.get(lowered) or _NAMED_CODES.get(lowered.rstrip("s")) or word.upper()


def broken_by(call: SeenCall, rules: Sequence[Constraint]) -> list[tuple[Constraint, str]]:
    """The constraints that a call surely breaks, each with what shows it."""
    values = list(values_of(call.arguments)) if rules else []
    texts = [value for _, value in values if isinstance(value, str)]
    return [(rule, shown) for rule in rules if (shown := _breach(rule, call.tool, values, texts))]


def _breach(rule: Constraint, tool: str, values: Sequence[tuple[str, object]], texts: Sequence[str]) -> str:
    if rule.kind == "tool":
        return f"calls {tool}" if tool in rule.names else ""
    if rule.kind == "place":
        return next((f"{tool} goes to {name}" for text in texts for name in rule.names if _goes_to(text, name)), "")
    if rule.kind == "only_places":
        hosts = [host for text in texts if "://" in text for url in _URL.findall(text) if (host := _host_of(url))]
        return next((f"{tool} goes to {host}" for host in hosts if not any(_is_under(host, name) for name in rule.names)), "")
    if rule.kind == "currency":
        others = [
            value
            for key, value in values
            if key.casefold() in _MONEY_KEYS and isinstance(value, str) and re.fullmatch(_CODES, value.upper())
        ]
        return next((f"{tool} takes {value}" for value in others if value.upper() != rule.names[0]), "")
    numbers = [value for key, value in values if key == rule.names[0] and isinstance(value, int | float) and not isinstance(value, bool)]
    return next(
        (f"{rule.names[0]} is {value}" for value in numbers if (value > rule.number if rule.kind == "most" else value < rule.number)), ""
    )


def _goes_to(text: str, name: str) -> bool:
    """The whole value is the address, or an URL of it: what only mentions it goes nowhere."""
    bare = text.strip().casefold()
    if "@" in name:
        return bool(re.fullmatch(rf"(?:[^@<>,;]{{0,80}}<)?{re.escape(name)}>?", bare))
    if _MAIL.fullmatch(bare):
        return _is_under(bare.rpartition("@")[2], name)
    host = _host_of(bare if "://" in bare else f"https://{bare}") if len(bare) < 2_000 and " " not in bare else ""
    return _is_under(host, name)


def _host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").casefold()
    except ValueError:
        return ""


def _is_under(host: str, name: str) -> bool:
    return host == name or host.endswith("." + name)


def other_currency(reply: str, rule: Constraint) -> str:
    """Another currency than the agreed one, where the reply's amounts are in no other; "" else."""
    codes = [
        _SIGNS.get(sign, sign) for match in _AMOUNT.finditer(reply[:20_000]) if (sign := match["sign"] or match["after"] or match["before"])
    ]
    other = set(codes) - {rule.names[0]}
    return other.pop() if len(codes) >= _LEAST_AMOUNTS and rule.names[0] not in codes and len(other) == 1 else ""


class Constraints:
    """Detector: calls, and final replies, that break a rule."""

    name, kind = "constraints", "goal_lost"

    def look(self, acts: Sequence[Act], view: Seen) -> list[Found]:
        """One finding for each rule that is broken; `identity_lost` where it stands on the never-list."""
        rules = constraints_of(view.state)
        found: list[Found] = []
        for call in view.calls:
            for rule, shown in broken_by(call, rules):
                found.append(_found(rule, shown, call.seq))
        if not view.calls:
            for rule in rules:
                code = other_currency(view.reply, rule) if rule.kind == "currency" else ""
                found += [_found(rule, f"the reply's amounts are in {code}", view.reply_seq)] if code else []
        return found


def _found(rule: Constraint, shown: str, seq: int) -> Found:
    kind: DriftKind = "identity_lost" if rule.never else "goal_lost"
    return Found(kind, f"{shown}, against the rule {quoted(rule.text)!r}", (*sorted({*rule.seqs} - {seq}), seq), "act")
