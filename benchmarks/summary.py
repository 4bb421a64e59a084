"""What the summary costs and what it loses over 1, 5, 20 and 100 compactions. Run it with `make summary`.

Two ways, under the same scripted model and with the same cuts: ours (items, rules kept by code, the model as
`summarizer` or none), and the plain one, in which the model rewrites the whole summary at each compaction.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from time import perf_counter

import msgspec
from msgspec import Struct

from benchmarks.erosion import (
    ASSISTANT_SENTENCES,
    DECISION_EVERY_ROUNDS,
    FACT_EVERY_ROUNDS,
    RULES,
    RULES_A_ROUND,
    USER_SENTENCES,
    Adapter,
    Choice,
    Planted,
    Rewriting,
    rounds,
    sentences,
)
from trimtab import Budget, Prompt, Session, Settings, Target
from trimtab.settings import Summarizer
from trimtab.tokens import counter_for

MARKS = (1, 5, 20, 100)
WINDOWS_TOKENS = (8_000, 16_000)
KEEPS = (0.95, 0.8)
MAX_OUTPUT_TOKENS = 2_000
SEED = 5
# the plain way costs nothing to play: its figures are means over so many seeds
PLAIN_SEEDS = 20
# `find` reads the ledger through; so many facts, evenly spread, tell as much as all of them
MOST_QUERIES = 20
# the sections in which a sentence stands for a message that left
STANDING = ("constraints", "summary", "notes")


class Row(Struct, frozen=True):
    """One way after so many compactions.

    Attributes:
        summary_tokens: of the rule block and the summary together.
        left_tokens: of all messages that have left.
        rules, decisions, facts: planted sentences whose messages have left, as (lost, all); of a fact its
            identifier counts, of the others every letter.
        unfound: facts that one `find` does not bring, of those asked for; None where there is nothing to search.
    """

    window_tokens: int
    way: str
    keep: float
    compactions: int
    rounds: int
    summary_tokens: int
    left_tokens: int
    rules: tuple[float, int]
    decisions: tuple[float, int]
    facts: tuple[float, int]
    unfound: tuple[int, int] | None

    @property
    def ratio(self) -> float:
        return self.summary_tokens / max(1, self.left_tokens)


class Life:
    """One session of ours, round by round, and beside it, where a model is given, the plain way with the same cuts."""

    def __init__(self, window_tokens: int, keep: float) -> None:
        """`keep`: the model's probability; 0 for no model."""
        self.window_tokens, self.keep = window_tokens, keep
        self.count = counter_for("gpt-5").count_text
        limits = Summarizer(max_output_tokens=MAX_OUTPUT_TOKENS, least_tokens=1_000)
        settings = Settings(mode="compact", budget=Budget(window_tokens=window_tokens), summarizer=limits if keep else None)
        model = Adapter(Choice(keep, SEED), MAX_OUTPUT_TOKENS, self.count) if keep else None
        self.session = Session.open(":memory:", "s", settings=settings, target=Target(model="gpt-5"), summarizer=model)
        seeds = range(SEED, SEED + PLAIN_SEEDS if keep else SEED)
        size = lru_cache(maxsize=100_000)(self.count)
        self.plain = [Rewriting(Choice(keep, seed), MAX_OUTPUT_TOKENS, size) for seed in seeds]
        self.here: dict[int, str] = {}
        self.planted: list[tuple[int, Planted]] = []
        self.left_tokens = 0

    def play(self, marks: tuple[int, ...]) -> Iterator[Row]:
        """The figures after each of these numbers of compactions."""
        made = 0
        with self.session as session:
            for number, each in enumerate(rounds(), 1):
                asked = session.record(each.user).last_seq
                prompt = session.prompt()
                cut = "compaction" in prompt.cuts
                answered = session.record(each.assistant).last_seq
                session.maintain()
                if cut:
                    made += 1
                    self._left()
                    if made in marks:
                        yield from self._rows(prompt, made, number - 1)
                    if made == max(marks):
                        return
                self.here |= {asked: each.user["content"], answered: each.assistant["content"]}
                for row in each.planted:
                    self.planted.append((asked if row.text in each.user["content"] else answered, row))

    def _left(self) -> None:
        left = [seq for seq in self.here if seq not in self.session.state.nodes]
        texts = [self.here.pop(seq) for seq in left]
        self.left_tokens += sum(self.count(text) + 4 for text in texts)
        left_sentences = [sentence for text in texts for sentence in sentences(text)]
        for plain in self.plain:
            plain.take(left_sentences)

    def _rows(self, prompt: Prompt, made: int, number: int) -> Iterator[Row]:
        text = "\n".join(prompt.text_of(row) for row in prompt.segments if row.section in STANDING)
        tokens = sum(prompt.sections.get(name, 0) for name in ("constraints", "summary"))
        way = "ours, the model as summarizer" if self.keep else "ours, no model"
        yield self._row(way, [text], tokens, (made, number), self._unfound())
        if self.plain:
            texts = ["\n".join(plain.kept) for plain in self.plain]
            tokens = sum(map(self.count, texts)) // len(texts)
            yield self._row("rewritten by the model", texts, tokens, (made, number), None)

    def _row(self, way: str, texts: list[str], tokens: int, at: tuple[int, int], unfound: tuple[int, int] | None) -> Row:
        lost: dict[str, tuple[float, int]] = {}
        for kind in ("rule", "decision", "fact"):
            gone = [row for seq, row in self.planted if row.kind == kind and seq not in self.here]
            lost[kind] = (sum(row.key not in text for text in texts for row in gone) / len(texts), len(gone))
        left, found = self.left_tokens, (lost["rule"], lost["decision"], lost["fact"])
        return Row(self.window_tokens, way, self.keep, *at, tokens, left, *found, unfound)

    def _unfound(self) -> tuple[int, int]:
        gone = [row for seq, row in self.planted if row.kind == "fact" and seq not in self.here]
        asked = gone[:: -(-len(gone) // MOST_QUERIES)] if gone else []
        return sum(not any(row.key in hit.text for hit in self.session.find(row.query)) for row in asked), len(asked)


def measure(window_tokens: int, marks: tuple[int, ...] = MARKS) -> list[Row]:
    return [row for keep in (*KEEPS, 0.0) for row in Life(window_tokens, keep).play(marks)]


def table(rows: list[Row]) -> list[str]:
    columns = ["compactions", "way", "rules + summary", "left", "ratio", "rules lost", "decisions lost", "facts not in the prompt"]
    columns += ["facts not found"]
    lines = [f"| {' | '.join(columns)} |", "| ---: | --- |" + " ---: |" * (len(columns) - 2)]
    for row in sorted(rows, key=lambda row: (row.compactions, -row.keep, row.way.startswith("ours"))):
        way = row.way + (f" (keeps {row.keep:g})" if row.keep else "")
        lost = [f"{gone:.3g} of {said}" for gone, said in (row.rules, row.decisions, row.facts)]
        unfound = "-" if row.unfound is None else f"{row.unfound[0]} of {row.unfound[1]}"
        cells = [str(row.compactions), way, f"{row.summary_tokens:,}", f"{row.left_tokens:,}", f"{row.ratio:.1%}", *lost, unfound]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def assumptions() -> list[str]:
    first = next(iter(islice(rounds(), 1)))
    size = sum(counter_for("gpt-5").count_text(row["content"]) for row in (first.user, first.assistant))
    return [
        "Assumed, not measured on a real model: shown a text, the model keeps each sentence that holds a rule, a number or an identifier"
        f" with the probability given, word for word, newest first within {MAX_OUTPUT_TOKENS:,} tokens; it drops all others. Seeds are fixed; the figures of the rewritten summary are means over {PLAIN_SEEDS} of them.",
        "Rewritten: at each compaction the summary becomes model(summary + what left), so an old sentence passes through the model again"
        " each time. The cuts are those of our session beside it.",
        "Ours: mode compact, everything else as by default; `maintain` after each round; the model's output limit is the same, its answer"
        f" is JSON. The summary has at most {Settings().summary_max_tokens:,} tokens (less in small windows), the rules stand outside it.",
        f"Conversation: rounds of about {size} tokens ({USER_SENTENCES} + {ASSISTANT_SENTENCES} plain sentences and one with a"
        f" number that matters to nobody); {len(RULES)} rules in the first {-(-len(RULES) // RULES_A_ROUND)} rounds, a decision every"
        f" {DECISION_EVERY_ROUNDS} rounds, a fact with an identifier every {FACT_EVERY_ROUNDS}. Nothing is taken back.",
        f"Lost: not word for word (of facts: the identifier) in rules, notes or summary, of those whose message has left. Not found: of up to"
        f' {MOST_QUERIES} facts, evenly spread, the identifier is in none of the five answers to one `find("Which contract does customer ... have?")`.',
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.summary", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--window", type=int, action="append", metavar="TOKENS", help="window to measure; may be given several times")
    parser.add_argument("--marks", type=int, nargs="+", default=list(MARKS), metavar="COMPACTIONS")
    options = parser.parse_args()
    started, found = perf_counter(), []
    for window_tokens in options.window or WINDOWS_TOKENS:
        rows = measure(window_tokens, tuple(sorted(options.marks)))
        found += rows
        if not options.json:
            print(f"\nWindow {window_tokens:,}; {rows[-1].rounds:,} rounds.\n\n" + "\n".join(table(rows)), flush=True)
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
        return
    print("\n" + "\n".join(f"- {line}" for line in assumptions()) + f"\n\n{perf_counter() - started:.0f} seconds.")


if __name__ == "__main__":
    main()
