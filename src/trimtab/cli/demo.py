"""`trimtab demo`: the same agent run under every mode, side by side, in a few seconds and without a network."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli.exits import Refused, told
from trimtab.settings import Layout, Mode

if TYPE_CHECKING:
    from trimtab.cli.baselines import Rounds
    from trimtab.cli.play import Play
    from trimtab.cli.report import Row

MODEL = "gpt-4o"
DEFAULT_WINDOW_TOKENS = 32_000
DEFAULT_DB = "trimtab-demo.db"
RUNS: tuple[tuple[Mode, Layout], ...] = (
    ("window", "cache_first"),
    ("compact", "cache_first"),
    ("retrieval", "cache_first"),
    ("hierarchical", "cache_first"),
    ("auto", "cache_first"),
    ("hierarchical", "state_first"),
    ("auto", "state_first"),
)
_BASELINES = 2
_SHOWN_ROUNDS = (10, 20, 30)
_LEGEND = """\
tokens at N: of request N, tools included, and their share of the unmanaged history's. kept: last request over all tokens produced.
constraints, facts: how many stand word for word in every prompt that needs them. cached: share of the tokens sent that repeat the
beginning of the prompt before. cost: fresh tokens + cached tokens / 10, against the unmanaged history."""
# the real run: a coding agent's, long enough to need managing
_LEAST_STEPS, _MOST_STEPS = 35, 45


@click.command("demo")
@click.option(
    "--window", type=click.IntRange(min=1), default=DEFAULT_WINDOW_TOKENS, show_default=True, help="The model's window in tokens."
)
@click.option(
    "--keep", type=click.Path(dir_okay=False, path_type=Path), default=DEFAULT_DB, show_default=True, help="Database to leave; replaced."
)
@click.option("--json", "as_json", is_flag=True, help="The table as JSON.")
def command(window: int, keep: Path, as_json: bool) -> None:
    """Play a 30-round agent transcript through each mode and compare tokens, cost and what survives.

    Where the folder TRIMTAB_DATA (else ../shared/data) holds transcripts, one real run is played as well.
    """
    _make_room(keep)
    with told():
        plays = _plays()
        with _progress(len(plays) * (len(RUNS) + _BASELINES)) as step:
            tables = {play.name: _rows(play, window, keep, step) for play in plays}
    if as_json:
        import msgspec

        click.echo(json.dumps({name: msgspec.to_builtins(rows) for name, rows in tables.items()}, ensure_ascii=False, indent=1))
        return
    for play in plays:
        _print(play, tables[play.name], window)
    click.echo(_LEGEND)
    click.echo(f"\ndatabase: {keep}   try:")
    for options in ("", " --request 30", " --request 30 --why", " --request 30 --left-out"):
        click.echo(f"  trimtab show {keep} {session_name('leads', 'auto', 'cache_first')}{options}")


def session_name(play: str, mode: str, layout: str) -> str:
    return f"{play}-{mode}-{layout}"


def _make_room(path: Path) -> None:
    """Remove the database of an earlier demo; refuse to touch a file that is none."""
    if not path.exists():
        return
    if not _is_ours(path):
        raise Refused(f"{path} is there and is no database of trimtab; name another with --keep")
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        name.unlink(missing_ok=True)


def _is_ours(path: Path) -> bool:
    if path.stat().st_size == 0:
        return True
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            names = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError:
        return False
    return {"entries", "lanes"} <= names


def _plays() -> list[Play]:
    from trimtab.cli.play import demo_play, history_play
    from trimtab.cli.readers import read_histories

    plays = [demo_play()]
    named = os.environ.get("TRIMTAB_DATA")
    folder = (Path(named) if named else Path.cwd().parent / "shared" / "data") / "transcripts" / "multiswe"
    found = [history_play(read_histories(path)[0]) for path in sorted(folder.glob("*.traj"))]
    fitting = [play for play in found if _LEAST_STEPS <= len(play.rounds) <= _MOST_STEPS]
    if fitting:
        longest = max(fitting, key=lambda play: sum(len(message["content"]) for new in play.rounds for message in new))
        import msgspec

        plays.append(msgspec.structs.replace(longest, name="code"))
    return plays


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """A live bar on standard error where that is a terminal; otherwise silence."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda words: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(TextColumn("{task.description:<34}"), BarColumn(), TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task("", total=total)

        def step(words: str) -> None:
            bar.update(task, advance=1, description=words)

        yield step


def _rows(play: Play, window: int, db: Path, step: Callable[[str], None]) -> list[Row]:
    from trimtab.cli.baselines import SLIDING_MESSAGES, sliding, unmanaged
    from trimtab.cli.play import counted
    from trimtab.cli.report import row

    history = counted(play, MODEL)
    everything, last_few = unmanaged(history), sliding(history)
    rows = [
        row("none (unmanaged)", "-", everything, play.claims, everything),
        row(f"last {SLIDING_MESSAGES} messages", "-", last_few, play.claims, everything),
    ]
    step(f"{play.name}: baselines")
    step(f"{play.name}: baselines")
    for mode, layout in RUNS:
        requests = _played(play, history, db, (mode, layout, window))
        rows.append(row(mode, layout, requests, play.claims, everything))
        step(f"{play.name}: {mode}, {layout}")
    return rows


def _played(play: Play, history: Rounds, db: Path, how: tuple[Mode, Layout, int]) -> list[Any]:
    from trimtab import Session
    from trimtab.cli.play import played
    from trimtab.core.target import Target
    from trimtab.settings import Budget, Settings

    mode, layout, window = how
    settings = Settings(mode=mode, layout=layout, budget=Budget(window_tokens=window))
    with Session.open(
        str(db), session_name(play.name, mode, layout), settings=settings, target=Target(model=MODEL, wire=play.wire)
    ) as session:
        return list(played(play, history, session))


def _print(play: Play, rows: list[Row], window: int) -> None:
    from trimtab.cli.tables import console, make_table

    title = f"{play.name}: {rows[0].requests} requests, window {window:,}, tokens by {MODEL}'s own tokenizer"
    shown = [n for n in _SHOWN_ROUNDS if n in rows[0].tokens_at]
    columns = ("mode", "layout", *(f"tokens at {n}" for n in shown), "kept", "constraints", "facts", "cached", "cost", "ms/request")
    table = make_table(title, columns, left=(0, 1))
    for row in rows:
        table.add_row(*_cells(row, shown))
    out = console()
    out.print(table)
    if rows[0].largest_tokens > window:
        out.print(
            f"The unmanaged history ends at {rows[0].largest_tokens:,} tokens, past the window: a provider would refuse it.",
            highlight=False,
        )
    out.print()


def _cells(row: Row, shown: list[int]) -> list[str]:
    def share(pair: tuple[int, int]) -> str:
        return f"{pair[0]}/{pair[1]}" if pair[1] else "-"

    return [
        row.mode,
        row.layout,
        *(f"{row.tokens_at[n][0]:,} ({row.tokens_at[n][1]:.0%})" for n in shown),
        f"{row.kept_ratio:.0%}",
        share(row.constraints),
        share(row.facts),
        f"{row.cached_ratio:.0%}",
        f"{row.cost_ratio:.2f}x",
        f"{row.ms:.1f}" if row.ms else "-",
    ]
