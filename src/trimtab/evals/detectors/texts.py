"""What tools answer and agents ask, as spliced runs tell it: texts of the world, not of a detector.

Two sets that share nothing: thresholds and wordings are chosen on runs told with the one, figures are given on runs told with
the other, which was written by somebody who had not seen the detectors, nor their author it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from trimtab.evals.detectors.runs import Half


class Waits(Struct, frozen=True):
    """How agents wait: calls, each a tool with its arguments as JSON, and what such a call answers until it is over."""

    tools: tuple[tuple[str, str], ...]
    pending: tuple[str, ...]


class Texts(Struct, frozen=True):
    """One set.

    Attributes:
        errors: by language; {what} is told from the arguments, {id} and {at} differ each time.
        instructions: groups of paraphrases of one request.
        polling: see `Waits`; {pct}, {id} and {at} differ where there is headway.
        paging: a tool with the arguments of its pages, in order, as JSON.
    """

    errors: dict[str, tuple[str, ...]]
    instructions: tuple[tuple[str, ...], ...]
    polling: Waits
    paging: tuple[tuple[str, tuple[str, ...]], ...]


@cache
def texts_of(half: Half) -> Texts:
    """The set of a half; of `all` that of `report`."""
    name = "texts_tune.json" if half == "tune" else "texts_report.json"
    return msgspec.json.decode(files(__package__).joinpath(name).read_bytes(), type=Texts)
