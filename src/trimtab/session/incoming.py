"""From what a caller hands over to messages, and from messages to ledger entries with all that is derived."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.core.entries import (
    HAS_BROKEN_ARGUMENTS,
    HAS_FENCE,
    HAS_MEDIA,
    HAS_REASONING,
    HAS_TEXT,
    HAS_USER_INPUT,
    IS_EMPTY,
    BodyReplaced,
    CounterChanged,
    Entry,
    InstructionsSet,
    ItemsChanged,
    MessageAdded,
    Node,
)
from trimtab.core.ids import ROOT, Hasher, call_form
from trimtab.core.messages import Media, Message, Opaque, Source, Status, Text, ToolCall, ToolResult, WireName
from trimtab.core.state import SessionState
from trimtab.core.summary import Field, ItemChanges, SummaryItem
from trimtab.distill import action_line, extract, outcome
from trimtab.distill.facts import things
from trimtab.errors import ParseError, TrimtabError
from trimtab.recall.literals import literals_of
from trimtab.session import clock
from trimtab.session.bodies import Bodies
from trimtab.session.indexing import is_said, rows_of, turn_rows
from trimtab.session.lane import Lane, Write
from trimtab.session.offloading import Offloader
from trimtab.session.reading import everything_of
from trimtab.session.settlements import by_user, kept_open
from trimtab.stores import Body, Count, Literals
from trimtab.tokens import MESSAGE_OVERHEAD, Counter
from trimtab.wire import Reply, wire_for
from trimtab.wire.common import is_whole_json, to_mapping
from trimtab.wire.detect import detect_event, detect_message, detect_reply, is_event

# count of a result message that is not its content: framing, call id
RESULT_FRAMING_TOKENS = MESSAGE_OVERHEAD


class BrokenStream(TrimtabError):
    """A stream that raised before its end; `messages` are what had come, `__cause__` is what it raised."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self.messages = messages
        super().__init__("the stream broke off")


def read_messages(values: Iterable[Any], default: WireName) -> list[Message]:
    """Messages from dicts of any form, SDK objects, whole replies, or streams of either.

    Raises:
        ParseError: with the place of the value in the list.
    """
    messages: list[Message] = []
    for index, value in enumerate(values):
        messages.extend(_read(value, default, f"$[{index}]"))
    return messages


def _read(value: Any, default: WireName, path: str) -> Sequence[Message]:
    if isinstance(value, Message):
        return (value,)
    if isinstance(value, str | bytes):
        raise ParseError(f"expected a message, got {type(value).__name__}; pass {{'role': 'user', 'content': ...}}", path)
    if hasattr(value, "__aiter__") and not hasattr(value, "model_dump"):
        raise ParseError("an asynchronous stream; collect its events and pass the list, or pass the final message", path)
    if _is_stream(value):
        return read_stream(value, default, path).messages
    mapping = _mapping(value, path)
    form = detect_reply(mapping)
    if form is not None:
        return wire_for(form).parse_reply(mapping).messages
    return (wire_for(detect_message(mapping, default)).parse_message(mapping, path),)


def _mapping(value: Any, path: str) -> Mapping[str, Any]:
    try:
        return to_mapping(value)
    except ParseError as error:
        raise ParseError(error.problem, path) from None


def _is_stream(value: Any) -> bool:
    return not isinstance(value, Mapping) and hasattr(value, "__iter__") and not hasattr(value, "model_dump")


def read_stream(events: Iterable[Any], default: WireName, path: str = "$") -> Reply:
    """A stream's events folded into the reply they amount to. A list of messages is no stream: spread it."""
    iterator = iter(events)
    first = next(iterator, None)
    if first is None:
        return wire_for(default).fold_stream(())
    head = to_mapping(first)
    if not is_event(head):
        raise ParseError("a list of messages where one message is expected; pass record(*messages), or sync(messages)", path)

    events_read, is_whole = [head], False
    try:
        events_read.extend(to_mapping(event) for event in iterator)
        is_whole = True
    finally:
        # the reply as far as it came is not lost with the connection, whatever broke it
        if not is_whole:
            reply = wire_for(detect_event(head, default)).fold_stream(events_read)
            raise BrokenStream(tuple(with_status(message, "aborted") for message in reply.messages)) from sys.exception()
    return wire_for(detect_event(head, default)).fold_stream(events_read)


# ---------------------------------------------------------------- nodes


class Chain(Struct):
    """Where the next message of a conversation attaches: its parent's identity, and the calls it may answer."""

    lineage: str
    forms: dict[str, list[str]]


def chain_of(state: SessionState, bodies: Bodies) -> Chain:
    """The end of the state's conversation. Only calls of live exchanges can still be answered."""
    forms: dict[str, list[str]] = {}
    for unit in state.units[-2:] if len(state.units) > 2 else state.units:
        _add_forms(state, unit.nodes, bodies, forms)
    return Chain(state.lineage, forms)


def _add_forms(state: SessionState, seqs: Iterable[int], bodies: Bodies, forms: dict[str, list[str]]) -> None:
    for seq in seqs:
        if state.nodes[seq].calls:
            forms.update({call.call_id: call_form(call) for call in bodies.message(state.nodes[seq]).calls})


FindCall = Callable[[str], ToolCall | None]


def forms_for(state: SessionState, chain: Chain, message: Message, bodies: Bodies, find_call: FindCall) -> None:
    """Make sure that the calls a result answers are known, however far back they were made."""
    for result in message.results:
        if result.call_id in chain.forms:
            continue
        unit = next((unit for unit in state.units if unit.key == state.call_units.get(result.call_id)), None)
        if unit is not None:
            _add_forms(state, unit.nodes, bodies, chain.forms)
        else:
            call = find_call(result.call_id)
            if call is not None:
                chain.forms[result.call_id] = call_form(call)


def find_stored_call(lane: Lane, bodies: Bodies, call_id: str) -> ToolCall | None:
    """The newest call with that id on the branch, also where it has left the prompt: one read of the ledger."""
    for row in reversed(lane.store.load(lane.key)):
        if row.kind != "message" or not lane.state.contains(row.seq):
            continue
        entry = lane.decoded(row)
        if isinstance(entry, MessageAdded) and any(call == call_id for call, _ in entry.node.calls):
            return next((call for call in bodies.message(entry.node).calls if call.call_id == call_id), None)
    return None


def flags_of(message: Message) -> int:
    flags = HAS_USER_INPUT if message.has_user_input and not _is_blank(message) else 0
    flags |= HAS_REASONING if message.has_reasoning else 0
    flags |= HAS_MEDIA if any(isinstance(part, Media) for part in message.parts) else 0
    flags |= HAS_TEXT if any(isinstance(part, Text) and part.text for part in message.parts) else 0
    flags |= HAS_BROKEN_ARGUMENTS if any(not is_whole_json(call.arguments) for call in message.calls if call.arguments) else 0
    flags |= HAS_FENCE if b"rimtab:" in message.wire.lower() else 0
    return flags | (IS_EMPTY if _is_blank(message) else 0)


def _is_blank(message: Message) -> bool:
    """Nothing that a provider would take: no text but white space, no call, no result, no media, no reasoning."""
    return not any(
        part.text.strip() if isinstance(part, Text) else isinstance(part, ToolCall | ToolResult | Media | Opaque) or bool(part)
        for part in message.parts
    )


def make_node(message: Message, seq: int, chain: Chain, hasher: Hasher, counter: Counter) -> Node:
    """The message's node at `seq`; the chain goes on from it."""
    lineage = hasher.lineage_id(chain.lineage, message, chain.forms)
    tokens = counter.count_message(message)
    source: Source = "tool" if message.role == "tool" else message.role
    # a server-side tool's item holds the call and its answer in one: nothing is open, nothing comes later
    inside = {result.call_id for result in message.results} if message.role == "assistant" else set()
    results = () if inside else message.results
    result_tokens = 0
    if results:
        result_tokens = (
            tokens - RESULT_FRAMING_TOKENS if message.role == "tool" else counter.count_text("\n".join(result.text for result in results))
        )
    node = Node(
        seq,
        lineage,
        hasher.content_id(message, chain.forms),
        hasher.body_id(message.wire_format, message.wire),
        message.wire_format,
        message.role,
        tokens,
        max(0, result_tokens),
        tuple((call.call_id, call.name) for call in message.calls if call.call_id not in inside),
        tuple(result.call_id for result in results),
        flags_of(message),
        message.status,
        source,
        clock.now_ms(),
    )
    chain.lineage = lineage
    chain.forms.update({call.call_id: call_form(call) for call in message.calls})
    return node


# ---------------------------------------------------------------- entries


class Intake:
    """Turns messages into one write. Holds what extraction needs of the state while it runs ahead of the fold."""

    def __init__(  # noqa: PLR0913 - what a session stands on, handed over once
        self,
        state: SessionState,
        next_seq: int,
        hasher: Hasher,
        counter: Counter,
        bodies: Bodies,
        find_call: FindCall = lambda _: None,
        offload_tokens: int = 0,
    ) -> None:
        self.find_call = find_call
        self.offloader = Offloader(state, offload_tokens, counter.count_text)
        self.hasher, self.counter, self.bodies = hasher, counter, bodies
        self.state = state
        self.seq = next_seq
        self.chain = chain_of(state, bodies)
        self.active = list(state.items.values())
        self.conflicts = dict(state.conflicts)
        self.calls: dict[str, ToolCall] = {}
        self.said: Message | None = None
        # the last message so far, whether a turn was opened, and what was said in the newest turn, of what comes in now
        self.last_seq = state.units[-1].nodes[-1] if state.units else 0
        self.opened = False
        self.spoken: list[Node] = []
        self.write = Write()
        if not state.counter_id:
            self.enter(CounterChanged(counter.counter_id, ()))

    def enter(self, entry: Entry) -> None:
        self.write.entries.append(entry)
        self.seq += 1

    def instruct(self, messages: Sequence[Message], after: tuple[Node, ...] = ()) -> None:
        """The client's own system text, where it is another than the state's. `after`: what stands before it."""
        nodes = list(after)
        for message in messages:
            node = make_node(message, -(len(nodes) + 1), Chain(ROOT, {}), self.hasher, self.counter)
            self.bodies.keep_message(node.body_id, message)
            self.bodies.remember(node.body_id, message.wire)
            self.write.bodies.append(Body(node.body_id, message.wire))
            nodes.append(node)
        if [node.body_id for node in nodes] == [node.body_id for node in self.state.instructions]:
            self.write.bodies.clear()
            return
        self.enter(InstructionsSet(tuple(nodes)))

    def add(self, message: Message, key: str = "", *, by_code: bool = False) -> Node:
        """One message: node, body, count, and what was extracted from it; of a program in the user's place nothing is."""
        forms_for(self.state, self.chain, message, self.bodies, self.find_call)
        node = make_node(message, self.seq, self.chain, self.hasher, self.counter)
        by_code = by_code and node.role == "user"
        if by_code:
            node = msgspec.structs.replace(node, flags=node.flags & ~HAS_USER_INPUT, source="data")
        self.bodies.keep_message(node.body_id, message)
        self.bodies.remember(node.body_id, message.wire)
        self.enter(MessageAdded(node, key, self._index_closed(node)))
        self.write.literals.append(Literals(node.seq, literals_of(everything_of(message))))
        self.write.bodies.append(Body(node.body_id, message.wire))
        self.write.counts.append(Count(node.body_id, self.counter.counter_id, node.tokens))
        if not by_code:
            self._distill(message, node)
        for entry in self.offloader.entries(message, node, self._tool_name):
            self.enter(entry)
        return node

    def _index_closed(self, node: Node) -> int:
        """Where the message opens a turn, the turns before it become searchable with it: up to which message."""
        upto, self.last_seq = self.last_seq, node.seq
        if not node.opens_turn:
            upto = 0
        elif upto > self.state.indexed_seq:
            if self.opened:
                self.write.turns += rows_of(self.spoken, self.bodies) if self.spoken else []
            else:
                before = self.state.units[-1].nodes[-1] if self.state.units else 0
                self.write.turns += turn_rows(self.state, before, self.bodies, more=self.spoken)
        else:
            upto = 0
        if node.opens_turn:
            self.opened, self.spoken = True, []
        if is_said(node):
            self.spoken.append(node)
        return upto

    def replace(self, node: Node, message: Message) -> None:
        """The same message with bytes that hold more than the stored ones."""
        body_id = self.hasher.body_id(message.wire_format, message.wire)
        tokens = self.counter.count_message(message)
        fresh = msgspec.structs.replace(node, body_id=body_id, wire=message.wire_format, tokens=tokens, flags=flags_of(message))
        self.bodies.remember(body_id, message.wire)
        self.write.bodies.append(Body(body_id, message.wire))
        self.enter(BodyReplaced(node.seq, fresh))

    def _distill(self, message: Message, node: Node) -> None:
        for call in message.calls:
            self.calls[call.call_id] = call
        names = {result.call_id: self._tool_name(result.call_id) for result in message.results}
        recent = self._said_before() if message.role == "user" else ()
        changes = extract(message, node.seq, self.active, names, recent)
        if message.role == "assistant" and message.text:
            self.said = message
        actions = self._actions(message, node)
        lines = "\n".join(item.text for item in actions)
        # what the line of a call says already is no fact besides
        facts = [item for item in changes.added if item.field != "fact" or not lines or not _is_said(item.text, lines)]
        added = [*facts, *actions]
        changes = ItemChanges(tuple(added), changes.superseded, changes.closed)
        if self.conflicts:
            changes = self._settle(message, node, changes)
        if not changes:
            return
        gone = {*changes.superseded, *changes.closed}
        self.active = [item for item in self.active if item.item_id not in gone] + added
        self.enter(ItemsChanged(changes))

    def _settle(self, message: Message, node: Node, changes: ItemChanges) -> ItemChanges:
        """Only the user's words close what a fragment disagrees with (REQUIREMENTS R5)."""
        if message.role != "user":
            return kept_open(changes, self.conflicts)
        entries, changes = by_user(message.text, node.seq, self.active, changes, self.conflicts)
        for entry in entries:
            self.enter(entry)
            self.conflicts.pop(entry.conflict_id, None)
        return changes

    def _said_before(self) -> tuple[Message, ...]:
        """The assistant's last words before this message: "the second one" is one of the things it offered."""
        if self.said is None:
            for unit in reversed(self.state.units[-3:]):
                for seq in reversed(unit.nodes):
                    node = self.state.nodes[seq]
                    if node.role == "assistant" and node.flags & HAS_TEXT:
                        self.said = self.bodies.message(node)
                        return (self.said,)
        return (self.said,) if self.said is not None else ()

    def _actions(self, message: Message, node: Node) -> list[SummaryItem]:
        """One line for each call that was answered: what was called, with what, and what came of it."""
        items = []
        for index, result in enumerate(message.results):
            call = self.calls.get(result.call_id) or self._stored_call(result.call_id)
            if call is not None:
                line = action_line((call,), (result,))
                field: Field = "failed" if outcome(result.text, result.is_error) == "failed" else "action"
                items.append(SummaryItem(f"a{node.seq}.{index}", field, line, (node.seq,)))
        return items

    def _tool_name(self, call_id: str) -> str:
        key = self.state.call_units.get(call_id)
        unit = next((unit for unit in reversed(self.state.units) if unit.key == key), None) if key else None
        return self.calls[call_id].name if call_id in self.calls else unit.calls.get(call_id, "") if unit else ""

    def _stored_call(self, call_id: str) -> ToolCall | None:
        key = self.state.call_units.get(call_id)
        unit = next((unit for unit in reversed(self.state.units) if unit.key == key), None) if key else None
        for seq in unit.nodes if unit else ():
            if any(call == call_id for call, _ in self.state.nodes[seq].calls):
                return next(call for call in self.bodies.message(self.state.nodes[seq]).calls if call.call_id == call_id)
        return None


def _is_said(fact: str, lines: str) -> bool:
    """Whether every value of a tool's fact stands in the lines of its calls."""
    _, _, bare = fact.partition(": ")
    return bare in lines or all(value in lines for value in things(bare))


def with_status(message: Message, status: Status) -> Message:
    return message if message.status == status else msgspec.structs.replace(message, status=status)
