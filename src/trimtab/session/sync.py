"""Reconciling a whole history that is sent again with what the ledger has.

same            nothing new
append          the stored conversation goes on
branch          it leaves the stored one at an earlier message (edit, regeneration)
truncated_head  the client cut its own head off; what is left runs along the stored conversation
new             nothing in common with what is stored
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Literal

from msgspec import Struct

from trimtab.core.entries import Branched, BriefSet, MessageAdded, MetaContextSet, Node, Pinned, Unpinned
from trimtab.core.ids import ROOT, Hasher, call_form
from trimtab.core.messages import Message, WireName, encode_wire
from trimtab.core.state import SessionState
from trimtab.session.incoming import Intake, read_messages
from trimtab.session.lane import Lane, Write
from trimtab.wire import wire_for

Outcome = Literal["same", "append", "branch", "truncated_head", "new"]
# a run shorter than this many exchanges could be chance ("hi", "hello"); see wire facts on merging sessions
LEAST_RUN_EXCHANGES = 2


class SyncReport(Struct, frozen=True, kw_only=True):
    """What `sync` found.

    Attributes:
        outcome: see the module.
        added: messages that were new.
        at_seq: the stored message after which they were added; 0 for the beginning.
        head_missing: stored messages that the client no longer sends.
    """

    outcome: Outcome
    added: int
    at_seq: int
    head_missing: int = 0


class Match(Struct, frozen=True):
    """Where a sent history meets the stored one: its first `known` messages are stored, the last as `at_seq`."""

    outcome: Outcome
    known: int
    at_seq: int
    head_missing: int = 0


class Walk(Struct):
    """Identities of a sent history, message by message. They cost most of a sync, so they are kept for the next."""

    lineages: list[str]
    contents: list[str]


def walk(messages: Sequence[Message], hasher: Hasher) -> Walk:
    forms: dict[str, list[str]] = {}
    lineage, lineages, contents = ROOT, [], []
    for message in messages:
        lineage = hasher.lineage_id(lineage, message, forms)
        lineages.append(lineage)
        contents.append(hasher.content_id(message, forms))
        forms.update({call.call_id: call_form(call) for call in message.calls})
    return Walk(lineages, contents)


def find(lane: Lane, sent: Walk) -> Match:
    """Match a sent history against the lane's current branch, then its other branches, then without its head."""
    state = lane.state
    total = len(sent.lineages)
    if not state.messages:
        return Match("new", 0, 0)
    # what says nothing that counts (reasoning, an empty text) has the identity of what is before it
    at_head = next((index + 1 for index in range(total - 1, -1, -1) if sent.lineages[index] == state.lineage), 0)
    if at_head and (at_head == total or is_linear(lane)):
        return Match("same" if at_head == total else "append", at_head, state.head)
    nodes = stored_nodes(lane)
    branch = _branch(nodes, sent)
    if branch is not None and branch.known > at_head:
        return branch
    if at_head:
        return Match("append", at_head, state.head)
    return _truncated(lane, nodes, sent) or Match("new", 0, 0)


def is_linear(lane: Lane) -> bool:
    """Whether nothing is stored off the current branch: then what follows its head cannot be known already."""
    return lane.state.spans == [[1, lane.last_seq]]


def stored_nodes(lane: Lane) -> list[Node]:
    """Every message of the lane, on any branch, in order."""
    entries = (lane.decoded(row) for row in lane.store.load(lane.key) if row.kind == "message")
    return [entry.node for entry in entries if isinstance(entry, MessageAdded)]


def _branch(nodes: Sequence[Node], sent: Walk) -> Match | None:
    """The longest beginning of the sent history that is stored on some branch."""
    # reasoning alone has the lineage of what is before it: only the content tells them apart
    by_identity = {(node.lineage, node.content): node.seq for node in nodes}
    for index in range(len(sent.lineages) - 1, -1, -1):
        seq = by_identity.get((sent.lineages[index], sent.contents[index]))
        if seq is not None:
            return Match("branch", index + 1, seq)
    return None


def _truncated(lane: Lane, nodes: Sequence[Node], sent: Walk) -> Match | None:
    """The longest run of the sent history's beginning along the current branch, by what messages say.

    It counts only if it spans two exchanges: a single equal message may be chance.
    """
    branch = [node for node in nodes if lane.state.contains(node.seq)]
    positions: dict[str, list[int]] = {}
    for position, node in enumerate(branch):
        positions.setdefault(node.content, []).append(position)
    best, best_start = 0, 0
    for start in positions.get(sent.contents[0], ()) if sent.contents else ():
        length = 0
        while length < len(sent.contents) and start + length < len(branch) and branch[start + length].content == sent.contents[length]:
            length += 1
        if length > best:
            best, best_start = length, start
    run = branch[best_start : best_start + best]
    exchanges = sum(
        1
        for before, node in zip([None, *run], run, strict=False)
        if node.role == "assistant" and (before is None or before.role != "assistant")
    )
    if exchanges < LEAST_RUN_EXCHANGES:
        return None
    return Match("truncated_head", best, run[-1].seq, head_missing=best_start)


# ---------------------------------------------------------------- the same bytes again


class Seen(Struct):
    """The last history that was synced, so that a resend that only grew is not read again.

    Attributes:
        digest: of its bytes and of the request's system text.
        messages: how many there were, leading system messages included.
        head: the stored message that the session ended at then.
        ids: call ids as the client has them now, where the stored ones differ.
    """

    digest: bytes
    messages: int
    head: int
    ids: dict[str, str]


def digest_of(history: Sequence[Any], system: Any) -> bytes:
    """Client objects are told apart by what they print."""
    try:
        payload = encode_wire([system, list(history)])
    except (TypeError, UnicodeEncodeError, RecursionError):
        payload = repr([system, list(history)]).encode("utf-8", "replace")
    return blake2b(payload, digest_size=16).digest()


def leading_system(messages: Sequence[Message]) -> int:
    """How many messages at the beginning are the client's system text."""
    for index, message in enumerate(messages):
        if message.role != "system":
            return index
    return len(messages)


class Reconciler:
    """One sync: read, match, and write what is new in one transaction."""

    def __init__(self, lane: Lane, intake: Callable[[SessionState, int], Intake], hasher: Hasher, wire: WireName) -> None:
        self.lane, self.intake, self.hasher, self.wire = lane, intake, hasher, wire

    def sync(self, history: Sequence[Any], system: Any, seen: Seen | None) -> tuple[SyncReport, Seen]:
        grown = self._grown(history, system, seen)
        if grown is not None and seen is not None:
            taken = self._take(grown, seen, history, system)
            if taken is not None:
                return taken
        parsed = read_messages(history, self.wire)
        leading = leading_system(parsed)
        given = wire_for(self.wire).parse_system(system) if system is not None else ()
        whole = Sent(instructions=(*given, *parsed[:leading]), messages=parsed[leading:], has_system=bool(leading) or system is not None)
        whole.walk = walk(whole.messages, self.hasher)
        taken = self._take(whole, None, history, system)
        assert taken is not None  # only a shortcut gives up
        return taken

    def _grown(self, history: Sequence[Any], system: Any, seen: Seen | None) -> Sent | None:
        """What was added to the last synced history, if that is byte for byte how this one begins."""
        if seen is None or len(history) < seen.messages or self.lane.state.head != seen.head or not is_linear(self.lane):
            return None
        if digest_of(history[: seen.messages], system) != seen.digest:
            return None
        return Sent(instructions=(), messages=read_messages(history[seen.messages :], self.wire), has_system=False)

    def _take(self, sent: Sent, seen: Seen | None, history: Sequence[Any], system: Any) -> tuple[SyncReport, Seen] | None:
        """Write what is new. None where `seen` no longer holds, because another writer was first meanwhile."""
        found: list[tuple[Match, dict[str, str], int]] = []

        def build(state: SessionState, next_seq: int) -> Write | None:
            found.clear()
            if seen is not None and state.head != seen.head:
                return None
            match = find(self.lane, sent.walk) if sent.walk is not None else Match("append" if sent.messages else "same", 0, state.head)
            known = dict(seen.ids) if seen is not None else {}
            intake, base = self._begin(match, state, next_seq)
            if sent.has_system:
                intake.instruct(sent.instructions)
            if sent.walk is not None:
                pairs = list(stored_pairs(self.lane, base, sent, match))
                known |= renewed_ids(pairs)
                add_reasoning(intake, pairs)
            for message in sent.messages[match.known :]:
                intake.add(_with_stored_ids(message, known))
            found.append((match, known, len(sent.messages) - match.known))
            return intake.write

        self.lane.write(build)
        if not found:
            return None
        match, known, added = found[0]
        report = SyncReport(outcome=match.outcome, added=added, at_seq=match.at_seq, head_missing=match.head_missing)
        return report, Seen(digest_of(history, system), len(history), self.lane.state.head, known)

    def _begin(self, match: Match, state: SessionState, next_seq: int) -> tuple[Intake, SessionState]:
        """Where the new messages attach: the head, or an earlier point that a Branched entry goes back to."""
        stays = match.outcome in ("same", "append") or match.at_seq == state.head
        if stays or (match.outcome == "new" and not state.messages):
            return self.intake(state, next_seq), state
        to_seq = self.lane.branch_point(match.at_seq)
        base = self.lane.fold_to(to_seq)
        intake = self.intake(base, next_seq + 1)
        intake.write.entries.insert(0, Branched(to_seq, match.outcome))
        carry_rules(intake, state, base)
        return intake, base


def carry_rules(intake: Intake, left: SessionState, base: SessionState) -> None:
    """What the caller set for the whole task holds on the new branch too: meta context, brief, pins. Notes and
    states are of the branch they were written on."""
    if left.meta != base.meta:
        intake.enter(MetaContextSet(left.meta.identity, left.meta.never, left.meta.done_when))
    if left.brief != base.brief:
        intake.enter(BriefSet(left.brief))
    for pin in left.pins.values():
        if pin.pin_id not in base.pins:
            intake.enter(Pinned(pin.pin_id, pin.text, pin.polarity))
    for pin_id in base.pins:
        if pin_id not in left.pins:
            intake.enter(Unpinned(pin_id))


class Sent(Struct):
    """A sent history, read. `walk` is None where only what was added is here."""

    instructions: tuple[Message, ...]
    messages: list[Message]
    has_system: bool
    walk: Walk | None = None


def stored_pairs(lane: Lane, state: SessionState, sent: Sent, match: Match) -> Iterator[tuple[Message, Node]]:
    """Live stored messages beside what was sent for them now."""
    if match.outcome == "truncated_head":
        branch = [node for node in stored_nodes(lane) if lane.state.contains(node.seq)][match.head_missing :]
        pairs = zip(sent.messages[: match.known], branch, strict=False)
        yield from ((message, state.nodes[node.seq]) for message, node in pairs if node.seq in state.nodes)
        return
    # what says nothing that counts has the lineage of what is before it: only the content tells them apart
    by_identity = {(node.lineage, node.content): node for node in state.nodes.values()}
    walked = sent.walk or Walk([], [])
    for message, identity in zip(sent.messages[: match.known], zip(walked.lineages, walked.contents, strict=True), strict=False):
        node = by_identity.get(identity)
        if node is not None:
            yield message, node


def renewed_ids(pairs: Iterable[tuple[Message, Node]]) -> dict[str, str]:
    """Stored call id by the id that the client uses now, mapped by order, where they differ."""
    ids: dict[str, str] = {}
    for message, node in pairs:
        if len(message.calls) == len(node.calls):
            ids.update({call.call_id: old for call, (old, _) in zip(message.calls, node.calls, strict=True) if call.call_id != old})
    return ids


def _with_stored_ids(message: Message, ids: dict[str, str]) -> Message:
    used = {result.call_id: ids[result.call_id] for result in message.results if result.call_id in ids}
    return wire_for(message.wire_format).with_call_ids(message, used) if used else message


def add_reasoning(intake: Intake, pairs: Iterable[tuple[Message, Node]]) -> None:
    """Reasoning that the stored bytes lack replaces them; where the prefix is frozen, its bytes still win there."""
    for message, node in pairs:
        if message.has_reasoning and not node.has_reasoning and (message.text or message.calls):
            intake.replace(node, message)
