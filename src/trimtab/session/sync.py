"""Reconciling a whole history that is sent again with what the ledger has.

same            nothing new
append          the stored conversation goes on
branch          it leaves the stored one at an earlier message (edit, regeneration)
truncated_head  the client cut its own head off; what is left runs along the stored conversation
new             nothing in common with what is stored
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Literal

from msgspec import Struct

from trimtab.core.entries import HAS_REASONING, MessageAdded, Node
from trimtab.core.ids import ROOT, Hasher, call_form
from trimtab.core.messages import Message
from trimtab.session.lane import Lane

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
    for index in range(total - 1, -1, -1):
        if sent.lineages[index] == state.lineage:
            # what says nothing that counts (reasoning, an empty text) has the identity of what is before it
            return Match("same" if index == total - 1 else "append", index + 1, state.head)
    nodes = stored_nodes(lane)
    branch = _branch(nodes, sent)
    if branch is not None and branch.known >= 1:
        return _same_if_known(branch, total)
    cut = _truncated(lane, nodes, sent)
    return cut or branch or Match("new", 0, 0)


def _same_if_known(match: Match, total: int) -> Match:
    return match if match.known < total else Match("branch", match.known, match.at_seq)


def stored_nodes(lane: Lane) -> list[Node]:
    """Every message of the lane, on any branch, in order."""
    entries = (lane.decoded(row) for row in lane.store.load(lane.key) if row.kind == "message")
    return [entry.node for entry in entries if isinstance(entry, MessageAdded)]


def _branch(nodes: Sequence[Node], sent: Walk) -> Match | None:
    """The longest beginning of the sent history that is stored on some branch."""
    by_lineage = {node.lineage: node.seq for node in nodes}
    for index in range(len(sent.lineages) - 1, -1, -1):
        seq = by_lineage.get(sent.lineages[index])
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
    """The last history that was synced: a digest of its bytes and where it ended, so that a resend that only
    grew is not read again."""

    digest: bytes
    messages: int
    at_seq: int


def digest_of(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=16).digest()


def lacks_reasoning(node: Node, message: Message) -> bool:
    """Whether the message now carries reasoning that the stored bytes do not."""
    return message.has_reasoning and not node.flags & HAS_REASONING
