"""What a run of the summarizing model comes to: the items that it adds, the entry that records it, the report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from trimtab.core.entries import Distilled
from trimtab.core.state import SessionState
from trimtab.core.summary import FIELDS, PINNED_FIELDS, Field, ItemChanges, SummaryItem
from trimtab.distill.digest import CLOSABLE, restored_in
from trimtab.session.distilling import Distiller, Job, Outcome
from trimtab.settings import Summarizer

MaintainOutcome: TypeAlias = Literal["idle", "busy", "done", "refused", "failed"]
CANCELED = "canceled"
# after so many failures in a row the stretch is left to what code found in it
MOST_FAILURES = 3
_MOST_REJECTED, _MOST_REJECTED_CHARS = 30, 240
_FIELD_OF: dict[str, Field] = {field: field for field in FIELDS}


class MaintainReport(Struct, frozen=True, kw_only=True):
    """What a run of maintenance did.

    Attributes:
        outcome: `idle` (nothing was due), `busy` (another run is on), `done`, `refused` (the answer was not good
            enough) or `failed` (there was none). Only `done` changes anything but the record.
        detail: why, where it is not plainly `done`.
        seq: the entry that records the run; 0 for none.
        added, closed: items.
        restored: rules and open points of that stretch that the model left out; they stand all the same.
        rejected: what of the answer was not taken, and why.
        calls: requests to the model, repairs included.
        input_tokens, output_tokens: of all of them, as the provider counted, else by our own count.
        embedded: turns and pieces of documents that vectors were made of.
    """

    outcome: MaintainOutcome
    detail: str = ""
    seq: int = 0
    added: int = 0
    closed: int = 0
    restored: int = 0
    rejected: tuple[str, ...] = ()
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    duration_ms: int = 0
    embedded: int = 0


def moved(state: SessionState, job: Job) -> str:
    """Why what was read is no longer what is to be read; "" where it is."""
    if not all(state.contains(line.seq) for line in job.lines):
        return "the branch moved"
    return "another run was first" if state.distilled_seq >= job.first_seq else ""


def changes_of(state: SessionState, outcome: Outcome, seq: int, author: str) -> ItemChanges:
    """The items that an answer gives, by what is active now; `seq` is the entry that will hold them. A rule takes the
    place of the fact that code took the same words for."""
    texts = {item.text: item for item in state.items.values()}
    rules = [item.text for item in state.items.values() if item.field in PINNED_FIELDS]
    added: list[SummaryItem] = []
    replaced: list[str] = []
    for found in outcome.found:
        field = _FIELD_OF[found.field]
        known = texts.get(found.text)
        if field in PINNED_FIELDS and found.text in state.ended:
            continue  # taken back while the model was reading
        if any(found.text in rule for rule in rules) if field in PINNED_FIELDS else known is not None:
            continue
        item = SummaryItem(f"m{seq}.{len(added)}", field, found.text, found.sources, reason=found.reason, author=author)
        if known is not None and known.item_id in state.items:
            item = msgspec.structs.replace(item, supersedes=known.item_id)
            replaced.append(known.item_id)
        texts[found.text] = item
        added.append(item)
    return ItemChanges(tuple(added), tuple(replaced), tuple(_closable(state, outcome.closes)))


def _closable(state: SessionState, ids: Iterable[str]) -> Iterable[str]:
    """Those that are still active, and never a rule or what a fragment disagrees with."""
    disputed = {conflict.item_id for conflict in state.conflicts.values()}
    return (item_id for item_id in ids if item_id in state.items and state.items[item_id].field in CLOSABLE and item_id not in disputed)


def record_of(state: SessionState, job: Job, outcome: Outcome, refused: str, changes: ItemChanges) -> Distilled:
    """The run's entry. What failed is tried again, so its record leaves `distilled_seq` where it was, until it is
    given up.

    Args:
        refused: why the answer must not be committed; "" where it may.
    """
    kind, detail, last_seq, restored = outcome.kind, outcome.detail, outcome.last_seq, 0
    if refused and kind == "done":
        kind, detail = "refused", refused
    if kind == "done":
        restored = restored_in(job.items, outcome.returned, frozenset(line.seq for line in job.lines if line.seq <= last_seq))
    elif not moved(state, job) and detail != CANCELED and job.failures + 1 >= MOST_FAILURES:
        detail = f"given up after {MOST_FAILURES} tries: {detail}"
    else:
        last_seq = min(job.first_seq - 1, state.distilled_seq) if moved(state, job) else job.first_seq - 1
    return Distilled(
        first_seq=job.first_seq,
        last_seq=last_seq,
        outcome=kind,
        model="",
        detail=detail,
        added=len(changes.added),
        closed=len(changes.closed),
        restored=restored,
        rejected=tuple(why[:_MOST_REJECTED_CHARS] for why in outcome.rejected[:_MOST_REJECTED]),
    )


def with_cost(entry: Distilled, distiller: Distiller, limits: Summarizer, duration_ms: int) -> Distilled:
    spent = distiller.spent
    return replace(
        entry,
        model=distiller.name,
        calls=spent.calls,
        duration_ms=duration_ms,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost=(spent.input_tokens * limits.input_price + spent.output_tokens * limits.output_price) / 1_000_000,
    )


def report_of(seq: int, entry: Distilled) -> MaintainReport:
    outcome: MaintainOutcome = "done" if entry.outcome == "done" else "refused" if entry.outcome == "refused" else "failed"
    return MaintainReport(
        outcome=outcome,
        detail=entry.detail,
        seq=seq,
        added=entry.added,
        closed=entry.closed,
        restored=entry.restored,
        rejected=entry.rejected,
        calls=entry.calls,
        input_tokens=entry.input_tokens,
        output_tokens=entry.output_tokens,
        duration_ms=entry.duration_ms,
    )
