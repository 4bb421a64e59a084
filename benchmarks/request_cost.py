"""CPU milliseconds a request, beside LangChain's `trim_messages`, in one run. Run it with `make bench`.

Ours: one session on a file database that lives through 20,000 messages, a request after every second one. Timed is
what an agent waits for: `record` of the two new messages, `prompt`, `render`; every decision and every request is
stored. LangChain's: `trim_messages` over the whole history and two new messages, to the same budget; it stores nothing.
*idle* is a request at which nothing fires, *firing* one at which a compaction does.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from platform import python_version
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import msgspec
from msgspec import Struct

from benchmarks.history import SYSTEM, TOOLS, Json, opening, steps
from trimtab import Budget, Prompt, Session, Settings, Target

SIZES = (200, 2_000, 20_000)
IDLE_SPAN_MESSAGES = 200  # idle requests are taken from this stretch after each size
FIRINGS = 5  # compactions taken after each size
# at 32,000 the first compaction comes before message 200, so that all three sizes are past it
WINDOWS_TOKENS = (32_000, 128_000)
BLOCK_STEPS = 700  # bytes stored are compared between blocks that hold several compactions each
BLOCKS = 7  # from step 100 to step 5,000
FIRST_BLOCK_STEP = 100
SESSION = "request-cost"


class Step(Struct, frozen=True):
    """One request of ours. `stored_bytes` is the size of the database after it, 0 where it was not looked at."""

    messages: int
    cpu_ms: float
    compacted: bool
    idle: bool
    prompt_tokens: int
    stored_bytes: int


class Row(Struct, frozen=True):
    """Median CPU milliseconds at one size; None where there was no such request."""

    messages: int
    idle_ms: float | None
    firing_ms: float | None
    prompt_tokens: int
    langchain_ms: dict[str, float] = {}
    langchain_body_ms: dict[str, float] = {}


class Report(Struct, frozen=True, kw_only=True):
    """One window's figures. `bytes_a_step` are means over the blocks from step 100 to step 5,000."""

    window_tokens: int
    budget_tokens: int
    rows: list[Row]
    bytes_a_step: list[float]
    bytes_spread_ratio: float
    open_cpu_ms: float
    open_wall_ms: float
    compactions: int
    python: str


def open_session(path: Path, window_tokens: int) -> Session:
    settings = Settings(mode="auto", budget=Budget(window_tokens=window_tokens))
    return Session.open(str(path), SESSION, settings=settings, target=Target(model="gpt-5", wire="openai_chat"))


def timed_request(session: Session, pair: Sequence[Json]) -> tuple[Prompt, float]:
    started = process_time()
    session.record(*pair)
    prompt = session.prompt(tools=TOOLS, system=SYSTEM)
    prompt.render()
    return prompt, (process_time() - started) * 1_000


def live_bytes(path: Path) -> int:
    """Bytes of the pages in use, as another reader sees them."""
    with sqlite3.connect(path) as reader:
        pages, free, page_bytes = (
            int(reader.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "freelist_count", "page_size")
        )
    reader.close()
    return (pages - free) * page_bytes


def enough(life: Sequence[Step], last_size: int) -> bool:
    after = [step for step in life if step.messages >= last_size]
    return bool(after) and (sum(step.compacted for step in after) >= FIRINGS or after[-1].messages >= last_size + 4_000)


def live(path: Path, window_tokens: int, last_size: int) -> tuple[list[Step], int]:
    """Play one session until it is past `last_size` messages. Returns its requests and the prompt budget in tokens."""
    looked_at = {FIRST_BLOCK_STEP + BLOCK_STEPS * block for block in range(BLOCKS + 1)}
    life: list[Step] = []
    budget_tokens = 0
    with open_session(path, window_tokens) as session:
        session.record(opening())
        for number, pair in enumerate(steps(), 1):
            prompt, cpu_ms = timed_request(session, pair)
            stored = live_bytes(path) if number in looked_at else 0
            life.append(Step(1 + 2 * number, cpu_ms, "compaction" in prompt.cuts, not prompt.cuts, prompt.tokens, stored))
            budget_tokens = prompt.budget.prompt_budget_tokens
            if number % 100 == 0 and enough(life[-2_500:], last_size):
                return life, budget_tokens
    raise AssertionError("the history never ends")


def row_at(life: Sequence[Step], size: int) -> Row:
    after = [step for step in life if step.messages >= size]
    idle = [step for step in after if step.idle and step.messages < size + IDLE_SPAN_MESSAGES]
    firing = [step.cpu_ms for step in after if step.compacted][:FIRINGS]
    past_first = any(step.compacted for step in life if step.messages < size)
    return Row(
        size,
        median(step.cpu_ms for step in idle) if idle else None,
        median(firing) if firing and past_first else None,
        round(median(step.prompt_tokens for step in idle)) if idle else 0,
    )


def with_langchain(row: Row, budget_tokens: int) -> Row:
    from benchmarks.langchain_trim import COUNTERS, request_cost

    costs = {name: request_cost(row.messages, budget_tokens, name, repeats=15) for name in COUNTERS}
    trims = {name: cost.trim_ms for name, cost in costs.items()}
    bodies = {name: cost.body_ms for name, cost in costs.items()}
    return Row(row.messages, row.idle_ms, row.firing_ms, row.prompt_tokens, trims, bodies)


def opening_ms(path: Path, window_tokens: int) -> tuple[float, float]:
    """CPU and wall milliseconds to open a session, median of five."""
    cpu, wall = [], []
    for _ in range(5):
        cpu_start, wall_start = process_time(), perf_counter()
        session = open_session(path, window_tokens)
        wall.append((perf_counter() - wall_start) * 1_000)
        cpu.append((process_time() - cpu_start) * 1_000)
        session.close()
    return median(cpu), median(wall)


def measure(window_tokens: int, sizes: Sequence[int]) -> Report:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "cost.db"
        life, budget_tokens = live(path, window_tokens, max(sizes))
        open_cpu_ms, open_wall_ms = opening_ms(path, window_tokens)
    stored = [step.stored_bytes for step in life if step.stored_bytes]
    a_step = [(after - before) / BLOCK_STEPS for before, after in pairwise(stored)]
    rows = [row_at(life, size) for size in sizes]
    if find_spec("langchain_core"):
        rows = [with_langchain(row, budget_tokens) for row in rows]
    return Report(
        window_tokens=window_tokens,
        budget_tokens=budget_tokens,
        rows=rows,
        bytes_a_step=a_step,
        bytes_spread_ratio=(max(a_step) - min(a_step)) / (sum(a_step) / len(a_step)) if a_step else 0.0,
        open_cpu_ms=open_cpu_ms,
        open_wall_ms=open_wall_ms,
        compactions=sum(step.compacted for step in life),
        python=python_version(),
    )


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def table(report: Report) -> list[str]:
    counters = list(report.rows[0].langchain_ms)
    columns = ["messages", "prompt tokens", "idle", "firing", *(f"LangChain, {name}" for name in counters)]
    lines = [f"| {' | '.join(columns)} |", "|" + " ---: |" * len(columns)]
    for row in report.rows:
        theirs = [f"{row.langchain_ms[name]:.2f} ({row.langchain_body_ms[name]:.2f})" for name in counters]
        idle = number(row.idle_ms) + ("" if row.firing_ms else " (before the first compaction)")
        cells = [f"{row.messages:,}", f"{row.prompt_tokens:,}", idle, number(row.firing_ms), *theirs]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def verdict(good: bool) -> str:
    return "met" if good else "NOT MET"


def goals(report: Report) -> list[str]:
    """The goals of the first part, each with what was measured."""
    first, last = report.rows[0], report.rows[-1]
    lines = []
    if first.idle_ms and last.idle_ms and first.firing_ms:
        growth = last.idle_ms / first.idle_ms
        lines.append(f"idle at {last.messages:,} is {growth:.2f}x idle at {first.messages:,} (under 2x: {verdict(growth < 2)})")
    if last.idle_ms and last.langchain_ms:
        gain = min(last.langchain_ms.values()) / last.idle_ms
        lines.append(
            f"the cheaper LangChain variant at {last.messages:,} takes {gain:.1f}x our idle CPU (at least 20x: {verdict(gain >= 20)})"
        )
    if last.firing_ms:
        lines.append(f"a firing cut at {last.messages:,} takes {last.firing_ms:.2f} ms (under 20 ms: {verdict(last.firing_ms < 20)})")
    if report.bytes_a_step:
        shown = ", ".join(f"{each:,.0f}" for each in report.bytes_a_step)
        spread = report.bytes_spread_ratio
        lines.append(
            f"bytes stored a step, in blocks of {BLOCK_STEPS}: {shown}; spread {spread:.1%} (within 10 %: {verdict(spread <= 0.10)})"
        )
    lines.append(
        f"opening {last.messages:,} messages: {report.open_wall_ms:.1f} ms, CPU {report.open_cpu_ms:.1f} (under 100 ms: {verdict(report.open_wall_ms < 100)})"
    )
    return lines


def show(report: Report) -> None:
    print(
        f"\nWindow {report.window_tokens:,}, budget {report.budget_tokens:,} tokens, {report.compactions} compactions, Python {report.python}."
    )
    print("CPU milliseconds a request, median. LangChain: trimming alone (and with the request body made of what it kept).\n")
    print("\n".join(table(report)), end="\n\n")
    print("\n".join(f"- {line}" for line in goals(report)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.request_cost", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--window", type=int, action="append", metavar="TOKENS", help="window to measure; may be given several times")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), metavar="MESSAGES")
    options = parser.parse_args()
    if not find_spec("langchain_core"):
        print("LangChain is not installed here, so only Trimtab is measured; `make bench` measures both", file=sys.stderr)
    reports = []
    for window_tokens in options.window or WINDOWS_TOKENS:
        reports.append(measure(window_tokens, sorted(options.sizes)))
        if not options.json:
            show(reports[-1])
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(reports), indent=2).decode())


if __name__ == "__main__":
    main()
