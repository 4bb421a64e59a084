"""The tools, as data. Names and arguments are REQUIREMENTS M8; every word here is paid for in every request."""

from __future__ import annotations

from trimtab.session.dropping import DROP_KINDS
from trimtab.session.finding import FOUND_KINDS
from trimtab.tools.schema import Param, Tool

ROLES = ("user", "assistant", "tool")
# of the kinds that a need can have those that a model is likely to know beforehand
ASKED_KINDS = ("when", "how_much", "why", "decision")

_SOURCE = Param(
    name="source",
    required=True,
    en='variable name, "#12" (message number), or "last" (newest tool result)',
    zh='变量名、"#12"(消息编号)或 "last"(最新的工具结果)',
)
_ROWS = Param(name="rows", kind="pair", en="[first, last], from 1", zh="[首行, 末行],从 1 起")
_CHARS = Param(name="chars", kind="pair", en="[start, end], from 0", zh="[起, 止],从 0 起")

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="extract_key_info",
        en="Take the fields or words you need out of a tool result or variable and save them as a note with their source, at once.",
        zh="从工具结果或变量中取出需要的字段或词句,连同来源存成笔记。",
        params=(
            _SOURCE,
            Param(
                name="keep_fields",
                kind="texts",
                required=True,
                en="field names or paths of JSON and tables; words to look for in text",
                zh="JSON 和表格的字段名或路径;文本中要找的词",
            ),
            Param(name="save_as", en="key of the note", zh="笔记的键"),
        ),
        example={"source": "last", "keep_fields": ["title", "price"], "save_as": "offers/acme"},
    ),
    Tool(
        name="drop_history",
        en="Take messages that are not needed any more out of the prompt, by one of range, ids, kind. Save what you need of them first.",
        zh="把不再需要的消息移出提示词,三选一:range、ids、kind。先保存有用内容。",
        params=(
            Param(name="range", kind="pair", en="[first, last] message number", zh="[首, 末] 消息编号"),
            Param(name="ids", kind="integers", en="message numbers", zh="消息编号"),
            Param(name="kind", kind="choice", choices=DROP_KINDS, en="all of a kind", zh="某一类的全部"),
            Param(name="force", kind="flag", en="also unsaved conclusions", zh="含未保存的结论"),
            Param(name="why", en="reason, for the record", zh="理由"),
        ),
        example={"ids": [12, 14]},
    ),
    Tool(
        name="write_note",
        en="Save a conclusion, decision or result under a key; it outlives the prompt. Same key: a new version.",
        zh="把结论、决定或结果存在一个键下,长期保留。同一个键:新版本。",
        params=(
            Param(name="key", required=True),
            Param(name="value", kind="value", required=True, en="text, or JSON as text", zh="文本,或写成文本的 JSON"),
        ),
        example={"key": "findings/q3", "value": "Revenue 4.2 M EUR (report #12)"},
    ),
    Tool(
        name="read_note",
        en="Read a note.",
        zh="读一条笔记。",
        params=(
            Param(name="key", required=True),
            Param(name="version", kind="integer", en="an older one", zh="较早的版本"),
            _ROWS,
            _CHARS,
        ),
        example={"key": "findings/q3"},
        reads=True,
    ),
    Tool(
        name="list_notes",
        en="List the notes: keys, versions, beginnings.",
        zh="列出笔记:键、版本、开头。",
        params=(Param(name="begins_with", en="only keys that begin so", zh="只列以此开头的键"), _ROWS),
        example={"begins_with": "findings/"},
        reads=True,
    ),
    Tool(
        name="query_memory",
        en="Search everything that was ever said, returned or saved, also what left the prompt.",
        zh="搜索所有记录,含已移出提示词的。",
        params=(
            Param(name="query", required=True, en="words or an exact string", zh="词语或原文片段"),
            Param(name="entities", kind="texts"),
            Param(name="kind", kind="choice", choices=ASKED_KINDS),
            Param(name="time_range", kind="texts", en="[date, date]", zh="[日期, 日期]"),
            Param(
                name="filters",
                kind="object",
                inner=(
                    Param(name="kind", kind="choice", choices=FOUND_KINDS),
                    Param(name="after", en='"#12" or a date', zh='"#12" 或日期'),
                    Param(name="before"),
                    Param(name="role", kind="choice", choices=ROLES),
                ),
            ),
        ),
        example={"query": "delivery date Acme", "filters": {"kind": "message", "after": "#12"}},
        reads=True,
    ),
    Tool(
        name="clear_scratchpad",
        en="Mark all tool results so far as used: they leave the prompt, whole texts stay readable by number.",
        zh="把目前所有工具结果标为已用并移出提示词,原文仍可按编号读取。",
    ),
    Tool(
        name="save_variable",
        en='Store a large text or JSON under a name; the prompt shows one line for it. value "#12" names a message.',
        zh='把大段文本或 JSON 存为一个名字,提示词里只占一行。value 为 "#12" 时指该消息。',
        params=(
            Param(name="name", required=True),
            Param(name="value", kind="value", required=True, en='text, JSON as text, or "#12"', zh='文本、写成文本的 JSON,或 "#12"'),
        ),
        example={"name": "orders", "value": "#12"},
    ),
    Tool(
        name="read_variable",
        en='Read a variable, or any message by "#12", also one that left the prompt; in part by one of path, rows, lines, chars, around.',
        zh='读变量,或用 "#12" 读任何消息(含已移出的);部分读取五选一:path、rows、lines、chars、around。',
        params=(
            Param(name="name", required=True),
            Param(name="path", en="JSON path: orders[0].id", zh="JSON 路径:orders[0].id"),
            _ROWS,
            Param(name="lines", kind="pair", en="[first, last], from 1", zh="[首, 末],从 1 起"),
            _CHARS,
            Param(name="around", en="text: the sentences around each hit", zh="文本:命中处前后的句子"),
        ),
        example={"name": "orders", "rows": [1, 20]},
        reads=True,
    ),
    Tool(
        name="list_memory",
        en="What there is: the largest messages in the prompt with their numbers, variables, notes, structures, open points.",
        zh="现有的一切:提示词里最大的消息(带编号)、变量、笔记、结构、未决事项。",
        reads=True,
    ),
)
BY_NAME: dict[str, Tool] = {tool.name: tool for tool in TOOLS}

# offered where the project has documents
DOCUMENT_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="search_documents",
        en="Find the pieces of the project's documents that answer; they come with their places.",
        zh="在项目文档中查找片段,附出处。",
        params=(
            Param(name="query", required=True, en="what this step needs to know: names, terms", zh="要查的名称、术语"),
            Param(name="limit", kind="integer", en="pieces, 1 to 10; 5", zh="片段数,1 到 10;默认 5"),
        ),
        example={"query": "customs form above 150 EUR", "limit": 3},
        reads=True,
    ),
    Tool(
        name="read_document",
        en="Read one piece of a document, to read on where a found one ends.",
        zh="读文档的一个片段,以便往下读。",
        params=(Param(name="name", required=True), Param(name="piece", kind="integer", en="number, from 0", zh="编号,从 0 起")),
        example={"name": "handbook.pdf", "piece": 12},
        reads=True,
    ),
)
DOCUMENT_TOOLS_BY_NAME: dict[str, Tool] = {tool.name: tool for tool in DOCUMENT_TOOLS}

# offered where a task is under way
STEP_MOVES = ("begin", "done", "put_back", "reopen", "skip")
TASK_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="update_task",
        en="Propose that a step of the task moves; code checks it and says what is missing. Hand the step's product over with done.",
        zh="提议步骤状态变化;由代码检查并说明缺什么。done 时一并交出该步产物。",
        params=(
            Param(name="step", required=True, en="its name, as in the plan", zh="计划中的步骤名"),
            Param(name="status", kind="choice", choices=STEP_MOVES, required=True),
            Param(name="because", en="what shows it, in one line", zh="依据,一行"),
            Param(name="product", kind="value", en="text, or JSON as text", zh="文本,或写成文本的 JSON"),
        ),
        example={"step": "score the leads", "status": "done", "because": "all 20 rows have a score", "product": "[...]"},
    ),
    Tool(
        name="propose_plan",
        en="Propose the plan, or a better one: a JSON list of steps. Steps that are done stay.",
        zh="提出计划或更好的计划:步骤的 JSON 列表。已完成的步骤保留。",
        params=(
            Param(name="steps", kind="value", required=True, en="JSON list as text", zh="写成文本的 JSON 列表"),
            Param(name="why", en="why it changes", zh="为何改变"),
        ),
        example={"steps": '[{"name": "collect", "output": "rows", "about": "..."}, {"name": "report", "inputs": ["rows"]}]'},
    ),
)
TASK_TOOLS_BY_NAME: dict[str, Tool] = {tool.name: tool for tool in TASK_TOOLS}
