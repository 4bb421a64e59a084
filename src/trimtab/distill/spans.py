"""Whose words a span of a user message is (REQUIREMENTS M10). Linear in the text's length.

Where it is not clear whether a span is the user's own, it is data: a lost cue costs one item, a wrong one lets a
pasted page give orders.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.distill.pasted import merged, pasted_spans
from trimtab.distill.sentences import Span

_MARKS = (
    "`", ">", "~~~", "\"\"\"", "\'\'\'", "observation", "tool", "function", "begin", "--", "from:", "wrote:", ":\n", ": \n", ":\r", "：\n",
    ": ", "|", "→", "\t", "观察", "工具", "函数", "发件人", "转发", "原始邮件", "开始", "start",
)  # fmt: skip
# `<name ...>` or `</name>`, where the name says that a client or a program put it there
_DATA_NAME = (
    r"[\w.-]{0,40}?(?:reminder|context|documents?|files?|source|sources|contents?|outputs?|results?|observation|logs?|snippets?|selection|"
    r"attachments?|stdout|stderr|examples?|quotes?|blockquote|pages?|webpage|articles?|emails?|transcript|environment_details|"
    r"command-name|command-message|command-args|opened_file|search_results|diff|data|excerpt|passage|pasted|clipboard|history"
    r"|提醒|系统提醒|文档|上下文|文件|网页|页面|引用|邮件|日志|结果|输出|观察|资料|内容|附件|正文|原文|聊天记录|搜索结果|工具结果|环境)"
)
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>{_DATA_NAME})(?:\s[^<>]{{0,400}})?>", re.I)
_BLOCK = re.compile(
    r"""^[ \t]*(?:
        (?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$
      | (?P<triple>\"\"\"|''')
      | (?P<quote>>|\d{1,7}(?:[:|→]|\t)[ \t])
      | (?P<rest>[\[*#\s]{0,4}(?:observation|tool[ _]?(?:output|result|response)s?|function[ _]?(?:call[ _]?)?(?:output|result|response)s?
            |观察(?:结果)?|工具(?:输出|返回|结果)(?:结果)?|函数(?:输出|返回))[\]*\s]{0,4}[:：]
            |\[(?:observation|tool[ _]?(?:output|result|response)s?|function[ _]?result|观察(?:结果)?|工具(?:返回|输出|结果))\]
            |-{2,}\s*(?:original|forwarded)\ message|begin\ forwarded\ message|-*\s*(?:转发邮件|原始邮件)
            |on\ [^\n]{5,120}\ wrote:\s*$
            |from:[^\n]+\n(?:[^\n]+\n){0,2}(?:to|sent|date|subject|cc):|发件人[:：])
      | (?P<begin>[-=*\#_<]{2,}[ \t]*(?:begin|start|开始)\b[^\n]*$)
    )
    |(?P<lead>[:：][ \t]*\r?\n)""",
    re.M | re.I | re.X,
)
_FENCE_END = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*\r?$", re.M)
_BEGIN_END = re.compile(r"^[-=*#_<]{2,}[ \t]*(?:end|stop|结束)\b[^\n]*$", re.M | re.I)
# lines of a mail or a prompt, or numbered lines as of grep and `cat -n`
_QUOTED_LINES = re.compile(r"(?:[ \t]*(?:>|\d{1,7}(?:[:|→]|\t)[ \t])[^\n]*(?:\n|$))+")
# a message that ends in a shell's prompt is what a terminal showed
_SHELL_PROMPT = re.compile(r"\n(?:bash[\d.-]*[$#]|[\w.-]{1,60}@[\w.-]{1,60}:[^\n]{0,120}[$#])\s*\Z")
_RULE_LINE = re.compile(r"^[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*\r?$", re.M)
_PASTED_THING = re.compile(
    r"\b(?:articles?|text|documents?|logs?|e?mails?|page|report|transcript|output|errors?|code|contents?|file|data|paper|chapter|story|"
    r"contract|thread|message)\b|文章|原文|文本|正文|日志|邮件|报告|内容|全文|资料|材料|网页|合同|论文|文档|记录|报错|输出|如下",
    re.I,
)
# what follows "here is the article:" is a pasted page from this length on; a list of wishes is shorter
_PASTE_MIN_CHARS = 800


def user_spans(text: str) -> list[Span]:
    """The (start, end) parts of a user message that are the user's own words, in order, none empty.

    Left out: fenced code, `>` quotes, triple-quoted text, observation and tool-output blocks (to the end of the
    message), client tags such as <system-reminder> and <document>, BEGIN/END marked text, forwarded mail, what is
    announced ("here is the article:"), and what `trimtab.distill.pasted` knows by its shape. Quotations inside a
    sentence stay; `trimtab.distill.voices` blanks them out.
    """
    if text.rstrip().endswith(("$", "#")) and _SHELL_PROMPT.search(text, max(0, len(text) - 400)):
        return []
    lower = text.lower()
    has_mark = any(mark in lower for mark in _MARKS)
    if not has_mark and "\n" not in text and "</" not in text:
        return [(0, len(text))] if text.strip() else []
    own: list[Span] = []
    at = 0
    for start, end in [*merged([*_tag_spans(text), *pasted_spans(text)]), (len(text), len(text))]:
        if not _add_outside_blocks(text, at, start, own):
            break
        at = end
    return [(start, end) for start, end in _joined(own) if text[start:end].strip()]


def data_spans(text: str, own: list[Span]) -> list[Span]:
    """What `user_spans` left out."""
    at, left = 0, []
    for start, end in [*own, (len(text), len(text))]:
        if text[at:start].strip():
            left.append((at, start))
        at = end
    return left


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in spans:
        if joined and start == joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _tag_spans(text: str) -> list[Span]:
    by_name: dict[str, list[re.Match[str]]] = {}
    for tag in _TAG.finditer(text) if "<" in text else ():
        by_name.setdefault(tag["name"].lower(), []).append(tag)
    spans: list[Span] = []
    for tags in by_name.values():
        spans += _paired(text, tags)
    return spans


def _paired(text: str, tags: list[re.Match[str]]) -> list[Span]:
    """Spans of one tag name. A stray closing tag extends the span before it: pasted text may close its own tag
    early to pass for the user. A tag never closed counts to the end if it begins a line, else as a mention."""
    spans: list[Span] = []
    depth, start = 0, -1
    for tag in tags:
        if tag["close"]:
            depth = max(0, depth - 1)
            if depth == 0 and spans and start == -1:
                spans[-1] = (spans[-1][0], tag.end())
            elif depth == 0 and start >= 0:
                spans.append((start, tag.end()))
                start = -1
        else:
            start = tag.start() if depth == 0 else start
            depth += 1
    if depth and start >= 0 and not text[max(0, start - 200) : start].rpartition("\n")[2].strip():
        spans.append((start, len(text)))
    return spans


def _add_outside_blocks(text: str, at: int, end: int, own: list[Span]) -> bool:
    """Add what is the user's own in text[at:end]; False where nothing that follows can be (an observation, a mail)."""
    while at < end:
        block = _BLOCK.search(text, at, end)
        if block is None:
            break
        stop = _block_end(text, block, end)
        start = block.end() if block["lead"] or stop < 0 else block.start()
        own.append((at, start))
        if block["rest"]:
            return False
        at = stop if stop >= 0 else block.end()
    if at < end:
        own.append((at, end))
    return True


def _block_end(text: str, block: re.Match[str], end: int) -> int:
    """Where the data that the block opens ends; -1 where it opens none."""
    at = block.end()
    if block["quote"]:
        lines = _QUOTED_LINES.match(text, block.start(), end)
        return lines.end() if lines else at
    if block["fence"]:
        return _fence_end(text, at, end, block["fence"])
    if block["triple"]:
        close = text.find(block["triple"], at, end)
        return close + 3 if close >= 0 else end
    if block["begin"]:
        close_line = _BEGIN_END.search(text, at, end)
        return close_line.end() if close_line else end
    if block["rest"]:
        return end
    lead_line = text[max(0, block.start() - 80) : block.start()].rpartition("\n")[2]
    if end - at < _PASTE_MIN_CHARS or not _PASTED_THING.search(lead_line):
        return -1
    rule = _RULE_LINE.search(text, at + 1, end)
    paste_end = rule.start() if rule else end
    return paste_end if paste_end - at >= _PASTE_MIN_CHARS else -1


def _fence_end(text: str, at: int, end: int, fence: str) -> int:
    for close in _FENCE_END.finditer(text, at, end):
        if close[1][0] == fence[0] and len(close[1]) >= len(fence):
            return close.end()
    return end


# so much of a message is read, from both ends
_MAX_HEAD_CHARS, _MAX_TAIL_CHARS = 48_000, 16_000


def bounded(spans: Sequence[Span]) -> list[Span]:
    """The spans, or their first and last part where they are too long to read whole."""
    if sum(end - start for start, end in spans) <= _MAX_HEAD_CHARS + _MAX_TAIL_CHARS:
        return list(spans)
    head: list[Span] = []
    tail: list[Span] = []
    room = _MAX_HEAD_CHARS
    for start, end in spans:
        if room <= 0:
            break
        head.append((start, min(end, start + room)))
        room -= end - start
    room = _MAX_TAIL_CHARS
    for start, end in reversed(spans):
        first = max(start, end - room, head[-1][1])
        if room <= 0 or first >= end:
            break
        tail.append((first, end))
        room -= end - first
    return head + tail[::-1]
