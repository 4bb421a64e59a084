"""The fixed words of the state block and the plan, in English and in Chinese."""

from __future__ import annotations

import re

from msgspec import Struct

_HAN = re.compile(r"[㐀-䶿一-鿿]")
_KANA = re.compile(r"[぀-ヿ]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
# a Chinese word has about two characters
_HAN_PER_WORD = 2
# the language is told by the head of a goal
_HEAD_CHARS = 2_000


class Words(Struct, frozen=True):
    """Fixed words of one language; `{}` are filled in by position."""

    head: str
    priority: str
    priority_short: str
    goal: str
    at_step: str
    none_active: str
    no_plan: str
    all_finished: str
    ended: str
    now: str
    inputs: str
    product: str
    done_when: str
    fits_schema: str
    next: str
    expected: str
    waits: str
    waits_for: str
    missing: str
    risks: str
    done: str
    steps_done: str
    steps_skipped: str
    skipped: str
    refused: str
    refused_row: str
    flags: str
    act_now: str
    evidence: str
    stop: str
    corrections: str
    tried: str
    parked: str
    parked_row: str
    more: str
    plan: str
    marks: tuple[str, str, str, str]
    optional: str
    after: str
    anchor: str
    rules: str
    separator: str
    colon: str


ENGLISH = Words(
    head="State of the task, kept by code. The newest block of this name holds.",
    priority=(
        "When parts of this prompt disagree: the newest user message comes first, then open items of this block and of the "
        "summary; recalled fragments are reference only. A confirmed decision stands until the user changes it."
    ),
    priority_short="Newest user message first, then open items; recalled fragments are reference only.",
    goal="Goal: {}",
    at_step="Step {} of {}",
    none_active="no step is under way; begin the next one",
    no_plan="No plan yet: propose one.",
    all_finished="All {} steps are finished: hand over the result.",
    ended="This task has ended ({}).",
    now="Now: {}",
    inputs="inputs: {}",
    product="product: {}",
    done_when="done when: {}",
    fits_schema="{} fits its schema",
    next="Next: {}",
    expected="expected: {}",
    waits="Waiting:",
    waits_for="{} waits for {}",
    missing="Missing:",
    risks="Risks:",
    done="Finished:",
    steps_done="steps {} done",
    steps_skipped="steps {} skipped",
    skipped="skipped",
    refused="Refused, since the step has not moved:",
    refused_row="{} to {}: {}",
    flags="Signs of drift:",
    act_now="change course now",
    evidence="messages {}",
    stop="The verifier says: stop. {}",
    corrections="Corrections from the verifier:",
    tried="Tried and failed, do not repeat:",
    parked="Parked tasks:",
    parked_row="{} ({} of {} steps finished)",
    more="and {} more",
    plan="Plan. Work that serves none of these steps is outside it: propose another plan first.",
    marks=("open", "now", "done", "skipped"),
    optional="optional",
    after="after {}",
    anchor="Back to the task. This is what holds:",
    rules="Rules:",
    separator="; ",
    colon=": ",
)
CHINESE = Words(
    head="任务状态,由程序维护;以最新的一块为准。",
    priority=(
        "提示各部分不一致时:以最新的用户消息为先,其次是本块和摘要中的未决事项;召回的片段仅供参考。已确认的决定在用户更改之前一直有效。"
    ),
    priority_short="先看最新的用户消息,其次未决事项;召回片段仅供参考。",
    goal="目标:{}",
    at_step="第 {} 步,共 {} 步",
    none_active="当前没有进行中的步骤,请开始下一步",
    no_plan="还没有计划:请先提出计划。",
    all_finished="全部 {} 步已结束:请交付结果。",
    ended="该任务已结束({})。",
    now="当前:{}",
    inputs="输入:{}",
    product="产出:{}",
    done_when="完成条件:{}",
    fits_schema="{} 符合其结构",
    next="下一步:{}",
    expected="预期产出:{}",
    waits="等待:",
    waits_for="{} 等待 {}",
    missing="缺少的信息:",
    risks="风险:",
    done="已结束:",
    steps_done="第 {} 步已完成",
    steps_skipped="第 {} 步已跳过",
    skipped="已跳过",
    refused="未被接受(步骤未变动):",
    refused_row="{} → {}:{}",
    flags="偏离迹象:",
    act_now="请立即调整方向",
    evidence="消息 {}",
    stop="核查者要求停止。{}",
    corrections="核查者的更正:",
    tried="已尝试且失败,不要重复:",
    parked="搁置的任务:",
    parked_row="{}({}/{} 步已结束)",
    more="另有 {} 项",
    plan="计划。不属于任何步骤的工作在计划之外:请先提出新计划。",
    marks=("未开始", "进行中", "完成", "已跳过"),
    optional="可选",
    after="在 {} 之后",
    anchor="回到任务。以下内容有效:",
    rules="规则:",
    separator=";",
    colon=":",
)


def words_for(goal: str) -> Words:
    """Chinese where the goal is mostly Chinese, else English."""
    head = goal[:_HEAD_CHARS]
    if _KANA.search(head):
        return ENGLISH
    han = len(_HAN.findall(head))
    return CHINESE if han and han > _HAN_PER_WORD * len(_LATIN_WORD.findall(head)) else ENGLISH
