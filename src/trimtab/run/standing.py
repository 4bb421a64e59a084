"""Where a run stands as it begins, and after a detector had it go back: calls without results, a reply that nobody heeded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, TypeAlias

from trimtab.core.drift import Flag
from trimtab.core.entries import Judged
from trimtab.core.messages import ToolCall
from trimtab.errors import PinnedOverflow
from trimtab.run.calling import INTERRUPTED, MOST_CALLS, NOT_RUN, Answered, as_text
from trimtab.run.work import Work
from trimtab.session import Session

Since: TypeAlias = Literal["", "begun", "resumed"]
_SINCE: dict[str, Since] = {"task": "begun", "task_resumed": "resumed"}


def since_newest(session: Session) -> Since:
    """Whether the task was begun or resumed after the newest message: what was said before is not of it. "" for neither."""
    newest = max(session.state.nodes, default=0)
    kinds = [row.kind for row in session.store.load(session._key, newest) if session.state.contains(row.seq)]
    return next((_SINCE[kind] for kind in reversed(kinds) if kind in _SINCE), "")


def was_judged(session: Session, seq: int) -> bool:
    """Whether the verifier was asked about the work since an entry, with or without a verdict."""
    rows = [row for row in session.store.load(session._key, seq) if row.kind == "judged" and session.state.contains(row.seq)]
    entries = [session._lane.decoded(row) for row in rows]
    return any(isinstance(entry, Judged) and entry.kind != "interruption" for entry in entries)


def user_spoke_last(session: Session) -> bool:
    """Whether the newest message is the user's own."""
    unit = session.state.units[-1] if session.state.units else None
    return unit is not None and unit.role == "user" and unit.opens_turn


def last_reply(session: Session) -> str:
    """The text of the newest message, where it is a reply without a call that nothing followed; else ""."""
    unit = session.state.units[-1] if session.state.units else None
    if unit is None or unit.role != "assistant" or unit.calls:
        return ""
    said = session.read(f"#{unit.nodes[-1]}")
    return "null" if said is None else as_text(said)


def is_exchange_newest(session: Session) -> bool:
    """Whether a reply, perhaps with results, is the newest; what follows it lets it leave a prompt."""
    unit = session.state.units[-1] if session.state.units else None
    return unit is not None and unit.role == "assistant"


def too_large(session: Session, error: PinnedOverflow) -> str:
    """Why a run stops whose prompt cannot be made to fit, and what to do."""
    largest = ", ".join(f"{name} {tokens}" for name, tokens in error.largest.items())
    ways = ["a larger window (budget.window_tokens)"]
    if "tools" in error.largest:
        ways.append("fewer tools, or tools with shorter descriptions")
    name = checkpoint_name(session)
    if name:
        ways.append(f"going back: session.rollback({name!r})")
    return (
        f"the prompt does not fit: what must be in it needs {error.needed_tokens} tokens, and {error.budget_tokens} may be; "
        f"largest: {largest}; what helps: {'; '.join(ways)}"
    )


async def answer_open_calls(work: Work, run: Callable[[ToolCall], Awaitable[Answered]], known: Mapping[str, Answered]) -> None:
    """Calls that have no result get one: the one that is known, else by running them again where that does no harm, else the
    fixed text. Those beyond the most that are run were not begun."""
    rows = []
    for place, call in enumerate(work.session.open_calls()):
        row = known.get(call.call_id)
        if row is None and place >= MOST_CALLS:
            row = Answered(call=call, text=NOT_RUN + work.words.too_many, is_error=True)
        if row is None:
            again = work.desk.may_run_again(call.name)
            row = await run(call) if again else Answered(call=call, text=INTERRUPTED, is_error=True)
        rows.append(row)
    if rows:
        work.record(rows)


def to_go_back(session: Session) -> list[Flag]:
    """The flags for which the next prompt goes back to the newest checkpoint."""
    flags = session.flags()
    back = [flag for flag in flags if flag.answer == "rollback"]
    stops = any(flag.answer == "stop" for flag in flags)
    begun = session.state.task.seq if session.state.task is not None else 0
    own = any(seq >= begun for seq in session.state.checkpoints.values())
    return back if back and own and not stops else []


def checkpoint_name(session: Session) -> str:
    """The newest one."""
    checkpoints = session.state.checkpoints
    return max(checkpoints, key=lambda name: checkpoints[name], default="")
