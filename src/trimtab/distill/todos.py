"""Work that is still to be done, where it is called so: boxes, "to do:", "next step is", 待办, 接下来."""

from __future__ import annotations

import re

OPEN_BOX = "[ ]"
_TODO = re.compile(
    r"^\[ \] ?\w|\bto-?do\s*:|\bremind me to\b|\bnext steps?(?: is| are|:)|\b(?:still|also) (?:needs?|have|has|need) to be\b|\bstill (?:need|have) to\b"
    r"|\bremaining (?:work|tasks?|steps?|items?)\b|\bleft to do\b"
    r"|\b(?:later|afterwards|next|tomorrow)(?: on)?,? (?:i'll|i will|we'll|we will|we need|we should|i need|you should|you need)\b"
    r"|待办|下一步|还需要?(?:做|把|再|完成|补|处理|改)|接下来(?:要|需|我会|再|应)|提醒我|尚需|剩下的(?:工作|任务|步骤)|稍后(?:再|要|需)|之后(?:还要|再|需要)"
    r"|尚未完成|回头(?:再|把)"
)
_LONGEST = 300  # characters


def is_todo(sentence: str) -> bool:
    """Whether the sentence names work that is still to be done; a heading over a list is none itself."""
    if len(sentence) > _LONGEST or sentence.rstrip().endswith((":", "：")):
        return False
    return bool(_TODO.search(sentence.lower().replace("’", "'")))
