"""How tables look."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

_PIPE_WIDTH = 160  # columns; a pipe has no width of its own, and 80 would break every row


def console() -> Console:
    """Standard output as it is now; wide where it is no terminal."""
    out = Console()
    return out if out.is_terminal else Console(width=_PIPE_WIDTH)


def make_table(title: str, columns: Sequence[str], left: Collection[int] = ()) -> Table:
    """A plain table; columns are numbers, set to the right, except those in `left`."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for n, column in enumerate(columns):
        table.add_column(column, justify="left" if n in left else "right", overflow="fold")
    return table
