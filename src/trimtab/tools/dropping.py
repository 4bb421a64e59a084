"""Handlers that take things out of the prompt."""

from __future__ import annotations

from typing import Any

from trimtab.session.dropping import DropReport
from trimtab.tools.arguments import BadArgument
from trimtab.tools.desk import Desk

_WAYS = ("range", "ids", "kind")
_MOST_REFUSALS, _MOST_NUMBERS = 8, 12
# words of the session's refusals that call for a hint
_UNSAVED, _RULE = "saved nowhere", "that stands"


def drop_history(desk: Desk, args: dict[str, Any]) -> str:
    ways = [way for way in _WAYS if way in args]
    if len(ways) != 1:
        given = " and ".join(ways) + " were given" if ways else "none was given"
        raise BadArgument(
            f"say which messages by exactly one of {', '.join(_WAYS)}; {given}. Example: {desk.call('drop_history', ids=[12])}"
        )
    first, last = args.get("range", (None, None))
    report = desk.session.drop_history(
        first=first,
        last=last,
        seqs=tuple(args.get("ids", ())),
        kind=args.get("kind"),
        force=args.get("force", False),
        why=args.get("why", ""),
        author="agent",
    )
    return desk.capped("\n".join(_told(desk, report)))


def clear_scratchpad(desk: Desk, args: dict[str, Any]) -> str:
    report = desk.session.clear_scratchpad()
    if not report.dropped and not report.refused:
        return "nothing to clear: there are no large tool results before the newest exchange"
    return desk.capped("\n".join(_told(desk, report)))


def _told(desk: Desk, report: DropReport) -> list[str]:
    lines = []
    if report.dropped:
        count = len(report.dropped)
        lines.append(
            f"dropped {count} message{'' if count == 1 else 's'} ({_numbers(report.dropped)}), about {report.freed_tokens:,} tokens freed; "
            f"the whole texts stay readable, for example {desk.call('read_variable', name=f'#{report.dropped[-1]}')}"
        )
    elif not report.refused:
        lines.append("nothing dropped: no message in the prompt is meant by that")
    lines += [f"#{refusal.seq} stays: {refusal.why}" for refusal in report.refused[:_MOST_REFUSALS]]
    if len(report.refused) > _MOST_REFUSALS:
        lines.append(f"and {len(report.refused) - _MOST_REFUSALS} more stay")
    whys = " ".join(refusal.why for refusal in report.refused)
    if _UNSAVED in whys:
        lines.append(
            f"Save it first: {desk.call('write_note', key='...', value='the conclusion and its source')}, then drop again; "
            "force=true only for a conclusion that proved wrong or worthless."
        )
    if _RULE in whys:
        lines.append("Rules and decisions are the user's: you cannot drop them.")
    return lines


def _numbers(seqs: tuple[int, ...]) -> str:
    """Numbers in a row as one range."""
    ranges: list[list[int]] = []
    for seq in seqs:
        if ranges and seq == ranges[-1][1] + 1:
            ranges[-1][1] = seq
        else:
            ranges.append([seq, seq])
    shown = [f"#{first}" if first == last else f"#{first}..#{last}" for first, last in ranges]
    more = f" and {len(shown) - _MOST_NUMBERS} more" if len(shown) > _MOST_NUMBERS else ""
    return ", ".join(shown[:_MOST_NUMBERS]) + more
