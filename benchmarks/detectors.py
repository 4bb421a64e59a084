"""What it costs to look at one exchange: `python -m benchmarks.detectors`.

A session in the middle of a long task: a plan of twelve steps, six rules, three hundred items, as many acts as the state
holds. Exchanges are those of real coding agents under TRIMTAB_DATA (else `../shared/data` beside the repository), their
results joined and cut to the length that is asked for; without them, made-up ones.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import process_time_ns

import msgspec
from msgspec import Struct

from benchmarks.history import opening, steps
from benchmarks.tokens import find_data
from trimtab.core.drift import MOST_ACTS
from trimtab.core.state import MetaContext, Pin, SessionState
from trimtab.core.summary import SummaryItem
from trimtab.core.task import PlanStep, StepRecord, TaskState
from trimtab.distill import outcome
from trimtab.settings import DETECTORS
from trimtab.steer import detectors_for
from trimtab.steer.acts import NEWEST_RESULTS, CallSeen, acts_of
from trimtab.steer.canonical import Shingles, shingles
from trimtab.steer.flags import flagged
from trimtab.steer.seen import Seen, SeenCall

LENGTHS = (200, 2_000, 20_000)
EXCHANGES = 400
# one exchange in so many is a reply without a call
REPLY_EVERY = 8
STEPS, ITEMS = 12, 300
RULES = (
    "Never use `delete_rows`.",
    "Only use sources from nature.com",
    "limit must be at most 50",
    "All amounts in EUR",
    "Reply in at most 400 words",
    "Never mail anything to boss@corp.example",
)


class Exchange(Struct, frozen=True):
    tool: str
    arguments: str
    result: str
    reply: str


class Row(Struct, frozen=True):
    """Milliseconds of CPU that one part takes for an exchange, by length of the result in characters."""

    part: str
    ms: dict[int, float]


def real_exchanges(folder: Path) -> Iterator[Exchange]:
    for path in sorted((folder / "transcripts" / "multiswe").glob("*.traj")):
        for step in json.loads(path.read_text("utf-8")).get("trajectory", ()):
            action, result = str(step.get("action") or ""), str(step.get("observation") or "")
            if action.strip() and result:
                yield Exchange("bash", json.dumps({"command": action}), result, str(step.get("thought") or ""))


def made_exchanges() -> Iterator[Exchange]:
    for said, answer in steps():
        for call in said.get("tool_calls", ()):
            asked = call["function"]
            yield Exchange(asked["name"], asked["arguments"], str(answer["content"]), str(said["content"]))


def exchanges(folder: Path | None, result_chars: int, count: int) -> list[Exchange]:
    """Each with a result of just this length: its own and those that follow it."""
    found = list(islice(real_exchanges(folder) if folder else made_exchanges(), 4 * count))
    found = found or list(islice(made_exchanges(), 4 * count))
    text, at, cut = "\n".join(each.result for each in found), 0, []
    text *= -(-result_chars * count // len(text))
    for each in (found * -(-count // len(found)))[:count]:
        cut.append(msgspec.structs.replace(each, result=text[at : at + result_chars]))
        at += result_chars
    return cut


def begun() -> SessionState:
    plan = tuple(PlanStep(f"part {number}", about=f"do part {number} with care and write down what is found") for number in range(STEPS))
    records = {step.name: StepRecord("active" if place == 3 else "done" if place < 3 else "open") for place, step in enumerate(plan)}
    items = {
        f"i{number}": SummaryItem(f"i{number}", "decision" if number % 10 == 0 else "fact", f"Row {number} of the list is fine.", (1,))
        for number in range(ITEMS)
    }
    state = SessionState(task=TaskState("t", str(opening()["content"]), plan, records), items=items)
    state.pins = {f"p{place}": Pin(f"p{place}", rule) for place, rule in enumerate(RULES)}
    state.meta = MetaContext(identity="You are Ada. You can read files.", never=("drop_table",))
    return state


class Watcher:
    """Looks as a session does, and keeps the time of each part: reading the exchange, each detector, all of it."""

    def __init__(self) -> None:
        self.state = begun()
        self.spent_ns: dict[str, int] = defaultdict(int)
        self._newest: list[Shingles] = []

    def look(self, number: int, each: Exchange) -> None:
        seq = 10 + 3 * number
        started = process_time_ns()
        failed = outcome(each.result, False) == "failed"
        judged = process_time_ns()
        calls = [CallSeen(each.tool, each.arguments, each.result, seq + 1, failed)] if number % REPLY_EVERY else []
        acts = acts_of(seq, each.reply, calls, round=number, at_ms=number, step="part 3", earlier=self._newest)
        self._newest = [*self._newest, shingles(each.result if calls else each.reply)][-NEWEST_RESULTS:]
        read = process_time_ns()
        shown = tuple(SeenCall(seq, call.tool, call.arguments) for call in calls)
        view = Seen(state=self.state, reply=each.reply, reply_seq=seq, calls=shown, user_seq=1)
        seen = [*self.state.acts, *acts]
        flagged(self.state, seen, view, DETECTORS, "warn", seq + 2)
        ended = process_time_ns()
        self.state.acts = seen[-MOST_ACTS:]
        self.state.round = number
        for name, ns in (
            ("whether it failed", judged - started),
            ("calls, results as acts", read - judged),
            ("detectors", ended - read),
            ("all", ended - started),
        ):
            self.spent_ns[name] += ns
        self._each(seen, view)

    def _each(self, seen: Sequence[object], view: Seen) -> None:
        """The detectors once more, one by one: their sum is what `detectors` is but for the flags."""
        for detector in detectors_for(DETECTORS):
            started = process_time_ns()
            detector.look(seen, view)  # type: ignore[arg-type]
            self.spent_ns[f"  {detector.name}"] += process_time_ns() - started


def measure(folder: Path | None, lengths: Sequence[int] = LENGTHS, count: int = EXCHANGES) -> list[Row]:
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for length in lengths:
        watcher = Watcher()
        rounds = exchanges(folder, length, count + MOST_ACTS)
        for number, each in enumerate(rounds):
            if number == MOST_ACTS:
                watcher.spent_ns.clear()
            watcher.look(number, each)
        for part, ns in watcher.spent_ns.items():
            found[part][length] = ns / count / 1e6
    return [Row(part, found[part]) for part in sorted(found, key=lambda part: (part == "all", part.startswith(" ")))]


def table(rows: Sequence[Row]) -> list[str]:
    lengths = list(rows[0].ms)
    lines = [f"{'ms an exchange, results of':28}" + "".join(f"{f'{length:,} chars':>15}" for length in lengths)]
    return lines + [f"{row.part:28}" + "".join(f"{row.ms[length]:15.3f}" for length in lengths) for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detectors", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--exchanges", type=int, default=EXCHANGES, metavar="N", help="how many of each length")
    options = parser.parse_args()
    folder = find_data()
    rows = measure(folder, count=max(1, options.exchanges))
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return
    print("\n".join(table(rows)))
    print(f"\nCPU, means of {options.exchanges} {'real' if folder else 'made-up'} exchanges, one in {REPLY_EVERY} a reply without a call.")


if __name__ == "__main__":
    main()
