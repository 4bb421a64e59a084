"""Messages as text that a summarizing model reads: who said what under which number, tool calls and results as text."""

from __future__ import annotations

from msgspec import Struct

from trimtab.core.messages import Media, Message, Opaque, Role, Text, ToolCall, ToolResult
from trimtab.distill.spans import user_spans
from trimtab.distill.structure import preview

# of a tool result the model reads both ends; what was said is read whole
_RESULT_HEAD_CHARS, _RESULT_TAIL_CHARS = 4_000, 2_000
_CALL_HEAD_CHARS, _CALL_TAIL_CHARS = 600, 200


class Line(Struct, frozen=True):
    """One message, ready to be read and to be quoted from.

    Attributes:
        seq: its number in the lane.
        shown: what the model reads of it.
        said: all its own text, whole; quotes are looked up here.
        own: the (start, end) parts of `said` that are the user's own words (or system text); () for other roles.
        everything: `said` and, whole, its calls and results: what a statement about it may name.
    """

    seq: int
    role: Role
    shown: str
    said: str
    own: tuple[tuple[int, int], ...]
    everything: str


def line_of(seq: int, message: Message, call_names: dict[str, str]) -> Line:
    """`call_names` maps call ids to tool names; the calls of this message are added to it."""
    shown: list[str] = []
    whole: list[str] = []
    for part in message.parts:
        if isinstance(part, Text):
            shown.append(part.text)
            whole.append(part.text)
        elif isinstance(part, ToolCall):
            call_names[part.call_id] = part.name
            shown.append(f"[calls {part.name} with {preview(part.arguments, _CALL_HEAD_CHARS, _CALL_TAIL_CHARS)}]")
            whole.append(f"{part.name} {part.arguments}")
        elif isinstance(part, ToolResult):
            name = part.name or call_names.get(part.call_id, "a tool")
            head = f"[{'error' if part.is_error else 'result'} of {name}]"
            media = [_placeholder(piece) for piece in part.parts if not isinstance(piece, Text)]
            shown.append("\n".join([head, preview(part.text, _RESULT_HEAD_CHARS, _RESULT_TAIL_CHARS), *media]))
            whole.append(f"{name} {part.text}")
        elif isinstance(part, Media | Opaque):
            shown.append(_placeholder(part))
    said = message.text
    own = tuple(user_spans(said)) if message.role in ("user", "system") else ()
    return Line(seq, message.role, "\n".join(text for text in shown if text), said, own, "\n".join(whole))


def gone_line(seq: int, role: Role) -> Line:
    """A message whose text was erased on purpose."""
    return Line(seq, role, "[erased]", "", (), "")


def written(line: Line, text: str, part: str = "") -> str:
    """The line in the transcript. Only a line of ours begins at the margin, so that no text can fake a neighbor."""
    return f"#{line.seq} {line.role}{part}: " + text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\n  ")


def _placeholder(part: Media | Opaque | Text) -> str:
    if isinstance(part, Media):
        size = f", {part.size_bytes:,} bytes" if part.size_bytes else ""
        return f"[{part.kind}{' ' + part.media_type if part.media_type else ''}{size}]"
    return f"[{part.kind}]" if isinstance(part, Opaque) else part.text
