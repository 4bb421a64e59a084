"""Words of others inside the author's own text: quotations, and what someone or something is said to say.

They are mentioned, not meant (REQUIREMENTS M10), so the classifier does not see them. Linear in the text's length.
"""

from __future__ import annotations

import re

MASK = "\x01"
_QUOTE_MARKS = re.compile(r"[\"“„「『«‹‘`《'＂〝]")
# on one line, or with marks that cannot be mistaken over several
_QUOTED = re.compile(
    r"\"[^\"\n]{0,400}\"|＂[^＂\n]{0,400}＂|“[^“”]{0,2000}”|„[^„“”\n]{0,400}[“”]|〝[^〝〞\n]{0,400}〞|「[^「」]{0,2000}」|『[^『』]{0,2000}』|«[^«»]{0,2000}»|‹[^‹›\n]{0,400}›"
    r"|‘[^’\n]{2,400}’(?!\w)|(?<!\w)'[^'\n]{1,200}'(?!\w)|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,300}'(?!\w)|`[^`\n]{1,400}`|《[^《》\n]{0,200}》"
)
_SPEAKERS = (
    r"(?:manual|page|pages|website|site|web page|logs?|error|error message|message|docs?|documentation|readme|sign|poster|label|leaflet|letter|mail|e-?mail|article|post|thread|"
    r"ticket|spec|specification|handbook|guide|guidelines|instructions|contract|lease|policy|terms|law|act|notice|banner|popup|pop-up|dialog|tool|output|terminal|"
    r"console|compiler|linter|installer|system|bot|model|assistant|chatbot|reviewer|book|textbook|report|form|package|box|flyer|calendar|reminder|app|server|api|response|"
    r"tweet|video|transcript|recipe|homework|sheet|worksheet|text|note|screenshot|wiki|faq|blog|newsletter|brochure|boss|manager|doctor|lawyer|teacher|coach|landlord|"
    r"supplier|vendor|colleague|friend|neighbou?r|wife|husband|mother|mum|mom|father|dad|sister|brother|professor|priest|guide|officer|he|she|they|it|someone|somebody)"
)
_SAYS = r"(?:says?|said|reads?|states?|stated|writes?|wrote|warns?|warned|claims?|claimed|tells? (?:me|us|you)|told (?:me|us)|goes|shouts?|shouted|asks?|asked|replied|replies|has this(?: \w+)?)"
# what follows is what was said, to the end of the line
_REPORTED = re.compile(
    rf"\b(?:{_SPEAKERS}|[A-Z][a-z]+)(?: \w+){{0,3}}? (?:(?:literally|just|also|always|then|clearly|only|still|even) )?{_SAYS}(?: (?:that|so|literally|here|there|verbatim))?\s*[:：]\s*"
    r"|\baccording to [^,:\n]{2,60}[,:]\s*"
    r"|(?:手册|页面?|网页|网站|日志|报错|错误信息|文档|说明书?|公告|通知|告示|牌子|标语|海报|标签|信|邮件|短信|文章|帖子|工单|规范|指南|合同|条款|租约|政策|法律|弹窗|提示框?|工具|输出|终端|控制台|"
    r"编译器|系统|程序|机器人|模型|助手|书|课本|教材|作业纸?|报告|表格?|日历|提醒|应用|服务器|接口|视频|菜谱|截图|百科|博客|老板|领导|经理|医生|律师|老师|教练|房东|供应商|同事|朋友|邻居|老婆|老公|"
    r"我?妈妈?|我?爸爸?|客服|店家|卖家|客户|导游|司机|教授|评审|他们?|她们?|对方|有人|原话|原文)(?:上面?|里面?|里头|中|这)?"
    r"[^，。；：:\n]{0,8}?(?:写着?|写道|说|说道|讲|提示|显示|警告|规定|要求|称|表示|回复|问|喊|是|的?内容)\s*[:：]\s*",
    re.I,
)


def mask(text: str) -> str:
    """The text with the words of others blanked out, at the same length.

    A quotation that is a whole sentence keeps its end, so that what follows is a sentence of its own.
    """
    if _QUOTE_MARKS.search(text):
        text = _QUOTED.sub(lambda quoted: _blank(quoted, text), text)
    if ":" not in text and "：" not in text and "ccording" not in text:
        return text
    parts, at = [], 0
    for lead in _REPORTED.finditer(text):
        if lead.start() < at:
            continue
        end = text.find("\n", lead.end())
        end = len(text) if end < 0 else end
        parts += [text[at : lead.end()], MASK * (end - lead.end())]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _blank(quoted: re.Match[str], text: str) -> str:
    size = len(quoted[0])
    last = quoted[0][-2:-1]
    after = text[quoted.end() :][:3].lstrip()
    if last and last in "。！？":
        return MASK * (size - 1) + last
    if last and last in ".!?" and (not after or after[0].isupper()):
        return MASK * (size - 1) + last
    return MASK * size
