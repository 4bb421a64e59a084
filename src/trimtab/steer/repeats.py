"""Looping at the level of the plan (REQUIREMENTS T9): a finished step done again, a confirmed decision derived again as new."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.core.drift import Act
from trimtab.core.task import FINISHED
from trimtab.steer.seen import Found, Seen
from trimtab.steer.wording import folded, plain, quoted

_LEAST_REPEATED, _LEAST_WORDS, _LEAST_SHARE, _MOST_SENTENCES = 3, 4, 0.75, 80
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？；])")
_NEW = re.compile(
    r"\b(?:new (?:rule|finding|insight|decision|definition|conclusion)|i (?:have )?(?:just )?(?:discovered|found out|realized|derived|worked out)|i(?:'ve| have) decided|let(?:'s| us) (?:define|adopt|decide)|"
    r"i propose (?:the|a) (?:new )?rule)\b|新(?:的)?(?:规则|发现|结论|定义|决定)|我(?:刚)?发现(?:了)?|我(?:决定|推导出|得出)",
    re.I,
)
# one of these stands wherever the pattern above finds something
_NEW_WORDS = (
    *(f"new {what}" for what in ("rule", "finding", "insight", "decision", "definition", "conclusion")),
    *(f"let{us} {what}" for us in ("'s", " us") for what in ("define", "adopt", "decide")),
    *("discovered", "found out", "realized", "derived", "worked out", "ve decided", "i propose ", "新", "发现", "决定", "推导出", "得出"),
)
_AGAIN = re.compile(
    r"\b(?:as (?:agreed|decided|before|confirmed)|already|again|remains?|still)\b|已(?:经)?(?:确认|决定|定)|之前|仍|照旧|如前", re.I
)


class Repeats:
    """Detector: see the module."""

    name, kind = "repeats", "looping"

    def look(self, acts: Sequence[Act], view: Seen) -> list[Found]:
        return [*_done_again(acts, view), *_derived_again(view)]


def _done_again(acts: Sequence[Act], view: Seen) -> list[Found]:
    """The same calls with the same results, made under a step that is finished, and now again under another one."""
    task = view.state.task
    active = task.active if task is not None else None
    if task is None or active is None or active.batch:
        return []
    before = {
        (act.key, act.result): act
        for act in acts
        if act.tool and act.step != active.name and task.status(act.step) in FINISHED and act.step in task.records
    }
    same = {(act.key, act.result): act for act in acts if act.step == active.name and act.tool and (act.key, act.result) in before}
    steps = {before[key].step for key in same}
    if len(same) < _LEAST_REPEATED or len(steps) != 1:
        return []
    evidence = sorted({before[key].seq for key in same} | {act.seq for act in same.values()})
    return [Found("looping", f"{len(same)} calls of the finished step {steps.pop()!r} are made again", tuple(evidence), "act")]


def _derived_again(view: Seen) -> list[Found]:
    said = folded(view.reply)
    if not any(word in said for word in _NEW_WORDS):
        return []
    decisions = [item for item in view.state.items.values() if item.field == "decision" and item.status == "active" and not item.origin]
    for sentence in _SENTENCE.split(view.reply[:8_000])[:_MOST_SENTENCES] if decisions else ():
        if not _NEW.search(sentence) or _AGAIN.search(sentence):
            continue
        told = _tokens(sentence)
        for item in decisions:
            known = _tokens(item.text)
            if (
                len(known) >= _LEAST_WORDS
                and len(known & told) >= _LEAST_SHARE * len(known)
                and max(item.source_ids, default=0) < view.reply_seq
            ):
                text = f"derives as new what is decided: {quoted(item.text)!r}"
                return [Found("looping", text, (*sorted(item.source_ids), view.reply_seq))]
    return []


def _tokens(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]{3,}|[\u4e00-\u9fff]", plain(text)))
