"""The text of a message or a variable, wherever it stands: in the prompt, in the ledger only, or as a body."""

from __future__ import annotations

from trimtab.core.entries import MessageAdded, Node
from trimtab.core.messages import Message
from trimtab.core.notes import Variable
from trimtab.errors import NotFound
from trimtab.session.bodies import Bodies
from trimtab.session.lane import Lane


def stored_node(lane: Lane, seq: int) -> Node:
    """The node of a message of this branch, also of one that has left. Raises NotFound."""
    node = lane.state.nodes.get(seq)
    if node is not None:
        return node
    if 0 < seq <= lane.last_seq and lane.state.contains(seq):
        entry = lane.decoded(lane.store.entry(lane.key, seq))
        if isinstance(entry, MessageAdded):
            return entry.node
    raise NotFound("message", f"#{seq}")


def message_text(message: Message, call_id: str = "") -> str:
    """What a message says: the result of one call, all its results, or its own text with its calls."""
    if call_id:
        return next((result.text for result in message.results if result.call_id == call_id), "")
    if message.results:
        return "\n".join(result.text for result in message.results)
    return "\n".join(part for part in (message.text, *(f"{call.name}({call.arguments})" for call in message.calls)) if part)


def everything_of(message: Message) -> str:
    """All that a message says: its text, its calls with their arguments, the results it carries."""
    calls = (f"{call.name} {call.arguments}" for call in message.calls)
    return "\n".join(part for part in (message.text, *calls, *(result.text for result in message.results)) if part)


def variable_text(lane: Lane, bodies: Bodies, variable: Variable) -> str:
    """The whole value as text; JSON values as their JSON."""
    if variable.body_id:
        return bodies.get(variable.body_id).decode("utf-8", "replace")
    return message_text(bodies.message(stored_node(lane, variable.source_seq)), variable.call_id)
