"""How commands fail: one line on standard error, exit code 2, never a traceback for what the user can mend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from trimtab.errors import TrimtabError


class Refused(click.ClickException):
    """What the user asked for cannot be done; the message says why and what to do."""

    exit_code = 2


@contextmanager
def told() -> Iterator[None]:
    """Turn an error of this package into a line that begins with its type."""
    try:
        yield
    except TrimtabError as error:
        raise Refused(f"{type(error).__name__}: {error}") from error
