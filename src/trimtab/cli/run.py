"""`trimtab run`: play a history from a file and print what each request would have been."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli.exits import Refused, told
from trimtab.settings import LAYOUTS, MODES

if TYPE_CHECKING:
    from trimtab.cli.play import Play
    from trimtab.cli.report import Request

DEFAULT_WINDOW_TOKENS = 32_000
_WIRES = ("openai_chat", "openai_responses", "anthropic")
# a model whose tokenizer stands for the form where none is named
_MODELS = {"openai_chat": "gpt-4o", "openai_responses": "gpt-4o", "anthropic": "claude-sonnet-4-5"}


@click.command("run")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help="Which policy decides.")
@click.option("--layout", type=click.Choice(LAYOUTS), default="state_first", show_default=True, help="Where changing sections stand.")
@click.option(
    "--window", type=click.IntRange(min=1), default=DEFAULT_WINDOW_TOKENS, show_default=True, help="The model's window in tokens."
)
@click.option("--model", help="Model whose tokenizer counts; by default one of the file's form.")
@click.option("--wire", type=click.Choice(_WIRES), help="Form of the prompts; by default that of the file.")
@click.option("--db", type=click.Path(dir_okay=False, path_type=Path), help="Keep the database here; by default it is gone at the end.")
@click.option("--session", help="Name of the session; several sessions in a file become NAME-1, NAME-2 ...")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a request.")
def command(file: Path, as_json: bool, **options: Any) -> None:
    """Play the history in FILE, one request before every reply, and print each request's tokens.

    FILE is OpenAI chat JSON or JSONL, Anthropic form, a SWE-agent .traj, a tau-bench result or a Claude Code log.
    """
    from trimtab.cli.play import history_play
    from trimtab.cli.readers import read_histories

    with told():
        plays = [history_play(history) for history in read_histories(file)]
    names = _names(plays, options["session"])
    several = len(plays) > 1
    for name, play in zip(names, plays, strict=True):
        with told():
            requests = _requests(play, name, options)
            if as_json:
                _print_lines(requests, name if several else "")
            else:
                _print_table(requests, name)


def _names(plays: list[Play], session: str | None) -> list[str]:
    if session is None:
        return [play.name for play in plays]
    return [session] if len(plays) == 1 else [f"{session}-{n}" for n in range(1, len(plays) + 1)]


def _requests(play: Play, name: str, options: dict[str, Any]) -> Iterator[Request]:
    from trimtab import Session
    from trimtab.cli.play import counted, in_wire, played
    from trimtab.core.target import Target
    from trimtab.settings import Budget, Settings

    wire = options["wire"] or play.wire
    model = options["model"] or _MODELS[wire]
    settings = Settings(mode=options["mode"], layout=options["layout"], budget=Budget(window_tokens=options["window"]))
    target = Target(model=model, wire=wire)
    path = str(options["db"]) if options["db"] else ":memory:"
    history = counted(play, model)
    play = in_wire(play, wire)
    with Session.open(path, name, settings=settings, target=target) as session:
        if session.last_request:
            raise Refused(f"session {name!r} is in {path} already, with {session.last_request} requests; choose another with --session")
        yield from played(play, history, session)


def line(request: Request) -> dict[str, Any]:
    """The JSON line of one request."""
    return {
        "round": request.number,
        "raw_tokens": request.raw_tokens,
        "prompt_tokens": request.tokens,
        "budget_tokens": request.budget_tokens,
        "sections": request.sections,
        "cuts": list(request.cuts),
        "common_prefix_tokens": request.prefix_tokens,
        "ms": round(request.ms, 3),
    }


def _print_lines(requests: Iterable[Request], session: str) -> None:
    for request in requests:
        row = {"session": session} | line(request) if session else line(request)
        click.echo(json.dumps(row, ensure_ascii=False))


def _print_table(requests: Iterable[Request], name: str) -> None:
    from trimtab.cli.tables import console, make_table

    table = make_table(name, ("round", "raw", "prompt", "budget", "of raw", "prefix", "ms", "cuts", "sections"), left=(7, 8))
    for request in requests:
        sections = ", ".join(f"{section} {tokens:,}" for section, tokens in request.sections.items() if tokens)
        table.add_row(
            str(request.number),
            f"{request.raw_tokens:,}",
            f"{request.tokens:,}",
            f"{request.budget_tokens:,}",
            f"{request.tokens / request.raw_tokens:.0%}" if request.raw_tokens else "-",
            f"{request.prefix_tokens:,}",
            f"{request.ms:.1f}",
            ", ".join(request.cuts),
            sections,
        )
    console().print(table)
