"""The editor that planning asks: it makes the bytes of an edit, counts them, and remembers what is new."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trimtab.core.editor import VERBATIM, Edit, Made
from trimtab.core.entries import HAS_BROKEN_ARGUMENTS, HAS_FENCE, IS_EMPTY, Node
from trimtab.core.ids import Hasher
from trimtab.core.messages import Message, Text, encode_wire
from trimtab.core.sections import escape, without_ours
from trimtab.core.target import Target
from trimtab.session.bodies import Bodies
from trimtab.session.shorten import clamp_message, cleared_line, previewed
from trimtab.tokens import MESSAGE_OVERHEAD, Counter
from trimtab.wire import wire_for
from trimtab.wire.common import LEFT_OUT, decode, is_whole_json
from trimtab.wire.openai_responses import OpenAIResponses

NO_RESULT = "interrupted: no result was recorded"
# what a result may cost more as a message of its own in another wire form
TRANSLATION_TOKENS = 4 * MESSAGE_OVERHEAD
_MOST_REMEMBERED = 5_000
_MOST_REMEMBERED_TEXTS = 64


class SessionEditor:
    """Edits for one target and one counter. The same question gives the same answer, from memory if it was asked
    before. `fresh` holds the bytes that are not stored yet."""

    def __init__(self, target: Target, counter: Counter, hasher: Hasher, bodies: Bodies, fence_key: str) -> None:
        self.target, self.counter = target, counter
        self._wire = wire_for(target.wire)
        self._hasher, self._bodies, self._fence_key = hasher, bodies, fence_key
        # by message and not by body alone: short forms name the message
        self._made: dict[tuple[int, str, Edit], Made | None] = {}
        self._answers: dict[tuple[str, str], Made] = {}
        self._texts: dict[str, Made] = {}
        self._once: dict[tuple[Any, ...], str] = {}
        self.fresh: dict[str, bytes] = {}
        adds = target.wire == "anthropic" or target.strict_roles
        self.filler_tokens = self._framed(LEFT_OUT) if adds else 0

    def make(self, node: Node, edit: Edit) -> Made | None:
        if node.flags & IS_EMPTY:
            return None
        if edit == VERBATIM and node.wire == self.target.wire and not node.flags & (HAS_FENCE | HAS_BROKEN_ARGUMENTS):
            return Made(node.body_id, node.tokens)
        key = (node.seq, node.body_id, edit)
        if key not in self._made:
            if len(self._made) > _MOST_REMEMBERED:
                self._made.clear()
            self._made[key] = self._edited(node, edit)
        return self._made[key]

    def client_system(self, node: Node) -> Made:
        """The client's own system text in the target's form."""
        if node.wire == self.target.wire:
            return Made(node.body_id, node.tokens)
        key = (node.seq, node.body_id, VERBATIM)
        made = self._made.get(key)
        if made is None:
            made = self._payload(self._bodies.message(node))
            self._made[key] = made
        return made

    def text(self, text: str) -> Made:
        made = self._texts.get(text)
        if made is None:
            if len(self._texts) > _MOST_REMEMBERED:
                self._texts.clear()
            made = self._stored("text", text.encode("utf-8", "replace"), self._framed(text))
            self._texts[text] = made
        return made

    def once(self, key: tuple[Any, ...], make: Callable[[], str]) -> str:
        if key not in self._once:
            if len(self._once) > _MOST_REMEMBERED_TEXTS:
                self._once.clear()
            self._once[key] = make()
        return self._once[key]

    def count(self, text: str) -> int:
        return self.counter.count_text(text)

    def _framed(self, text: str) -> int:
        """As a message of its own: an upper bound of what it adds where it is joined to another."""
        return self.counter.count_message(Message(role="system", parts=(Text(text),), wire_format=self.target.wire, wire=b""))

    def repair(self, caller: Node, call_id: str) -> Made:
        key = (caller.body_id, call_id)
        made = self._answers.get(key)
        if made is None:
            made = self._answers[key] = self._payload(self._answer(caller, call_id))
        return made

    def _answer(self, caller: Node, call_id: str) -> Message:
        message = self._bodies.message(caller)
        if isinstance(self._wire, OpenAIResponses) and caller.wire == self.target.wire and len(message.calls) == 1:
            # custom and built-in tools are answered by items of their own kinds
            return self._wire.make_result_for(message, NO_RESULT)
        return self._wire.make_result(call_id, dict(caller.calls).get(call_id, ""), NO_RESULT)

    # ------------------------------------------------------------ the edits

    def _edited(self, node: Node, edit: Edit) -> Made | None:
        original = self._bodies.message(node)
        message: Message | None = original
        if edit.as_text:
            message = self._as_text(original, node)
        if node.flags & HAS_FENCE:
            message = self._harmless(message or original)
        if node.flags & HAS_BROKEN_ARGUMENTS:
            message = self._mended(message or original)
        if edit.strip:
            message = self._stripped(message or original)
        if message is None:
            return None
        if edit.clear:
            message = self._cleared(message, node, edit)
        if edit.max_tokens:
            message = self._clamped(message, edit.max_tokens, node.seq)
        if message is original and message.wire_format == self.target.wire:
            return Made(node.body_id, node.tokens)
        return self._payload(message)

    def _as_text(self, message: Message, node: Node) -> Message:
        blocks = [
            f"[late result{f' of {result.name}' if result.name else ''}, its call is no longer here]\n{result.text}"
            for result in message.results
        ]
        own = [message.text] if message.role == "user" and message.text else []
        return self._wire.make_message("user", "\n\n".join([*blocks, *own]))

    def _stripped(self, message: Message) -> Message | None:
        wire = wire_for(message.wire_format)
        bare = wire.without_reasoning(message)
        if bare is not None and isinstance(wire, OpenAIResponses):
            return wire.unbind(bare)
        return bare

    def _harmless(self, message: Message) -> Message:
        """Look-alikes of our fences lose their meaning; what we injected ourselves and got back goes."""
        wire = wire_for(message.wire_format)
        texts = {result.call_id: escape(result.text) for result in message.results if escape(result.text) != result.text}
        if texts:
            message = wire.with_results(message, texts)
        arguments = {call.call_id: escape(call.arguments) for call in message.calls if escape(call.arguments) != call.arguments}
        if arguments:
            message = wire.with_arguments(message, arguments)
        own = "\n".join(part.text for part in message.parts if isinstance(part, Text))
        clean = escape(without_ours(own, self._fence_key)) if message.role == "user" else escape(own)
        return message if clean == own else wire.with_text(message, clean or "(empty)")

    def _mended(self, message: Message) -> Message:
        """Arguments that are no JSON object break the templates of chat models; the text itself is kept in one.
        The other forms take them as they are (custom tools have free text)."""
        if message.wire_format != "openai_chat":
            return message
        broken = {call.call_id: call.arguments for call in message.calls if call.arguments and not is_whole_json(call.arguments)}
        fixed = {call_id: encode_wire({"unparsed": text}).decode() for call_id, text in broken.items()}
        return wire_for(message.wire_format).with_arguments(message, fixed)

    def _cleared(self, message: Message, node: Node, edit: Edit) -> Message:
        names = dict(edit.tools)
        texts = {}
        for result in message.results:
            name = result.name or names.get(result.call_id, "")
            shortened = previewed(name, result.text, node.seq) if edit.preview else cleared_line(name, result.text, node.seq, edit.saved)
            texts[result.call_id] = shortened
        return wire_for(message.wire_format).with_results(message, texts)

    def _clamped(self, message: Message, max_tokens: int, seq: int) -> Message:
        """Within the limit in the target's form: what is a message of its own there pays framing of its own."""
        wire = wire_for(message.wire_format)
        if message.wire_format != self.target.wire:
            max_tokens = max(1, max_tokens - TRANSLATION_TOKENS * max(1, len(message.results)))
        return clamp_message(message, max_tokens, wire, self.counter, seq)

    # ------------------------------------------------------------ bytes

    def _payload(self, message: Message) -> Made:
        if message.wire_format == self.target.wire:
            return self._stored(message.wire_format, message.wire, self.counter.count_message(message), changed=True)
        pieces = self._wire.render_message(message)
        tokens = sum(self.counter.count_message(self._wire.parse_message(decode(piece))) for piece in pieces)
        if not pieces:
            return self._stored(self.target.wire, b"[]", 0, changed=True)
        payload = pieces[0] if len(pieces) == 1 else b"[" + b",".join(pieces) + b"]"
        return self._stored(self.target.wire, payload, tokens, changed=True)

    def _stored(self, kind: str, payload: bytes, tokens: int, changed: bool = False) -> Made:
        segment_id = self._hasher.body_id(kind, payload)
        self._bodies.remember(segment_id, payload)
        self.fresh[segment_id] = payload
        return Made(segment_id, tokens, changed)

    def fresh_of(self, used: set[str]) -> list[tuple[str, bytes]]:
        """Bytes of those segments that are not stored yet."""
        return [(segment_id, self.fresh[segment_id]) for segment_id in used if segment_id in self.fresh]

    def stored(self, used: set[str]) -> None:
        """Those segments are committed now."""
        for segment_id in used:
            self.fresh.pop(segment_id, None)
