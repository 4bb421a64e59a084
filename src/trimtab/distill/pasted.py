"""Pasted pages that nothing fences, known by their shape: transcripts, logs, terminals, HTML, READMEs, licenses, clauses,
and what a line announces ("from the airline's site:"). Line by line, linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trimtab.distill.sentences import Span

_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_RULE_LINE = re.compile(r"^[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|—{3,})[ \t]*\r?$", re.M)

# one line, whose like are never the user's own words
_LOG_LINE = re.compile(
    r"^[ \t]*(?:\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\]?[:\s|]|"
    r"(?:warning|error|fatal|notice): |(?:警告|错误|报错|系统提示|提示)[:：]|Traceback \(|  File \"|\s+at [\w.$]+\(|npm ERR!|\+{1,3} |@@ )",
)
_SHELL_LINE = re.compile(r"^[ \t]*(?:[\w.-]+@[\w.-]+[:\s][^\n]{0,60}[$#]|\$|>>>|PS [A-Z]:\\[^>\n]*>) \S", re.M)
_TAG = re.compile(
    r"</?(?:html|head|body|div|p|h[1-6]|ul|ol|li|br|span|table|tr|td|th|a|script|style|section|article|nav|footer|header|form|button|meta|title|img)\b[^<>]{0,300}>",
    re.I,
)
_LEAST_TAGS = 3
# "Ann: ...", "[10:02] Ann: ...", "用户：..."
_SPEAKER = re.compile(
    r"^[ \t]*(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?[ \t]*)?[<\[*]{0,2}(?P<who>[A-Za-z][\w.'-]{0,20}(?: [A-Z][\w.'-]{0,20})?|[\u4e00-\u9fff]{1,6})[>\]*]{0,2}(?:[ \t]\(?\d{1,2}:\d\d\)?)?[ \t]?[:：][ \t]?\S",
    re.M,
)
_ROLES = frozenset(
    re.findall(
        r"\S+",
        "system user assistant human ai bot agent customer client caller support operator q a interviewer interviewee moderator model "
        "系统 用户 助手 客服 顾客 客户 问 答 记者 医生 患者 甲 乙 机器人 人类 模型",
    )
)
_CLAUSE_LINE = re.compile(
    r"^[ \t]*(?:(?:article|section|clause|paragraph|rule|schedule|annex)\s+[\dIVXLC]{1,5}(?:\.\d+)*[.:)\s–-]|§{1,2}\s?\d|\d{1,2}\.\d{1,2}(?:\.\d{1,2})?\.?\s+[A-Z(\u4e00-\u9fff]"
    r"|第[一二三四五六七八九十百零\d]{1,5}[条章节款][ \t\u3000:：.、])",
    re.M | re.I,
)
_LICENSE = re.compile(
    r"permission is hereby granted|all rights reserved|licensed under the|provided \"?as is\"?|without warranty of any kind|redistribution and use in source"
    r"|terms and conditions for|版权所有|未经[^\n]{0,12}许可|保留所有权利|转载(?:请|须)注明",
    re.I,
)
_README = re.compile(
    r"^#{1,3}[ \t]*(?:installation|install|usage|getting started|quick ?start|license|contributing|features|requirements|changelog|安装|使用方法|快速开始|许可证?|贡献)\b",
    re.M | re.I,
)
# a page begins with a title, and goes on in paragraphs that are not about who pastes it
_PAGE_MIN_CHARS, _PAGE_MIN_PARAGRAPHS, _PARAGRAPH_MIN_CHARS = 900, 3, 150
_TITLE_MAX_CHARS = 90
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'd|my|me|we|our|you|your)\b|[我你您咱]")
_LEAST_BETWEEN_PERSONS = 220  # characters

# "here is the page I found:", "from the airline's site:", 爬下来的网页：
_SOURCE = (
    r"(?:articles?|texts?|documents?|docs?|logs?|e?-?mails?|letters?|pages?|web ?pages?|(?:web)?sites?|reports?|transcripts?|outputs?|errors?|terminal|console|code|contents?|"
    r"files?|papers?|chapters?|stor(?:y|ies)|contracts?|leases?|threads?|messages?|replies|answers?|posts?|tweets?|tickets?|specs?|manuals?|handbooks?|guides?|readme|"
    r"notices?|policy|policies|terms|clauses?|leaflets?|flyers?|recipes?|sheets?|notes|minutes|chats?|conversation|snippets?|quotes?|excerpts?|passages?|responses?|results?|"
    r"announcements?|newsletters?|faqs?|wiki|screenshots?|box|label|sign)"
)
_ANNOUNCED = re.compile(
    rf"(?:\b(?:here(?:'s| is| are| comes)|this is what|this is the|below|following|from|found|got|received|copied|pasted?|pasting|quot(?:e|ing)|forward(?:ed|ing)?|scraped|came with|"
    rf"shows?|showed|printed|says?|said|reads?|sent me|wrote|output|look at|see|check)\b[^\n:]{{0,80}}\b{_SOURCE}\b[^\n:]{{0,40}}|\b{_SOURCE}\b[^\n:]{{0,40}}\b(?:says?|said|reads?|shows?|"
    r"showed|goes|below|i (?:got|found|received|copied)|from (?:my|the|our|his|her|their)|attached|pasted|as follows)\b[^\n:]{0,40}"
    r"|(?:下面|以下|如下|收到|爬|抄来|抄的|复制|粘贴|贴|转发|转来|网上|终端|输出|报错|日志|原文|原话|邮件|网页|网站|页面|公告|通知|截图|说明书|手册|合同|条款|文章|帖子|回复|聊天记录|内容)[^\n：:]{0,16})[:：][ \t]*\r?$",
    re.I | re.M,
)
# a question or a task about what was pasted; an order may be part of it
_TURNS_BACK = re.compile(
    r"\s*(?:(?:can|could|would) you|what|how|why|who|is (?:this|that|it)|does|summar|translat|explain|thoughts|帮我|怎么|为什么|什么|总结|翻译|解释)",
    re.I,
)
# a list under such a heading is a list of wishes
_WISHES = re.compile(
    r"\b(?:rules?|requirements?|instructions?|format|style|please|must|should|want|need|like|for the)\b|规则|要求|格式|请|必须|按", re.I
)


def pasted_spans(text: str) -> list[Span]:
    """The (start, end) of what is pasted, in order of kinds; they may overlap."""
    found: list[Span] = []
    if "\n" not in text:
        return _html(text)
    found += _html(text)
    found += _announced(text)
    found += _ruled_off(text)
    found += _terminal(text)
    found += _runs(text, _LOG_LINE, 1)
    found += _transcript(text)
    found += _clauses(text)
    if len(_README.findall(text)) >= 2:
        found.append((0, len(text)))
    license_mark = _LICENSE.search(text)
    if license_mark:
        found.append((_paragraph_start(text, license_mark.start()), _paragraph_end(text, license_mark.end())))
    return found + _page(text)


def _html(text: str) -> list[Span]:
    if "</" not in text and "<p" not in text and "<br" not in text:
        return []
    tags = list(_TAG.finditer(text))
    return [(tags[0].start(), tags[-1].end())] if len(tags) >= _LEAST_TAGS else []


def _announced(text: str) -> Iterator[Span]:
    """The paragraph right below a line that announces something of others, or the one after a blank line."""
    for line in _ANNOUNCED.finditer(text):
        lead = text[text.rfind("\n", 0, line.start()) + 1 : line.end()]
        start = line.end() + 1
        first = text[start : start + 200].lstrip()
        if not first or (_WISHES.search(lead) and first[0] in "-*•·1①"):
            continue
        while start < len(text) and text[start] in " \t\r\n":
            start += 1
        yield start, _page_end(text, start)


def _page_end(text: str, start: int) -> int:
    """Where an announced text ends: at a line of dashes, or before a last paragraph that turns to the agent again."""
    rule = _RULE_LINE.search(text, start)
    end = rule.start() if rule else len(text)
    last = start
    for blank in _BLANK_LINE.finditer(text, start, end):
        last = blank.end()
    return last if last > start and not rule and (_TURNS_BACK.match(text, last) or text[last:].rstrip().endswith(("?", "？"))) else end


def _ruled_off(text: str) -> Iterator[Span]:
    """What stands between two lines of dashes, after a line that ends in a colon."""
    lines = list(_RULE_LINE.finditer(text))
    at = 0
    while at + 1 < len(lines):
        before = text[max(0, lines[at].start() - 200) : lines[at].start()].rstrip()
        if before.endswith((":", "：")) or not before:
            yield lines[at].start(), lines[at + 1].end()
            at += 2
        else:
            at += 1


def _terminal(text: str) -> Iterator[Span]:
    for line in _SHELL_LINE.finditer(text):
        yield line.start(), _paragraph_end(text, line.end())


def _runs(text: str, shape: re.Pattern[str], least: int) -> Iterator[Span]:
    """Neighboring lines of one shape."""
    start, at, count = -1, 0, 0
    for line in text.split("\n"):
        if shape.match(line):
            start = at if count == 0 else start
            count += 1
        else:
            if count >= least:
                yield start, at
            count = 0
        at += len(line) + 1
    if count >= least:
        yield start, len(text)


def _transcript(text: str) -> list[Span]:
    lines = list(_SPEAKER.finditer(text))
    names = [line["who"].lower() for line in lines]
    different = set(names)
    if len(different) < 2:
        return []
    # two who take turns or with the time before them, or two known roles; the keys of a list of wishes come once each
    timed = sum(1 for line in lines if ":" in text[line.start() : line.start("who")]) >= 2
    if (
        timed
        or len(different & _ROLES) >= 2
        or (len(names) >= 3 and len(different) <= 6 and any(names.count(name) >= 2 for name in different))
    ):
        return [(lines[0].start(), _paragraph_end(text, lines[-1].end()))]
    return []


def _clauses(text: str) -> list[Span]:
    lines = list(_CLAUSE_LINE.finditer(text))
    if len(lines) < 2:
        return []
    return [(lines[0].start(), _paragraph_end(text, lines[-1].end()))]


def _page(text: str) -> list[Span]:
    if len(text) < _PAGE_MIN_CHARS:
        return []
    title, _, rest = text.lstrip().partition("\n")
    paragraphs = [part for part in _BLANK_LINE.split(rest) if len(part) >= _PARAGRAPH_MIN_CHARS]
    is_title = len(title) <= _TITLE_MAX_CHARS and not title.rstrip().endswith((".", ":", "?", "!", ",", "。", "：", "？", "！", "，"))
    if not is_title or len(paragraphs) < _PAGE_MIN_PARAGRAPHS or _FIRST_PERSON.search(title):
        return []
    persons = sum(1 for _ in _FIRST_PERSON.finditer(rest))
    return [(0, len(text))] if persons * _LEAST_BETWEEN_PERSONS <= len(rest) else []


def _paragraph_start(text: str, at: int) -> int:
    found = -1
    for blank in _BLANK_LINE.finditer(text, 0, at):
        found = blank.end()
    return max(found, 0)


def _paragraph_end(text: str, at: int) -> int:
    blank = _BLANK_LINE.search(text, at)
    end = blank.start() if blank else len(text)
    rule = _RULE_LINE.search(text, at, end)
    return rule.start() if rule else end


def merged(spans: Sequence[Span]) -> list[Span]:
    """In order, overlapping ones joined."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found
