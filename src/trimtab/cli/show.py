"""`trimtab show`: what a session's requests were, and why each piece was in them or left out."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli.exits import Refused, told

if TYPE_CHECKING:
    from trimtab.core.plan import Decision, Reason, Segment
    from trimtab.session import Prompt, Session

_TENANT = _PROJECT = "default"
_FIRST_CHARS = 72

WHY: dict[Reason, str] = {
    "instructions": "the client's own system text",
    "pinned": "pinned by the caller or by a rule",
    "opened_turn": "the user message that opened the current turn",
    "current_input": "what this request is about",
    "recent": "among the rounds that the mode keeps",
    "open_call": "belongs to a call that waits for its result",
    "large_result": "too large to enter the prompt whole",
    "result_used": "a tool result that the model has had its use of",
    "oversized": "one message larger than its share",
    "left_window": "older than the last rounds that the mode keeps",
    "trigger": "the history passed the trigger",
    "rounds": "more rounds than the mode keeps",
    "over_budget": "the prompt would not have fitted",
    "reasoning_unbound": "reasoning whose prefix changed",
    "matched": "recalled for the current input",
    "state": "made from the session's state",
    "repaired": "added so that the provider takes the prompt",
    "translated": "the same message in another wire form",
    "escaped": "look-alikes of our fences made harmless",
    "late_result": "a result that came after its call had been given up",
    "replaced": "a newer result of the same call stands in its place",
    "empty": "a message that says nothing, which providers refuse",
    "client_changed": "the client's own system text or tools changed",
    "asked": "the caller asked to assemble the prompt anew",
    "dropped": "the agent or the caller needs it no more",
    "needed": "the current step reads it, or a step is declared to need it",
    "no_progress": "cuts left the history over its trigger, so another way was taken",
    "undone": "a compaction was taken back",
    "new_target": "another model, wire form or layout than the last request",
}


@click.command("show")
@click.argument("db", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("session")
@click.option("--request", "number", type=click.IntRange(min=1), help="Number of one request.")
@click.option("--why", is_flag=True, help="For each piece, why it is in.")
@click.option("--left-out", is_flag=True, help="What was left out or shortened, and why.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(db: Path, session: str, number: int | None, why: bool, left_out: bool, as_json: bool) -> None:
    """Show the requests of SESSION in the database DB, or one of them piece by piece.

    --why and --left-out are about the last request where no --request is given.
    """
    with told(), _opened(db, session) as opened:
        if not opened.last_request:
            raise Refused(f"session {session!r} has made no request yet")
        if number is None and not (why or left_out):
            _show_list(opened, session, as_json)
            return
        wanted = number or opened.last_request
        if wanted > opened.last_request:
            raise Refused(f"session {session!r} has no request {wanted}; there are: 1 to {opened.last_request}")
        _show_one(opened.request(wanted), session, as_json, parts=(why, left_out))


def _opened(db: Path, session: str) -> Session:
    """The session, if it is there: opening would make a new one otherwise."""
    from trimtab import Session
    from trimtab.stores import open_store

    store = open_store(db)
    try:
        known = sorted({key.session_id for key in store.sessions(_TENANT, _PROJECT) if not key.session_id.startswith("@")})
    finally:
        store.close()
    if session not in known:
        raise Refused(f"no session {session!r} in {db}; there are: {', '.join(known) or 'none'}")
    return Session.open(str(db), session)


def _show_list(session: Session, name: str, as_json: bool) -> None:
    prompts = [session.request(number) for number in range(1, session.last_request + 1)]
    rows = [
        {
            "number": prompt.number,
            "tokens": prompt.tokens,
            "budget_tokens": prompt.budget.prompt_budget_tokens,
            "epoch": prompt.epoch,
            "common_prefix_tokens": prompt.common_prefix_tokens,
            "cuts": list(prompt.cuts),
            "break_reason": prompt.break_reason,
        }
        for prompt in prompts
    ]
    if as_json:
        click.echo(json.dumps({"session": name, "requests": rows}, ensure_ascii=False, indent=1))
        return
    from trimtab.cli.tables import console, make_table

    table = make_table(f"session {name}", ("request", "tokens", "budget", "epoch", "prefix", "cuts", "prefix broken by"), left=(5, 6))
    for row in rows:
        table.add_row(
            *(
                ", ".join(value) if isinstance(value, list) else f"{value:,}" if isinstance(value, int) else str(value)
                for value in row.values()
            )
        )
    console().print(table)


def _piece(prompt: Prompt, segment: Segment) -> dict[str, Any]:
    return {
        "section": segment.section,
        "place": segment.place,
        "tokens": segment.tokens,
        "reason": segment.reason,
        "action": segment.action,
        "pinned": segment.pinned,
        "source": segment.source,
        "memory": segment.memory,
        "origin": list(segment.origin),
        "words": first_words(prompt.text_of(segment)),
    }


def _decision(decision: Decision) -> dict[str, Any]:
    found = {"first_seq": decision.first_seq, "last_seq": decision.last_seq, "action": decision.action, "reason": decision.reason}
    return found | ({"scores": decision.scores} if decision.scores else {})


def first_words(text: str) -> str:
    """The beginning of a piece on one line; of a message's JSON, its texts."""
    if text[:1] in "[{":
        with suppress(ValueError):  # a text may begin with a bracket
            text = " ".join(_said(json.loads(text)))
    flat = " ".join(text.split())
    return flat if len(flat) <= _FIRST_CHARS else flat[: _FIRST_CHARS - 1] + "…"


def _said(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [
            text for key, item in value.items() if key not in {"role", "type", "id", "tool_call_id", "tool_use_id"} for text in _said(item)
        ]
    return [text for item in value for text in _said(item)] if isinstance(value, list) else []


def _show_one(prompt: Prompt, name: str, as_json: bool, parts: tuple[bool, bool]) -> None:
    why, left_out = parts
    if as_json:
        click.echo(json.dumps(_whole(prompt, name), ensure_ascii=False, indent=1))
        return
    from trimtab.cli.tables import console

    out = console()
    cuts = f", cuts: {', '.join(prompt.cuts)}" if prompt.cuts else ""
    broken = f", prefix broken by: {prompt.break_reason}" if prompt.break_reason else ""
    out.print(
        f"session {name}, request {prompt.number}, epoch {prompt.epoch}: {prompt.tokens:,} tokens, density {prompt.density:.0%}{cuts}{broken}",
        markup=False,
    )
    if not (why or left_out):
        _print_sections(prompt)
    if why or not left_out:
        _print_pieces(prompt, why)
    if left_out:
        _print_left_out(prompt)


def _whole(prompt: Prompt, name: str) -> dict[str, Any]:
    import msgspec

    return {
        "session": name,
        "number": prompt.number,
        "epoch": prompt.epoch,
        "tokens": prompt.tokens,
        "density": round(prompt.density, 4),
        "common_prefix_tokens": prompt.common_prefix_tokens,
        "break_reason": prompt.break_reason,
        "cuts": list(prompt.cuts),
        "sections": dict(prompt.sections),
        "budget": msgspec.structs.asdict(prompt.budget),
        "pieces": [_piece(prompt, segment) for segment in prompt.segments],
        "left_out": [_decision(decision) for decision in prompt.left_out],
    }


def _print_sections(prompt: Prompt) -> None:
    from trimtab.cli.tables import console, make_table

    table = make_table("sections", ("section", "tokens", "share"), left=(0,))
    for section, tokens in prompt.sections.items():
        if tokens:
            table.add_row(section, f"{tokens:,}", f"{tokens / prompt.tokens:.0%}")
    out = console()
    out.print(table)
    out.print("budget", *(f"  {text}" for text in prompt.budget.lines()), sep="\n", markup=False, highlight=False)
    out.print()


def _print_pieces(prompt: Prompt, why: bool) -> None:
    from rich.markup import escape

    from trimtab.cli.tables import console, make_table

    columns = ("", "section", "tokens", "action", "entries", "reason", "why it is in" if why else "first words")
    table = make_table("pieces, in the order of the prompt", columns, left=(1, 3, 4, 5, 6))
    for n, segment in enumerate(prompt.segments, 1):
        first, last = segment.origin
        entries = "-" if not last else f"{first}" if first == last else f"{first}-{last}"
        about = (
            WHY[segment.reason] + (", pinned" if segment.pinned and segment.reason != "pinned" else "")
            if why
            else first_words(prompt.text_of(segment))
        )
        table.add_row(str(n), segment.section, f"{segment.tokens:,}", segment.action, entries, segment.reason, escape(about))
    console().print(table)


def _print_left_out(prompt: Prompt) -> None:
    from trimtab.cli.tables import console, make_table

    table = make_table("left out or shortened", ("entries", "action", "reason", "why"), left=(0, 1, 2, 3))
    for decision in prompt.left_out:
        first, last = decision.first_seq, decision.last_seq
        table.add_row(f"{first}" if first == last else f"{first}-{last}", decision.action, decision.reason, WHY[decision.reason])
    out = console()
    if prompt.left_out:
        out.print(table)
    else:
        out.print("nothing was left out")
