"""What the model did, as detectors see it: `Act` values from calls, their results and replies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from trimtab.core.drift import Act
from trimtab.steer.canonical import Shingles, canonical, plain_text, result_digest, shingles, words_of
from trimtab.steer.seen import values_of

# a result is new as far as none of so many before it said the same
NEWEST_RESULTS = 8
_ERROR_NAME = re.compile(
    r"(?<![\w.])([\w.]*\w(?:Error|Exception|Timeout))\b|\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return code)[ :=]+(-?[1-9]\d{0,4})\b|\b(?:http |status(?: code)?[ :=]+)([45]\d\d)\b",
    re.I,
)
_ERROR_WORD = re.compile(r"not found|denied|timed? ?out|invalid|failed|refused|cannot|unable|no such|失败|错误|超时|拒绝|不存在|无效", re.I)
# of an error: the number under which its sender filed it
_FILED = re.compile(r"(?<![\w.])[\"']id[\"']\s*:\s*(?:[\"'][\w.:\-]+[\"']|\d+)")
# a short result that is nothing but an error, whoever did not mark it as one
_BARE_ERROR = re.compile(
    r"[\s{\[\"'*]*(?:(?:error|fehler|erreur)[\"'*]*\s*[:：]|(?:access|permission) denied|request timed out|acceso denegado|zugriff verweigert|"
    r"accès refusé|(?:(?:请求|连接|操作)?超时|(?:请求|操作|访问)(?:失败|被拒绝))(?=[\s:：(（,，.。!！]|$)|错误[:：])",
    re.I,
)
# "psycopg.errors.UndefinedColumn: ...": the name of an exception in a module
_RAISED = re.compile(r"\s*(?:[a-z_]\w*\.)+[A-Z]\w+: ")
_PATH = re.compile(r"(?:[A-Za-z]:)?(?:/[\w.\-]+)+/?|\bline \d+\b|:\d+(?::\d+)?\b")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u4e00-\u9fff]+")
_WRITING = frozenset(
    [
        "write",
        "edit",
        "create",
        "update",
        "save",
        "insert",
        "delete",
        "remove",
        "apply",
        "patch",
        "commit",
        "send",
        "book",
        "cancel",
        "submit",
        "replace",
        "add",
        "put",
        "append",
        "upload",
        "store",
        "extract",
        "set",
        "move",
        "rename",
        "reserve",
        "pay",
        "buy",
        "order",
        "modify",
        "change",
        "post",
        "publish",
        "deploy",
        "install",
        "merge",
        "push",
        "note",
    ]
)
_MOST_ERROR_CHARS, _MOST_ERROR_LINES, _LEAST_ECHO_CHARS, _MOST_ECHOED = 120, 20, 4, 12
_MOST_READ_CHARS, _MOST_STATUS_CHARS = 8_000, 300
_POLLING_TOOL = re.compile(
    r"(?:^|[_\-. ])(?:wait|poll|sleep|status|watch|monitor|tail|ping|progress|heartbeat|refresh)|(?:Wait|Poll|Sleep|Status|Watch|Monitor|Progress)",
    re.A,
)
_POLLING_WORD = re.compile(
    r"(?<![\w-])(?:sleep|wait|poll|watch|(?<!git )status|healthz?|tail -f|readiness|progress)(?![\w-])|等待|轮询", re.I
)
_COMMAND_KEYS = frozenset({"", "command", "cmd", "script", "action", "code", "input"})
_UNDER_WAY = re.compile(
    r"(?:\b(?:running|queued|pending|in[ _-]progress|processing|still (?:\w+ing)|waiting|not (?:yet )?(?:ready|finished|done|complete)|building|starting|scheduled|"
    r"in (?:the )?queue|eta\b|\d{1,2} ?% (?:done|complete))|pendiente|procesando|en espera|en curso|en cola|ausstehend|in bearbeitung|läuft|in arbeit|wartet|en cours|en attente|进行中|排队|等待中|处理中|运行中|尚未完成|未完成|未就绪)(?![\"']?\s*[:=])",
    re.I,
)


class CallSeen(Struct, frozen=True):
    """A call with its result. `failed`: whether the result says that it went wrong."""

    tool: str
    arguments: str
    result: str = ""
    result_seq: int = 0
    failed: bool = False


def acts_of(  # noqa: PLR0913 - one round, whole
    reply_seq: int,
    text: str,
    calls: Sequence[CallSeen],
    *,
    round: int,
    at_ms: int,
    step: str = "",
    earlier: Sequence[Shingles] = (),
) -> tuple[Act, ...]:
    """One act for each call of a message; of a message without any one act, whose words are its text's.

    Args:
        reply_seq: number of the message. text: its visible text.
        round: number of the model request. at_ms: Unix milliseconds.
        step: of the plan, under way.
        earlier: `shingles` of the newest results before, at most NEWEST_RESULTS count.
    """
    if not calls:
        said = plain_text(text)
        return (
            Act(
                reply_seq,
                0,
                round,
                at_ms,
                "",
                result_digest(said),
                result_digest(said),
                words_of(said),
                fresh=_fresh(text, earlier),
                step=step,
            ),
        )
    return tuple(_act(reply_seq, call, round, at_ms, step, earlier, len(calls)) for call in calls)


def _act(seq: int, call: CallSeen, round: int, at_ms: int, step: str, earlier: Sequence[Shingles], batch: int) -> Act:  # noqa: PLR0913
    told = canonical(call.tool, call.arguments)
    failed = call.failed or bool(_RAISED.match(call.result)) or is_bare_error(call.result)
    return Act(
        seq,
        call.result_seq,
        round,
        at_ms,
        call.tool,
        told.key,
        told.frame,
        told.words,
        result_digest(call.result),
        _fresh(call.result, earlier),
        error_class(call.result, call.arguments) if failed else "",
        batch,
        step,
        not failed and is_writing(call.tool),
        is_pending(call.tool, call.arguments, call.result),
    )


def _fresh(text: str, earlier: Sequence[Shingles]) -> float:
    """Share of the text's word 4-grams that no text before had; 1 for no text."""
    own = shingles(text)
    if not own:
        return 1.0
    return round(len(own.difference(*earlier[-NEWEST_RESULTS:])) / len(own), 3)


def is_writing(tool: str) -> bool:
    """Whether the tool's name begins with a verb that changes something, a prefix of one word aside: `db.insert`, `writeFile`."""
    words = [word.lower() for word in _WORD.findall(tool)]
    return bool(words) and (words[0] in _WRITING or (len(words) > 1 and words[1] in _WRITING and any(sign in tool for sign in "./:")))


def is_bare_error(text: str) -> bool:
    """Whether a short text begins as an error does and says nothing else."""
    return len(text) <= _MOST_STATUS_CHARS and _BARE_ERROR.match(text) is not None


def error_class(text: str, arguments: str = "") -> str:
    """What kind of error a result tells of: a name, and a digest of all lines that tell of errors, without places, times and
    what was echoed of the arguments. Another failure, or one less, is another error."""
    lines = [line for line in text[:_MOST_READ_CHARS].splitlines() if line.strip()]
    telling = [line for line in lines if _ERROR_NAME.search(line) or _ERROR_WORD.search(line)] or lines[:1]
    echoed = sorted({value for _, value in values_of(arguments) if isinstance(value, str) and len(value) >= _LEAST_ECHO_CHARS}, key=len)[
        ::-1
    ]
    said = "\n".join(_without(line, echoed) for line in telling[:_MOST_ERROR_LINES])
    named = next((found for line in telling[::-1] if (found := _ERROR_NAME.search(line))), None)
    name = (
        next((f"{what}{value.lstrip('.')}" for what, value in zip(("", "exit ", "status "), named.groups(), strict=True) if value), "error")
        if named
        else "error"
    )
    return f"{name} {result_digest(said)}: {said.splitlines()[0][:_MOST_ERROR_CHARS] if said else ''}"


def _without(line: str, echoed: Sequence[str]) -> str:
    for value in echoed[:_MOST_ECHOED]:
        line = line.replace(value, "<arg>")
    return _PATH.sub("<at>", plain_text(_FILED.sub("<id>", line)))


def is_pending(tool: str, arguments: str, result: str) -> bool:
    """Whether it waits for something, or its result says that what is asked for is still under way."""
    commands = (value for key, value in values_of(arguments) if isinstance(value, str) and key.lower() in _COMMAND_KEYS)
    waits = _POLLING_TOOL.search(tool) or any(_POLLING_WORD.search(command) for command in commands)
    return bool(waits or (len(result) <= _MOST_STATUS_CHARS and _UNDER_WAY.search(result)))
